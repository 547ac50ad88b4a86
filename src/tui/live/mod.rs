//! Screens of running agents: one engine for each session on view, fed by its keeper. Output is
//! signalled by a number that grows; the picture is taken when a frame is drawn, so a flood costs no
//! more than the frames that are shown.

mod feed;
mod picture;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::key::Key;
use crate::os::paths::Home;
use crate::runtime::client::{Keeper, WitnessReport};
use crate::runtime::keys::{KeyKind, encode_focus, encode_key};
use crate::runtime::screen::Screen;

use super::app::screen::ScreenCells;
use super::theme::Depth;
use feed::{Order, Shared};

/// Orders that wait for a keeper; more are refused, since then the agent does not read.
const ORDERS: usize = 256;
/// A frame that a program holds (mode 2026) is shown after this time all the same.
const HELD_AT_MOST: Duration = Duration::from_millis(150);

/// How long a keeper may take to say what its witnesses say.
const PATIENCE: Duration = Duration::from_secs(2);

/// A picture of a session; none while it does not run.
pub type Picture = (SessionId, Option<Arc<ScreenCells>>);

/// The watched sessions.
pub struct Live {
    home: Home,
    workspace: WorkspaceName,
    depth: Depth,
    feeds: BTreeMap<SessionId, Feed>,
    /// The agent that is typed into, and the size of its pane: kept until it is watched.
    size: Option<(SessionId, u16, u16)>,
    changed: watch::Sender<u64>,
    seen: watch::Receiver<u64>,
}

struct Feed {
    shared: Arc<Shared>,
    orders: mpsc::Sender<Order>,
    /// Since when the program holds its frame.
    held: Option<Instant>,
    _task: AbortOnDropHandle<()>,
}

impl Live {
    /// Watches nobody yet.
    pub fn new(home: Home, workspace: WorkspaceName, depth: Depth) -> Self {
        let (changed, seen) = watch::channel(0);
        Self { home, workspace, depth, feeds: BTreeMap::new(), size: None, changed, seen }
    }

    /// Watches exactly these sessions from now on.
    pub fn watch(&mut self, ids: &[SessionId]) {
        self.feeds.retain(|id, _| ids.contains(id));
        for id in ids {
            if !self.feeds.contains_key(id) {
                let feed = self.feed(id);
                self.feeds.insert(id.clone(), feed);
            }
        }
        self.give_size();
    }

    fn feed(&self, id: &SessionId) -> Feed {
        let shared = Shared::new(self.changed.clone());
        let (orders, waiting) = mpsc::channel(ORDERS);
        let socket = self.home.socket(&self.workspace, id);
        let task = tokio::spawn(feed::run(Arc::clone(&shared), socket, waiting));
        Feed { shared, orders, held: None, _task: AbortOnDropHandle::new(task) }
    }

    /// Asks the keeper of a session what each witness says (`spec/agents.md` G8); nobody, where none can
    /// be asked.
    pub fn witnesses(
        &self,
        id: &SessionId,
    ) -> impl Future<Output = Vec<WitnessReport>> + Send + use<> {
        let socket = self.home.socket(&self.workspace, id);
        let asking = async move { Keeper::connect(&socket).await?.status().await };
        async {
            let asked = tokio::time::timeout(PATIENCE, asking).await;
            asked.ok().and_then(Result::ok).map_or_else(Vec::new, |status| status.witnesses)
        }
    }

    /// Looks again for keepers that were not there, since something changed.
    pub fn retry(&self) {
        for feed in self.feeds.values() {
            feed.shared.retry.notify_one();
        }
    }

    /// Waits until a picture changed.
    pub async fn changed(&mut self) {
        // The sender is ours, so the channel cannot be closed.
        let _ = self.seen.changed().await;
    }

    /// Pictures that changed since they were last taken. Also how long to wait for one that its
    /// program holds back.
    pub fn take(&mut self, now: Instant) -> (Vec<Picture>, Option<Duration>) {
        let mut pictures = Vec::new();
        let mut wait: Option<Duration> = None;
        for (id, feed) in &mut self.feeds {
            let mut state = feed.shared.state();
            if !state.dirty {
                continue;
            }
            if state.screen.as_ref().is_some_and(Screen::synchronized) {
                let since = *feed.held.get_or_insert(now);
                let left = HELD_AT_MOST.saturating_sub(now.saturating_duration_since(since));
                if !left.is_zero() {
                    wait = Some(wait.map_or(left, |other| other.min(left)));
                    continue;
                }
            }
            feed.held = None;
            state.dirty = false;
            let scrolled = state.scrolled;
            let cells = state
                .screen
                .as_ref()
                .map(|screen| Arc::new(picture::picture(screen, scrolled, self.depth)));
            state.scrolled = cells.as_ref().map_or(0, |cells| cells.scrolled);
            pictures.push((id.clone(), cells));
        }
        (pictures, wait)
    }

    /// Whether the picture of this session changed and may be shown.
    pub fn is_due(&self, id: &SessionId) -> bool {
        self.feeds.get(id).is_some_and(|feed| {
            let state = feed.shared.state();
            let held = state.screen.as_ref().is_some_and(Screen::synchronized);
            state.dirty && !held
        })
    }

    /// Types keys into an agent, encoded as its program asked for them. False where the agent is not
    /// watched or does not take them.
    pub fn type_keys(&mut self, id: &SessionId, keys: &[Key]) -> bool {
        let Some(feed) = self.feeds.get(id) else {
            return false;
        };
        let mut state = feed.shared.state();
        let modes = state.screen.as_ref().map(Screen::modes).unwrap_or_default();
        let bytes = keys.iter().flat_map(|key| encode_key(key, KeyKind::Press, &modes)).collect();
        if std::mem::take(&mut state.scrolled) > 0 {
            state.dirty = true;
        }
        drop(state);
        feed.orders.try_send(Order::Input(bytes)).is_ok()
    }

    /// Pastes a text into an agent. False where it does not take it.
    pub fn paste(&mut self, id: &SessionId, text: String) -> bool {
        let feed = self.feeds.get(id);
        feed.is_some_and(|feed| feed.orders.try_send(Order::Paste(text)).is_ok())
    }

    /// Gives an agent the size of the pane that types into it, as soon as it is watched.
    pub fn resize(&mut self, id: &SessionId, cols: u16, rows: u16) {
        self.size = Some((id.clone(), cols, rows));
        self.give_size();
    }

    fn give_size(&mut self) {
        self.size.take_if(|(id, cols, rows)| {
            let feed = self.feeds.get(id);
            feed.is_some_and(|feed| feed.orders.try_send(Order::Resize(*cols, *rows)).is_ok())
        });
    }

    /// Tells an agent that the window has the focus or lost it, where it wants to know.
    pub fn focus(&mut self, id: &SessionId, focused: bool) {
        let Some(feed) = self.feeds.get(id) else {
            return;
        };
        let modes = feed.shared.state().screen.as_ref().map(Screen::modes);
        if let Some(bytes) = modes.and_then(|modes| encode_focus(focused, &modes)) {
            let _ = feed.orders.try_send(Order::Input(bytes));
        }
    }

    /// Shows older rows of a screen (positive) or newer ones (negative), of which `view` fit: the
    /// first row of its history is the first one on view when there is nothing older.
    pub fn scroll(&mut self, id: &SessionId, by: i32, view: u16) {
        if let Some(feed) = self.feeds.get(id) {
            let mut state = feed.shared.state();
            let step = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
            let most = state.screen.as_ref().map_or(0, |screen| picture::beyond(screen, view));
            state.scrolled = if by > 0 {
                state.scrolled.saturating_add(step).min(most)
            } else {
                state.scrolled.saturating_sub(step)
            };
            state.dirty = true;
            drop(state);
            self.changed.send_modify(|number| *number += 1);
        }
    }
}
