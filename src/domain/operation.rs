//! Operations: journalled runs of coordinators (`spec/lifecycle.md` section 10).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{OperationId, SessionId};
use super::lifecycle::TerminationReason;
use super::plan::Conditions;
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// What was asked for; none where an older callboard began it. Not printed.
    #[serde(skip)]
    pub asked: Option<Asked>,
}

/// What an operation was asked for beside its sessions: enough to go on with it in another process.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// Who asked, as in the audit.
    pub by: String,
    /// Sessions that were not asked for but pulled in by others (D2).
    pub pulled_in: Vec<SessionId>,
    /// Conditions of the request (D5).
    pub conditions: Conditions,
    /// Runtimes without a row are ended too (D7).
    pub with_rowless: bool,
    /// The work is declared complete (K1).
    pub done: bool,
    /// Why its sessions end; none by hand.
    pub reason: Option<TerminationReason>,
}

impl Operation {
    /// Why the sessions that it ends are terminated.
    pub fn reason(&self) -> TerminationReason {
        let asked = self.asked.as_ref().and_then(|asked| asked.reason);
        asked.unwrap_or(TerminationReason::ManuallyKilled)
    }

    /// Its sessions without those that were pulled in.
    pub fn requested(&self) -> BTreeSet<SessionId> {
        let pulled_in: BTreeSet<&SessionId> =
            self.asked.iter().flat_map(|asked| &asked.pulled_in).collect();
        self.session_ids.iter().filter(|id| !pulled_in.contains(id)).cloned().collect()
    }

    /// Sessions whose results say `state`.
    pub fn in_state(&self, state: &str) -> BTreeSet<SessionId> {
        let those = self.results.iter().filter(|result| result.state == state);
        those.map(|result| result.id.clone()).collect()
    }
}

/// What became of one session in an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepResult {
    /// The session.
    pub id: SessionId,
    /// `closed`, `deleted`, `moved`, `skipped`, `failed` ...
    pub state: String,
    /// Why.
    pub detail: Option<String>,
}
