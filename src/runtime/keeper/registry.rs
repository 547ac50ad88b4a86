//! Which keepers there are: one socket and one entry beside it for each, in the runtime folder.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::{UnixListener, UnixStream};

use crate::domain::ids::{SessionId, WorkspaceName};
use crate::os::lock::{self, Sharing};
use crate::os::paths::{private_dir, private_file};
use crate::os::proctree::Process;
use crate::runtime::client::{Keeper as Client, spool};
use crate::runtime::launch::{LaunchSpec, StartError, StartErrorKind};
use crate::runtime::wire::message::StopPace;

/// Held while a keeper takes or gives back its place.
const LOCK: &str = "claim.lock";
/// Extension of an entry.
const EXTENSION: &str = "keeper";
/// How long the keeper that is in the way may take to say who it is, or to leave.
const PATIENCE: Duration = Duration::from_secs(5);

/// A keeper that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The keeper's process.
    pub keeper: Process,
    /// Workspace of its session.
    pub workspace: WorkspaceName,
    /// Its session.
    pub session: SessionId,
    /// Its launch.
    pub generation: u32,
    /// Its socket.
    pub socket: PathBuf,
}

/// The keepers that run, by the entries in a runtime folder.
pub fn listed(folder: &Path) -> Vec<Listed> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .filter_map(|path| serde_json::from_slice::<Listed>(&std::fs::read(path).ok()?).ok())
        .filter(|listed| listed.keeper.is_alive())
        .collect()
}

/// What a keeper has beside its entry: its socket, and reports of hooks that wait for it.
const BESIDE: [&str; 2] = ["sock", "hooks"];

/// The sockets, entries and reports that killed keepers left in a runtime folder, as far as it can be read.
pub fn stale(folder: &Path) -> Vec<PathBuf> {
    let live: Vec<PathBuf> = listed(folder).into_iter().map(|keeper| keeper.socket).collect();
    let ours = |it: &OsStr| it == EXTENSION || BESIDE.iter().any(|beside| it == *beside);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(ours))
        .filter(|path| !live.contains(&path.with_extension("sock")))
        .collect();
    found.sort();
    found
}

/// Removes the sockets, entries and reports that killed keepers left in a runtime folder (X4).
///
/// # Errors
/// The folder cannot be locked, or one of them cannot be removed.
pub async fn sweep(folder: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    // Whoever binds a socket holds the lock until it is listed: without an entry of a live keeper
    // nobody listens.
    let _lock = lock::lock(&folder.join(LOCK), Sharing::Exclusive).await?;
    for path in stale(folder) {
        match std::fs::remove_file(&path) {
            // A keeper that leaves removes its own.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A taken place.
#[derive(Debug)]
pub(super) struct Claim {
    socket: PathBuf,
    /// Device and inode of the socket, so that a successor's is never removed.
    identity: (u64, u64),
}

impl Claim {
    /// Takes the place of a session's keeper: listens on its socket and is listed beside it.
    ///
    /// # Errors
    /// Another keeper is there (X2), or the system refuses.
    pub(super) async fn take(spec: &LaunchSpec) -> Result<(UnixListener, Self), StartError> {
        let socket = &spec.socket;
        let failed = |error: io::Error| {
            StartError::system(&format!("the socket {} cannot be made", socket.display()), &error)
        };
        let folder = socket.parent().unwrap_or(Path::new("/"));
        private_dir(folder).map_err(failed)?;
        make_way(spec).await?;
        let _lock = lock::lock(&folder.join(LOCK), Sharing::Exclusive).await.map_err(failed)?;
        remove_stale(spec).await?;
        let listener = UnixListener::bind(socket).map_err(failed)?;
        std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let claim = Self { socket: socket.clone(), identity: identity(socket).map_err(failed)? };
        claim.list(spec).inspect_err(|_| claim.remove()).map_err(failed)?;
        Ok((listener, claim))
    }

    fn entry(&self) -> PathBuf {
        self.socket.with_extension(EXTENSION)
    }

    fn list(&self, spec: &LaunchSpec) -> io::Result<()> {
        let keeper =
            Process::own().ok_or_else(|| io::Error::other("this process is not listed"))?;
        let listed = Listed {
            keeper,
            workspace: spec.workspace.clone(),
            session: spec.session.clone(),
            generation: spec.generation,
            socket: self.socket.clone(),
        };
        private_file(&self.entry())?;
        std::fs::write(self.entry(), serde_json::to_vec(&listed)?)
    }

    /// Gives the place back.
    pub(super) async fn release(&self) {
        let folder = self.socket.parent().unwrap_or(Path::new("/"));
        match lock::lock(&folder.join(LOCK), Sharing::Exclusive).await {
            Ok(_lock) => self.remove(),
            Err(error) => tracing::warn!(%error, "the runtime folder cannot be locked"),
        }
    }

    fn remove(&self) {
        if identity(&self.socket).is_ok_and(|now| now == self.identity) {
            // Reports that came too late for this launch are nobody's.
            let _none = std::fs::remove_file(spool(&self.socket));
            for path in [self.entry(), self.socket.clone()] {
                if let Err(error) = std::fs::remove_file(&path) {
                    tracing::warn!(path = %path.display(), %error, "a file cannot be removed");
                }
            }
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

fn refused(spec: &LaunchSpec, why: &str) -> StartError {
    let message = format!("session {} already has a keeper: {why}", spec.session);
    StartError::new(StartErrorKind::AlreadyRunning, message)
}

/// Sends away a keeper of an earlier launch that only lingers. Without the lock, which it needs to
/// leave.
async fn make_way(spec: &LaunchSpec) -> Result<(), StartError> {
    let refused = |why: &str| Err(refused(spec, why));
    let visit = async {
        let Ok(mut other) = Client::connect(&spec.socket).await else {
            return Ok(());
        };
        match other.status().await {
            Ok(status) if status.facts.generation == spec.generation => {
                refused("it runs this launch")
            }
            Ok(status) if status.facts.exit.is_none() => refused("an earlier launch still runs"),
            // it removes its socket before it answers
            Ok(_) => match other.stop(None, StopPace::default()).await {
                Ok(_) => Ok(()),
                Err(error) => refused(&format!("it does not leave, {error}")),
            },
            Err(error) => refused(&format!("it does not say who it is, {error}")),
        }
    };
    let visited = tokio::time::timeout(PATIENCE, visit).await;
    visited.unwrap_or_else(|_| refused("it does not answer"))
}

/// Removes a socket that nobody listens at. Under the lock, so that nobody else binds it meanwhile.
async fn remove_stale(spec: &LaunchSpec) -> Result<(), StartError> {
    if UnixStream::connect(&spec.socket).await.is_ok() {
        return Err(refused(spec, "another one was faster"));
    }
    match std::fs::remove_file(&spec.socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let what = format!("the stale socket {} cannot be removed", spec.socket.display());
            Err(StartError::system(&what, &error))
        }
        _ => Ok(()),
    }
}
