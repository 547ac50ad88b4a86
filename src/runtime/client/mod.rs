//! Talking to keepers: start one, ask it, watch its screen, type into it.

mod direct;
mod error;
pub mod hook;
pub mod recording;
mod screen;
mod start;

use std::path::{Path, PathBuf};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

pub use self::direct::Direct;
pub use self::error::ClientError;
use self::error::{lost, unexpected, unsent};
pub use self::hook::spool;
pub use self::screen::{FactsFeed, ScreenFeed, ScreenUpdate, Typist};
pub use self::start::{Launching, start};
pub use super::wire::message::{StatusReply, StopPace, TextReply, WitnessReport};
use super::wire::{self, Body, Decoder, Frame, Hello, Incoming, Outgoing, Request};
pub use super::wire::{Condition, Reason};
use crate::domain::facts::ExitFacts;
use crate::os::spawn;

/// Result of talking to a keeper.
pub type ClientResult<T> = Result<T, ClientError>;

/// What a stop came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// The whole tree is gone.
    pub ended: bool,
    /// The agent did not follow the polite way in time, or KILL was needed.
    pub escalated: bool,
    /// How the agent's process ended.
    pub exit: Option<ExitFacts>,
}

/// What to type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A text as it is.
    Text(String),
    /// A text as a paste, with or without Enter after it by the agent's submit rule.
    Paste {
        /// The text.
        text: String,
        /// Whether Enter follows.
        submit: bool,
    },
    /// Keys by name.
    Keys(Vec<String>),
    /// Keys that answer a question.
    Answer {
        /// Their names.
        keys: Vec<String>,
        /// The option that is selected before the first of them, where arrow keys walk from there.
        selected: Option<usize>,
    },
}

/// A connection to one keeper. Deadlines are the caller's: every call may be dropped, and the
/// connection with it.
#[derive(Debug)]
pub struct Keeper {
    link: Link,
    hello: Hello,
    next_id: u64,
}

impl Keeper {
    /// Connects, and greets.
    ///
    /// # Errors
    /// There is no keeper, or it is not ours, or it speaks something else.
    pub async fn connect(socket: &Path) -> ClientResult<Self> {
        let path = socket.to_owned();
        let stream = match UnixStream::connect(socket).await {
            Ok(stream) => stream,
            Err(error) => return Err(lost(&path, error)),
        };
        match spawn::peer_user(&stream) {
            Ok(user) if user == spawn::own_user() => {}
            Ok(_) => return Err(ClientError::OtherUser { socket: path }),
            Err(source) => {
                return Err(ClientError::Io { socket: path, source });
            }
        }
        let (from, to) = stream.into_split();
        let link = Link { from, to, decoder: Decoder::default(), socket: path };
        let mut keeper = Self { link, hello: Hello::new(None, None), next_id: 0 };
        match keeper.ask(Request::Hello(Hello::new(None, None))).await? {
            Body::Hello(hello) => keeper.hello = hello,
            other => return Err(unexpected(other)),
        }
        Ok(keeper)
    }

    /// What the keeper said of itself: session, launch, protocol.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Its launch.
    pub fn generation(&self) -> u32 {
        self.hello.generation.unwrap_or(0)
    }

    /// Facts and witnesses.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn status(&mut self) -> ClientResult<StatusReply> {
        match self.ask(Request::Status).await? {
            Body::Status(status) => Ok(*status),
            other => Err(unexpected(other)),
        }
    }

    /// The screen as text, with up to so many rows of history before it.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn text(&mut self, scrollback: usize) -> ClientResult<TextReply> {
        match self.ask(Request::Text { scrollback }).await? {
            Body::Text(text) => Ok(text),
            other => Err(unexpected(other)),
        }
    }

    /// Types into launch `generation`. Of a submit it tells whether the agent was seen to take it.
    ///
    /// # Errors
    /// As [`ClientError`]; refused or `QuestionChanged` where the condition does not hold.
    pub async fn send(
        &mut self,
        generation: u32,
        input: Input,
        condition: Option<Condition>,
    ) -> ClientResult<Option<bool>> {
        let request = match input {
            Input::Text(text) => Request::Input { generation, condition, text },
            Input::Paste { text, submit } => Request::Paste { generation, condition, text, submit },
            Input::Keys(keys) => Request::Keys { generation, condition, keys, selected: None },
            Input::Answer { keys, selected } => {
                Request::Keys { generation, condition, keys, selected }
            }
        };
        self.ask_done(request).await
    }

    /// Changes the size of the terminal.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn resize(&mut self, cols: u16, rows: u16) -> ClientResult<()> {
        self.ask_done(Request::Resize { cols, rows, yields: false }).await.map(|_| ())
    }

    /// Sends a signal by name to the agent, or to what it runs in the foreground.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn signal(
        &mut self,
        generation: u32,
        signal: &str,
        foreground: bool,
    ) -> ClientResult<()> {
        let signal = signal.to_owned();
        self.ask_done(Request::Signal { generation, signal, foreground }).await.map(|_| ())
    }

    /// Ends the agent with its whole tree (X3); of launch `generation` only, where one is given. The
    /// keeper has removed its socket when this returns, unless the tree did not end.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn stop(&mut self, generation: Option<u32>, pace: StopPace) -> ClientResult<Stopped> {
        match self.ask(Request::Stop { generation, pace }).await? {
            Body::Stopped { ended, escalated, exit } => Ok(Stopped { ended, escalated, exit }),
            other => Err(unexpected(other)),
        }
    }

    /// Watches the screen: a snapshot with up to so many rows of history, then live bytes; and a hand
    /// to type with meanwhile.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn subscribe_screen(mut self, history: usize) -> ClientResult<(ScreenFeed, Typist)> {
        let hello = Hello::new(self.hello.session.clone(), self.hello.generation);
        self.tell(Request::Hello(hello)).await?;
        self.tell(Request::SubscribeScreen { history }).await?;
        Ok(screen::split(self.link, self.next_id))
    }

    /// Watches the facts, beginning with the present ones.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn subscribe_facts(mut self) -> ClientResult<FactsFeed> {
        self.tell(Request::SubscribeFacts).await?;
        Ok(screen::facts(self.link))
    }

    async fn ask_done(&mut self, request: Request) -> ClientResult<Option<bool>> {
        match self.ask(request).await? {
            Body::Done { verified } => Ok(verified),
            other => Err(unexpected(other)),
        }
    }

    async fn tell(&mut self, request: Request) -> ClientResult<u64> {
        self.next_id += 1;
        self.link.send(&Incoming { id: self.next_id, request }).await?;
        Ok(self.next_id)
    }

    async fn ask(&mut self, request: Request) -> ClientResult<Body> {
        let asked = self.tell(request).await?;
        loop {
            match self.link.receive().await? {
                Received::Message(Outgoing::Answer { id, body }) if id == asked => return Ok(body),
                _ => {}
            }
        }
    }
}

/// Something a keeper sent.
#[derive(Debug)]
enum Received {
    Message(Outgoing),
    Bytes(Vec<u8>),
}

/// The two directions of a connection.
#[derive(Debug)]
struct Link {
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
    decoder: Decoder,
    socket: PathBuf,
}

impl Link {
    async fn send(&mut self, message: &Incoming) -> ClientResult<()> {
        let mut out = Vec::new();
        wire::try_put_control(&mut out, message).map_err(unsent)?;
        self.to.write_all(&out).await.map_err(|error| lost(&self.socket, error))
    }

    async fn receive(&mut self) -> ClientResult<Received> {
        receive(&mut self.from, &mut self.decoder, &self.socket).await
    }
}

/// The next thing that makes sense; what a newer keeper adds is skipped. May be dropped at any time
/// without losing anything.
async fn receive(
    from: &mut OwnedReadHalf,
    decoder: &mut Decoder,
    socket: &Path,
) -> ClientResult<Received> {
    let mut buffer = Vec::new();
    loop {
        while let Some(frame) = decoder.next_frame()? {
            match frame {
                Frame::Bytes(bytes) => return Ok(Received::Bytes(bytes)),
                Frame::Control(json) => match Outgoing::read(&json) {
                    Ok(message) => return Ok(Received::Message(message)),
                    Err(error) => tracing::debug!(%error, "a keeper's message is skipped"),
                },
            }
        }
        buffer.clear();
        buffer.reserve(64 << 10);
        match from.read_buf(&mut buffer).await {
            Ok(0) => {
                return Err(ClientError::Gone { socket: socket.to_owned() });
            }
            Ok(_) => decoder.push(&buffer),
            Err(error) => return Err(lost(socket, error)),
        }
    }
}
