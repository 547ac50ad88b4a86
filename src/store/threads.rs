//! Threads that own the connections; callers send them work over bounded channels (`spec/store.md`
//! W1).

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::mpsc;

/// Work waiting for one kind of connection.
const QUEUE: usize = 256;

/// One piece of work on a connection, or on why there is none.
pub(super) type Job = Box<dyn FnOnce(rusqlite::Result<&mut Connection>) + Send>;

/// Threads with a connection each that share one queue. Dropping it waits until they have ended,
/// so that the files are closed then.
#[derive(Debug)]
pub(super) struct Threads {
    /// None only while it is dropped.
    queue: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts a thread for each of `sources`. It opens its connection by itself, so that nobody waits
    /// for it, and tries again at the next work where that failed.
    pub(super) fn start<S>(name: &str, sources: Vec<S>) -> io::Result<Self>
    where
        S: FnMut() -> rusqlite::Result<Connection> + Send + 'static,
    {
        let (queue, jobs) = mpsc::channel::<Job>(QUEUE);
        let jobs = Arc::new(Mutex::new(jobs));
        let threads = sources
            .into_iter()
            .map(|source| {
                let jobs = Arc::clone(&jobs);
                thread::Builder::new().name(name.to_owned()).spawn(move || work(&jobs, source))
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { queue: Some(queue), threads })
    }

    /// Sends work; false where the threads have ended.
    pub(super) async fn send(&self, job: Job) -> bool {
        match &self.queue {
            Some(queue) => queue.send(job).await.is_ok(),
            None => false,
        }
    }
}

fn work(jobs: &Mutex<mpsc::Receiver<Job>>, mut open: impl FnMut() -> rusqlite::Result<Connection>) {
    let mut kept = open().ok();
    while let Some(job) = next(jobs) {
        match kept.take().map_or_else(&mut open, Ok) {
            Ok(mut connection) => {
                job(Ok(&mut connection));
                kept = Some(connection);
            }
            Err(error) => job(Err(error)),
        }
    }
}

/// Waits for the next job while keeping the others from the queue, which is what hands each job to
/// exactly one idle thread.
fn next(jobs: &Mutex<mpsc::Receiver<Job>>) -> Option<Job> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread of the store panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(threads: &Threads) -> bool {
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let job: Job = Box::new(move |connection| tell.send(connection.is_ok()).unwrap());
        threads.queue.as_ref().unwrap().blocking_send(job).unwrap();
        told.recv().unwrap()
    }

    /// W1: what cannot be opened now is told to who asks, and tried again.
    #[test]
    fn a_connection_that_is_not_there_is_opened_at_the_next_work() {
        let mut tries = 0;
        let source = move || {
            tries += 1;
            if tries <= 2 {
                return Err(rusqlite::Error::InvalidQuery);
            }
            Connection::open_in_memory()
        };
        let threads = Threads::start("store-test", vec![source]).unwrap();
        assert_eq!([asked(&threads), asked(&threads), asked(&threads)], [false, true, true]);
    }
}
