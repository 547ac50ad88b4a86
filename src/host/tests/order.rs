//! In which order locks, journal and acts come, and how long locks are held.

use crate::domain::event::Actor;
use crate::domain::operation::{OperationState, Verb};
use crate::domain::plan::Conditions;
use crate::domain::session::Session;
use crate::domain::trash::PurgeChoice;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::ports::{LockPort, StorePort};
use crate::host::report::{
    DeleteRequest, Progress, PurgeRequest, RestoreRequest, RestoreTarget, waiting_for,
};

use super::restore::deleted;
use super::{NOW, OPERATOR, Recorder, host, id, ids, running};

fn deletes(texts: &[&str]) -> DeleteRequest {
    DeleteRequest {
        ids: ids(texts).into_iter().collect(),
        conditions: Conditions::default(),
        with_rowless: false,
        closed: [].into(),
        actor: OPERATOR,
    }
}

fn back(texts: &[&str]) -> RestoreRequest {
    RestoreRequest {
        target: RestoreTarget::Ids(ids(texts)),
        launch: false,
        to: None,
        actor: OPERATOR,
    }
}

fn purges(texts: &[&str]) -> PurgeRequest {
    let ids = Some(ids(texts).into_iter().collect());
    let choice = PurgeChoice { ids, ..PurgeChoice::default() };
    PurgeRequest { choice, branches: [].into(), actor: Actor::Operator }
}

async fn stop(host: &Host<Recorder>, texts: &[&str]) -> bool {
    let always = Conditions::default();
    let report = host.stop(&Context::new(), &ids(texts), &always, false, &OPERATOR).await.unwrap();
    report.results.iter().all(|one| one.stopped)
}

/// How often each session was locked.
fn locked(recorder: &Recorder) -> usize {
    recorder.calls().iter().filter(|call| call.starts_with("lock ")).count()
}

/// V3, V1, L1: the operation's own lock, then lanes and locks, then its first row, then its acts; and
/// each lock is taken once.
#[tokio::test]
async fn own_lock_then_locks_then_journal_then_acts() {
    let trashed = || vec![deleted("a", None, "b1"), deleted("b", Some("a"), "b1")];
    let live = || vec![running("a", None), running("b", Some("a"))];
    for (what, sessions) in [
        ("delete", live()),
        ("stop", live()),
        ("kill", live()),
        ("restore", trashed()),
        ("purge", trashed()),
    ] {
        let (host, recorder) = host(sessions);
        let ctx = Context::new();
        let always = Conditions::default();
        match what {
            "delete" => drop(host.delete(&ctx, deletes(&["b", "a"]), &|_| true).await.unwrap()),
            "stop" => assert!(stop(&host, &["a"]).await),
            "kill" => drop(host.kill(&ctx, &ids(&["a"]), &always, &OPERATOR).await.unwrap()),
            "restore" => drop(host.restore(&ctx, back(&["b"])).await.unwrap()),
            _ => drop(host.purge(&ctx, &purges(&["a"]), &|_| true).await.unwrap()),
        }
        let calls = recorder.calls();
        let at = |name: &str| calls.iter().position(|call| call.starts_with(name)).unwrap();
        let first = recorder.acts()[0].clone();
        assert!(at("own") < at("lock a"), "{what}: {calls:?}");
        assert!(at("lock a") < at("begin"), "{what}: {calls:?}");
        assert!(at("begin") < at(&first), "{what}: {calls:?}");
        assert_eq!(locked(&recorder), 1, "{what}: {calls:?}");
        assert!(recorder.lanes().is_empty() && recorder.read(|m| m.held.is_empty()));
    }
}

/// L3: locks are held until the last compensation ended, and taken once, also where the store alone
/// knows whether it committed.
#[tokio::test]
async fn locks_are_held_until_the_last_compensation_ended_l3() {
    let trashed = || vec![deleted("a", None, "b1")];
    for (what, sessions, fails, compensation) in [
        ("delete", vec![running("a", None)], "tombstone", "end a"),
        ("restore", trashed(), "untombstone", "move_to_trash /worktrees/a"),
        (
            "launch",
            vec![Session { prompt: Some("Go".into()), ..ended("a") }],
            "publish_runtime",
            "close a",
        ),
    ] {
        let (host, recorder) = host(sessions);
        recorder.fail(fails);
        let held = recorder.clone();
        recorder.at(compensation, move |_| assert_eq!(held.lanes().len(), 1, "{what}"));
        let ctx = Context::new();
        match what {
            "delete" => assert!(host.delete(&ctx, deletes(&["a"]), &|_| true).await.is_err()),
            "restore" => assert!(host.restore(&ctx, back(&["a"])).await.is_err()),
            _ => assert!(host.launch(&ctx, &id("a"), &OPERATOR).await.is_err()),
        }
        assert!(recorder.calls().contains(&compensation.to_owned()), "{what}");
        assert_eq!(locked(&recorder), 1, "{what}: {:?}", recorder.calls());
        assert!(recorder.lanes().is_empty(), "{what}");
    }
}

fn ended(text: &str) -> Session {
    let condition = running(text, None).condition;
    let reason = crate::domain::lifecycle::TerminationReason::ManuallyKilled;
    Session { condition: condition.terminated(reason, &[], NOW), ..running(text, None) }
}

/// L2: cancelled while it waited, a coordinator starts no work, even where the lock came free.
#[tokio::test]
async fn a_wait_that_was_cancelled_starts_no_work_l2() {
    let (host, recorder) = host(vec![running("a", None)]);
    let first = host.operation(Verb::Stop, ids(&["a"]));
    let locks = recorder.acquire(&Context::new(), &ids(&["a"]), &first).await.unwrap();
    let ctx = Context::new();
    let waiting = {
        let (host, ctx) = (host.clone(), ctx.clone());
        tokio::spawn(async move { host.delete(&ctx, deletes(&["a"]), &|_| true).await })
    };
    while recorder.read(|m| m.held.is_empty()) {
        tokio::task::yield_now().await;
    }
    drop(locks);
    ctx.cancel.cancel();
    waiting.await.unwrap().unwrap_err();
    assert!(recorder.acts().is_empty() && recorder.lanes().is_empty());
    assert!(recorder.read(|m| m.operations.is_empty() && m.held.is_empty()));
}

/// L5, V3: who waits for another operation tells which, on what and since when, each second, and that
/// the wait is over.
#[tokio::test(start_paused = true)]
async fn a_wait_is_told_with_verb_session_and_since_l5() {
    let (host, recorder) = host(vec![running("a", None)]);
    let other = host.operation(Verb::Delete, ids(&["a"]));
    host.ports().begin(&other).await.unwrap();
    recorder.change(|m| m.held.insert(other.id.clone()));
    let mut told = host.subscribe();
    let waiting = {
        let host = host.clone();
        tokio::spawn(async move { stop(&host, &["a"]).await })
    };
    for _ in 0..2 {
        let Progress::Waits { id: session, behind, since, .. } = told.recv().await.unwrap() else {
            panic!("something else was told");
        };
        assert_eq!((session, behind, since), (id("a"), Verb::Delete, NOW));
    }
    let words = waiting_for(Verb::Delete, &id("shop-4"), std::time::Duration::from_millis(3_900));
    assert_eq!(words, "waiting for delete of shop-4, 3 s");
    recorder.change(|m| {
        m.operations[0].state = OperationState::Done;
        m.held.clear();
    });
    assert!(waiting.await.unwrap());
    let over = async { while !matches!(told.recv().await.unwrap(), Progress::Waited { .. }) {} };
    over.await;
}

/// V3: an operation that is stuck keeps nothing else from working on its sessions.
#[tokio::test]
async fn a_stuck_operation_keeps_nothing_from_working_v3() {
    let (host, recorder) = host(vec![running("a", None)]);
    let mut stuck = host.operation(Verb::Kill, ids(&["a"]));
    stuck.state = OperationState::Stuck;
    host.ports().begin(&stuck).await.unwrap();
    assert!(stop(&host, &["a"]).await);
    assert_eq!(recorder.acts(), ["close a", "end a"]);
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.stuck, [stuck.id.to_string()], "it is shown");
}

/// V3: recovery reads the row again once it has the operation's lock: what ended meanwhile stays as
/// it is.
#[tokio::test]
async fn recovery_reads_the_operation_again_under_its_lock_v3() {
    let (host, recorder) = host(vec![running("a", None)]);
    let operation = host.operation(Verb::Stop, ids(&["a"]));
    host.ports().begin(&operation).await.unwrap();
    recorder.at("own", |m| m.operations[0].state = OperationState::Done);
    let report = host.recover(&Context::new()).await.unwrap();
    assert!(report.resumed.is_empty() && report.undone.is_empty() && recorder.acts().is_empty());
    assert!(recorder.session_now("a").unwrap().is_live());
}

/// V3: so does who finds one on a session's way; it recovers first, then starts again.
#[tokio::test]
async fn a_coordinator_recovers_what_it_finds_then_starts_again_v3() {
    let (host, recorder) = host(vec![running("a", None)]);
    let operation = host.operation(Verb::Stop, ids(&["a"]));
    host.ports().begin(&operation).await.unwrap();
    let report = host.delete(&Context::new(), deletes(&["a"]), &|_| true).await.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a"]));
    assert_eq!(recorder.acts()[..2], ["close a", "end a"], "the stop, then the delete");
    assert_eq!(locked(&recorder), 3, "let go, recovered, taken again");
}

/// V4: a start of the dashboard and a changing verb end no process; that takes `recover`.
#[tokio::test]
async fn only_recover_ends_what_belongs_to_no_session_v4() {
    let (host, recorder) = host(vec![deleted("gone", None, "b1"), running("a", None)]);
    recorder.change(|m| m.keepers.extend(ids(&["gone", "lost"])));
    recorder.change(|m| m.strays = vec![5]);
    let report = host.recover_operations(&Context::new()).await.unwrap();
    assert!(report.ended_processes.is_empty() && recorder.acts().is_empty());
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.ended_processes, [5, 7, 7]);
    assert!(recorder.session_now("a").unwrap().is_live());
}
