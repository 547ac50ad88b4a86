//! Shared by the benches: what they print beside criterion's own report.

#![allow(dead_code, reason = "each bench uses a part of it")]

use std::time::Duration;

use callboard::os::clock;

/// The figures of one bench, printed as a table when all are measured.
#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

struct Figure {
    what: String,
    found: String,
    target: String,
    reached: Option<bool>,
}

impl Figures {
    /// A time that has a target, or none.
    pub(crate) fn time(
        &mut self,
        what: impl Into<String>,
        found: Duration,
        target: Option<Duration>,
    ) {
        self.0.push(Figure {
            what: what.into(),
            found: format!("{found:.2?}"),
            target: target.map_or_else(String::new, |target| format!("<= {target:?}")),
            reached: target.map(|target| found <= target),
        });
    }

    /// Times of one thing at growing sizes: the last has the target, and how many times as long it
    /// took as the first may have one too.
    pub(crate) fn growth(
        &mut self,
        what: &str,
        sizes: &[usize],
        found: &[Duration],
        target: Option<Duration>,
        growth: Option<f64>,
    ) {
        let (Some(first), Some((last, before))) = (found.first(), found.split_last()) else {
            return;
        };
        // Left out by the filter on the command line.
        if first.is_zero() {
            return;
        }
        for (size, time) in sizes.iter().zip(before) {
            self.time(format!("{what}, {size}"), *time, None);
        }
        if let (Some(least), Some(most)) = (sizes.first(), sizes.last()) {
            self.time(format!("{what}, {most}"), *last, target);
            let ratio = last.as_secs_f64() / first.as_secs_f64();
            self.ratio(format!("  {most} over {least}"), ratio, growth);
        }
    }

    /// How many times as long one thing takes as another.
    pub(crate) fn ratio(&mut self, what: impl Into<String>, found: f64, target: Option<f64>) {
        self.0.push(Figure {
            what: what.into(),
            found: format!("{found:.2}x"),
            target: target.map_or_else(String::new, |target| format!("<= {target}x")),
            reached: target.map(|target| found <= target),
        });
    }

    /// A number that has a highest one, or none.
    pub(crate) fn number(&mut self, what: impl Into<String>, found: u64, target: Option<u64>) {
        self.0.push(Figure {
            what: what.into(),
            found: found.to_string(),
            target: target.map_or_else(String::new, |target| format!("<= {target}")),
            reached: target.map(|target| found <= target),
        });
    }

    /// The same for what has parts.
    pub(crate) fn amount(&mut self, what: impl Into<String>, found: f64, target: Option<f64>) {
        self.0.push(Figure {
            what: what.into(),
            found: format!("{found:.2}"),
            target: target.map_or_else(String::new, |target| format!("<= {target}")),
            reached: target.map(|target| found <= target),
        });
    }

    /// Prints them.
    pub(crate) fn print(&self) {
        let wide = self.0.iter().map(|figure| figure.what.len()).max().unwrap_or(0);
        println!();
        for Figure { what, found, target, reached } in &self.0 {
            let verdict = match reached {
                None => "",
                Some(true) => "reached",
                Some(false) => "MISSED",
            };
            println!("{what:wide$}  {found:>10}  {target:<10}  {verdict}");
        }
    }
}

/// Times of one thing, kept beside what criterion is told.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Runs `work`; answers what it took, and its value.
    pub(crate) fn of<T>(&mut self, work: impl FnOnce() -> T) -> (Duration, T) {
        let start = clock::monotonic();
        let value = work();
        let took = clock::monotonic().duration_since(start);
        self.0.push(took);
        (took, value)
    }

    /// One that was taken elsewhere.
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// The time that so many of a hundred runs did not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut times = self.0.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        times.get(last * percent / 100).copied().unwrap_or_default()
    }

    /// The middle one.
    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }
}
