//! Databases as older callboards left them (W2), in `tests/fixtures/store/v<version>.db`: with sessions
//! in several states, and every table filled. A new migration needs one of the version before it:
//! `CALLBOARD_FIXTURE=tests/fixtures/store/v<version>.db` makes this test write it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::domain::activity::Activity;
use crate::domain::event::Event;
use crate::domain::ids::WorkspaceName;
use crate::domain::operation::{Operation, OperationState, StepResult, Verb};
use crate::domain::plan::Conditions;
use crate::domain::rail::{ProjectSetup, SavedFilter};
use crate::domain::trash::TombstoneRow;
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::os::random;

use super::super::files::Files;
use super::super::migrate::LATEST;
use super::super::{Store, connection, health, migrate};
use super::{Fixture, Timestamp, exit, facts, failing_pr, id, name, path, section};

fn fixture_of(version: i64) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    folder.join(format!("v{version}.db"))
}

/// A store with something in every table.
async fn filled() -> Fixture {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let setup = ProjectSetup { commands: vec!["make deps".into()], ..ProjectSetup::default() };
    store.add_project(&path("shop"), Some(name("shop")), true, setup).await.unwrap();
    fixture.project("gone").await;
    store.reserve_id(Some(&name("shop"))).await.unwrap();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.live("shop-3", None).await;
    fixture.observe("shop-3", 1, 2, Activity::Idle);
    fixture.seed("shop-4", None).await;
    store.park(&id("shop-4"), "could not be started: grüße").await.unwrap();
    fixture.live("shop-5", None).await;
    let ended = exit(fixture.tick());
    let told = facts(1, 2, Activity::Exited, fixture.clock.now());
    let told = crate::domain::facts::Facts { exit: Some(ended), ..told };
    fixture.writer("shop-5").write(&told, fixture.clock.now()).unwrap();
    fixture.live("chat-1", None).await;
    fixture.live("gone-1", None).await;
    store.remove_project(&name("gone")).await.unwrap();
    store.pin(&[id("chat-1")], true).await.unwrap();
    let words = "status:idle age:>7d".to_owned();
    let filter = SavedFilter { name: "left alone".into(), section: Some(section("shop")), words };
    store.save_filter(&filter).await.unwrap();
    store.set_pr_facts(&id("shop-1"), vec![failing_pr(7)]).await.unwrap();
    store
        .prompted(&id("shop-1"), "Mend the parser, 日本", "operator", fixture.clock.now())
        .await
        .unwrap();
    fixture.live("shop-6", None).await;
    let row = TombstoneRow {
        id: id("shop-6"),
        was_live: true,
        closed: true,
        trash_path: Some("/trash/shop-6".into()),
    };
    let requested = [id("shop-6")].into();
    store
        .tombstone(&requested, &Conditions::default(), &[row], &random::operation())
        .await
        .unwrap();
    let operation = Operation {
        id: random::operation(),
        kind: Verb::Stop,
        state: OperationState::Running,
        step: Some("close".into()),
        started_at: fixture.clock.now(),
        ended_at: None,
        session_ids: vec![id("shop-1")],
        results: Vec::new(),
        error: None,
        asked: None,
    };
    store.begin(&operation).await.unwrap();
    let result = StepResult { id: id("shop-1"), state: "closed".into(), detail: None };
    store.step(&operation.id, "free", &[result]).await.unwrap();
    let event = Event {
        at: fixture.clock.now(),
        session: Some(id("shop-1")),
        actor: "operator".into(),
        verb: "rename".into(),
        from: Some("old".into()),
        to: Some("new".into()),
        cause: None,
        operation: Some(operation.id.clone()),
    };
    store.record(&[event]).await.unwrap();
    fixture
}

/// Rows by table; each row as its columns that are stored.
type Content = BTreeMap<String, Vec<Vec<Value>>>;

/// Columns by table, as they were before a migration.
type Columns = BTreeMap<String, Vec<String>>;

/// A number that nothing outside the store knows: the third migration numbers messages anew.
const RENUMBERED: (&str, &str) = ("messages", "message");

/// Tables but for the search index, which is made of them.
fn columns(connection: &Connection) -> Columns {
    let mut tables = connection
        .prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT LIKE 'search%'",
        )
        .unwrap();
    let names: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let of = |table: &String| -> Vec<String> {
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let names = columns.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap);
        names.filter(|name: &String| (table.as_str(), name.as_str()) != RENUMBERED).collect()
    };
    names.into_iter().map(|table| (table.clone(), of(&table))).collect()
}

fn content(connection: &Connection, columns: &Columns) -> Content {
    let rows = |table: &String, names: &Vec<String>| -> Vec<Vec<Value>> {
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        let order: Vec<String> = (1..=names.len()).map(|number| number.to_string()).collect();
        let sql = format!("SELECT {} FROM {table} ORDER BY {}", quoted.join(","), order.join(","));
        let mut statement = connection.prepare(&sql).unwrap();
        let read = statement.query_map([], |row| (0..names.len()).map(|at| row.get(at)).collect());
        read.unwrap().map(Result::unwrap).collect()
    };
    columns.iter().map(|(table, names)| (table.clone(), rows(table, names))).collect()
}

/// W2: a store of every version that there was is migrated, and every value is as it was.
#[tokio::test]
async fn a_store_of_each_older_version_is_migrated_and_keeps_every_value() {
    for version in 1..LATEST {
        let old = fixture_of(version);
        assert!(old.exists(), "{} is missing: see the head of this file", old.display());
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        home.create().unwrap();
        crate::os::paths::private_dir(&home.locks()).unwrap();
        fs::copy(&old, home.database()).unwrap();
        let before = Connection::open(home.database()).unwrap();
        let found: i64 = before.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(found, version);
        let columns = columns(&before);
        let kept = content(&before, &columns);
        assert!(kept.values().all(|rows| !rows.is_empty()), "a table of {version} is empty");
        drop(before);
        let after = migrate::open(&Files::of(&home), Timestamp(0)).unwrap();
        for (table, rows) in content(&after, &columns) {
            assert_eq!(rows, kept[&table], "{table} of version {version}");
        }
        drop(after);
        let copies = health::backups(&home);
        assert!(matches!(copies[..], [(_, Ok(8))]), "{copies:?}");
        let health = health::examine(&home).unwrap();
        assert_eq!(health.version, Some(LATEST));
        assert_eq!((health.damage, health.references, health.totals), (vec![], vec![], vec![]));
        says_what_it_said(&home).await;
    }
}

/// What the sessions of [`filled`] are when they are read.
async fn says_what_it_said(home: &Home) {
    let store = Store::open(home, WorkspaceName::default(), Clock::System).unwrap();
    let mut said = Vec::new();
    for text in ["shop-1", "shop-2", "shop-3", "shop-4", "shop-5", "shop-6", "chat-1", "gone-1"] {
        let session = store.session(&id(text)).await.unwrap().unwrap();
        let lifecycle = &session.condition.lifecycle;
        said.push(format!(
            "{text} {} {} {}{}{}{}",
            lifecycle.state,
            session.condition.activity.value,
            session.parent.as_ref().map_or("-", |parent| parent.as_str()),
            if session.pinned_at.is_some() { " pinned" } else { "" },
            if session.deletion.is_some() { " deleted" } else { "" },
            session.error.as_ref().map_or(String::new(), |error| format!(" {error}")),
        ));
    }
    assert_eq!(
        said,
        [
            "shop-1 working active -",
            "shop-2 working active shop-1",
            "shop-3 idle idle -",
            "shop-4 terminated exited - could not be started: grüße",
            "shop-5 terminated exited -",
            "shop-6 working active - deleted",
            "chat-1 working active - pinned",
            "gone-1 working active -",
        ]
    );
    let first = store.session(&id("shop-1")).await.unwrap().unwrap();
    assert_eq!((first.condition.turn, first.prs.len()), (2, 1));
    assert_eq!(
        store.messages(&id("shop-1"), usize::MAX).await.unwrap()[0].text,
        "Mend the parser, 日本"
    );
    assert_eq!(store.unfinished().await.unwrap()[0].results[0].state, "closed");
    assert_eq!(store.projects().await.unwrap()[0].setup.commands, ["make deps"]);
    let events = store.events(Some(&id("shop-1")), 100).await.unwrap();
    assert!(events.iter().any(|event| event.verb == "rename"));
}

/// Every table has a row, and where it was asked for, the store becomes a fixture.
#[tokio::test]
async fn a_store_with_everything_in_it_can_be_made() {
    let (home, _folder) = filled().await.close();
    let connection = connection::open(&home.database()).unwrap();
    let all = content(&connection, &columns(&connection));
    let empty: Vec<_> = all.iter().filter(|(_, rows)| rows.is_empty()).map(|it| it.0).collect();
    assert_eq!(empty, [] as [&String; 0]);
    says_what_it_said(&home).await;
    let Some(wanted) = std::env::var_os("CALLBOARD_FIXTURE") else { return };
    let copy = home.data.join("copy.db");
    connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let small = Connection::open(&copy).unwrap();
    small.execute_batch("PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL;").unwrap();
    small.close().unwrap();
    fs::copy(&copy, Path::new(env!("CARGO_MANIFEST_DIR")).join(wanted)).unwrap();
}

/// W2: the statement with which the first keepers wrote their facts works on the newest schema, and
/// leaves what was added since as it begins.
#[tokio::test]
async fn the_statement_of_an_older_keeper_still_works() {
    const FIRST_KEEPERS: &str = "INSERT INTO facts (rid, generation, sequence, activity,
           activity_since, witness, question, title, last_sign_at, keeper_pid, pid, started_at, exit,
           folded)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (rid) DO UPDATE SET
           generation = excluded.generation, sequence = excluded.sequence,
           activity = excluded.activity, activity_since = excluded.activity_since,
           witness = excluded.witness, question = excluded.question,
           title = coalesce(excluded.title, iif(excluded.generation = generation, title, NULL)),
           last_sign_at = excluded.last_sign_at, keeper_pid = excluded.keeper_pid,
           pid = excluded.pid, started_at = excluded.started_at,
           exit = coalesce(excluded.exit, iif(excluded.generation = generation, exit, NULL)),
           folded = excluded.folded
         WHERE (excluded.generation, excluded.sequence) > (generation, sequence)";
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.seed("shop-2", None).await;
    let connection = connection::open(&fixture.home.database()).unwrap();
    for (session, generation) in [("shop-1", 1), ("shop-2", 1)] {
        let rid: i64 = connection
            .query_row("SELECT rid FROM sessions WHERE id = ?1", [session], |row| row.get(0))
            .unwrap();
        let none = Option::<String>::None;
        let changed = connection
            .execute(
                FIRST_KEEPERS,
                rusqlite::params![
                    rid, generation, 99, "idle", 5, "title", none, "Title", 6, 7, 8, 9, none, 0
                ],
            )
            .unwrap();
        assert_eq!(changed, 1, "{session}");
    }
    drop(connection);
    // Folded by the next newer callboard that derives anew.
    let store = fixture.second();
    assert_eq!(store.all_ids().await.unwrap().len(), 2);
}
