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
    /// The file of a conversation, for an agent that looks for it by its folder: `~` is the home,
    /// `{folder}` the folder with a dash for all that is no letter or digit. A fork gets a copy.
    pub transcript: String,
    /// Chooses `{model}`.
    pub model: Vec<String>,
    /// Chooses `{permission_mode}`.
    pub permission_mode: Vec<String>,
    /// Gives `{prompt}`; without it the prompt is typed after the start.
    pub prompt: Vec<String>,
    /// Gives a `{prompt}` that begins with a dash; without it such a prompt is typed.
    pub dash_prompt: Vec<String>,
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
        self.rules.rule.iter().try_for_each(check_rule)
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
        for (key, names) in [("yes", &self.answer.yes), ("no", &self.answer.no)] {
            if let Some(error) = names.iter().find_map(|name| name.parse::<Key>().err()) {
                return Err((key.to_owned(), error.to_string()));
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
    let question = rule
        .question
        .iter()
        .flat_map(|it| [Some(&it.text), it.option.as_ref(), it.selected.as_ref()]);
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
