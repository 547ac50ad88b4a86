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
    let prompted = folded(&live().prompted(&[], at(1)), Activity::Active, 2);
    assert_eq!((prompted.turn, prompted.sorted_at), (1, at(1)));
    let finished = folded(&prompted, Activity::Idle, 10);
    let by_itself = folded(&finished, Activity::Active, 20);
    assert_eq!((by_itself.turn, by_itself.sorted_at), (2, at(20)));
    let asked = folded(&by_itself, Activity::Blocked, 30);
    assert_eq!(folded(&asked, Activity::Active, 40).turn, 2, "an answer starts no turn");
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
    let failing = [PrFacts {
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
    }];
    let idle = folded(&live(), Activity::Idle, 1).settle(&failing, at(2));
    assert_eq!(idle.attention, Some(Attention::CiFailed));
    let seen = idle.seen(&failing, at(3));
    assert_eq!((seen.status, seen.attention), (Status::CiFailed, None));
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
