//! Agent definitions as a port.

use crate::domain::agent::AnswerWay;
use crate::domain::launch::{ForkOf, LaunchPlan};
use crate::domain::session::LaunchFacts;

use super::PortResult;

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
    /// Whether the agent has a way to go on with a conversation in one of its own.
    fn can_fork(&self, agent: &str) -> bool;
    /// Works out how to launch a session that goes on with another one's conversation.
    fn plan_fork(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        of: &ForkOf,
    ) -> PortResult<LaunchPlan>;
    /// Works out how to launch; `resume` asks for the conversation of `launch`.
    fn plan_launch(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        resume: bool,
    ) -> PortResult<LaunchPlan>;
}
