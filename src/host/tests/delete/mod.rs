//! Delete, bulk delete and clear (`spec/lifecycle.md` section 6).

mod again;
mod closing;
mod fences;
mod remains;
mod scale;

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::plan::{Conditions, Plan};
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::{HostError, HostResult};
use crate::host::report::{DeleteReport, DeleteRequest, Progress};

use super::fake_world::Model;
use super::{NOW, OPERATOR, Recorder, host, id, ids, running, seeded};

fn request(texts: &[&str]) -> DeleteRequest {
    DeleteRequest {
        ids: ids(texts).into_iter().collect(),
        conditions: Conditions::default(),
        with_rowless: true,
        closed: BTreeSet::new(),
        actor: OPERATOR,
    }
}

/// Deletes with a guard that admits everything; answers the admitted plans too.
async fn delete(
    host: &Host<Recorder>,
    request: DeleteRequest,
) -> (HostResult<DeleteReport>, Vec<Vec<SessionId>>) {
    let admitted = Mutex::new(Vec::new());
    let admit = |plan: &Plan| {
        admitted.lock().unwrap().push(plan.ids());
        true
    };
    let report = host.delete(&Context::new(), request, &admit).await;
    (report, admitted.into_inner().unwrap())
}

fn with_child(model: &mut Model, child: &str, parent: &str) {
    model.keepers.insert(id(child));
    model.sessions.insert(id(child), running(child, Some(parent)));
}

fn skipped(report: &DeleteReport) -> Vec<(&str, &str)> {
    report.skipped.iter().map(|skip| (skip.id.as_str(), skip.reason.as_str())).collect()
}

/// D1, D6, D7, D14: all runtimes close, ascending, before the one transaction, then the worktrees move.
#[tokio::test]
async fn a_delete_closes_all_then_commits_once_then_moves_d6_d7() {
    let (host, recorder) = host(vec![running("b", None), running("a", None), seeded("c", None)]);
    let mut progress = host.subscribe();
    let (report, admitted) = delete(&host, request(&["b", "a", "c"])).await;
    let report = report.unwrap();
    assert_eq!(admitted, [ids(&["a", "b", "c"])]);
    assert_eq!(
        recorder.acts(),
        [
            "close a",
            "close b",
            "tombstone",
            "move_to_trash /worktrees/a",
            "move_to_trash /worktrees/b",
            "move_to_trash /worktrees/c",
        ]
    );
    let calls = recorder.calls();
    let at = |what: &str| calls.iter().position(|call| call == what).unwrap();
    assert!(at("begin") < at("close a") && at("step tombstone") < at("tombstone"));
    assert_eq!(calls.last().unwrap(), "finish done");
    assert_eq!(report.removed_session_ids, ids(&["a", "b", "c"]));
    assert_eq!(report.runtime_closed_ids, ids(&["a", "b"]));
    assert_eq!((report.removed_messages, report.attempts), (3, 1));
    let deletion = recorder.session_now("a").unwrap().deletion.unwrap();
    assert_eq!(Some(&deletion.batch), report.batch.as_ref());
    assert!(deletion.was_live && deletion.trash_path.unwrap().ends_with("a"));
    assert!(!recorder.session_now("c").unwrap().deletion.unwrap().was_live);
    let mut states = Vec::new();
    while let Ok(event) = progress.try_recv() {
        if let Progress::Session { id, state, .. } = event {
            states.push(format!("{id} {state}"));
        }
    }
    for told in ["a closing", "a deleted", "a moved", "c deleted", "c moved"] {
        assert!(states.iter().any(|state| state == told), "{told}: {states:?}");
    }
    assert!(recorder.lanes().is_empty() && recorder.read(|m| m.held.is_empty()));
}

/// D3, D8: an empty plan is neither admitted, reported nor sent to the store; the report names each id.
#[tokio::test]
async fn an_empty_plan_is_neither_admitted_nor_sent_to_the_store_d3_d8() {
    let (host, recorder) = host(vec![super::restore::deleted("gone", None, "b1")]);
    let (report, admitted) = delete(&host, request(&["gone", "never"])).await;
    let report = report.unwrap();
    assert!(admitted.is_empty());
    assert_eq!(skipped(&report), [("gone", "in_trash"), ("never", "not_found")]);
    assert_eq!(report.requested, ids(&["gone", "never"]));
    assert_eq!(report.batch, None);
    assert_eq!(recorder.calls(), ["plan_rows"]);
}

/// D2, D5: descendants go along untested; a pinned one keeps what would pull it in.
#[tokio::test]
async fn children_are_pulled_in_and_pinned_ones_protect_their_ancestors_d5() {
    let pinned = Session { pinned_at: Some(NOW), ..running("d", Some("c")) };
    let sessions = vec![
        running("a", None),
        running("b", Some("a")),
        running("c", None),
        pinned,
        Session { pinned_at: Some(NOW), ..running("e", None) },
    ];
    let (host, recorder) = host(sessions);
    let conditions = Conditions { exclude_pinned: true, ..Conditions::default() };
    let request = DeleteRequest { conditions, ..request(&["a", "c", "e"]) };
    let (report, admitted) = delete(&host, request).await;
    let report = report.unwrap();
    assert_eq!(admitted, [ids(&["a", "b"])]);
    assert_eq!(skipped(&report), [("c", "pinned_descendant: d"), ("e", "pinned")]);
    assert_eq!(report.runtime_closed_ids, ids(&["a", "b"]));
    assert!(recorder.read(|m| m.keepers.contains("d") && m.keepers.contains("e")));
}

/// D6: what does not end after KILL leaves the plan with the requested above it; the rest commits.
#[tokio::test(start_paused = true)]
async fn what_does_not_end_stays_with_its_ancestors_and_the_rest_goes_d6() {
    let sessions = vec![
        running("a", None),
        running("b", Some("a")),
        running("c", Some("b")),
        running("d", Some("a")),
        running("z", None),
    ];
    let (host, recorder) = host(sessions);
    recorder.hang("close c");
    let (report, _) = delete(&host, request(&["a", "d", "z"])).await;
    let report = report.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["d", "z"]));
    assert_eq!(skipped(&report), [("a", "descendant_did_not_end: c"), ("c", "did_not_end")]);
    assert_eq!(report.runtime_closed_ids, ids(&["a", "b", "d", "z"]));
    assert_eq!(recorder.session_now("b").unwrap().condition.status, Status::Killed);
    assert!(recorder.session_now("c").unwrap().is_live());
    assert_eq!(recorder.calls().last().unwrap(), "finish partly_done");
}

/// D7, D10: a clean-up that fails is recorded, skips no other and is tried again at the next start.
#[tokio::test]
async fn a_move_that_fails_skips_no_other_and_is_tried_again_d10() {
    let (host, recorder) = host(vec![seeded("a", None), seeded("b", None)]);
    recorder.fail("move_to_trash /worktrees/a");
    let (report, _) = delete(&host, request(&["a", "b"])).await;
    let report = report.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a", "b"]));
    assert_eq!(report.cleanup_failed_ids, ids(&["a"]));
    recorder.heal("move_to_trash /worktrees/a");
    recorder.forget();
    let recovered = host.recover(&Context::new()).await.unwrap();
    assert_eq!(recovered.resumed, [report.batch.unwrap().to_string()]);
    assert_eq!(recorder.acts(), ["move_to_trash /worktrees/a"]);
    assert!(host.recover(&Context::new()).await.unwrap().resumed.is_empty());
}

/// D7, D10, D12: a runtime without a row is closed without a store call, named or met by clear.
#[tokio::test]
async fn a_runtime_without_a_row_is_closed_without_the_store_d7() {
    let (host, recorder) = host(vec![]);
    recorder.change(|m| m.keepers.insert(id("lost")));
    let (report, admitted) = delete(&host, request(&["lost"])).await;
    let report = report.unwrap();
    assert_eq!(admitted.len(), 1);
    assert_eq!(recorder.acts(), ["close lost", "remove_history lost"]);
    assert!(!recorder.calls().iter().any(|call| call == "begin" || call == "tombstone"));
    assert_eq!(report.runtime_closed_ids, ids(&["lost"]));
    assert!(report.removed_session_ids.is_empty() && report.skipped.is_empty());

    recorder.change(|m| m.keepers.insert(id("lost")));
    let conditions = Conditions { exclude_pinned: true, ..Conditions::default() };
    let (report, _) = delete(&host, DeleteRequest { conditions, ..request(&["lost"]) }).await;
    assert!(report.unwrap().runtime_closed_ids.is_empty());

    let clear = host.clear_request(OPERATOR).await.unwrap();
    assert!(clear.ids.contains("lost"));
}

/// D14: cancelled before the transaction, what was closed by then is reported.
#[tokio::test]
async fn a_cancelled_delete_reports_what_it_closed_d14() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    let caller = Context::new();
    let cancel = caller.cancel.clone();
    recorder.at("close b", move |_| cancel.cancel());
    let error = host.delete(&caller, request(&["a", "b"]), &|_| true).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    let HostError::Stopped { closed, .. } = &error else { panic!("{error}") };
    assert_eq!(*closed, ids(&["a", "b"]));
    assert!(!recorder.calls().iter().any(|call| call == "tombstone"));
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Killed);
    assert_eq!(recorder.calls().last().unwrap(), "finish cancelled");
    let contexts = recorder.read(|m| m.calls.clone());
    let mut closes = contexts.iter().filter(|call| call.what.starts_with("close"));
    assert!(closes.all(|call| call.deadline && !call.cancelled));
}

/// D14: escalation is reported.
#[tokio::test]
async fn escalation_is_reported_d14() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|m| m.escalates = true);
    let (report, _) = delete(&host, request(&["a"])).await;
    assert_eq!(report.unwrap().escalated_ids, ids(&["a"]));
}

/// V2: a transaction of unknown outcome is settled by the rows.
#[tokio::test]
async fn a_transaction_of_unknown_outcome_is_settled_by_the_rows_v2() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.fail("tombstone");
    let (report, _) = delete(&host, request(&["a"])).await;
    assert!(matches!(report.unwrap_err(), HostError::Stopped { .. }));
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Killed);
    assert_eq!(recorder.calls().last().unwrap(), "finish failed");
}

/// D2: advice is gathered within its deadline, and how far that is gets told; unknown is none and no reason to plan again.
#[tokio::test(start_paused = true)]
async fn advice_is_gathered_within_its_deadline_and_unknown_is_none_d2() {
    let (host, recorder) = host(vec![running("a", None), running("b", Some("a"))]);
    recorder.change(|m| m.dirty = true);
    let told = Mutex::new(Vec::new());
    let looked = |done, total| told.lock().unwrap().push((done, total));
    let plan = host.plan_delete(&Context::new(), &request(&["a"]), &looked).await.unwrap();
    assert_eq!(told.into_inner().unwrap(), [(1, 2), (2, 2)]);
    assert_eq!(plan.items[1].pulled_in_by, Some(id("a")));
    assert_eq!(plan.items[0].advice.dirty_files, Some(2));
    recorder.hang("advice");
    let plan = host.plan_delete(&Context::new(), &request(&["a"]), &|_, _| {}).await.unwrap();
    assert_eq!(plan.items[0].advice.dirty_files, None);
    assert!(plan.items[0].advice.unanswered, "what git did not answer is not called safe");
    assert!(recorder.acts().is_empty());
}
/// D9: a folder that is shared or not ours stays, which is said and is no failure; the row keeps it.
#[tokio::test]
async fn a_folder_that_is_shared_or_not_ours_stays() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    let staying = [(ids(&["a"]).remove(0), "session x works in it".to_owned())];
    recorder.change(|m| m.staying = staying.into());
    let report = host.delete(&Context::new(), request(&["a", "b"]), &|_| true).await.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a", "b"]));
    assert!(report.cleanup_failed_ids.is_empty());
    let notes: Vec<_> = report.notes.iter().map(|note| (note.id.as_str(), &*note.text)).collect();
    assert_eq!(notes, [("a", "its folder stays: session x works in it")]);
    let acts = recorder.acts();
    assert!(acts.contains(&"move_to_trash /worktrees/b".to_owned()));
    assert!(!acts.contains(&"move_to_trash /worktrees/a".to_owned()), "{acts:?}");
    let row = recorder.session_now("a").unwrap();
    assert!(row.worktree().is_some() && row.deletion.unwrap().trash_path.is_none());
}
