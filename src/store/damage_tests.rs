use crate::domain::activity::Activity;
use crate::domain::error::ErrorKind;
use crate::domain::ids::WorkspaceName;
use crate::os::clock::Clock;
use crate::os::paths::Home;
use rstest::rstest;

use super::super::tests::{Fixture, facts, id};
use super::super::{Store, StoreError};
use super::*;

/// A home with a session in its store, all of it in the file, and the file's name.
async fn filled() -> (tempfile::TempDir, Home, PathBuf) {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let (home, folder) = fixture.close();
    let database = home.database();
    (folder, home, database)
}

fn open(home: &Home) -> Result<Store, StoreError> {
    Store::open(home, WorkspaceName::default(), Clock::System)
}

/// Everything in the folder of the database, to the byte.
fn contents(home: &Home) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(&home.data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|extension| extension != "db-shm"))
        .map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

fn overwrite(path: &Path, at: usize, with: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at..at + with.len()].copy_from_slice(with);
    fs::write(path, bytes).unwrap();
}

/// W3: a bad header, a file cut off, an empty one, a folder in its place, a log that is none, a log
/// alone, each is reported with what to do, and nothing is written.
#[rstest]
#[case::header(|file: &Path| overwrite(file, 0, &[b'x'; 100]))]
#[case::cut_off(|file: &Path| fs::write(file, &fs::read(file).unwrap()[..8192 + 100]).unwrap())]
#[case::cut_to_nothing(|file: &Path| fs::write(file, "").unwrap())]
#[case::short(|file: &Path| fs::write(file, "SQL").unwrap())]
#[case::folder(|file: &Path| {
    fs::remove_file(file).unwrap();
    fs::create_dir(file).unwrap();
})]
#[case::log(|file: &Path| fs::write(with_suffix(file, "-wal"), vec![7; 5000]).unwrap())]
#[case::log_alone(|file: &Path| {
    fs::rename(file, with_suffix(file, "-wal")).unwrap();
})]
#[case::schema(|file: &Path| overwrite(file, 100, &[0xff; 2000]))]
#[tokio::test]
async fn damage_is_reported_and_never_written_over(#[case] damage: fn(&Path)) {
    let (_folder, home, database) = filled().await;
    damage(&database);
    let before = contents(&home);
    for _ in 0..2 {
        let error = open(&home).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("callboard.db"), "{error}");
        assert!(error.hint().unwrap().contains("callboard doctor --repair"));
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    let writer =
        super::super::facts::FactsWriter::open(&database, &WorkspaceName::default(), &id("shop-1"));
    if let Ok(mut writer) = writer {
        let seen = facts(1, 2, Activity::Idle, crate::domain::time::Timestamp(1));
        writer.write(&seen, crate::domain::time::Timestamp(1)).unwrap_err();
    }
    assert!(contents(&home) == before, "changed");
}

/// W3: a page that cannot be read fails the statement that needs it, as damage, and stays.
#[tokio::test]
async fn a_page_that_was_overwritten_fails_the_statement_that_reads_it() {
    let (_folder, home, database) = filled().await;
    let root: i64 = rusqlite::Connection::open(&database)
        .unwrap()
        .query_row("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'", [], |row| {
            row.get(0)
        })
        .unwrap();
    overwrite(&database, (root as usize - 1) * 4096, &[0xee; 4096]);
    let store = open(&home).unwrap();
    let error = store.session(&id("shop-1")).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.hint().unwrap().contains("doctor --repair"));
    let error = store.rename(&id("shop-1"), "x").await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    drop(store);
    assert_eq!(fs::read(&database).unwrap()[(root as usize - 1) * 4096], 0xee);
}

/// W3: logs as SQLite writes them, or as a power cut leaves them, are no damage.
#[tokio::test]
async fn a_log_that_sqlite_wrote_is_one() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let log = fs::read(with_suffix(&fixture.home.database(), "-wal")).unwrap();
    assert!(log.len() > LOG_HEADER && is_log(&log[..LOG_HEADER]));
    assert!(look(&fixture.home.database()).unwrap());
    let mut flipped = log[..LOG_HEADER].to_vec();
    flipped[17] ^= 1;
    assert!(!is_log(&flipped));
    assert!(is_log(&[0; LOG_HEADER]) && is_log(&log[..10]) && is_log(&[]));
}
