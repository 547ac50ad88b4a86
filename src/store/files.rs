//! Where the database and what belongs to it is, who may have it open or change it, and how a whole one
//! gets into its place.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::os::lock::{self, FileLock, Sharing};
use crate::os::paths::{self, Home};
use crate::os::{self, clock};

use super::{StoreError, damage};

/// How long a repair by another process may take before opening gives up.
const REPAIR_WAIT: Duration =
    if cfg!(test) { Duration::from_millis(200) } else { Duration::from_secs(30) };
/// How long another process may take to migrate.
const MIGRATION_WAIT: Duration = Duration::from_mins(1);

/// Where a database and what belongs to it is.
#[derive(Debug)]
pub(super) struct Files {
    /// The database.
    pub(super) database: PathBuf,
    /// Folder of its backups.
    pub(super) backups: PathBuf,
    /// Lock file of migrations.
    pub(super) lock: PathBuf,
    /// Lock file that is shared by everyone who has the database open, keepers apart.
    pub(super) users: PathBuf,
}

impl Files {
    /// Those of an installation.
    pub(super) fn of(home: &Home) -> Self {
        Self {
            database: home.database(),
            backups: home.data.join("backups"),
            lock: home.locks().join("migrate.lock"),
            users: home.locks().join("store.lock"),
        }
    }

    /// Says that the database is in use for as long as the lock is held.
    pub(super) fn keep_in_place(&self) -> Result<FileLock, StoreError> {
        self.wait(&self.users, Sharing::Shared, REPAIR_WAIT, "wait for a repair of the store")
    }

    /// Lets one process at a time make or migrate the database.
    pub(super) fn one_at_a_time(&self) -> Result<FileLock, StoreError> {
        let attempt = "wait for another callboard to migrate";
        self.wait(&self.lock, Sharing::Exclusive, MIGRATION_WAIT, attempt)
    }

    fn wait(
        &self,
        path: &Path,
        sharing: Sharing,
        patience: Duration,
        attempt: &str,
    ) -> Result<FileLock, StoreError> {
        let deadline = clock::monotonic() + patience;
        loop {
            match lock::try_lock(path, sharing) {
                Ok(Some(lock)) => return Ok(lock),
                Ok(None) if clock::monotonic() < deadline => {
                    thread::sleep(Duration::from_millis(2));
                }
                Ok(None) => {
                    let (attempt, path) = (attempt.to_owned(), self.database.clone());
                    return Err(StoreError::Busy { attempt, path });
                }
                Err(error) => {
                    let detail = error.to_string();
                    return Err(StoreError::Open { path: path.to_owned(), detail });
                }
            }
        }
    }

    /// An empty private file beside the place of the database, to be filled and then placed; what a
    /// crash left of one is removed.
    pub(super) fn beside(&self) -> io::Result<PathBuf> {
        let path = damage::with_suffix(&self.database, ".new");
        for file in damage::files_of(&path) {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        paths::private_file(&path)?;
        Ok(path)
    }

    /// Moves the file that was filled beside the place of the database there, for good: its folder is on
    /// the disk too when this returns.
    pub(super) fn place(&self, beside: &Path) -> io::Result<()> {
        os::fs::rename_noreplace(beside, &self.database)?;
        self.database.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    }
}
