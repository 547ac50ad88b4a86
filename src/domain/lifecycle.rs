//! States of a session and why one ended (`spec/lifecycle.md` S2).

use serde::{Deserialize, Serialize};

use super::time::Timestamp;
use super::words::words;

words! {
    /// The stored state of a session.
    State {
        /// Created or launched again, no fact of this generation yet.
        NotStarted = "not_started",
        /// The agent works.
        Working = "working",
        /// The agent waits for a prompt.
        Idle = "idle",
        /// The agent waits for an answer.
        NeedsInput = "needs_input",
        /// Its condition could not be found out.
        Stuck = "stuck",
        /// Witnesses disagree; being found out.
        Detecting = "detecting",
        /// The operator declared the work complete.
        Done = "done",
        /// Ended.
        Terminated = "terminated",
    }
}

impl State {
    /// Whether no observation may change it any more.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Done | Self::Terminated)
    }
}

words! {
    /// Why a session was terminated.
    TerminationReason {
        /// Stopped or killed by the operator.
        ManuallyKilled = "manually_killed",
        /// Keeper and process are gone.
        RuntimeLost = "runtime_lost",
        /// The agent ended by itself.
        AgentProcessExited = "agent_process_exited",
        /// It could not be probed.
        ProbeFailure = "probe_failure",
        /// It could not be started.
        ErrorInProcess = "error_in_process",
        /// Reclaimed by cleanup.
        AutoCleanup = "auto_cleanup",
        /// Its pull request was merged.
        PrMerged = "pr_merged",
    }
}

/// What is remembered while witnesses disagree (`spec/lifecycle.md` A5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detecting {
    /// When it began.
    pub since: Timestamp,
    /// The last counted attempt.
    pub last_attempt: Timestamp,
    /// Attempts with equal evidence.
    pub attempts: u32,
    /// The evidence, times stripped.
    pub evidence: String,
}

/// The lifecycle part of a session row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// The state.
    pub state: State,
    /// Only with [`State::Terminated`].
    pub reason: Option<TerminationReason>,
    /// Whether a runtime is believed to run.
    pub alive: bool,
    /// Number of the newest launch; 0 before the first.
    pub generation: u32,
    /// Number of the newest published launch; facts below it are dropped (S5).
    pub published: u32,
    /// Only with [`State::Detecting`].
    pub detecting: Option<Detecting>,
}

impl Lifecycle {
    /// Before the first launch.
    pub fn new() -> Self {
        Self {
            state: State::NotStarted,
            reason: None,
            alive: false,
            generation: 0,
            published: 0,
            detecting: None,
        }
    }

    /// Whether the newest launch is published and not at an end (C4).
    pub fn is_live(&self) -> bool {
        self.alive && self.published == self.generation && !self.state.is_terminal()
    }
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self::new()
    }
}
