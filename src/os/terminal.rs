//! The master side of a terminal, read and written without blocking; the end of our own, and of who reads
//! standard output.

use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};

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

/// Whether nobody is behind the terminal of standard input any more.
pub fn input_gone() -> bool {
    gone_within(Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))
}

/// Waits for the end of the terminal of standard input, or for so long.
fn gone_within(time: Option<&Timespec>) -> bool {
    let stdin = rustix::stdio::stdin();
    let mut looked = [PollFd::new(&stdin, PollFlags::empty())];
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    poll(&mut looked, time).is_ok() && looked[0].revents().intersects(gone)
}

/// Ends this process at the latest so long after the terminal of standard input has gone: whatever reads
/// it then may never return.
///
/// # Errors
/// No thread can be started.
pub fn end_with_input(grace: Duration) -> io::Result<()> {
    let watch = move || {
        while !gone_within(None) {}
        thread::sleep(grace);
        let _ = kill_process(getpid(), Signal::KILL);
    };
    thread::Builder::new().name("terminal".to_owned()).spawn(watch).map(drop)
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
