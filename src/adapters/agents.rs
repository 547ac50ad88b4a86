//! Agent definitions as a port.

use crate::domain::agent::AnswerWay;
use crate::domain::launch::ForkOf;
use crate::domain::session::LaunchFacts;
use crate::host::ports::{AgentPort, CallerLimits, LaunchPlan, PortResult};

use super::Real;

impl<R: Send + Sync + 'static> AgentPort for Real<R> {
    fn check_agent(&self, launch: &LaunchFacts) -> PortResult<()> {
        Ok(self.agents.check_agent(launch)?)
    }

    fn answer_way(&self, agent: &str) -> AnswerWay {
        self.agents.answer_way(agent)
    }

    fn caller_limits(&self) -> CallerLimits {
        CallerLimits {
            everything: self.config.agents_may_everything,
            max_live: usize::try_from(self.config.max_live).unwrap_or(usize::MAX),
        }
    }

    fn can_resume(&self, agent: &str) -> bool {
        self.agents.can_resume(agent)
    }

    fn can_fork(&self, agent: &str) -> bool {
        self.agents.can_fork(agent)
    }

    fn plan_fork(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        of: &ForkOf,
    ) -> PortResult<LaunchPlan> {
        Ok(self.agents.plan_fork(launch, prompt, of)?)
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
