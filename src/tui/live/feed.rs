//! One watched session: a connection to its keeper and an engine fed by it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::{Notify, mpsc, watch};

use crate::domain::ids::SessionId;
use crate::runtime::screen::{Screen, Size};
use crate::runtime::wire::{
    Body, Decoder, Event, Frame, Hello, Incoming, Outgoing, Request, put_bytes, put_control,
};

/// Rows of history that a watched screen has, to scroll back in.
const HISTORY: usize = 2_000;
/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// What a keeper is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    /// Bytes for the agent, as its program asked for them.
    Input(Vec<u8>),
    /// A text for the agent, pasted.
    Paste(String),
    /// The size of the pane that types.
    Resize(u16, u16),
}

/// What a feed shows of its session.
#[derive(Default)]
pub(super) struct State {
    /// The engine; none while nothing runs.
    pub(super) screen: Option<Screen>,
    /// The picture is not the one that was taken last.
    pub(super) dirty: bool,
    /// Rows that the operator scrolled back.
    pub(super) scrolled: usize,
    /// Bytes of a snapshot that are still to come; nothing is shown before.
    awaited: usize,
    /// The launch that the keeper serves.
    generation: u32,
}

/// A feed as both sides see it.
pub(super) struct Shared {
    state: Mutex<State>,
    /// Look again for a keeper that was not there.
    pub(super) retry: Notify,
    /// Grows when any picture changed.
    changed: watch::Sender<u64>,
}

impl Shared {
    pub(super) fn new(changed: watch::Sender<u64>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            retry: Notify::new(),
            changed,
        })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mark(&self) {
        self.changed.send_modify(|number| *number += 1);
    }

    /// Nothing runs, as far as can be seen.
    fn lost(&self) {
        *self.state() = State {
            dirty: true,
            ..State::default()
        };
        self.mark();
    }
}

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Wire(#[from] crate::runtime::wire::WireError),
    #[error("{0}")]
    Message(String),
}

/// Watches a session until it is dropped. Without a keeper it waits for [`Shared::retry`].
pub(super) async fn run(
    shared: Arc<Shared>,
    session: SessionId,
    socket: PathBuf,
    mut orders: mpsc::Receiver<Order>,
) {
    loop {
        if let Ok(stream) = UnixStream::connect(&socket).await {
            if let Err(error) = serve(&shared, &session, stream, &mut orders).await {
                tracing::warn!(%session, %error, "the connection to a keeper broke");
            }
        }
        shared.lost();
        loop {
            tokio::select! {
                () = shared.retry.notified() => break,
                order = orders.recv() => match order {
                    // Nobody is there to be typed to.
                    Some(_) => {}
                    None => return,
                },
            }
        }
    }
}

async fn serve(
    shared: &Shared,
    session: &SessionId,
    mut stream: UnixStream,
    orders: &mut mpsc::Receiver<Order>,
) -> Result<(), Broken> {
    let mut out = Vec::new();
    let hello = Request::Hello(Hello::new(Some(session.clone()), None));
    put_control(
        &mut out,
        &Incoming {
            id: 1,
            request: hello,
        },
    );
    let subscribe = Request::SubscribeScreen { history: HISTORY };
    put_control(
        &mut out,
        &Incoming {
            id: 2,
            request: subscribe,
        },
    );
    stream.write_all(&out).await?;

    let (mut reader, mut writer) = stream.into_split();
    let mut decoder = Decoder::default();
    let mut buffer = vec![0; CHUNK];
    loop {
        tokio::select! {
            read = reader.read(&mut buffer) => {
                let read = read?;
                if read == 0 {
                    return Ok(());
                }
                decoder.push(&buffer[..read]);
                let mut state = shared.state();
                while let Some(frame) = decoder.next_frame()? {
                    state.take(frame)?;
                }
                let shown = state.dirty && state.awaited == 0;
                drop(state);
                if shown {
                    shared.mark();
                }
            }
            order = orders.recv() => {
                let Some(order) = order else { return Ok(()) };
                out.clear();
                let generation = shared.state().generation;
                write_order(&mut out, order, generation);
                while let Ok(order) = orders.try_recv() {
                    write_order(&mut out, order, generation);
                }
                writer.write_all(&out).await?;
            }
        }
    }
}

fn write_order(out: &mut Vec<u8>, order: Order, generation: u32) {
    let request = match order {
        Order::Input(bytes) => return put_bytes(out, &bytes),
        Order::Paste(text) => Request::Paste {
            generation,
            condition: None,
            text,
            submit: false,
        },
        Order::Resize(cols, rows) => Request::Resize { cols, rows },
    };
    put_control(out, &Incoming { id: 3, request });
}

impl State {
    fn take(&mut self, frame: Frame) -> Result<(), Broken> {
        match frame {
            Frame::Bytes(bytes) => {
                self.awaited = self.awaited.saturating_sub(bytes.len());
                if let Some(screen) = &mut self.screen {
                    screen.feed(&bytes);
                    // The keeper's engine answers queries.
                    screen.take_replies();
                    self.dirty = true;
                }
            }
            Frame::Control(json) => match Outgoing::read(&json).map_err(Broken::Message)? {
                Outgoing::Event(Event::Snapshot { cols, rows, bytes }) => {
                    self.screen = Some(Screen::new(Size { cols, rows }, HISTORY));
                    self.awaited = bytes;
                    self.dirty = true;
                }
                Outgoing::Event(Event::Resized { cols, rows }) => {
                    if let Some(screen) = &mut self.screen {
                        screen.resize(Size { cols, rows });
                        self.dirty = true;
                    }
                }
                Outgoing::Answer {
                    body: Body::Hello(hello),
                    ..
                } => {
                    self.generation = hello.generation.unwrap_or(0);
                }
                Outgoing::Answer {
                    body: Body::Refused { message, .. },
                    ..
                } => {
                    tracing::debug!(%message, "a keeper refused");
                }
                _ => {}
            },
        }
        Ok(())
    }

    /// Whether a picture may be taken: the snapshot is whole.
    pub(super) fn is_whole(&self) -> bool {
        self.awaited == 0
    }
}
