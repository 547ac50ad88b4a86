//! Advisory file locks that a crash frees at once (`spec/lifecycle.md` L2, L4).
//!
//! Always polled, always unlocked explicitly, never upgraded, never inherited: a child made by fork
//! without exec would otherwise keep them.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::random;

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// With others who share it.
    Shared,
    /// Alone.
    Exclusive,
}

/// A held lock; dropping it unlocks.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl FileLock {
    /// The locked file once more, as the standard input of a process that has to hold the lock up:
    /// should we die, the lock is free only when that process has ended too. It reads as empty.
    ///
    /// # Errors
    /// The descriptor cannot be duplicated.
    pub fn shared(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }

    /// Whether the locked file is still the one at `path`: it may have been removed, and another
    /// made in its place, between being opened and being locked.
    pub fn is_at(&self, path: &Path) -> bool {
        let same = |a: &Metadata, b: &Metadata| a.ino() == b.ino() && a.dev() == b.dev();
        matches!((self.file.metadata(), std::fs::metadata(path)), (Ok(a), Ok(b)) if same(&a, &b))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "a lock file could not be unlocked");
        }
    }
}

/// Another process that has a part of one of `files` locked for writing, with its name. Known where
/// the kernel lists its locks in `/proc`.
pub fn holder(files: &[PathBuf]) -> Option<(u32, String)> {
    let inodes: Vec<String> = files
        .iter()
        .filter_map(|path| Some(std::fs::metadata(path).ok()?.ino().to_string()))
        .collect();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let pid = locks.lines().find_map(|line| {
        // 1: POSIX  ADVISORY  WRITE 4711 08:01:131 120 120
        let mut words = line.split_whitespace().skip_while(|word| *word != "WRITE").skip(1);
        let pid: u32 = words.next()?.parse().ok()?;
        let inode = words.next()?.rsplit(':').next()?;
        let is_it = pid != std::process::id() && inodes.iter().any(|known| known == inode);
        is_it.then_some(pid)
    })?;
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some((pid, name.trim().to_owned()))
}

/// Other processes that hold a lock of a whole file, with their names. Known where the kernel lists its
/// locks in `/proc`.
pub fn users(path: &Path) -> Vec<(u32, String)> {
    let Ok(inode) = std::fs::metadata(path).map(|found| found.ino().to_string()) else {
        return Vec::new();
    };
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let mut pids: Vec<u32> = locks
        .lines()
        .filter_map(|line| {
            // 1: FLOCK  ADVISORY  READ 4711 08:01:131 0 EOF
            let mut words = line.split_whitespace().skip_while(|word| *word != "FLOCK").skip(3);
            let pid: u32 = words.next()?.parse().ok()?;
            let found = words.next()?.rsplit(':').next()?;
            (found == inode && pid != std::process::id()).then_some(pid)
        })
        .collect();
    pids.sort_unstable();
    pids.dedup();
    let name = |pid| super::proctree::name(pid).unwrap_or_default();
    pids.into_iter().map(|pid| (pid, name(pid))).collect()
}

/// Takes the lock if it is free.
///
/// # Errors
/// The file cannot be opened or locked.
pub fn try_lock(path: &Path, sharing: Sharing) -> io::Result<Option<FileLock>> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    let taken = match sharing {
        Sharing::Shared => file.try_lock_shared(),
        Sharing::Exclusive => file.try_lock(),
    };
    match taken {
        Ok(()) => Ok(Some(FileLock { file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Takes the lock, polling with growing pauses of 0.2 to 10 ms; cancellable by dropping the future.
///
/// # Errors
/// The file cannot be opened or locked.
pub async fn lock(path: &Path, sharing: Sharing) -> io::Result<FileLock> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(lock) = try_lock(path, sharing)? {
            return Ok(lock);
        }
        tokio::time::sleep(pause.mul_f64(0.5 + random::jitter() / 2.0)).await;
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusive_lock_keeps_everyone_out_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let held = try_lock(&path, Sharing::Exclusive).unwrap().unwrap();
        assert!(try_lock(&path, Sharing::Shared).unwrap().is_none());
        drop(held);
        let shared = try_lock(&path, Sharing::Shared).unwrap().unwrap();
        assert!(try_lock(&path, Sharing::Shared).unwrap().is_some());
        assert!(try_lock(&path, Sharing::Exclusive).unwrap().is_none());
        drop(shared);
    }
}
