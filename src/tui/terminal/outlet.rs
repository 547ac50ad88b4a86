//! The way of bytes to the terminal: what it does not take at once waits here, so that one which does not
//! read keeps nobody from hearing signals, keys and agents.

use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use super::tty::Tty;
use crate::os::duplex::Duplex;

/// The terminal as it is written to.
pub(super) struct Outlet {
    tty: Tty,
    /// The same, to be waited for.
    watched: Duplex,
    /// For the terminal, which took the first so many bytes of it.
    pending: Vec<u8>,
    written: usize,
}

impl Outlet {
    /// To be called inside a runtime.
    ///
    /// # Errors
    /// There is no terminal.
    pub(super) fn open() -> io::Result<Self> {
        let tty = Tty::open()?;
        let watched = Duplex::new(tty.as_fd().try_clone_to_owned()?)?;
        Ok(Self { tty, watched, pending: Vec::new(), written: 0 })
    }

    /// Whether everything was written.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Writes as much as the terminal takes now; the rest waits.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        self.written += self.tty.write(&self.pending[self.written..])?;
        self.forget_written();
        Ok(())
    }

    /// Returns when what waits was written, or fails when the terminal is gone; where nothing waits, only
    /// the latter. Cancel-safe.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) async fn attend(&mut self) -> io::Result<()> {
        let rest = &self.pending[self.written..];
        let taken = tokio::select! {
            biased;
            closed = self.watched.closed() => {
                closed?;
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            taken = self.watched.write(rest), if !rest.is_empty() => taken?,
        };
        self.written += taken;
        self.forget_written();
        Ok(())
    }

    /// Writes what waits, unless the terminal does not take it in time: then it is cut off.
    pub(super) fn finish(&mut self, time: Duration) {
        self.tty.write_within(&self.pending[self.written..], time);
        self.pending.clear();
        self.written = 0;
    }

    fn forget_written(&mut self) {
        if self.written == self.pending.len() {
            self.pending.clear();
            self.written = 0;
        }
    }
}
