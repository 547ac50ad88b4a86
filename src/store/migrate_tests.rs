use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;

use tempfile::TempDir;

use crate::domain::error::ErrorKind;
use crate::domain::ids::WorkspaceName;
use crate::os::clock::Clock;
use crate::os::paths::Home;

use super::super::Store;
use super::*;

const FIRST: &str = "CREATE TABLE kept (text TEXT) STRICT; INSERT INTO kept VALUES ('old');";
const SECOND: &str = "ALTER TABLE kept ADD COLUMN number INTEGER;";
const BROKEN: &str = "UPDATE kept SET text = 'half';\nSELECT nothing;";

fn files(folder: &TempDir) -> Files {
    Files {
        database: folder.path().join("callboard.db"),
        backups: folder.path().join("backups"),
        lock: folder.path().join("migrate.lock"),
        users: folder.path().join("store.lock"),
    }
}

fn backups(files: &Files) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(&files.backups) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn a_database_is_made_private_and_with_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(&folder);
    let connection = open(&files, Timestamp(0)).unwrap();
    assert_eq!(version(&connection).unwrap(), LATEST);
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    for suffix in ["", "-wal"] {
        let file = format!("{}{suffix}", files.database.display());
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(backups(&files), [] as [PathBuf; 0]);
    assert!(!damage::with_suffix(&files.database, ".new").exists());
}

/// W2: with a copy of how it was; three are kept.
#[test]
fn an_older_database_is_backed_up_and_migrated_w2() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(&folder);
    drop(open_with(&files, &[FIRST], Timestamp(0)).unwrap());
    let connection = open_with(&files, &[FIRST, SECOND], Timestamp(1_000)).unwrap();
    assert_eq!(version(&connection).unwrap(), 2);
    let kept: (String, Option<i64>) = connection
        .query_row("SELECT text, number FROM kept", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(kept, ("old".to_owned(), None));
    let [backup] = &backups(&files)[..] else { panic!("one backup") };
    assert_eq!(fs::metadata(backup).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(version(&connection::open(backup).unwrap()).unwrap(), 1);

    let mut migrations = vec![FIRST, SECOND];
    for n in 1..5 {
        migrations.push("SELECT 1;");
        open_with(&files, &migrations, Timestamp(1_000 + n)).unwrap();
    }
    let left = backups(&files);
    assert_eq!(left.len(), backup::KEPT);
    assert!(left[2].to_string_lossy().ends_with("-v5.db"), "{left:?}");
}

/// W2: an old copy that cannot be removed is no reason not to migrate.
#[test]
fn an_old_copy_that_stays_stops_no_migration() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(&folder);
    drop(open_with(&files, &[FIRST], Timestamp(0)).unwrap());
    // Nobody removes a folder as if it were a file.
    fs::create_dir_all(files.backups.join("callboard-0000.db")).unwrap();
    for n in 1..=backup::KEPT {
        fs::write(files.backups.join(format!("callboard-000{n}.db")), "").unwrap();
    }
    let connection = open_with(&files, &[FIRST, SECOND], Timestamp(1_000)).unwrap();
    assert_eq!(version(&connection).unwrap(), 2);
    assert_eq!(backups(&files).len(), backup::KEPT + 1);
}

/// W2: also where the first of several went through.
#[test]
fn a_migration_that_fails_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(&folder);
    drop(open_with(&files, &[FIRST], Timestamp(0)).unwrap());
    for broken in [&[FIRST, BROKEN][..], &[FIRST, SECOND, BROKEN]] {
        let failed = open_with(&files, broken, Timestamp(0)).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Failed);
        assert_eq!(failed.to_string().lines().count(), 1, "{failed}");
        let connection = open_with(&files, &[FIRST], Timestamp(0)).unwrap();
        let text: String =
            connection.query_row("SELECT text FROM kept", [], |row| row.get(0)).unwrap();
        assert_eq!((version(&connection).unwrap(), text.as_str()), (1, "old"));
    }
}

/// W2: to the byte.
#[test]
fn a_newer_database_is_refused_and_untouched_w2() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(&folder);
    drop(open_with(&files, &[FIRST, SECOND], Timestamp(0)).unwrap());
    let before = fs::read(&files.database).unwrap();
    let refused = open_with(&files, &[FIRST], Timestamp(0)).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { found: 2, known: 1, .. }), "{refused}");
    assert!(refused.hint().is_some());
    assert!(fs::read(&files.database).unwrap() == before, "changed");
    // With a log that is not put away, as after a crash: it is not put away by us either.
    let other = connection::open(&files.database).unwrap();
    other.execute_batch("UPDATE kept SET text = 'newer'").unwrap();
    let log = damage::with_suffix(&files.database, "-wal");
    let before = (fs::read(&files.database).unwrap(), fs::read(&log).unwrap());
    open_with(&files, &[FIRST], Timestamp(0)).unwrap_err();
    assert!((fs::read(&files.database).unwrap(), fs::read(&log).unwrap()) == before, "changed");
    assert_eq!(backups(&files), [] as [PathBuf; 0]);
}

#[test]
fn a_file_that_is_no_database_is_reported_and_untouched_w3() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(&folder);
    let text = "This is a letter to my aunt. ".repeat(300);
    fs::write(&files.database, &text).unwrap();
    let refused = open(&files, Timestamp(0)).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("doctor --repair"));
    assert_eq!(fs::read_to_string(&files.database).unwrap(), text);
}

/// W2: one migrates, and makes the one copy.
#[test]
fn processes_that_migrate_at_once_take_turns_w2() {
    let folder = tempfile::tempdir().unwrap();
    let files = &files(&folder);
    let all_open = |migrations: &'static [&str]| {
        thread::scope(|scope| {
            for n in 1..5 {
                scope.spawn(move || {
                    let connection = open_with(files, migrations, Timestamp(n)).unwrap();
                    assert_eq!(version(&connection).unwrap(), migrations.len() as i64);
                });
            }
        });
    };
    all_open(&[FIRST]);
    assert_eq!(backups(files).len(), 0);
    all_open(&[FIRST, SECOND]);
    assert_eq!(backups(files).len(), 1);
}

/// W3: and says what to do.
#[tokio::test]
async fn a_running_store_stops_writing_to_a_newer_database_w3() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let clock = Clock::fixed(Timestamp(0));
    let store = Store::open(&home, WorkspaceName::default(), clock).unwrap();
    let other = connection::open(&home.database()).unwrap();
    other.pragma_update(None, "user_version", LATEST + 1).unwrap();
    let refused = store.reserve_id(None).await.unwrap_err();
    assert!(matches!(refused, StoreError::Newer { .. }), "{refused}");
    assert!(refused.to_string().contains("start the newer callboard"));
    assert_eq!(store.all_ids().await.unwrap(), []);
}

/// Q1, W2: what an older database holds is found, newest first, and its messages keep their order
#[tokio::test]
async fn an_older_database_can_be_searched() {
    use crate::domain::query::{Filter, Order, PageQuery};
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    home.create().unwrap();
    let files = Files { database: home.database(), ..files(&folder) };
    let old = open_with(&files, &MIGRATIONS[..2], Timestamp(0)).unwrap();
    old.execute_batch(include_str!("../../tests/fixtures/store/before_search.sql")).unwrap();
    drop(old);
    let clock = Clock::fixed(Timestamp(1_000_000));
    let store = Store::open(&home, WorkspaceName::default(), clock).unwrap();
    let found = async |text: &str| {
        let filter = Filter { text: Some(text.to_owned()), ..Filter::default() };
        let query = PageQuery { filter, order: Order::Found, ..PageQuery::default() };
        let page = store.page(&query).await.unwrap();
        let ids = page.sessions.iter().map(|session| session.id.to_string());
        let snippets = page.snippets.iter().map(|snippet| snippet.marked("<", ">"));
        ids.zip(snippets).map(|(id, snippet)| format!("{id}: {snippet}")).collect::<Vec<_>>()
    };
    assert_eq!(
        found("cart").await,
        ["chat-2: Mend the <cart>", "chat-3: A <cart>", "chat-1: The <cart>, please"]
    );
    assert_eq!(found("callboard/chat-1").await.len(), 1, "a branch");
    assert_eq!(found("prompted").await, ["chat-3: <Prompted>"]);
    let texts = store.messages(&"chat-1".parse().unwrap(), usize::MAX).await.unwrap();
    let texts: Vec<&str> = texts.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["The cart, please", "Later"]);
    let check = connection::open(&home.database()).unwrap();
    check.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)", []).unwrap();
    store.answered(&"chat-1".parse().unwrap(), "The cart is new", "agent").await.unwrap();
    assert_eq!(found("cart").await[0], "chat-1: The <cart> is new");
}
