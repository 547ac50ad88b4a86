//! Agent definitions as a port.

use std::time::Duration;

use tokio::process::Command;

use crate::agents::Registry;
use crate::domain::agent::AnswerWay;
use crate::domain::launch::ForkOf;
use crate::domain::session::LaunchFacts;
use crate::domain::text::{clean_line, cut};
use crate::host::ports::{AgentPort, CallerLimits, LaunchPlan, PortResult};
use crate::os::command;

use super::Real;

/// How long a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(5);
/// Bytes that are read of what it says.
const VERSION_BYTES: usize = 4_096;
/// Cells of a version that are told.
const VERSION_CELLS: usize = 40;

/// The first line that the program of an agent prints when asked for its version.
pub async fn version(registry: &Registry, name: &str) -> Option<String> {
    let (program, arguments) = registry.version_command(name)?;
    let mut asked = Command::new(program);
    asked.args(arguments);
    let said =
        tokio::time::timeout(VERSION_LIMIT, command::run(asked, VERSION_BYTES)).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&said.stdout);
    let line = text.lines().map(clean_line).find(|line| !line.is_empty())?;
    Some(cut(&line, VERSION_CELLS, "…"))
}

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
