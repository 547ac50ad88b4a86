//! Migrations: numbered, append-only, one process at a time (`spec/store.md` W2).

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::domain::time::Timestamp;
use crate::os::lock::{self, FileLock, Sharing};
use crate::os::{clock, paths};

use super::error::{Fault, StoreError};
use super::{connection, index};

/// Every migration; the database's `user_version` is the number of those that ran.
const MIGRATIONS: &[&str] = &[
    include_str!("../../assets/migrations/0001_initial.sql"),
    include_str!("../../assets/migrations/0002_asked.sql"),
    include_str!("../../assets/migrations/0003_search.sql"),
];
/// The version that this binary writes.
pub(super) const LATEST: i64 = MIGRATIONS.len() as i64;
/// Backups kept.
const BACKUPS: usize = 3;
/// How long another process may take to migrate.
const LOCK_WAIT: Duration = Duration::from_mins(1);

/// Where a database and what belongs to it is.
#[derive(Debug)]
pub(super) struct Files {
    /// The database.
    pub(super) database: PathBuf,
    /// Folder of its backups.
    pub(super) backups: PathBuf,
    /// Lock file of migrations.
    pub(super) lock: PathBuf,
}

/// The version of a database.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Opens the database, made and migrated where needed.
pub(super) fn open(files: &Files, now: Timestamp) -> Result<Connection, StoreError> {
    open_with(files, MIGRATIONS, now)
}

fn open_with(files: &Files, migrations: &[&str], now: Timestamp) -> Result<Connection, StoreError> {
    let path = &files.database;
    create_private(path)?;
    let failed = |error: rusqlite::Error| Fault::from(error).during("open the store", path);
    let mut connection = connection::open(path).map_err(failed)?;
    // A newer database stays as it is to the byte, so its log is not put away by us.
    keep_log(&connection, true).map_err(failed)?;
    let latest = migrations.len() as i64;
    if check(&connection, path, latest)? < latest {
        let _one_at_a_time = take_lock(files)?;
        let from = check(&connection, path, latest)?;
        if from > 0 && from < latest {
            back_up(&connection, files, from, now)?;
        }
        if from == 0 {
            connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        }
        migrate(&mut connection, from, migrations).map_err(failed)?;
    }
    keep_log(&connection, false).map_err(failed)?;
    Ok(connection)
}

fn keep_log(connection: &Connection, keep: bool) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep).map(drop)
}

fn check(connection: &Connection, path: &Path, known: i64) -> Result<i64, StoreError> {
    let found =
        version(connection).map_err(|error| Fault::from(error).during("open the store", path))?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(found)
}

fn migrate(connection: &mut Connection, from: i64, migrations: &[&str]) -> rusqlite::Result<()> {
    index::define_words(connection)?;
    for (number, sql) in (1_i64..).zip(migrations).filter(|(number, _)| *number > from) {
        let transaction = Transaction::new(connection, TransactionBehavior::Exclusive)?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
        tracing::info!(version = number, "the store was migrated");
    }
    Ok(())
}

/// An empty file that only its owner can read; the log gets the same mode (W7).
fn create_private(path: &Path) -> Result<(), StoreError> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    file.map(drop)
        .map_err(|error| StoreError::Open { path: path.to_owned(), detail: error.to_string() })
}

fn take_lock(files: &Files) -> Result<FileLock, StoreError> {
    let deadline = clock::monotonic() + LOCK_WAIT;
    loop {
        match lock::try_lock(&files.lock, Sharing::Exclusive) {
            Ok(Some(lock)) => return Ok(lock),
            Ok(None) if clock::monotonic() < deadline => thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let attempt = "wait for another callboard to migrate".to_owned();
                return Err(StoreError::Busy { attempt, path: files.database.clone() });
            }
            Err(error) => {
                let detail = error.to_string();
                return Err(StoreError::Open { path: files.lock.clone(), detail });
            }
        }
    }
}

/// A copy of the database as it is before a migration; the newest three are kept.
fn back_up(
    connection: &Connection,
    files: &Files,
    version: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let failed = |detail: String| StoreError::Database {
        attempt: format!("back the store up into {} before migrating it", files.backups.display()),
        path: files.database.clone(),
        detail,
    };
    let date = now.to_string().replace(':', "-");
    let copy = files.backups.join(format!("callboard-{date}-v{version}.db"));
    let text = copy.to_str().ok_or_else(|| StoreError::Path { path: copy.clone() })?;
    paths::private_dir(&files.backups).map_err(|error| failed(error.to_string()))?;
    connection.execute("VACUUM INTO ?1", [text]).map_err(|error| failed(error.to_string()))?;
    let tidy = || -> std::io::Result<()> {
        fs::set_permissions(&copy, Permissions::from_mode(0o600))?;
        let mut copies: Vec<PathBuf> = fs::read_dir(&files.backups)?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
            .collect();
        copies.sort();
        for old in copies.iter().rev().skip(BACKUPS) {
            fs::remove_file(old)?;
        }
        Ok(())
    };
    tidy().map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
