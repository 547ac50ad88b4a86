//! Migrations: numbered, append-only, one process at a time (`spec/store.md` W2).

use std::io;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::domain::time::Timestamp;

use super::error::{Fault, StoreError};
use super::files::Files;
use super::{backup, connection, damage, index};

/// Every migration; the database's `user_version` is the number of those that ran.
const MIGRATIONS: &[&str] = &[
    include_str!("../../assets/migrations/0001_initial.sql"),
    include_str!("../../assets/migrations/0002_asked.sql"),
    include_str!("../../assets/migrations/0003_search.sql"),
    include_str!("../../assets/migrations/0004_filters.sql"),
];
/// The version that this binary writes.
pub(super) const LATEST: i64 = MIGRATIONS.len() as i64;

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
    if !damage::look(path)? {
        make(files, migrations)?;
    }
    let failed = |error: rusqlite::Error| Fault::from(error).during("open the store", path);
    let mut connection = connection::open(path).map_err(failed)?;
    // A newer database stays as it is to the byte, so its log is not put away by us.
    keep_log(&connection, true).map_err(failed)?;
    let latest = migrations.len() as i64;
    if check(&connection, path, latest)? < latest {
        let _one_at_a_time = files.one_at_a_time()?;
        let from = check(&connection, path, latest)?;
        if from < latest {
            backup::make(&connection, files, from, now)?;
            migrate(&mut connection, from, migrations).map_err(failed)?;
        }
    }
    keep_log(&connection, false).map_err(failed)?;
    Ok(connection)
}

/// Opens the database of a folder that cannot be written to, for reading.
///
/// # Errors
/// There is none, it is damaged, or it would have to be migrated first.
pub(super) fn open_still(database: &Path) -> Result<Connection, StoreError> {
    if !damage::look(database)? {
        let detail = "there is none, and the folder cannot be written to".to_owned();
        return Err(StoreError::Open { path: database.to_owned(), detail });
    }
    let failed = |error: rusqlite::Error| Fault::from(error).during("read the store", database);
    let connection = connection::open_still(database).map_err(failed)?;
    let found = check(&connection, database, LATEST)?;
    if found < LATEST {
        let detail = format!(
            "it has version {found}, is migrated to {LATEST} before it is used, and cannot be written to"
        );
        return Err(StoreError::Open { path: database.to_owned(), detail });
    }
    Ok(connection)
}

/// Makes a new database beside its place and moves it there when it is whole: an empty file in its
/// place is always a damaged one.
fn make(files: &Files, migrations: &[&str]) -> Result<(), StoreError> {
    let _one_at_a_time = files.one_at_a_time()?;
    if damage::look(&files.database)? {
        return Ok(());
    }
    let opening = |error: io::Error| StoreError::Open {
        path: files.database.clone(),
        detail: error.to_string(),
    };
    let path = files.beside().map_err(opening)?;
    let fill = || -> rusqlite::Result<()> {
        let mut connection = connection::open(&path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        migrate(&mut connection, 0, migrations)?;
        connection.close().map_err(|(_, error)| error)
    };
    fill().map_err(|error| Fault::from(error).during("make the store", &path))?;
    files.place(&path).map_err(opening)
}

fn keep_log(connection: &Connection, keep: bool) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep).map(drop)
}

/// The version of a database, unless it is newer than `known` (W2).
pub(super) fn check(connection: &Connection, path: &Path, known: i64) -> Result<i64, StoreError> {
    let found =
        version(connection).map_err(|error| Fault::from(error).during("open the store", path))?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(found)
}

/// Runs what is pending in one transaction: it fails as a whole, and the callboard that was used
/// before goes on then.
fn migrate(connection: &mut Connection, from: i64, migrations: &[&str]) -> rusqlite::Result<()> {
    index::define_words(connection)?;
    let pending = (1_i64..).zip(migrations).filter(|(number, _)| *number > from);
    let transaction = Transaction::new(connection, TransactionBehavior::Exclusive)?;
    let mut version = from;
    for (number, sql) in pending {
        transaction.execute_batch(sql)?;
        version = number;
    }
    transaction.pragma_update(None, "user_version", version)?;
    transaction.commit()?;
    tracing::info!(from, version, "the store was migrated");
    Ok(())
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
