//! A terminal or a socket, read and written without blocking.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, retry_on_intr};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor of both directions that only wakes its runtime where something can be read. One that is
/// watched for room too wakes it whenever the other end has read, which is the moment when that is to go
/// on without anybody in its way.
#[derive(Debug)]
pub struct Duplex {
    own: AsyncFd<OwnedFd>,
}

impl Duplex {
    /// Watches a descriptor, which is made non-blocking. To be called inside a runtime.
    ///
    /// # Errors
    /// It cannot be watched.
    pub fn new(own: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&own, true)?;
        Ok(Self { own: watch(own, Interest::READABLE)? })
    }

    /// Waits for something to read and reads what is there, as far as it fits. Zero at the end, and where
    /// no program has a terminal open.
    ///
    /// # Errors
    /// As the system's `read`.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.own.ready(Interest::READABLE).await?;
            let mut length = 0;
            // The kernel gives little of a terminal at a time.
            while length < buffer.len() {
                match read(self.own.get_ref(), &mut buffer[length..]) {
                    Ok(more @ 1..) => length += more,
                    Err(Errno::AGAIN) if !ready.ready().is_read_closed() => {
                        ready.clear_ready();
                        break;
                    }
                    // What was read counts; the end shows itself again.
                    _ if length > 0 => break,
                    // An end is never taken back, though someone may have opened the terminal once more:
                    // waiting for what can be read would not wait.
                    Err(Errno::AGAIN) => return Ok(0),
                    end => return end.map_err(io::Error::from),
                }
            }
            if length > 0 {
                return Ok(length);
            }
        }
    }

    /// Writes as much as fits, and waits for room where there is none.
    ///
    /// # Errors
    /// As the system's `write`; `BrokenPipe` where no program has a terminal open, and none read what was
    /// written before.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match write(self, bytes) {
            Err(Errno::AGAIN) => {}
            written => return Ok(written?),
        }
        let twin = watch(rustix::io::fcntl_dupfd_cloexec(self, 3)?, Interest::WRITABLE)?;
        loop {
            let mut ready = twin.ready(Interest::WRITABLE).await?;
            match write(self, bytes) {
                Err(Errno::AGAIN) if ready.ready().is_write_closed() => {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                Err(Errno::AGAIN) => ready.clear_ready(),
                written => return Ok(written?),
            }
        }
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            bytes = &bytes[self.write(bytes).await?..];
        }
        Ok(())
    }

    /// Returns when nobody is at the other end any more. For one that another descriptor reads.
    ///
    /// # Errors
    /// It cannot be watched any more.
    pub async fn closed(&self) -> io::Result<()> {
        loop {
            let mut ready = self.own.ready(Interest::READABLE).await?;
            if ready.ready().is_read_closed() {
                return Ok(());
            }
            ready.clear_ready();
        }
    }

    /// Writes what fits now.
    ///
    /// # Errors
    /// As the system's `write`; `WouldBlock` where nothing fits.
    pub fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(write(self, bytes)?)
    }
}

impl AsFd for Duplex {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.own.get_ref().as_fd()
    }
}

#[expect(unsafe_code, reason = "registering a descriptor is unsafe by itself")]
fn watch(own: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by the value that is registered, never replaced, and closed only
    // after it is dropped
    Ok(unsafe { AsyncFd::register_with_interest(own, interest) }?)
}

fn read(own: &OwnedFd, buffer: &mut [u8]) -> rustix::io::Result<usize> {
    match retry_on_intr(|| rustix::io::read(own, &mut *buffer)) {
        // How the system says that no program has the terminal open.
        Err(Errno::IO) => Ok(0),
        other => other,
    }
}

fn write(own: &Duplex, bytes: &[u8]) -> rustix::io::Result<usize> {
    retry_on_intr(|| rustix::io::write(own, bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn all_is_written_to_one_that_reads_late() {
        let (own, mut other) = UnixStream::pair().unwrap();
        let own = Duplex::new(own.into()).unwrap();
        let text: Vec<u8> = (0..2_000_000_u32).map(|at| at as u8).collect();
        let mut full = 0;
        while let Ok(written) = own.write_now(&text[full..]) {
            full += written;
        }
        assert!(full > 0 && full < text.len());
        let length = text.len();
        let reader = std::thread::spawn(move || {
            let mut read = vec![0; length];
            other.read_exact(&mut read).unwrap();
            read
        });
        own.write_all(&text[full..]).await.unwrap();
        assert!(reader.join().unwrap() == text);
        assert_eq!(own.read(&mut [0; 8]).await.unwrap(), 0);
        assert_eq!(own.write(b"late").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn input_that_another_reads_is_no_end() {
        let (own, other) = UnixStream::pair().unwrap();
        let own = Duplex::new(own.into()).unwrap();
        let closed = tokio::spawn(async move { own.closed().await });
        rustix::io::write(&other, b"not ours").unwrap();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!closed.is_finished());
        drop(other);
        closed.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn what_was_read_is_kept_at_the_end() {
        let (own, other) = UnixStream::pair().unwrap();
        let own = Duplex::new(own.into()).unwrap();
        rustix::io::write(&other, b"last words").unwrap();
        drop(other);
        let mut buffer = [0; 4];
        assert_eq!(own.read(&mut buffer).await.unwrap(), 4);
        let mut buffer = [0; 100];
        assert_eq!(own.read(&mut buffer).await.unwrap(), 6);
        assert_eq!(own.read(&mut buffer).await.unwrap(), 0);
    }
}
