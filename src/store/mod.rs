//! Truth: sessions, facts, the rail, the journal, in one database file (`spec/store.md`).
//!
//! [`Store`] is what everyone but keepers uses: async calls that run on threads owning the
//! connections. Each file below holds one subject: its calls and, under them, its statements.
//! Keepers write their session's facts with [`facts::FactsWriter`].

mod audit;
pub mod changes;
mod columns;
mod condition;
mod connection;
mod create;
mod error;
pub mod facts;
mod filter;
mod find;
mod index;
mod journal;
mod lifecycle;
mod messages;
mod migrate;
mod page;
mod projects;
mod purge;
mod rail;
pub mod rows;
mod seed;
mod sessions;
mod shown;
mod threads;
mod trash;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use crate::domain::ids::WorkspaceName;
use crate::domain::time::Timestamp;
use crate::os::clock::Clock;
use crate::os::paths::{self, Home};

use changes::Watcher;
use connection::Durability;
pub use error::StoreError;
use error::{Fault, Outcome};
use threads::{Job, Threads};

/// Connections that only read.
const READERS: usize = 2;

/// One workspace of the database. Cheap to clone; files and threads are closed with the last clone.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    seat: Seat,
    writer: Threads,
    readers: Threads,
    /// Counts what was committed, by us or others.
    commits: watch::Sender<u64>,
    /// Started with the first call of [`Store::changes`].
    watcher: OnceLock<Option<Watcher>>,
}

/// What every piece of work needs to know.
#[derive(Debug, Clone)]
struct Seat {
    database: PathBuf,
    /// Device and inode of the file that is open.
    file: (u64, u64),
    workspace: WorkspaceName,
    clock: Clock,
}

impl Seat {
    /// What is written into a file that was moved away is seen by nobody.
    fn still_there(&self) -> Outcome<()> {
        match facts::identity(&self.database) {
            Ok(file) if file == self.file => Ok(()),
            _ => Err(StoreError::Moved { path: self.database.clone() }.into()),
        }
    }
}

/// One transaction's view: where to read and write, in which workspace, at what time.
struct Scope<'c> {
    conn: &'c Connection,
    workspace: &'c str,
    now: Timestamp,
}

impl Store {
    /// Opens the database of `home`, made and migrated where needed. Blocks: files are read.
    ///
    /// # Errors
    /// The files cannot be made or opened, are damaged, or were written by a newer callboard.
    pub fn open(home: &Home, workspace: WorkspaceName, clock: Clock) -> Result<Self, StoreError> {
        let database = home.database();
        let opening = |error: std::io::Error| StoreError::Open {
            path: database.clone(),
            detail: error.to_string(),
        };
        home.create().map_err(opening)?;
        paths::private_dir(&home.locks()).map_err(opening)?;
        let files = migrate::Files {
            database: database.clone(),
            backups: home.data.join("backups"),
            lock: home.locks().join("migrate.lock"),
        };
        let mut connection = migrate::open(&files, clock.now())?;
        let file = facts::identity(&database)?;
        let seat = Seat { database: database.clone(), file, workspace, clock };
        condition::rederive(&mut connection, &seat)?;
        let readers = (0..READERS)
            .map(|_| connection::open_reader(&database))
            .collect::<rusqlite::Result<_>>()
            .map_err(|error| Fault::from(error).during("open the store", &database))?;
        let inner = Inner {
            writer: Threads::start("store-write", vec![connection]).map_err(opening)?,
            readers: Threads::start("store-read", readers).map_err(opening)?,
            commits: watch::Sender::new(0),
            watcher: OnceLock::new(),
            seat,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The present time.
    pub fn now(&self) -> Timestamp {
        self.inner.seat.clock.now()
    }

    /// The workspace of all calls.
    pub fn workspace(&self) -> &WorkspaceName {
        &self.inner.seat.workspace
    }

    /// The database.
    pub fn database(&self) -> &Path {
        &self.inner.seat.database
    }

    /// Runs `work` in a write transaction. `attempt` completes "could not ...".
    async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        attempt: String,
        work: impl FnOnce(&Scope<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (seat, commits) = (self.inner.seat.clone(), self.inner.commits.clone());
        self.run(&self.inner.writer, attempt, move |connection| {
            let before = connection.total_changes();
            let result = connection::write(connection, &seat.database, durability, |connection| {
                work(&seat.scope(connection))
            });
            if result.is_ok() && connection.total_changes() != before {
                commits.send_modify(|count| *count = count.wrapping_add(1));
            }
            result
        })
        .await
    }

    /// Runs `work` on one consistent state. `attempt` completes "could not ...".
    async fn read<T: Send + 'static>(
        &self,
        attempt: impl Into<String>,
        work: impl FnOnce(&Scope<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let seat = self.inner.seat.clone();
        self.run(&self.inner.readers, attempt.into(), move |connection| {
            connection::read(connection, |connection| work(&seat.scope(connection)))
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        threads: &Threads,
        attempt: String,
        work: impl FnOnce(&mut Connection) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, result) = oneshot::channel();
        let seat = self.inner.seat.clone();
        let job: Job = Box::new(move |connection| {
            // Whoever asked may have stopped waiting; the work is done all the same.
            let _ = answer.send(seat.still_there().and_then(|()| work(connection)));
        });
        if !threads.send(job).await {
            return Err(StoreError::Closed { attempt });
        }
        match result.await {
            Ok(result) => result.map_err(|fault| fault.during(&attempt, self.database())),
            Err(_) => Err(StoreError::Closed { attempt }),
        }
    }
}

impl Seat {
    fn scope<'c>(&'c self, conn: &'c Connection) -> Scope<'c> {
        Scope { conn, workspace: self.workspace.as_str(), now: self.clock.now() }
    }
}

#[cfg(test)]
mod tests;
