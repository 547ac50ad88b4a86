//! Launches: their numbers, their one write, and what is taken for a fact of them.

use crate::domain::activity::Activity;
use crate::domain::ids::ProjectName;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Conditions;
use crate::domain::session::Session;
use crate::domain::status::Status;

use super::super::StoreError;
use super::{Fixture, exit, facts, id};
use crate::domain::launch::Initialised;
use crate::domain::trash::{TombstoneRow, Tombstoned};
use crate::domain::worktree::Worktree;

fn launch(fixture: &Fixture, generation: u32, conversation: Option<&str>) -> Initialised {
    Initialised {
        generation,
        keeper_pid: 20,
        pid: 21,
        started_at: fixture.clock.now(),
        token_hash: "other".into(),
        agent_session_id: conversation.map(str::to_owned),
    }
}

fn tree(path: &str, branch: &str, base: &str) -> Worktree {
    Worktree { path: path.into(), branch: branch.into(), base: base.into(), new_branch: true }
}

fn conversation(session: &Session) -> Option<&str> {
    session.launch.agent_session_id.as_deref()
}

/// S3: a number is not used again after a failed create, nor after a purge.
#[tokio::test]
async fn a_number_is_used_once_also_after_a_purge_s3() {
    let fixture = Fixture::new();
    let (store, shop) = (&fixture.store, ProjectName::new("shop").unwrap());
    let mut given = Vec::new();
    for round in 0..3 {
        let next = store.reserve_id(Some(&shop)).await.unwrap();
        fixture.seed(next.as_str(), None).await;
        if round == 0 {
            store.rollback_seed(&next).await.unwrap();
        } else {
            let row =
                TombstoneRow { id: next.clone(), closed: false, was_live: false, trash_path: None };
            let (wanted, batch) = ([next.clone()].into(), "b1".parse().unwrap());
            let done = store.tombstone(&wanted, &Conditions::default(), &[row], &batch).await;
            assert!(matches!(done, Ok(Tombstoned::Done { .. })));
            let taken = store.insert_seed(&super::seed(next.as_str(), None)).await;
            assert_eq!(taken, Err(StoreError::InTrash { id: next.clone() }));
            store.purge_rows(&[vec![next.clone()]]).await.unwrap();
        }
        given.push(next);
    }
    assert_eq!(given, ["shop-1", "shop-2", "shop-3"].map(id));
    // Free again for a caller who chooses it.
    fixture.seed("shop-2", None).await;
}

/// S5: an update merges: an empty field never overwrites a stored value.
#[tokio::test]
async fn an_empty_field_never_overwrites_a_stored_value_s5() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let (store, one) = (&fixture.store, id("shop-1"));
    store.set_worktree(&one, &tree("/w/a", "b", "c")).await.unwrap();
    store.set_worktree(&one, &tree("/w/b", "", "")).await.unwrap();
    let session = fixture.get("shop-1").await;
    assert_eq!((session.branch.as_deref(), session.base.as_deref()), (Some("b"), Some("c")));
    assert_eq!(session.folder.to_str(), Some("/w/b"));

    store.initialise(&one, &launch(&fixture, 2, None)).await.unwrap();
    let session = fixture.get("shop-1").await;
    assert_eq!(conversation(&session), Some("conversation"));
    store.publish_launch(&one, &launch(&fixture, 3, Some("new")), None).await.unwrap();
    let session = fixture.get("shop-1").await;
    assert_eq!((conversation(&session), session.branch.as_deref()), (Some("new"), Some("b")));
}

/// S5, C4: facts below the published launch are dropped, those of a newer one stored until its
/// publish folds them.
#[tokio::test]
async fn facts_are_folded_by_the_publish_of_their_launch_s5() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.observe("shop-1", 2, 1, Activity::Blocked);
    let status = async || fixture.get("shop-1").await.condition.status;
    assert_eq!(status().await, Status::Working);
    fixture.observe("shop-1", 1, 9, Activity::Idle);
    assert_eq!(status().await, Status::Working, "older than what is stored");
    fixture.store.publish_launch(&id("shop-1"), &launch(&fixture, 2, None), None).await.unwrap();
    assert_eq!(status().await, Status::NeedsInput);
    fixture.observe("shop-1", 1, 10, Activity::Idle);
    assert_eq!(status().await, Status::NeedsInput, "below the published launch");
}

/// B2, C4: the row of an ended session changes in one write: alive, no reason, no error, spawning
/// until the first fact.
#[tokio::test]
async fn a_launch_is_written_and_published_at_once_b2() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let (store, one) = (&fixture.store, id("shop-1"));
    store.end(&one, Some(TerminationReason::RuntimeLost)).await.unwrap();
    store.set_error(&one, Some("did not start")).await.unwrap();
    let wrong = store.publish_launch(&id("shop-9"), &launch(&fixture, 2, None), None).await;
    assert!(matches!(wrong, Err(StoreError::NoSession { .. })), "{wrong:?}");

    let made = tree("/w/shop-1", "b", "c");
    let session = store.publish_launch(&one, &launch(&fixture, 2, None), Some(&made)).await;
    let session = session.unwrap();
    assert_eq!(session, fixture.get("shop-1").await);
    let lifecycle = &session.condition.lifecycle;
    assert_eq!((lifecycle.generation, lifecycle.published), (2, 2));
    assert!(session.is_live() && lifecycle.reason.is_none() && session.error.is_none());
    assert_eq!(session.condition.status, Status::Spawning);
    assert_eq!(session.folder.to_str(), Some("/w/shop-1"));
    fixture.observe("shop-1", 2, 1, Activity::Idle);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Idle);
}

/// C8: what the agent of a failed start left behind is no fact of the next launch.
#[tokio::test]
async fn a_failed_start_leaves_no_facts_to_the_next_launch_c8() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    let (store, one) = (&fixture.store, id("shop-1"));
    assert_eq!(store.next_generation(&one).await.unwrap(), 1);
    let now = fixture.tick();
    let mut last = facts(1, 7, Activity::Exited, now);
    last.exit = Some(exit(now));
    fixture.writer("shop-1").write(&last, now).unwrap();
    store.park(&one, "the agent did not start").await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Errored);

    let next = store.next_generation(&one).await.unwrap();
    assert_eq!(next, 2);
    let session = store.publish_launch(&one, &launch(&fixture, next, None), None).await.unwrap();
    assert_eq!(session.condition.status, Status::Spawning);
    fixture.observe("shop-1", next, 1, Activity::Idle);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Idle);
    assert_eq!(store.next_generation(&one).await.unwrap(), 3);
    let missing = store.next_generation(&id("shop-9")).await;
    assert!(matches!(missing, Err(StoreError::NoSession { .. })), "{missing:?}");
}

/// C4: a session that is not published yet is live for nobody.
#[tokio::test]
async fn nobody_is_told_of_a_launch_before_its_publish_c4() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    let (store, one) = (&fixture.store, id("shop-1"));
    store.initialise(&one, &launch(&fixture, 1, None)).await.unwrap();
    assert!(!fixture.get("shop-1").await.is_live());
    assert!(store.live().await.unwrap().is_empty());
    store.publish(&one, 1).await.unwrap();
    assert!(fixture.get("shop-1").await.is_live());
    assert_eq!(store.live().await.unwrap().len(), 1);
}
