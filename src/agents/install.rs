//! How an agent comes to call `callboard hook` at its events (`spec/agents.md` H1): by its arguments, which
//! touch no file, or else by a file of the worktree's own settings.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::definition::Wrong;
use crate::domain::hook::{HOOK_MARK, HookBody, HookEntries, HookFile, HookPlan};

/// How the hooks of one agent are installed; without events they are not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Install {
    /// Counted up when anything here changes: what an older version wrote is replaced.
    pub version: u32,
    /// Events that are reported, as the agent calls them.
    pub events: Vec<String>,
    /// What stands in the list of an event, as JSON, with `{command}` for the line of a shell.
    pub entry: String,
    /// Arguments; `{settings}` is a JSON object with all entries in its `hooks`.
    pub args: Vec<String>,
    /// Arguments for each event; `{event}` is its name, `{entry}` its entry as an inline table of TOML.
    pub event_args: Vec<String>,
    /// A JSON file below the worktree with entries in its `hooks`; only where there are no arguments.
    pub file: String,
    /// What that file holds at least, as a JSON object.
    pub base: String,
    /// The whole of the file, where it is no JSON: `{program}`, `{agent}` and `{events}` are JSON.
    pub content: String,
}

/// An agent whose hooks call our program.
pub(super) struct Called<'a> {
    pub install: &'a Install,
    pub agent: &'a str,
    pub program: &'a Path,
}

impl Install {
    fn is_by_arguments(&self) -> bool {
        !self.args.is_empty() || !self.event_args.is_empty()
    }

    /// Checks what types cannot say.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        let wrong = |key: &str, what: &str| Err((key.to_owned(), format!("`{key}` {what}")));
        if self.events.is_empty() {
            return Ok(());
        }
        if !self.is_by_arguments() && self.file.is_empty() {
            return wrong("events", "needs `args`, `event_args` or `file` beside it");
        }
        let path = Path::new(&self.file);
        let plain = |part| matches!(part, Component::Normal(_));
        let legal = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
        let inside = path.components().all(plain) && path.components().count() > 1;
        if !self.file.is_empty() && !(inside && self.file.chars().all(legal)) {
            return wrong(
                "file",
                "must name a file in a folder below the worktree, in plain letters",
            );
        }
        if !self.content.is_empty() {
            return Ok(());
        }
        let object =
            |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|it| it.is_object());
        if !object(&self.entry) || !self.entry.contains("{command}") {
            return wrong("entry", "must be a JSON object with {command} in it");
        }
        if !self.base.is_empty() && !object(&self.base) {
            return wrong("base", "must be a JSON object");
        }
        Ok(())
    }
}

impl Called<'_> {
    /// The arguments that install the hooks.
    pub(super) fn args(&self) -> Vec<String> {
        let Install { events, args, event_args, .. } = self.install;
        if events.is_empty() {
            return Vec::new();
        }
        let lists: serde_json::Map<String, Value> = events
            .iter()
            .map(|event| (event.clone(), Value::Array(vec![self.entry(event, "")])))
            .collect();
        let settings = serde_json::json!({ "hooks": lists }).to_string();
        let once = args.iter().map(|word| word.replace("{settings}", &settings));
        let each = events.iter().flat_map(|event| {
            let entry = toml::Value::try_from(self.entry(event, ""));
            let entry = entry.map(|entry| entry.to_string()).unwrap_or_default();
            let word =
                move |word: &String| word.replace("{event}", event).replace("{entry}", &entry);
            event_args.iter().map(word)
        });
        once.chain(each).collect()
    }

    /// What else there is to do; `args` are those that the operator gives.
    pub(super) fn plan<'a>(&self, mut args: impl Iterator<Item = &'a String>) -> HookPlan {
        let install = self.install;
        if install.events.is_empty() {
            return HookPlan::Nothing;
        }
        if install.is_by_arguments() {
            let clash = |own: &&String| install.args.iter().any(|word| says_the_same(word, own));
            return match args.find(clash) {
                Some(word) => {
                    let name = word.split('=').next().unwrap_or_default();
                    HookPlan::Off(format!("the arguments have a {name} of their own"))
                }
                None => HookPlan::Nothing,
            };
        }
        let path = PathBuf::from(&install.file);
        let body = if install.content.is_empty() {
            let mark = format!(" {HOOK_MARK} {}", install.version);
            let entry = |event: &String| (event.clone(), self.entry(event, &mark).to_string());
            let events = install.events.iter().map(entry).collect();
            let base: &str = if install.base.is_empty() { "{}" } else { &install.base };
            HookBody::Entries(HookEntries { events, base: base.to_owned() })
        } else {
            let json = |text: &str| Value::from(text).to_string();
            let content = install
                .content
                .replace("{program}", &json(&self.program.to_string_lossy()))
                .replace("{agent}", &json(self.agent))
                .replace("{events}", &Value::from(install.events.clone()).to_string());
            HookBody::Whole(format!("// callboard-hooks {}\n{content}", install.version))
        };
        HookPlan::File(HookFile { path, body })
    }

    /// The entry of an event, which a check found to be JSON.
    fn entry(&self, event: &str, mark: &str) -> Value {
        let program = self.program.to_string_lossy();
        let words = [&*program, "hook", self.agent, event].map(quoted);
        let command = format!("{}{mark}", words.join(" "));
        let entry = serde_json::from_str(&self.install.entry).unwrap_or_default();
        filled(entry, &command)
    }
}

/// Puts the command into every text.
fn filled(value: Value, command: &str) -> Value {
    match value {
        Value::String(text) => text.replace("{command}", command).into(),
        Value::Array(items) => items.into_iter().map(|item| filled(item, command)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, filled(value, command))).collect()
        }
        other => other,
    }
}

/// A word of a POSIX shell's line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether a word is an option that ours would meet: one of the two would not count.
fn says_the_same(word: &str, own: &str) -> bool {
    word.starts_with("--") && (own == word || own.starts_with(&format!("{word}=")))
}
