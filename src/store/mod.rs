//! Truth: sessions, facts, the rail, the journal, in one database file (`spec/store.md`).
//!
//! [`Store`] is what everyone but keepers uses: async calls that run on threads owning the
//! connections. Each file below holds one subject: its calls and, under them, its statements.
//! Keepers write their session's facts with [`facts::FactsWriter`].

mod audit;
mod backup;
pub mod changes;
mod columns;
mod condition;
mod connection;
mod create;
mod damage;
mod error;
pub mod facts;
mod files;
mod filter;
mod filters;
mod find;
mod first;
pub mod health;
mod index;
mod journal;
mod launch;
mod lifecycle;
mod log;
mod messages;
mod migrate;
mod page;
mod projects;
mod purge;
mod rail;
pub mod repair;
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
use crate::os::lock::FileLock;
use crate::os::paths::{self, Home};

use changes::Watcher;
use connection::Durability;
pub use error::StoreError;
use error::{Fault, Outcome};
use log::Log;
use migrate::LATEST;
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
    readers: Threads,
    /// After the readers, so that it closes the file alone: only then the log is put away.
    writer: Threads,
    /// Of the connection that writes.
    log: Log,
    /// Counts what was committed, by us or others.
    commits: watch::Sender<u64>,
    /// Started with the first call of [`Store::changes`].
    watcher: OnceLock<Option<Watcher>>,
    /// While it is held nobody moves the file aside. Last, so that the file is closed before.
    _in_use: Option<FileLock>,
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
    /// Opens the database of `home`, made and migrated where needed; one that cannot be written to is
    /// opened for reading. Blocks: files are read.
    ///
    /// # Errors
    /// The files cannot be made or opened, are damaged, or were written by a newer callboard.
    pub fn open(home: &Home, workspace: WorkspaceName, clock: Clock) -> Result<Self, StoreError> {
        let database = home.database();
        let is_still = |path: &PathBuf| path.exists() && !paths::can_write(path);
        if is_still(&home.data) || is_still(&database) {
            return Self::open_still(home, workspace, clock);
        }
        let opening = |error: std::io::Error| StoreError::Open {
            path: database.clone(),
            detail: error.to_string(),
        };
        home.create().map_err(opening)?;
        paths::private_dir(&home.locks()).map_err(opening)?;
        let files = files::Files::of(home);
        let in_use = files.keep_in_place()?;
        let mut connection = migrate::open(&files, clock.now())?;
        for file in damage::files_of(&database).iter().filter(|file| file.exists()) {
            paths::make_private(file).map_err(opening)?;
        }
        let file = facts::identity(&database)?;
        let seat = Seat { database, file, workspace, clock };
        condition::rederive(&mut connection, &seat)?;
        Self::start(seat, connection, connection::open_reader, Some(in_use))
    }

    /// Opens the database of `home` and changes nothing, not even where it is an older one; what writes
    /// fails.
    ///
    /// # Errors
    /// There is none, or it is damaged, or not of this callboard's version.
    pub fn open_still(
        home: &Home,
        workspace: WorkspaceName,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        let database = home.database();
        let connection = migrate::open_still(&database)?;
        let file = facts::identity(&database)?;
        let seat = Seat { database, file, workspace, clock };
        Self::start(seat, connection, connection::open_still, None)
    }

    fn start(
        seat: Seat,
        mut writer: Connection,
        reader: fn(&Path) -> rusqlite::Result<Connection>,
        in_use: Option<FileLock>,
    ) -> Result<Self, StoreError> {
        let failed =
            |error: rusqlite::Error| Fault::from(error).during("open the store", &seat.database);
        let log = connection::for_writing(&mut writer).map_err(failed)?;
        let read = |database: PathBuf| move || reader(&database);
        let readers = (0..READERS).map(|_| read(seat.database.clone())).collect();
        let mut writer = Some(writer);
        // Asked once: it is never given back.
        let write = move || writer.take().ok_or(rusqlite::Error::InvalidQuery);
        let starting = |error: std::io::Error| StoreError::Open {
            path: seat.database.clone(),
            detail: error.to_string(),
        };
        let inner = Inner {
            log,
            writer: Threads::start("store-write", vec![write]).map_err(starting)?,
            readers: Threads::start("store-read", readers).map_err(starting)?,
            commits: watch::Sender::new(0),
            watcher: OnceLock::new(),
            _in_use: in_use,
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

    /// Whether this program may still write: a newer one may have migrated the database (W3).
    ///
    /// # Errors
    /// [`StoreError::Newer`]; the database cannot be read.
    pub async fn usable(&self) -> Result<(), StoreError> {
        let path = self.database().to_owned();
        self.read("look at the store", move |scope| Ok(migrate::check(scope.conn, &path, LATEST)?))
            .await
            .map(drop)
    }

    /// Runs `work` in a write transaction. `attempt` completes "could not ...".
    async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        attempt: String,
        work: impl FnOnce(&Scope<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (seat, commits) = (self.inner.seat.clone(), self.inner.commits.clone());
        let log = self.inner.log.clone();
        let tidy = move |connection: &Connection| log.tidy(connection);
        let work = move |connection: &mut Connection| {
            let before = connection.total_changes();
            let result = connection::write(connection, &seat.database, durability, |connection| {
                work(&seat.scope(connection))
            });
            if result.is_ok() && connection.total_changes() != before {
                commits.send_modify(|count| *count = count.wrapping_add(1));
            }
            result
        };
        self.run(&self.inner.writer, attempt, work, tidy).await
    }

    /// Runs `work` on one consistent state. `attempt` completes "could not ...".
    async fn read<T: Send + 'static>(
        &self,
        attempt: impl Into<String>,
        work: impl FnOnce(&Scope<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let seat = self.inner.seat.clone();
        let work = move |connection: &mut Connection| {
            connection::read(connection, |connection| work(&seat.scope(connection)))
        };
        self.run(&self.inner.readers, attempt.into(), work, |_| {}).await
    }

    /// Runs `work`, and `afterwards` when the answer is out.
    async fn run<T: Send + 'static>(
        &self,
        threads: &Threads,
        attempt: String,
        work: impl FnOnce(&mut Connection) -> Outcome<T> + Send + 'static,
        afterwards: impl FnOnce(&Connection) + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, result) = oneshot::channel();
        let seat = self.inner.seat.clone();
        let job: Job = Box::new(move |connection| {
            // Whoever asked may have stopped waiting; the work is done all the same.
            match connection {
                Ok(connection) => {
                    let _ = answer.send(seat.still_there().and_then(|()| work(connection)));
                    afterwards(connection);
                }
                Err(error) => drop(answer.send(Err(error.into()))),
            }
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
