//! When the next frame is drawn (`spec/look.md` section 7): only after a change, never in a fixed
//! rhythm.

use std::time::{Duration, Instant};

/// How soon a change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Now: what an agent writes that is typed into. Only a flood of it waits, for 60 frames a second.
    Echo,
    /// With the next of 60 frames a second.
    Frame,
    /// With the next of 20 frames a second: what changes beside what the operator does.
    Calm,
    /// With the next of 10 a second: tiles of the wall without the focus.
    Beside,
}

/// Time between two frames, at least.
const FRAME: Duration = Duration::from_millis(16);
/// Time between two frames of things that change by themselves.
const CALM: Duration = Duration::from_millis(50);
/// Time between two pictures of a tile without the focus.
const BESIDE: Duration = Duration::from_millis(100);

/// So far the frames of an agent that is typed into may run ahead of 60 a second.
const AHEAD: Duration = FRAME.saturating_mul(4);

/// When the last frame was drawn, and when the next one is.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
    /// When the frames drawn so far would end at 60 a second.
    paid: Option<Instant>,
    /// When the tiles without the focus were drawn last.
    beside: Option<Instant>,
    due: Option<Instant>,
}

impl Pace {
    /// A change is to be shown.
    pub(super) fn want(&mut self, urgency: Urgency, now: Instant) {
        let after_last = |gap| self.last.map_or(now, |last| (last + gap).max(now));
        self.want_at(match urgency {
            Urgency::Echo => self.paid.map_or(now, |paid| {
                now + paid.saturating_duration_since(now).saturating_sub(AHEAD)
            }),
            Urgency::Frame => after_last(FRAME),
            Urgency::Calm => after_last(CALM),
            Urgency::Beside => now + self.beside_in(now),
        });
    }

    /// A change is to be shown at this time at the latest.
    pub(super) fn want_at(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// A key was typed into an agent: its echo waits for nothing.
    pub(super) fn typed(&mut self, now: Instant) {
        self.paid = self.paid.map(|paid| paid.min(now + AHEAD));
    }

    /// How long tiles without the focus keep their pictures yet.
    pub(super) fn beside_in(&self, now: Instant) -> Duration {
        let next = self.beside.map_or(now, |last| last + BESIDE);
        next.saturating_duration_since(now)
    }

    /// The tiles without the focus get their new pictures.
    pub(super) fn beside_drawn(&mut self, now: Instant) {
        self.beside = Some(now);
    }

    /// When the next frame is due; none while nothing changed.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A frame was drawn.
    pub(super) fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
        self.paid = Some(self.paid.map_or(now, |paid| paid.max(now)) + FRAME);
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

    /// `spec/look.md` section 7: wall tiles, 60/s the focused one, 10/s the others.
    #[test]
    fn tiles_without_the_focus_change_ten_times_a_second() {
        let start = clock::monotonic();
        let at = |millis| start + Duration::from_millis(millis);
        let mut pace = Pace::default();
        assert_eq!(pace.beside_in(start), Duration::ZERO);
        pace.beside_drawn(start);
        pace.drawn(start);
        pace.want(Urgency::Beside, at(5));
        assert_eq!(pace.due(), Some(at(100)));
        pace.want(Urgency::Frame, at(6));
        assert_eq!(pace.due(), Some(at(16)), "the focused one does not wait for them");
        pace.drawn(at(16));
        assert_eq!(pace.beside_in(at(16)), Duration::from_millis(84), "nor do they come along");
        assert_eq!(pace.beside_in(at(130)), Duration::ZERO);
    }

    /// The echo in the pane: no fixed frame delay, only a flood is paced.
    #[test]
    fn an_agent_that_is_typed_into_is_shown_at_once_and_its_flood_is_paced() {
        let start = clock::monotonic();
        let mut pace = Pace::default();
        let mut now = start;
        let mut waits = Vec::new();
        for _ in 0..12 {
            pace.want(Urgency::Echo, now);
            let due = pace.due().unwrap();
            waits.push((due - now).as_millis());
            now = due;
            pace.drawn(now);
        }
        assert_eq!(waits, [0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16]);
        pace.typed(now);
        pace.want(Urgency::Echo, now);
        assert_eq!(pace.due(), Some(now), "a key is answered at once in the middle of it");
    }
}
