//! Noticing what anyone commits to the database.
//!
//! The folder is watched, because the log comes and goes. An event may come before its commit can
//! be seen, so `PRAGMA data_version` is read at each event and once more after the last one.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rusqlite::Connection;
use tokio::sync::watch;

use super::damage::with_suffix;
use super::{Store, connection};

/// From the last event of a burst to the last look.
const SETTLE: Duration = Duration::from_millis(20);
/// Time between looks without any event, where the folder cannot be watched or an event was lost.
const SLOW: Duration = Duration::from_secs(2);

/// Watches until it is dropped.
#[derive(Debug)]
pub(super) struct Watcher {
    /// Ends the thread when it is dropped, together with `_notify`.
    _alive: SyncSender<()>,
    /// None where the folder cannot be watched; then only the slow looks are left.
    _notify: Option<RecommendedWatcher>,
}

impl Store {
    /// A number that changes with every commit to the database, by anyone; bursts may count as
    /// one. Watching starts with the first call.
    pub fn changes(&self) -> watch::Receiver<u64> {
        let receiver = self.inner.commits.subscribe();
        self.inner.watcher.get_or_init(|| {
            let started = start(self.database(), self.inner.commits.clone());
            started
                .inspect_err(|error| tracing::warn!(%error, "changes of others are not noticed"))
                .ok()
        });
        receiver
    }
}

/// Why nothing is watched.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    #[error(transparent)]
    Thread(#[from] std::io::Error),
}

fn start(database: &Path, commits: watch::Sender<u64>) -> Result<Watcher, StartError> {
    let connection = connection::open_reader(database)?;
    // Read before the watch begins: what is committed from here on is a change.
    let seen = data_version(&connection)?;
    let (alive, events) = sync_channel(1);
    let notify = watch_folder(database, alive.clone())
        .inspect_err(|error| tracing::warn!(%error, "the folder of the store cannot be watched"))
        .ok();
    thread::Builder::new()
        .name("store-watch".to_owned())
        .spawn(move || watch(&connection, seen, &events, &commits))?;
    Ok(Watcher { _alive: alive, _notify: notify })
}

fn watch_folder(
    database: &Path,
    events: SyncSender<()>,
) -> Result<RecommendedWatcher, notify::Error> {
    let names = [database.to_owned(), with_suffix(database, "-wal")];
    let folder = database.parent().unwrap_or(database).to_owned();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| concerns(&event, &names)) {
            // A full channel holds an event that has not been looked at yet: enough.
            let _ = events.try_send(());
        }
    })?;
    watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

fn concerns(event: &Event, names: &[PathBuf]) -> bool {
    // Compared by file name: the system may report the folder by another path.
    let ours = |path: &PathBuf| names.iter().any(|name| name.file_name() == path.file_name());
    !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(ours)
}

fn watch(
    connection: &Connection,
    mut seen: i64,
    events: &Receiver<()>,
    commits: &watch::Sender<u64>,
) {
    let mut wait = SLOW;
    loop {
        wait = match events.recv_timeout(wait) {
            Ok(()) => SETTLE,
            Err(RecvTimeoutError::Timeout) => SLOW,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // A database that cannot be read is reported by whoever reads it; here one looks again.
        if let Ok(version) = data_version(connection)
            && version != seen
        {
            seen = version;
            commits.send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}
