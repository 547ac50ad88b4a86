//! Whether a session's runtime is still there (`spec/lifecycle.md` A4 to A6).

use std::time::Duration;

use super::condition::Condition;
use super::lifecycle::{Detecting, State, TerminationReason};
use super::time::Timestamp;

/// Activity this fresh counts as a sign of life against a failed probe.
pub const RECENT: Duration = Duration::from_secs(60);
/// Attempts are counted at least this far apart (A5).
pub const ATTEMPT_EVERY: Duration = Duration::from_secs(30);
/// Equal attempts after which the session is stuck (A5).
pub const ATTEMPTS: u32 = 3;
/// Time after which the session is stuck (A5).
pub const DETECTING_LIMIT: Duration = Duration::from_secs(300);

/// The answer of one question of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It is there.
    Yes,
    /// It is gone.
    No,
    /// It could not be asked; never a death.
    Failed,
}

/// What one probe found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The keeper answered on its socket.
    pub keeper: Answer,
    /// The agent's process runs.
    pub process: Answer,
    /// The operator asked for its end, with this reason.
    pub kill_requested: Option<TerminationReason>,
}

impl Evidence {
    /// Both are gone.
    pub fn reads_dead(&self) -> bool {
        self.keeper == Answer::No && self.process == Answer::No
    }

    /// The evidence without times, as compared from attempt to attempt.
    fn fingerprint(&self, recent: bool) -> String {
        format!("keeper {:?}, process {:?}, recent {recent}", self.keeper, self.process)
    }
}

/// Rule A6: if in one round five or more and over half of the live sessions read dead, all of them
/// count as failed probes.
pub fn break_circuit(round: &mut [Evidence]) {
    let dead = round.iter().filter(|evidence| evidence.reads_dead()).count();
    if dead >= 5 && dead * 2 > round.len() {
        for evidence in round.iter_mut().filter(|evidence| evidence.reads_dead()) {
            evidence.keeper = Answer::Failed;
            evidence.process = Answer::Failed;
        }
    }
}

/// When the next attempt of a detecting session is due.
pub(super) fn next_attempt(detecting: &Detecting) -> Timestamp {
    detecting.last_attempt.plus(ATTEMPT_EVERY)
}

/// Rules A4 and A5.
pub(super) fn conclude(now_is: &Condition, evidence: &Evidence, now: Timestamp) -> Condition {
    let next = now_is.clone();
    if next.lifecycle.state.is_terminal() || next.lifecycle.published == 0 {
        return next;
    }
    let recent = next.last_activity_at.is_some_and(|at| now.since(at) < RECENT);
    match (evidence.keeper, evidence.process) {
        (Answer::No, Answer::No) if evidence.kill_requested.is_some() => {
            let reason = evidence.kill_requested.unwrap_or(TerminationReason::ManuallyKilled);
            next.lost(reason, now)
        }
        (Answer::Yes, Answer::Yes) => rescue(next),
        (Answer::No, Answer::No) if !recent => next.lost(TerminationReason::RuntimeLost, now),
        _ => detect(next, &evidence.fingerprint(recent), now),
    }
}

/// Both alive ends a doubt, and changes nothing else.
fn rescue(mut next: Condition) -> Condition {
    if matches!(next.lifecycle.state, State::Detecting | State::Stuck) {
        next.lifecycle.state = next.activity.value.state();
        next.lifecycle.detecting = None;
    }
    next
}

fn detect(mut next: Condition, evidence: &str, now: Timestamp) -> Condition {
    if next.lifecycle.state == State::Stuck {
        return next;
    }
    let mut memory = next.lifecycle.detecting.take().unwrap_or_else(|| Detecting {
        since: now,
        last_attempt: Timestamp(i64::MIN / 2),
        attempts: 0,
        evidence: evidence.to_owned(),
    });
    if memory.evidence != evidence {
        memory.evidence = evidence.to_owned();
        memory.attempts = 1;
        memory.last_attempt = now;
    } else if now.since(memory.last_attempt) >= ATTEMPT_EVERY {
        memory.attempts += 1;
        memory.last_attempt = now;
    }
    let over = memory.attempts >= ATTEMPTS || now.since(memory.since) >= DETECTING_LIMIT;
    next.lifecycle.state = if over { State::Stuck } else { State::Detecting };
    next.lifecycle.detecting = Some(memory).filter(|_| !over);
    next
}
