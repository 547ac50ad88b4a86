use std::path::PathBuf;

use crate::domain::ids::{BatchId, SessionId};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Back;
use crate::domain::session::{Deletion, Session};
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::report::{RestoreRequest, RestoreTarget};

use super::{NOW, OPERATOR, host, id, ids, running, seeded};

/// A tombstone of a batch, that ran.
pub(super) fn deleted(text: &str, parent: Option<&str>, batch: &str) -> Session {
    let batch = BatchId::new(batch).unwrap();
    let deletion = Deletion {
        at: NOW,
        was_live: true,
        trash_path: Some(super::fake_store::trash_path(&batch, &id(text))),
        batch,
    };
    ended(Session { deletion: Some(deletion), ..seeded(text, parent) })
}

pub(super) fn ended(session: Session) -> Session {
    let condition = running("x", None).condition;
    let condition = condition.terminated(TerminationReason::ManuallyKilled, &[], NOW);
    Session { condition, ..session }
}

fn request(target: RestoreTarget) -> RestoreRequest {
    RestoreRequest { target, launch: false, to: None, actor: OPERATOR }
}

fn by_id(texts: &[&str]) -> RestoreRequest {
    request(RestoreTarget::Ids(ids(texts)))
}

/// R1: folders move back before the rows come back.
#[tokio::test]
async fn folders_move_back_before_the_rows_come_back_r1() {
    let (host, recorder) = host(vec![deleted("a", None, "b1"), deleted("b", Some("a"), "b1")]);
    let report = host.restore(&Context::new(), by_id(&["b"])).await.unwrap();
    assert_eq!(report.restored_session_ids, ids(&["a", "b"]));
    assert_eq!(report.was_live_ids, ids(&["a", "b"]));
    assert!(report.launched_ids.is_empty());
    let acts = recorder.acts();
    assert_eq!(acts, ["move_back /worktrees/a", "move_back /worktrees/b", "untombstone"]);
    assert!(recorder.session_now("a").unwrap().deletion.is_none());
    assert_eq!(recorder.calls().last().unwrap(), "finish done");
    assert!(recorder.lanes().is_empty());
}

/// R1: a component that cannot be moved is moved back and reported alone.
#[tokio::test]
async fn a_component_that_cannot_be_moved_is_moved_back_and_reported_alone_r1() {
    let sessions =
        vec![deleted("a", None, "b1"), deleted("b", Some("a"), "b1"), deleted("c", None, "b1")];
    let (host, recorder) = host(sessions);
    recorder.fail("move_back /worktrees/b");
    let report = host.restore(&Context::new(), request(RestoreTarget::Last)).await.unwrap();
    assert_eq!(report.restored_session_ids, ids(&["c"]));
    let not: Vec<_> = report.not_restored.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(not, ["a", "b"]);
    let acts = recorder.acts();
    assert!(acts.contains(&"move_to_trash /worktrees/a".to_owned()), "{acts:?}");
    assert!(recorder.session_now("a").unwrap().deletion.is_some());
    assert_eq!(recorder.calls().last().unwrap(), "finish partly_done");
}

/// R3: a batch restores exactly its rows.
#[tokio::test]
async fn a_batch_restores_exactly_its_rows_r3() {
    let sessions = vec![
        deleted("a", None, "b2"),
        deleted("b", Some("a"), "b1"),
        deleted("c", None, "b1"),
        deleted("d", None, "b2"),
    ];
    let (host, recorder) = host(sessions);
    let batch = RestoreTarget::Batch(BatchId::new("b1").unwrap());
    let report = host.restore(&Context::new(), request(batch)).await.unwrap();
    assert_eq!(report.restored_session_ids, ids(&["c"]));
    assert_eq!(report.not_restored[0].reason, "its parent a is in the trash");
    assert!(recorder.session_now("d").unwrap().deletion.is_some());
}

#[tokio::test]
async fn undo_walks_back_batch_by_batch_d11() {
    let (host, recorder) = host(vec![deleted("a", None, "b1"), deleted("b", None, "b2")]);
    for expected in [&["b"][..], &["a"], &[]] {
        let report = host.restore(&Context::new(), request(RestoreTarget::Last)).await.unwrap();
        assert_eq!(report.restored_session_ids, ids(expected));
    }
    assert!(recorder.read(|m| m.sessions.values().all(|s| s.deletion.is_none())));
}

/// R2: unknown ids and batches are not found.
#[tokio::test]
async fn unknown_ids_and_batches_are_not_found_r2() {
    let (host, _) = host(vec![deleted("a", None, "b1")]);
    let error = host.restore(&Context::new(), by_id(&["x"])).await.unwrap_err();
    assert!(matches!(error, HostError::NotFound(_)));
    let batch = RestoreTarget::Batch(BatchId::new("b9").unwrap());
    let error = host.restore(&Context::new(), request(batch)).await.unwrap_err();
    assert!(matches!(error, HostError::NoBatch(_)));
    let report = host.restore(&Context::new(), by_id(&["a", "x"])).await.unwrap();
    assert_eq!(report.restored_session_ids, ids(&["a"]));
    assert_eq!(report.not_restored[0].reason, "not_found");
}

/// R2: another folder is for one worktree.
#[tokio::test]
async fn another_folder_is_for_one_worktree_r2() {
    let (host, recorder) = host(vec![deleted("a", None, "b1"), deleted("b", None, "b1")]);
    let to = Some(PathBuf::from("/elsewhere"));
    let both = RestoreRequest { to: to.clone(), ..by_id(&["a", "b"]) };
    assert!(host.restore(&Context::new(), both).await.is_err());
    let one = RestoreRequest { to, ..by_id(&["a"]) };
    host.restore(&Context::new(), one).await.unwrap();
    assert_eq!(recorder.session_now("a").unwrap().folder, PathBuf::from("/elsewhere"));
}

#[tokio::test]
async fn restored_sessions_are_launched_only_when_asked_r1() {
    let (host, recorder) = host(vec![deleted("a", None, "b1")]);
    let request = RestoreRequest { launch: true, ..request(RestoreTarget::Last) };
    let report = host.restore(&Context::new(), request).await.unwrap();
    let launched: Vec<SessionId> = report.launched_ids;
    assert_eq!(launched, ids(&["a"]));
    assert!(recorder.session_now("a").unwrap().is_live());
}

/// R1, R2: what a restore comes to is seen before, and nothing is done: a place that is taken, a folder
/// that is missing, the whole of a tree, what ran.
#[tokio::test]
async fn a_restore_is_foreseen_r1_r2() {
    let sessions = vec![
        deleted("a", None, "b1"),
        deleted("b", Some("a"), "b1"),
        deleted("c", None, "b1"),
        deleted("d", None, "b1"),
        ended(seeded("e", None)),
        running("f", None),
    ];
    let (host, recorder) = host(sessions);
    let in_trash = |text: &str| {
        let deletion = recorder.session_now(text).unwrap().deletion.unwrap();
        deletion.trash_path.unwrap()
    };
    let taken = in_trash("c");
    let gone = in_trash("d");
    recorder.change(|m| {
        m.folders.remove(&gone);
        m.folders.insert(PathBuf::from("/worktrees/c"));
    });
    let target = RestoreTarget::Ids(ids(&["b", "c", "d", "e", "f", "x"]));
    let plan = host.plan_restore(&Context::new(), &target, None, &|_, _| {}).await.unwrap();
    let back: Vec<_> =
        plan.items.iter().map(|item| (item.row.id.as_str(), item.advice.back.clone())).collect();
    let missing = Back::MadeAgain("the folder was missing".to_owned());
    assert_eq!(
        back,
        [
            ("a", Some(Back::AsItWas)),
            ("b", Some(Back::AsItWas)),
            ("d", Some(missing)),
            ("e", Some(Back::Launched))
        ]
    );
    assert_eq!(plan.items[0].pulled_in_by, Some(id("b")), "its tree comes along");
    assert!(plan.items[0].row.live, "it ran");
    let skipped: Vec<_> =
        plan.skipped.iter().map(|skip| (skip.id.as_str(), skip.reason.to_string())).collect();
    assert_eq!(skipped[0], ("c", "the place is taken".to_owned()));
    assert_eq!(skipped[1], ("f", "session f is running".to_owned()));
    assert_eq!(skipped[2], ("x", "not_found".to_owned()));
    assert!(recorder.read(|m| m.folders.contains(&taken)), "nothing was moved");
    assert!(recorder.acts().iter().all(|act| act.starts_with("foresee")), "{:?}", recorder.acts());
    let unknown = RestoreTarget::Ids(ids(&["x"]));
    let error = host.plan_restore(&Context::new(), &unknown, None, &|_, _| {}).await.unwrap_err();
    assert!(matches!(error, HostError::NotFound(_)));
}
