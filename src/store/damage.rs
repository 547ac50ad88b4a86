//! What can be seen of a damaged database before SQLite touches it (`spec/store.md` W3): SQLite takes
//! an empty file for a new database and a log it cannot read for none, and would write over both.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::StoreError;

/// How every database begins.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How a log begins, without the last bit, which tells the order of bytes in its checksums.
const LOG_MAGIC: u32 = 0x377f_0682;
/// Version of the log's format.
const LOG_FORMAT: u32 = 3_007_000;
/// Bytes of a log's header.
const LOG_HEADER: usize = 32;

/// The files of a database: itself, its log, and the memory that its users share.
pub(super) fn files_of(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| with_suffix(database, suffix))
}

/// A path with something put behind its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether there is a database; its first bytes and those of its log are what they should be.
///
/// # Errors
/// It is damaged, or cannot be read.
pub(super) fn look(database: &Path) -> Result<bool, StoreError> {
    let damaged = |detail: &str| StoreError::Damaged {
        attempt: "open the store".to_owned(),
        path: database.to_owned(),
        detail: detail.to_owned(),
    };
    let failed = |error: &io::Error| StoreError::Open {
        path: database.to_owned(),
        detail: error.to_string(),
    };
    let log = with_suffix(database, "-wal");
    match fs::metadata(database) {
        Ok(found) if found.is_dir() => return Err(damaged("a folder is in its place")),
        Ok(found) if !found.is_file() => return Err(damaged("it is no file")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A log is of one database only: beside another it would be played into that one.
            return match fs::metadata(&log) {
                Ok(found) if found.len() > 0 => Err(damaged("it is gone, and its log is not")),
                _ => Ok(false),
            };
        }
        Err(error) => return Err(failed(&error)),
    }
    let start = start_of(database, MAGIC.len()).map_err(|error| failed(&error))?;
    match start.len() {
        0 => return Err(damaged("it is empty")),
        _ if start != MAGIC => return Err(damaged("it does not begin as a database does")),
        _ => {}
    }
    match start_of(&log, LOG_HEADER) {
        Ok(header) if !is_log(&header) => Err(damaged("its log does not begin as a log does")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
        _ => Ok(true),
    }
}

/// The first bytes of a file, at most `most`.
fn start_of(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Whether a log begins as one; a power cut may leave a short one, or zeros, which hold nothing.
fn is_log(header: &[u8]) -> bool {
    if header.len() < LOG_HEADER || header.iter().all(|byte| *byte == 0) {
        return true;
    }
    let words: Vec<u32> = header
        .chunks_exact(4)
        .filter_map(|word| Some(u32::from_be_bytes(word.try_into().ok()?)))
        .collect();
    let [magic, format, .., first, second] = words[..] else { return false };
    let checked = header[..24].chunks_exact(4).filter_map(|word| {
        let word: [u8; 4] = word.try_into().ok()?;
        Some(if magic & 1 == 1 { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
    });
    magic & !1 == LOG_MAGIC && format == LOG_FORMAT && checksum(checked) == (first, second)
}

/// The checksum of a log, over pairs of words.
fn checksum(words: impl Iterator<Item = u32>) -> (u32, u32) {
    let (mut first, mut second) = (0_u32, 0_u32);
    let words: Vec<u32> = words.collect();
    for pair in words.chunks_exact(2) {
        first = first.wrapping_add(pair[0]).wrapping_add(second);
        second = second.wrapping_add(pair[1]).wrapping_add(first);
    }
    (first, second)
}

#[cfg(test)]
#[path = "damage_tests.rs"]
mod tests;
