//! From a definition and a session to program and arguments; never a shell line (G4).

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::install::Called;
use super::{AgentError, Conversation, Definition, Registry, runner};
use crate::config::{Runner, Target};
use crate::domain::hook::HookPlan;
use crate::domain::launch::{Carry, ForkOf, LaunchPlan, LaunchedHow};
use crate::domain::session::LaunchFacts;
use crate::os::random;

/// Longest prompt, bytes (G4).
pub(super) const PROMPT_LIMIT: usize = 1 << 20;

/// Longest prompt given as an argument, bytes: what Linux takes as one argument, with room for the
/// rest of its word. A longer one is typed.
const ARGUMENT_LIMIT: usize = 127 << 10;

/// The same where all words go as one, quoted.
const LINE_LIMIT: usize = ARGUMENT_LIMIT - (16 << 10);

/// How a conversation begins.
#[derive(Debug, Clone, Copy)]
enum Begin<'a> {
    New,
    Resume(&'a str),
    Fork(&'a str),
}

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
        let known = launch.agent_session_id.as_deref();
        let resumed = known.filter(|_| resume && !definition.launch.resume.is_empty());
        let begin = resumed.map_or(Begin::New, Begin::Resume);
        self.plan(definition, launch, prompt, begin)
    }

    /// Works out how to launch a session that goes on with another one's conversation.
    ///
    /// # Errors
    /// As [`Registry::plan_launch`]; or the agent cannot fork, or has not stored the conversation.
    pub fn plan_fork(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        of: &ForkOf,
    ) -> Result<LaunchPlan, AgentError> {
        let definition = self.known(&launch.agent)?;
        if definition.launch.fork.is_empty() {
            let agent = definition.title.clone();
            return Err(AgentError::NotOffered { agent, what: "fork" });
        }
        let plan = self.plan(definition, launch, prompt, Begin::Fork(&of.conversation))?;
        if let Some(target) = plan.elsewhere.clone().filter(|_| definition.conversation.by_folder) {
            return Err(AgentError::ForkElsewhere { agent: definition.title.clone(), target });
        }
        let carry = carry(&definition.conversation, of, self.lookup.home.as_deref());
        if let Some(missing) = carry.as_ref().filter(|carry| !carry.from.is_file()) {
            let agent = definition.title.clone();
            return Err(AgentError::NotStored { agent, path: missing.from.clone() });
        }
        Ok(LaunchPlan { carry, ..plan })
    }

    fn plan(
        &self,
        definition: &Definition,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        begin: Begin<'_>,
    ) -> Result<LaunchPlan, AgentError> {
        let target = self.target(launch)?;
        let there = self.runner_of(&launch.target)?.map(|(runner, _)| runner);
        let prompt = prompt.filter(|prompt| !prompt.is_empty());
        check_prompt(prompt)?;
        let ways = &definition.launch;
        let takes_id = match begin {
            Begin::New => !ways.session_id.is_empty(),
            Begin::Resume(_) => false,
            Begin::Fork(_) => ways.fork.iter().any(|word| word.contains("{new_id}")),
        };
        let set = takes_id.then(random::conversation);
        let one_line = there.is_some_and(runner::is_one_line);
        let given = prompt
            .filter(|prompt| !one_line || runner::quote(prompt).len() <= LINE_LIMIT)
            .and_then(|prompt| prompt_words(definition, prompt));

        let mut argv = self.program_words(definition, launch, &target)?;
        let session = conversation_words(definition, begin, set.as_deref());
        let subcommand = !matches!(begin, Begin::New)
            && !session.first().is_some_and(|word| word.starts_with('-'));
        let at = if subcommand { 1 } else { argv.len() };
        argv.splice(at..at, session);
        let keeps_choices = ways.resume_alone && matches!(begin, Begin::Resume(_));
        if !keeps_choices {
            let model = launch.model.as_deref().or(target.model.as_deref());
            let mode = launch.permission_mode.as_deref().or(target.permission_mode.as_deref());
            argv.extend(chosen(definition, "model", &ways.model, model)?);
            argv.extend(permission_words(definition, mode)?);
        }
        // The prompt may be what ends the options.
        // What a hook calls is on this machine.
        let own = self.lookup.own.as_deref().filter(|_| there.is_none());
        let called = own.map(|program| Called {
            install: &definition.hooks.install,
            agent: &launch.agent,
            program,
            folders: &self.folders,
        });
        let operators = target.args.iter().chain(&launch.args);
        let env = &definition.env;
        let inherited = |name: &str| {
            let set = target.env.get(name).or_else(|| env.set.get(name)).cloned();
            let kept =
                || self.lookup.variable(name).filter(|_| !env.drop.iter().any(|it| it == name));
            set.or_else(kept)
        };
        let hooks = match &called {
            Some(called) => called.plan(operators, inherited),
            None if there.is_some() && definition.hooks.install.way().is_some() => {
                HookPlan::Off("its target runs it elsewhere".to_owned())
            }
            None => HookPlan::Nothing,
        };
        let called = called.as_ref().filter(|_| !matches!(hooks, HookPlan::Off(_)));
        argv.extend(called.into_iter().flat_map(Called::args));
        argv.extend(given.clone().unwrap_or_default());
        if argv.iter().any(|word| word.contains('\0')) {
            return Err(AgentError::Nul("arguments"));
        }

        let env = definition.env.set.iter().chain(&target.env);
        let env = env.map(|(name, value)| (name.clone(), value.clone()));
        Ok(LaunchPlan {
            argv,
            env: env.chain(called.into_iter().flat_map(Called::env)).collect(),
            env_drop: definition.env.drop.clone(),
            prompt_in_argv: given.is_some(),
            how: match (begin, prompt) {
                (Begin::Resume(_) | Begin::Fork(_), _) => LaunchedHow::Resumed,
                (Begin::New, Some(_)) => LaunchedHow::PromptAgain,
                (Begin::New, None) => LaunchedHow::Fresh,
            },
            agent_session_id: match begin {
                Begin::Resume(id) => Some(id.to_owned()),
                Begin::New | Begin::Fork(_) => set,
            },
            hooks,
            carry: None,
            elsewhere: there.map(|_| launch.target.clone()),
        })
    }

    /// The target of a launch; an agent's own name is one that adds nothing. A session is never launched by
    /// another one than its own: that would be in another place.
    fn target(&self, launch: &LaunchFacts) -> Result<Cow<'_, Target>, AgentError> {
        match self.targets.get(&launch.target) {
            Some(target) if target.agent == launch.agent => Ok(Cow::Borrowed(target)),
            None if launch.target == launch.agent || launch.target.is_empty() => {
                Ok(Cow::Owned(Target::default()))
            }
            _ => Err(AgentError::TargetGone {
                target: launch.target.clone(),
                agent: launch.agent.clone(),
            }),
        }
    }

    /// Program, the definition's arguments, the target's, the session's.
    fn program_words(
        &self,
        definition: &Definition,
        launch: &LaunchFacts,
        target: &Target,
    ) -> Result<Vec<String>, AgentError> {
        let find = |program: &str| match target.runner {
            Runner::Direct => self.lookup.program(&launch.agent, program),
            _ => self.lookup.program_there(&launch.agent, program),
        };
        let mut words: Vec<String> = definition.launch.args.clone();
        words.extend(target.args.iter().chain(&launch.args).cloned());
        let program = if definition.is_named_by_session() {
            if words.is_empty() {
                return Err(AgentError::NoProgram(launch.agent.clone()));
            }
            let named = words.remove(0);
            if named.contains('/') && !named.starts_with('/') {
                // Relative to the folder that the session will run in: only there it can be found.
                words.insert(0, named);
                return Ok(words);
            }
            find(&named)?
        } else {
            find(&definition.program)?
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

fn conversation_words(definition: &Definition, begin: Begin<'_>, set: Option<&str>) -> Vec<String> {
    let ways = &definition.launch;
    match (begin, set) {
        (Begin::Resume(id), _) => expand(&ways.resume, "{session_id}", id),
        (Begin::Fork(id), new) => {
            let words = expand(&ways.fork, "{session_id}", id);
            expand(&words, "{new_id}", new.unwrap_or_default())
        }
        (Begin::New, Some(id)) => expand(&ways.session_id, "{session_id}", id),
        (Begin::New, None) => Vec::new(),
    }
}

/// The file that a fork needs in its own folder, for an agent that looks for it there.
fn carry(kept: &Conversation, of: &ForkOf, home: Option<&Path>) -> Option<Carry> {
    if !kept.by_folder {
        return None;
    }
    let to = kept.transcript.replace("{session_id}", &of.conversation);
    let to = match to.strip_prefix("~/") {
        Some(below) => home?.join(below).to_string_lossy().into_owned(),
        None => to,
    };
    Some(Carry { from: in_folder(&to, &of.folder), to })
}

/// Puts a conversation's file where a launch in `folder` looks for it; one that is there stays.
///
/// # Errors
/// It cannot be copied.
pub fn bring(carry: &Carry, folder: &Path) -> io::Result<()> {
    let to = in_folder(&carry.to, folder);
    if to.exists() {
        return Ok(());
    }
    let parent = to.parent().unwrap_or_else(|| Path::new("."));
    std::fs::create_dir_all(parent)?;
    let mut copy = NamedTempFile::new_in(parent)?;
    io::copy(&mut File::open(&carry.from)?, &mut copy)?;
    match copy.persist_noclobber(&to) {
        // Another launch brought it meanwhile.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        placed => placed.map(|_| ()).map_err(|error| error.error),
    }
}

/// The path of the file of a conversation that is held in `folder`, by the folder's real name.
fn in_folder(path: &str, folder: &Path) -> PathBuf {
    let dashed = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let folder: String = folder.to_string_lossy().chars().map(dashed).collect();
    path.replace("{folder}", &folder).into()
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

/// The words that choose a permission mode: a template, or a switch for each mode.
fn permission_words(
    definition: &Definition,
    mode: Option<&str>,
) -> Result<Vec<String>, AgentError> {
    let modes = &definition.launch.permission_modes;
    let Some(mode) = mode.filter(|mode| !mode.is_empty() && !modes.is_empty()) else {
        return chosen(definition, "permission mode", &definition.launch.permission_mode, mode);
    };
    modes.get(mode).cloned().ok_or_else(|| AgentError::NoSuchMode {
        agent: definition.title.clone(),
        mode: mode.to_owned(),
        known: modes.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
    })
}

fn expand(template: &[String], place: &str, value: &str) -> Vec<String> {
    template.iter().map(|word| word.replace(place, value)).collect()
}
