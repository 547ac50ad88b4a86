//! Lanes and lock files as one (`spec/lifecycle.md` section 3): what an adapter of
//! [`LockPort`](super::ports::LockPort) forwards to.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::error::ErrorKind;
use crate::domain::ids::{OperationId, SessionId, WorkspaceName};
use crate::domain::operation::{Operation, Verb};
use crate::domain::time::Timestamp;
use crate::os::clock::Clock;
use crate::os::lock::{self, FileLock, Sharing};
use crate::os::paths::{Home, private_dir};

use super::context::{Context, Ended, LOCK_WAIT};
use super::lanes::{LaneGuard, Lanes};
use super::ports::{PortError, PortResult};
use super::report::waiting_for;
use super::starts::Starts;

/// More sessions than this hold the workspace instead of a file each (L4).
pub const BATCH: usize = 64;

/// Who holds a lock, as written into its file (L5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// What it does.
    pub verb: Verb,
    /// The operation.
    pub operation: OperationId,
    /// Its process.
    pub pid: u32,
    /// Since when.
    pub since: Timestamp,
}

/// The locks of one workspace. Clones share their lanes.
#[derive(Debug, Clone)]
pub struct FileLocks {
    folder: PathBuf,
    workspace: WorkspaceName,
    lanes: Lanes,
    starts: Starts,
    clock: Clock,
}

/// Held locks; dropping it frees them in reverse order of taking.
#[derive(Debug, Default)]
pub struct LockGuard {
    lanes: Vec<LaneGuard>,
    files: Vec<FileLock>,
    /// File of a lock that nobody looks for once it is free.
    passing: Option<PathBuf>,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        if let Some(path) = &self.passing
            && let Err(error) = std::fs::remove_file(path)
        {
            tracing::debug!(path = %path.display(), %error, "a lock file could not be removed");
        }
        while self.files.pop().is_some() {}
        while self.lanes.pop().is_some() {}
    }
}

impl FileLocks {
    /// Locks in `home` for one workspace, with room for `max_starting` starts at once over all
    /// processes (C10).
    ///
    /// # Errors
    /// The folder of the lock files cannot be made.
    pub fn new(
        home: &Home,
        workspace: &WorkspaceName,
        max_starting: usize,
        clock: Clock,
    ) -> io::Result<Self> {
        let folder = home.locks();
        private_dir(&folder)?;
        Ok(Self {
            starts: Starts::new(&folder, max_starting),
            folder,
            workspace: workspace.clone(),
            lanes: Lanes::default(),
            clock,
        })
    }

    /// The lanes, for a look at who waits.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Takes all lanes in ascending order, then the files in one fixed order: the workspace, shared,
    /// and each session; or the workspace alone, exclusively, where there are more than [`BATCH`]
    /// (L1, L2, L4).
    ///
    /// # Errors
    /// Cancelled; not free within [`LOCK_WAIT`], naming the holder; a file cannot be locked.
    pub async fn acquire(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        operation: &Operation,
    ) -> PortResult<LockGuard> {
        let ctx = ctx.within(LOCK_WAIT);
        let mut ids: Vec<&SessionId> = ids.iter().collect();
        ids.sort_unstable();
        ids.dedup();
        let taken = ctx.run(self.take(&ids, operation)).await;
        let guard = taken.map_err(|ended| self.refused(ended, &ids))??;
        // Free and cancelled at the same moment: cancelled wins (L2).
        ctx.run(std::future::ready(())).await.map_err(|ended| self.refused(ended, &ids))?;
        Ok(guard)
    }

    async fn take(&self, ids: &[&SessionId], operation: &Operation) -> PortResult<LockGuard> {
        let mut guard = LockGuard::default();
        for id in ids {
            guard.lanes.push(self.lanes.enter(id.as_str()).await);
        }
        let alone = ids.len() > BATCH;
        let sharing = if alone { Sharing::Exclusive } else { Sharing::Shared };
        let gate = wait(&self.gate(), Sharing::Exclusive).await?;
        let whole = self.whole();
        guard.files.push(wait(&whole, sharing).await?);
        drop(gate);
        if alone {
            self.sign(&whole, operation);
            return Ok(guard);
        }
        for id in ids {
            let path = self.file(id);
            guard.files.push(wait(&path, Sharing::Exclusive).await?);
            self.sign(&path, operation);
        }
        Ok(guard)
    }

    /// Takes the lock of an operation; none where it is held (V3). The file goes with the guard:
    /// recovery needs no more of it than that it is free.
    ///
    /// # Errors
    /// The file cannot be locked.
    #[expect(clippy::unused_async, reason = "has the shape of the port")]
    pub async fn acquire_operation(&self, id: &OperationId) -> PortResult<Option<LockGuard>> {
        let path = self.named(&format!("operation@{id}"));
        loop {
            let taken = lock::try_lock(&path, Sharing::Exclusive);
            let Some(file) = taken.map_err(|error| broken(&path, &error))? else {
                return Ok(None);
            };
            if file.is_at(&path) {
                let mut guard = LockGuard::default();
                guard.files.push(file);
                guard.passing = Some(path);
                return Ok(Some(guard));
            }
        }
    }

    /// Takes one of the places for a start, in order of arrival over all processes (C10).
    ///
    /// # Errors
    /// Cancelled, or the context's deadline passed; a file cannot be locked.
    pub async fn acquire_start(&self, ctx: &Context) -> PortResult<LockGuard> {
        let taken = ctx.run(self.starts.take()).await;
        let taken = taken.map_err(|ended| ended_error("waiting for a place to start", ended))?;
        let file = taken.map_err(|error| broken(&self.folder, &error))?;
        let mut guard = LockGuard::default();
        guard.files.push(file);
        Ok(guard)
    }

    /// Who holds the lifecycle lock of a session, or the whole workspace (L5).
    pub fn holder(&self, id: &SessionId) -> Option<Holder> {
        [self.file(id), self.whole()].iter().find_map(|path| {
            let held = path.exists() && matches!(lock::try_lock(path, Sharing::Shared), Ok(None));
            held.then(|| std::fs::read(path).ok())
                .flatten()
                .and_then(|text| serde_json::from_slice(&text).ok())
        })
    }

    /// Says in a lock file who holds it. Failing to say so keeps nobody from working.
    fn sign(&self, path: &Path, operation: &Operation) {
        let holder = Holder {
            verb: operation.kind,
            operation: operation.id.clone(),
            pid: std::process::id(),
            since: self.clock.now(),
        };
        let written = serde_json::to_vec(&holder)
            .map_err(io::Error::from)
            .and_then(|text| std::fs::write(path, text));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "a lock file could not be signed");
        }
    }

    fn refused(&self, ended: Ended, ids: &[&SessionId]) -> PortError {
        let now = self.clock.now();
        let holder = ids.iter().find_map(|id| Some((id, self.holder(id)?)));
        let what = match holder {
            Some((id, holder)) => waiting_for(holder.verb, id, now.since(holder.since)),
            None => "waiting for the locks of the sessions".to_owned(),
        };
        ended_error(&what, ended)
    }

    fn file(&self, id: &SessionId) -> PathBuf {
        self.named(&format!("session@{id}"))
    }

    fn whole(&self) -> PathBuf {
        self.named("workspace")
    }

    fn gate(&self) -> PathBuf {
        self.named("gate")
    }

    /// `@` is legal in no name, so no two locks share a file.
    fn named(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}@{what}.lock", self.workspace))
    }
}

async fn wait(path: &Path, sharing: Sharing) -> PortResult<FileLock> {
    lock::lock(path, sharing).await.map_err(|error| broken(path, &error))
}

fn broken(path: &Path, error: &io::Error) -> PortError {
    PortError {
        kind: ErrorKind::Failed,
        message: format!("locking {}: {error}", path.display()),
        hint: Some("check that the folder is yours and can be written".to_owned()),
    }
}

fn ended_error(what: &str, ended: Ended) -> PortError {
    let kind = match ended {
        Ended::Cancelled => ErrorKind::Interrupted,
        Ended::TimedOut => ErrorKind::TimedOut,
    };
    PortError { kind, message: format!("{what}: {ended}"), hint: None }
}
