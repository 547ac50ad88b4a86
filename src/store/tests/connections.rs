//! How the database is opened (W1).

use rusqlite::Connection;

use crate::domain::operation::{Operation, OperationState, Verb};
use crate::os::random;

use super::super::connection::{self, Durability};
use super::super::log::Log;
use super::{Fixture, facts, id};
use crate::domain::activity::Activity;

/// One setting of a connection.
fn pragma(conn: &Connection, name: &str) -> i64 {
    conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap()
}

/// Pages of the log that wait to be put away.
fn log_of(conn: &Connection) -> (i64, i64) {
    let sql = "PRAGMA wal_checkpoint(NOOP)";
    conn.query_row(sql, [], |row| Ok((row.get(1)?, row.get(2)?))).unwrap()
}

/// W1: WAL, foreign keys, NORMAL, no mmap, a log of at most 8 MiB; readers cannot write
#[tokio::test]
async fn every_connection_is_set_up_alike_w1() {
    let fixture = Fixture::new();
    let check = |conn: &Connection| {
        let mode: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        assert_eq!(pragma(conn, "foreign_keys"), 1);
        assert_eq!(pragma(conn, "synchronous"), 1, "NORMAL");
        assert_eq!(pragma(conn, "mmap_size"), 0);
        assert_eq!(pragma(conn, "journal_size_limit"), 8 << 20);
    };
    fixture
        .look(move |scope| {
            check(scope.conn);
            assert_eq!(pragma(scope.conn, "query_only"), 1);
            let refused = scope.conn.execute("UPDATE sessions SET title = ''", []).unwrap_err();
            assert!(refused.to_string().contains("readonly"), "{refused}");
            Ok(())
        })
        .await;
    let write = |scope: &super::Scope<'_>| {
        let only: i64 = pragma(scope.conn, "query_only");
        Ok((only, pragma(scope.conn, "cache_size")))
    };
    let (only, cache) =
        fixture.store.write(Durability::Normal, "look".to_owned(), write).await.unwrap();
    assert_eq!((only, cache), (0, -16_384));
    check(&connection::open(&fixture.home.database()).unwrap());
}

/// W1: STRICT tables; wide texts (prompt, error) are in a side table
#[tokio::test]
async fn tables_are_strict_and_sessions_narrow_w1() {
    let fixture = Fixture::new();
    let (loose, columns) = fixture
        .look(|scope| {
            let texts = |sql: &str| -> rusqlite::Result<Vec<String>> {
                scope.conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
            };
            let loose = texts(
                "SELECT name FROM pragma_table_list
                 WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite%'
                   AND name NOT LIKE 'fts%'",
            )?;
            Ok((loose, texts("SELECT name FROM pragma_table_info('sessions')")?))
        })
        .await;
    assert!(loose.is_empty(), "{loose:?}");
    assert!(!columns.iter().any(|name| name == "prompt" || name == "error"), "{columns:?}");
}

/// W1, V1: what the journal, a tombstone, a publish commits is on the disk; other commits are not
/// waited for
#[tokio::test]
async fn journal_commits_are_fully_synchronous_w1() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    // The level of the last transaction stays.
    let level = || {
        let look = |conn: &mut Connection| Ok(pragma(conn, "synchronous"));
        fixture.store.run(&fixture.store.inner.writer, "look".to_owned(), look, |_| {})
    };
    assert!(fixture.store.rename(&id("shop-1"), "New").await.unwrap());
    assert_eq!(level().await.unwrap(), 1, "NORMAL");
    fixture.launch("shop-1", 1).await;
    assert_eq!(level().await.unwrap(), 2, "FULL at publish");
    assert!(fixture.store.rename(&id("shop-1"), "Newer").await.unwrap());
    let mut operation = Operation {
        id: random::operation(),
        kind: Verb::Stop,
        session_ids: vec![id("shop-1")],
        state: OperationState::Running,
        step: None,
        started_at: fixture.clock.now(),
        ended_at: None,
        error: None,
        results: Vec::new(),
        asked: None,
    };
    fixture.store.begin(&operation).await.unwrap();
    assert_eq!(level().await.unwrap(), 2, "FULL for the intent");
    assert!(fixture.store.rename(&id("shop-1"), "Newest").await.unwrap());
    operation.state = OperationState::Done;
    fixture.store.finish(&operation).await.unwrap();
    assert_eq!(level().await.unwrap(), 2, "FULL for the end");
}

/// W1, W5: commits put no log away; whoever wrote does it afterwards, where the log has grown
#[tokio::test]
async fn the_log_is_put_away_after_commits_w5() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let look = connection::open(&fixture.home.database()).unwrap();
    let mut writer = fixture.writer("shop-1");
    let mut value = [Activity::Idle, Activity::Active].into_iter().cycle();
    let mut sequence = 1;
    while log_of(&look).0 < 1_200 {
        let now = fixture.tick();
        sequence += 1;
        writer.write(&facts(1, sequence, value.next().unwrap(), now), now).unwrap();
    }
    let (pages, done) = log_of(&look);
    assert_eq!(done, 0, "nothing of {pages} pages was put away by a commit");
    writer.tidy();
    let (pages, done) = log_of(&look);
    assert_eq!(pages, done);
    // The store does it on its own, when the answer is out.
    let long = "x".repeat(4_000);
    for _ in 0..1_300 {
        fixture
            .store
            .prompted(&id("shop-1"), &long, "operator", fixture.clock.now())
            .await
            .unwrap();
    }
    let rested = |conn: &mut Connection| Ok(log_of(conn));
    let (pages, _) = fixture
        .store
        .run(&fixture.store.inner.writer, "look".to_owned(), rested, |_| {})
        .await
        .unwrap();
    assert!(pages < 1_100, "{pages}");
}

/// W1: a log that has not grown is left alone
#[test]
fn a_short_log_is_left_alone_w1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let mut connection = Connection::open(&path).unwrap();
    let sql = "PRAGMA journal_mode = WAL; CREATE TABLE t (x)";
    connection.execute_batch(sql).unwrap();
    let log = Log::of(&mut connection).unwrap();
    connection.execute("INSERT INTO t VALUES (1)", []).unwrap();
    let before = log_of(&connection);
    log.tidy(&connection);
    assert_eq!(log_of(&connection), before);
}
