use std::sync::Arc;
use std::time::Duration;

use crate::domain::error::ErrorKind;
use crate::domain::status::Status;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::faults::{Faults, Seen};
use crate::host::report::{CreateOutcome, CreateRequest};

use super::create::{acts, created, request};
use super::{OPERATOR, Recorder, host, id};

/// A context that records the steps under it.
fn watched() -> (Context, Arc<Faults>) {
    let faults = Arc::new(Faults::none());
    (Context::new().with_faults(Arc::clone(&faults)), faults)
}

/// The steps from publish on, without the journal.
fn from_publish(faults: &Faults) -> Vec<Seen> {
    let mut seen = faults.seen();
    seen.retain(|step| !step.what.starts_with("journal"));
    seen.into_iter().skip_while(|step| step.what != "publishing the runtime").collect()
}

fn seen(what: &str, seconds: u64) -> Seen {
    let limit = Some(Duration::from_secs(seconds));
    Seen { what: what.to_owned(), limit, cancelled: false }
}

/// Takes the goal too, so that it would be seen where it is delivered.
fn with_goal() -> CreateRequest {
    CreateRequest { goal: Some("Ship it".into()), ..request() }
}

fn nothing_remains(recorder: &Recorder, what: &str) {
    recorder.read(|m| {
        assert!(m.sessions.is_empty() && m.keepers.is_empty() && m.folders.is_empty(), "{what}");
        assert!(m.messages.is_empty(), "{what}");
    });
    assert!(!recorder.calls().iter().any(|call| call.starts_with("type")), "{what}");
    assert!(recorder.lanes().is_empty(), "{what}");
}

/// C7, C6: a worktree that cannot be made leaves nothing.
#[tokio::test]
async fn a_worktree_that_cannot_be_made_leaves_nothing_c7() {
    let (host, recorder) = host(vec![]);
    recorder.fail("create_worktree");
    let error = host.create(&Context::new(), request()).await.unwrap_err();
    assert_eq!(error.to_string(), "create_worktree shop-1 fails");
    let expected = [
        "insert_seed shop-1",
        "check_worktree shop-1",
        "create_worktree shop-1",
        "rollback_seed shop-1",
    ];
    assert_eq!(acts(&recorder), expected);
    nothing_remains(&recorder, "no worktree");
}

/// C7, C6, B1: a runtime that does not start parks the session, its worktree given back once; a
/// restore is the retry, with a worktree made anew.
#[tokio::test]
async fn a_runtime_that_does_not_start_parks_the_session_c7() {
    let (host, recorder) = host(vec![]);
    recorder.change(|m| m.can_resume = true);
    recorder.fail("start");
    let outcome =
        host.create(&Context::new(), CreateRequest { prompt: None, ..with_goal() }).await.unwrap();
    let CreateOutcome::Parked { session, error } = outcome else { panic!("{outcome:?}") };
    assert_eq!(session.condition.status, Status::Errored);
    assert_eq!(session.error.as_deref(), Some(error.as_str()));
    assert_eq!(error, "start shop-1 fails");
    assert_eq!(
        acts(&recorder)[5..],
        ["start shop-1", "unprepare", "give_back", "clear_worktree shop-1", "park shop-1"]
    );
    assert!(recorder.read(|m| m.folders.is_empty() && m.messages.is_empty()));
    recorder.heal("start");
    recorder.forget();
    let (session, _) = host.launch(&Context::new(), &id("shop-1"), &OPERATOR).await.unwrap();
    assert!(session.is_live() && session.error.is_none());
    assert!(acts(&recorder).contains(&"create_worktree shop-1".to_owned()));
    assert!(recorder.read(|m| m.folders.len() == 1));
}

/// C7, C8: the launch of a parked session has a number of its own, so that nothing a failed start
/// left behind is taken for a fact of it.
#[tokio::test]
async fn a_launch_after_a_failed_start_has_a_number_of_its_own_c8() {
    let (host, recorder) = host(vec![]);
    recorder.change(|m| m.launched.insert(id("shop-1"), 1));
    recorder.fail("start");
    host.create(&Context::new(), request()).await.unwrap();
    recorder.heal("start");
    let (session, _) = host.launch(&Context::new(), &id("shop-1"), &OPERATOR).await.unwrap();
    assert_eq!(session.condition.lifecycle.generation, 2);
}

/// C7: a worktree that is not clean is kept with its row, whatever failed.
#[tokio::test]
async fn an_unclean_worktree_is_kept_with_its_parked_row_c7() {
    for failing in ["prepare", "start", "initialise", "publish_runtime", "publish"] {
        let (host, recorder) = host(vec![]);
        recorder.change(|m| (m.prompt_in_argv, m.dirty) = (true, true));
        recorder.fail(failing);
        let outcome = host.create(&Context::new(), request()).await.unwrap();
        let CreateOutcome::Parked { session, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(session.condition.status, Status::Errored, "{failing}");
        assert_eq!(session.folder.to_str(), Some("/worktrees/shop-1"), "{failing}");
        assert!(recorder.read(|m| m.folders.contains(&session.folder)), "{failing}");
        let acts = acts(&recorder);
        assert_eq!(acts.last().unwrap(), "park shop-1", "{failing}");
        assert!(!acts.iter().any(|call| call == "give_back" || call == "rollback_seed shop-1"));
        assert!(recorder.read(|m| m.keepers.is_empty()), "{failing}");
    }
}

/// C7: whether the worktree holds work is looked at once nothing runs there any more.
#[tokio::test]
async fn work_is_looked_for_after_the_runtime_has_ended_c7() {
    let (host, recorder) = host(vec![]);
    recorder.fail("publish shop-1");
    recorder.at("close", |m| m.dirty = true);
    let outcome = host.create(&Context::new(), request()).await.unwrap();
    assert!(matches!(outcome, CreateOutcome::Parked { .. }), "{outcome:?}");
    assert!(recorder.read(|m| m.folders.len() == 1));
}

/// C5, C6, C4, L3: the caller cancels during initialise; publish is still tried, once, detached,
/// under its deadline. It fails: the runtime is closed, the row rolled back, the preparation cleaned,
/// the worktree given back, in this order, each with its own detached deadline, under the one lock.
#[tokio::test(start_paused = true)]
async fn a_publish_that_fails_after_a_cancelled_initialise_is_taken_back_in_order_c5() {
    let (host, recorder) = host(vec![]);
    recorder.fail("publish shop-1");
    let (caller, faults) = watched();
    let cancel = caller.cancel.clone();
    recorder.at("initialise", move |_| cancel.cancel());
    let error = host.create(&caller, with_goal()).await.unwrap_err();
    assert_eq!(error.to_string(), "publish shop-1 fails");
    let undone = [
        "initialise shop-1",
        "publish_runtime shop-1",
        "publish shop-1",
        "close shop-1",
        "rollback_seed shop-1",
        "unprepare",
        "give_back",
    ];
    assert!(acts(&recorder).ends_with(&undone.map(str::to_owned)), "{:?}", acts(&recorder));
    assert_eq!(
        from_publish(&faults),
        [
            seen("publishing the runtime", 5),
            seen("publishing the row", 5),
            seen("closing the runtime", 10),
            seen("looking at the worktree", 10),
            seen("rolling back the row", 5),
            seen("cleaning the preparation", 10),
            seen("giving back the worktree", 10),
        ]
    );
    for port in ["publish_runtime shop-1", "close shop-1", "unprepare", "give_back"] {
        let call = recorder.read(|m| m.calls.iter().find(|call| call.what == port).cloned());
        let call = call.unwrap();
        assert!(call.deadline && !call.cancelled, "{call:?}");
    }
    let locks = recorder.read(|m| m.locks.clone());
    let names: Vec<&str> = locks.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(names, ["take a start", "take shop-1", "free a start", "free shop-1"]);
    assert_eq!(locks[3].1, recorder.calls().len(), "held to the end of the last compensation");
    nothing_remains(&recorder, "publish");
}

/// C5, C6: every failure from initialise on is taken back the same way, cancelled or not.
#[tokio::test]
async fn a_failed_commit_is_taken_back_in_reverse_order_c5() {
    for failing in ["initialise", "publish_runtime", "publish"] {
        let (host, recorder) = host(vec![]);
        recorder.fail(failing);
        let caller = Context::new();
        let cancel = caller.cancel.clone();
        recorder.at(failing, move |_| cancel.cancel());
        host.create(&caller, with_goal()).await.unwrap_err();
        let undone = ["close shop-1", "rollback_seed shop-1", "unprepare", "give_back"];
        assert!(acts(&recorder).ends_with(&undone.map(str::to_owned)), "{failing}");
        nothing_remains(&recorder, failing);
    }
}

/// C5: a publish that never answers is given up after its deadline.
#[tokio::test(start_paused = true)]
async fn a_publish_that_hangs_is_given_up_after_five_seconds_c5() {
    for hanging in ["publish_runtime", "publish shop-1"] {
        let (host, recorder) = host(vec![]);
        recorder.hang(hanging);
        let begun = tokio::time::Instant::now();
        let error = host.create(&Context::new(), request()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert_eq!(begun.elapsed(), Duration::from_secs(5), "{hanging}");
        nothing_remains(&recorder, hanging);
    }
}

/// C5: each compensation runs with its whole deadline though all before it failed or hung, and the
/// result carries the cause and every error. What is left goes to recovery.
#[tokio::test(start_paused = true)]
async fn no_compensation_keeps_the_next_from_running_c5() {
    let (host, recorder) = host(vec![]);
    recorder.fail("publish shop-1");
    for hanging in ["close", "rollback_seed", "unprepare", "give_back"] {
        recorder.hang(hanging);
    }
    let (ctx, faults) = watched();
    let begun = tokio::time::Instant::now();
    let error = host.create(&ctx, with_goal()).await.unwrap_err();
    assert_eq!(begun.elapsed(), Duration::from_secs(10 + 5 + 10 + 10));
    let HostError::NotUndone { cause, troubles } = &error else { panic!("{error}") };
    assert_eq!(cause.to_string(), "publish shop-1 fails");
    assert_eq!(
        troubles[..],
        [
            "closing the runtime: timed out",
            "rolling back the row: timed out",
            "cleaning the preparation: timed out",
            "giving back the worktree: timed out",
        ]
    );
    let limits: Vec<_> = from_publish(&faults).into_iter().filter_map(|step| step.limit).collect();
    assert_eq!(limits[2..], [10, 10, 5, 10, 10].map(Duration::from_secs));
    assert!(!recorder.calls().iter().any(|call| call.starts_with("finish")), "left to recovery");
    assert!(recorder.lanes().is_empty());
}

/// C5, C8: cancelled before initialise, a create leaves nothing and delivers nothing.
#[tokio::test]
async fn a_cancelled_create_leaves_nothing_and_sends_nothing_c8() {
    for at in ["insert_seed", "create_worktree", "set_worktree", "prepare", "start"] {
        for in_argv in [false, true] {
            let (host, recorder) = host(vec![]);
            recorder.change(|m| m.prompt_in_argv = in_argv);
            let caller = Context::new();
            let cancel = caller.cancel.clone();
            recorder.at(at, move |_| cancel.cancel());
            let error = host.create(&caller, with_goal()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Interrupted, "{at}: {error}");
            nothing_remains(&recorder, at);
        }
    }
}

/// C8: after a failed create, recovery and a later session of the same id deliver nothing of it.
#[tokio::test]
async fn nothing_of_a_failed_create_is_delivered_later_c8() {
    let (host, recorder) = host(vec![]);
    let mine = CreateRequest { id: Some(id("mine")), ..with_goal() };
    recorder.fail("publish mine");
    host.create(&Context::new(), mine).await.unwrap_err();
    recorder.heal("publish mine");
    host.recover(&Context::new()).await.unwrap();
    nothing_remains(&recorder, "after recovery");
    let other = CreateRequest { id: Some(id("mine")), prompt: None, ..request() };
    created(host.create(&Context::new(), other).await.unwrap());
    assert!(recorder.read(|m| m.messages.is_empty()));
}

/// C5: from initialise on the caller's cancellation no longer counts.
#[tokio::test]
async fn after_initialise_the_callers_cancellation_no_longer_counts_c5() {
    for at in ["initialise", "publish_runtime", "publish"] {
        let (host, recorder) = host(vec![]);
        let (caller, faults) = watched();
        let cancel = caller.cancel.clone();
        recorder.at(at, move |_| cancel.cancel());
        created(host.create(&caller, with_goal()).await.unwrap());
        assert!(faults.seen().iter().all(|step| !step.cancelled), "{at}");
        assert_eq!(recorder.read(|m| m.messages.len()), 2, "{at}: prompt and goal");
    }
}

/// C6: a prompt that may be lost deletes nothing.
#[tokio::test]
async fn a_prompt_that_may_be_lost_deletes_nothing_c6() {
    for failing in ["type Round VAT per line. into", "type Ship it into", "prompted"] {
        let (host, recorder) = host(vec![]);
        recorder.fail(failing);
        let outcome = host.create(&Context::new(), with_goal()).await.unwrap();
        let CreateOutcome::CreatedWithError { session, error } = outcome else {
            panic!("{outcome:?}")
        };
        assert!(session.is_live(), "{failing}");
        assert!(error.contains("fails"), "{error}");
        assert!(session.error.unwrap().starts_with("the prompt may not have arrived"));
        assert!(recorder.read(|m| m.keepers.contains("shop-1") && m.folders.len() == 1));
        assert_eq!(recorder.calls().last().unwrap(), "finish partly_done");
    }
}
