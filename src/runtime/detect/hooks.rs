//! The second witness: what the agent reports through its hooks.

use std::time::Duration;

use super::question::question;
use super::rules::Match;
use super::{AGREEMENT, Opinion};
use crate::domain::activity::Activity;
use crate::domain::hook::HookReport;
use crate::domain::time::Timestamp;

/// A report that the agent is at work is believed this long against a screen that came after it: no
/// hook tells of every end, as of a turn that was interrupted.
const PATIENCE: Duration = Duration::from_secs(3);

/// A question that the screen does not show any more is believed this long: it may be about to be drawn.
const SHORT: Duration = Duration::from_millis(300);

/// The last report that told of an activity.
#[derive(Debug)]
pub(super) struct Heard {
    report: HookReport,
    activity: Activity,
    pub(super) since: Timestamp,
}

impl Heard {
    /// Takes the next report; true where it replaces the last one.
    pub(super) fn take(slot: &mut Option<Self>, report: &HookReport, now: Timestamp) -> bool {
        let Some(activity) = report.activity else {
            return false;
        };
        if slot.as_ref().is_some_and(|heard| heard.report.stays_after(report)) {
            return false;
        }
        *slot = Some(Self { report: report.clone(), activity, since: now });
        true
    }

    /// When a screen that came after the report and says otherwise counts before it: hooks do not tell
    /// of every change (A2: a denial, an interruption).
    pub(super) fn overruled_at(&self, seen: Option<&Match>) -> Option<Timestamp> {
        let found = seen?;
        let newer = found.since > self.since && found.activity != self.activity;
        newer.then(|| {
            found.since.plus(match self.activity {
                activity if activity.is_waiting() => SHORT,
                Activity::Active | Activity::Retrying => PATIENCE,
                _ => AGREEMENT,
            })
        })
    }

    pub(super) fn opinion(&self, seen: Option<&Match>) -> Opinion {
        let shown = seen.and_then(|found| found.question.clone());
        let asked = self.report.question.as_ref();
        let told = asked.filter(|(_, text)| !text.is_empty());
        let told = told.map(|(kind, text)| question(kind, text.clone(), Vec::new(), None));
        Opinion {
            activity: self.activity,
            witness: format!("hook: {}", self.report.event),
            question: self.activity.is_waiting().then(|| shown.or(told)).flatten(),
            certain: true,
            drawn: false,
        }
    }

    /// Name of the event, and what it was about.
    pub(super) fn words(&self) -> (String, Option<String>) {
        let asked = self.report.question.as_ref().map(|(_, text)| text.clone());
        (self.report.event.clone(), asked.or_else(|| self.report.tool.clone()))
    }

    pub(super) fn activity(&self) -> Activity {
        self.activity
    }
}
