//! Threads that own the connections; callers send them work over bounded channels (`spec/store.md`
//! W1).

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::mpsc;

/// Work waiting for one kind of connection.
const QUEUE: usize = 256;

/// One piece of work on a connection.
pub(super) type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Threads with a connection each that share one queue. Dropping it waits until they have ended,
/// so that the files are closed then.
#[derive(Debug)]
pub(super) struct Threads {
    /// None only while it is dropped.
    queue: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts a thread for each connection.
    pub(super) fn start(name: &str, connections: Vec<Connection>) -> io::Result<Self> {
        let (queue, jobs) = mpsc::channel::<Job>(QUEUE);
        let jobs = Arc::new(Mutex::new(jobs));
        let threads = connections
            .into_iter()
            .map(|mut connection| {
                let jobs = Arc::clone(&jobs);
                thread::Builder::new().name(name.to_owned()).spawn(move || {
                    while let Some(job) = next(&jobs) {
                        job(&mut connection);
                    }
                })
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
