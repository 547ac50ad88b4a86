//! Putting the write-ahead log away. Done after the commit by whoever wrote, never within it: a
//! change is not kept waiting for the disk by what two hundred others wrote before.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use rusqlite::Connection;

/// The log is put away once it has so many pages.
const PAGES: i32 = 1_000;
/// What others write meanwhile is put away too, in so many rounds at most: only a log that is put
/// away whole is begun anew.
const ROUNDS: usize = 5;

/// How long the log is, as far as one connection knows.
#[derive(Debug, Clone)]
pub(super) struct Log {
    pages: Arc<AtomicI32>,
}

impl Log {
    /// From now on `connection` puts nothing away in its commits.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicI32::new(0));
        let own = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut _, pages| {
            own.store(pages, Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { pages })
    }

    /// Puts the log away where it has grown. What keeps it, be it another process that is at it,
    /// keeps it for a later commit.
    pub(super) fn tidy(&self, connection: &Connection) {
        if self.pages.load(Ordering::Relaxed) < PAGES {
            return;
        }
        self.pages.store(0, Ordering::Relaxed);
        for _ in 0..ROUNDS {
            match put_away(connection) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::debug!(%error, "the log of the store is not put away");
                    return;
                }
            }
        }
    }
}

/// Waits for nobody; answers whether there is more to be put away now.
fn put_away(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?.query_row([], |row| {
        let (busy, pages, done): (bool, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(!busy && done < pages)
    })
}
