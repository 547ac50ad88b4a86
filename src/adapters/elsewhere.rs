//! Agents that run elsewhere (`spec/agents.md` U1): what starts them, and the end of what was left there.

use std::time::Duration;

use tokio::process::Command;

use crate::agents;
use crate::domain::ids::SessionId;
use crate::host::ports::{PortResult, StartRequest};
use crate::os::{command, spawn, variables};

use super::Real;

/// How long what a launch left may take to end; less than closing may.
const END_LIMIT: Duration = Duration::from_secs(6);

impl Real {
    /// Program and arguments of the agent where it runs, and those that end it there
    /// (`spec/agents.md` U1).
    pub(super) fn argv(
        &self,
        request: &StartRequest,
        env: &[(String, String)],
    ) -> PortResult<(Vec<String>, Vec<String>)> {
        let Some(target) = &request.plan.elsewhere else {
            return Ok((request.plan.argv.clone(), Vec::new()));
        };
        let name = self.launch_name(&request.id, request.generation);
        let user = own();
        let launch = agents::Launching {
            argv: &request.plan.argv,
            env,
            set: &request.plan.env,
            folder: &request.folder,
            name: &name,
            user,
        };
        Ok((self.agents.start(target, &launch)?, self.agents.end(target, &name, user)?))
    }

    fn launch_name(&self, id: &SessionId, generation: u32) -> String {
        let workspace = self.store.workspace().as_str();
        agents::launch_name(&self.home.database(), workspace, id.as_str(), generation)
    }

    /// Ends what a launch left where its target runs, if anything.
    pub(super) async fn end_launch(&self, target: &str, id: &SessionId, generation: u32) {
        let name = self.launch_name(id, generation);
        let Ok(words) = self.agents.end(target, &name, own()) else { return };
        let Some((program, arguments)) = words.split_first() else { return };
        let mut ending = Command::new(program);
        ending.args(arguments).env_remove(variables::TOKEN);
        if let Some(target) = self.config.targets.get(target) {
            ending.envs(&target.env);
        }
        // It may be gone, or out of reach: then so is a new launch, which says why.
        let _ = tokio::time::timeout(END_LIMIT, command::run(ending, 0)).await;
    }
}

/// User and group of this process.
fn own() -> (u32, u32) {
    (spawn::own_user(), spawn::own_group())
}
