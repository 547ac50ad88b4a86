//! Watching a keeper.

use std::path::PathBuf;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::{ClientResult, Link, Received, lost, receive, unsent};
use crate::domain::facts::{ExitFacts, Facts};
use crate::runtime::wire::{self, Body, Decoder, Event, Incoming, Outgoing, Reason, Request};

/// Longest text of one message of a paste, in bytes: with every character escaped it fits a frame.
const PIECE: usize = 512 << 10;

/// What happened to a watched screen, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenUpdate {
    /// The screen anew, as escape text for an empty one of this size: at the beginning, and whenever
    /// we were too slow to follow.
    Snapshot {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
        /// Escape text.
        bytes: Vec<u8>,
    },
    /// The program wrote.
    Bytes(Vec<u8>),
    /// The size changed.
    Resized {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// Something typed with the [`Typist`] was not taken.
    Refused {
        /// Why.
        reason: Reason,
    },
    /// The agent's process ended.
    Exit(Box<ExitFacts>),
    /// The keeper is gone; nothing follows.
    Closed,
}

/// The updates of one screen.
#[derive(Debug)]
pub struct ScreenFeed {
    from: OwnedReadHalf,
    decoder: Decoder,
    socket: PathBuf,
    assembly: Assembly,
}

impl ScreenFeed {
    /// The next update. May be dropped at any time without losing one.
    pub async fn next(&mut self) -> ScreenUpdate {
        loop {
            let received = receive(&mut self.from, &mut self.decoder, &self.socket).await;
            let update = match received {
                Ok(Received::Bytes(bytes)) => self.assembly.bytes(bytes),
                Ok(Received::Message(message)) => self.assembly.message(message),
                Err(_) => Some(ScreenUpdate::Closed),
            };
            if let Some(update) = update {
                return update;
            }
        }
    }
}

/// Makes updates of what a keeper sends.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// A snapshot that is not complete yet, and its length.
    snapshot: Option<(u16, u16, usize, Vec<u8>)>,
}

impl Assembly {
    pub(super) fn bytes(&mut self, mut bytes: Vec<u8>) -> Option<ScreenUpdate> {
        let Some((_, _, length, collected)) = &mut self.snapshot else {
            return Some(ScreenUpdate::Bytes(bytes));
        };
        collected.append(&mut bytes);
        (collected.len() >= *length).then(|| self.take_snapshot()).flatten()
    }

    fn take_snapshot(&mut self) -> Option<ScreenUpdate> {
        let (cols, rows, _, bytes) = self.snapshot.take()?;
        Some(ScreenUpdate::Snapshot { cols, rows, bytes })
    }

    pub(super) fn message(&mut self, message: Outgoing) -> Option<ScreenUpdate> {
        match message {
            Outgoing::Event(Event::Snapshot { cols, rows, bytes }) => {
                self.snapshot = Some((cols, rows, bytes, Vec::new()));
                (bytes == 0).then(|| self.take_snapshot()).flatten()
            }
            Outgoing::Event(Event::Resized { cols, rows }) => {
                Some(ScreenUpdate::Resized { cols, rows })
            }
            Outgoing::Event(Event::Exit(exit)) => Some(ScreenUpdate::Exit(exit)),
            Outgoing::Event(Event::InputRefused { reason })
            | Outgoing::Answer { body: Body::Refused { reason, .. }, .. } => {
                Some(ScreenUpdate::Refused { reason })
            }
            Outgoing::Answer { body: Body::QuestionChanged { .. }, .. } => {
                Some(ScreenUpdate::Refused { reason: Reason::QuestionShown })
            }
            Outgoing::Answer { .. } | Outgoing::Event(_) => None,
        }
    }
}

/// The hand that types while the screen is watched. Refusals arrive as [`ScreenUpdate::Refused`].
#[derive(Debug)]
pub struct Typist {
    to: OwnedWriteHalf,
    next_id: u64,
    socket: PathBuf,
}

impl Typist {
    /// Types bytes as they are.
    ///
    /// # Errors
    /// The keeper is gone.
    pub async fn bytes(&mut self, bytes: &[u8]) -> ClientResult<()> {
        let mut out = Vec::new();
        wire::put_bytes(&mut out, bytes);
        self.write(&out).await
    }

    /// Pastes a text into launch `generation`; a very long one as several pastes, each as long as what
    /// is typed at a time.
    ///
    /// # Errors
    /// The keeper is gone.
    pub async fn paste(&mut self, generation: u32, text: &str) -> ClientResult<()> {
        for text in pieces(text) {
            let (condition, text) = (None, text.to_owned());
            self.tell(Request::Paste { generation, condition, text, submit: false }).await?;
        }
        Ok(())
    }

    /// Changes the size; one that `yields` not where another viewer that is still there typed since.
    ///
    /// # Errors
    /// The keeper is gone.
    pub async fn resize(&mut self, cols: u16, rows: u16, yields: bool) -> ClientResult<()> {
        self.tell(Request::Resize { cols, rows, yields }).await
    }

    async fn tell(&mut self, request: Request) -> ClientResult<()> {
        self.next_id += 1;
        let mut out = Vec::new();
        wire::try_put_control(&mut out, &Incoming { id: self.next_id, request }).map_err(unsent)?;
        self.write(&out).await
    }

    async fn write(&mut self, out: &[u8]) -> ClientResult<()> {
        self.to.write_all(out).await.map_err(|error| lost(&self.socket, error))
    }
}

/// Cuts a text between characters; an empty one is one empty piece.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > PIECE {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
        pieces.push(piece);
        rest = more;
    }
    pieces.push(rest);
    pieces
}

/// The facts of one session as they change.
#[derive(Debug)]
pub struct FactsFeed {
    link: Link,
}

impl FactsFeed {
    /// The next facts; none once the keeper is gone. May be dropped at any time.
    pub async fn next(&mut self) -> Option<Facts> {
        loop {
            match self.link.receive().await {
                Ok(Received::Message(Outgoing::Event(Event::Facts(facts)))) => return Some(*facts),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }
}

pub(super) fn split(link: Link, next_id: u64) -> (ScreenFeed, Typist) {
    let Link { from, to, decoder, socket } = link;
    let typist = Typist { to, next_id, socket: socket.clone() };
    (ScreenFeed { from, decoder, socket, assembly: Assembly::default() }, typist)
}

pub(super) fn facts(link: Link) -> FactsFeed {
    FactsFeed { link }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K5: a long paste is cut between characters, and nothing of it is lost.
    #[test]
    fn a_long_paste_is_cut_between_characters() {
        let text = format!("a{}", "日".repeat(PIECE));
        let cut = pieces(&text);
        assert!(cut.len() > 3 && cut.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(cut.concat(), text);
        assert_eq!(pieces(""), [""]);
    }
}
