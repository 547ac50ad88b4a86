use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};

use rusqlite::Connection;

use crate::domain::activity::Activity;
use crate::domain::ids::WorkspaceName;
use crate::os::clock::Clock;

use super::super::Store;
use super::super::migrate::LATEST;
use super::super::tests::{Fixture, facts, id};
use super::*;

const NOW: Timestamp = Timestamp(1_000_000_000_000);

/// A copy of the store as it is now among the backups.
fn back_up(fixture: &Fixture, at: i64) {
    let files = Files::of(&fixture.home);
    let now = Timestamp(NOW.0 + at);
    let connection = connection::open(&files.database).unwrap();
    backup::make(&connection, &files, LATEST, now).unwrap();
}

fn damage(home: &Home) {
    fs::write(home.database(), "not any more").unwrap();
}

fn reopen(home: &Home) -> Store {
    Store::open(home, WorkspaceName::default(), Clock::System).unwrap()
}

/// W3: the newest copy that is good is restored; what was damaged is kept, with its log.
#[tokio::test]
async fn the_newest_good_copy_comes_back_and_the_damaged_file_is_kept() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    back_up(&fixture, 0);
    fixture.seed("shop-2", None).await;
    back_up(&fixture, 1);
    fixture.seed("shop-3", None).await;
    back_up(&fixture, 2);
    let copies = backup::listed(&fixture.home.data.join("backups"));
    fs::write(&copies[0], "no copy").unwrap();
    let (home, _folder) = fixture.close();
    damage(&home);
    fs::write(damage::with_suffix(&home.database(), "-wal"), "its log").unwrap();
    let done = repair(&home, NOW).unwrap().unwrap();
    assert_eq!(done.restored, Some((copies[1].clone(), 2)));
    assert_eq!(done.bad[0].0, copies[0]);
    assert_eq!(fs::read_to_string(done.aside.join("callboard.db")).unwrap(), "not any more");
    assert_eq!(fs::read_to_string(done.aside.join("callboard.db-wal")).unwrap(), "its log");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&home.database()), mode(&done.aside)), (0o600, 0o700));
    let store = reopen(&home);
    assert_eq!(store.all_ids().await.unwrap(), [id("shop-1"), id("shop-2")]);
    let journal: String = Connection::open(home.database())
        .unwrap()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(journal, "wal");
}

/// W3: without any good copy the next start begins a new store, and the damaged file is still there.
#[tokio::test]
async fn without_a_good_copy_nothing_is_restored() {
    let fixture = Fixture::new();
    let (home, _folder) = fixture.close();
    damage(&home);
    let done = repair(&home, NOW).unwrap().unwrap();
    assert_eq!((done.restored, done.bad), (None, Vec::new()));
    assert!(done.aside.join("callboard.db").exists());
    assert_eq!(reopen(&home).all_ids().await.unwrap(), []);
}

/// W3: while a dashboard or command has the store open it is not moved.
#[tokio::test]
async fn a_store_in_use_is_not_moved() {
    let fixture = Fixture::new();
    let before = fs::metadata(fixture.home.database()).unwrap().len();
    let refused = repair(&fixture.home, NOW).unwrap_err();
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("dashboard"));
    assert_eq!(fs::metadata(fixture.home.database()).unwrap().len(), before);
    assert!(!fixture.home.data.join("damaged").exists());
}

/// W3: the damage that was found may have been none: it is looked for again once nobody else has the
/// store open, and what is whole stays where it is.
#[tokio::test]
async fn a_store_that_is_whole_is_not_moved() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    back_up(&fixture, 0);
    let (home, _folder) = fixture.close();
    let inode = fs::metadata(home.database()).unwrap().ino();
    assert_eq!(repair(&home, NOW).unwrap(), None);
    assert_eq!(fs::metadata(home.database()).unwrap().ino(), inode);
    assert!(!home.data.join("damaged").exists());
}

/// W3, W4: a repair that cannot make the copy ready moves nothing: there is no moment in which a start
/// would begin an empty store.
#[tokio::test]
async fn a_repair_that_fails_leaves_the_damaged_file_in_its_place() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    back_up(&fixture, 0);
    let (home, _folder) = fixture.close();
    damage(&home);
    let beside = damage::with_suffix(&home.database(), ".new");
    fs::create_dir(&beside).unwrap();
    let failed = repair(&home, NOW).unwrap_err();
    assert!(failed.to_string().contains("could not restore"), "{failed}");
    assert_eq!(fs::read_to_string(home.database()).unwrap(), "not any more");
    assert!(!home.data.join("damaged").exists());
    fs::remove_dir(&beside).unwrap();
    assert!(repair(&home, NOW).unwrap().unwrap().restored.is_some());
}

/// W3: a keeper that has the file open goes on in the restored one, and takes nothing of it away when
/// it lets go of the old one.
#[tokio::test]
async fn a_keeper_goes_on_in_the_restored_file() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    back_up(&fixture, 0);
    let mut keeper = fixture.writer("shop-1");
    let tell = |keeper: &mut super::super::facts::FactsWriter, n, activity| {
        keeper.write(&facts(1, n, activity, NOW), NOW).unwrap();
    };
    tell(&mut keeper, 5, Activity::Idle);
    let (home, _folder) = fixture.close();
    // Not to the keeper, which has read what it needs; it is the same file.
    let file = fs::File::options().write(true).open(home.database()).unwrap();
    file.write_all_at(&[b'x'; 16], 0).unwrap();
    let done = repair(&home, NOW).unwrap().unwrap();
    assert!(done.restored.is_some());
    let store = reopen(&home);
    store.rename(&id("shop-1"), "named since").await.unwrap();
    // Opens the new file and closes the old one.
    tell(&mut keeper, 6, Activity::Blocked);
    drop(keeper);
    let log = damage::with_suffix(&home.database(), "-wal");
    assert!(fs::metadata(log).unwrap().len() > 0, "the log of the new file is gone");
    let session = store.session(&id("shop-1")).await.unwrap().unwrap();
    assert_eq!(session.title, "named since");
    assert_eq!(session.condition.activity.value, Activity::Blocked);
    drop(store);
    assert_eq!(reopen(&home).all_ids().await.unwrap(), [id("shop-1")]);
}
