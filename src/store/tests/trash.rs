//! Tombstones and their return (D4, D7, D13, R1, R3).

use std::collections::BTreeSet;

use rusqlite::types::Value;

use crate::domain::activity::Activity;
use crate::domain::event::Actor;
use crate::domain::ids::{BatchId, SessionId};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::operation::{Asked, Operation, OperationState, Verb};
use crate::domain::plan::{Conditions, SkipReason};
use crate::domain::query::{Filter, Order, PageQuery};
use crate::domain::rail::SectionKey;
use crate::domain::session::{FolderKind, Kind, LaunchFacts};
use crate::domain::trash::trees;
use crate::os::{clock, random};

use super::super::StoreError;
use super::super::rows::SeededSession;
use super::{Fixture, failing_pr, id, ids, section, seed};
use crate::domain::trash::{TombstoneRow, Tombstoned, Untombstone};

fn set(names: &[&str]) -> BTreeSet<SessionId> {
    names.iter().map(|name| id(name)).collect()
}

fn ids_of(names: &[&str]) -> Vec<SessionId> {
    names.iter().map(|name| id(name)).collect()
}

fn row(name: &str) -> TombstoneRow {
    let trash_path = Some(format!("/trash/{name}").into());
    TombstoneRow { id: id(name), was_live: false, closed: false, trash_path }
}

fn back(name: &str) -> Untombstone {
    Untombstone { id: id(name), folder: None }
}

async fn delete(fixture: &Fixture, requested: &[&str], expected: &[&str]) -> (BatchId, Tombstoned) {
    fixture.tick();
    let rows: Vec<TombstoneRow> = expected.iter().map(|name| row(name)).collect();
    let batch = random::operation();
    let conditions = Conditions::default();
    let done = fixture.store.tombstone(&set(requested), &conditions, &rows, &batch).await;
    (batch, done.unwrap())
}

/// Every stored row of a session, of every table, as it is.
async fn columns_of(fixture: &Fixture, session: &str) -> Vec<Vec<Value>> {
    let session = session.to_owned();
    fixture
        .look(move |scope| {
            let mut all = Vec::new();
            for table in ["sessions", "details", "facts", "pr_facts", "messages"] {
                let sql = format!(
                    "SELECT * FROM {table} WHERE rid = (SELECT rid FROM sessions WHERE id = ?1)"
                );
                let mut statement = scope.conn.prepare(&sql)?;
                let width = statement.column_count();
                let rows = statement.query_map([&session], |row| {
                    (0..width).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<Value>>>()
                })?;
                all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
            }
            Ok(all)
        })
        .await
}

/// D7, D8, D9, D11, R1: one transaction tombstones the closure with its batch and trash paths and counts the
/// messages; rows, messages, conversation, placement, pin and branch are kept to the column.
#[tokio::test]
async fn a_batch_comes_back_to_the_column_r1() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.live("shop-3", Some("shop-2")).await;
    fixture.store.prompted(&id("shop-2"), "go", "operator", fixture.clock.now()).await.unwrap();
    fixture.store.set_pr_facts(&id("shop-3"), vec![failing_pr(3)]).await.unwrap();
    fixture.store.pin(&[id("shop-1")], true).await.unwrap();
    for name in ["shop-1", "shop-2", "shop-3"] {
        let reason = Some(TerminationReason::ManuallyKilled);
        fixture.store.end(&id(name), reason).await.unwrap();
    }
    let names = ["shop-1", "shop-2", "shop-3"];
    let mut before = Vec::new();
    for name in names {
        before.push(columns_of(&fixture, name).await);
    }
    let listed = fixture.listed(&SectionKey::pinned(), Order::Recent).await;

    let (batch, done) = delete(&fixture, &["shop-1"], &names).await;
    assert_eq!(done, Tombstoned::Done { messages: 1 });
    assert_eq!(fixture.store.trash_count().await.unwrap(), 3);
    assert_eq!(fixture.store.last_batch().await.unwrap(), Some(batch.clone()));
    let tombstone = fixture.get("shop-2").await;
    let deletion = tombstone.deletion.unwrap();
    assert_eq!((deletion.at, deletion.batch), (fixture.clock.now(), batch.clone()));
    assert_eq!(deletion.trash_path, Some("/trash/shop-2".into()));
    assert_eq!(fixture.store.all_ids().await.unwrap(), []);

    let rows = fixture.store.batch(&batch).await.unwrap();
    let rows: Vec<Untombstone> =
        rows.into_iter().map(|row| Untombstone { id: row.id, folder: None }).collect();
    fixture.store.untombstone(&rows).await.unwrap();
    for (name, before) in names.iter().zip(before) {
        assert_eq!(columns_of(&fixture, name).await, before, "{name}");
    }
    assert_eq!(fixture.listed(&SectionKey::pinned(), Order::Recent).await, listed);
    assert_eq!(fixture.store.last_batch().await.unwrap(), None);
}

#[tokio::test]
async fn what_ran_comes_back_ended_and_what_was_done_stays_done_r1() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    fixture.store.end(&id("shop-2"), None).await.unwrap();
    delete(&fixture, &["shop-1", "shop-2"], &["shop-1", "shop-2"]).await;
    assert!(fixture.get("shop-1").await.deletion.unwrap().was_live);
    assert!(!fixture.get("shop-2").await.deletion.unwrap().was_live);
    let moved = Untombstone { id: id("shop-1"), folder: Some("/elsewhere".into()) };
    fixture.store.untombstone(&[moved, back("shop-2")]).await.unwrap();
    let first = fixture.get("shop-1").await;
    assert_eq!(first.condition.lifecycle.reason, Some(TerminationReason::ManuallyKilled));
    assert_eq!(first.folder, std::path::Path::new("/elsewhere"));
    assert_eq!(fixture.get("shop-2").await.condition.lifecycle.state, State::Done);
}

/// D13: late facts and calls never revive a tombstone, nor change it.
#[tokio::test]
async fn a_tombstone_is_never_changed_by_late_facts_d13() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    delete(&fixture, &["shop-1"], &["shop-1"]).await;
    let before = columns_of(&fixture, "shop-1").await;
    fixture.observe("shop-1", 1, 2, Activity::Blocked);
    fixture.store.end(&id("shop-1"), None).await.unwrap();
    fixture.store.seen(&[id("shop-1")]).await.unwrap();
    assert_eq!(fixture.store.pin(&[id("shop-1")], true).await.unwrap(), []);
    fixture.store.settle_due().await.unwrap();
    assert_eq!(columns_of(&fixture, "shop-1").await, before);
    let published = fixture.store.publish(&id("shop-1"), 1).await;
    assert_eq!(published, Err(StoreError::InTrash { id: id("shop-1") }));
    let again = fixture.store.insert_seed(&seed("shop-1", None)).await;
    assert_eq!(again, Err(StoreError::InTrash { id: id("shop-1") }));
}

/// D4, D7: the transaction is fenced by the expected ids, and names what it found instead.
#[tokio::test]
async fn a_changed_closure_changes_nothing_d4() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    let before = columns_of(&fixture, "shop-1").await;
    for expected in [&["shop-1"][..], &["shop-1", "shop-2", "shop-3"], &[]] {
        let (_, done) = delete(&fixture, &["shop-1"], expected).await;
        assert_eq!(done, Tombstoned::PlanChanged(ids_of(&["shop-1", "shop-2"])));
    }
    let conditions = Conditions { exclude_pinned: true, ..Conditions::default() };
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    let rows = [row("shop-1"), row("shop-2")];
    let requested = set(&["shop-1"]);
    let batch = random::operation();
    let done = fixture.store.tombstone(&requested, &conditions, &rows, &batch).await.unwrap();
    assert_eq!(done, Tombstoned::PlanChanged(vec![]));
    assert_eq!(columns_of(&fixture, "shop-1").await, before);
}

/// D5: the transaction tests the conditions again, but on what was closed for this delete not what
/// closing has changed.
#[tokio::test]
async fn the_transaction_tests_conditions_again_but_not_what_closing_changed() {
    let fixture = Fixture::new();
    for name in ["shop-1", "shop-2", "shop-3"] {
        fixture.live(name, None).await;
    }
    let requested = set(&["shop-1", "shop-2", "shop-3"]);
    let status = fixture.get("shop-1").await.condition.status;
    let conditions =
        Conditions { statuses: vec![status], exclude_pinned: true, ..Conditions::default() };
    for name in ["shop-1", "shop-2"] {
        let killed = Some(TerminationReason::ManuallyKilled);
        fixture.store.end(&id(name), killed).await.unwrap();
    }
    fixture.store.pin(&[id("shop-3")], true).await.unwrap();
    let closed = |name: &str| TombstoneRow { closed: true, ..row(name) };
    let batch = random::operation();
    let rows = [closed("shop-1"), row("shop-2"), closed("shop-3")];
    let changed = fixture.store.tombstone(&requested, &conditions, &rows, &batch).await;
    assert_eq!(changed.unwrap(), Tombstoned::PlanChanged(ids_of(&["shop-1"])));
    let done = fixture.store.tombstone(&requested, &conditions, &rows[..1], &batch).await;
    assert_eq!(done.unwrap(), Tombstoned::Done { messages: 0 });
}

/// D2: the plan is the closure of what is outside the trash.
#[tokio::test]
async fn a_plan_has_the_closure_and_says_what_is_missing_d2() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.seed("shop-3", None).await;
    fixture.store.set_pr_facts(&id("shop-2"), vec![failing_pr(9)]).await.unwrap();
    delete(&fixture, &["shop-3"], &["shop-3"]).await;
    let requested = set(&["shop-1", "shop-3", "shop-9"]);
    let plan = fixture.store.plan_rows(&requested).await.unwrap();
    let found: Vec<&str> = plan.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(found, ["shop-1", "shop-2"]);
    assert_eq!(plan.rows[1].open_pr, Some(9));
    assert_eq!(plan.rows[1].parent, Some(id("shop-1")));
    assert!(plan.rows[0].live);
    let missing: Vec<&SkipReason> = plan.missing.iter().map(|skip| &skip.reason).collect();
    assert_eq!(missing, [&SkipReason::InTrash, &SkipReason::NotFound]);
}

/// D11: the last batch is the operator's; what an agent deleted later is not it.
#[tokio::test]
async fn what_an_agent_deleted_is_not_the_last_batch() {
    let fixture = Fixture::new();
    for name in ["shop-1", "shop-2", "shop-3"] {
        fixture.seed(name, None).await;
    }
    let by = async |batch: &BatchId, by: Actor| {
        let operation = Operation {
            id: batch.clone(),
            kind: Verb::Delete,
            state: OperationState::Done,
            step: None,
            started_at: fixture.clock.now(),
            ended_at: None,
            session_ids: Vec::new(),
            results: Vec::new(),
            error: None,
            asked: Some(Asked { by: by.to_string(), ..Asked::default() }),
        };
        fixture.store.finish(&operation).await.unwrap();
    };
    let (first, _) = delete(&fixture, &["shop-1"], &["shop-1"]).await;
    let (second, _) = delete(&fixture, &["shop-2"], &["shop-2"]).await;
    by(&second, Actor::Command).await;
    let (third, _) = delete(&fixture, &["shop-3"], &["shop-3"]).await;
    by(&third, Actor::Session(id("shop-9"))).await;
    assert_eq!(fixture.store.last_batch().await.unwrap(), Some(second));
    fixture.store.untombstone(&[back("shop-2")]).await.unwrap();
    assert_eq!(fixture.store.last_batch().await.unwrap(), Some(first));
    fixture.store.untombstone(&[back("shop-1")]).await.unwrap();
    assert_eq!(fixture.store.last_batch().await.unwrap(), None);
}

#[tokio::test]
async fn a_component_is_the_topmost_tombstone_and_its_tree_r1() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    fixture.seed("shop-2", Some("shop-1")).await;
    fixture.seed("shop-3", Some("shop-2")).await;
    fixture.seed("shop-4", Some("shop-1")).await;
    let (first, _) = delete(&fixture, &["shop-3"], &["shop-3"]).await;
    let (second, _) = delete(&fixture, &["shop-2"], &["shop-2"]).await;
    let component = fixture.store.component(&id("shop-3")).await.unwrap();
    let found: Vec<&str> = component.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(found, ["shop-2", "shop-3"]);
    assert_eq!(fixture.store.component(&id("shop-1")).await.unwrap(), []);

    let alone = fixture.store.untombstone(&[back("shop-3")]).await;
    let (child, parent) = (id("shop-3"), id("shop-2"));
    assert_eq!(alone, Err(StoreError::NoParent { id: child, parent }));
    let live = fixture.store.untombstone(&[back("shop-2"), back("shop-4")]).await;
    assert_eq!(live, Err(StoreError::NotInTrash { id: id("shop-4") }));
    assert_eq!(fixture.store.last_batch().await.unwrap(), Some(second.clone()));

    // The parent was pinned meanwhile: those that come back are shown under its pin.
    fixture.store.pin(&[id("shop-1")], true).await.unwrap();
    fixture.store.untombstone(&[back("shop-2")]).await.unwrap();
    assert_eq!(fixture.store.last_batch().await.unwrap(), Some(first));
    fixture.store.untombstone(&[back("shop-3")]).await.unwrap();
    let pinned = fixture.listed(&SectionKey::pinned(), Order::Recent).await;
    assert_eq!(pinned, ["shop-1", "shop-4", "shop-3", "shop-2"]);
    assert!(fixture.listed(&section("shop"), Order::Recent).await.is_empty());
}

/// R4: newest deletion first, in pages by cursor, filtered by project and text, counted.
#[tokio::test]
async fn the_trash_lists_the_newest_deletion_first_r4() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for name in ["shop-1", "shop-2", "shop-3", "chat-1"] {
        fixture.seed(name, None).await;
    }
    delete(&fixture, &["shop-2"], &["shop-2"]).await;
    let (batch, _) = delete(&fixture, &["shop-1", "chat-1"], &["chat-1", "shop-1"]).await;
    let mut query = PageQuery { deleted: true, limit: 2, ..PageQuery::default() };
    let page = fixture.store.page(&query).await.unwrap();
    assert_eq!((ids(&page), page.total), (vec!["chat-1".into(), "shop-1".into()], 3));
    query.cursor = page.next_cursor;
    let page = fixture.store.page(&query).await.unwrap();
    assert_eq!((ids(&page), page.next_cursor), (vec!["shop-2".into()], None));
    let filter = Filter { section: Some(section("shop")), ..Filter::default() };
    query = PageQuery { deleted: true, filter, ..PageQuery::default() };
    assert_eq!(ids(&fixture.store.page(&query).await.unwrap()), ["shop-1", "shop-2"]);
    query.filter = Filter { batch: Some(batch), ..Filter::default() };
    assert_eq!(fixture.store.page(&query).await.unwrap().total, 2);
    query.filter = Filter { project: Some("shop".parse().unwrap()), ..Filter::default() };
    assert_eq!(ids(&fixture.store.page(&query).await.unwrap()), ["shop-1", "shop-2"]);
    query.filter = Filter { text: Some("SHOP-2".into()), ..Filter::default() };
    let page = fixture.store.page(&query).await.unwrap();
    assert_eq!((ids(&page), page.total), (vec!["shop-2".into()], 1));
}

/// R5: the project whose trashed worktrees are more than the limit is named, with their number.
#[tokio::test]
async fn a_crowded_trash_names_its_project() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for name in ["shop-1", "shop-2", "shop-3", "chat-1"] {
        fixture.seed(name, None).await;
    }
    delete(&fixture, &["shop-1", "shop-2", "chat-1"], &["chat-1", "shop-1", "shop-2"]).await;
    let crowded = |limit| fixture.store.crowded_trash(limit);
    assert_eq!(crowded(1).await.unwrap(), Some(("shop".to_owned(), 2)));
    assert_eq!(crowded(2).await.unwrap(), None);
}

/// Made-up sessions of one project.
fn many(fixture: &Fixture, count: usize) -> Vec<SeededSession> {
    let now = fixture.clock.now();
    (1..=count)
        .map(|n| SeededSession {
            id: id(&format!("shop-{n}")),
            kind: Kind::Worker,
            parent: (n % 4 == 0).then(|| id(&format!("shop-{}", n - 1))),
            launch: LaunchFacts { agent: "codex".into(), ..LaunchFacts::default() },
            title: format!("Session {n}"),
            prompt: Some("Do it".into()),
            placement: seed("shop-1", None).placement,
            pinned_at: None,
            condition: crate::domain::condition::Condition::new(now),
            folder_kind: FolderKind::Worktree,
            folder: format!("/w/shop-{n}").into(),
            branch: Some(format!("b{n}")),
            dirty: None,
            prs: if n % 50 == 0 { vec![failing_pr(n as u64)] } else { Vec::new() },
            created_at: now,
        })
        .collect()
}

/// D15, R5: not a benchmark: fails only where a batch has become slower by an order of magnitude.
#[tokio::test]
async fn ten_thousand_sessions_go_and_come_back_in_one_batch_d15() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    let sessions = many(&fixture, 10_000);
    let requested: BTreeSet<SessionId> = sessions.iter().map(|row| row.id.clone()).collect();
    let start = clock::monotonic();
    fixture.store.seed_sessions(sessions).await.unwrap();
    let seeded = clock::monotonic();
    let rows: Vec<TombstoneRow> = requested.iter().map(|id| row(id.as_str())).collect();
    let batch = random::operation();
    let conditions = Conditions::default();
    let done = fixture.store.tombstone(&requested, &conditions, &rows, &batch).await.unwrap();
    let deleted = clock::monotonic();
    assert_eq!(done, Tombstoned::Done { messages: 0 });
    assert_eq!(fixture.store.sections().await.unwrap()[0].total, 0);
    let again = rows;
    let rows: Vec<Untombstone> = requested.iter().map(|id| back(id.as_str())).collect();
    fixture.store.untombstone(&rows).await.unwrap();
    let restored = clock::monotonic();
    assert_eq!(fixture.store.sections().await.unwrap()[0].total, 10_000);
    fixture.store.tombstone(&requested, &conditions, &again, &random::operation()).await.unwrap();
    let before = clock::monotonic();
    let trees: Vec<Vec<SessionId>> = trees(fixture.store.tombstones().await.unwrap())
        .into_iter()
        .map(|tree| tree.into_iter().map(|row| row.id).collect())
        .collect();
    let purged = fixture.store.purge_rows(&trees).await.unwrap();
    let purge = clock::monotonic() - before;
    assert_eq!((purged.gone.len(), purged.changed.len()), (10_000, 0));
    assert!(purge.as_secs() < 5, "{purge:?}");
    let times = (seeded - start, deleted - seeded, restored - deleted);
    println!("seed, delete, restore: {times:?}");
    assert!(times.1.as_secs() < 5 && times.2.as_secs() < 5, "{times:?}");
}
