//! One watched session: a connection to its keeper and an engine fed by it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc, watch};

use crate::runtime::client::{ClientResult, Keeper, ScreenUpdate, Typist};
use crate::runtime::screen::{Screen, Size};

/// Rows of history that a watched screen has, to scroll back in.
const HISTORY: usize = 2_000;

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
        Arc::new(Self { state: Mutex::default(), retry: Notify::new(), changed })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is shown, and says so.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        state.dirty = true;
        drop(state);
        self.changed.send_modify(|number| *number += 1);
    }
}

/// Watches a session until it is dropped. Without a keeper it waits for [`Shared::retry`].
pub(super) async fn run(shared: Arc<Shared>, socket: PathBuf, mut orders: mpsc::Receiver<Order>) {
    loop {
        match Keeper::connect(&socket).await {
            Ok(keeper) => {
                if let Err(error) = serve(&shared, keeper, &mut orders).await {
                    tracing::debug!(%error, "a watched screen was lost");
                }
            }
            Err(error) => tracing::debug!(%error, "a screen cannot be watched"),
        }
        shared.change(|state| *state = State::default());
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

/// Feeds the engine and types, until the keeper is gone or nobody watches.
async fn serve(
    shared: &Shared,
    keeper: Keeper,
    orders: &mut mpsc::Receiver<Order>,
) -> ClientResult<()> {
    let generation = keeper.generation();
    let (mut feed, mut typist) = keeper.subscribe_screen(HISTORY).await?;
    loop {
        tokio::select! {
            update = feed.next() => match update {
                ScreenUpdate::Closed => return Ok(()),
                update => take(shared, update),
            },
            order = orders.recv() => match order {
                Some(order) => type_order(&mut typist, order, generation).await?,
                None => return Ok(()),
            },
        }
    }
}

fn take(shared: &Shared, update: ScreenUpdate) {
    match update {
        ScreenUpdate::Snapshot { cols, rows, bytes } => {
            let mut screen = Screen::new(Size { cols, rows }, HISTORY);
            screen.replay(&bytes);
            screen.take_replies();
            shared.change(|state| state.screen = Some(screen));
        }
        ScreenUpdate::Bytes(bytes) => shared.change(|state| {
            if let Some(screen) = &mut state.screen {
                screen.feed(&bytes);
                // The keeper's engine answers queries.
                screen.take_replies();
            }
        }),
        ScreenUpdate::Resized { cols, rows } => shared.change(|state| {
            if let Some(screen) = &mut state.screen {
                screen.resize(Size { cols, rows });
            }
        }),
        ScreenUpdate::Refused { reason } => tracing::debug!(?reason, "a keeper took no input"),
        // The last screen stays until the keeper goes.
        ScreenUpdate::Exit(_) | ScreenUpdate::Closed => {}
    }
}

async fn type_order(typist: &mut Typist, order: Order, generation: u32) -> ClientResult<()> {
    match order {
        Order::Input(bytes) => typist.bytes(&bytes).await,
        Order::Paste(text) => typist.paste(generation, text, None).await,
        Order::Resize(cols, rows) => typist.resize(cols, rows).await,
    }
}
