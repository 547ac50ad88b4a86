use super::*;
use crate::domain::facts::ExitFacts;
use crate::domain::pr::{Ci, Mergeability, PrState, Review};
use proptest::prelude::*;
use rstest::rstest;

const START: Timestamp = Timestamp(1_000_000_000);

fn at(seconds: u64) -> Timestamp {
    START.plus(Duration::from_secs(seconds))
}

fn live() -> Condition {
    Condition::new(START).launched(1, START).published(1, &[], START)
}

fn facts(value: Activity, seconds: u64) -> Facts {
    Facts {
        generation: 1,
        sequence: 1,
        activity: ActivityFact { value, since: at(seconds), witness: "test".to_owned() },
        question: None,
        title: None,
        last_sign_at: at(seconds),
        keeper_pid: 1,
        pid: 2,
        started_at: START,
        exit: None,
    }
}

fn folded(condition: &Condition, value: Activity, seconds: u64) -> Condition {
    condition.fold(&facts(value, seconds), &[], at(seconds)).unwrap()
}

/// A1: exited concludes no death
#[rstest]
#[case(Activity::Active, State::Working)]
#[case(Activity::Retrying, State::Working)]
#[case(Activity::Unknown, State::Working)]
#[case(Activity::Idle, State::Idle)]
#[case(Activity::WaitingInput, State::NeedsInput)]
#[case(Activity::Blocked, State::NeedsInput)]
#[case(Activity::Error, State::NeedsInput)]
#[case(Activity::Exited, State::Working)]
fn an_activity_gives_the_state_of_a1(#[case] value: Activity, #[case] state: State) {
    assert_eq!(folded(&live(), value, 1).lifecycle.state, state);
}

/// S5, C4: what does not count is dropped
#[test]
fn facts_of_an_older_or_unpublished_launch_are_dropped_s5_c4() {
    let second = live().launched(2, at(1)).published(2, &[], at(1));
    assert_eq!(second.fold(&facts(Activity::Idle, 2), &[], at(2)), None);
    let unpublished = Condition::new(START).launched(1, START);
    assert_eq!(unpublished.fold(&facts(Activity::Idle, 2), &[], at(2)), None);
}

/// A5, D13, S2: an end has a reason only where it is `terminated`
#[test]
fn facts_never_revive_an_end_a5_d13() {
    let ended = live().terminated(TerminationReason::ManuallyKilled, &[], at(1));
    assert_eq!(ended.fold(&facts(Activity::Active, 2), &[], at(2)), None);
    let done = live().done(&[], at(1));
    assert_eq!((done.status, done.lifecycle.reason), (Status::Done, None));
    assert_eq!(done.fold(&facts(Activity::Active, 2), &[], at(2)), None);
}

/// A4: at once
#[test]
fn an_exit_that_the_keeper_saw_ends_the_session_at_once_a4() {
    let exit = ExitFacts { code: Some(3), signal: None, at: at(5), output: String::new() };
    let seen = Facts { exit: Some(exit), ..facts(Activity::Exited, 5) };
    let ended = live().fold(&seen, &[], at(5)).unwrap();
    assert_eq!(ended.lifecycle.reason, Some(TerminationReason::AgentProcessExited));
    assert_eq!((ended.status, ended.lifecycle.alive), (Status::Killed, false));
}

/// S1: turns from 0, +1 with a prompt or with work that needed none
#[test]
fn a_turn_starts_with_a_prompt_or_with_work_s1() {
    let prompted = folded(&live().prompted(&[], at(1), at(1)), Activity::Active, 2);
    assert_eq!((prompted.turn, prompted.sorted_at), (1, at(1)));
    let finished = folded(&prompted, Activity::Idle, 10);
    let by_itself = folded(&finished, Activity::Active, 20);
    assert_eq!((by_itself.turn, by_itself.sorted_at), (2, at(20)));
    let asked = folded(&by_itself, Activity::Blocked, 30);
    assert_eq!(folded(&asked, Activity::Active, 40).turn, 2, "an answer starts no turn");
    let early = folded(&finished, Activity::Active, 25).prompted(&[], at(24), at(26));
    assert_eq!(early.turn, 2, "the agent began before the prompt was written down");
    assert_eq!(early.prompted(&[], at(27), at(27)).turn, 3);
    let late = folded(&finished.prompted(&[], at(24), at(26)), Activity::Active, 25);
    assert_eq!(
        (late.turn, late.sorted_at),
        (2, at(24)),
        "it began while the prompt was written down"
    );
    let launched = Condition::new(at(1)).launched(1, at(5)).published(1, &[], at(6));
    let along = folded(&launched.prompted(&[], at(1), at(7)), Activity::Unknown, 8);
    assert_eq!(folded(&along, Activity::Active, 9).turn, 1, "nothing known is no rest");
}

/// T4: questions until left, a finish until seen
#[test]
fn attention_is_held_until_left_or_seen_t4() {
    let asked = folded(&live(), Activity::Blocked, 1);
    assert_eq!(asked.attention, Some(Attention::Permission));
    assert_eq!(asked.seen(&[], at(2)).attention, Some(Attention::Permission), "until left");

    let worked = folded(&live(), Activity::Active, 1);
    let finished = folded(&worked, Activity::Idle, 3);
    assert_eq!(finished.attention, Some(Attention::FinishedUnseen));
    assert_eq!(finished.seen(&[], at(4)).attention, None);
}

/// T4: only from active to idle
#[test]
fn an_idle_start_is_no_finish() {
    assert_eq!(folded(&live(), Activity::Idle, 1).attention, None);
}

/// T4: `retrying` after 2 minutes, `stalled` as soon as it holds
#[test]
fn retrying_and_stalled_want_attention_after_their_time_t4_g5() {
    let retrying = folded(&live(), Activity::Retrying, 10);
    assert_eq!((retrying.attention, retrying.due_at), (None, Some(at(130))));
    assert_eq!(retrying.settle(&[], at(130)).attention, Some(Attention::Retrying));
    let active = folded(&live(), Activity::Active, 10);
    assert_eq!((active.attention, active.due_at), (None, Some(at(610))));
    assert_eq!(active.settle(&[], at(610)).attention, Some(Attention::Stalled));
}

/// T4: by pull request, until seen
#[test]
fn a_pull_request_wants_attention_until_seen_t4() {
    let failing = [failing()];
    let idle = folded(&live(), Activity::Idle, 1).settle(&failing, at(2));
    assert_eq!(idle.attention, Some(Attention::CiFailed));
    let seen = idle.seen(&failing, at(3));
    assert_eq!((seen.status, seen.attention), (Status::CiFailed, None));
}

/// T4: what was seen wants attention again once it is entered again
#[test]
fn what_is_entered_again_is_unseen_again() {
    let mut failing = [failing()];
    let seen = folded(&live(), Activity::Idle, 1).settle(&failing, at(2)).seen(&failing, at(3));
    assert_eq!(seen.attention, None);
    failing[0].ci = Ci::Passing;
    let passing = seen.settle(&failing, at(4));
    assert_eq!(passing.attention, None);
    failing[0].ci = Ci::Failing;
    assert_eq!(passing.settle(&failing, at(5)).attention, Some(Attention::CiFailed));
}

/// T4: by pull request each of its statuses, and a session that could not be started
#[rstest]
#[case(PrFacts { review: Review::ChangesRequested, ci: Ci::None, ..failing() }, Some(Attention::ChangesRequested))]
#[case(PrFacts { mergeability: Mergeability::Mergeable, ci: Ci::None, ..failing() }, Some(Attention::Mergeable))]
#[case(PrFacts { review: Review::Approved, ci: Ci::None, ..failing() }, Some(Attention::Approved))]
#[case(PrFacts { draft: true, ci: Ci::None, ..failing() }, None)]
#[case(PrFacts { review: Review::Required, ci: Ci::None, ..failing() }, None)]
fn pull_requests_want_attention(#[case] pr: PrFacts, #[case] attention: Option<Attention>) {
    let prs = [pr];
    let found = folded(&live(), Activity::Idle, 1).settle(&prs, at(2));
    assert_eq!(found.attention, attention);
    assert_eq!(found.seen(&prs, at(3)).attention, None);
}

/// T4: `errored` until seen, `stuck` until left
#[test]
fn an_end_by_error_is_shown_until_seen_and_stuck_until_left() {
    let errored = live().terminated(TerminationReason::ErrorInProcess, &[], at(1));
    assert_eq!(errored.attention, Some(Attention::Errored));
    assert_eq!(errored.seen(&[], at(2)).attention, None);
    let mut stuck = live();
    stuck.lifecycle.state = State::Stuck;
    let seen = stuck.settle(&[], at(1)).seen(&[], at(2));
    assert_eq!(seen.attention, Some(Attention::Stuck));
    assert_eq!(folded(&seen, Activity::Active, 3).attention, None);
}

/// T4: `retrying` and `stalled` until they end, whether seen or not
#[test]
fn retrying_and_stalled_are_left_not_seen() {
    for (value, reason) in
        [(Activity::Retrying, Attention::Retrying), (Activity::Active, Attention::Stalled)]
    {
        let held = folded(&live(), value, 10).settle(&[], at(610)).seen(&[], at(611));
        assert_eq!(held.attention, Some(reason));
        assert_eq!(folded(&held, Activity::Active, 620).attention, None);
        let ended = held.terminated(TerminationReason::ManuallyKilled, &[], at(621));
        assert_eq!((ended.attention, ended.due_at), (None, None));
    }
}

/// T4: oldest first counts from when it began to want the operator, not from the status
#[test]
fn waiting_counts_from_the_reason() {
    let idle = folded(&live(), Activity::Idle, 1);
    assert_eq!(idle.waiting_since(), None);
    let worked = folded(&idle, Activity::Active, 100);
    let open = [PrFacts { ci: Ci::None, ..failing() }];
    let finished = worked.settle(&open, at(110)).fold(&facts(Activity::Idle, 200), &open, at(200));
    let finished = finished.unwrap();
    assert_eq!((finished.status, finished.status_since), (Status::PrOpen, at(110)));
    assert_eq!(finished.attention, Some(Attention::FinishedUnseen));
    assert_eq!(finished.waiting_since(), Some(at(200)));
    let retrying = folded(&live(), Activity::Retrying, 10).settle(&[], at(500));
    assert_eq!(retrying.waiting_since(), Some(at(130)));
}

/// T1: the status of a pull request hides no activity
#[test]
fn activity_is_kept_beside_the_status() {
    let prs = [failing()];
    let working = folded(&live(), Activity::Active, 1).settle(&prs, at(2));
    assert_eq!((working.status, working.activity.value), (Status::CiFailed, Activity::Active));
}

/// A1: time never ages a question
#[test]
fn a_question_stays_however_long_it_takes() {
    for value in [Activity::Blocked, Activity::WaitingInput] {
        let asked = folded(&live(), value, 1);
        assert_eq!(asked.due_at, None);
        let later = asked.clone().settle(&[], at(1_000_000));
        assert_eq!(later, asked);
    }
}

/// S2: `done` is set by the operator and has no reason; only `terminated` has one
#[test]
fn a_reason_is_given_only_with_terminated() {
    let mut seen = vec![live(), live().done(&[], at(1))];
    for reason in TerminationReason::ALL {
        let ended = live().terminated(*reason, &[], at(1));
        assert_eq!(ended.lifecycle.reason, Some(*reason));
        seen.push(ended.clone().launched(2, at(2)));
        seen.push(ended);
    }
    for condition in seen {
        let Lifecycle { state, reason, alive, .. } = condition.lifecycle;
        assert_eq!(reason.is_some(), state == State::Terminated);
        assert_eq!(state.is_terminal(), matches!(state, State::Done | State::Terminated));
        assert!(!(alive && state.is_terminal()));
    }
}

fn failing() -> PrFacts {
    PrFacts {
        url: String::new(),
        number: 1,
        state: PrState::Open,
        draft: false,
        ci: Ci::Failing,
        review: Review::None,
        mergeability: Mergeability::Unknown,
        unresolved: 0,
        stale: false,
        read_at: START,
    }
}

proptest! {
    #[test]
    fn settling_twice_changes_nothing(value in 0..Activity::ALL.len(), seconds in 0u64..2_000) {
        let once = folded(&live(), Activity::ALL[value], seconds);
        prop_assert_eq!(once.clone().settle(&[], at(seconds)), once);
    }

    #[test]
    fn folding_the_same_facts_twice_changes_nothing(value in 0..Activity::ALL.len()) {
        let once = folded(&live(), Activity::ALL[value], 5);
        prop_assert_eq!(folded(&once, Activity::ALL[value], 5), once);
    }
}
