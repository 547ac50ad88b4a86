//! Errors of the real parts in the words of the ports.

use crate::agents::AgentError;
use crate::domain::error::ErrorKind;
use crate::host::ports::PortError;
use crate::runtime::client::ClientError;
use crate::runtime::launch::StartError;
use crate::store::StoreError;
use crate::workspace::WorkspaceError;

/// The installation cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folders cannot be made or found.
    #[error("cannot prepare {what}: {error}")]
    Folder {
        /// Which.
        what: String,
        /// Why.
        error: std::io::Error,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OpenError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Folder { .. } => ErrorKind::Failed,
            Self::Store(error) => error.kind(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Folder { .. } => Some("CALLBOARD_HOME can name another folder".to_owned()),
            Self::Store(error) => error.hint(),
        }
    }
}

macro_rules! explained {
    ($($error:ty),+) => {
        $(impl From<$error> for PortError {
            fn from(error: $error) -> Self {
                Self { kind: error.kind(), message: error.to_string(), hint: error.hint() }
            }
        })+
    };
}
explained!(StoreError, WorkspaceError, AgentError, ClientError, StartError);
