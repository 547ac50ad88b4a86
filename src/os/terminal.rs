//! The master side of a terminal, read and written without blocking.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::proctree;

/// A second descriptor of a terminal's master side.
#[derive(Debug)]
pub struct TerminalDescriptor {
    own: AsyncFd<OwnedFd>,
}

impl TerminalDescriptor {
    /// Duplicates a descriptor that a library shows by its number only, and makes it non-blocking.
    /// To be called inside a runtime.
    ///
    /// # Errors
    /// There is no such descriptor, or it cannot be watched.
    #[expect(
        unsafe_code,
        reason = "the PTY library shows a bare number; registering is unsafe by itself"
    )]
    pub fn duplicate(master: RawFd) -> io::Result<Self> {
        // SAFETY: the caller's library holds the descriptor open while this runs
        let borrowed = unsafe { BorrowedFd::borrow_raw(master) };
        let own = rustix::io::fcntl_dupfd_cloexec(borrowed, 3)?;
        rustix::io::ioctl_fionbio(&own, true)?;
        // SAFETY: the descriptor is owned by the value that is registered, never replaced, and closed
        // only after it is dropped
        let own = unsafe {
            AsyncFd::register_with_interest(own, Interest::READABLE | Interest::WRITABLE)
        }?;
        Ok(Self { own })
    }

    /// Waits for output and reads it. Zero where no program has the terminal open.
    ///
    /// # Errors
    /// As the system's `read`.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.own.ready(Interest::READABLE).await?;
            match read(self.own.get_ref(), buffer) {
                // An end is never taken back, though someone may have opened the terminal once more:
                // waiting for what can be read would not wait.
                Err(error) if is_early(&error) && ready.ready().is_read_closed() => return Ok(0),
                Err(error) if is_early(&error) => ready.clear_ready(),
                read => return read,
            }
        }
    }

    /// Reads what is there now.
    ///
    /// # Errors
    /// As the system's `read`; `WouldBlock` where there is nothing.
    pub fn read_now(&self, buffer: &mut [u8]) -> io::Result<usize> {
        read(self.own.get_ref(), buffer)
    }

    /// Waits until something can be written and writes as much as fits.
    ///
    /// # Errors
    /// As the system's `write`; `BrokenPipe` where no program has the terminal open, and none read what was
    /// written before.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.own.ready(Interest::WRITABLE).await?;
            match rustix::io::write(self.own.get_ref(), bytes).map_err(io::Error::from) {
                Err(error) if is_early(&error) && ready.ready().is_write_closed() => {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                Err(error) if is_early(&error) => ready.clear_ready(),
                written => return written,
            }
        }
    }

    /// Leader of the process group in the foreground.
    pub fn foreground(&self) -> Option<u32> {
        proctree::foreground(self.own.get_ref())
    }
}

/// Nothing was done: there is nothing to read, or no room, or a signal came first.
fn is_early(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn read(own: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    match rustix::io::read(own, buffer) {
        Err(rustix::io::Errno::IO) => Ok(0),
        other => other.map_err(io::Error::from),
    }
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
