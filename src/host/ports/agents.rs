//! Agent definitions as a port.

use crate::domain::agent::AnswerWay;
use crate::domain::session::LaunchFacts;

use super::PortResult;

/// How to launch an agent, worked out by its definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Variables to set.
    pub env: Vec<(String, String)>,
    /// Variables to drop from the operator's environment.
    pub env_drop: Vec<String>,
    /// Whether the prompt is in the arguments; else it is typed after publish.
    pub prompt_in_argv: bool,
    /// The agent's own id of the conversation, where it is set by us.
    pub agent_session_id: Option<String>,
    /// How it comes back (B3).
    pub how: LaunchedHow,
}

/// How a session was launched (B3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchedHow {
    /// Its conversation was resumed.
    Resumed,
    /// Its prompt was given again.
    PromptAgain,
    /// Without conversation or prompt.
    Fresh,
}

impl LaunchedHow {
    /// The words for it, behind the id of the session.
    pub fn words(self) -> &'static str {
        match self {
            Self::Resumed => "resumed its conversation",
            Self::PromptAgain => "was given its prompt again",
            Self::Fresh => "started fresh",
        }
    }
}

/// How far agents go that call the command line (K7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallerLimits {
    /// As far as the operator.
    pub everything: bool,
    /// How many sessions that they spawned may run.
    pub max_live: usize,
}

/// Agent definitions.
pub trait AgentPort: Send + Sync + 'static {
    /// Checks that the agent is known and its program found (C1).
    fn check_agent(&self, launch: &LaunchFacts) -> PortResult<()>;
    /// How a permission of the agent is answered (K6).
    fn answer_way(&self, agent: &str) -> AnswerWay;
    /// How far agents go as callers.
    fn caller_limits(&self) -> CallerLimits;
    /// Whether the agent has a way to resume a conversation (B1).
    fn can_resume(&self, agent: &str) -> bool;
    /// Works out how to launch; `resume` asks for the conversation of `launch`.
    fn plan_launch(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        resume: bool,
    ) -> PortResult<LaunchPlan>;
}
