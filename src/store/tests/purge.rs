//! Rows that are removed for good (R5).

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::event::Event;
use crate::domain::ids::SessionId;
use crate::domain::plan::Conditions;
use crate::os::random;

use super::{Fixture, failing_pr, id, seed};
use crate::domain::trash::{TombstoneRow, Tombstoned, Untombstone};

async fn bury(fixture: &Fixture, requested: &str, tree: &[&str]) {
    fixture.tick();
    let rows: Vec<TombstoneRow> = tree
        .iter()
        .map(|name| TombstoneRow { id: id(name), was_live: false, closed: false, trash_path: None })
        .collect();
    let (batch, requested) = (random::operation(), BTreeSet::from([id(requested)]));
    let done = fixture.store.tombstone(&requested, &Conditions::default(), &rows, &batch).await;
    assert!(matches!(done.unwrap(), Tombstoned::Done { .. }));
}

async fn count(fixture: &Fixture, table: &'static str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    fixture.look(move |scope| Ok(scope.conn.query_row(&sql, [], |row| row.get(0))?)).await
}

fn tree(names: &[&str]) -> Vec<SessionId> {
    names.iter().map(|name| id(name)).collect()
}

/// R5: a purge takes rows messages and facts and leaves the audit.
#[tokio::test]
async fn a_purge_takes_rows_messages_and_facts_and_leaves_the_audit_r5() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for (name, parent) in [("shop-1", None), ("shop-2", Some("shop-1")), ("shop-3", None)] {
        fixture.live(name, parent).await;
        fixture.store.prompted(&id(name), "Go on", "operator", fixture.clock.now()).await.unwrap();
        fixture.store.set_pr_facts(&id(name), vec![failing_pr(7)]).await.unwrap();
    }
    let event = Event {
        at: fixture.tick(),
        session: Some(id("shop-2")),
        actor: "operator".into(),
        verb: "delete".into(),
        from: None,
        to: None,
        cause: None,
        operation: None,
    };
    fixture.store.record(&[event]).await.unwrap();
    bury(&fixture, "shop-1", &["shop-1", "shop-2"]).await;
    let events = fixture.store.events(Some(&id("shop-2")), 100).await.unwrap().len();
    let seen = fixture.store.tombstones().await.unwrap();
    assert_eq!(seen.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["shop-1", "shop-2"]);
    assert_eq!(seen[1].parent, Some(id("shop-1")));

    let purged = fixture.store.purge_rows(&[tree(&["shop-1", "shop-2"])]).await.unwrap();
    assert_eq!((purged.gone.len(), purged.messages), (2, 2));
    assert!(fixture.store.session(&id("shop-2")).await.unwrap().is_none());
    for table in ["sessions", "details", "facts", "pr_facts", "messages"] {
        assert_eq!(count(&fixture, table).await, 1, "{table}");
    }
    let after = fixture.store.events(Some(&id("shop-2")), 100).await.unwrap().len();
    assert_eq!(after, events, "what was done stays known");
    assert_eq!(fixture.store.trash_count().await.unwrap(), 0);
    // An id that a caller chose is free again; a number is never given again (S3).
    fixture.store.insert_seed(&seed("shop-2", None)).await.unwrap();
}

/// R5: a tree that is not as expected stays whole and holds up no other.
#[tokio::test]
async fn a_tree_that_is_not_as_expected_stays_whole_and_holds_up_no_other_r5() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for (name, parent) in [
        ("shop-1", None),
        ("shop-2", Some("shop-1")),
        ("shop-3", None),
        ("shop-4", None),
        ("shop-5", None),
    ] {
        fixture.seed(name, parent).await;
    }
    bury(&fixture, "shop-2", &["shop-2"]).await;
    bury(&fixture, "shop-1", &["shop-1"]).await;
    bury(&fixture, "shop-3", &["shop-3"]).await;
    bury(&fixture, "shop-5", &["shop-5"]).await;
    let back = Untombstone { id: id("shop-3"), folder: None };
    fixture.store.untombstone(&[back]).await.unwrap();
    let trees = [
        tree(&["shop-2"]),
        tree(&["shop-1"]),
        tree(&["shop-3"]),
        tree(&["shop-4"]),
        tree(&["shop-9"]),
        tree(&["shop-5"]),
    ];
    let purged = fixture.store.purge_rows(&trees).await.unwrap();
    assert_eq!(purged.gone, tree(&["shop-5"]));
    assert_eq!(purged.changed, tree(&["shop-2", "shop-1", "shop-3", "shop-4", "shop-9"]));
    assert_eq!(count(&fixture, "sessions").await, 4);
    let whole = [tree(&["shop-1", "shop-2"])];
    assert_eq!(fixture.store.purge_rows(&whole).await.unwrap().gone.len(), 2);
}

/// R5: daily work is claimed by one.
#[tokio::test]
async fn daily_work_is_claimed_by_one_r5() {
    let fixture = Fixture::new();
    let every = Duration::from_millis(1);
    let other = fixture.second();
    assert!(fixture.store.claim("retention", every).await.unwrap());
    assert!(!fixture.store.claim("retention", every).await.unwrap());
    assert!(!other.claim("retention", every).await.unwrap());
    fixture.tick();
    assert!(other.claim("retention", every).await.unwrap());
}

/// K4: a cleared worktree leaves the branch known.
#[tokio::test]
async fn a_cleared_worktree_leaves_the_branch_known_k4() {
    use crate::domain::worktree::Worktree;
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.seed("shop-1", None).await;
    let made = Worktree {
        path: "/w/shop-1".into(),
        branch: "b".into(),
        base: "c".into(),
        new_branch: true,
    };
    fixture.store.set_worktree(&id("shop-1"), &made).await.unwrap();
    fixture.store.clear_worktree(&id("shop-1")).await.unwrap();
    let row = fixture.get("shop-1").await;
    assert!(row.worktree().is_none());
    assert_eq!((row.branch.as_deref(), row.base.as_deref()), (Some("b"), Some("c")));
}
