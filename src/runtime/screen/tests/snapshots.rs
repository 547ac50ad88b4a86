//! replay(snapshot(s)) equals s (`spec/runtime.md`, Snapshot).

use proptest::prelude::*;

use super::grammar::{Step, bytes, size, steps, storm};
use super::normal::normal;
use crate::runtime::screen::*;

/// History kept in these tests: small, so that it overflows.
const HISTORY: usize = 12;

pub(super) fn play(screen: &mut Screen, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Bytes(bytes) => {
                let events = screen.feed(bytes);
                assert!(
                    !events.contains(&ScreenEvent::Faulted),
                    "fault at {:?}",
                    String::from_utf8_lossy(bytes)
                );
            }
            Step::Resize(size) => screen.resize(*size),
        }
    }
}

fn replayed(screen: &mut Screen) -> (Screen, Vec<u8>) {
    let snapshot = screen.snapshot(HISTORY);
    let mut copy = Screen::new(screen.size(), HISTORY);
    let events = copy.replay(&snapshot);
    assert!(!events.contains(&ScreenEvent::Faulted));
    (copy, snapshot)
}

/// Fails where two screens differ, showing both.
fn same(screen: &Screen, copy: &Screen, snapshot: &[u8], when: &str) -> Result<(), TestCaseError> {
    let (was, is) = (normal(screen), normal(copy));
    let by = String::from_utf8_lossy(snapshot);
    prop_assert!(was == is, "{when}, was:\n{was}\nis:\n{is}\nby {by:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Snapshot: everything listed is as it was, for any bytes and any resize; and what cannot be read
    /// shows in what follows.
    #[test]
    fn a_replayed_snapshot_is_the_screen(first in size(), steps in steps(), tail in prop::collection::vec(bytes(), 0..12)) {
        let mut screen = Screen::new(first, HISTORY);
        play(&mut screen, &steps);
        let (mut copy, snapshot) = replayed(&mut screen);
        same(&screen, &copy, &snapshot, "at once")?;
        for bytes in tail {
            screen.feed(&bytes);
            copy.feed(&bytes);
        }
        same(&screen, &copy, &snapshot, "after what followed")?;
    }

    /// The same while sizes come and go.
    #[test]
    fn a_replayed_snapshot_is_the_screen_in_a_storm(first in size(), steps in storm()) {
        let mut screen = Screen::new(first, HISTORY);
        play(&mut screen, &steps);
        let (copy, snapshot) = replayed(&mut screen);
        same(&screen, &copy, &snapshot, "at once")?;
    }

    /// Snapshot: taken at a sequence boundary, the bytes of what is not finished follow it, so that the
    /// output goes on wherever it was cut.
    #[test]
    fn a_snapshot_may_be_taken_at_any_byte(first in size(), parts in prop::collection::vec(bytes(), 1..30), cut in any::<prop::sample::Index>()) {
        let stream = parts.concat();
        let (before, after) = stream.split_at(cut.index(stream.len() + 1));
        let mut screen = Screen::new(first, HISTORY);
        screen.feed(before);
        screen.take_replies();
        let (mut copy, snapshot) = replayed(&mut screen);
        copy.take_replies();
        prop_assert_eq!(screen.feed(after), copy.feed(after));
        same(&screen, &copy, &snapshot, "after the rest")?;
        prop_assert_eq!(screen.take_replies(), copy.take_replies());
    }
}

/// A program cannot forge what only a snapshot may say.
#[test]
fn private_sequences_are_heeded_in_snapshots_only() {
    let mut screen = Screen::new(Size { cols: 10, rows: 3 }, 0);
    let private = b"\x1b]88187;c=2,9,1;l=78\x1b\\";
    screen.feed(private);
    assert_eq!(screen.cursor().row, 0);
    screen.replay(private);
    assert_eq!((screen.cursor().row, screen.cursor().col), (2, 9));
    screen.feed(&private[..9]);
    screen.feed(b"0,0,0\x07");
    assert_eq!(screen.cursor().row, 2);
}

/// Snapshot: as much history as asked for.
#[test]
fn a_snapshot_has_the_history_that_was_asked_for() {
    let mut screen = Screen::new(Size { cols: 10, rows: 2 }, 100);
    screen.feed(b"1\r\n2\r\n3\r\n4\r\n5");
    for (asked, expected) in [(0, vec![]), (2, vec!["2", "3"]), (100, vec!["1", "2", "3"])] {
        let mut copy = Screen::new(screen.size(), 100);
        copy.replay(&screen.snapshot(asked));
        assert_eq!(copy.scrollback(usize::MAX), expected);
        assert_eq!(copy.lines(), ["4", "5"]);
    }
}
