use std::fs;

use super::super::tests::{Fixture, failing_pr, id};
use super::*;

/// W3: what `quick_check` finds is told, and a whole store has no fault.
#[tokio::test]
async fn a_store_is_looked_at_whole() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.store.set_pr_facts(&id("shop-1"), vec![failing_pr(1)]).await.unwrap();
    fixture.store.prompted(&id("shop-1"), "grüße", "operator").await.unwrap();
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    let health = examine(&fixture.home).unwrap();
    assert_eq!((health.version, health.known), (Some(LATEST), LATEST));
    assert_eq!((health.damage, health.search, health.totals), (vec![], vec![], vec![]));
    let (home, _folder) = fixture.close();
    let mut bytes = fs::read(home.database()).unwrap();
    let from = bytes.len() - 4096 * 3;
    bytes[from..from + 4096].fill(0x11);
    fs::write(home.database(), bytes).unwrap();
    let found = examine(&home).map(|health| health.damage.is_empty());
    assert!(matches!(found, Ok(false) | Err(StoreError::Damaged { .. })), "{found:?}");
}

/// P3: counts that are kept and wrong are told, and set right by a recount.
#[tokio::test]
async fn wrong_counts_are_found_and_set_right() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    fixture.store.prompted(&id("shop-1"), "grüße", "operator").await.unwrap();
    let connection = connection::open(&fixture.home.database()).unwrap();
    connection
        .execute_batch(
            "UPDATE sections SET total = total + 1, placed = placed + 2;
             UPDATE details SET messages = 9; UPDATE sessions SET prs = 4;",
        )
        .unwrap();
    let health = examine(&fixture.home).unwrap();
    assert_eq!(health.totals.len(), COUNTS.len(), "{:?}", health.totals);
    recount(&fixture.home).unwrap();
    assert_eq!(examine(&fixture.home).unwrap().totals, [] as [String; 0]);
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
