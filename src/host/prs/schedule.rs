//! When the pull requests of which repository are read (`spec/lifecycle.md` F2): pure, the time comes
//! from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

/// Time between two reads of a repository with sessions on view.
pub(super) const ON_VIEW: Duration = Duration::from_mins(1);
/// The same of others.
pub(super) const OTHERS: Duration = Duration::from_mins(5);
/// The longest pause after failures.
const LONGEST: Duration = Duration::from_hours(1);
/// How many repositories are read at once.
const AT_ONCE: usize = 4;

/// How a read ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was read.
    Well,
    /// There is nowhere to read from.
    Nowhere,
    /// It failed, for this repository.
    Badly,
    /// It failed as it would for every repository, until the operator does something about it.
    Closed,
    /// Too much was asked.
    Limited,
}

/// One repository.
#[derive(Debug, Default)]
struct Place {
    /// When a read ended last.
    read_at: Option<Instant>,
    on_view: bool,
    pushed: bool,
    nowhere: bool,
    /// Reads that failed one after the other.
    failures: u32,
}

impl Place {
    fn due_at(&self, now: Instant) -> Instant {
        let Some(read_at) = self.read_at else {
            return now;
        };
        if self.pushed && self.failures == 0 {
            return now;
        }
        let often = self.on_view && !self.nowhere;
        let pause = if often { ON_VIEW } else { OTHERS };
        read_at + longer(pause, self.failures)
    }
}

/// A pause after so many failures.
fn longer(pause: Duration, failures: u32) -> Duration {
    pause.saturating_mul(1 << failures.min(10)).min(LONGEST.max(pause))
}

/// Which repository is read when.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    places: BTreeMap<PathBuf, Place>,
    /// Those that are being read.
    reading: BTreeSet<PathBuf>,
    /// Nothing is read before.
    held_until: Option<Instant>,
    /// Limits that were met one after the other.
    limits: u32,
}

impl Schedule {
    /// From now on these are read, and no others; each with whether it is on view.
    pub(super) fn follow<'a>(&mut self, places: impl Iterator<Item = (&'a Path, bool)>) {
        let mut before = std::mem::take(&mut self.places);
        for (folder, on_view) in places {
            let place = before.remove(folder).unwrap_or_default();
            self.places.insert(folder.to_owned(), Place { on_view, ..place });
        }
    }

    /// Whether it is one that can have pull requests, as far as is known.
    pub(super) fn is_somewhere(&self, folder: &Path) -> bool {
        self.places.get(folder).is_some_and(|place| !place.nowhere)
    }

    /// Something was pushed from it.
    pub(super) fn pushed(&mut self, folder: &Path) {
        if let Some(place) = self.places.get_mut(folder) {
            place.pushed = true;
        }
    }

    /// Those to be read now; they count as being read until [`Schedule::ended`].
    pub(super) fn begin(&mut self, now: Instant) -> Vec<PathBuf> {
        if self.held_until.is_some_and(|until| now < until) {
            return Vec::new();
        }
        // While all fail, one tells whether they still do.
        let room = if self.held_until.is_some() { 1 } else { AT_ONCE };
        let reading = &self.reading;
        let due = self.places.iter_mut().filter(|(folder, _)| !reading.contains(*folder));
        let mut due: Vec<_> = due.filter(|(_, place)| place.due_at(now) <= now).collect();
        due.sort_by_key(|(_, place)| (!place.on_view, place.read_at));
        let due = due.into_iter().take(room.saturating_sub(reading.len()));
        let begun = due.map(|(folder, place)| {
            place.pushed = false;
            folder.clone()
        });
        let begun: Vec<PathBuf> = begun.collect();
        self.reading.extend(begun.iter().cloned());
        begun
    }

    /// A read ended.
    pub(super) fn ended(&mut self, folder: &Path, now: Instant, how: Ended) {
        match how {
            Ended::Well => (self.held_until, self.limits) = (None, 0),
            Ended::Closed => self.hold(now + OTHERS),
            Ended::Limited => {
                // Those that were read at the same time met the same one.
                if self.held_until.is_none_or(|until| until <= now) {
                    self.limits = self.limits.saturating_add(1);
                }
                self.hold(now + longer(OTHERS, self.limits.saturating_sub(1)));
            }
            Ended::Badly | Ended::Nowhere => {}
        }
        self.reading.remove(folder);
        let Some(place) = self.places.get_mut(folder) else {
            return;
        };
        place.nowhere = how == Ended::Nowhere;
        match how {
            Ended::Well | Ended::Nowhere => place.failures = 0,
            Ended::Badly => place.failures = place.failures.saturating_add(1),
            // It comes again as soon as any may.
            Ended::Closed | Ended::Limited => return,
        }
        place.read_at = Some(now);
    }

    fn hold(&mut self, until: Instant) {
        self.held_until = self.held_until.max(Some(until));
    }

    /// When the next one is due; none while none is followed, or while the end of a read comes first.
    pub(super) fn next(&self, now: Instant) -> Option<Instant> {
        let reading = self.reading.len();
        if reading >= AT_ONCE || (reading > 0 && self.held_until.is_some()) {
            return None;
        }
        let waiting = self.places.iter().filter(|(folder, _)| !self.reading.contains(*folder));
        let due = waiting.map(|(_, place)| place.due_at(now)).min()?;
        Some(self.held_until.map_or(due, |until| due.max(until)))
    }
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
