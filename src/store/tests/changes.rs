//! Noticing what others commit.

use std::time::Duration;

use tokio::sync::watch;

use crate::domain::activity::Activity;

use super::super::StoreError;
use super::{Fixture, id};

/// Longer than any notice takes; a test that waits this long has failed.
const LIMIT: Duration = Duration::from_secs(20);

async fn next(changes: &mut watch::Receiver<u64>) {
    tokio::time::timeout(LIMIT, changes.changed()).await.expect("a change is noticed").unwrap();
}

/// Waits until `done`, looking again after each change.
async fn until(changes: &mut watch::Receiver<u64>, mut done: impl AsyncFnMut() -> bool) {
    while !done().await {
        next(changes).await;
    }
}

#[tokio::test]
async fn commits_of_others_are_noticed() {
    let fixture = Fixture::new();
    let other = fixture.second();
    let mut changes = other.changes();
    fixture.live("shop-1", None).await;
    until(&mut changes, async || {
        let session = other.session(&id("shop-1")).await.unwrap();
        session.is_some_and(|session| session.condition.activity.value == Activity::Active)
    })
    .await;
    fixture.observe("shop-1", 1, 2, Activity::Blocked);
    until(&mut changes, async || {
        let session = other.session(&id("shop-1")).await.unwrap().unwrap();
        session.condition.activity.value == Activity::Blocked
    })
    .await;
}

#[tokio::test]
async fn own_commits_are_noticed_and_refusals_are_not() {
    let fixture = Fixture::new();
    let mut changes = fixture.store.changes();
    fixture.seed("shop-1", None).await;
    next(&mut changes).await;
    let mut quiet = fixture.store.inner.commits.subscribe();
    quiet.mark_unchanged();
    let before = *quiet.borrow_and_update();
    let again = fixture.store.rename(&id("shop-9"), "x").await.unwrap();
    assert!(!again);
    let missing = fixture.store.prompted(&id("shop-9"), "x", "operator", fixture.clock.now()).await;
    assert_eq!(missing, Err(StoreError::NoSession { id: id("shop-9") }));
    // The watcher may still report the commit of the seed once; nothing else counts up.
    assert!(*quiet.borrow() <= before + 1);
}

#[tokio::test]
async fn the_files_are_closed_with_the_last_handle() {
    let fixture = Fixture::new();
    let store = fixture.second();
    let clone = store.clone();
    let mut changes = store.changes();
    drop(store);
    fixture.seed("shop-1", None).await;
    next(&mut changes).await;
    drop(clone);
    // The watching thread holds the last sender.
    let ended = tokio::time::timeout(LIMIT, async { while changes.changed().await.is_ok() {} });
    ended.await.expect("the threads end");
}
