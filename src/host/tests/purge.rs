use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::domain::ids::OperationId;
use crate::domain::operation::OperationState;
use crate::domain::session::{Deletion, Session};
use crate::domain::trash::PurgeChoice;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::report::{PurgeReport, PurgeRequest};

use super::{NOW, OPERATOR, Recorder, host, id, ids, running, seeded};

/// A tombstone of so many days, with its folder in the trash.
fn buried(text: &str, parent: Option<&str>, days: u64) -> Session {
    let at = NOW.minus(Duration::from_hours(24 * days));
    let deletion = Deletion {
        at,
        batch: OperationId::new("old").unwrap(),
        was_live: false,
        trash_path: Some(PathBuf::from(format!("/trash/old/{text}"))),
    };
    Session { deletion: Some(deletion), ..seeded(text, parent) }
}

fn stage(sessions: Vec<Session>) -> (Host<Recorder>, Recorder) {
    let (host, recorder) = host(sessions);
    recorder.change(|m| {
        let paths = m
            .sessions
            .values()
            .filter_map(|one| Some((one.id.clone(), one.deletion.as_ref()?.trash_path.clone()?)));
        m.trashed = paths.collect();
    });
    (host, recorder)
}

fn request(choice: PurgeChoice) -> PurgeRequest {
    PurgeRequest { choice, branches: BTreeSet::new(), actor: OPERATOR }
}

fn named(texts: &[&str]) -> PurgeRequest {
    request(PurgeChoice { ids: Some(ids(texts).into_iter().collect()), ..PurgeChoice::default() })
}

fn everything() -> PurgeRequest {
    request(PurgeChoice::default())
}

async fn purge(host: &Host<Recorder>, request: &PurgeRequest) -> PurgeReport {
    host.purge(&Context::new(), request, &|_| true).await.unwrap()
}

fn skips(report: &PurgeReport) -> Vec<(&str, &str)> {
    report.skipped.iter().map(|skip| (skip.id.as_str(), skip.reason.as_str())).collect()
}

#[tokio::test]
async fn rows_go_before_files_and_worktrees_before_branches_r5() {
    let (host, recorder) = stage(vec![buried("a", None, 40), buried("b", Some("a"), 40)]);
    let report = purge(&host, &named(&["b"])).await;
    assert_eq!(report.purged_session_ids, ids(&["a", "b"]), "trees are never split");
    assert_eq!((report.removed_messages, report.freed_bytes), (2, 220));
    let acts = recorder.acts();
    assert_eq!(acts[..3], ["purge_rows", "remove_history a", "remove_history b"]);
    let at = |what: &str| acts.iter().position(|act| act == what).unwrap();
    for text in ["a", "b"] {
        let worktree = at(&format!("remove_trashed /trash/old/{text}"));
        assert!(worktree < at("delete_branches callboard/a callboard/b if merged"));
    }
    let first = recorder.calls().iter().position(|call| call == "begin").unwrap();
    assert!(first < recorder.calls().iter().position(|call| call == "purge_rows").unwrap(), "V1");
    let operation = recorder.read(|m| m.operations[0].clone());
    assert_eq!(operation.state, OperationState::Done);
    assert!(recorder.lanes().is_empty());
    assert_eq!(recorder.read(|m| m.events.len()), 2, "W6");
}

#[tokio::test]
async fn one_that_cannot_be_purged_holds_up_no_other_r5() {
    let (host, recorder) =
        stage(vec![buried("a", None, 1), buried("b", None, 1), buried("c", None, 1)]);
    // The folder of a was not moved yet and still cannot be; a runtime of b does not end.
    recorder.change(|m| m.trashed.retain(|(of, _)| *of != id("a")));
    recorder.change(|m| m.keepers.insert(id("b")));
    recorder.fail("move_to_trash /worktrees/a");
    recorder.fail("close b");
    let report = purge(&host, &everything()).await;
    assert_eq!(report.purged_session_ids, ids(&["c"]));
    assert_eq!(skips(&report), [("a", "not_moved"), ("b", "did_not_end")]);
    assert!(recorder.session_now("a").is_some() && recorder.session_now("b").is_some());
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Partly);
    let removed = recorder.calls().into_iter().filter(|call| call.starts_with("remove_trashed"));
    assert_eq!(removed.count(), 1);
}

#[tokio::test]
async fn files_that_stay_are_tried_again_at_the_next_start_r5() {
    let (host, recorder) = stage(vec![buried("a", None, 1), buried("b", None, 1)]);
    recorder.fail("remove_trashed /trash/old/a");
    let report = purge(&host, &everything()).await;
    assert_eq!(report.purged_session_ids, ids(&["a", "b"]), "their rows are gone");
    assert_eq!(report.files_left[0].id, id("a"));
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Running);
    recorder.forget();
    let again = host.recover(&Context::new()).await.unwrap();
    assert_eq!(again.stuck.len(), 1, "it fails once more");
    recorder.heal("remove_trashed /trash/old/a");
    recorder.forget();
    assert_eq!(host.recover(&Context::new()).await.unwrap().resumed.len(), 1);
    let calls = recorder.acts();
    assert!(calls.contains(&"remove_trashed /trash/old/a".to_owned()), "{calls:?}");
    assert!(!calls.iter().any(|call| call.ends_with("/b")), "{calls:?}");
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Done);
}

#[tokio::test]
async fn recovery_leaves_what_belongs_to_a_new_session_of_the_same_id_r5() {
    let (host, recorder) = stage(vec![buried("a", None, 1)]);
    recorder.fail("remove_trashed /trash/old/a");
    purge(&host, &everything()).await;
    recorder.heal("remove_trashed /trash/old/a");
    recorder.change(|m| m.sessions.insert(id("a"), running("a", None)));
    recorder.change(|m| m.keepers.insert(id("a")));
    recorder.forget();
    host.recover(&Context::new()).await.unwrap();
    assert_eq!(recorder.acts()[..1], ["remove_trashed /trash/old/a"]);
    assert!(recorder.session_now("a").unwrap().is_live());
}

#[tokio::test]
async fn a_purge_cut_short_before_its_transaction_purged_nothing_v2() {
    let (host, recorder) = stage(vec![buried("a", None, 1)]);
    let ctx = Context::new();
    let cancel = ctx.cancel.clone();
    recorder.at("begin", move |_| cancel.cancel());
    host.purge(&ctx, &everything(), &|_| true).await.unwrap_err();
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Cancelled);
    recorder.change(|m| m.operations[0].state = OperationState::Running);
    recorder.forget();
    assert_eq!(host.recover(&Context::new()).await.unwrap().undone.len(), 1);
    assert!(recorder.acts().is_empty() && recorder.session_now("a").is_some());
}

#[tokio::test]
async fn nothing_happens_to_what_was_not_admitted_d3() {
    let (host, recorder) = stage(vec![buried("a", None, 1)]);
    let refused = host.purge(&Context::new(), &everything(), &|_| false).await.unwrap_err();
    assert!(matches!(refused, HostError::NotAdmitted));
    assert!(recorder.calls().is_empty());
}

#[tokio::test]
async fn ids_that_are_not_in_the_trash_are_named_r5() {
    let (host, recorder) = stage(vec![running("a", None), buried("b", None, 1)]);
    let report = purge(&host, &named(&["a", "none"])).await;
    assert_eq!(skips(&report), [("a", "not_in_trash"), ("none", "not_found")]);
    assert!(report.purged_session_ids.is_empty() && recorder.acts().is_empty());
    assert!(recorder.session_now("a").unwrap().is_live());
}

#[tokio::test]
async fn a_branch_goes_unmerged_only_by_name_r5() {
    let mut other = buried("b", None, 1);
    other.branch = Some("feature".into());
    let (host, recorder) = stage(vec![buried("a", None, 1), other]);
    let by_name = PurgeRequest { branches: ["callboard/a".to_owned()].into(), ..everything() };
    purge(&host, &by_name).await;
    let branches: Vec<String> =
        recorder.acts().into_iter().filter(|act| act.starts_with("delete_branch")).collect();
    assert_eq!(branches, ["delete_branches callboard/a by name"], "others' branches are not ours");
}

#[tokio::test]
async fn old_tombstones_are_purged_once_a_day_while_nothing_is_deleted_r5() {
    let (host, recorder) = stage(vec![buried("old", None, 31), buried("new", None, 29)]);
    let keep = Duration::from_hours(24 * 30);
    let operation = host.operation(crate::domain::operation::Verb::Delete, ids(&["x"]));
    recorder.change(|m| m.operations.push(operation));
    assert!(host.purge_expired(&Context::new(), keep).await.unwrap().is_none());
    recorder.change(|m| m.operations.clear());
    let report = host.purge_expired(&Context::new(), keep).await.unwrap().unwrap();
    assert_eq!(report.purged_session_ids, ids(&["old"]));
    assert!(recorder.session_now("new").is_some());
    assert!(host.purge_expired(&Context::new(), keep).await.unwrap().is_none(), "once a day");
}
