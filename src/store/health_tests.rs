use std::fs;

use crate::os::lock::{self, Sharing};

use super::super::tests::{Fixture, failing_pr, id};
use super::*;

/// W3: what `quick_check` finds is told, and a whole store has no fault.
#[tokio::test]
async fn a_store_is_looked_at_whole() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.store.set_pr_facts(&id("shop-1"), vec![failing_pr(1)]).await.unwrap();
    fixture.store.prompted(&id("shop-1"), "grüße", "operator", fixture.clock.now()).await.unwrap();
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    let health = examine(&fixture.home).unwrap();
    assert_eq!((health.version, health.known), (Some(LATEST), LATEST));
    assert_eq!((health.damage, health.search, health.totals), (vec![], vec![], vec![]));
    let (home, _folder) = fixture.close();
    let mut bytes = fs::read(home.database()).unwrap();
    let from = bytes.len() - 4096 * 3;
    bytes[from..from + 4096].fill(0x11);
    fs::write(home.database(), bytes).unwrap();
    assert_ne!(examine(&home).unwrap().damage, [] as [String; 0]);
}

/// P3: counts that are kept and wrong are told, and set right by a recount.
#[tokio::test]
async fn wrong_counts_are_found_and_set_right() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    fixture.store.prompted(&id("shop-1"), "grüße", "operator", fixture.clock.now()).await.unwrap();
    let connection = connection::open(&fixture.home.database()).unwrap();
    connection
        .execute_batch(
            "UPDATE sections SET total = total + 1, placed = placed + 2;
             UPDATE details SET messages = 9; UPDATE sessions SET prs = 4;",
        )
        .unwrap();
    let health = examine(&fixture.home).unwrap();
    assert_eq!(health.totals.len(), COUNTS.len(), "{:?}", health.totals);
    recount(&fixture.home, false).unwrap();
    assert_eq!(examine(&fixture.home).unwrap().totals, [] as [String; 0]);
}

/// W3: what a repair is moving away meanwhile is not written to.
#[tokio::test]
async fn a_recount_waits_for_a_repair() {
    let fixture = Fixture::new();
    let (home, _folder) = fixture.close();
    let alone = lock::try_lock(&Files::of(&home).users, Sharing::Exclusive).unwrap().unwrap();
    let refused = recount(&home, false).unwrap_err();
    assert!(matches!(refused, StoreError::Busy { .. }), "{refused}");
    drop(alone);
    recount(&home, false).unwrap();
}

/// W3: a row whose parent row is gone is a fault.
#[tokio::test]
async fn a_row_without_its_parent_is_found() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let connection = connection::open(&fixture.home.database()).unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE sessions SET section = 99")
        .unwrap();
    let health = examine(&fixture.home).unwrap();
    assert!(health.references[0].contains("sessions"), "{:?}", health.references);
}

/// Looking makes no database where there is none.
#[test]
fn looking_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    assert_eq!(examine(&home).unwrap().version, None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Q1: an index that differs from the texts is found out, whichever way it differs, and made anew from
/// them: with the same words and the same order.
#[tokio::test]
async fn a_wrong_search_index_is_found_and_made_anew() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    for (session, text) in [("shop-1", "mend the parser"), ("shop-2", "Parser, grüße 日本 a-b")]
    {
        fixture.store.prompted(&id(session), text, "operator", fixture.clock.now()).await.unwrap();
    }
    let connection = connection::open(&fixture.home.database()).unwrap();
    let numbers = || -> Vec<(i64, i64)> {
        let mut all = connection.prepare("SELECT doc, rid FROM documents ORDER BY doc").unwrap();
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let terms = || -> Vec<(i64, String)> {
        let mut all =
            connection.prepare("SELECT doc, term FROM search_terms ORDER BY 1, 2").unwrap();
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let (whole, words) = (numbers(), terms());
    assert!(words.iter().any(|(_, word)| word == "gruße"), "{words:?}");
    for (wrong, told) in [
        ("INSERT INTO search (search) VALUES ('delete-all')", "hold: 4"),
        ("DELETE FROM search WHERE rowid = (SELECT max(message) FROM messages)", "hold: 1"),
        ("INSERT INTO search (rowid, words) VALUES (900, 'gone')", "gone: 1"),
        ("UPDATE sessions SET title = 'another' WHERE id = 'shop-1'", "hold: 1"),
        ("DELETE FROM documents WHERE doc = (SELECT max(message) FROM messages)", "list: 1"),
        ("UPDATE search_data SET block = x'00' WHERE id > 10", "fts5"),
    ] {
        connection.execute_batch(wrong).unwrap();
        let health = examine(&fixture.home).unwrap();
        assert_eq!((health.damage, health.totals), (vec![], vec![]), "{wrong}");
        assert!(
            health.search.concat().to_lowercase().contains(told),
            "{wrong}: {:?}",
            health.search
        );
        recount(&fixture.home, true).unwrap();
        assert_eq!(examine(&fixture.home).unwrap().search, [] as [String; 0], "{wrong}");
        assert_eq!(numbers(), whole, "{wrong}");
    }
    connection.execute_batch("UPDATE sessions SET title = id").unwrap();
    recount(&fixture.home, true).unwrap();
    connection
        .execute_batch("UPDATE details SET doc = (SELECT max(message) FROM messages)")
        .unwrap();
    recount(&fixture.home, true).unwrap();
    assert_eq!(examine(&fixture.home).unwrap().search, [] as [String; 0], "numbered anew");
    assert_eq!(numbers().len(), whole.len());
    fixture.store.rename(&id("shop-1"), "a new title").await.unwrap();
    assert_eq!(examine(&fixture.home).unwrap().search, [] as [String; 0]);
}
