//! Moving a damaged database aside and putting the newest good copy in its place (`spec/store.md` W3).
//!
//! Commands and dashboards share a lock while they have the database open; whoever moves it holds that
//! lock alone. Keepers are not waited for: they look at the file's inode before each write and open
//! the new one, and SQLite leaves the log of a moved file alone when it is closed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::check::RepairedStore;
use crate::domain::time::Timestamp;
use crate::os;
use crate::os::lock::{self, Sharing};
use crate::os::paths::{self, Home};

use super::error::Fault;
use super::files::Files;
use super::{StoreError, backup, connection, damage, health};

/// Moves the damaged database of `home` with its log aside and restores the newest good copy. None where
/// nothing is damaged once nobody else has it open. Blocks.
///
/// # Errors
/// [`StoreError::InUse`]; a file cannot be moved or written. The database is where it was as long as the
/// copy is not whole beside it.
pub fn repair(home: &Home, now: Timestamp) -> Result<Option<RepairedStore>, StoreError> {
    let files = Files::of(home);
    let failed = |what: &str, error: &io::Error| StoreError::Database {
        attempt: what.to_owned(),
        path: files.database.clone(),
        detail: error.to_string(),
    };
    home.create()
        .and_then(|()| paths::private_dir(&home.locks()))
        .map_err(|error| failed("make the folders", &error))?;
    let alone = lock::try_lock(&files.users, Sharing::Exclusive);
    let Some(_alone) = alone.map_err(|error| failed("lock the store", &error))? else {
        return Err(StoreError::InUse {
            path: files.database.clone(),
            users: lock::users(&files.users),
        });
    };
    if health::examine(home)?.damage.is_empty() {
        return Ok(None);
    }
    let mut bad = Vec::new();
    let mut restored = None;
    for copy in backup::listed(&files.backups) {
        match backup::check(&copy) {
            Ok(sessions) => {
                restored = Some((copy, sessions));
                break;
            }
            Err(why) => bad.push((copy, why)),
        }
    }
    let beside = restored.as_ref().map(|(copy, _)| prepare(copy, &files)).transpose()?;
    let aside = set_aside(home, &files, now)
        .map_err(|error| failed("move the damaged store aside", &error))?;
    if let Some(beside) = beside {
        files
            .place(&beside)
            .map_err(|error| failed("put the copy of the store in place", &error))?;
    }
    Ok(Some(RepairedStore { aside, restored, bad }))
}

/// Moves the files of the database into a folder of their own. The database first: a log without one
/// counts as damage, should the log stay, while beside another it would be played into that.
fn set_aside(home: &Home, files: &Files, now: Timestamp) -> io::Result<PathBuf> {
    let aside = home.data.join("damaged").join(backup::date(now));
    paths::private_dir(&aside)?;
    for file in damage::files_of(&files.database) {
        let Some(name) = file.file_name().filter(|_| file.symlink_metadata().is_ok()) else {
            continue;
        };
        os::fs::rename_noreplace(&file, &aside.join(name))?;
    }
    Ok(aside)
}

/// Makes what comes in the place of the database whole beside it, and on the disk.
fn prepare(copy: &Path, files: &Files) -> Result<PathBuf, StoreError> {
    let failed = |error: io::Error| StoreError::Database {
        attempt: format!("restore {}", copy.display()),
        path: files.database.clone(),
        detail: error.to_string(),
    };
    let path = files.beside().map_err(failed)?;
    fs::copy(copy, &path).and_then(|_| paths::make_private(&path)).map_err(failed)?;
    // A copy has no log; what it is opened with is written down in it.
    let log = || -> rusqlite::Result<()> {
        let connection = connection::open(&path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.close().map_err(|(_, error)| error)
    };
    log().map_err(|error| Fault::from(error).during("restore a copy of the store", &path))?;
    fs::File::open(&path).and_then(|file| file.sync_all()).map_err(failed)?;
    Ok(path)
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
