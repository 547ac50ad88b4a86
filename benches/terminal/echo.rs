//! From a key to the cell that it changes.

use std::thread::sleep;
use std::time::Duration;

use crate::outer::Outer;
use crate::subjects::Place;
use crate::support::{Figures, Times};

/// No control sequence ends with these and no view draws them by itself.
const KEYS: &[u8] = b"QXZWVKJ";
/// Keys of one round, and rounds: those who are compared take turns.
const ROUND: usize = 50;
const ROUNDS: usize = 20;
/// Between two keys, so that each finds everybody at rest.
const PAUSE: Duration = Duration::from_millis(4);

pub(crate) fn measure(figures: &mut Figures) {
    let place = Place::new();
    let agent = ["agent", "echo", "0"];
    let id = place.spawn(&agent);
    let (mut bare, mut tmux) = (place.bare(&agent), place.in_tmux(&agent));
    let mut attached = place.attached(&id);
    let mut times: [Times; 4] = Default::default();
    for at in 0..ROUNDS {
        for (outer, times) in [&mut bare, &mut tmux, &mut attached].into_iter().zip(&mut times) {
            round(outer, at, times);
        }
    }
    // One console types at a time: the dashboard has its turns beside tmux's again.
    attached.write(b"\x1d");
    let mut dashboard = place.dashboard();
    let mut beside = Times::default();
    for at in 0..ROUNDS {
        round(&mut tmux, at, &mut beside);
        round(&mut dashboard, at, &mut times[3]);
    }
    let [bare, tmux, attach, pane] = &times;
    for (name, times) in [
        ("bare PTY", bare),
        ("tmux", tmux),
        ("attach", attach),
        ("tmux again", &beside),
        ("pane", pane),
    ] {
        figures.time(format!("echo, {name}, p50"), times.median(), None);
        figures.time(format!("echo, {name}, p99"), times.percentile(99), None);
    }
    let over = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    figures.ratio("  attach over tmux, p50", over(attach.median(), tmux.median()), Some(1.0));
    let (most, tmux_most) = (attach.percentile(99), tmux.percentile(99));
    figures.ratio("  attach over tmux, p99", over(most, tmux_most), Some(1.0));
    let more = |one: &Times, other: &Times| one.median().saturating_sub(other.median());
    let limit = Some(Duration::from_micros(150));
    figures.time("  attach beyond the bare PTY, p50", more(attach, bare), limit);
    figures.time("  pane beyond tmux, p50", more(pane, &beside), Some(Duration::from_millis(1)));
}

/// Each key differs from the one before, also from the last of the round before.
fn round(outer: &mut Outer, number: usize, times: &mut Times) {
    for at in number * ROUND..(number + 1) * ROUND {
        sleep(PAUSE);
        let key = &KEYS[at % KEYS.len()..][..1];
        let typed = outer.write(key);
        let drawn = outer.catch(key);
        times.add(drawn.duration_since(typed));
    }
}
