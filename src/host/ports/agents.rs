//! Agent definitions as a port.

use crate::domain::launch::LaunchPlan;
use crate::domain::session::LaunchFacts;

use super::PortResult;

/// Agent definitions.
pub trait AgentPort: Send + Sync + 'static {
    /// Checks that the agent is known and its program found (C1).
    fn check_agent(&self, launch: &LaunchFacts) -> PortResult<()>;
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
