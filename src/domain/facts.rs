//! What keepers, hooks and probes observe of one launch of a session.

use serde::{Deserialize, Serialize};

use super::activity::{ActivityFact, Question};
use super::time::Timestamp;

/// How the agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitFacts {
    /// Exit code, where it ended by itself.
    pub code: Option<i32>,
    /// Signal number, where a signal ended it.
    pub signal: Option<i32>,
    /// When.
    pub at: Timestamp,
    /// Its last words: first output of a child that died at once, else empty (`spec/runtime.md` X5).
    pub output: String,
}

impl ExitFacts {
    /// How an agent that died at once did so; none for a good or a later end
    /// (`spec/runtime.md` X5).
    pub fn last_words(&self) -> Option<String> {
        let how = match (self.code, self.signal) {
            (Some(0), _) => return None,
            (Some(code), _) => format!("with code {code}"),
            (None, Some(signal)) => format!("by signal {signal}"),
            (None, None) => "for an unknown reason".to_owned(),
        };
        (!self.output.is_empty()).then(|| format!("ended at once {how}: {}", self.output))
    }
}

/// One facts row: everything a keeper knows of its session, replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Launch the facts belong to; older ones are ignored (S5).
    pub generation: u32,
    /// Grows with each write of one generation; an older one never replaces a newer (W5).
    pub sequence: u64,
    /// The verdict about the agent.
    pub activity: ActivityFact,
    /// The question on its screen.
    pub question: Option<Question>,
    /// Title that the program set, cleaned.
    pub title: Option<String>,
    /// Last output of the program, or any other sign of life.
    pub last_sign_at: Timestamp,
    /// Id of the keeper's process.
    pub keeper_pid: u32,
    /// Id of the agent's process.
    pub pid: u32,
    /// When the agent's process was started.
    pub started_at: Timestamp,
    /// Set once the agent's process ended.
    pub exit: Option<ExitFacts>,
}
