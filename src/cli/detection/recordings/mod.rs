//! The shipped rules over recordings of real programs (`spec/agents.md` G5, G6, G9).

mod change;
mod marks;
mod narrow;
mod questions;
mod steady;
mod varied;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use self::change::{Change, Colours, play};
use super::replayed::read;
use crate::agents::Registry;
use crate::config::Config;
use crate::domain::activity::{Activity, Question};
use crate::domain::agent::Rules;
use crate::domain::time::Timestamp;
use crate::os::paths::Home;
use crate::runtime::detect::{Asciicast, Verdict};

/// The names of the programs in the recordings, and ours.
const AGENTS: [(&str, &str); 9] = [
    ("aider", "aider"),
    ("claude-code", "claude"),
    ("codex", "codex"),
    ("copilot", "copilot"),
    ("gemini-cli", "gemini"),
    ("kimi-code", "kimi"),
    ("opencode", "opencode"),
    ("pi", "pi"),
    ("qwen-code", "qwen"),
];

/// Marks that contradict what was on the screen: at `permission-bash-2` the program was to ask for a
/// command that it ran unasked (it is harmless), so screen, title and its own report say work, and so
/// does the mark that follows with the same screen (`tool-running`).
const CONTRADICTED: [(&str, &str, Activity); 2] = [
    ("claude-code/main.cast", "permission-bash-2", Activity::Active),
    ("claude-code/main-no7501.cast", "permission-bash-2", Activity::Active),
];

/// Times, in milliseconds, in which the screen cannot tell what is reported: a prompt was taken back
/// after an error, which is then the last thing said, as it was before.
const HIDDEN: [(&str, i64, i64); 1] = [("claude-code/errors.cast", 29_672, 31_702)];

#[derive(Debug, Deserialize)]
struct Recording {
    agent: String,
    file: String,
    states: Vec<Mark>,
}

#[derive(Debug, Deserialize)]
struct Mark {
    t: f64,
    state: String,
    verdict: String,
}

impl Mark {
    fn at(&self) -> Timestamp {
        milliseconds(self.t)
    }

    /// What must be concluded at this moment.
    fn expected(&self, file: &str) -> &'static [Activity] {
        let contradicted =
            CONTRADICTED.iter().find(|(of, state, _)| (*of, *state) == (file, &self.state));
        if let Some((_, _, shown)) = contradicted {
            return std::slice::from_ref(shown);
        }
        match self.verdict.as_str() {
            "idle" => &[Activity::Idle],
            "working" => &[Activity::Active],
            "waiting-permission" => &[Activity::Blocked],
            "waiting-dialog" | "waiting-question" => &[Activity::WaitingInput],
            "working-retrying" => &[Activity::Retrying],
            "error" => &[Activity::Error],
            "exited" => &[Activity::Exited, Activity::Idle],
            other => panic!("{file}: {other}"),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a recording lasts a minute")]
fn milliseconds(seconds: f64) -> Timestamp {
    Timestamp((seconds * 1_000.0).round() as i64)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recordings")
}

fn recordings() -> Vec<Recording> {
    serde_json::from_str(&std::fs::read_to_string(folder().join("index.json")).unwrap()).unwrap()
}

fn of(agent: &str) -> Vec<(Recording, Asciicast)> {
    let found = recordings().into_iter().filter(|recording| recording.agent == agent);
    let with_cast = |recording: Recording| {
        let cast = read(&folder().join(&recording.file)).unwrap();
        (recording, cast)
    };
    found.map(with_cast).collect()
}

fn registry() -> Registry {
    let home = tempfile::tempdir().unwrap();
    let (registry, mistakes) = Registry::load(&Home::at(home.path()).unwrap(), &Config::default());
    assert_eq!(mistakes, []);
    registry
}

fn rules(agent: &str) -> Rules {
    let (_, name) = AGENTS.iter().find(|(recorded, _)| *recorded == agent).unwrap();
    registry().rules(name)
}

/// The verdict that held at a moment.
fn at(verdicts: &[(Timestamp, Verdict)], moment: Timestamp) -> Option<&Verdict> {
    verdicts.iter().rfind(|(since, _)| *since <= moment).map(|(_, verdict)| verdict)
}

/// What is wrong at the marked moments.
fn wrong(recording: &Recording, verdicts: &[(Timestamp, Verdict)], change: Change) -> Vec<String> {
    let file = &recording.file;
    let wrong = recording.states.iter().filter_map(|mark| {
        let moment = Timestamp(mark.at().0 + change.later);
        let activity = at(verdicts, moment).map(|verdict| &verdict.activity);
        let value = activity.map_or(Activity::Unknown, |activity| activity.value);
        let expected = mark.expected(file);
        (!expected.contains(&value)).then(|| {
            let by = activity.map_or("", |activity| &activity.witness);
            let (state, t) = (&mark.state, mark.t);
            format!("{file} {state} at {t}: {value} by {by:?}, not {expected:?}, {change:?}")
        })
    });
    wrong.collect()
}

/// What is wrong at the marked moments of all recordings, each with each change.
fn all_wrong(changes: &[Change]) -> Vec<String> {
    let of_agent = |recorded: &str| {
        let rules = rules(recorded);
        let each = of(recorded).into_iter().flat_map(|(recording, cast)| {
            let wrong = |change: &Change| wrong(&recording, &play(&rules, &cast, *change), *change);
            changes.iter().flat_map(wrong).collect::<Vec<_>>()
        });
        each.collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let each = AGENTS.map(|(recorded, _)| scope.spawn(move || of_agent(recorded)));
        each.into_iter().flat_map(|of_agent| of_agent.join().unwrap()).collect()
    })
}

fn one(agent: &str, file: &str) -> (Recording, Asciicast) {
    of(agent).into_iter().find(|(recording, _)| recording.file == file).unwrap()
}
