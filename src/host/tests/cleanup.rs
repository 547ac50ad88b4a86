use std::collections::BTreeSet;

use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{OperationState, Verb};
use crate::domain::plan::Conditions;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::host::cleanup::TRASH;
use crate::host::context::Context;
use crate::host::report::DeleteRequest;

use super::{NOW, OPERATOR, host, ids, running};

fn ended(text: &str) -> Session {
    let session = running(text, None);
    let condition = session.condition.clone().terminated(TerminationReason::RuntimeLost, &[], NOW);
    Session { condition, ..session }
}

#[tokio::test]
async fn cleanup_gives_back_worktrees_of_ended_sessions_each_once_k4() {
    let (host, recorder) = host(vec![running("a", None), ended("b"), ended("c")]);
    recorder.fail("clear_worktree c");
    let report = host.cleanup(&Context::new(), None, &OPERATOR).await.unwrap();
    let results: Vec<_> =
        report.results.iter().map(|one| (one.id.as_str(), one.freed, one.trouble)).collect();
    assert_eq!(results.len(), 2, "running sessions are never touched: {results:?}");
    assert_eq!((results[0].0, results[0].1), ("b", true));
    assert!(results[1].2.is_some(), "partial results are reported");
    assert!(recorder.session_now("a").unwrap().is_live());
    let freed = recorder.session_now("b").unwrap();
    assert!(freed.worktree().is_none() && freed.branch.is_some());
    recorder.heal("clear_worktree c");
    recorder.forget();
    let again = host.cleanup(&Context::new(), None, &OPERATOR).await.unwrap();
    assert_eq!(again.results.len(), 1, "b has no path any more");
}

#[tokio::test]
async fn a_worktree_with_ignored_files_alone_goes_to_the_trash_k3() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|m| m.only_ignored = true);
    let wanted = ids(&["a"]);
    let report =
        host.kill(&Context::new(), &wanted, &Conditions::default(), &OPERATOR).await.unwrap();
    let one = &report.results[0];
    let operation = recorder.read(|m| m.operations[0].clone());
    assert!(one.freed && one.reason.as_ref().unwrap().contains(operation.id.as_str()), "{one:?}");
    let acts = ["close a", "end a", "give_back", "move_to_trash /worktrees/a", "clear_worktree a"];
    assert_eq!(recorder.acts(), acts);
}

#[tokio::test]
async fn a_kill_cut_short_while_it_moves_a_worktree_is_finished_v2() {
    let (host, recorder) = host(vec![ended("a")]);
    let mut operation = host.operation(Verb::Kill, ids(&["a"]));
    operation.step = Some(TRASH.to_owned());
    recorder.change(|m| m.operations.push(operation));
    assert_eq!(host.recover(&Context::new()).await.unwrap().resumed.len(), 1);
    let calls = recorder.acts();
    assert!(calls.contains(&"move_to_trash /worktrees/a".to_owned()), "{calls:?}");
    assert!(!calls.contains(&"give_back".to_owned()), "{calls:?}");
    assert!(recorder.session_now("a").unwrap().worktree().is_none());
}

#[tokio::test]
async fn conditions_are_tested_when_the_turn_comes_d5() {
    let pinned = Session { pinned_at: Some(NOW), ..running("a", None) };
    let (host, recorder) = host(vec![pinned, running("b", None)]);
    let conditions = Conditions { exclude_pinned: true, ..Conditions::default() };
    let report =
        host.stop(&Context::new(), &ids(&["a", "b"]), &conditions, false, &OPERATOR).await.unwrap();
    assert_eq!(report.results[0].reason.as_deref(), Some("pinned"));
    assert!(report.results[0].trouble.is_none() && report.results[1].stopped);
    assert_eq!(recorder.acts(), ["close b", "end b"]);
    let conditions = Conditions { statuses: vec![Status::NeedsInput], ..Conditions::default() };
    let report = host.kill(&Context::new(), &ids(&["a"]), &conditions, &OPERATOR).await.unwrap();
    assert_eq!(report.results[0].reason.as_deref(), Some("other_status"));
}

#[tokio::test]
async fn undo_of_a_delete_restores_exactly_its_batch_d11() {
    let (host, recorder) = host(vec![ended("a"), ended("b")]);
    let request = DeleteRequest {
        ids: ids(&["a"]).into_iter().collect(),
        conditions: Conditions::default(),
        with_rowless: false,
        closed: BTreeSet::new(),
        actor: OPERATOR,
    };
    let first = host.delete(&Context::new(), request.clone(), &|_| true).await.unwrap();
    let second = DeleteRequest { ids: ids(&["b"]).into_iter().collect(), ..request };
    host.delete(&Context::new(), second, &|_| true).await.unwrap();
    let batch = first.batch.unwrap();
    let report = host.undo(&Context::new(), &batch, &OPERATOR).await.unwrap();
    assert_eq!(report.restored_session_ids, ids(&["a"]));
    assert!(recorder.session_now("b").unwrap().deletion.is_some());
    let again = host.undo(&Context::new(), &batch, &OPERATOR).await.unwrap_err();
    assert!(again.to_string().contains("cannot be undone"), "{again}");
}

#[tokio::test]
async fn a_stuck_delete_can_be_undone_v3() {
    let (host, recorder) = host(vec![ended("a")]);
    recorder.fail("move_to_trash /worktrees/a");
    let request = DeleteRequest {
        ids: ids(&["a"]).into_iter().collect(),
        conditions: Conditions::default(),
        with_rowless: false,
        closed: BTreeSet::new(),
        actor: OPERATOR,
    };
    let report = host.delete(&Context::new(), request, &|_| true).await.unwrap();
    let batch = report.batch.unwrap();
    assert_eq!(recorder.read(|m| m.operations[0].results[0].state.clone()), "failed");
    recorder.change(|m| m.operations[0].state = OperationState::Stuck);
    host.undo(&Context::new(), &batch, &OPERATOR).await.unwrap();
    assert!(recorder.session_now("a").unwrap().deletion.is_none());
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Failed);
}
