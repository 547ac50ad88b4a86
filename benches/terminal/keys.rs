//! From a key in the list to the frame that shows it (`spec/console.md`, Behaviour).

use std::time::Duration;

use crate::outer::{Outer, SIZE};
use crate::subjects::{CALLBOARD, Place};
use crate::support::{Figures, Times};

/// Sessions in the store.
const SESSIONS: &str = "100000";
/// Keys of each measure.
const KEYS: usize = 500;
/// Between two keys; no part of the pace of frames, so that keys fall anywhere between them.
const PAUSE: Duration = Duration::from_millis(37);
/// Every so many keys is a page instead of a row.
const PAGE_EVERY: usize = 10;
/// Agents that write, and what each writes.
const WRITERS: usize = 20;
const WRITES: &str = "status working;rate 1000000";
/// A key is answered within this time.
const LIMIT: Duration = Duration::from_millis(16);

pub(crate) fn measure(figures: &mut Figures) {
    let place = Place::new();
    let home = place.home().to_string_lossy().into_owned();
    place.callboard(&["demo", "--seed-only", "--sessions", SESSIONS, "--home", &home]);
    let times = among_many(&place);
    report(figures, &format!("key to frame, {SESSIONS} sessions"), &times);

    for _ in 0..WRITERS {
        let spawn = ["spawn", "--chat", "--pin", "--agent", "command", "--json", "--", CALLBOARD];
        place.callboard(&[&spawn[..], &["scripted", "-e", WRITES]].concat());
    }
    let times = among_writers(&place);
    report(figures, &format!("key to frame, {WRITERS} agents with 1 MB/s each"), &times);
}

fn report(figures: &mut Figures, what: &str, times: &Times) {
    figures.time(format!("{what}, p50"), times.median(), None);
    figures.time(format!("{what}, p99"), times.percentile(99), Some(LIMIT));
    figures.time(format!("{what}, most"), times.percentile(100), None);
}

/// Down a long section, by rows and by pages: the window of loaded rows moves along.
fn among_many(place: &Place) -> Times {
    let mut outer = Outer::start("the dashboard", place.home(), &[CALLBOARD]);
    outer.see("Trash");
    // The first project.
    outer.write(b"2");
    outer.see(" 1 of ");
    outer.settle();
    let page = usize::from(SIZE.1) - PAGE_LOST;
    let mut times = Times::default();
    let mut at = 1;
    for key in 1..=KEYS {
        let (bytes, by): (&[u8], usize) =
            if key % PAGE_EVERY == 0 { (b"\x1b[6~", page) } else { (b"j", 1) };
        at += by;
        press(&mut outer, bytes, &format!(" {at} of "), &mut times);
    }
    times
}

/// Rows of the window that are not part of a page: top line, two rules, names of columns, keys, and the row
/// that stays on view.
const PAGE_LOST: usize = 6;

/// Up and down among those who write, each of them on view while it is selected.
fn among_writers(place: &Place) -> Times {
    let mut outer = Outer::start("the dashboard", place.home(), &[CALLBOARD]);
    outer.see("Trash");
    outer.write(b"1");
    outer.see("Pinned");
    outer.write(b"/agent:command\r");
    outer.see(&format!(" 1 of {WRITERS} "));
    outer.see("of a long listing");
    let mut times = Times::default();
    let (mut at, mut down) = (1, true);
    for _ in 0..KEYS {
        down = if at == WRITERS { false } else { at == 1 || down };
        at = if down { at + 1 } else { at - 1 };
        let key: &[u8] = if down { b"j" } else { b"k" };
        press(&mut outer, key, &format!(" {at} of {WRITERS} "), &mut times);
    }
    times
}

fn press(outer: &mut Outer, key: &[u8], shows: &str, times: &mut Times) {
    outer.rest(PAUSE);
    let pressed = outer.write(key);
    times.add(outer.see(shows).duration_since(pressed));
}
