//! The way of bytes to the terminal: what it does not take at once waits here, so that one which does not
//! read keeps nobody from hearing signals, keys and agents.

use std::io;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::tty::Tty;

/// The terminal's end that is written to.
pub(super) struct Outlet {
    tty: AsyncFd<Tty>,
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
        let tty = AsyncFd::with_interest(Tty::open()?, Interest::WRITABLE)?;
        Ok(Self { tty, pending: Vec::new(), written: 0 })
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
        self.written += self.tty.get_ref().write(&self.pending[self.written..])?;
        self.forget_written();
        Ok(())
    }

    /// Returns when what waits was written, or fails when the terminal is gone; where nothing waits, only
    /// the latter. Cancel-safe.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) async fn attend(&mut self) -> io::Result<()> {
        tokio::select! {
            biased;
            error = gone(&self.tty) => return Err(error),
            written = write_on(&self.tty, &self.pending, &mut self.written), if !self.pending.is_empty() => {
                written?;
            }
        }
        self.forget_written();
        Ok(())
    }

    /// Writes what waits, unless the terminal does not take it in time: then it is cut off.
    pub(super) fn finish(&mut self, time: Duration) {
        self.tty.get_ref().write_within(&self.pending[self.written..], time);
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

/// Returns when nobody is behind the terminal any more.
async fn gone(tty: &AsyncFd<Tty>) -> io::Error {
    match tty.ready(Interest::READABLE).await {
        Ok(_) => io::ErrorKind::BrokenPipe.into(),
        Err(error) => error,
    }
}

async fn write_on(tty: &AsyncFd<Tty>, bytes: &[u8], written: &mut usize) -> io::Result<()> {
    while *written < bytes.len() {
        let mut ready = tty.writable().await?;
        let wrote = ready.try_io(|tty| match tty.get_ref().write(&bytes[*written..])? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            count => Ok(count),
        });
        if let Ok(count) = wrote {
            *written += count?;
        }
    }
    Ok(())
}
