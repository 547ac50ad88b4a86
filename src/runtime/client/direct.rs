//! A watched screen without a runtime: for a loop that waits for the socket and a terminal at once.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use super::screen::Assembly;
use super::{ClientError, ClientResult, Keeper, ScreenUpdate, lost};
use crate::runtime::wire::{self, Decoder, Frame, Hello, Incoming, Outgoing, Request};

/// Bytes read at a time.
const READ: usize = 256 << 10;
/// Bytes of input that wait for the keeper; more are not taken.
const WAITING: usize = 1 << 20;

/// One keeper, read and written without blocking.
#[derive(Debug)]
pub struct Direct {
    stream: UnixStream,
    decoder: Decoder,
    assembly: Assembly,
    socket: PathBuf,
    buffer: Vec<u8>,
    out: Vec<u8>,
    next_id: u64,
}

impl Keeper {
    /// Takes the connection out of its runtime; nothing is watched yet. Bytes that are typed are for
    /// the launch that was reached.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn direct(mut self) -> ClientResult<Direct> {
        let hello = Hello::new(self.hello.session.clone(), self.hello.generation);
        let next_id = self.tell(Request::Hello(hello)).await?;
        let socket = self.link.socket;
        let failed = |source| ClientError::Io { socket: socket.clone(), source };
        let stream = self.link.from.reunite(self.link.to);
        let stream = stream.map_err(|error| failed(std::io::Error::other(error)))?;
        // Still without blocking.
        let stream = stream.into_std().map_err(failed)?;
        let buffer = vec![0; READ];
        let (decoder, assembly) = (self.link.decoder, Assembly::default());
        Ok(Direct { stream, decoder, assembly, socket, buffer, out: Vec::new(), next_id })
    }
}

impl AsFd for Direct {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Direct {
    /// Watches the screen from now on: a snapshot with so many rows of history comes first, also
    /// where it was watched before.
    ///
    /// # Errors
    /// The keeper is gone.
    pub fn watch(&mut self, history: usize) -> ClientResult<()> {
        self.tell(Request::SubscribeScreen { history })
    }

    /// Changes the size; one that `yields` not where another viewer that is still there typed since.
    ///
    /// # Errors
    /// The keeper is gone.
    pub fn resize(&mut self, cols: u16, rows: u16, yields: bool) -> ClientResult<()> {
        self.tell(Request::Resize { cols, rows, yields })
    }

    /// Types bytes as they are. False where they are not taken, since the keeper does not read.
    ///
    /// # Errors
    /// The keeper is gone.
    pub fn type_bytes(&mut self, bytes: &[u8]) -> ClientResult<bool> {
        if self.out.len() > WAITING {
            return Ok(false);
        }
        wire::put_bytes(&mut self.out, bytes);
        self.flush().map(|()| true)
    }

    /// Whether something waits for the keeper to read.
    pub fn waits(&self) -> bool {
        !self.out.is_empty()
    }

    /// Writes what waits, as far as the keeper reads.
    ///
    /// # Errors
    /// The keeper is gone.
    pub fn flush(&mut self) -> ClientResult<()> {
        while !self.out.is_empty() {
            match self.stream.write(&self.out) {
                Ok(written) => drop(self.out.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(lost(&self.socket, error)),
            }
        }
        Ok(())
    }

    /// Reads once and gives the updates that are whole.
    ///
    /// # Errors
    /// The keeper is gone, or speaks something else.
    pub fn receive(&mut self, mut take: impl FnMut(ScreenUpdate)) -> ClientResult<()> {
        match self.stream.read(&mut self.buffer) {
            Ok(0) => return Err(ClientError::Gone { socket: self.socket.clone() }),
            Ok(length) => self.decoder.push(&self.buffer[..length]),
            Err(error)
                if [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {}
            Err(error) => return Err(lost(&self.socket, error)),
        }
        while let Some(frame) = self.decoder.next_frame()? {
            let update = match frame {
                Frame::Bytes(bytes) => self.assembly.bytes(bytes),
                Frame::Control(json) => match Outgoing::read(&json) {
                    Ok(message) => self.assembly.message(message),
                    Err(error) => {
                        tracing::debug!(%error, "a keeper's message is skipped");
                        None
                    }
                },
            };
            if let Some(update) = update {
                take(update);
            }
        }
        Ok(())
    }

    fn tell(&mut self, request: Request) -> ClientResult<()> {
        self.next_id += 1;
        wire::put_control(&mut self.out, &Incoming { id: self.next_id, request });
        self.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a keeper that does not read is not told, the caller hears of.
    #[test]
    fn bytes_beyond_the_limit_are_not_taken_silently() {
        let (stream, mut keeper) = UnixStream::pair().unwrap();
        stream.set_nonblocking(true).unwrap();
        let mut direct = Direct {
            stream,
            decoder: Decoder::default(),
            assembly: Assembly::default(),
            socket: PathBuf::new(),
            buffer: Vec::new(),
            out: Vec::new(),
            next_id: 0,
        };
        let mut taken = 0;
        let text = vec![b'a'; 64 << 10];
        while direct.type_bytes(&text).unwrap() {
            taken += text.len();
        }
        assert!(taken > WAITING && direct.waits());
        keeper.set_nonblocking(true).unwrap();
        let mut buffer = vec![0; 1 << 20];
        let mut read = 0;
        while direct.waits() {
            read += keeper.read(&mut buffer).unwrap();
            direct.flush().unwrap();
        }
        while let Ok(count) = keeper.read(&mut buffer) {
            read += count;
        }
        assert!(read > taken, "all that was taken arrived, in frames: {read} of {taken}");
        assert!(direct.type_bytes(b"b").unwrap(), "once it reads it is typed to again");
    }
}
