use super::*;
use crate::domain::time::Timestamp;
use proptest::prelude::*;
use rstest::rstest;

fn lifecycle(state: State, reason: Option<TerminationReason>) -> Lifecycle {
    Lifecycle { state, reason, ..Lifecycle::new() }
}

fn activity(value: Activity) -> ActivityFact {
    ActivityFact { value, since: Timestamp(0), witness: String::new() }
}

fn pr() -> PrFacts {
    PrFacts {
        url: String::new(),
        number: 41,
        state: PrState::Open,
        draft: false,
        ci: Ci::Passing,
        review: Review::None,
        mergeability: Mergeability::Unknown,
        unresolved: 0,
        stale: false,
        read_at: Timestamp(0),
    }
}

/// T1: rows 1 to 7 of the table, with and without pull requests
#[rstest]
#[case(State::Done, None, 1, Status::Done)]
#[case(State::Terminated, Some(TerminationReason::ManuallyKilled), 2, Status::Killed)]
#[case(State::Terminated, Some(TerminationReason::RuntimeLost), 2, Status::Killed)]
#[case(State::Terminated, Some(TerminationReason::AgentProcessExited), 2, Status::Killed)]
#[case(State::Terminated, Some(TerminationReason::AutoCleanup), 3, Status::Cleanup)]
#[case(State::Terminated, Some(TerminationReason::PrMerged), 3, Status::Cleanup)]
#[case(State::Terminated, Some(TerminationReason::ErrorInProcess), 4, Status::Errored)]
#[case(State::Terminated, Some(TerminationReason::ProbeFailure), 4, Status::Errored)]
#[case(State::Terminated, None, 5, Status::Terminated)]
#[case(State::NeedsInput, None, 6, Status::NeedsInput)]
#[case(State::Stuck, None, 6, Status::Stuck)]
#[case(State::Detecting, None, 6, Status::Detecting)]
#[case(State::NotStarted, None, 7, Status::Spawning)]
fn hard_states_outrank_pull_requests_t1(
    #[case] state: State,
    #[case] reason: Option<TerminationReason>,
    #[case] rule: u8,
    #[case] status: Status,
) {
    for prs in [vec![], vec![PrFacts { ci: Ci::Failing, ..pr() }]] {
        let derived = derive(&lifecycle(state, reason), &activity(Activity::Active), &prs);
        assert_eq!((derived.rule, derived.status), (rule, status));
    }
}

/// T1: rows 8 to 15 of the table
#[rstest]
#[case(PrFacts { state: PrState::Merged, ..pr() }, 8, Status::Merged)]
#[case(PrFacts { ci: Ci::Failing, draft: true, ..pr() }, 9, Status::CiFailed)]
#[case(PrFacts { draft: true, unresolved: 3, ..pr() }, 10, Status::Draft)]
#[case(PrFacts { review: Review::ChangesRequested, mergeability: Mergeability::Mergeable, ..pr() }, 11, Status::ChangesRequested)]
#[case(PrFacts { unresolved: 1, review: Review::Approved, ..pr() }, 11, Status::ChangesRequested)]
#[case(PrFacts { mergeability: Mergeability::Mergeable, review: Review::Approved, ..pr() }, 12, Status::Mergeable)]
#[case(PrFacts { review: Review::Approved, ..pr() }, 13, Status::Approved)]
#[case(PrFacts { review: Review::Required, ..pr() }, 14, Status::ReviewPending)]
#[case(PrFacts { ci: Ci::Pending, ..pr() }, 15, Status::PrOpen)]
fn pull_requests_outrank_soft_states_t1(
    #[case] facts: PrFacts,
    #[case] rule: u8,
    #[case] status: Status,
) {
    let prs = [facts];
    for state in [State::Working, State::Idle] {
        let derived = derive(&lifecycle(state, None), &activity(Activity::Idle), &prs);
        assert_eq!((derived.rule, derived.status), (rule, status));
    }
}

/// T1: rows 16 and 17 of the table
#[test]
fn a_closed_unmerged_pull_request_falls_through() {
    let closed = [PrFacts { state: PrState::Closed, ci: Ci::Failing, ..pr() }];
    let idle = derive(&lifecycle(State::Idle, None), &activity(Activity::Idle), &closed);
    assert_eq!((idle.rule, idle.status), (16, Status::Idle));
    let working = derive(&lifecycle(State::Working, None), &activity(Activity::Active), &closed);
    assert_eq!((working.rule, working.status), (17, Status::Working));
}

/// T2: several pull requests
#[test]
fn the_worst_open_pull_request_counts_t2() {
    let prs = [
        PrFacts { review: Review::Approved, number: 1, ..pr() },
        PrFacts { ci: Ci::Failing, number: 2, ..pr() },
        PrFacts { state: PrState::Merged, number: 3, ..pr() },
    ];
    let derived = derive(&lifecycle(State::Idle, None), &activity(Activity::Idle), &prs);
    assert_eq!((derived.status, derived.because.as_str()), (Status::CiFailed, "PR #2"));
}

/// T2: which one that is, by the table's order and then by number, is one rule for status, row and reason.
#[test]
fn the_worst_open_pull_request_is_the_table_s_t2() {
    let mergeable =
        PrFacts { mergeability: Mergeability::Mergeable, ci: Ci::Passing, number: 1, ..pr() };
    let pending = PrFacts { ci: Ci::Pending, number: 2, ..pr() };
    let changes = PrFacts { unresolved: 1, number: 3, ..pr() };
    let draft = PrFacts { draft: true, number: 4, ..pr() };
    let failing = PrFacts { ci: Ci::Failing, number: 6, ..pr() };
    let again = PrFacts { number: 5, ..failing.clone() };
    let merged = PrFacts { state: PrState::Merged, ci: Ci::Failing, number: 0, ..pr() };
    let mut prs = vec![pending, mergeable, changes, draft, failing, again, merged];
    for number in [5, 6, 4, 3, 1, 2] {
        assert_eq!(worst_open(&prs).map(|pr| pr.number), Some(number));
        prs.retain(|pr| pr.number != number);
    }
    assert_eq!(worst_open(&prs), None);
}

/// T3: every status, and the order of the zones
#[test]
fn every_status_has_the_zone_of_t3() {
    let in_zone = |zone| {
        let of_zone = Status::ALL.iter().filter(|status| status.zone() == zone);
        let mut names: Vec<_> = of_zone.map(|status| status.as_str()).collect();
        names.sort_unstable();
        names
    };
    let table: [(Zone, &[&str]); 6] = [
        (Zone::Respond, &["detecting", "errored", "needs_input", "stuck"]),
        (Zone::Review, &["changes_requested", "ci_failed"]),
        (Zone::Merge, &["approved", "mergeable"]),
        (Zone::Pending, &["draft", "pr_open", "review_pending"]),
        (Zone::Working, &["spawning", "working"]),
        (Zone::Resting, &["cleanup", "done", "idle", "killed", "merged", "terminated"]),
    ];
    for (zone, statuses) in table {
        assert_eq!(in_zone(zone), statuses, "{zone}");
    }
    assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

/// T2: facts that could not be read again count on
#[test]
fn stale_facts_count_as_before() {
    let stale = [PrFacts { ci: Ci::Failing, stale: true, ..pr() }];
    let derived = derive(&lifecycle(State::Idle, None), &activity(Activity::Idle), &stale);
    assert_eq!(derived.status, Status::CiFailed);
}

/// A1: the reason of `needs_input` is the permission, or the error's text
#[test]
fn what_needs_input_says_why() {
    let because = |value, witness: &str| {
        let seen = ActivityFact { witness: witness.to_owned(), ..activity(value) };
        derive(&lifecycle(value.state(), None), &seen, &[]).because
    };
    assert_eq!(because(Activity::Blocked, "screen: claude.permission"), "permission");
    assert!(because(Activity::Error, "osc7501: disk full").ends_with("disk full"));
}

proptest! {
    /// T1: total: there is a row for everything
    #[test]
    fn derive_is_total(
        state in 0..State::ALL.len(), reason in proptest::option::of(0..TerminationReason::ALL.len()),
        value in 0..Activity::ALL.len(), draft: bool, unresolved in 0u32..3,
        pr_state in 0..PrState::ALL.len(), ci in 0..Ci::ALL.len(), review in 0..Review::ALL.len(),
    ) {
        let facts = PrFacts {
            draft, unresolved, state: PrState::ALL[pr_state], ci: Ci::ALL[ci],
            review: Review::ALL[review], ..pr()
        };
        let state = lifecycle(State::ALL[state], reason.map(|r| TerminationReason::ALL[r]));
        let derived = derive(&state, &activity(Activity::ALL[value]), &[facts]);
        prop_assert!((1..=17).contains(&derived.rule));
    }
}
