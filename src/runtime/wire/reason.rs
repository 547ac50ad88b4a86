//! Why a keeper does not do what it is asked for.

use serde::{Deserialize, Serialize};

/// Why a request was refused; nothing of it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Meant for another session or launch.
    OtherLaunch,
    /// The agent's process has exited: a text would reach nobody (K5).
    Exited,
    /// A question is shown (K5).
    QuestionShown,
    /// The keeper is ending the agent.
    Stopping,
    /// The agent does not read; what waits for it is at the limit.
    Full,
    /// A text or message is longer than what is taken at a time.
    TooLong,
    /// An argument is not legal.
    Illegal,
    /// The system refused.
    System,
    /// A reason of a newer keeper.
    #[serde(other)]
    Other,
}

impl Reason {
    /// The reason as a sentence for the operator.
    pub fn text(self) -> &'static str {
        match self {
            Self::OtherLaunch => "this keeper runs another session or launch",
            Self::Exited => "the agent has exited",
            Self::QuestionShown => "the agent shows a question; answer it first",
            Self::Stopping => "the agent is being stopped",
            Self::Full => "the agent does not read what is typed",
            Self::TooLong => "a text longer than 1 MiB cannot be typed at a time",
            Self::Illegal => "an argument is not legal",
            Self::System | Self::Other => "the system refuses",
        }
    }
}
