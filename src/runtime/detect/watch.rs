//! When to look at a screen: once it has settled, again where a verdict is pending, and never while it
//! does not change (G7). The same in a keeper and in the replay of a recording.

use std::time::Duration;

use super::{Detector, Inputs, RuleError, Verdict};
use crate::domain::agent::Rules;
use crate::domain::hook::HookReport;
use crate::domain::time::Timestamp;
use crate::runtime::screen::{Screen, ScreenEvent, Size};
use crate::runtime::wire::message::WitnessReport;

/// The screen counts as settled this long after its last change.
const SETTLED: Duration = Duration::from_millis(20);
/// A screen that keeps changing is looked at this often.
const RESTLESS: Duration = Duration::from_millis(100);
/// A held frame (mode 2026) is looked at after this time all the same.
const HELD: Duration = Duration::from_secs(1);
/// A shell's foreground is looked at once more this long after a change: a program starts a moment
/// after its command was echoed.
const FOREGROUND: Duration = Duration::from_millis(300);

/// A detector and the times at which it looks.
#[derive(Debug)]
pub struct Watch {
    detector: Detector,
    /// First and last change of the screen that was not looked at yet.
    unseen: Option<(Timestamp, Timestamp)>,
    /// When to look at a shell's foreground again.
    look_again: Option<Timestamp>,
}

impl Watch {
    /// A watch that has seen nothing.
    ///
    /// # Errors
    /// A pattern of a rule cannot be compiled.
    pub fn new(rules: &Rules, now: Timestamp) -> Result<Self, RuleError> {
        let detector = Detector::new(rules, now)?;
        Ok(Self { detector, unseen: None, look_again: None })
    }

    /// The program was started with a prompt, see [`Detector::prompted`].
    pub fn prompted(self) -> Self {
        Self { detector: self.detector.prompted(), ..self }
    }

    /// Whether the foreground of the terminal is wanted: rules for a shell.
    pub fn watches_foreground(&self) -> bool {
        self.detector.watches_foreground()
    }

    /// The screen changed, with these events. True where the program itself said something, so that the
    /// caller looks at once.
    pub fn changed(&mut self, events: &[ScreenEvent], now: Timestamp) -> bool {
        self.unseen = Some((self.unseen.map_or(now, |(first, _)| first), now));
        let mut heard = false;
        for event in events {
            heard |= self.detector.hear(event, now);
        }
        heard
    }

    /// The agent reported something through a hook. True where the caller looks at once.
    pub fn reported(&mut self, report: &HookReport, now: Timestamp) -> bool {
        self.detector.hear_hook(report, now)
    }

    /// Whether the screen changed since it was last looked at.
    pub fn is_unseen(&self) -> bool {
        self.unseen.is_some()
    }

    /// When to look next, if ever.
    pub fn due(&self, screen: &Screen) -> Option<Timestamp> {
        let settled = self.unseen.map(|(first, last)| {
            if screen.synchronized() {
                first.plus(HELD)
            } else {
                last.plus(SETTLED).min(first.plus(RESTLESS))
            }
        });
        [settled, self.detector.next_deadline(), self.look_again].into_iter().flatten().min()
    }

    /// Looks now; gives the verdict where it changed. `busy` as in [`Inputs::busy`].
    pub fn look(
        &mut self,
        screen: &Screen,
        busy: Option<bool>,
        exited: bool,
        now: Timestamp,
    ) -> Option<Verdict> {
        let unseen = self.unseen.take();
        self.look_again = (unseen.is_some() && busy.is_some()).then(|| now.plus(FOREGROUND));
        // Unchanged it is not even read (G7).
        let lines = unseen.map(|_| screen.lines()).unwrap_or_default();
        let inputs = Inputs {
            lines: &lines,
            cols: screen.size().cols.into(),
            cursor: screen.cursor().row.into(),
            title: screen.title(),
            // It has looked like this since its last change, not since it was looked at.
            since: unseen.map(|(_, last)| last),
            busy,
            exited,
        };
        self.detector.observe(&inputs, now)
    }

    /// Whether something else is shown than is concluded, see [`Detector::doubts`].
    pub fn doubts(&self) -> bool {
        self.detector.doubts()
    }

    /// What every witness says, the most trusted first (G8).
    pub fn witnesses(&self) -> Vec<WitnessReport> {
        self.detector.witnesses()
    }
}

/// What happens in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Played<'a> {
    /// The program wrote.
    Output(&'a [u8]),
    /// The terminal got another size.
    Size(Size),
}

/// The verdicts over a recording, each with its time: what happened with its times, in order. Looks exactly when a keeper would,
/// until the last deadline after the end; knows no processes. `without_reports` leaves out what the
/// program says of itself (OSC 7501).
///
/// # Errors
/// A pattern of a rule cannot be compiled.
pub fn replay<'a>(
    rules: &Rules,
    size: Size,
    recording: impl IntoIterator<Item = (Timestamp, Played<'a>)>,
    without_reports: bool,
) -> Result<Vec<(Timestamp, Verdict)>, RuleError> {
    let mut recording = recording.into_iter().peekable();
    let begin = recording.peek().map_or(Timestamp(0), |(at, _)| *at);
    let mut screen = Screen::new(size, 0);
    let mut watch = Watch::new(rules, begin)?;
    let mut verdicts = Vec::new();
    for (at, played) in recording {
        while let Some(due) = watch.due(&screen).filter(|due| *due < at) {
            verdicts.extend(watch.look(&screen, None, false, due).map(|verdict| (due, verdict)));
        }
        let mut events = match played {
            Played::Output(bytes) => screen.feed(bytes),
            Played::Size(size) => {
                screen.resize(size.clamped());
                Vec::new()
            }
        };
        if without_reports {
            events.retain(|event| !matches!(event, ScreenEvent::ProgramStatus(_)));
        }
        if watch.changed(&events, at) {
            verdicts.extend(watch.look(&screen, None, false, at).map(|verdict| (at, verdict)));
        }
    }
    while let Some(due) = watch.due(&screen) {
        verdicts.extend(watch.look(&screen, None, false, due).map(|verdict| (due, verdict)));
    }
    Ok(verdicts)
}
