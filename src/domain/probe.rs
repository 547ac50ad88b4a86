//! Whether a session's runtime is still there (`spec/lifecycle.md` A4 to A6).

use std::time::Duration;

use super::condition::Condition;
use super::lifecycle::{Detecting, State, TerminationReason};
use super::time::Timestamp;

/// Activity this fresh counts as a sign of life against a failed probe.
pub const RECENT: Duration = Duration::from_mins(1);
/// Attempts are counted at least this far apart (A5).
pub const ATTEMPT_EVERY: Duration = Duration::from_secs(30);
/// Equal attempts after which the session is stuck (A5).
pub const ATTEMPTS: u32 = 3;
/// Time after which the session is stuck (A5).
pub const DETECTING_LIMIT: Duration = Duration::from_mins(5);

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

    /// Both are gone, and nobody asked for that.
    fn is_surprise(&self) -> bool {
        self.reads_dead() && self.kill_requested.is_none()
    }

    /// The evidence without times, as compared from attempt to attempt.
    fn fingerprint(&self, recent: bool) -> String {
        format!("keeper {:?}, process {:?}, recent {recent}", self.keeper, self.process)
    }
}

/// Rule A6: if in one round five or more and over half of the live sessions read dead, all of them
/// count as failed probes. Those whose end was asked for are meant to be gone (A4), and no sign of a
/// fault.
pub fn break_circuit<'e>(round: impl Iterator<Item = &'e mut Evidence>) {
    let round: Vec<_> = round.collect();
    let dead = round.iter().filter(|evidence| evidence.is_surprise()).count();
    if dead >= 5 && dead * 2 > round.len() {
        for evidence in round.into_iter().filter(|evidence| evidence.is_surprise()) {
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

/// Both alive ends a doubt, also one that came to its end as stuck (V4), and changes nothing else.
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
        evidence.clone_into(&mut memory.evidence);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::activity::{Activity, ActivityFact};
    use crate::domain::facts::Facts;
    use rstest::rstest;

    const START: Timestamp = Timestamp(1_000_000_000);

    fn at(seconds: u64) -> Timestamp {
        START.plus(Duration::from_secs(seconds))
    }

    fn live() -> Condition {
        let facts = Facts {
            generation: 1,
            sequence: 1,
            activity: ActivityFact {
                value: Activity::Active,
                since: START,
                witness: String::new(),
            },
            question: None,
            title: None,
            last_sign_at: START,
            keeper_pid: 1,
            pid: 2,
            started_at: START,
            exit: None,
        };
        let published = Condition::new(START).launched(1, START).published(1, &[], START);
        published.fold(&facts, &[], START).unwrap()
    }

    fn found(keeper: Answer, process: Answer) -> Evidence {
        Evidence { keeper, process, kill_requested: None }
    }

    /// A4: what follows from keeper, process and activity within 60 s
    #[rstest]
    #[case(Answer::Yes, Answer::Yes, 100, State::Working)]
    #[case(Answer::No, Answer::No, 100, State::Terminated)]
    #[case(Answer::No, Answer::No, 10, State::Detecting)]
    #[case(Answer::No, Answer::Yes, 100, State::Detecting)]
    #[case(Answer::Yes, Answer::No, 100, State::Detecting)]
    #[case(Answer::Failed, Answer::No, 100, State::Detecting)]
    #[case(Answer::Failed, Answer::Failed, 100, State::Detecting)]
    fn a_probe_concludes_as_a4_says(
        #[case] keeper: Answer,
        #[case] process: Answer,
        #[case] seconds: u64,
        #[case] state: State,
    ) {
        let probed = live().probed(&found(keeper, process), &[], at(seconds));
        assert_eq!(probed.lifecycle.state, state);
        let lost = (state == State::Terminated).then_some(TerminationReason::RuntimeLost);
        assert_eq!(probed.lifecycle.reason, lost);
    }

    /// A4: a kill that was requested
    #[test]
    fn a_requested_kill_is_believed_although_it_was_active_just_now_a4() {
        let evidence = Evidence {
            kill_requested: Some(TerminationReason::ManuallyKilled),
            ..found(Answer::No, Answer::No)
        };
        let probed = live().probed(&evidence, &[], at(1));
        assert_eq!(probed.lifecycle.reason, Some(TerminationReason::ManuallyKilled));
    }

    /// A4: both alive changes nothing but a doubt
    #[rstest]
    #[case(Activity::Idle)]
    #[case(Activity::Blocked)]
    #[case(Activity::Active)]
    fn both_alive_rescues_only_who_is_in_doubt(#[case] value: Activity) {
        let mut session = live();
        session.activity.value = value;
        session.lifecycle.state = value.state();
        let session = session.settle(&[], at(1));
        let alive = found(Answer::Yes, Answer::Yes);
        assert_eq!(session.probed(&alive, &[], at(100)), session);
        let doubt = session.probed(&found(Answer::Failed, Answer::Yes), &[], at(100));
        assert_eq!(doubt.lifecycle.state, State::Detecting);
        assert_eq!(doubt.probed(&alive, &[], at(130)).lifecycle.state, value.state());
    }

    /// A4: dead with activity a moment ago is a doubt, and a death once the activity is old
    #[test]
    fn recent_activity_delays_a_death() {
        let dead = found(Answer::No, Answer::No);
        let doubt = live().probed(&dead, &[], at(59));
        assert_eq!(doubt.lifecycle.state, State::Detecting);
        let lost = doubt.probed(&dead, &[], at(60));
        assert_eq!(lost.lifecycle.reason, Some(TerminationReason::RuntimeLost));
    }

    /// A6, A4: ends that were asked for are no sign of a fault
    #[test]
    fn ends_that_were_asked_for_break_no_circuit() {
        let killed = Some(TerminationReason::ManuallyKilled);
        let asked = Evidence { kill_requested: killed, ..found(Answer::No, Answer::No) };
        let mut round = vec![asked; 20];
        round[..4].fill(found(Answer::No, Answer::No));
        break_circuit(round.iter_mut());
        assert!(round.iter().all(Evidence::reads_dead));
    }

    /// A5, A4: attempts 30 s apart, stuck after three; both alive rescues
    #[test]
    fn three_equal_attempts_are_stuck_a5() {
        let failed = found(Answer::Failed, Answer::Failed);
        let mut session = live();
        for (seconds, state) in [
            (100, State::Detecting),
            (110, State::Detecting),
            (130, State::Detecting),
            (160, State::Stuck),
            (190, State::Stuck),
        ] {
            session = session.probed(&failed, &[], at(seconds));
            assert_eq!(session.lifecycle.state, state, "after {seconds} s");
        }
        let rescued = session.probed(&found(Answer::Yes, Answer::Yes), &[], at(200));
        assert_eq!(rescued.lifecycle.state, State::Working);
    }

    /// A5: other evidence restarts the count; 5 minutes are the limit
    #[test]
    fn other_evidence_starts_the_count_again_but_five_minutes_are_the_limit_a5() {
        let mut session = live();
        for round in 0..9_u64 {
            let process = if round % 2 == 0 { Answer::No } else { Answer::Failed };
            let seconds = 100 + round * 31;
            session = session.probed(&found(Answer::Failed, process), &[], at(seconds));
            assert_eq!(session.lifecycle.state, State::Detecting, "round {round}");
        }
        let over = session.probed(&found(Answer::Failed, Answer::No), &[], at(401));
        assert_eq!(over.lifecycle.state, State::Stuck);
    }

    /// A3: a valid signal ends detecting
    #[test]
    fn a_valid_signal_ends_detecting_a3() {
        let lost = live().probed(&found(Answer::No, Answer::Yes), &[], at(100));
        assert_eq!(lost.due_at, Some(at(130)));
        let facts = Facts {
            generation: 1,
            sequence: 2,
            activity: ActivityFact {
                value: Activity::Idle,
                since: at(105),
                witness: String::new(),
            },
            question: None,
            title: None,
            last_sign_at: at(105),
            keeper_pid: 1,
            pid: 2,
            started_at: START,
            exit: None,
        };
        let back = lost.fold(&facts, &[], at(105)).unwrap();
        assert_eq!((back.lifecycle.state, back.lifecycle.detecting), (State::Idle, None));
    }

    /// A5: terminal rows are never rewritten by an observation
    #[test]
    fn terminal_sessions_are_never_rewritten_a5() {
        let ended = live().terminated(TerminationReason::ManuallyKilled, &[], at(1));
        for answer in [Answer::Yes, Answer::No, Answer::Failed] {
            assert_eq!(ended.probed(&found(answer, answer), &[], at(500)), ended);
        }
    }

    /// A6: five or more, and over half
    #[rstest]
    #[case(5, 9, true)]
    #[case(5, 10, false)]
    #[case(4, 4, false)]
    fn many_dead_at_once_are_failed_probes_a6(
        #[case] dead: usize,
        #[case] all: usize,
        #[case] breaks: bool,
    ) {
        let mut round = vec![found(Answer::Yes, Answer::Yes); all];
        round[..dead].fill(found(Answer::No, Answer::No));
        break_circuit(round.iter_mut());
        assert_eq!(round.iter().any(Evidence::reads_dead), !breaks);
        assert_eq!(round.iter().filter(|e| e.keeper == Answer::Yes).count(), all - dead);
    }
}
