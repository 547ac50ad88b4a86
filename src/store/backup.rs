//! Copies of the database: made before it is migrated (`spec/store.md` W2), put back where it is
//! damaged (W3).

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::domain::time::Timestamp;
use crate::os::paths;

use super::StoreError;
use super::connection;
use super::files::Files;
use super::migrate::{LATEST, version};

/// Copies that are kept.
pub(super) const KEPT: usize = 3;

/// Copies the database that is open as it is now, and drops the oldest copies.
pub(super) fn make(
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
    let copy = files.backups.join(format!("callboard-{}-v{version}.db", date(now)));
    let text = copy.to_str().ok_or_else(|| StoreError::Path { path: copy.clone() })?;
    paths::private_dir(&files.backups).map_err(|error| failed(error.to_string()))?;
    // SQLite writes into an empty file, so that nobody else can ever read this one.
    paths::private_file(&copy).map_err(|error| failed(error.to_string()))?;
    if let Err(error) = connection.execute("VACUUM INTO ?1", [text]) {
        // Half a copy must not be taken for one later.
        let left = match fs::remove_file(&copy) {
            Ok(()) => String::new(),
            Err(error) => format!(", and what is left of it stays: {error}"),
        };
        return Err(failed(format!("{error}{left}")));
    }
    let keep = || -> std::io::Result<()> {
        fs::File::open(&copy)?.sync_all()?;
        fs::set_permissions(&copy, Permissions::from_mode(0o600))
    };
    keep().map_err(|error| failed(error.to_string()))?;
    // The new copy is whole: one that is too many is no reason not to migrate.
    for old in listed(&files.backups).iter().skip(KEPT) {
        if let Err(error) = fs::remove_file(old) {
            tracing::warn!(path = %old.display(), %error, "an old copy of the store stays");
        }
    }
    Ok(())
}

/// A time as part of a file's name.
pub(super) fn date(now: Timestamp) -> String {
    now.to_string().replace(':', "-")
}

/// The copies in a folder, newest first.
pub(super) fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut copies: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
        .collect();
    copies.sort();
    copies.reverse();
    copies
}

/// How many sessions a copy holds, where it is whole and not of a newer callboard.
///
/// # Errors
/// In words, why it is no good.
pub(super) fn check(copy: &Path) -> Result<u64, String> {
    let look = || -> rusqlite::Result<Result<u64, String>> {
        let connection = connection::open_still(copy)?;
        let found = version(&connection)?;
        if !(1..=LATEST).contains(&found) {
            return Ok(Err(format!("it has version {found}, this callboard knows 1 to {LATEST}")));
        }
        let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if said != "ok" {
            return Ok(Err(said));
        }
        let sessions: i64 =
            connection.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))?;
        Ok(Ok(sessions.unsigned_abs()))
    };
    look().unwrap_or_else(|error| Err(error.to_string()))
}
