//! Many agents started at once and stopped at once.

use std::time::Duration;

use callboard::os::clock;

use crate::subjects::Place;
use crate::support::Figures;

/// Agents that start at once.
const STARTED: usize = 50;
/// Agents that are stopped at once.
const STOPPED: usize = 100;
/// It does nothing, and ends when it is told to.
const AGENT: [&str; 2] = ["sleep", "1000"];

pub(crate) fn measure(figures: &mut Figures) {
    let place = Place::new();
    let ours = took(|| at_once(STARTED, |_| drop(place.spawn_command(&AGENT))));
    at_once(STOPPED - STARTED, |_| drop(place.spawn_command(&AGENT)));
    let stop = took(|| drop(place.callboard(&["stop", "--all", "--yes", "--json"])));

    let in_tmux = |at: usize| {
        let (name, [program, argument]) = (format!("s{at}"), AGENT);
        place.tmux(&["new-session", "-d", "-x", "120", "-y", "40", "-s", &name, program, argument]);
    };
    let theirs = took(|| at_once(STARTED, in_tmux));
    at_once(STOPPED - STARTED, |at| in_tmux(STARTED + at));
    let listed = place.tmux(&["list-panes", "-a", "-F", "#{pane_pid}"]);
    let panes: Vec<&str> = listed.lines().collect();
    assert_eq!(panes.len(), STOPPED);
    let tmux_stop = took(|| {
        place.tmux(&["kill-server"]);
        while panes.iter().any(|pid| std::fs::exists(format!("/proc/{pid}")).unwrap()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    });

    figures.time(format!("start of {STARTED} at once"), ours, Some(Duration::from_secs(3)));
    figures.time(format!("start of {STARTED} at once, tmux"), theirs, None);
    figures.time(format!("stop of {STOPPED}"), stop, Some(Duration::from_secs(2)));
    figures.time(format!("stop of {STOPPED}, tmux (hang-up, unwatched)"), tmux_stop, None);
}

fn took(work: impl FnOnce()) -> Duration {
    let began = clock::monotonic();
    work();
    clock::monotonic().duration_since(began)
}

/// Does `count` times what one command does, all at the same time.
fn at_once(count: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for at in 0..count {
            let work = &work;
            scope.spawn(move || work(at));
        }
    });
}
