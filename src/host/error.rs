//! Errors of the coordinators.

use crate::domain::error::ErrorKind;
use crate::domain::ids::{BatchId, InvalidName, OperationId, SessionId};
use crate::domain::lifecycle::State;
use crate::domain::session::Session;

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
    /// Nobody knows whether the session is live (B1, A5).
    #[error("session {0} is being looked at: it is not known yet whether it runs")]
    Detecting(SessionId),
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
    /// A live session does not say what to end or what to give back (K2).
    #[error("session {0} does not say which runtime to end or which worktree to give back")]
    IncompleteHandle(SessionId),
    /// The guard refused the plan (D3).
    #[error("the plan was not admitted")]
    NotAdmitted,
    /// The store cannot delete a batch at once or not at all (D8).
    #[error("the store cannot delete sessions as one batch")]
    BatchUnavailable,
    /// The plan changed at each of the attempts (D4).
    #[error("the plan changed {attempts} times while it was carried out: {difference}")]
    PlanKeepsChanging {
        /// How often.
        attempts: u32,
        /// What differed last.
        difference: String,
    },
    /// A create failed, and not everything that it had made could be taken back (C5).
    #[error("{cause}; taking back what was made: {}", troubles.join("; "))]
    NotUndone {
        /// Why the create failed.
        cause: Box<Self>,
        /// What went wrong while taking back.
        troubles: Vec<String>,
    },
    /// A delete ended after it had closed runtimes; no session was deleted (D4, D14).
    #[error("{cause}; runtimes closed by then: {}", join(closed))]
    Stopped {
        /// Why it ended.
        cause: Box<Self>,
        /// The closed ones, ascending.
        closed: Vec<SessionId>,
    },
    /// Nothing in the trash belongs to the batch.
    #[error("there is no batch {0} in the trash")]
    NoBatch(BatchId),
    /// No operation has this id.
    #[error("there is no operation {0}")]
    NoOperation(OperationId),
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
    /// Why a session that is not terminal is not launched again (B1).
    pub fn not_restorable(session: &Session) -> Self {
        match session.condition.lifecycle.state {
            State::Detecting => Self::Detecting(session.id.clone()),
            _ => Self::NotRestorable(session.id.clone()),
        }
    }

    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Port(error) => error.kind,
            Self::Name(_) | Self::Usage { .. } => ErrorKind::Usage,
            Self::Ended { ended: Ended::Cancelled, .. } => ErrorKind::Interrupted,
            Self::Ended { ended: Ended::TimedOut, .. } => ErrorKind::TimedOut,
            Self::NotFound(_)
            | Self::NoProject(_)
            | Self::NoParent(_)
            | Self::NoBatch(_)
            | Self::NoOperation(_) => ErrorKind::NotFound,
            Self::PlanKeepsChanging { .. } => ErrorKind::Failed,
            Self::NotUndone { cause, .. } | Self::Stopped { cause, .. } => cause.kind(),
            Self::IdInTrash(_)
            | Self::IdInUse(_)
            | Self::RailPlacementUnavailable(_)
            | Self::RailPlacementConflict(_)
            | Self::NotRestorable(_)
            | Self::Detecting(_)
            | Self::NothingToResume(_)
            | Self::IncompleteHandle(_)
            | Self::Incomplete { .. }
            | Self::NotAdmitted
            | Self::BatchUnavailable
            | Self::Refused { .. } => ErrorKind::Refused,
        }
    }

    /// Whether the guard refused the plan, at whatever attempt (D3).
    pub fn is_not_admitted(&self) -> bool {
        match self {
            Self::NotAdmitted => true,
            Self::Stopped { cause, .. } => cause.is_not_admitted(),
            _ => false,
        }
    }

    /// Sessions whose runtimes were closed before it came to this.
    pub fn closed(&self) -> &[SessionId] {
        match self {
            Self::Stopped { closed, .. } => closed,
            _ => &[],
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Port(error) => error.hint.clone(),
            Self::NotUndone { cause, .. } | Self::Stopped { cause, .. } => cause.hint(),
            Self::Usage { hint, .. } | Self::Refused { hint, .. } => hint.clone(),
            Self::IdInTrash(id) => Some(format!("bring it back with: callboard restore {id}")),
            Self::IdInUse(id) => {
                Some(format!("if it ended, launch it again with: callboard restore {id}"))
            }
            Self::NoProject(_) => Some("callboard project list shows the names".to_owned()),
            Self::NoOperation(_) => Some("callboard ops lists them".to_owned()),
            Self::NotRestorable(id) | Self::Detecting(id) => {
                Some(format!("stop it first with: callboard stop {id}"))
            }
            _ => None,
        }
    }
}

fn join(ids: &[SessionId]) -> String {
    ids.iter().map(SessionId::as_str).collect::<Vec<_>>().join(", ")
}

/// Result of a coordinator.
pub type HostResult<T> = Result<T, HostError>;
