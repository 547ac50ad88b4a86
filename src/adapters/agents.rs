//! Agent definitions as a port.

use crate::domain::session::LaunchFacts;
use crate::host::ports::{AgentPort, LaunchPlan, PortResult};

use super::Real;

impl<R: Send + Sync + 'static> AgentPort for Real<R> {
    fn check_agent(&self, launch: &LaunchFacts) -> PortResult<()> {
        Ok(self.agents.check_agent(launch)?)
    }

    fn can_resume(&self, agent: &str) -> bool {
        self.agents.can_resume(agent)
    }

    fn plan_launch(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        resume: bool,
    ) -> PortResult<LaunchPlan> {
        Ok(self.agents.plan_launch(launch, prompt, resume)?)
    }
}
