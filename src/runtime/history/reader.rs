//! Reading history.

use std::io;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use super::{HEADER, Kind, segments};
use crate::domain::time::Timestamp;

/// What happened to the terminal, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The program wrote.
    Output(Vec<u8>),
    /// The terminal got this size.
    Size {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// The screen that the recording begins with, as escape text for an empty one.
    Snapshot(Vec<u8>),
}

/// Goes through a recording from the oldest entry that is left. A record that was cut off by a crash
/// ends its segment.
#[derive(Debug)]
pub struct Reader {
    folder: PathBuf,
    segments: IntoIter<PathBuf>,
    /// The segment that is being read.
    present: Option<PathBuf>,
    bytes: Vec<u8>,
    at: usize,
    /// Launch and number of the segment before; the next number goes on where it ended, so that its
    /// snapshot tells nothing new.
    last: Option<(u32, u32)>,
    skips_snapshot: bool,
}

impl Reader {
    /// Opens the recording in `folder`; one that is not there is empty.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let paths: Vec<PathBuf> = segments(folder)?.into_iter().map(|(path, _)| path).collect();
        Ok(Self {
            folder: folder.to_owned(),
            segments: paths.into_iter(),
            present: None,
            bytes: Vec::new(),
            at: 0,
            last: None,
            skips_snapshot: false,
        })
    }

    /// Looks for what was recorded since everything was read; the reader then goes on with it.
    ///
    /// # Errors
    /// The folder or a segment cannot be read.
    pub fn look_again(&mut self) -> io::Result<()> {
        if let Some(present) = &self.present {
            let known = self.bytes.len() as u64;
            match std::fs::metadata(present) {
                Ok(now) if now.len() > known => self.bytes = std::fs::read(present)?,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let paths = segments(&self.folder)?.into_iter().map(|(path, _)| path);
        let present = self.present.as_ref();
        let later: Vec<_> = paths.filter(|path| present.is_none_or(|now| path > now)).collect();
        self.segments = later.into_iter();
        Ok(())
    }

    fn next_segment(&mut self) -> Option<io::Result<()>> {
        let path = self.segments.next()?;
        let number = numbers(&path);
        self.skips_snapshot = number.is_some()
            && number == self.last.map(|(generation, number)| (generation, number + 1));
        self.last = number;
        self.at = 0;
        self.present = Some(path.clone());
        Some(match std::fs::read(path) {
            Ok(bytes) => {
                self.bytes = bytes;
                Ok(())
            }
            // dropped by its keeper while we read
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.bytes.clear();
                self.last = None;
                Ok(())
            }
            Err(error) => Err(error),
        })
    }

    fn next_record(&mut self) -> Option<(Timestamp, Entry)> {
        loop {
            let header: &[u8; HEADER] = self.bytes.get(self.at..)?.first_chunk()?;
            let [kind, t0, t1, t2, t3, t4, t5, t6, t7, l0, l1, l2, l3] = *header;
            let at = Timestamp(i64::from_be_bytes([t0, t1, t2, t3, t4, t5, t6, t7]));
            let length = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
            let start = self.at + HEADER;
            let payload = self.bytes.get(start..start.checked_add(length)?)?;
            self.at = start + length;
            let entry = match Kind::from_byte(kind)? {
                Kind::Output => Entry::Output(payload.to_vec()),
                Kind::Snapshot if self.skips_snapshot => continue,
                Kind::Snapshot => Entry::Snapshot(payload.to_vec()),
                Kind::Size => {
                    let [c0, c1, r0, r1] = *payload.first_chunk()?;
                    Entry::Size {
                        cols: u16::from_be_bytes([c0, c1]),
                        rows: u16::from_be_bytes([r0, r1]),
                    }
                }
            };
            return Some((at, entry));
        }
    }
}

/// Launch and number in the name of a segment.
fn numbers(path: &Path) -> Option<(u32, u32)> {
    let (generation, number) = path.file_stem()?.to_str()?.split_once('-')?;
    Some((generation.parse().ok()?, number.parse().ok()?))
}

impl Iterator for Reader {
    type Item = io::Result<(Timestamp, Entry)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.next_record() {
                return Some(Ok(entry));
            }
            match self.next_segment()? {
                Ok(()) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
