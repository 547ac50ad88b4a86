//! Agent definitions as a port.

use crate::agents;
use crate::domain::agent::AnswerWay;
use crate::domain::session::LaunchFacts;
use crate::host::ports::{AgentPort, CallerLimits, LaunchPlan, LaunchedHow, PortResult};

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

    fn plan_launch(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        resume: bool,
    ) -> PortResult<LaunchPlan> {
        let plan = self.agents.plan_launch(launch, prompt, resume)?;
        Ok(LaunchPlan {
            argv: plan.argv,
            env: plan.env,
            env_drop: plan.env_drop,
            prompt_in_argv: plan.prompt_in_argv,
            agent_session_id: plan.agent_session_id,
            how: match plan.how {
                agents::LaunchedHow::Resumed => LaunchedHow::Resumed,
                agents::LaunchedHow::PromptAgain => LaunchedHow::PromptAgain,
                agents::LaunchedHow::Fresh => LaunchedHow::Fresh,
            },
        })
    }
}
