//! Places for starts, shared by all processes and given in order of arrival (`spec/lifecycle.md`
//! C10). Who waits holds a numbered ticket: a locked file, so that a crash leaves the queue.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::os::lock::{self, FileLock, Sharing};
use crate::os::paths::private_dir;
use crate::os::random;

/// Between two looks of the one whose turn it is.
const PAUSE: Duration = Duration::from_millis(10);
/// Those further back look less often, down to this many pauses.
const RAREST: u32 = 20;

/// The places and their queue.
#[derive(Debug, Clone)]
pub(super) struct Starts {
    /// Of the locks of the places.
    folder: PathBuf,
    /// Of the tickets.
    queue: PathBuf,
    places: usize,
}

/// A place in the queue; dropping it leaves.
#[derive(Debug)]
struct Ticket {
    number: u64,
    path: PathBuf,
    _file: FileLock,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "a ticket could not be removed");
        }
    }
}

impl Starts {
    /// So many places, by lock files in `folder`.
    pub(super) fn new(folder: &Path, places: usize) -> Self {
        let places = places.max(1);
        Self { folder: folder.to_owned(), queue: folder.join("starts"), places }
    }

    /// Waits for its turn, then for a free place. Dropping the future leaves the queue.
    ///
    /// # Errors
    /// A file cannot be locked.
    pub(super) async fn take(&self) -> io::Result<FileLock> {
        let ticket = self.draw().await?;
        loop {
            let before = self.before(&ticket).await?;
            if before == 0
                && let Some(place) = self.free_place()?
            {
                return Ok(place);
            }
            let pause = PAUSE * (before + 1).min(RAREST);
            tokio::time::sleep(pause.mul_f64(0.5 + random::jitter() / 2.0)).await;
        }
    }

    /// The ticket after the last one.
    async fn draw(&self) -> io::Result<Ticket> {
        let _gate = self.gate().await?;
        let number = self.tickets()?.last().map_or(1, |(number, _)| number + 1);
        let path = self.queue.join(format!("{number:020}"));
        let file = lock::try_lock(&path, Sharing::Exclusive)?;
        let file = file.ok_or_else(|| io::Error::other("a fresh ticket is held"))?;
        Ok(Ticket { number, path, _file: file })
    }

    /// How many came before and still wait; tickets of processes that are gone are removed.
    async fn before(&self, own: &Ticket) -> io::Result<u32> {
        let _gate = self.gate().await?;
        let mut waiting = 0;
        for (number, path) in self.tickets()? {
            if number >= own.number {
                break;
            }
            match lock::try_lock(&path, Sharing::Exclusive)? {
                // Its owner may remove it at this moment.
                Some(_left) => drop(std::fs::remove_file(&path)),
                None => waiting += 1,
            }
        }
        Ok(waiting)
    }

    /// Tickets in order; changed only by who holds the gate, but for those who leave.
    fn tickets(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.queue)? {
            let path = entry?.path();
            let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
            found.extend(number.map(|number| (number, path)));
        }
        found.sort_unstable();
        Ok(found)
    }

    fn free_place(&self) -> io::Result<Option<FileLock>> {
        for place in 0..self.places {
            let path = self.folder.join(format!("start@{place}.lock"));
            if let Some(file) = lock::try_lock(&path, Sharing::Exclusive)? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    async fn gate(&self) -> io::Result<FileLock> {
        private_dir(&self.queue)?;
        lock::lock(&self.queue.join("gate"), Sharing::Exclusive).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn waiting(starts: &Starts) -> usize {
        starts.tickets().unwrap().len()
    }

    /// C10: at most so many at once over all processes, the rest in order of arrival.
    #[tokio::test]
    async fn places_are_given_in_order_of_arrival_over_all_processes() {
        let folder = tempfile::tempdir().unwrap();
        // Each has lanes of its own, as processes do: only the files order them.
        let starts: Vec<Starts> = (0..3).map(|_| Starts::new(folder.path(), 2)).collect();
        let (first, second) = (starts[0].take().await.unwrap(), starts[1].take().await.unwrap());
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for n in 0..9 {
            let (one, order) = (starts[n % 3].clone(), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let place = one.take().await.unwrap();
                order.lock().unwrap().push(n);
                drop(place);
            }));
            while waiting(&starts[0]) <= n {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(order.lock().unwrap().len(), 0, "both places are taken");
        drop(first);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), (0..9).collect::<Vec<_>>());
        drop(second);
        assert_eq!(waiting(&starts[0]), 0);
    }

    /// C10, L2: who gives up, or dies, leaves the queue.
    #[tokio::test]
    async fn who_gives_up_or_dies_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let starts = Starts::new(folder.path(), 1);
        let held = starts.take().await.unwrap();
        let other = starts.clone();
        let gives_up = tokio::spawn(async move { other.take().await.map(drop) });
        while waiting(&starts) < 1 {
            tokio::task::yield_now().await;
        }
        gives_up.abort();
        while waiting(&starts) > 0 {
            tokio::task::yield_now().await;
        }
        // A file that nobody holds is what a process leaves that was killed.
        std::fs::write(starts.queue.join(format!("{:020}", 1)), "").unwrap();
        drop(held);
        drop(starts.take().await.unwrap());
        assert_eq!(waiting(&starts), 0);
    }
}
