//! Connections to the database, all set up alike (`spec/store.md` W1).

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::os::{clock, paths, random};

use super::error::{Fault, Outcome, StoreError};
use super::log::Log;
use super::{damage, migrate};

/// How long a connection waits for others.
const PATIENCE: Duration = Duration::from_secs(5);
/// Prepared statements kept by a connection.
const STATEMENTS: usize = 160;

/// Whether a commit waits until it is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// A power cut may take the last commits away, never half of one.
    Normal,
    /// On the disk when it returns: journal, tombstones, publish (V1).
    Full,
}

/// Opens an existing database.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(patient()))?;
    // Otherwise a kept statement is compiled anew whenever its parameters change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 0;
         PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 8388608;",
    )?;
    Ok(connection)
}

/// Makes a connection the one that writes all but facts. A batch of thousands would otherwise write
/// its pages several times over, and read them back.
pub(super) fn for_writing(connection: &mut Connection) -> rusqlite::Result<Log> {
    connection.execute_batch("PRAGMA cache_size = -16384")?;
    Log::of(connection)
}

/// Opens an existing database for reading. It is opened for writing all the same, so that the last
/// connection to close can put the log away; statements that write fail.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open(path)?;
    connection.execute_batch("PRAGMA query_only = ON")?;
    Ok(connection)
}

/// Opens an existing database that is only read: a copy, one that is looked at, or one in a folder that
/// cannot be written to. Such a folder has no place for the memory that users share; where it holds no
/// log either, nobody can be writing. In any other, what others write meanwhile is seen, not mistaken
/// for damage.
pub(super) fn open_still(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let can_share = path.parent().is_some_and(paths::can_write);
    let log = damage::with_suffix(path, "-wal");
    let mut connection = if can_share || std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        Connection::open_with_flags(path, flags)?
    } else {
        let name: String = path
            .as_os_str()
            .as_encoded_bytes()
            .iter()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                    char::from(*byte).to_string()
                }
                _ => format!("%{byte:02X}"),
            })
            .collect();
        let uri = format!("file:{name}?immutable=1");
        Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
    };
    connection.busy_handler(Some(patient()))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;")?;
    Ok(connection)
}

/// Waits 0.2 to 0.9 ms at a time, so that many writers do not wake together; longer once it takes
/// long: two hundred that ask so often leave the one that writes no processor to write on.
fn patient() -> impl FnMut(i32) -> bool + Send + 'static {
    let mut began: Option<Instant> = None;
    move |attempt| {
        let now = clock::monotonic();
        if attempt == 0 {
            began = Some(now);
        }
        let waited = now.duration_since(*began.get_or_insert(now));
        if waited >= PATIENCE {
            return false;
        }
        thread::sleep(pause(attempt, waited, random::jitter()));
        true
    }
}

/// How long to wait after so many attempts, with a `jitter` between 0 and 1.
fn pause(attempt: i32, waited: Duration, jitter: f64) -> Duration {
    let shortest = Duration::from_micros(200) + Duration::from_micros(700).mul_f64(jitter);
    shortest * growth(attempt, waited)
}

/// How many times as long a pause is: once for some milliseconds, sixteen times at most, and less
/// again from 2 s to 4 s. Who asks seldom is passed by those who have just come, so one that has
/// waited long and stayed so would be refused in the end.
fn growth(attempt: i32, waited: Duration) -> u32 {
    let grown = u32::try_from(attempt / 8).unwrap_or(0).clamp(1, 16);
    let left = Duration::from_secs(4).saturating_sub(waited).as_millis() / 125;
    grown.min(u32::try_from(left).unwrap_or(16)).max(1)
}

/// Runs `work` in one write transaction.
pub(super) fn begin<T>(
    connection: &mut Connection,
    durability: Durability,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    let level = match durability {
        Durability::Normal => "PRAGMA synchronous = NORMAL",
        Durability::Full => "PRAGMA synchronous = FULL",
    };
    connection.execute_batch(level)?;
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

/// As [`begin`]; a database that a newer callboard has migrated meanwhile is not written to any
/// more (W3).
pub(super) fn write<T>(
    connection: &mut Connection,
    path: &Path,
    durability: Durability,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    begin(connection, durability, |connection| {
        let found = migrate::version(connection)?;
        if found > migrate::LATEST {
            let known = migrate::LATEST;
            return Err(Fault::Refused(StoreError::Newer { path: path.to_owned(), found, known }));
        }
        work(connection)
    })
}

/// Runs `work` on one consistent state of the database.
pub(super) fn read<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    let transaction = connection.transaction()?;
    work(&transaction)
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
