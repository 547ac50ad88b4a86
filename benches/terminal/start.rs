//! From nothing to the first picture.

use crate::outer::Outer;
use crate::subjects::{CALLBOARD, Place};
use crate::support::{Figures, Times};

/// Starts of each, in turns.
const ROUNDS: usize = 9;
/// Sessions that the dashboard has.
const SESSIONS: &str = "100000";

pub(crate) fn measure(figures: &mut Figures) {
    let place = Place::new();
    let home = place.home().join("many").to_string_lossy().into_owned();
    place.callboard(&["demo", "--seed-only", "--sessions", SESSIONS, "--home", &home]);
    let mut times: [Times; 2] = Default::default();
    for _ in 0..ROUNDS {
        let socket = place.home().join("cold").to_string_lossy().into_owned();
        let argv = ["tmux", "-S", &socket, "-f", "/dev/null", "new-session", "cat"];
        // Its status line.
        times[0].add(first(Outer::start("tmux", place.home(), &argv), "[0]"));
        let mut end = std::process::Command::new("tmux");
        let _ended = end.args(["-S", &socket, "kill-server"]).status();
        // The last row of the rail.
        let outer = Outer::start("the dashboard", home.as_ref(), &[CALLBOARD]);
        times[1].add(first(outer, "Trash"));
    }
    let [tmux, board] = &times;
    figures.time("start of tmux, cold", tmux.median(), None);
    figures.time(format!("start of the dashboard, {SESSIONS} sessions"), board.median(), None);
    let over = board.median().as_secs_f64() / tmux.median().as_secs_f64();
    figures.ratio("  dashboard over tmux", over, Some(1.0));
}

fn first(mut outer: Outer, text: &str) -> std::time::Duration {
    let began = outer.began;
    outer.see(text).duration_since(began)
}
