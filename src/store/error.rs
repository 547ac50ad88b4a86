//! Why the store could not do what was asked.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::domain::error::ErrorKind;
use crate::domain::ids::{ProjectName, SessionId};
use crate::os::lock;

use super::damage;

/// A failure of the store; nothing of the attempt was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The files could not be made or opened.
    #[error("could not open the store {path}: {detail}")]
    Open {
        /// The database.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// A newer callboard wrote the database (W2).
    #[error(
        "start the newer callboard: this one knows store versions up to {known} and changes nothing in {path}, which has version {found}"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that is understood.
        known: i64,
    },
    /// The database is no database any more, or part of it cannot be read (W3).
    #[error("could not {attempt}: the store {path} is damaged: {detail}")]
    Damaged {
        /// What was attempted.
        attempt: String,
        /// The database.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The file was moved away, removed or replaced while it was open; nothing was done.
    #[error("the store {path} was moved away or replaced while callboard was using it")]
    Moved {
        /// Where it was.
        path: PathBuf,
    },
    /// Dashboards or commands have the database open that is to be moved aside.
    #[error("the store {path} is in use: {}", said(users))]
    InUse {
        /// The database.
        path: PathBuf,
        /// Processes and their names, as far as the system tells.
        users: Vec<(u32, String)>,
    },
    /// There is no room left (W4).
    #[error("could not {attempt}: there is no room left for the store {path}")]
    Full {
        /// What was attempted.
        attempt: String,
        /// The database.
        path: PathBuf,
    },
    /// The database or its folder cannot be written to (W4).
    #[error("could not {attempt}: the store {path} cannot be written to: {detail}")]
    ReadOnly {
        /// What was attempted.
        attempt: String,
        /// The database.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// Another process kept the database busy for too long.
    #[error("could not {attempt}: the store {path} was busy for 5 s")]
    Busy {
        /// What was attempted.
        attempt: String,
        /// The database.
        path: PathBuf,
    },
    /// The database refused: a constraint, a fault of the disk (W4).
    #[error("could not {attempt}: {detail} (store {path})")]
    Database {
        /// What was attempted.
        attempt: String,
        /// The database.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The store was closed.
    #[error("could not {attempt}: the store is closed")]
    Closed {
        /// What was attempted.
        attempt: String,
    },
    /// No session of this id.
    #[error("there is no session {id}")]
    NoSession {
        /// The id.
        id: SessionId,
    },
    /// The session is in the trash, and what was asked needs it outside.
    #[error("session {id} is in the trash")]
    InTrash {
        /// The id.
        id: SessionId,
    },
    /// The session is not in the trash, and what was asked needs it there.
    #[error("session {id} is not in the trash")]
    NotInTrash {
        /// The id.
        id: SessionId,
    },
    /// A session of this id exists (S3).
    #[error("session id {id} is in use")]
    IdInUse {
        /// The id.
        id: SessionId,
    },
    /// The parent does not exist (C9, R3).
    #[error(
        "session {id} cannot be without its parent {parent}, which does not exist or is in the trash"
    )]
    NoParent {
        /// The session.
        id: SessionId,
        /// Its parent.
        parent: SessionId,
    },
    /// Another launch is the newest one.
    #[error("launch {wanted} of session {id} is not its newest, which is {found}")]
    OtherGeneration {
        /// The session.
        id: SessionId,
        /// The launch that was named.
        wanted: u32,
        /// The newest launch.
        found: u32,
    },
    /// A published session is no seed that could be rolled back.
    #[error("session {id} is published and cannot be rolled back")]
    Published {
        /// The session.
        id: SessionId,
    },
    /// The folder is registered already.
    #[error("folder {path} is registered already, as project {name}")]
    ProjectExists {
        /// Its name.
        name: ProjectName,
        /// The folder.
        path: PathBuf,
    },
    /// Another project has the name, or it is reserved (S3).
    #[error("project name {name} is taken")]
    NameTaken {
        /// The name.
        name: ProjectName,
    },
    /// No registered project of this name.
    #[error("there is no project {name}")]
    NoProject {
        /// The name.
        name: ProjectName,
    },
    /// A path that is no UTF-8 text cannot be kept.
    #[error("path {path} is not UTF-8 and cannot be stored")]
    Path {
        /// The path, as far as it can be shown.
        path: PathBuf,
    },
    /// A cursor that this query did not give.
    #[error("cursor {cursor:?} does not belong to this list")]
    Cursor {
        /// The cursor, shortened.
        cursor: String,
    },
}

impl StoreError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Open { .. }
            | Self::Full { .. }
            | Self::ReadOnly { .. }
            | Self::Database { .. }
            | Self::Closed { .. } => ErrorKind::Failed,
            Self::Busy { .. } => ErrorKind::TimedOut,
            Self::NoSession { .. } | Self::NoProject { .. } => ErrorKind::NotFound,
            Self::Cursor { .. } | Self::Path { .. } => ErrorKind::Usage,
            Self::Newer { .. }
            | Self::InUse { .. }
            | Self::Damaged { .. }
            | Self::Moved { .. }
            | Self::InTrash { .. }
            | Self::NotInTrash { .. }
            | Self::IdInUse { .. }
            | Self::NoParent { .. }
            | Self::OtherGeneration { .. }
            | Self::Published { .. }
            | Self::ProjectExists { .. }
            | Self::NameTaken { .. } => ErrorKind::Refused,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Open { .. } => "check that the folder is yours and can be written",
            Self::InUse { .. } => {
                "leave every dashboard of this home and let its commands end, then try again"
            }
            Self::Full { .. } => "free some space, then try again; nothing of it was written",
            Self::ReadOnly { .. } => {
                "check who owns the folder and its files, and whether the disk is mounted read-only"
            }
            Self::Newer { .. } => "close this callboard and start the newer one",
            Self::Damaged { .. } => {
                "run `callboard doctor --repair`: it moves the file aside and restores the newest backup"
            }
            Self::Moved { .. } => {
                "put it back where it was, or leave and start callboard again: it begins a new store where there is none"
            }
            Self::Busy { path, .. } => {
                return Some(match lock::holder(&damage::files_of(path)) {
                    Some((pid, name)) => {
                        format!("process {pid} ({name}) holds it; wait for its end, then try again")
                    }
                    None => "a large batch may be under way; try again".to_owned(),
                });
            }
            Self::Database { .. } => "check free space and permissions of the folder",
            Self::InTrash { id } => {
                return Some(format!("bring it back: `callboard restore {id}`"));
            }
            Self::IdInUse { id } => {
                return Some(format!(
                    "choose another id, or launch it again: `callboard restore {id}`"
                ));
            }
            Self::NoParent { parent, .. } => {
                return Some(format!("bring the parent back first: `callboard restore {parent}`"));
            }
            Self::NameTaken { .. } => "choose another name with --name",
            Self::NoProject { .. } => "`callboard project list` shows the names",
            Self::Cursor { .. } => "take the cursor from the page before, with the same filters",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Processes in words.
fn said(users: &[(u32, String)]) -> String {
    if users.is_empty() {
        return "another process has it open".to_owned();
    }
    users.iter().map(|(pid, name)| format!("process {pid} ({name})")).collect::<Vec<_>>().join(", ")
}

/// What goes wrong inside the store, before it is known what was attempted.
#[derive(Debug)]
pub(super) enum Fault {
    /// The database failed.
    Sql(rusqlite::Error),
    /// A rule refused.
    Refused(StoreError),
}

/// Result of everything that runs on a connection.
pub(super) type Outcome<T> = Result<T, Fault>;

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl Fault {
    /// The error as callers see it. `attempt` completes "could not ...".
    pub(super) fn during(self, attempt: &str, path: &Path) -> StoreError {
        let error = match self {
            Self::Refused(error) => return error,
            Self::Sql(error) => error,
        };
        let (attempt, path) = (attempt.to_owned(), path.to_owned());
        let detail = match &error {
            // Without the statement, which can be a whole migration.
            rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
            error => error.to_string(),
        };
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match error.sqlite_error_code() {
            _ if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
                StoreError::Full { attempt, path }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { attempt, path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged { attempt, path, detail }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { attempt, path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { attempt, path, detail }
            }
            Some(ErrorCode::CannotOpen) => StoreError::Open { path, detail },
            _ => StoreError::Database { attempt, path, detail },
        }
    }
}
