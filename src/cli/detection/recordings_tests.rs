//! The shipped rules over recordings of real programs (`spec/agents.md` G5, G6, G9).

use std::path::{Path, PathBuf};

use rstest::rstest;
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
    let mut found = recordings();
    found.retain(|recording| recording.agent == agent);
    let cast = |recording: &Recording| cast::read(&folder().join(&recording.file)).unwrap();
    found.into_iter().map(|recording| (cast(&recording), recording)).map(|(a, b)| (b, a)).collect()
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

fn check(agent: &str, changes: &[Change]) {
    let rules = rules(agent);
    let mut all = Vec::new();
    for (recording, cast) in of(agent) {
        for change in changes {
            all.extend(wrong(&recording, &play(&rules, &cast, *change), *change));
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// G9: every marked moment, with and without OSC 7501.
#[rstest]
fn every_marked_moment_is_right(
    #[values(
        "aider",
        "claude-code",
        "codex",
        "copilot",
        "gemini-cli",
        "kimi-code",
        "opencode",
        "pi",
        "qwen-code"
    )]
    agent: &str,
) {
    let unreported = Change { unreported: true, ..Change::default() };
    check(agent, &[Change::default(), unreported]);
}

/// G9: nor do colours count, where a read ends, when the recording began, or how wide the screen is.
#[rstest]
fn what_is_no_matter_changes_nothing(
    #[values(
        "aider",
        "claude-code",
        "codex",
        "copilot",
        "gemini-cli",
        "kimi-code",
        "opencode",
        "pi",
        "qwen-code"
    )]
    agent: &str,
) {
    let unreported = Change { unreported: true, ..Change::default() };
    check(
        agent,
        &[
            Change { colourless: true, later: 86_400_000, ..unreported },
            Change { cut: Some(7), later: 333, ..unreported },
            Change { cut: Some(1_234_567), colourless: true, ..Change::default() },
            Change { cols: Some(121), ..unreported },
            Change { cols: Some(200), ..unreported },
        ],
    );
}

/// G9: the index and the recordings belong together, and none was forgotten.
#[test]
fn all_recordings_are_played() {
    let recordings = recordings();
    assert_eq!(recordings.len(), 28);
    assert_eq!(recordings.iter().map(|recording| recording.states.len()).sum::<usize>(), 147);
    for recording in &recordings {
        assert!(AGENTS.iter().any(|(agent, _)| *agent == recording.agent), "{recording:?}");
    }
    for (file, state, _) in CONTRADICTED {
        let of = recordings.iter().find(|recording| recording.file == file).unwrap();
        assert!(of.states.iter().any(|mark| mark.state == state));
    }
}

/// G5: what is asked where, with its options.
#[test]
fn questions_are_read_with_kind_text_and_options_g5() {
    let yes_always = "Yes / Yes, and don't ask again for `touch` in this repo (/srv/w/demo) / No, and \
                      tell Copilot what to do differently (Esc to stop)";
    let colour = "Which colour should the button have?";
    for (agent, file, state, kind, text, options) in [
        (
            "aider",
            "main",
            "permission-shell",
            "permission",
            "Run shell command?",
            "(Y)es / (N)o / (D)on't ask again",
        ),
        ("aider", "main", "permission-write", "permission", "Create new file?", "(Y)es / (N)o"),
        (
            "claude-code",
            "main",
            "question",
            "question",
            colour,
            "Red / Blue / Type something. / Chat about this",
        ),
        (
            "claude-code",
            "main-no7501",
            "question",
            "question",
            colour,
            "Red / Blue / Type something. / Chat about this",
        ),
        (
            "claude-code",
            "first-start",
            "trust-dialog",
            "trust",
            "Quick safety check: Is this a project you created or one you trust?",
            "No, exit / Yes, I trust this folder",
        ),
        ("codex", "main", "question", "question", colour, "Red / Blue / None of the above"),
        (
            "codex",
            "first-start",
            "trust-dialog",
            "trust",
            "Trust this folder?",
            "Trust and continue / Back to Agent Command Center",
        ),
        (
            "copilot",
            "main",
            "trust-dialog",
            "trust",
            "Do you trust the files in this folder?",
            "Yes / Yes, and remember this folder for future sessions / No (Esc)",
        ),
        (
            "copilot",
            "main",
            "permission-shell",
            "permission",
            "Do you want to run this command?",
            yes_always,
        ),
        ("copilot", "main", "question", "question", colour, ""),
        (
            "gemini-cli",
            "first-start",
            "trust-dialog",
            "trust",
            "Do you trust the files in this folder?",
            "Trust folder (demo) / Trust parent folder (w) / Don't trust",
        ),
        (
            "gemini-cli",
            "permission",
            "permission-shell",
            "permission",
            "Allow execution of [Shell]?",
            "Allow once / Allow for this session / No, suggest changes (esc)",
        ),
        (
            "gemini-cli",
            "permission",
            "permission-write",
            "permission",
            "Apply this change?",
            "Allow once / Allow for this session / Modify with external editor / No, suggest changes (esc)",
        ),
        (
            "kimi-code",
            "main",
            "permission-shell",
            "permission",
            "Run this command?",
            "Approve once / Approve for this session / Reject / Reject with feedback",
        ),
        ("kimi-code", "main", "question", "question", colour, "Red / Blue / Other"),
        (
            "opencode",
            "permission",
            "permission-bash",
            "permission",
            "$ touch demo.txt",
            "Allow once / Allow always / Reject",
        ),
        (
            "opencode",
            "permission",
            "permission-edit",
            "permission",
            "→ Edit a.txt",
            "Allow once / Allow always / Reject",
        ),
        (
            "opencode",
            "permission",
            "question",
            "question",
            colour,
            "Red / Blue / Type your own answer",
        ),
        (
            "qwen-code",
            "permission-shell",
            "permission-shell",
            "permission",
            "Allow execution of: 'touch'?",
            "Yes, allow once / Always allow run 'touch *' commands in this project / Always allow run 'touch *' commands for this user / No, suggest changes (esc)",
        ),
    ] {
        let file = format!("{agent}/{file}.cast");
        let (recording, cast) = one(agent, &file);
        let mark = recording.states.iter().find(|mark| mark.state == state).unwrap();
        for unreported in [false, true] {
            let change = Change { unreported, ..Change::default() };
            let verdicts = play(&rules(agent), &cast, change);
            let asked = at(&verdicts, mark.at()).and_then(|verdict| verdict.question.as_ref());
            let asked = asked.unwrap_or_else(|| panic!("{file} {state}: no question"));
            let read = (asked.kind.as_str(), asked.text.as_str(), asked.options.join(" / "));
            assert_eq!(read, (kind, text, options.to_owned()), "{file} {state}");
            assert!(!asked.id.is_empty());
        }
    }
}

/// Every question that a recording shows is read, whatever it is (G5).
#[test]
fn every_question_is_read_g5() {
    for (recorded, _) in AGENTS {
        let rules = rules(recorded);
        for (recording, cast) in of(recorded) {
            let verdicts = play(&rules, &cast, Change { unreported: true, ..Change::default() });
            for mark in &recording.states {
                let waits = mark.expected(&recording.file)[0].is_waiting();
                let asked = at(&verdicts, mark.at()).and_then(|verdict| verdict.question.as_ref());
                let read = |asked: &Question| !asked.text.is_empty() && !asked.kind.is_empty();
                assert_eq!(asked.is_some_and(read), waits, "{} {}", recording.file, mark.state);
            }
        }
    }
}

/// G2: the default of a start's dialog is what is selected when it appears.
#[test]
fn the_defaults_of_start_dialogs_are_those_that_are_selected_g2() {
    let registry = registry();
    let mut seen = Vec::new();
    for (recorded, name) in AGENTS {
        let dialogs = &registry.find(name).unwrap().dialog;
        for (recording, cast) in of(recorded) {
            for (_, verdict) in play(&rules(recorded), &cast, Change::default()) {
                let Some(asked) = &verdict.question else { continue };
                let rule = verdict.activity.witness.strip_prefix("screen: ");
                let dialog = dialogs.iter().find(|dialog| Some(dialog.rule.as_str()) == rule);
                if let (Some(dialog), None) =
                    (dialog, seen.iter().find(|it| **it == (name, rule.map(str::to_owned))))
                {
                    let selected = &asked.options[asked.selected.unwrap()];
                    assert!(selected.starts_with(&dialog.default), "{} {asked:?}", recording.file);
                    seen.push((name, rule.map(str::to_owned)));
                }
            }
        }
    }
    let names: Vec<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["claude", "claude", "codex", "copilot", "gemini"]);
}

fn one(agent: &str, file: &str) -> (Recording, Asciicast) {
    of(agent).into_iter().find(|(recording, _)| recording.file == file).unwrap()
}

/// When something was typed that may change what the program does.
fn typed(file: &str) -> Vec<Timestamp> {
    let text = std::fs::read_to_string(folder().join(file)).unwrap();
    let events = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap());
    let typed = events.filter_map(|event: (f64, String, String)| {
        let reply = event.2.starts_with('\u{1b}') && event.2.len() > 1;
        (event.1 == "i" && !reply).then(|| milliseconds(event.0))
    });
    typed.collect()
}

/// G6: between two things that were typed nothing begins twice.
#[test]
fn no_verdict_flaps_g6() {
    for (recorded, _) in AGENTS {
        let rules = rules(recorded);
        for (recording, cast) in of(recorded) {
            let typed = typed(&recording.file);
            for unreported in [false, true] {
                let verdicts = play(&rules, &cast, Change { unreported, ..Change::default() });
                let values = verdicts.iter().map(|(since, verdict)| {
                    (typed.iter().filter(|at| *at <= since).count(), verdict.activity.value)
                });
                let mut values: Vec<_> = values.collect();
                // Another question of the same kind is no change of the activity.
                values.dedup();
                let mut begun = std::collections::HashSet::new();
                for value in &values {
                    assert!(begun.insert(*value), "{}: {value:?} in {values:?}", recording.file);
                }
            }
        }
    }
}

/// G6: what a program reports itself is seen within a second without its reports too. Codex calls itself
/// idle while its title shows that it starts; the first seconds are left out there.
#[test]
fn what_is_reported_is_seen_within_a_second_g6() {
    for agent in ["claude-code", "codex"] {
        let rules = rules(agent);
        for (recording, cast) in of(agent) {
            let reported = play(&rules, &cast, Change::default());
            let unreported = Change { unreported: true, ..Change::default() };
            let seen = play(&rules, &cast, unreported);
            let value = |verdicts: &[(Timestamp, Verdict)], moment| {
                at(verdicts, moment).map_or(Activity::Unknown, |verdict| verdict.activity.value)
            };
            let end = cast.events.last().unwrap().0;
            let begin = if agent == "codex" { 2_000 } else { 0 };
            for moment in (begin + 1_000..end.0 - 1_000).step_by(50) {
                let (before, now) = (Timestamp(moment - 1_000), Timestamp(moment));
                let lasts = !reported.iter().any(|(since, _)| (before..=now).contains(since));
                let told = value(&reported, now);
                let hidden = HIDDEN.iter().any(|(file, from, to)| {
                    recording.file == *file && (*from..*to).contains(&moment)
                });
                if lasts && told != Activity::Unknown && !hidden {
                    assert_eq!(value(&seen, now), told, "{} at {moment} ms", recording.file);
                }
            }
        }
    }
}

/// Titles with a fixed meaning are a help, not a need: only the text that codex streams has nothing else.
#[test]
fn titles_are_not_needed() {
    let change = Change { unreported: true, untitled: true, ..Change::default() };
    let mut all = Vec::new();
    for (recorded, _) in AGENTS {
        for (recording, cast) in of(recorded) {
            all.extend(wrong(&recording, &play(&rules(recorded), &cast, change), change));
        }
    }
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].starts_with("codex/main.cast working "), "{all:#?}");
}
