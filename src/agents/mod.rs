//! Agent definitions as data, and how to launch and resume each (`spec/agents.md` G1 to G4).
//! Starts no process.

mod definition;
mod error;
mod files;
mod hooks;
mod install;
mod launch;
mod lookup;
mod runner;

#[cfg(test)]
mod install_tests;
#[cfg(test)]
mod launch_tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub use definition::{Conversation, Definition, Dialog, Environment, Launch};
pub use error::AgentError;
pub use hooks::{HookEvent, Hooks};
pub use install::{Install, place};
pub use launch::bring;
pub use lookup::Lookup;
pub use runner::{Elsewhere, Launching, elsewhere, launch_name};

use crate::config::{Config, Mistake, Runner, Target};
use crate::domain::agent::{AnswerWay, Rules, StopWay, SubmitRule};
use crate::domain::session::LaunchFacts;
use crate::os::paths::Home;

/// Every agent that is known, and the targets that are configured.
#[derive(Debug, Clone)]
pub struct Registry {
    /// The operator's own.
    own: BTreeMap<String, Definition>,
    targets: BTreeMap<String, Target>,
    lookup: Lookup,
    /// Where files of ours are that agents load.
    folders: PathBuf,
}

/// What the hooks of one agent mean: read on its own, as a hook has no time for more.
pub fn hooks(home: &Home, agent: &str) -> Option<Hooks> {
    files::hooks(&home.config.join("agents"), agent)
}

impl Registry {
    /// The shipped definitions with the operator's own over them. A mistake in a file disables that
    /// file only (G1).
    pub fn load(home: &Home, config: &Config) -> (Self, Vec<Mistake>) {
        let (own, mistakes) = files::load(&home.config.join("agents"));
        let lookup = Lookup::from_env();
        let folders = home.state.join("hooks");
        (Self { own, targets: config.targets.clone(), lookup, folders }, mistakes)
    }

    /// The same registry that looks for programs elsewhere.
    pub fn with_lookup(self, lookup: Lookup) -> Self {
        Self { lookup, ..self }
    }

    /// The definition of an agent.
    pub fn find(&self, agent: &str) -> Option<&Definition> {
        self.own.get(agent).or_else(|| files::shipped(agent))
    }

    /// Names of the agents that are offered, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut all: BTreeSet<&str> = self.own.keys().map(String::as_str).collect();
        all.extend(files::shipped_names().map(|name| -> &str { name }));
        let hidden = |name: &str| self.find(name).is_none_or(|definition| definition.hidden);
        all.into_iter().filter(|name| !hidden(name)).collect()
    }

    /// Names of the targets that are configured, in order; every agent is also a target.
    pub fn targets(&self) -> Vec<&str> {
        self.targets.keys().map(String::as_str).collect()
    }

    /// The agent that a target launches; none where neither target nor agent has this name.
    pub fn agent_of<'a>(&'a self, target: &'a str) -> Option<&'a str> {
        match self.targets.get(target) {
            Some(found) => Some(&found.agent),
            None => self.find(target).map(|_| target),
        }
    }

    /// What the runner of a target means for its agent; none for one that runs here (U1).
    pub fn elsewhere(&self, target: &str) -> Option<Elsewhere> {
        runner::elsewhere(self.targets.get(target)?)
    }

    /// Checks that sessions can be launched by a target, as far as it can be told without one.
    ///
    /// # Errors
    /// Its agent is unknown or does not offer what it asks for, or what it starts is not found.
    pub fn check_target(&self, target: &str) -> Result<(), AgentError> {
        let agent = self.agent_of(target).unwrap_or(target).to_owned();
        let launch = LaunchFacts { agent, target: target.to_owned(), ..LaunchFacts::default() };
        match self.check_agent(&launch) {
            // A session names it.
            Err(AgentError::NoProgram(_)) => Ok(()),
            checked => checked,
        }
    }

    /// Whether a target's agent can be started: its own program here, or that of its runner.
    pub fn is_found(&self, target: &str) -> bool {
        let Some(found) = self.targets.get(target) else { return self.program(target).is_ok() };
        match runner::program(&found.runner) {
            Some(program) => self.lookup.runner(target, program).is_ok(),
            None => {
                self.find(&found.agent).is_some_and(Definition::is_named_by_session)
                    || self.program(&found.agent).is_ok()
            }
        }
    }

    /// Program and arguments that start a launch where its target says (U1).
    ///
    /// # Errors
    /// The program of the target's runner is not installed.
    pub fn start(&self, target: &str, launch: &Launching<'_>) -> Result<Vec<String>, AgentError> {
        match self.runner_of(target)? {
            Some((runner, program)) => Ok(runner::start(runner, &program, launch)),
            None => Ok(launch.argv.to_vec()),
        }
    }

    /// Program and arguments that end elsewhere what a launch of this name left; empty where the end of the
    /// local program is enough (U1).
    ///
    /// # Errors
    /// As [`Registry::start`].
    pub fn end(
        &self,
        target: &str,
        name: &str,
        user: (u32, u32),
    ) -> Result<Vec<String>, AgentError> {
        let found = self.runner_of(target)?;
        Ok(found
            .map(|(runner, program)| runner::end(runner, &program, name, user))
            .unwrap_or_default())
    }

    /// The runner of a target and the path of its program.
    fn runner_of(&self, target: &str) -> Result<Option<(&Runner, String)>, AgentError> {
        let Some(found) = self.targets.get(target) else { return Ok(None) };
        let Some(program) = runner::program(&found.runner) else { return Ok(None) };
        Ok(Some((&found.runner, self.lookup.runner(target, program)?)))
    }

    /// Where the program of an agent is.
    ///
    /// # Errors
    /// The agent is unknown, or its program is not found.
    pub fn program(&self, agent: &str) -> Result<PathBuf, AgentError> {
        self.lookup.program(agent, &self.known(agent)?.program)
    }

    /// Program and arguments that print an agent's version; none where there is no way.
    pub fn version_command(&self, agent: &str) -> Option<(PathBuf, Vec<String>)> {
        let arguments = &self.find(agent)?.version;
        if arguments.is_empty() {
            return None;
        }
        Some((self.program(agent).ok()?, arguments.clone()))
    }

    /// Checks that the agent is known and its program found (`spec/lifecycle.md` C1).
    ///
    /// # Errors
    /// It is not.
    pub fn check_agent(&self, launch: &LaunchFacts) -> Result<(), AgentError> {
        self.plan_launch(launch, None, false).map(|_| ())
    }

    /// Whether an agent has a way to resume a conversation (B1).
    pub fn can_resume(&self, agent: &str) -> bool {
        self.find(agent).is_some_and(|definition| !definition.launch.resume.is_empty())
    }

    /// Whether an agent has a way to go on with a conversation in one of its own.
    pub fn can_fork(&self, agent: &str) -> bool {
        self.find(agent).is_some_and(|definition| !definition.launch.fork.is_empty())
    }

    /// Detection rules of an agent; an unknown one has none.
    pub fn rules(&self, agent: &str) -> Rules {
        self.find(agent).map(|definition| definition.rules.clone()).unwrap_or_default()
    }

    /// Whether an agent looks at rest before it begins with a prompt that went along.
    pub fn rests_first(&self, agent: &str) -> bool {
        self.find(agent).is_some_and(|definition| definition.launch.rests_first)
    }

    /// How an agent is asked to end.
    pub fn stop_way(&self, agent: &str) -> StopWay {
        self.find(agent).map(|definition| definition.stop.clone()).unwrap_or_default()
    }

    /// What an agent prints at its end, with its own id of the conversation as the first group.
    pub fn exit_text(&self, agent: &str) -> String {
        let definition = self.find(agent);
        definition.map(|definition| definition.conversation.exit_text.clone()).unwrap_or_default()
    }

    /// How a permission of an agent is answered.
    pub fn answer_way(&self, agent: &str) -> AnswerWay {
        self.find(agent).map(|definition| definition.answer.clone()).unwrap_or_default()
    }

    /// How text is submitted to an agent.
    pub fn submit(&self, agent: &str) -> SubmitRule {
        self.find(agent).map(|definition| definition.submit.clone()).unwrap_or_default()
    }

    fn known(&self, agent: &str) -> Result<&Definition, AgentError> {
        self.find(agent).ok_or_else(|| {
            let mut known = self.names().join(", ");
            if !self.targets.is_empty() {
                known = format!("{known}; targets are {}", self.targets().join(", "));
            }
            AgentError::Unknown { agent: agent.to_owned(), known }
        })
    }
}
