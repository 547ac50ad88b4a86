//! From an agent that writes as fast as it can to what the operator sees.

use std::time::Duration;

use crate::agent::{FLOOD, OVER};
use crate::outer::Outer;
use crate::subjects::Place;
use crate::support::{Figures, Times};

/// Bytes of a flood.
const BYTES: usize = 100 << 20;
/// Floods of each, in turns.
const ROUNDS: usize = 3;

pub(crate) fn measure(figures: &mut Figures) {
    let place = Place::new();
    let bytes = BYTES.to_string();
    let agent = ["agent", "echo", &bytes];
    let (mut bare, mut tmux) = (place.bare(&agent), place.in_tmux(&agent));
    let id = place.spawn(&agent);
    let mut times: [Times; 4] = Default::default();
    let mut attached = place.attached(&id);
    for _ in 0..ROUNDS {
        times[0].add(flood(&mut bare));
        times[1].add(flood(&mut tmux));
        times[2].add(flood(&mut attached));
    }
    attached.write(b"\x1d");
    drop(attached);
    let mut dashboard = place.dashboard();
    for _ in 0..ROUNDS {
        times[3].add(flood(&mut dashboard));
    }
    let names = ["bare PTY", "tmux", "attach", "pane"];
    for (name, times) in names.iter().zip(&times) {
        let rate = BYTES as f64 / f64::from(1 << 20) / times.median().as_secs_f64();
        figures.time(format!("100 MiB of text, {name} ({rate:.0} MiB/s)"), times.median(), None);
    }
    let over = |one: &Times| one.median().as_secs_f64() / times[1].median().as_secs_f64();
    figures.ratio("  attach over tmux", over(&times[2]), Some(0.5));
    figures.ratio("  pane over tmux", over(&times[3]), Some(0.5));
}

fn flood(outer: &mut Outer) -> Duration {
    outer.settle();
    let asked = outer.write(FLOOD);
    outer.catch(OVER).duration_since(asked)
}
