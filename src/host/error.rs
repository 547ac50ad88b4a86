//! Errors of the coordinators.

use crate::domain::error::ErrorKind;
use crate::domain::ids::{InvalidName, SessionId};

use super::context::Ended;
use super::ports::PortError;

/// Why a coordinator refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A port failed.
    #[error("{0}")]
    Port(#[from] PortError),
    /// A name is not legal.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Cancelled or timed out.
    #[error("{what}: {ended}")]
    Ended {
        /// What was attempted.
        what: String,
        /// Why it ended.
        ended: Ended,
    },
    /// No such session.
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// The id belongs to a tombstone.
    #[error("session {0} is in the trash")]
    IdInTrash(SessionId),
    /// The id belongs to another session.
    #[error("session {0} exists already")]
    IdInUse(SessionId),
    /// No registered project has this name.
    #[error("there is no project {0}")]
    NoProject(String),
    /// The place of the session cannot be found out (C1).
    #[error("the place of the session cannot be found out: {0}")]
    RailPlacementUnavailable(String),
    /// An existing session has another placement (C1).
    #[error("session {0} belongs to another section")]
    RailPlacementConflict(SessionId),
    /// The parent does not exist (C9).
    #[error("the parent {0} does not exist")]
    NoParent(SessionId),
    /// The session is live (B1).
    #[error("session {0} is running")]
    NotRestorable(SessionId),
    /// Nothing to resume from (B1).
    #[error("session {0} has nothing to resume from")]
    NothingToResume(SessionId),
    /// Part of a component is missing (R2).
    #[error("session {id} cannot be restored: {reason}")]
    Incomplete {
        /// Which.
        id: SessionId,
        /// Why.
        reason: String,
    },
    /// The guard refused the plan (D3).
    #[error("the plan was not admitted")]
    NotAdmitted,
    /// The plan changed at each of the attempts (D4).
    #[error("the plan changed {attempts} times while it was carried out: {difference}")]
    PlanKeepsChanging {
        /// How often.
        attempts: u32,
        /// What differed last.
        difference: String,
    },
    /// Wrong use.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// Refused.
    #[error("{message}")]
    Refused {
        /// Why.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
}

impl HostError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Port(error) => error.kind,
            Self::Name(_) | Self::Usage { .. } => ErrorKind::Usage,
            Self::Ended { ended: Ended::Cancelled, .. } => ErrorKind::Interrupted,
            Self::Ended { ended: Ended::TimedOut, .. } => ErrorKind::TimedOut,
            Self::NotFound(_) | Self::NoProject(_) | Self::NoParent(_) => ErrorKind::NotFound,
            Self::PlanKeepsChanging { .. } => ErrorKind::Failed,
            Self::IdInTrash(_)
            | Self::IdInUse(_)
            | Self::RailPlacementUnavailable(_)
            | Self::RailPlacementConflict(_)
            | Self::NotRestorable(_)
            | Self::NothingToResume(_)
            | Self::Incomplete { .. }
            | Self::NotAdmitted
            | Self::Refused { .. } => ErrorKind::Refused,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Port(error) => error.hint.clone(),
            Self::Usage { hint, .. } | Self::Refused { hint, .. } => hint.clone(),
            Self::IdInTrash(id) => Some(format!("bring it back with: callboard restore {id}")),
            Self::IdInUse(id) => {
                Some(format!("if it ended, launch it again with: callboard restore {id}"))
            }
            Self::NoProject(_) => Some("callboard project list shows the names".to_owned()),
            Self::NotRestorable(id) => Some(format!("stop it first with: callboard stop {id}")),
            _ => None,
        }
    }
}

/// Result of a coordinator.
pub type HostResult<T> = Result<T, HostError>;
