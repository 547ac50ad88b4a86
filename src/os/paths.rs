//! Folders (`spec/cli.md`): where configuration, data, state and sockets live.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::domain::ids::{SessionId, WorkspaceName};

use super::variables;

/// The folders of one installation. `CALLBOARD_HOME` puts all of them into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The value of `CALLBOARD_HOME`, absolute, where it is set.
    pub root: Option<PathBuf>,
    /// `config.toml`, `keymap.toml`, `agents/`, `themes/`.
    pub config: PathBuf,
    /// `callboard.db`, backups, `worktrees/`, `trash/`.
    pub data: PathBuf,
    /// Logs, history of sessions, locks.
    pub state: PathBuf,
    /// Sockets of keepers.
    pub run: PathBuf,
}

/// Longest path that a socket can have, with room for the final byte on every system.
const SOCKET_LIMIT: usize = 100;

impl Home {
    /// One folder for everything.
    ///
    /// # Errors
    /// The present folder cannot be read while `root` is relative.
    pub fn at(root: &Path) -> io::Result<Self> {
        let root = std::path::absolute(root)?;
        Ok(Self {
            config: root.join("config"),
            data: root.join("data"),
            state: root.join("state"),
            run: root.join("run"),
            root: Some(root),
        })
    }

    /// The folders that the environment asks for. A debug build has a name of its own.
    ///
    /// # Errors
    /// There is neither `CALLBOARD_HOME` nor a home folder.
    pub fn from_env() -> io::Result<Self> {
        if let Some(root) = std::env::var_os(variables::HOME).filter(|root| !root.is_empty()) {
            return Self::at(Path::new(&root));
        }
        let name = if cfg!(debug_assertions) { "callboard-debug" } else { "callboard" };
        let home = etcetera::home_dir()
            .map_err(|_| io::Error::new(io::ErrorKind::NotFound, "there is no home folder"))?;
        let folder = |variable: &str, default: &str| {
            std::env::var_os(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| home.join(default))
                .join(name)
        };
        let state = folder("XDG_STATE_HOME", ".local/state");
        let run = std::env::var_os("XDG_RUNTIME_DIR")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .map_or_else(|| state.join("run"), |path| path.join(name));
        Ok(Self {
            root: None,
            config: folder("XDG_CONFIG_HOME", ".config"),
            data: folder("XDG_DATA_HOME", ".local/share"),
            state,
            run,
        })
    }

    /// Makes the folders that are written to, readable by their owner alone (`spec/store.md` W7).
    ///
    /// # Errors
    /// A folder cannot be made.
    pub fn create(&self) -> io::Result<()> {
        for folder in [&self.data, &self.state, &self.run] {
            private_dir(folder)?;
        }
        self.own_root().map_or(Ok(()), make_private)
    }

    /// The one folder of everything, where it holds nothing else: only then is its mode our affair.
    pub fn own_root(&self) -> Option<&Path> {
        let root = self.root.as_deref()?;
        let ours = [&self.config, &self.data, &self.state, &self.run];
        let mut entries = std::fs::read_dir(root).ok()?.flatten().peekable();
        entries.peek()?;
        entries.all(|entry| ours.contains(&&entry.path())).then_some(root)
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.data.join("callboard.db")
    }

    /// Where worktrees are made: `worktrees/<workspace>`.
    pub fn worktrees(&self, workspace: &WorkspaceName) -> PathBuf {
        self.data.join("worktrees").join(workspace.as_str())
    }

    /// Where worktrees go when their session is deleted.
    pub fn trash(&self, workspace: &WorkspaceName) -> PathBuf {
        self.data.join("trash").join(workspace.as_str())
    }

    /// Lock files.
    pub fn locks(&self) -> PathBuf {
        self.state.join("locks")
    }

    /// Log files.
    pub fn logs(&self) -> PathBuf {
        self.state.join("log")
    }

    /// Terminal history of all sessions.
    pub fn histories(&self) -> PathBuf {
        self.state.join("history")
    }

    /// Terminal history of one session.
    pub fn history(&self, workspace: &WorkspaceName, session: &SessionId) -> PathBuf {
        self.histories().join(workspace.as_str()).join(session.as_str())
    }

    /// Socket of a session's keeper. Where the folder is too deep for a socket, a short folder in the
    /// temporary one stands in for it.
    pub fn socket(&self, workspace: &WorkspaceName, session: &SessionId) -> PathBuf {
        let session = fingerprint(format!("{workspace}/{session}").as_bytes());
        self.near(&format!("{session:016x}.sock"))
    }

    /// The link to the operator's key agent that agents know.
    pub fn ssh_agent(&self) -> PathBuf {
        self.near("ssh-agent")
    }

    /// A file that is used as a socket.
    fn near(&self, name: &str) -> PathBuf {
        let path = self.run.join(name);
        if path.as_os_str().len() <= SOCKET_LIMIT {
            return path;
        }
        let short = fingerprint(self.run.as_os_str().as_encoded_bytes());
        let user = rustix::process::getuid().as_raw();
        std::env::temp_dir().join(format!("callboard-{user}-{short:016x}")).join(name)
    }
}

/// FNV-1a: short stable names, not a secret.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Makes a folder that only its owner can enter; an existing one is made private.
///
/// # Errors
/// It cannot be made, or belongs to someone else.
pub fn private_dir(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    make_private(path)
}

/// Makes an empty file that only its owner can read; an existing one is made private and keeps what is
/// in it.
///
/// # Errors
/// It cannot be made, or belongs to someone else.
pub fn private_file(path: &Path) -> io::Result<()> {
    std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    make_private(path)
}

/// Takes the rights of everybody else off a file or folder of ours. Where the file system is
/// read-only it stays as it is.
///
/// # Errors
/// It is not there, or belongs to someone else.
pub fn make_private(path: &Path) -> io::Result<()> {
    let found = std::fs::metadata(path)?;
    let (owner, own) = (found.uid(), super::spawn::own_user());
    if owner != own {
        let message = format!("{} belongs to user {owner}, this is user {own}", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    let mode = found.permissions().mode();
    if mode.trailing_zeros() >= 6 {
        return Ok(());
    }
    match std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700)) {
        Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => Ok(()),
        other => other,
    }
}

/// Whether this process may write to a file or folder; not so on a read-only file system, whoever asks.
pub fn can_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_home_still_has_short_sockets() {
        let home = Home::at(Path::new(&format!("/{}", "long/".repeat(60)))).unwrap();
        let workspace = WorkspaceName::default();
        let socket = home.socket(&workspace, &SessionId::new("a".repeat(64)).unwrap());
        assert!(socket.as_os_str().len() <= SOCKET_LIMIT, "{}", socket.display());
        let other = home.socket(&workspace, &SessionId::new("b").unwrap());
        assert_ne!(socket, other);
        assert_eq!(socket.parent(), other.parent());
    }

    #[test]
    fn folders_are_private() {
        let root = tempfile::tempdir().unwrap();
        let home = Home::at(root.path()).unwrap();
        home.create().unwrap();
        let mode = std::fs::metadata(&home.run).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
