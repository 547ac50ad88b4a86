//! What the detection of an activity costs a keeper: a look at each screen of the recordings that changed
//! (`spec/agents.md` G7).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where it cannot go on")]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use callboard::agents::Registry;
use callboard::config::Config;
use callboard::domain::time::Timestamp;
use callboard::os::paths::Home;
use callboard::runtime::detect::Watch;
use callboard::runtime::screen::{Screen, Size};
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
        let recordings: Vec<Recording> = files(recorded).iter().map(|it| read(it)).collect();
        let rules = registry.rules(agent);
        let mut times = Times::default();
        group.bench_function(agent, |bencher| {
            bencher.iter_custom(|rounds| {
                let round = |_| {
                    let mut looks = 0;
                    let mut all = Duration::ZERO;
                    for recording in &recordings {
                        let watch = Watch::new(&rules, Timestamp(0)).unwrap();
                        recording.play(watch, |took| {
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
        figures.time(format!("{agent}, median"), times.median(), Some(LIMIT));
        figures.time(format!("{agent}, 99 of 100"), times.percentile(99), None);
    }
    group.finish();
    criterion.final_summary();
    figures.print();
}

/// An asciicast: what was written, with its time in milliseconds.
struct Recording {
    size: Size,
    written: Vec<(i64, String)>,
}

impl Recording {
    /// Looks when a keeper would; tells what each look at a changed screen took.
    fn play(&self, mut watch: Watch, mut took: impl FnMut(Duration)) {
        let mut screen = Screen::new(self.size, 0);
        for (at, bytes) in &self.written {
            let now = Timestamp(*at);
            while let Some(due) = watch.due(&screen).filter(|due| *due < now) {
                look(&mut watch, &screen, due, &mut took);
            }
            let events = screen.feed(bytes.as_bytes());
            if watch.changed(&events, now) {
                look(&mut watch, &screen, now, &mut took);
            }
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

fn files(recorded: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recordings");
    let entries = std::fs::read_dir(folder.join(recorded)).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn read(file: &Path) -> Recording {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let header: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let of = |name: &str| header[name].as_u64().unwrap() as u16;
    let size = Size { cols: of("width"), rows: of("height") };
    let events = lines.map(|line| serde_json::from_str::<(f64, String, String)>(line).unwrap());
    let written = events.filter(|event| event.1 == "o");
    let written = written.map(|(at, _, text)| ((at * 1_000.0) as i64, text)).collect();
    Recording { size, written }
}
