//! The log: what is noted goes to a file, never to a terminal (`spec/cli.md`, `CALLBOARD_LOG`).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::OptionalWriter;

use super::paths::private_dir;
use super::variables;

/// Without it.
const DEFAULT: &str = "info";
/// A log that is longer begins anew; the one before is kept.
const LIMIT: u64 = 8 << 20;

/// What `CALLBOARD_LOG` lets through; a filter that makes no sense is none.
fn filter() -> EnvFilter {
    let asked = std::env::var(variables::LOG).ok().filter(|asked| !asked.trim().is_empty());
    let asked = asked.and_then(|asked| EnvFilter::try_new(asked).ok());
    asked.unwrap_or_else(|| EnvFilter::new(DEFAULT))
}

/// From now on this process notes what happens in `callboard.log` below `folder`. The file is made
/// with the first note.
pub fn start(folder: &Path) {
    let log = Log { folder: folder.to_owned(), file: OnceLock::new() };
    note_to(log);
}

/// Notes go to `log` from now on. One that cannot be written, as on a full disk, is lost: told on
/// standard error it would end the process where that is the same file.
pub fn note_to(log: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) {
    let log = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_env_filter(filter())
        .with_writer(log)
        .log_internal_errors(false);
    // A second log of one process is a test's.
    let _started = log.try_init();
}

struct Log {
    folder: PathBuf,
    /// None where it cannot be written: then nothing is noted.
    file: OnceLock<Option<File>>,
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = OptionalWriter<&'a File>;

    fn make_writer(&'a self) -> Self::Writer {
        self.file.get_or_init(|| open(&self.folder).ok()).as_ref().into()
    }
}

fn open(folder: &Path) -> io::Result<File> {
    private_dir(folder)?;
    let path = folder.join("callboard.log");
    if std::fs::metadata(&path).is_ok_and(|log| log.len() > LIMIT) {
        std::fs::rename(&path, folder.join("callboard.log.1"))?;
    }
    append(&path)
}

/// Opens a log to add to it, for its owner alone.
///
/// # Errors
/// It cannot be made or written.
pub fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_long_log_begins_anew_and_the_one_before_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join("log");
        open(&logs).unwrap().write_all(b"first\n").unwrap();
        open(&logs).unwrap().set_len(LIMIT + 1).unwrap();
        open(&logs).unwrap().write_all(b"second\n").unwrap();
        assert_eq!(std::fs::read(logs.join("callboard.log")).unwrap(), b"second\n");
        assert_eq!(std::fs::metadata(logs.join("callboard.log.1")).unwrap().len(), LIMIT + 1);
    }
}
