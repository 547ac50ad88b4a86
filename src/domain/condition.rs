//! The changing part of a session and the pure rules that change it (`spec/lifecycle.md` section 2).
//!
//! Whoever writes facts folds them with [`Condition::fold`]; the store keeps the result beside the
//! facts in one transaction (`spec/store.md` W5).

use std::time::Duration;

use super::activity::{Activity, ActivityFact, Question};
use super::facts::Facts;
use super::lifecycle::{Lifecycle, State, TerminationReason};
use super::pr::PrFacts;
use super::probe::{self, Evidence};
use super::status::{self, Attention, Status, Zone};
use super::time::Timestamp;

/// A retrying agent wants attention after this time (T4).
pub const RETRYING_AFTER: Duration = Duration::from_mins(2);
/// An active agent without any sign for this time is stalled (G5).
pub const STALLED_AFTER: Duration = Duration::from_mins(10);

/// Lifecycle, activity and what is derived from them. The derived fields are a cache for queries,
/// set by [`Condition::settle`] and never a source of truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// State, reason, generations.
    pub lifecycle: Lifecycle,
    /// What the agent does.
    pub activity: ActivityFact,
    /// The question it shows.
    pub question: Option<Question>,
    /// Number of the latest turn (S1); 0 before the first.
    pub turn: u32,
    /// Sort time: start of the latest turn, else of the session (P2).
    pub sorted_at: Timestamp,
    /// Last sign of life.
    pub last_activity_at: Option<Timestamp>,
    /// When the agent last went from active to idle.
    pub finished_at: Option<Timestamp>,
    /// When the operator last looked at it.
    pub seen_at: Option<Timestamp>,
    /// Derived: status.
    pub status: Status,
    /// Derived: since when the status holds.
    pub status_since: Timestamp,
    /// Derived: reason to look at it.
    pub attention: Option<Attention>,
    /// Derived: when a timed rule has to be looked at again (A4, A5, T4).
    pub due_at: Option<Timestamp>,
}

impl Condition {
    /// A session that was just created.
    pub fn new(now: Timestamp) -> Self {
        Self {
            lifecycle: Lifecycle::new(),
            activity: ActivityFact::unknown(now),
            question: None,
            turn: 0,
            sorted_at: now,
            last_activity_at: None,
            finished_at: None,
            seen_at: None,
            status: Status::Spawning,
            status_since: now,
            attention: None,
            due_at: None,
        }
    }

    /// Derived: the zone (T3).
    pub fn zone(&self) -> Zone {
        self.status.zone()
    }

    /// Since when it wants the operator; none where it does not (T4).
    pub fn waiting_since(&self) -> Option<Timestamp> {
        let activity = self.activity.since;
        Some(match self.attention? {
            Attention::FinishedUnseen => self.finished_at.unwrap_or(activity),
            Attention::Retrying => activity.plus(RETRYING_AFTER),
            Attention::Stalled => self.last_activity_at.unwrap_or(activity).plus(STALLED_AFTER),
            _ => self.status_since,
        })
    }

    /// A launch of `generation` was made ready: alive, no fact yet (C3, B2).
    pub fn launched(mut self, generation: u32, now: Timestamp) -> Self {
        self.lifecycle.generation = generation;
        self.lifecycle.alive = true;
        self.lifecycle.state = State::NotStarted;
        self.lifecycle.reason = None;
        self.lifecycle.detecting = None;
        self.activity = ActivityFact::unknown(now);
        self.question = None;
        self
    }

    /// The launch is published: from now on its facts count (C4).
    pub fn published(mut self, generation: u32, prs: &[PrFacts], now: Timestamp) -> Self {
        self.lifecycle.published = generation;
        self.settle(prs, now)
    }

    /// Folds a facts row. `None` where the facts do not count: older than the published generation,
    /// not yet published, or the session is at its end (S5, C4, D13).
    pub fn fold(&self, facts: &Facts, prs: &[PrFacts], now: Timestamp) -> Option<Self> {
        let published = self.lifecycle.published;
        if facts.generation != published || published == 0 || self.lifecycle.state.is_terminal() {
            return None;
        }
        let mut next = self.clone();
        next.last_activity_at = next.last_activity_at.max(Some(facts.last_sign_at));
        next.observe(&facts.activity);
        next.question.clone_from(&facts.question);
        if let Some(exit) = &facts.exit {
            next = next.ended(TerminationReason::AgentProcessExited, exit.at);
        }
        Some(next.settle(prs, now))
    }

    /// A1 to A3: the state that follows from an activity.
    fn observe(&mut self, seen: &ActivityFact) {
        let before = self.activity.value;
        if before.is_working() && seen.value == Activity::Idle {
            self.finished_at = Some(seen.since);
        }
        let starts = seen.value.is_working() && !before.is_working();
        if starts && !before.is_waiting() && !self.turn_is_fresh(seen.since) {
            self.start_turn(seen.since);
        }
        self.activity = seen.clone();
        self.lifecycle.state = seen.value.state();
        self.lifecycle.detecting = None;
    }

    /// Whether the present turn was begun by a prompt that this start of work answers.
    fn turn_is_fresh(&self, start: Timestamp) -> bool {
        let rested =
            self.activity.value != Activity::Unknown && self.activity.since > self.sorted_at;
        self.turn > 0 && !rested && self.sorted_at <= start
    }

    fn start_turn(&mut self, at: Timestamp) {
        self.turn += 1;
        self.sorted_at = self.sorted_at.max(at);
    }

    /// A prompt was sent, from `began` on: a new turn starts then (S1), unless the work that answers it was
    /// seen before this was written down.
    pub fn prompted(mut self, prs: &[PrFacts], began: Timestamp, now: Timestamp) -> Self {
        if self.turn == 0 || self.sorted_at < began {
            // What it did until now is no answer; of a launch that was made with it nothing is known yet.
            let known = self.activity.value != Activity::Unknown;
            self.start_turn(if known { began.max(self.activity.since) } else { now });
        }
        self.settle(prs, now)
    }

    /// The operator looked at it (T4).
    pub fn seen(mut self, prs: &[PrFacts], now: Timestamp) -> Self {
        self.seen_at = Some(now);
        self.settle(prs, now)
    }

    /// The operator declared the work complete (S2).
    pub fn done(mut self, prs: &[PrFacts], now: Timestamp) -> Self {
        self = self.ended(TerminationReason::ManuallyKilled, now);
        self.lifecycle.state = State::Done;
        self.lifecycle.reason = None;
        self.settle(prs, now)
    }

    /// The session ended for `reason`.
    pub fn terminated(self, reason: TerminationReason, prs: &[PrFacts], now: Timestamp) -> Self {
        self.ended(reason, now).settle(prs, now)
    }

    fn ended(mut self, reason: TerminationReason, at: Timestamp) -> Self {
        if self.activity.value != Activity::Exited {
            self.activity =
                ActivityFact { value: Activity::Exited, since: at, witness: "process".to_owned() };
        }
        self.question = None;
        self.lifecycle.state = State::Terminated;
        self.lifecycle.reason = Some(reason);
        self.lifecycle.alive = false;
        self.lifecycle.detecting = None;
        self
    }

    /// Applies what a probe found (A4, A5). Terminal sessions are never rewritten.
    pub fn probed(&self, evidence: &Evidence, prs: &[PrFacts], now: Timestamp) -> Self {
        probe::conclude(self, evidence, now).settle(prs, now)
    }

    pub(super) fn lost(self, reason: TerminationReason, now: Timestamp) -> Self {
        self.ended(reason, now)
    }

    /// Derives status, attention and the next time to look again.
    pub fn settle(mut self, prs: &[PrFacts], now: Timestamp) -> Self {
        let status = status::derive(&self.lifecycle, &self.activity, prs).status;
        if status != self.status {
            self.status = status;
            self.status_since = now;
        }
        let (attention, due) = self.attention(now);
        self.attention = attention;
        self.due_at = earliest(due, self.lifecycle.detecting.as_ref().map(probe::next_attempt));
        self
    }

    /// Rule T4: the reason, and when it may change by time alone.
    fn attention(&self, now: Timestamp) -> (Option<Attention>, Option<Timestamp>) {
        let unseen = |since: Timestamp| self.seen_at.is_none_or(|seen| seen < since);
        let until_seen = |reason| (unseen(self.status_since).then_some(reason), None);
        let timed = match self.activity.value {
            Activity::Retrying => {
                Some((Attention::Retrying, self.activity.since.plus(RETRYING_AFTER)))
            }
            Activity::Active => {
                let sign = self.last_activity_at.unwrap_or(self.activity.since);
                Some((Attention::Stalled, sign.plus(STALLED_AFTER)))
            }
            _ => None,
        };
        match self.status {
            Status::NeedsInput if self.activity.value == Activity::Blocked => {
                (Some(Attention::Permission), None)
            }
            Status::NeedsInput => (Some(Attention::NeedsInput), None),
            Status::Stuck => (Some(Attention::Stuck), None),
            Status::Errored => until_seen(Attention::Errored),
            _ if self.lifecycle.is_live() && timed.is_some_and(|(_, at)| at <= now) => {
                (timed.map(|(reason, _)| reason), None)
            }
            status => {
                let due = timed.filter(|_| self.lifecycle.is_live()).map(|(_, at)| at);
                let by_pr = match status {
                    Status::CiFailed => until_seen(Attention::CiFailed).0,
                    Status::ChangesRequested => until_seen(Attention::ChangesRequested).0,
                    Status::Mergeable => until_seen(Attention::Mergeable).0,
                    Status::Approved => until_seen(Attention::Approved).0,
                    _ => None,
                };
                let finished = self.finished_at.is_some_and(unseen)
                    && self.lifecycle.is_live()
                    && self.activity.value == Activity::Idle;
                (by_pr.or(finished.then_some(Attention::FinishedUnseen)), due)
            }
        }
    }
}

fn earliest(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
#[path = "condition_tests.rs"]
mod tests;
