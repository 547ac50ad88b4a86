//! What the detection of an activity costs a keeper: a look at each screen of the recordings that changed
//! (`spec/agents.md` G7).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where it cannot go on")]

mod support;

use std::path::Path;
use std::time::Duration;

use callboard::agents::Registry;
use callboard::config::Config;
use callboard::domain::time::Timestamp;
use callboard::os::paths::Home;
use callboard::runtime::detect::{Asciicast, Played, Watch, parse};
use callboard::runtime::screen::Screen;
use criterion::{Criterion, SamplingMode};

use support::{Figures, Times};

/// A folder of recordings, and the agent whose rules are for it.
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
/// What a look at a changed screen may take.
const LIMIT: Duration = Duration::from_micros(200);

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let home = tempfile::tempdir().unwrap();
    let (registry, _) = Registry::load(&Home::at(home.path()).unwrap(), &Config::default());
    let mut figures = Figures::default();
    let mut group = criterion.benchmark_group("look at a changed screen");
    group.sampling_mode(SamplingMode::Flat);
    for (recorded, agent) in AGENTS {
        let recordings = recordings(recorded);
        let rules = registry.rules(agent);
        let mut times = Times::default();
        group.bench_function(agent, |bencher| {
            bencher.iter_custom(|rounds| {
                let round = |_| {
                    let mut looks = 0;
                    let mut all = Duration::ZERO;
                    for recording in &recordings {
                        let watch = Watch::new(&rules, Timestamp(0)).unwrap();
                        play(recording, watch, |took| {
                            times.add(took);
                            all += took;
                            looks += 1;
                        });
                    }
                    all / looks.max(1)
                };
                (0..rounds).map(round).sum()
            });
        });
        figures.time(format!("{agent}, median"), times.median(), None);
        figures.time(format!("{agent}, 99 of 100"), times.percentile(99), Some(LIMIT));
    }
    group.finish();
    criterion.final_summary();
    figures.print();
}

/// Looks when a keeper would; tells what each look at a changed screen took.
fn play(recording: &Asciicast, mut watch: Watch, mut took: impl FnMut(Duration)) {
    let mut screen = Screen::new(recording.size, 0);
    for (now, played) in recording.played() {
        while let Some(due) = watch.due(&screen).filter(|due| *due < now) {
            look(&mut watch, &screen, due, &mut took);
        }
        let Played::Output(bytes) = played else { continue };
        let events = screen.feed(bytes);
        if watch.changed(&events, now) {
            look(&mut watch, &screen, now, &mut took);
        }
    }
}

fn look(watch: &mut Watch, screen: &Screen, now: Timestamp, took: &mut impl FnMut(Duration)) {
    let changed = watch.is_unseen();
    let (time, _) = Times::default().of(|| watch.look(screen, None, false, now));
    if changed {
        took(time);
    }
}

fn recordings(recorded: &str) -> Vec<Asciicast> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recordings");
    let entries = std::fs::read_dir(folder.join(recorded)).unwrap();
    let texts = entries.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    texts.map(|text| parse(&text).unwrap()).collect()
}
