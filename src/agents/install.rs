//! How an agent comes to call `callboard hook` at its events (`spec/agents.md` H1): by its arguments or its
//! environment, which touch no file, or else by a file of the worktree's own settings.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::definition::Wrong;
use super::runner::quote;
use crate::domain::hook::{HOOK_MARK, HookEntries, HookFile, HookPlan, OwnFile};
use crate::os::fs::write_atomic;
use crate::os::paths::private_dir;
use crate::os::random;

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
    /// Arguments; `{settings}` is a JSON object with all entries in its `hooks`, `{trusted}` an inline table of
    /// TOML that says of each entry that it was looked at, for an agent that asks about new ones.
    pub args: Vec<String>,
    /// The key of an entry in `{trusted}`; `{event}` is the event's name in words of small letters, `a_b`.
    pub trusted_key: String,
    /// Arguments for each event; `{event}` is its name, `{entry}` its entry as an inline table of TOML.
    pub event_args: Vec<String>,
    /// A JSON file below the worktree with entries in its `hooks`; only where there are no arguments.
    pub file: String,
    /// What that file holds at least, as a JSON object.
    pub base: String,
    /// Variables of its environment, in which `{folder}` is a folder of ours with the `files`.
    pub env: BTreeMap<String, String>,
    /// Whole files by their names: `{program}`, `{agent}`, `{events}` and `{version}` in them are JSON.
    pub files: BTreeMap<String, String>,
}

/// An agent whose hooks call our program.
pub(super) struct Called<'a> {
    pub install: &'a Install,
    pub agent: &'a str,
    pub program: &'a Path,
    /// Where the folders of ours are, one for each agent.
    pub folders: &'a Path,
}

impl Install {
    /// How they come to be there: by `arguments`, by the `environment`, or the file below the worktree that
    /// they go into; none where they do not.
    pub fn way(&self) -> Option<&str> {
        let way = match self {
            _ if self.events.is_empty() => return None,
            _ if self.is_by_arguments() => "arguments",
            _ if self.is_by_environment() => "environment",
            Self { file, .. } => file,
        };
        Some(way)
    }

    fn is_by_environment(&self) -> bool {
        !self.env.is_empty()
    }

    fn is_by_arguments(&self) -> bool {
        !self.args.is_empty() || !self.event_args.is_empty()
    }

    /// Checks what types cannot say.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        let wrong = |key: &str, what: &str| Err((key.to_owned(), format!("`{key}` {what}")));
        if self.events.is_empty() {
            return Ok(());
        }
        let plain = |name: &str| {
            let legal = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
            let normal = |part| matches!(part, Component::Normal(_));
            name.chars().all(legal) && Path::new(name).components().all(normal)
        };
        let depth = |name: &str| Path::new(name).components().count();
        let ways = [
            (if self.args.is_empty() { "event_args" } else { "args" }, self.is_by_arguments()),
            ("env", self.is_by_environment()),
            ("file", !self.file.is_empty()),
        ];
        match *ways.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect::<Vec<_>>() {
            [] => return wrong("events", "needs `args`, `event_args`, `env` or `file` beside it"),
            [one, other, ..] => {
                // Which of them stands in this file, and which in the one below it, does not matter.
                let what = format!("`{other}` would do nothing beside `{one}`: only one can be");
                return Err(("[hooks.install]".to_owned(), what));
            }
            [_] => {}
        }
        if self.is_by_environment() {
            return match self.files.keys().find(|name| !plain(name) || depth(name) != 1) {
                Some(name) => wrong("files", &format!("has {name:?}: no name in plain letters")),
                None if self.files.is_empty() => wrong("env", "needs `files` beside it"),
                None => Ok(()),
            };
        }
        if !self.files.is_empty() {
            return wrong("files", "needs `env` beside it");
        }
        let inside = |file: &str| plain(file) && depth(file) > 1;
        if !(self.file.is_empty() || inside(&self.file)) {
            let what = "must name a file in a folder below the worktree, in plain letters";
            return wrong("file", what);
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
        let trusted = self.trusted();
        let filled =
            |word: &String| word.replace("{settings}", &settings).replace("{trusted}", &trusted);
        let once = args.iter().map(filled);
        let each = events.iter().flat_map(|event| {
            let entry = toml::Value::try_from(self.entry(event, ""));
            let entry = entry.map(|entry| entry.to_string()).unwrap_or_default();
            let word =
                move |word: &String| word.replace("{event}", event).replace("{entry}", &entry);
            event_args.iter().map(word)
        });
        once.chain(each).collect()
    }

    /// What codex keeps of hooks that were looked at: the hash of each, with its event and with all fields
    /// that it knows, as JSON in the order of their names.
    fn trusted(&self) -> String {
        let Install { events, trusted_key, .. } = self.install;
        let hash = |event: &String| {
            let words = in_words(event);
            let mut entry = self.entry(event, "");
            entry["event_name"] = words.clone().into();
            let hash = format!("sha256:{}", random::sha256(&entry.to_string()));
            let kept = toml::Table::from_iter([("trusted_hash".to_owned(), hash.into())]);
            (trusted_key.replace("{event}", &words), toml::Value::Table(kept))
        };
        toml::Value::Table(events.iter().map(hash).collect()).to_string()
    }

    /// The variables that install the hooks.
    pub(super) fn env(&self) -> impl Iterator<Item = (String, String)> {
        let Install { events, env, .. } = self.install;
        let folder = self.folder().to_string_lossy().into_owned();
        let set = env.iter().filter(|_| !events.is_empty());
        set.map(move |(name, value)| (name.clone(), value.replace("{folder}", &folder)))
    }

    /// What else there is to do; `args` are those that the operator gives, and `set` knows the variables
    /// that the agent would be given without us.
    pub(super) fn plan<'a>(
        &self,
        mut args: impl Iterator<Item = &'a String>,
        set: impl Fn(&str) -> Option<String>,
    ) -> HookPlan {
        let install = self.install;
        if install.events.is_empty() {
            return HookPlan::Nothing;
        }
        if install.is_by_arguments() {
            let ours = || install.args.iter().chain(&install.event_args);
            return match args.find_map(|word| ours().find_map(|own| the_same(word, own))) {
                Some(name) => HookPlan::Off(format!("the arguments have a {name} of their own")),
                None => HookPlan::Nothing,
            };
        }
        if install.is_by_environment() {
            let clash = |(name, ours): &(String, String)| set(name).is_some_and(|it| it != *ours);
            return match self.env().find(clash) {
                Some((name, _)) => HookPlan::Off(format!("{name} is set already")),
                None => HookPlan::Own(self.own_files()),
            };
        }
        let mark = format!(" {HOOK_MARK} {}", install.version);
        let entry = |event: &String| (event.clone(), self.entry(event, &mark).to_string());
        let events = install.events.iter().map(entry).collect();
        let base: &str = if install.base.is_empty() { "{}" } else { &install.base };
        let entries = HookEntries { events, base: base.to_owned() };
        HookPlan::File(HookFile { path: PathBuf::from(&install.file), entries })
    }

    fn folder(&self) -> PathBuf {
        self.folders.join(self.agent)
    }

    fn own_files(&self) -> Vec<OwnFile> {
        let Install { version, events, files, .. } = self.install;
        let content = |text: &String| {
            text.replace("{version}", &version.to_string())
                .replace("{program}", &Value::from(&*self.program.to_string_lossy()).to_string())
                .replace("{agent}", &Value::from(self.agent).to_string())
                .replace("{events}", &Value::from(events.clone()).to_string())
        };
        let folder = self.folder();
        let file = |(name, text)| OwnFile { path: folder.join(name), content: content(text) };
        files.iter().map(file).collect()
    }

    /// The entry of an event, which a check found to be JSON.
    fn entry(&self, event: &str, mark: &str) -> Value {
        let program = self.program.to_string_lossy();
        let words = [&*program, "hook", self.agent, event].map(quote);
        let command = format!("{}{mark}", words.join(" "));
        let entry = serde_json::from_str(&self.install.entry).unwrap_or_default();
        filled(entry, &command)
    }
}

/// Puts a file of ours where its agent is told to find it.
///
/// # Errors
/// Its folder cannot be made or written to.
pub fn place(file: &OwnFile) -> io::Result<()> {
    let content = file.content.as_bytes();
    if std::fs::read(&file.path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    if let Some(folder) = file.path.parent() {
        private_dir(folder)?;
    }
    write_atomic(&file.path, content)
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

/// The name that a word of the operator's and one of ours both give a value, so that one would not count: an
/// option, or the first part of a key.
fn the_same<'a>(word: &'a str, own: &str) -> Option<&'a str> {
    let option = |word: &'a str| word.split('=').next().unwrap_or_default();
    if own.starts_with("--") {
        return Some(option(word)).filter(|name| *name == own);
    }
    let (key, _) = own.split_once('=')?;
    let first = |key: &'a str| key.split('.').next().unwrap_or_default();
    let given = word.strip_prefix("--config=").or(word.strip_prefix("-c")).unwrap_or(word);
    let (given, _) = given.split_once('=')?;
    Some(first(given)).filter(|name| key.split('.').next() == Some(*name))
}

/// The words of a name like `PreToolUse`: `pre_tool_use`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}
