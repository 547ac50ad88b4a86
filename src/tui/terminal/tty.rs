//! The operator's terminal, opened anew, so that it can be read and written without blocking while
//! the shell's own descriptors stay as they are.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use crate::os::clock;

/// A terminal.
#[derive(Debug)]
pub(in crate::tui) struct Tty(OwnedFd);

impl Tty {
    /// Opens the terminal of standard output.
    ///
    /// # Errors
    /// Standard output is no terminal, or it cannot be opened.
    pub(in crate::tui) fn open() -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let name = rustix::termios::ttyname(io::stdout(), Vec::new())?;
        // A terminal of another user, or from outside a container, can only be opened as our own.
        let own =
            open(&name, flags, Mode::empty()).or_else(|_| open("/dev/tty", flags, Mode::empty()));
        Ok(Self(own?))
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(in crate::tui) fn size(&self) -> io::Result<(u16, u16)> {
        let size = rustix::termios::tcgetwinsize(&self.0)?;
        Ok((size.ws_col, size.ws_row))
    }

    /// Reads what is there; zero at the end of input.
    ///
    /// # Errors
    /// As the system's `read`; `WouldBlock` where there is nothing.
    pub(in crate::tui) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match rustix::io::read(&self.0, buffer) {
            // How the system says that a terminal is gone.
            Err(Errno::IO) => Ok(0),
            other => other.map_err(io::Error::from),
        }
    }

    /// Writes as much as fits; answers how much.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(in crate::tui) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < bytes.len() {
            match rustix::io::write(&self.0, &bytes[written..]) {
                Ok(count) => written += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(written)
    }

    /// Writes all of it, unless the terminal does not take it in time.
    pub(in crate::tui) fn write_within(&self, mut bytes: &[u8], time: Duration) {
        let end = clock::monotonic() + time;
        while !bytes.is_empty() {
            let Ok(written) = self.write(bytes) else { return };
            bytes = &bytes[written..];
            let left = end.saturating_duration_since(clock::monotonic());
            if bytes.is_empty() || left.is_zero() {
                return;
            }
            let mut ready = [PollFd::new(&self.0, PollFlags::OUT)];
            let _ = poll(&mut ready, timespec(left).as_ref());
        }
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A time to wait, as the system wants it.
pub(in crate::tui) fn timespec(time: Duration) -> Option<Timespec> {
    Timespec::try_from(time).ok()
}
