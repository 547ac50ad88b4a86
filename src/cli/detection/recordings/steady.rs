//! That a verdict stays and comes in time (`spec/agents.md` G6).

use super::*;

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

/// What begins twice between two things that were typed.
pub(super) fn begins_twice(
    recording: &Recording,
    verdicts: &[(Timestamp, Verdict)],
    change: Change,
) -> Option<String> {
    let typed = typed(&recording.file);
    let values = verdicts.iter().map(|(since, verdict)| {
        let before = typed.iter().filter(|at| at.0 + change.later <= since.0).count();
        (before, verdict.activity.value)
    });
    let mut values: Vec<_> = values.collect();
    // Another question of the same kind is no change of the activity.
    values.dedup();
    let mut begun = std::collections::HashSet::new();
    let twice = values.iter().find(|value| !begun.insert(**value))?;
    Some(format!("{}: {twice:?} in {values:?}, {change:?}", recording.file))
}

/// What a program reports of itself and is not seen within a second with `change`, which has no reports. Codex calls
/// itself idle while its title shows that it starts; the first seconds are left out there.
pub(super) fn is_seen_late(
    recording: &Recording,
    cast: &Asciicast,
    rules: &Rules,
    change: Change,
) -> Option<String> {
    let reported = play(rules, cast, Change::default());
    let seen = play(rules, cast, change);
    let value = |verdicts: &[(Timestamp, Verdict)], moment| {
        at(verdicts, moment).map_or(Activity::Unknown, |verdict| verdict.activity.value)
    };
    let end = cast.events.last().unwrap().0;
    let begin = if recording.agent == "codex" { 2_000 } else { 0 };
    for moment in (begin + 1_000..end.0 - 1_000).step_by(50) {
        let (before, now) = (Timestamp(moment - 1_000), Timestamp(moment));
        let lasts = !reported.iter().any(|(since, _)| (before..=now).contains(since));
        let told = value(&reported, now);
        let hidden = HIDDEN
            .iter()
            .any(|(file, from, to)| recording.file == *file && (*from..*to).contains(&moment));
        let shown = value(&seen, now);
        if lasts && told != Activity::Unknown && !hidden && shown != told {
            let file = &recording.file;
            return Some(format!("{file} at {moment} ms: {shown}, not {told}, {change:?}"));
        }
    }
    None
}

/// G6: between two things that were typed nothing begins twice.
#[test]
fn no_verdict_flaps_g6() {
    for (recorded, _) in AGENTS {
        let rules = rules(recorded);
        for (recording, cast) in of(recorded) {
            for unreported in [false, true] {
                let change = Change { unreported, ..Change::default() };
                let twice = begins_twice(&recording, &play(&rules, &cast, change), change);
                assert_eq!(twice, None);
            }
        }
    }
}

/// G6: what a program reports itself is seen within a second without its reports too.
#[test]
fn what_is_reported_is_seen_within_a_second_g6() {
    for agent in ["claude-code", "codex"] {
        let rules = rules(agent);
        for (recording, cast) in of(agent) {
            let unreported = Change { unreported: true, ..Change::default() };
            assert_eq!(is_seen_late(&recording, &cast, &rules, unreported), None);
        }
    }
}
