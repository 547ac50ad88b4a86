//! Recordings varied at random (`spec/agents.md` G6, G9). `PROPTEST_CASES` sets how many; a few by themselves, as a
//! debug build replays slowly.

use proptest::prelude::*;

use super::steady::{begins_twice, is_seen_late};
use super::*;

/// Cases where nothing else is asked for.
const FEW: u32 = 8;

fn cases() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if asked { config } else { ProptestConfig { cases: FEW, ..config } }
}

fn colours() -> impl Strategy<Value = Colours> {
    prop::sample::select(vec![Colours::AsTheyAre, Colours::Indexed, Colours::True, Colours::None])
}

/// The screens of the recordings are 120 wide: on a narrower one their programs would have drawn others.
fn change() -> impl Strategy<Value = Change> {
    let cols = prop_oneof![Just(None), (120u16..=200).prop_map(Some)];
    let cut = prop_oneof![Just(None), any::<u64>().prop_map(Some)];
    (any::<bool>(), colours(), 0i64..100_000_000, cut, cols).prop_map(
        |(unreported, colours, later, cut, cols)| Change {
            unreported,
            colours,
            later,
            cut,
            cols,
            ..Change::default()
        },
    )
}

/// The activities in order, each with its begin since the recording's.
fn begins(verdicts: &[(Timestamp, Verdict)], change: Change) -> Vec<(Activity, i64)> {
    let each = verdicts.iter().map(|(at, verdict)| (verdict.activity.value, at.0 - change.later));
    let mut begins: Vec<_> = each.collect();
    begins.dedup_by_key(|(activity, _)| *activity);
    begins
}

proptest! {
    #![proptest_config(cases())]

    /// G6, G9: however a recording is read, coloured, wide or late, with its program's own reports and without: every
    /// marked moment is right, nothing begins twice for one change, and each change is known in the same order
    /// within a second of when it is as recorded.
    #[test]
    fn what_is_no_matter_changes_nothing_at_random(
        which in any::<prop::sample::Index>(),
        change in change(),
    ) {
        let recordings = recordings();
        let recording = &recordings[which.index(recordings.len())];
        let cast = read(&folder().join(&recording.file)).unwrap();
        let rules = rules(&recording.agent);
        let varied = play(&rules, &cast, change);
        let wrong = wrong(recording, &varied, change);
        prop_assert!(wrong.is_empty(), "{wrong:#?}");
        prop_assert_eq!(begins_twice(recording, &varied, change), None);

        let plain = Change { unreported: change.unreported, ..Change::default() };
        let plainly = begins(&play(&rules, &cast, plain), plain);
        let varied = begins(&varied, change);
        let activities = |begins: &[(Activity, i64)]| {
            begins.iter().map(|(activity, _)| *activity).collect::<Vec<_>>()
        };
        prop_assert_eq!(activities(&varied), activities(&plainly), "{} {:?}", recording.file, change);
        for ((activity, at), (_, plainly)) in varied.iter().zip(&plainly) {
            let late = (at - plainly).abs();
            prop_assert!(late <= 1_000, "{} {activity:?} at {at}, not {plainly}", recording.file);
        }
    }

    /// G6: what a program reports is seen within a second without its reports, however it is read and coloured.
    #[test]
    fn what_is_reported_is_seen_within_a_second_at_random(
        which in any::<prop::sample::Index>(),
        change in change(),
    ) {
        let recordings = recordings();
        let reporting = |it: &&Recording| ["claude-code", "codex"].contains(&it.agent.as_str());
        let recordings: Vec<&Recording> = recordings.iter().filter(reporting).collect();
        let recording = recordings[which.index(recordings.len())];
        let cast = read(&folder().join(&recording.file)).unwrap();
        let change = Change { later: 0, unreported: true, ..change };
        prop_assert_eq!(is_seen_late(recording, &cast, &rules(&recording.agent), change), None);
    }
}
