//! What happens to folders and histories after the commit.

use crate::domain::operation::OperationState;
use crate::domain::session::{FolderKind, Session};
use crate::host::context::Context;
use crate::host::report::{RestoreRequest, RestoreTarget};

use super::super::{OPERATOR, host, id, ids, running, seeded};
use super::{delete, request};

fn in_folder(text: &str, kind: FolderKind, folder: &str) -> Session {
    Session { folder_kind: kind, folder: folder.into(), ..running(text, None) }
}

/// D9: a folder stays that is not the session's own, or in which a session works that is not deleted.
#[tokio::test]
async fn a_folder_that_is_shared_or_not_ours_stays() {
    let (host, recorder) = host(vec![
        running("a", None),
        running("b", None),
        in_folder("chat", FolderKind::None, "/worktrees/a/src"),
        in_folder("inside", FolderKind::None, "/worktrees/b"),
        in_folder("plain", FolderKind::InPlace, "/src/shop"),
    ]);
    let report = delete(&host, request(&["a", "b", "inside", "plain"])).await.0.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a", "b", "inside", "plain"]));
    let moves = recorder.acts().into_iter().filter(|call| call.starts_with("move_to_trash"));
    assert_eq!(moves.collect::<Vec<_>>(), ["move_to_trash /worktrees/b"]);
    let [note] = &report.notes[..] else { panic!("{:?}", report.notes) };
    assert_eq!(
        (&note.id, note.text.as_str()),
        (&id("a"), "its folder stays: chat works in it too")
    );
    let place = |text: &str| recorder.session_now(text).unwrap().deletion.unwrap().trash_path;
    assert_eq!((place("a"), place("plain")), (None, None));
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Done);

    let target = RestoreTarget::Last;
    let request = RestoreRequest { target, launch: false, to: None, actor: OPERATOR };
    let back = host.restore(&Context::new(), request).await.unwrap();
    assert_eq!(back.restored_session_ids.len(), 4);
    assert!(recorder.read(|m| m.folders.contains(std::path::Path::new("/worktrees/a"))));
}

/// D7, L4: worktrees move in ascending order after the commit, while no lock is held.
#[tokio::test]
async fn moves_hold_no_lock() {
    let (host, recorder) = host(vec![running("b", None), seeded("a", None), seeded("c", None)]);
    for text in ["a", "b", "c"] {
        let lanes = recorder.lanes().clone();
        recorder.at(&format!("move_to_trash /worktrees/{text}"), move |m| {
            assert!(lanes.is_empty());
            assert!(m.sessions.values().all(|session| session.deletion.is_some()));
        });
    }
    delete(&host, request(&["a", "b", "c"])).await.0.unwrap();
    let moves: Vec<String> =
        recorder.calls().into_iter().filter(|call| call.starts_with("move_to_trash")).collect();
    assert_eq!(moves.len(), 3);
    assert!(moves.is_sorted());
}

/// D10: what was tombstoned keeps all that brings it back; of what had no row nothing is kept. A failure of
/// one skips no other, is recorded, and is made good at the next start; the result is a success.
#[tokio::test]
async fn clean_up_preserves_what_was_tombstoned_and_nothing_else() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    recorder.change(|m| m.keepers.extend(ids(&["lost", "more"])));
    recorder.fail("remove_history lost");
    recorder.fail("move_to_trash /worktrees/a");
    let (report, _) = delete(&host, request(&["a", "b", "lost", "more"])).await;
    let report = report.unwrap();
    let after = recorder.acts();
    let after = &after[after.iter().position(|call| call == "tombstone").unwrap() + 1..];
    assert_eq!(
        after,
        [
            "move_to_trash /worktrees/a",
            "move_to_trash /worktrees/b",
            "remove_history lost",
            "remove_history more",
        ]
    );
    assert_eq!(report.removed_session_ids, ids(&["a", "b"]));
    assert_eq!(report.cleanup_failed_ids, ids(&["a", "lost"]));
    let failed = recorder.read(|m| m.operations[0].in_state("failed"));
    assert_eq!(failed.into_iter().collect::<Vec<_>>(), ids(&["a", "lost"]));

    recorder.heal("remove_history lost");
    recorder.heal("move_to_trash /worktrees/a");
    recorder.forget();
    host.recover(&Context::new()).await.unwrap();
    assert_eq!(recorder.acts(), ["move_to_trash /worktrees/a", "remove_history lost"]);
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Done);
    let results = recorder.read(|m| m.operations[0].in_state("failed"));
    assert!(results.is_empty(), "the end of the operation does not bring old results back");
}

/// D7, V1: the journal names where each worktree will go, and which runtimes run, before anything is done.
#[tokio::test]
async fn intents_are_journalled_before_the_first_close() {
    let (host, recorder) = host(vec![running("a", None), seeded("b", None)]);
    recorder.at("close a", |m| {
        let [operation] = &m.operations[..] else { panic!("one operation") };
        let told = operation.results.iter().map(|one| {
            let place = one.detail.as_deref().unwrap().ends_with(one.id.as_str());
            (one.id.as_str(), one.state.as_str(), place)
        });
        assert_eq!(told.collect::<Vec<_>>(), [("a", "live", true), ("b", "intended", true)]);
    });
    delete(&host, request(&["a", "b"])).await.0.unwrap();
    let results = recorder.read(|m| m.operations[0].in_state("moved"));
    assert_eq!(results.into_iter().collect::<Vec<_>>(), ids(&["a", "b"]));
}
