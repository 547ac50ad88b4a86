use std::path::{Path, PathBuf};

use crate::domain::event::Actor;
use crate::domain::ids::OperationId;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{OperationState, StepResult, Verb};
use crate::domain::plan::Conditions;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::create::planned::Planned;
use crate::host::error::HostError;
use crate::host::ports::StorePort;

use super::restore::deleted;
use super::{NOW, OPERATOR, Recorder, host, id, ids, running, seeded};

/// Leaves an operation behind as a crash would.
async fn crashed(
    host: &Host<Recorder>,
    verb: Verb,
    texts: &[&str],
    results: Vec<StepResult>,
) -> String {
    let mut operation = host.operation(verb, ids(texts));
    operation.results = results;
    let id = operation.id.to_string();
    host.ports().begin(&operation).await.unwrap();
    host.ports().forget();
    id
}

fn with_results(text: &str, state: &str, detail: &str) -> Vec<StepResult> {
    vec![crate::host::journal::result(&id(text), state, Some(detail.into()))]
}

/// What the journal of a create of `a` names before its worktree is made.
fn planned() -> Vec<StepResult> {
    let worktree = super::fake_workspace::worktree(&id("a"));
    vec![Planned::result(&id("a"), Path::new("/src/shop"), &worktree)]
}

fn state(recorder: &Recorder) -> OperationState {
    recorder.read(|m| m.operations[0].state)
}

#[tokio::test]
async fn a_create_that_was_not_published_is_undone_v2() {
    let (host, recorder) = host(vec![seeded("a", None)]);
    recorder.change(|m| m.keepers.insert(id("a")));
    let operation = crashed(&host, Verb::Create, &["a"], planned()).await;
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.undone, [operation]);
    assert_eq!(recorder.acts(), ["close a", "unprepare", "give_back", "rollback_seed a"]);
    assert!(recorder.session_now("a").is_none());
    assert_eq!(state(&recorder), OperationState::Failed);
    recorder.forget();
    let again = host.recover(&Context::new()).await.unwrap();
    assert!(again.undone.is_empty() && recorder.acts().is_empty());
}

#[tokio::test]
async fn a_worktree_that_the_row_does_not_name_yet_is_found_v2() {
    let before = || Session { folder: "".into(), branch: None, ..seeded("a", None) };
    let (host, recorder) = host(vec![before()]);
    crashed(&host, Verb::Create, &["a"], planned()).await;
    host.recover(&Context::new()).await.unwrap();
    assert_eq!(recorder.acts(), ["close a", "give_back", "rollback_seed a"]);

    let (host, recorder) = super::host(vec![before()]);
    recorder.change(|m| (m.dirty, _) = (true, m.folders.insert("/worktrees/a".into())));
    crashed(&host, Verb::Create, &["a"], planned()).await;
    host.recover(&Context::new()).await.unwrap();
    let parked = recorder.session_now("a").unwrap();
    assert_eq!(parked.condition.status, Status::Errored);
    assert_eq!(parked.folder, Path::new("/worktrees/a"));
}

#[tokio::test]
async fn an_unclean_worktree_keeps_its_row_parked_c7() {
    let (host, recorder) = host(vec![seeded("a", None)]);
    recorder.change(|m| (m.dirty, _) = (true, m.folders.insert("/worktrees/a".into())));
    crashed(&host, Verb::Create, &["a"], planned()).await;
    host.recover(&Context::new()).await.unwrap();
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Errored);
}

#[tokio::test]
async fn a_create_that_was_published_is_finished_v2() {
    let (host, recorder) = host(vec![Session { prompt: Some("Hi".into()), ..running("a", None) }]);
    let operation = crashed(&host, Verb::Create, &["a"], vec![]).await;
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.resumed, [operation]);
    let session = recorder.session_now("a").unwrap();
    assert!(session.is_live() && session.error.unwrap().contains("may not have arrived"));
}

#[tokio::test]
async fn a_delete_before_its_transaction_killed_what_it_closed_v2() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    recorder.change(|m| m.keepers.remove("a"));
    let operation = crashed(&host, Verb::Delete, &["a", "b"], vec![]).await;
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.undone, [operation]);
    let reason = recorder.session_now("a").unwrap().condition.lifecycle.reason;
    assert_eq!(reason, Some(TerminationReason::ManuallyKilled));
    assert!(recorder.session_now("b").unwrap().is_live());
}

#[tokio::test]
async fn a_delete_after_its_transaction_finishes_its_moves_v2() {
    let (host, recorder) = host(vec![]);
    let operation = crashed(&host, Verb::Delete, &["a", "b"], with_results("a", "moved", "")).await;
    recorder.change(|m| {
        for text in ["a", "b"] {
            m.sessions.insert(id(text), deleted(text, None, &operation));
        }
    });
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.resumed, [operation]);
    assert_eq!(recorder.acts(), ["move_to_trash /worktrees/b"]);
}

#[tokio::test]
async fn a_restore_before_its_transaction_is_moved_back_v2() {
    let (host, recorder) = host(vec![deleted("a", None, "b1")]);
    let operation =
        crashed(&host, Verb::Restore, &["a"], with_results("a", "intended", "/elsewhere")).await;
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.undone, [operation]);
    assert_eq!(recorder.acts(), ["move_to_trash /elsewhere"]);
}

#[tokio::test]
async fn a_launch_that_was_not_published_leaves_the_session_ended_v2() {
    let condition = running("a", None).condition;
    let ended = condition.terminated(TerminationReason::ManuallyKilled, &[], NOW);
    let half = Session { condition: ended.launched(2, NOW), ..seeded("a", None) };
    let (host, recorder) = host(vec![half]);
    recorder.change(|m| m.keepers.insert(id("a")));
    let operation = crashed(&host, Verb::Launch, &["a"], vec![]).await;
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.undone, [operation]);
    assert!(!recorder.session_now("a").unwrap().is_live());
    assert!(recorder.read(|m| m.keepers.is_empty()));
}

#[tokio::test]
async fn a_stop_is_carried_out_v1() {
    let (host, recorder) = host(vec![running("a", None)]);
    let operation = crashed(&host, Verb::Stop, &["a"], vec![]).await;
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.resumed, [operation]);
    assert_eq!(recorder.acts(), ["close a", "end a"]);
}

#[tokio::test]
async fn an_operation_that_runs_is_left_alone_and_one_that_fails_is_stuck_v3() {
    let (host, recorder) = host(vec![seeded("a", None), running("b", None)]);
    let running = crashed(&host, Verb::Stop, &["b"], vec![]).await;
    recorder.change(|m| m.held.insert(m.operations[0].id.clone()));
    let stuck = crashed(&host, Verb::Create, &["a"], vec![]).await;
    recorder.fail("rollback_seed");
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(report.stuck, std::slice::from_ref(&stuck));
    assert!(recorder.session_now("b").unwrap().is_live(), "{running} still runs");
    // It keeps nothing else from working.
    recorder.heal("rollback_seed");
    let again = host.recover(&Context::new()).await.unwrap();
    assert_eq!(again.stuck, std::slice::from_ref(&stuck));
    let stuck = OperationId::new(stuck).unwrap();
    assert!(host.resume(&Context::new(), &stuck, &Actor::Operator).await.unwrap());
    assert!(recorder.session_now("a").is_none());
    let error = host.abandon(&Context::new(), &stuck, &Actor::Operator).await.unwrap_err();
    assert_eq!(error.to_string(), format!("operation {stuck} has ended: failed"));
    let running = OperationId::new(running).unwrap();
    let error = host.abandon(&Context::new(), &running, &Actor::Operator).await.unwrap_err();
    assert!(matches!(error, HostError::Refused { .. }), "{error}");
    recorder.change(|m| m.held.clear());
    host.abandon(&Context::new(), &running, &Actor::Operator).await.unwrap();
    assert!(recorder.session_now("b").unwrap().is_live());
}

#[tokio::test]
async fn who_finds_an_unfinished_operation_recovers_it_first_v3() {
    let (host, recorder) = host(vec![running("a", None)]);
    let operation = crashed(&host, Verb::Delete, &["a"], vec![]).await;
    recorder.change(|m| {
        let session = deleted("a", None, &operation);
        m.sessions.insert(id("a"), session);
        m.keepers.clear();
    });
    let last = crate::host::report::RestoreRequest {
        target: crate::host::report::RestoreTarget::Ids(ids(&["a"])),
        launch: false,
        to: None,
        actor: OPERATOR,
    };
    host.restore(&Context::new(), last).await.unwrap();
    let acts = recorder.acts();
    assert_eq!(acts, ["move_to_trash /worktrees/a", "move_back /worktrees/a", "untombstone"]);
}

#[tokio::test]
async fn who_finds_a_running_operation_waits_for_its_step_v3() {
    let (host, recorder) = host(vec![running("a", None)]);
    crashed(&host, Verb::Delete, &["a"], vec![]).await;
    recorder.change(|m| m.held.insert(m.operations[0].id.clone()));
    let waiting = {
        let host = host.clone();
        tokio::spawn(async move {
            host.stop(&Context::new(), &ids(&["a"]), &Conditions::default(), false, &OPERATOR).await
        })
    };
    while !recorder.calls().contains(&"busy".to_owned()) {
        tokio::task::yield_now().await;
    }
    assert_eq!(recorder.acts(), [""; 0]);
    recorder.change(|m| m.operations[0].state = OperationState::Failed);
    assert!(waiting.await.unwrap().unwrap().results[0].stopped);
}

#[tokio::test]
async fn runtimes_that_belong_to_no_session_are_ended_v4() {
    let (host, recorder) = host(vec![deleted("gone", None, "b1"), running("a", None)]);
    recorder.change(|m| m.keepers.extend(ids(&["gone", "lost"])));
    recorder.change(|m| m.strays = vec![5, 9]);
    let report = host.recover(&Context::new()).await.unwrap();
    assert_eq!(recorder.acts(), ["close gone", "close lost"]);
    assert_eq!(report.ended_processes, [5, 7, 7, 9], "keepers and what outlived theirs");
}

#[tokio::test]
async fn worktrees_without_a_row_are_listed_and_left_alone_v4() {
    let making = Session { folder: "".into(), ..seeded("making", None) };
    let (host, recorder) = host(vec![running("a", None), making, deleted("gone", None, "b1")]);
    let there = ["/worktrees/lonely", "/worktrees/making", "/worktrees/gone"];
    recorder.change(|m| m.folders.extend(there.map(PathBuf::from)));
    for _ in 0..2 {
        let report = host.recover(&Context::new()).await.unwrap();
        assert_eq!(report.orphans, [Path::new("/worktrees/lonely")]);
    }
    assert!(recorder.read(|m| m.folders.contains(Path::new("/worktrees/lonely"))));
}
