//! Writing history, in a thread of its own: a slow disk never holds up the terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use super::{Kind, segments};
use crate::domain::time::Timestamp;
use crate::os::paths::private_dir;

/// Records that may wait for the disk.
const QUEUE: usize = 64;
/// Parts that the bound is divided into; a whole one is dropped at a time.
const PARTS: u64 = 8;
/// Bytes of records that go to the disk at once; fewer are kept until [`Recorder::flush`].
const HELD: usize = 4 << 10;
/// Smallest part, in bytes.
const SMALLEST: u64 = 4 << 10;

enum Job {
    /// Begin a new segment with these records; after a gap it does not go on where the last one ended.
    Begin {
        start: Vec<u8>,
        gap: bool,
    },
    Append(Vec<u8>),
    #[cfg(test)]
    Sync(SyncSender<()>),
}

/// The keeper's end: never blocks.
#[derive(Debug)]
pub struct Recorder {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// Records that the thread was not woken for yet.
    held: Vec<u8>,
    /// Bytes of the present segment.
    length: u64,
    part: u64,
    /// The present segment is full, or there is none yet.
    fresh: bool,
    /// Records were lost because the disk was too slow.
    gap: bool,
}

impl Recorder {
    /// Starts a new recording in `folder` for one launch, keeping at most about `bound` bytes.
    ///
    /// # Errors
    /// The folder or the thread cannot be made.
    pub fn start(folder: &Path, generation: u32, bound: u64) -> io::Result<Self> {
        private_dir(folder)?;
        let part = (bound / PARTS).max(SMALLEST);
        let (jobs, queue) = sync_channel(QUEUE);
        let folder = folder.to_owned();
        let thread = std::thread::Builder::new()
            .name("history".to_owned())
            .stack_size(128 << 10)
            .spawn(move || {
            Writer { folder, generation, number: 0, bound, part, file: None }.run(&queue);
        })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            held: Vec::new(),
            length: 0,
            part,
            fresh: true,
            gap: false,
        })
    }

    /// Records output. `snapshot` gives size and snapshot of the screen *before* these bytes; it is
    /// called only where a new segment begins.
    pub fn output(
        &mut self,
        bytes: &[u8],
        at: Timestamp,
        snapshot: impl FnOnce() -> (u16, u16, Vec<u8>),
    ) {
        self.record(Kind::Output, bytes, at, snapshot);
    }

    /// Records a new size.
    pub fn size(
        &mut self,
        cols: u16,
        rows: u16,
        at: Timestamp,
        snapshot: impl FnOnce() -> (u16, u16, Vec<u8>),
    ) {
        self.record(Kind::Size, &size_payload(cols, rows), at, snapshot);
    }

    fn record(
        &mut self,
        kind: Kind,
        payload: &[u8],
        at: Timestamp,
        snapshot: impl FnOnce() -> (u16, u16, Vec<u8>),
    ) {
        if self.fresh {
            let (cols, rows, screen) = snapshot();
            let mut start = Vec::new();
            put(&mut start, Kind::Size, &size_payload(cols, rows), at);
            put(&mut start, Kind::Snapshot, &screen, at);
            self.length = 0;
            // while this does not get through, what follows would make no sense
            if !self.send(Job::Begin { start, gap: self.gap }) {
                self.gap = true;
                return;
            }
            self.gap = false;
        }
        let before = self.held.len();
        put(&mut self.held, kind, payload, at);
        self.length += (self.held.len() - before) as u64;
        self.fresh = self.length >= self.part;
        if self.fresh || self.held.len() >= HELD {
            self.flush();
        }
    }

    /// Has the thread write what was recorded. To be called where some time has passed: a thread that is
    /// woken for each key is in the way of its echo.
    pub fn flush(&mut self) {
        if !self.held.is_empty() {
            let records = std::mem::take(&mut self.held);
            self.gap = !self.send(Job::Append(records));
            self.fresh |= self.gap;
        }
    }

    /// Waits until everything that was flushed is written.
    #[cfg(test)]
    pub(super) fn finish_queue(&self) {
        let (done, wait) = sync_channel(0);
        if let Some(jobs) = &self.jobs {
            jobs.send(Job::Sync(done)).unwrap();
        }
        wait.recv().unwrap();
    }

    fn send(&self, job: Job) -> bool {
        match self.jobs.as_ref().map(|jobs| jobs.try_send(job)) {
            Some(Ok(())) => true,
            Some(Err(TrySendError::Full(_))) => {
                tracing::warn!("the disk is too slow, history has a gap");
                false
            }
            Some(Err(TrySendError::Disconnected(_))) | None => false,
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.flush();
        self.jobs = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that writes history failed");
        }
    }
}

fn size_payload(cols: u16, rows: u16) -> Vec<u8> {
    [cols.to_be_bytes(), rows.to_be_bytes()].concat()
}

fn put(out: &mut Vec<u8>, kind: Kind, payload: &[u8], at: Timestamp) {
    out.push(kind as u8);
    out.extend_from_slice(&at.0.to_be_bytes());
    out.extend_from_slice(&u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(payload);
}

/// The thread's end.
struct Writer {
    folder: PathBuf,
    generation: u32,
    number: u32,
    bound: u64,
    part: u64,
    file: Option<File>,
}

impl Writer {
    fn run(mut self, queue: &Receiver<Job>) {
        for job in queue {
            let done = match job {
                Job::Begin { start, gap } => self.begin(&start, gap),
                Job::Append(record) => self.append(&record),
                #[cfg(test)]
                Job::Sync(done) => done.send(()).map_err(io::Error::other),
            };
            if let Err(error) = done {
                tracing::warn!(folder = %self.folder.display(), %error, "history cannot be written");
                self.file = None;
            }
        }
    }

    /// A number that is left out tells readers of a gap.
    fn begin(&mut self, start: &[u8], gap: bool) -> io::Result<()> {
        self.make_room()?;
        self.number += if gap { 2 } else { 1 };
        let name = format!("{:010}-{:08}.seg", self.generation, self.number);
        let path = self.folder.join(name);
        self.file = Some(
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?,
        );
        self.append(start)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => Ok(()),
        }
    }

    /// Drops the oldest segments, of earlier launches too, until a whole one fits.
    fn make_room(&self) -> io::Result<()> {
        let segments = segments(&self.folder)?;
        let mut total: u64 = segments.iter().map(|(_, length)| length).sum();
        for (path, length) in segments {
            if total + self.part <= self.bound {
                break;
            }
            std::fs::remove_file(path)?;
            total -= length;
        }
        Ok(())
    }
}
