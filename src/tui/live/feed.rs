//! One watched session: a connection to its keeper and an engine fed by it. Where no keeper is, the last
//! screen is read from the history.

use std::convert::Infallible;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};

use super::replay;
use crate::os::clock;
use crate::runtime::client::{ClientResult, Keeper, Reason, ScreenUpdate, Typist};
use crate::runtime::screen::{Screen, ScreenEvent, Size};
use crate::tui::event::Signal;

/// Rows of history that a watched screen has, to scroll back in: as many as a keeper's engine keeps.
pub(super) const HISTORY: usize = 2_000;
/// A keeper that has not answered after this time is said not to; it is waited for all the same.
const PATIENCE: Duration = Duration::from_secs(2);
/// A keeper that has said nothing for this time is called.
const CALL_EVERY: Duration = Duration::from_secs(2);
/// Signals of a program that wait to be taken; more are dropped.
const SIGNALS: usize = 16;
/// Longest text that a program may put on the clipboard, in bytes.
const CLIPBOARD: usize = 1 << 20;

/// What a keeper is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    /// Bytes for the agent, as its program asked for them.
    Input(Vec<u8>),
    /// A text for the agent, pasted.
    Paste(String),
    /// The size of the pane that types; whether another that typed since has the say.
    Resize(Size, bool),
}

/// What a feed shows of its session.
#[derive(Default)]
pub(super) struct State {
    /// The engine; none while there is nothing to show.
    pub(super) screen: Option<Screen>,
    /// Nobody runs behind the screen any more; it is the last one.
    pub(super) ended: bool,
    /// The keeper does not answer; the screen is the last that is known.
    pub(super) silent: bool,
    /// What was typed last was not taken, and why.
    pub(super) refused: Option<Reason>,
    /// Grows with each word of the keeper.
    heard: u64,
    /// The picture is not the one that was taken last.
    pub(super) dirty: bool,
    /// What the program asked for since they were taken last.
    pub(super) signals: Vec<Signal>,
    /// State of the history that the screen was read from.
    pub(super) stamp: replay::Stamp,
}

/// Where a session is found.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    /// The socket of its keeper.
    pub(super) socket: PathBuf,
    /// Its history.
    pub(super) history: PathBuf,
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

    /// Has its picture taken, also where nothing changed since.
    pub(super) fn show_again(&self) {
        let known = self.state().screen.is_some();
        if known {
            self.change(|_| {});
        }
    }

    /// Changes what is shown, and says so.
    pub(super) fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        state.dirty = true;
        drop(state);
        self.changed.send_modify(|number| *number += 1);
    }
}

/// Watches a session until nobody gives orders any more. Without a keeper it waits for [`Shared::retry`].
pub(super) async fn run(shared: Arc<Shared>, paths: Paths, mut orders: mpsc::Receiver<Order>) {
    let mut served = false;
    let mut size = None;
    loop {
        match answered(&shared, &paths, Keeper::connect(&paths.socket)).await {
            Ok(keeper) => {
                let ended = tokio::select! {
                    served = serve(&shared, &paths, keeper, &mut orders, size.take()) => served,
                    never = look_after(&shared, &paths) => match never {},
                };
                match ended {
                    Ok(Served::Left) => return,
                    Ok(Served::Closed) => {}
                    Err(error) => tracing::debug!(%error, "a watched screen was lost"),
                }
                // The last screen stays.
                served = true;
                shared.change(|state| (state.ended, state.silent) = (true, false));
            }
            Err(error) => {
                tracing::debug!(%error, "a screen cannot be watched");
                let silent = std::mem::take(&mut shared.state().silent);
                if !served || silent || shared.state().screen.is_none() {
                    tokio::select! {
                        () = remember(&shared, &paths) => {}
                        () = unheard(&mut orders, &mut size) => return,
                    }
                }
            }
        }
        tokio::select! {
            () = shared.retry.notified() => {}
            () = unheard(&mut orders, &mut size) => return,
        }
    }
}

/// Waits for an answer of the keeper. While it does not come the pane says so.
async fn answered<T>(shared: &Shared, paths: &Paths, answer: impl Future<Output = T>) -> T {
    let mut answer = pin!(answer);
    if let Ok(answer) = tokio::time::timeout(PATIENCE, &mut answer).await {
        return answer;
    }
    show_silent(shared, paths).await;
    answer.await
}

/// Says that the keeper does not answer, above the last screen that is known.
async fn show_silent(shared: &Shared, paths: &Paths) {
    let known = shared.state().screen.is_some();
    let read = if known { None } else { replay::last_screen(paths.history.clone(), HISTORY).await };
    shared.change(|state| {
        state.screen = state.screen.take().or(read);
        state.silent = true;
    });
}

/// Says so, for as long as it is so, where a keeper that is watched stops to answer. Who writes is heard
/// anyway; who is silent is called. That call has a connection of its own: a keeper may let what is typed
/// wait for the agent for long, and does not read on meanwhile.
async fn look_after(shared: &Shared, paths: &Paths) -> Infallible {
    loop {
        let before = shared.state().heard;
        tokio::time::sleep(CALL_EVERY).await;
        if shared.state().heard != before {
            continue;
        }
        let mut call = pin!(Keeper::connect(&paths.socket));
        if tokio::time::timeout(PATIENCE, &mut call).await.is_err() {
            show_silent(shared, paths).await;
            // Where it is gone this is told by the connection that watches it.
            if call.await.is_ok() {
                shared.change(|state| state.silent = false);
            }
        }
    }
}

/// Takes orders while nobody is there to be typed to, until there are no more. The keeper that comes
/// has to know the newest size.
async fn unheard(orders: &mut mpsc::Receiver<Order>, size: &mut Option<Order>) {
    while let Some(order) = orders.recv().await {
        if let Order::Resize(..) = order {
            *size = Some(order);
        }
    }
}

/// Shows the last screen, from the history where it is not there already.
async fn remember(shared: &Shared, paths: &Paths) {
    let stamp = replay::stamp(paths.history.clone()).await;
    let known = {
        let state = shared.state();
        state.screen.is_some() && state.stamp == stamp
    };
    let read = if known { None } else { replay::last_screen(paths.history.clone(), HISTORY).await };
    if read.is_none() && shared.state().ended {
        // As before: no reason to draw.
        return;
    }
    shared.change(|state| {
        if let Some(screen) = read {
            state.screen = Some(screen);
            state.stamp = stamp;
        }
        state.ended = true;
    });
}

/// Why a keeper is served no more.
enum Served {
    /// It is gone.
    Closed,
    /// Nobody watches.
    Left,
}

/// Feeds the engine and types, first what is overdue, until the keeper is gone or nobody watches.
async fn serve(
    shared: &Shared,
    paths: &Paths,
    keeper: Keeper,
    orders: &mut mpsc::Receiver<Order>,
    overdue: Option<Order>,
) -> ClientResult<Served> {
    let generation = keeper.generation();
    let subscribed = keeper.subscribe_screen(HISTORY);
    let (mut feed, mut typist) = answered(shared, paths, subscribed).await?;
    let (asked, mut shown) = (clock::monotonic(), false);
    if let Some(order) = overdue {
        type_order(&mut typist, order, generation).await?;
    }
    loop {
        tokio::select! {
            update = feed.next() => match update {
                ScreenUpdate::Closed => return Ok(Served::Closed),
                update => {
                    shown = true;
                    hear(shared);
                    take(shared, update);
                }
            },
            () = tokio::time::sleep_until((asked + PATIENCE).into()), if !shown => {
                shown = true;
                show_silent(shared, paths).await;
            }
            order = orders.recv() => match order {
                Some(order) => type_order(&mut typist, order, generation).await?,
                None => return Ok(Served::Left),
            },
        }
    }
}

/// A keeper that says something is not silent.
fn hear(shared: &Shared) {
    let mut state = shared.state();
    state.heard += 1;
    state.silent = false;
}

fn take(shared: &Shared, update: ScreenUpdate) {
    match update {
        ScreenUpdate::Snapshot { cols, rows, bytes } => {
            let mut screen = Screen::new(Size { cols, rows }, HISTORY);
            screen.replay(&bytes);
            screen.take_replies();
            shared.change(|state| {
                *state = State { screen: Some(screen), ..std::mem::take(state) };
                (state.ended, state.silent) = (false, false);
                state.stamp = None;
            });
        }
        ScreenUpdate::Bytes(bytes) => shared.change(|state| {
            if let Some(screen) = &mut state.screen {
                let events = screen.feed(&bytes);
                state.signals.extend(events.into_iter().filter_map(signal));
                state.signals.truncate(SIGNALS);
                // The keeper's engine answers queries.
                screen.take_replies();
            }
        }),
        ScreenUpdate::Resized { cols, rows } => shared.change(|state| {
            if let Some(screen) = &mut state.screen {
                screen.resize(Size { cols, rows });
            }
        }),
        ScreenUpdate::Refused { reason } => shared.change(|state| state.refused = Some(reason)),
        // The last screen stays.
        ScreenUpdate::Exit(_) | ScreenUpdate::Closed => {}
    }
}

/// What a program asks its terminal for.
fn signal(event: ScreenEvent) -> Option<Signal> {
    match event {
        ScreenEvent::Bell => Some(Signal::Bell),
        ScreenEvent::Clipboard(bytes) if bytes.len() <= CLIPBOARD => {
            let text = String::from_utf8(bytes).ok()?;
            (!text.is_empty()).then_some(Signal::Clipboard(text))
        }
        ScreenEvent::Notification { title, body } => {
            let text = title.map_or_else(|| body.clone(), |title| format!("{title}: {body}"));
            Some(Signal::Notification(text))
        }
        _ => None,
    }
}

async fn type_order(typist: &mut Typist, order: Order, generation: u32) -> ClientResult<()> {
    match order {
        Order::Input(bytes) => typist.bytes(&bytes).await,
        Order::Paste(text) => typist.paste(generation, &text).await,
        Order::Resize(size, yields) => typist.resize(size.cols, size.rows, yields).await,
    }
}
