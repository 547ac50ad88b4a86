//! When the next frame is drawn (`spec/look.md` section 7): only after a change, never in a fixed
//! rhythm.

use std::time::{Duration, Instant};

/// How soon a change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Now: the answer of an agent to a key that was typed into it.
    Echo,
    /// With the next of 60 frames a second.
    Frame,
    /// With the next of 20 frames a second: what changes beside what the operator does.
    Calm,
}

/// Time between two frames, at least.
const FRAME: Duration = Duration::from_millis(16);
/// Time between two frames of things that change by themselves.
const CALM: Duration = Duration::from_millis(50);

/// When the last frame was drawn, and when the next one is.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
    due: Option<Instant>,
}

impl Pace {
    /// A change is to be shown.
    pub(super) fn want(&mut self, urgency: Urgency, now: Instant) {
        let gap = match urgency {
            Urgency::Echo => Duration::ZERO,
            Urgency::Frame => FRAME,
            Urgency::Calm => CALM,
        };
        let at = self.last.map_or(now, |last| (last + gap).max(now));
        self.want_at(at);
    }

    /// A change is to be shown at this time at the latest.
    pub(super) fn want_at(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When the next frame is due; none while nothing changed.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A frame was drawn.
    pub(super) fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
        self.due = None;
    }

    /// Whether a frame was drawn at all.
    pub(super) fn began(&self) -> bool {
        self.last.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::clock;

    #[test]
    fn frames_keep_their_distance_and_an_echo_does_not_wait() {
        let start = clock::monotonic();
        let at = |millis| start + Duration::from_millis(millis);
        let mut pace = Pace::default();
        assert_eq!(pace.due(), None);
        pace.want(Urgency::Calm, start);
        assert_eq!(pace.due(), Some(start), "the first frame is drawn at once");
        pace.drawn(start);
        pace.want(Urgency::Calm, at(2));
        assert_eq!(pace.due(), Some(at(50)));
        pace.want(Urgency::Frame, at(3));
        assert_eq!(pace.due(), Some(at(16)), "the earliest wins");
        pace.want(Urgency::Calm, at(4));
        assert_eq!(pace.due(), Some(at(16)));
        pace.want(Urgency::Echo, at(5));
        assert_eq!(pace.due(), Some(at(5)));
        pace.drawn(at(5));
        pace.want(Urgency::Frame, at(90));
        assert_eq!(pace.due(), Some(at(90)), "after a rest there is nothing to wait for");
    }
}
