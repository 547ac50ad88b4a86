//! Operations: journalled runs of coordinators (`spec/lifecycle.md` section 10).

use serde::{Deserialize, Serialize};

use super::ids::{OperationId, SessionId};
use super::time::Timestamp;
use super::words::words;

words! {
    /// The verb of an operation.
    Verb {
        /// Create a session.
        Create = "create",
        /// Delete sessions.
        Delete = "delete",
        /// Bring back from the trash.
        Restore = "restore",
        /// Launch a terminated session again.
        Launch = "launch",
        /// End a runtime.
        Stop = "stop",
        /// End a runtime and give back its worktree.
        Kill = "kill",
        /// Give back worktrees of ended sessions.
        Cleanup = "cleanup",
        /// Remove for good.
        Purge = "purge",
        /// Type into an agent.
        Send = "send",
    }
}

words! {
    /// How far an operation is.
    OperationState {
        /// Under way; unfinished where its lock is free.
        Running = "running",
        /// Everything was done.
        Done = "done",
        /// Part of it was done.
        Partly = "partly_done",
        /// It failed and was undone.
        Failed = "failed",
        /// The operator ended it before it acted.
        Cancelled = "cancelled",
        /// It can be neither finished nor undone; the operator chooses.
        Stuck = "stuck",
    }
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Its id; also the batch of a delete.
    pub id: OperationId,
    /// What it does.
    pub kind: Verb,
    /// How far it is.
    pub state: OperationState,
    /// The step it is in.
    pub step: Option<String>,
    /// Begin.
    pub started_at: Timestamp,
    /// End.
    pub ended_at: Option<Timestamp>,
    /// The sessions it touches.
    pub session_ids: Vec<SessionId>,
    /// Results of single sessions.
    pub results: Vec<StepResult>,
    /// Why it failed.
    pub error: Option<String>,
}

/// What became of one session in an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepResult {
    /// The session.
    pub id: SessionId,
    /// `closed`, `deleted`, `moved`, `skipped`, `failed` ...
    pub state: String,
    /// Why.
    pub detail: Option<String>,
}
