//! The master side of a terminal, read and written without blocking; and who reads standard output.

use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::duplex::Duplex;

/// A second descriptor of a terminal's master side, from the one that a library shows by its number only.
/// To be called inside a runtime.
///
/// # Errors
/// There is no such descriptor, or it cannot be watched.
#[expect(unsafe_code, reason = "the PTY library shows a bare number")]
pub fn duplicate(master: RawFd) -> io::Result<Duplex> {
    // SAFETY: the caller's library holds the descriptor open while this runs
    let borrowed = unsafe { BorrowedFd::borrow_raw(master) };
    Duplex::new(rustix::io::fcntl_dupfd_cloexec(borrowed, 3)?)
}

/// How often one looks whether the reader of standard output is still there.
const READER: Duration = Duration::from_secs(1);

/// Returns when whoever reads standard output has left; never for a file.
pub async fn reader_gone() {
    let none = Timespec { tv_sec: 0, tv_nsec: 0 };
    loop {
        let stdout = io::stdout();
        let mut looked = [PollFd::new(&stdout, PollFlags::empty())];
        let gone = PollFlags::ERR | PollFlags::HUP;
        if poll(&mut looked, Some(&none)).is_ok() && looked[0].revents().intersects(gone) {
            return;
        }
        tokio::time::sleep(READER).await;
    }
}
