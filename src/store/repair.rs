//! Moving a damaged database aside and putting the newest good copy in its place (`spec/store.md` W3).
//!
//! Commands and dashboards share a lock while they have the database open; whoever moves it holds that
//! lock alone. Keepers are not waited for: they look at the file's inode before each write and open
//! the new one, and SQLite leaves the log of a moved file alone when it is closed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::os::lock::{self, FileLock, Sharing};
use crate::os::paths::{self, Home};
use crate::os::{self, clock};

use super::error::Fault;
use super::migrate::{self, Files};
use super::{StoreError, backup, connection, damage};

/// How long a repair by another process may take before opening gives up.
const REPAIR_WAIT: Duration = Duration::from_secs(30);

/// What a repair came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The folder that the damaged files are in now.
    pub aside: PathBuf,
    /// The copy that was put in their place and how many sessions it holds; none where no copy is
    /// good.
    pub restored: Option<(PathBuf, u64)>,
    /// Copies that are no good, and why.
    pub bad: Vec<(PathBuf, String)>,
}

/// Says that the database is in use for as long as the lock is held.
pub(super) fn keep_in_place(files: &Files) -> Result<FileLock, StoreError> {
    let deadline = clock::monotonic() + REPAIR_WAIT;
    loop {
        match lock::try_lock(&files.users, Sharing::Shared) {
            Ok(Some(lock)) => return Ok(lock),
            Ok(None) if clock::monotonic() < deadline => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let attempt = "wait for a repair of the store".to_owned();
                return Err(StoreError::Busy { attempt, path: files.database.clone() });
            }
            Err(error) => {
                let detail = error.to_string();
                return Err(StoreError::Open { path: files.users.clone(), detail });
            }
        }
    }
}

/// Moves the database of `home` with its log aside and restores the newest good copy. Blocks.
///
/// # Errors
/// [`StoreError::InUse`]; a file cannot be moved or written. What was moved stays where it went.
pub fn repair(home: &Home, now: Timestamp) -> Result<Repaired, StoreError> {
    let files = Files::of(home);
    let failed = |what: &str, error: &io::Error| StoreError::Database {
        attempt: what.to_owned(),
        path: files.database.clone(),
        detail: error.to_string(),
    };
    home.create()
        .and_then(|()| paths::private_dir(&home.locks()))
        .map_err(|e| failed("make the folders", &e))?;
    let alone = lock::try_lock(&files.users, Sharing::Exclusive);
    let Some(_alone) = alone.map_err(|error| failed("lock the store", &error))? else {
        return Err(StoreError::InUse {
            path: files.database.clone(),
            users: lock::users(&files.users),
        });
    };
    let aside = home.data.join("damaged").join(backup::date(now));
    paths::private_dir(&aside)
        .map_err(|error| failed("make a folder for the damaged store", &error))?;
    // The log first: were it left alone, it would be played into what comes in the place.
    let [database, log, shared] = damage::files_of(&files.database);
    for file in [shared, log, database] {
        let Some(name) = file.file_name().filter(|_| file.symlink_metadata().is_ok()) else {
            continue;
        };
        os::fs::rename_noreplace(&file, &aside.join(name))
            .map_err(|error| failed("move the damaged store aside", &error))?;
    }
    let mut bad = Vec::new();
    for copy in backup::listed(&files.backups) {
        match backup::check(&copy) {
            Ok(sessions) => {
                restore(&copy, &files)?;
                return Ok(Repaired { aside, restored: Some((copy, sessions)), bad });
            }
            Err(why) => bad.push((copy, why)),
        }
    }
    Ok(Repaired { aside, restored: None, bad })
}

/// Puts a copy where the database was, whole or not at all.
fn restore(copy: &Path, files: &Files) -> Result<(), StoreError> {
    let path = damage::with_suffix(&files.database, ".new");
    let failed = |error: &io::Error| StoreError::Database {
        attempt: format!("restore {}", copy.display()),
        path: files.database.clone(),
        detail: error.to_string(),
    };
    for file in damage::files_of(&path) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&error)),
            _ => {}
        }
    }
    let place = || -> io::Result<()> {
        paths::private_file(&path)?;
        fs::copy(copy, &path)?;
        paths::make_private(&path)
    };
    place().map_err(|error| failed(&error))?;
    // A copy has no log; what it is opened with is written down in it.
    let log = || -> rusqlite::Result<()> {
        let connection = connection::open(&path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.close().map_err(|(_, error)| error)
    };
    log().map_err(|error| Fault::from(error).during("restore a copy of the store", &path))?;
    let done = fs::File::open(&path).and_then(|file| file.sync_all());
    done.and_then(|()| os::fs::rename_noreplace(&path, &files.database))
        .map_err(|error| failed(&error))
}

/// The version that this callboard writes.
pub const LATEST: i64 = migrate::LATEST;

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
