//! From a definition and a session to program and arguments; never a shell line (G4).

use super::lookup::ARGUMENTS;
use super::{AgentError, Definition, Registry};
use crate::config::Target;
use crate::domain::launch::{LaunchPlan, LaunchedHow};
use crate::domain::session::LaunchFacts;
use crate::os::random;

/// Longest prompt, bytes (G4).
pub(super) const PROMPT_LIMIT: usize = 1 << 20;

/// Longest prompt given as an argument, bytes: what Linux takes as one argument, with room for the
/// rest of its word. A longer one is typed.
const ARGUMENT_LIMIT: usize = 127 << 10;

impl Registry {
    /// Works out how to launch; `resume` asks for the conversation of `launch`, where there is one
    /// and the agent has a way to resume it.
    ///
    /// # Errors
    /// The agent is unknown or not installed, or cannot be given what is asked for.
    pub fn plan_launch(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        resume: bool,
    ) -> Result<LaunchPlan, AgentError> {
        let definition = self.known(&launch.agent)?;
        let none = Target::default();
        let target =
            self.targets.get(&launch.target).filter(|it| it.agent == launch.agent).unwrap_or(&none);
        let prompt = prompt.filter(|prompt| !prompt.is_empty());
        check_prompt(prompt)?;
        let resumed = launch
            .agent_session_id
            .as_deref()
            .filter(|_| resume && !definition.launch.resume.is_empty());
        let set = (resumed.is_none() && !definition.launch.session_id.is_empty())
            .then(random::conversation);
        let given = prompt.and_then(|prompt| prompt_words(definition, prompt));

        let mut argv = self.program_words(definition, launch, target)?;
        let session = conversation_words(definition, resumed, set.as_deref());
        let subcommand =
            resumed.is_some() && !session.first().is_some_and(|word| word.starts_with('-'));
        let at = if subcommand { 1 } else { argv.len() };
        argv.splice(at..at, session);
        let model = launch.model.as_deref().or(target.model.as_deref());
        let mode = launch.permission_mode.as_deref().or(target.permission_mode.as_deref());
        argv.extend(chosen(definition, "model", &definition.launch.model, model)?);
        argv.extend(chosen(
            definition,
            "permission mode",
            &definition.launch.permission_mode,
            mode,
        )?);
        argv.extend(given.clone().unwrap_or_default());
        if argv.iter().any(|word| word.contains('\0')) {
            return Err(AgentError::Nul("arguments"));
        }

        let env = definition.env.set.iter().chain(&target.env);
        Ok(LaunchPlan {
            argv,
            env: env.map(|(name, value)| (name.clone(), value.clone())).collect(),
            env_drop: definition.env.drop.clone(),
            prompt_in_argv: given.is_some(),
            how: match (resumed, prompt) {
                (Some(_), _) => LaunchedHow::Resumed,
                (None, Some(_)) => LaunchedHow::PromptAgain,
                (None, None) => LaunchedHow::Fresh,
            },
            agent_session_id: set.or_else(|| resumed.map(str::to_owned)),
        })
    }

    /// Program, the definition's arguments, the target's, the session's.
    fn program_words(
        &self,
        definition: &Definition,
        launch: &LaunchFacts,
        target: &Target,
    ) -> Result<Vec<String>, AgentError> {
        let mut words: Vec<String> = definition.launch.args.clone();
        words.extend(target.args.iter().chain(&launch.args).cloned());
        let program = if definition.program == ARGUMENTS {
            if words.is_empty() {
                return Err(AgentError::NoProgram(launch.agent.clone()));
            }
            let named = words.remove(0);
            if named.contains('/') && !named.starts_with('/') {
                // Relative to the folder that the session will run in: only there it can be found.
                words.insert(0, named);
                return Ok(words);
            }
            self.lookup.program(&launch.agent, &named)?
        } else {
            self.lookup.program(&launch.agent, &definition.program)?
        };
        let program = program.into_os_string().into_string().map_err(|path| {
            AgentError::PathNotText { agent: launch.agent.clone(), path: path.into() }
        })?;
        words.insert(0, program);
        Ok(words)
    }
}

fn check_prompt(prompt: Option<&str>) -> Result<(), AgentError> {
    match prompt {
        Some(prompt) if prompt.len() > PROMPT_LIMIT => {
            Err(AgentError::PromptTooLong { bytes: prompt.len() })
        }
        Some(prompt) if prompt.contains('\0') => Err(AgentError::Nul("prompt")),
        _ => Ok(()),
    }
}

/// The words that give the prompt; none where it must be typed.
fn prompt_words(definition: &Definition, prompt: &str) -> Option<Vec<String>> {
    let template = if prompt.starts_with('-') {
        &definition.launch.dash_prompt
    } else {
        &definition.launch.prompt
    };
    (!template.is_empty() && prompt.len() <= ARGUMENT_LIMIT)
        .then(|| expand(template, "{prompt}", prompt))
}

fn conversation_words(
    definition: &Definition,
    resumed: Option<&str>,
    set: Option<&str>,
) -> Vec<String> {
    match (resumed, set) {
        (Some(id), _) => expand(&definition.launch.resume, "{session_id}", id),
        (None, Some(id)) => expand(&definition.launch.session_id, "{session_id}", id),
        (None, None) => Vec::new(),
    }
}

fn chosen(
    definition: &Definition,
    what: &'static str,
    template: &[String],
    value: Option<&str>,
) -> Result<Vec<String>, AgentError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(Vec::new());
    };
    if template.is_empty() {
        return Err(AgentError::NotOffered { agent: definition.title.clone(), what });
    }
    Ok(expand(template, &format!("{{{}}}", what.replace(' ', "_")), value))
}

fn expand(template: &[String], place: &str, value: &str) -> Vec<String> {
    template.iter().map(|word| word.replace(place, value)).collect()
}
