//! What commands printed as JSON, one after the other, without what differs from run to run.

use std::fmt::Write;

use serde_json::Value;

use super::TestHome;

/// Fields that say when; null stays.
const TIMES: &[&str] = &["at", "activity_since"];
/// Fields whose values are numbers of the machine.
const NUMBERS: &[&str] = &["keeper_pid", "pid", "cpu_percent", "rss_bytes", "freed_bytes"];

/// Commands and their outputs.
pub(crate) struct Transcript<'a> {
    home: &'a TestHome,
    text: String,
    /// Ids made at random, in the order of their appearance.
    ids: Vec<String>,
}

impl<'a> Transcript<'a> {
    pub(crate) fn new(home: &'a TestHome) -> Self {
        Self { home, text: String::new(), ids: Vec::new() }
    }

    /// Runs a command that must end with `code`; answers what it printed.
    #[track_caller]
    pub(crate) fn run(&mut self, code: i32, line: &str) -> Value {
        self.run_without(code, line, &[])
    }

    /// As [`Transcript::run`], without the values of some more fields.
    #[track_caller]
    pub(crate) fn run_without(&mut self, code: i32, line: &str, fields: &[&str]) -> Value {
        let answer = self.home.run(line.split(' ').chain(["--json"])).code(code);
        let printed = if answer.stdout.is_empty() { &answer.stderr } else { &answer.stdout };
        let value: Value = serde_json::from_str(printed).unwrap();
        let mut plain = value.clone();
        self.redact("", &mut plain, fields);
        let ending = if code == 0 { String::new() } else { format!("  # {code}") };
        let line = self.plain_text(line);
        writeln!(self.text, "$ callboard {line} --json{ending}\n{plain:#}\n").unwrap();
        value
    }

    /// Everything so far.
    pub(crate) fn text(&self) -> &str {
        self.text.trim_end()
    }

    fn redact(&mut self, name: &str, value: &mut Value, fields: &[&str]) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    self.redact(name, value, fields);
                }
            }
            Value::Array(list) => {
                for value in list {
                    self.redact(name, value, fields);
                }
            }
            _ if fields.contains(&name) => *value = "[...]".into(),
            Value::String(text) if TIMES.contains(&name) || name.ends_with("_at") => {
                assert!(text.ends_with('Z'), "{name}: {text}");
                *value = "[time]".into();
            }
            Value::Number(_) if NUMBERS.contains(&name) => *value = "[number]".into(),
            Value::String(text) => *text = self.plain_text(text),
            _ => {}
        }
    }

    /// A text without the home, commits and random ids.
    fn plain_text(&mut self, text: &str) -> String {
        let real = self.home.path().canonicalize().unwrap();
        let text = text.replace(&*real.to_string_lossy(), "[home]");
        let text = text.replace(&*self.home.path().to_string_lossy(), "[home]");
        let found = |pattern: &str| regex::Regex::new(pattern).unwrap();
        let text = found(r"\b[0-9a-f]{40}\b").replace_all(&text, "[commit]").into_owned();
        let random = found(r"\b[0-9a-f]{32}\b");
        let name = |id: &regex::Captures<'_>| {
            let known = self.ids.iter().position(|known| *known == id[0]);
            let at = known.unwrap_or_else(|| {
                self.ids.push(id[0].to_owned());
                self.ids.len() - 1
            });
            format!("[id {}]", at + 1)
        };
        random.replace_all(&text, name).into_owned()
    }
}
