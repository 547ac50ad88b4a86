//! What a definition says, and the checks that types cannot make.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;

use super::Hooks;
use super::lookup::ARGUMENTS;
use crate::domain::agent::{AnswerWay, ENGINE, Rule, Rules, StopWay, SubmitRule};
use crate::domain::key::Key;

/// One agent as defined by data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Definition {
    /// Version of the format; [`ENGINE`].
    pub engine: u32,
    /// Name for people.
    pub title: String,
    /// Name on the PATH, an absolute path, or `callboard:self` (our own executable),
    /// `callboard:shell` (the login shell), `callboard:arguments` (the session's arguments).
    pub program: String,
    /// Version that it was tried with; empty where it was not.
    pub verified: String,
    /// Arguments that print its version.
    pub version: Vec<String>,
    /// Not offered in lists.
    pub hidden: bool,
    /// How it is launched.
    pub launch: Launch,
    /// Its environment.
    pub env: Environment,
    /// How text is submitted.
    pub submit: SubmitRule,
    /// Where its conversations are kept.
    pub conversation: Conversation,
    /// Dialogs that it may show when it starts.
    pub dialog: Vec<Dialog>,
    /// Keys that interrupt its turn.
    pub interrupt: Vec<String>,
    /// How it is asked to end.
    pub stop: StopWay,
    /// How a permission is answered.
    pub answer: AnswerWay,
    /// What its hooks report.
    pub hooks: Hooks,
    /// How its activity is detected.
    pub rules: Rules,
}

impl Definition {
    /// How the agent's own id of a conversation becomes known (G2).
    pub fn id_known_by(&self) -> Vec<&'static str> {
        let ways = [
            ("set", !self.launch.session_id.is_empty()),
            ("hook", self.hooks.event.iter().any(|event| event.activity.is_some())),
            ("exit_text", !self.conversation.exit_text.is_empty()),
        ];
        ways.into_iter().filter_map(|(way, known)| known.then_some(way)).collect()
    }

    /// Whether its sessions name the program, in their arguments.
    pub fn is_named_by_session(&self) -> bool {
        self.program == ARGUMENTS
    }
}

/// Templates of a launch, each a part of the argument list; an empty one means that there is no
/// such way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Launch {
    /// Always.
    pub args: Vec<String>,
    /// Sets the id of a new conversation, `{session_id}`.
    pub session_id: Vec<String>,
    /// Resumes the conversation `{session_id}`; a subcommand goes before everything else.
    pub resume: Vec<String>,
    /// Goes on with the conversation `{session_id}` in one of its own, whose id is `{new_id}` where the
    /// agent takes one; a subcommand goes before everything else.
    pub fork: Vec<String>,
    /// Chooses `{model}`.
    pub model: Vec<String>,
    /// Chooses `{permission_mode}`.
    pub permission_mode: Vec<String>,
    /// The same for an agent with a switch of its own for each mode.
    pub permission_modes: BTreeMap<String, Vec<String>>,
    /// Whether a resumed conversation takes neither model nor permission mode: it keeps its own.
    pub resume_alone: bool,
    /// Gives `{prompt}`; without it the prompt is typed after the start.
    pub prompt: Vec<String>,
    /// Gives a `{prompt}` that begins with a dash; without it such a prompt is typed.
    pub dash_prompt: Vec<String>,
    /// It looks at rest before it begins with a prompt that went along.
    pub rests_first: bool,
}

/// Where conversations are kept, and how the agent's own id of one becomes known beside the id that
/// we set and those that its hooks report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conversation {
    /// The file of a conversation: `~` is the home, `*` any name, `{folder}` the folder with a dash for
    /// all that is no letter or digit. Empty where there is no such file.
    pub transcript: String,
    /// Whether the agent looks for it by its folder only: a fork gets a copy.
    pub by_folder: bool,
    /// What it prints when it ends, with its id as the first group.
    pub exit_text: String,
}

/// A dialog that an agent may show when it starts. It is never confirmed unseen: what Enter would take
/// differs from agent to agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialog {
    /// The detection rule that knows it.
    pub rule: String,
    /// The option that Enter takes when it appears.
    pub default: String,
}

/// Changes to the environment that the agent inherits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    /// Variables to set.
    pub set: BTreeMap<String, String>,
    /// Variables to drop.
    pub drop: Vec<String>,
}

/// What is wrong, and how the line of the file begins where it is.
pub(super) type Wrong = (String, String);

impl Definition {
    /// Checks what types cannot say.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        if self.engine != ENGINE {
            let message = format!("`engine` must be {ENGINE}, the version of this format");
            return Err(("engine".to_owned(), message));
        }
        if self.program.trim().is_empty() {
            return Err(("program".to_owned(), "`program` is missing".to_owned()));
        }
        self.check_templates()?;
        self.check_signal()?;
        self.check_keys()?;
        self.check_conversation()?;
        self.hooks.install.check()?;
        self.rules.rule.iter().try_for_each(check_rule)
    }

    fn check_conversation(&self) -> Result<(), Wrong> {
        let exit_text = &self.conversation.exit_text;
        let wrong = |what: &str| Err(("exit_text".to_owned(), format!("`exit_text`: {what}")));
        match Regex::new(exit_text) {
            Ok(regex) if !exit_text.is_empty() && regex.captures_len() < 2 => {
                return wrong("needs a group for the id");
            }
            Ok(_) => {}
            Err(error) => return wrong(error.to_string().lines().last().unwrap_or_default()),
        }
        let known = |dialog: &&Dialog| !self.rules.rule.iter().any(|rule| rule.id == dialog.rule);
        match self.dialog.iter().find(known) {
            None => Ok(()),
            Some(Dialog { rule, .. }) => {
                Err((format!("rule = \"{rule}\""), format!("`rule`: there is no rule `{rule}`")))
            }
        }
    }

    fn check_templates(&self) -> Result<(), Wrong> {
        let launch = &self.launch;
        let templates = [
            ("args", &launch.args, ""),
            ("session_id", &launch.session_id, "{session_id}"),
            ("resume", &launch.resume, "{session_id}"),
            ("fork", &launch.fork, "{session_id}"),
            ("model", &launch.model, "{model}"),
            ("permission_mode", &launch.permission_mode, "{permission_mode}"),
            ("prompt", &launch.prompt, "{prompt}"),
            ("dash_prompt", &launch.dash_prompt, "{prompt}"),
        ];
        for (key, template, wanted) in templates {
            if !template.is_empty() && !template.iter().any(|word| word.contains(wanted)) {
                return Err((key.to_owned(), format!("`{key}` must hold {wanted}")));
            }
        }
        Ok(())
    }

    fn check_keys(&self) -> Result<(), Wrong> {
        let lists = [
            ("yes", &self.answer.yes),
            ("no", &self.answer.no),
            ("clear", &self.submit.clear),
            ("keys", &self.stop.keys),
            ("interrupt", &self.interrupt),
        ];
        for (key, names) in lists {
            if let Some(error) = names.iter().find_map(|name| name.parse::<Key>().err()) {
                return Err((key.to_owned(), format!("`{key}`: {error}")));
            }
        }
        Ok(())
    }

    fn check_signal(&self) -> Result<(), Wrong> {
        match self.stop.signal.as_deref() {
            None | Some("TERM" | "HUP" | "INT") => Ok(()),
            Some(other) => {
                let message = format!("signal `{other}` is not one of TERM, HUP, INT");
                Err(("signal".to_owned(), message))
            }
        }
    }
}

fn check_rule(rule: &Rule) -> Result<(), Wrong> {
    let at = format!("id = \"{}\"", rule.id);
    if rule.all.is_empty() && rule.any.is_empty() {
        return Err((at, format!("rule `{}` has neither `all` nor `any`", rule.id)));
    }
    let question = rule.question.iter().flat_map(|it| {
        [Some(&it.text), it.option.as_ref(), it.about.as_ref(), it.selected.as_ref()]
    });
    let question = question.flatten();
    for pattern in rule.all.iter().chain(&rule.any).chain(&rule.not).chain(question) {
        if let Err(error) = Regex::new(pattern) {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default();
            return Err((at, format!("rule `{}`: {pattern:?}: {last}", rule.id)));
        }
    }
    Ok(())
}
