//! The shipped rules over recordings of real programs (`spec/agents.md` G5, G6, G9).

mod marks;
mod questions;
mod steady;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::cast::{self, Asciicast, Recorded};
use crate::agents::Registry;
use crate::config::Config;
use crate::domain::activity::{Activity, Question};
use crate::domain::agent::Rules;
use crate::domain::time::Timestamp;
use crate::os::paths::Home;
use crate::runtime::detect::{Played, Verdict, replay};

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
        let cast = cast::read(&folder().join(&recording.file)).unwrap();
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

/// A recording that was made a little differently.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    /// Without OSC 7501.
    unreported: bool,
    /// Without titles.
    untitled: bool,
    /// Without colours and attributes.
    colourless: bool,
    /// Milliseconds that it began later.
    later: i64,
    /// Each read is cut at places that follow from this number.
    cut: Option<u64>,
    /// On a screen of so many columns.
    cols: Option<u16>,
}

/// All of the output with one kind of sequence left out; what is left of each read stays at its time.
fn without(cast: &Asciicast, begin: &str, is_end: fn(&str) -> Option<usize>) -> Asciicast {
    let mut cast = cast.clone();
    let mut inside = String::new();
    for (_, event) in &mut cast.events {
        let Recorded::Output(text) = event else { continue };
        let all = std::mem::take(&mut inside) + text;
        let mut kept = String::new();
        let mut rest = all.as_str();
        loop {
            let Some(at) = rest.find(begin) else {
                kept.push_str(rest);
                break;
            };
            kept.push_str(&rest[..at]);
            match is_end(&rest[at..]) {
                Some(0) => {
                    kept.push_str(&rest[at..=at]);
                    rest = &rest[at + 1..];
                }
                Some(length) => rest = &rest[at + length..],
                None => {
                    rest[at..].clone_into(&mut inside);
                    break;
                }
            }
        }
        *text = kept;
    }
    cast
}

/// The length of a string sequence, with its end.
fn string_length(text: &str) -> Option<usize> {
    let ends = [("\u{7}", 1), ("\u{1b}\\", 2)];
    ends.iter().filter_map(|(end, length)| Some(text.find(end)? + length)).min()
}

/// The length of a sequence that sets colours; 0 of any other one.
fn colour_length(text: &str) -> Option<usize> {
    let body = &text[2..];
    let end = body.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
    Some(if body[end..].starts_with('m') { end + 3 } else { 0 })
}

fn play(rules: &Rules, cast: &Asciicast, change: Change) -> Vec<(Timestamp, Verdict)> {
    let mut cast = cast.clone();
    if change.untitled {
        cast = without(&cast, "\u{1b}]0;", string_length);
        cast = without(&cast, "\u{1b}]2;", string_length);
    }
    if change.colourless {
        cast = without(&cast, "\u{1b}[", colour_length);
    }
    cast.size.cols = change.cols.unwrap_or(cast.size.cols);
    let mut seed = change.cut.unwrap_or(0);
    let events = cast.played().flat_map(|(at, played)| {
        let mut parts = Vec::new();
        match (played, change.cut) {
            (Played::Output(mut bytes), Some(_)) => {
                while !bytes.is_empty() {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let length = 1 + usize::try_from(seed >> 56).unwrap() % bytes.len();
                    let (part, rest) = bytes.split_at(length);
                    parts.push((at, Played::Output(part)));
                    bytes = rest;
                }
            }
            _ => parts.push((at, played)),
        }
        parts
    });
    let events = events.map(|(at, played)| (Timestamp(at.0 + change.later), played));
    replay(rules, cast.size, events, change.unreported).unwrap()
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
