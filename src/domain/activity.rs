//! What an agent does now (`spec/lifecycle.md` A1, `spec/agents.md` G5).

use serde::{Deserialize, Serialize};

use super::lifecycle::State;
use super::time::Timestamp;
use super::words::words;

words! {
    /// What the agent does now. An observation, never the truth.
    Activity {
        /// It works.
        Active = "active",
        /// It finished and waits for the next prompt.
        Idle = "idle",
        /// It asks for a permission.
        Blocked = "blocked",
        /// It asks a question or shows a dialog.
        WaitingInput = "waiting_input",
        /// It waits for a service that refuses for now.
        Retrying = "retrying",
        /// It reported an error.
        Error = "error",
        /// It says that it ended; only a probe concludes death.
        Exited = "exited",
        /// No witness knows.
        Unknown = "unknown",
    }
}

impl Activity {
    /// Whether the agent is at work, so that its start counts as a turn.
    pub fn is_working(self) -> bool {
        matches!(self, Self::Active | Self::Retrying)
    }

    /// Rule A1: the state that follows. `exited` alone concludes nothing: the probe does.
    pub fn state(self) -> State {
        match self {
            Self::Active | Self::Retrying | Self::Unknown | Self::Exited => State::Working,
            Self::Idle => State::Idle,
            Self::WaitingInput | Self::Blocked | Self::Error => State::NeedsInput,
        }
    }

    /// Whether the agent waits for the operator.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Blocked | Self::WaitingInput)
    }
}

/// An activity with its start and its witness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityFact {
    /// The verdict.
    pub value: Activity,
    /// Since when it holds.
    pub since: Timestamp,
    /// Who said so, with the rule and the text that matched: `osc7501`, `title`, `screen: claude.permission`.
    pub witness: String,
}

impl ActivityFact {
    /// Nothing known yet.
    pub fn unknown(since: Timestamp) -> Self {
        Self { value: Activity::Unknown, since, witness: String::new() }
    }
}

/// A question that the agent shows (`spec/lifecycle.md` K6).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Question {
    /// Hash of text and options; an answer names it.
    pub id: String,
    /// `permission`, `question`, `trust`, `auth` or `dialog`.
    pub kind: String,
    /// What is asked, one line.
    pub text: String,
    /// The choices in order, where they can be read.
    pub options: Vec<String>,
    /// Which of them is selected, from 0, where an answer is walked to; not part of the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// Whether only the agent's own keys answer it, as its options cannot be pressed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unnumbered: bool,
}
