//! Raw output on disk with time stamps, bounded (`spec/runtime.md`, History on disk), so that
//! scrollback and the last screen survive the keeper.
//!
//! A folder holds segments named `<generation>-<number>.seg`. Each begins with the size and a snapshot
//! of the screen, so that what is left still makes sense after the oldest ones were dropped. A record
//! is a kind of 1 byte, a time of 8 bytes (milliseconds, big-endian), a length of 4 bytes, the payload.

mod reader;
mod recorder;
#[cfg(test)]
mod tests;
mod total;

use std::path::{Path, PathBuf};

pub use self::reader::{Entry, Reader};
pub use self::recorder::Recorder;
pub use self::total::{held, trim};

/// Bytes before a record's payload.
const HEADER: usize = 13;

/// What a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Output = 0,
    Size = 1,
    Snapshot = 2,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Output, Self::Size, Self::Snapshot].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Segments of a folder, oldest first, with their lengths in bytes. A folder that is not there has none.
fn segments(folder: &Path) -> std::io::Result<Vec<(PathBuf, u64)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "seg") {
            match entry.metadata() {
                Ok(metadata) => found.push((path, metadata.len())),
                // The keeper dropped it between the listing and the look.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    found.sort();
    Ok(found)
}
