//! The record of a session: what it holds, what never changes, what is never lost (S1 to S5, T2).

use std::collections::BTreeSet;

use crate::domain::activity::Activity;
use crate::domain::error::ErrorKind;
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::plan::Conditions;
use crate::domain::pr::PrFacts;
use crate::domain::query::PageQuery;
use crate::domain::session::{FolderKind, Kind, LaunchFacts, Session};
use crate::domain::status::Status;
use crate::os::random;

use super::super::StoreError;
use super::{Fixture, exit, facts, failing_pr, id, name, seed};
use crate::domain::launch::{Initialised, Seed};
use crate::domain::trash::{TombstoneRow, Untombstone};
use crate::domain::worktree::Worktree;

async fn bury(fixture: &Fixture, names: &[&str]) {
    let requested: BTreeSet<_> = names.iter().map(|name| id(name)).collect();
    let row = |id: &crate::domain::ids::SessionId| TombstoneRow {
        id: id.clone(),
        was_live: false,
        closed: false,
        trash_path: Some("/trash/it".into()),
    };
    let rows: Vec<TombstoneRow> = requested.iter().map(row).collect();
    let batch = random::operation();
    fixture.store.tombstone(&requested, &Conditions::default(), &rows, &batch).await.unwrap();
}

/// S1: everything that the record holds comes back as it was stored
#[tokio::test]
async fn a_record_holds_all_of_a_session() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.live("shop-1", None).await;
    let launch = LaunchFacts {
        agent: "claude".into(),
        target: "fast".into(),
        args: vec!["--model".into(), "best".into()],
        model: Some("best".into()),
        permission_mode: Some("plan".into()),
        ..LaunchFacts::default()
    };
    let wanted = Seed {
        kind: Kind::Orchestrator,
        launch: launch.clone(),
        pinned: true,
        ..seed("shop-2", Some("shop-1"))
    };
    let created_at = fixture.tick();
    fixture.store.insert_seed(&wanted).await.unwrap();
    let tree = Worktree {
        path: "/w/shop-2".into(),
        branch: "b".into(),
        base: "c0ffee".into(),
        new_branch: true,
    };
    fixture.store.set_worktree(&id("shop-2"), &tree).await.unwrap();
    fixture.launch("shop-2", 1).await;
    fixture.observe("shop-2", 1, 1, Activity::Active);
    let seen_at = fixture.tick();
    fixture.store.seen(&[id("shop-2")]).await.unwrap();
    fixture.store.set_error(&id("shop-2"), Some("no room")).await.unwrap();
    let stored = fixture.get("shop-2").await;
    let expected = Session {
        workspace: fixture.store.workspace().clone(),
        id: id("shop-2"),
        project: Some(name("shop")),
        kind: Kind::Orchestrator,
        parent: Some(id("shop-1")),
        root: id("shop-1"),
        launch: LaunchFacts { agent_session_id: Some("conversation".into()), ..launch },
        title: wanted.title,
        prompt: wanted.prompt,
        placement: wanted.placement,
        pinned_at: Some(created_at),
        folder_kind: FolderKind::Worktree,
        folder: tree.path,
        branch: Some(tree.branch),
        base: Some(tree.base),
        created_at,
        deletion: None,
        error: Some("no room".into()),
        // What is derived, and what has tests of its own.
        ..stored.clone()
    };
    assert_eq!(stored, expected);
    let condition = &stored.condition;
    assert_eq!((condition.turn, condition.seen_at), (1, Some(seen_at)));
    assert_eq!((condition.lifecycle.generation, condition.lifecycle.published), (1, 1));
    assert_eq!(condition.activity.witness, "title");
    assert!(condition.last_activity_at.is_some() && stored.is_live());
    assert_eq!(stored.runtime.keeper_pid, Some(10));
    assert!(stored.updated_at >= created_at);
}

/// S4: relation, id, kind and placement are the same through a whole life
#[tokio::test]
async fn where_a_session_belongs_never_changes() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.live("shop-1", None).await;
    let born = fixture.live("shop-2", Some("shop-1")).await;
    let belongs = |session: Session| {
        let Session { id, kind, parent, root, placement, .. } = session;
        (id, kind, parent, root, placement)
    };
    let (store, born) = (&fixture.store, belongs(born));
    store.rename(&id("shop-2"), "New").await.unwrap();
    store.pin(&[id("shop-2")], true).await.unwrap();
    store.prompted(&id("shop-2"), "Go on", "operator", fixture.clock.now()).await.unwrap();
    store.remove_project(&name("shop")).await.unwrap();
    assert_eq!(belongs(fixture.get("shop-2").await), born);
    store.end(&id("shop-2"), Some(TerminationReason::ManuallyKilled)).await.unwrap();
    bury(&fixture, &["shop-1", "shop-2"]).await;
    assert_eq!(belongs(fixture.get("shop-2").await), born);
    let back = ["shop-1", "shop-2"].map(|name| Untombstone {
        id: id(name),
        folder: Some(format!("/elsewhere/{name}").into()),
    });
    store.untombstone(&back).await.unwrap();
    fixture.launch("shop-2", 2).await;
    assert_eq!(belongs(fixture.get("shop-2").await), born);
}

/// S3: an id is taken by a live, an ended and a deleted session, and free again only after purge;
/// the counter never goes back
#[tokio::test]
async fn an_id_is_free_again_only_after_purge() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    let (store, shop) = (&fixture.store, name("shop"));
    assert_eq!(store.reserve_id(Some(&shop)).await.unwrap(), id("shop-1"));
    fixture.live("shop-1", None).await;
    let in_use = Err(StoreError::IdInUse { id: id("shop-1") });
    assert_eq!(store.insert_seed(&seed("shop-1", None)).await, in_use);
    store.end(&id("shop-1"), None).await.unwrap();
    assert_eq!(store.insert_seed(&seed("shop-1", None)).await, in_use);
    bury(&fixture, &["shop-1"]).await;
    let in_trash = store.insert_seed(&seed("shop-1", None)).await.unwrap_err();
    assert_eq!(in_trash, StoreError::InTrash { id: id("shop-1") });
    store.purge_rows(&[vec![id("shop-1")]]).await.unwrap();
    assert_eq!(store.reserve_id(Some(&shop)).await.unwrap(), id("shop-2"));
    assert!(store.insert_seed(&seed("shop-1", None)).await.is_ok());
}

/// S5: what an update leaves open stays as it is stored
#[tokio::test]
async fn an_empty_field_overwrites_nothing() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let again = Initialised {
        generation: 2,
        keeper_pid: 20,
        pid: 21,
        started_at: fixture.tick(),
        token_hash: "other".into(),
        agent_session_id: None,
    };
    fixture.store.initialise(&id("shop-1"), &again).await.unwrap();
    fixture.store.publish(&id("shop-1"), 2).await.unwrap();
    let launched = fixture.get("shop-1").await;
    assert_eq!(launched.launch.agent_session_id.as_deref(), Some("conversation"));
    assert_eq!(launched.runtime.pid, Some(21));

    let now = fixture.tick();
    let mut last = facts(2, 1, Activity::Exited, now);
    last.exit = Some(exit(now));
    fixture.writer("shop-1").write(&last, now).unwrap();
    let silent = crate::domain::facts::Facts { title: None, ..facts(2, 2, Activity::Exited, now) };
    fixture.writer("shop-1").write(&silent, now).unwrap();
    assert_eq!(fixture.get("shop-1").await.runtime.exit_code, Some(3));
    let title = |scope: &super::Scope<'_>| {
        Ok(scope.conn.query_row("SELECT title FROM facts", [], |row| row.get::<_, String>(0))?)
    };
    assert_eq!(fixture.look(title).await, "Program");
}

/// S2, A4: the stop that made it end has the last word over what was only observed
#[tokio::test]
async fn a_stop_outranks_what_a_probe_concluded_meanwhile() {
    let fixture = Fixture::new();
    let reasons = [TerminationReason::RuntimeLost, TerminationReason::AgentProcessExited];
    for (number, reason) in reasons.into_iter().enumerate() {
        let name = format!("shop-{number}");
        fixture.live(&name, None).await;
        fixture.store.end(&id(&name), Some(reason)).await.unwrap();
        let killed = Some(TerminationReason::ManuallyKilled);
        fixture.store.end(&id(&name), killed).await.unwrap();
        assert_eq!(fixture.get(&name).await.condition.lifecycle.reason, killed);
        fixture.store.end(&id(&name), None).await.unwrap();
        assert_eq!(fixture.get(&name).await.condition.lifecycle.state, State::Done);
        fixture.store.end(&id(&name), killed).await.unwrap();
        assert_eq!(fixture.get(&name).await.condition.lifecycle.state, State::Done);
    }
    let missing = fixture.store.end(&id("shop-9"), None).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

/// T2: one session whose facts could not be read again fails no list and keeps what is known
#[tokio::test]
async fn stale_facts_stay_and_fail_no_list() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    let stale = PrFacts { stale: true, ..failing_pr(4) };
    fixture.store.set_pr_facts(&id("shop-1"), vec![stale.clone()]).await.unwrap();
    let page = fixture.store.page(&PageQuery::default()).await.unwrap();
    assert_eq!(page.total, 2);
    let first = page.sessions.iter().find(|session| session.id == id("shop-1")).unwrap();
    assert_eq!((first.condition.status, first.prs.clone()), (Status::CiFailed, vec![stale]));
}
