//! What is concluded at each marked moment (`spec/agents.md` G9).

use super::*;

/// G9: every marked moment, with and without OSC 7501.
#[test]
fn every_marked_moment_is_right() {
    let unreported = Change { unreported: true, ..Change::default() };
    let wrong = all_wrong(&[Change::default(), unreported]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// G9: nor do colours count, where a read ends, when the recording began, or how wide the screen is.
#[test]
fn what_is_no_matter_changes_nothing() {
    let unreported = Change { unreported: true, ..Change::default() };
    let wrong = all_wrong(&[
        Change { colours: Colours::None, later: 86_400_000, ..unreported },
        Change { cut: Some(7), later: 333, ..unreported },
        Change { cut: Some(1_234_567), colours: Colours::None, ..Change::default() },
        Change { cols: Some(121), ..unreported },
        Change { cols: Some(200), ..unreported },
    ]);
    assert!(wrong.is_empty(), "{wrong:#?}");
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

/// Titles with a fixed meaning are a help, not a need: only the text that codex streams has nothing else.
#[test]
fn titles_are_not_needed() {
    let change = Change { unreported: true, untitled: true, ..Change::default() };
    let all = all_wrong(&[change]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].starts_with("codex/main.cast working "), "{all:#?}");
}
