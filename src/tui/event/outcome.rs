//! How what was asked for ended.

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::rail::Project;
use crate::host::report::{
    CreateOutcome, DeleteReport, PurgeReport, RestoreReport, SendResult, StopReport,
};

use super::Failure;

/// How an effect ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A session was created, or parked.
    Created(CreateOutcome),
    /// A create left nothing behind.
    NotCreated(Failure),
    /// Sessions were deleted.
    Deleted(DeleteReport),
    /// Sessions were restored or launched.
    Restored {
        /// It undid a batch.
        undo: bool,
        /// What it came to.
        report: RestoreReport,
    },
    /// Sessions were stopped.
    Stopped(StopReport),
    /// Sessions were killed.
    Killed(StopReport),
    /// Sessions were purged.
    Purged(PurgeReport),
    /// A stuck or interrupted operation was dealt with.
    Settled {
        /// Which.
        id: OperationId,
        /// How.
        how: Settled,
    },
    /// The operator cancelled it before it was done.
    Cancelled {
        /// The sentence before the reason: `3 sessions were not deleted`.
        what: String,
        /// What was done by then.
        failure: Failure,
    },
    /// A text or an answer was sent.
    Sent(Vec<SendResult>),
    /// A folder was registered.
    ProjectAdded(Project),
    /// A filter is saved under this name.
    FilterSaved(String),
    /// Done, and nothing to say.
    Quiet,
    /// Pins are as they were.
    NotPinned {
        /// Of which sessions.
        ids: Vec<SessionId>,
        /// They were to be pinned; else, to be so no longer.
        pinned: bool,
        /// The sentence before the reason.
        what: String,
        /// Why.
        failure: Failure,
    },
    /// It failed.
    Failed {
        /// The sentence before the reason: `shop-3 was not renamed`.
        what: String,
        /// Why.
        failure: Failure,
    },
}

/// What became of a stuck or interrupted operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It was finished or undone.
    Resumed,
    /// What it did is taken back.
    Undone,
    /// Part of it failed again.
    StillStuck,
    /// It is left as it is.
    Abandoned,
}
