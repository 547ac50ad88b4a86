//! Screens of agents: one engine for each session on view, fed by its keeper or, where none runs, by its
//! history. Output is
//! signalled by a number that grows; the picture is taken when a frame is drawn, so a flood costs no
//! more than the frames that are shown.

mod feed;
pub(in crate::tui) mod picture;
mod replay;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::key::Key;
use crate::os::paths::Home;
use crate::runtime::client::{Keeper, Reason, WitnessReport};
use crate::runtime::keys::{
    KeyKind, MouseEvent, encode_focus, encode_key, encode_mouse, encode_paste,
};
use crate::runtime::screen::{InputModes, Screen, Size};

use super::app::reading::Document;
use super::app::screen::ScreenCells;
use super::event::Signal;
use super::theme::Depth;
use feed::{Order, Paths, Shared};

/// Orders that wait for a keeper; more are refused, since then the agent does not read.
const ORDERS: usize = 256;
/// A frame that a program holds (mode 2026) is shown after this time all the same.
const HELD_AT_MOST: Duration = Duration::from_millis(150);

/// How long a keeper may take to say what its witnesses say, or to take what was typed last.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most rows of history that are read, whatever the configuration says: 12 bytes a cell.
const FURTHEST: usize = 50_000;
/// Last screens of sessions that ended that are kept after they went out of view.
const KEPT: usize = 4;

/// A picture of a session; none where nothing of it is known.
pub type Picture = (SessionId, Option<Arc<ScreenCells>>);

/// The watched sessions.
pub struct Live {
    home: Home,
    workspace: WorkspaceName,
    depth: Depth,
    /// Rows of history that are read at most.
    reach: usize,
    feeds: BTreeMap<SessionId, Feed>,
    /// Sessions that ended and were on view, newest last.
    kept: VecDeque<(SessionId, Arc<Shared>)>,
    /// The agent that is typed into, the size of its pane, and whether it was told of it.
    size: Option<(SessionId, Size, bool)>,
    changed: watch::Sender<u64>,
    seen: watch::Receiver<u64>,
}

struct Feed {
    shared: Arc<Shared>,
    orders: mpsc::Sender<Order>,
    /// Since when the program holds its frame.
    held: Option<Instant>,
    task: AbortOnDropHandle<()>,
}

impl Feed {
    /// Ends it once what was typed is with the agent; one that does not take it is not waited for long.
    fn let_go(self) {
        drop(self.orders);
        tokio::spawn(tokio::time::timeout(PATIENCE, self.task));
    }
}

impl Live {
    /// Watches nobody yet. Whoever reads a screen comes `reach` rows back, as far as they are kept.
    pub fn new(home: Home, workspace: WorkspaceName, depth: Depth, reach: usize) -> Self {
        let (changed, seen) = watch::channel(0);
        let (feeds, kept) = (BTreeMap::new(), VecDeque::new());
        Self {
            home,
            workspace,
            depth,
            reach: reach.min(FURTHEST),
            feeds,
            kept,
            size: None,
            changed,
            seen,
        }
    }

    /// Watches exactly these sessions from now on.
    pub fn watch(&mut self, ids: &[SessionId]) {
        for (id, feed) in self.feeds.extract_if(.., |id, _| !ids.contains(id)) {
            if feed.shared.state().ended {
                self.kept.push_back((id, Arc::clone(&feed.shared)));
            }
            feed.let_go();
        }
        let surplus = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..surplus);
        for id in ids {
            if !self.feeds.contains_key(id) {
                let feed = self.feed(id);
                self.feeds.insert(id.clone(), feed);
            }
        }
        self.give_size();
    }

    fn feed(&mut self, id: &SessionId) -> Feed {
        let at = self.kept.iter().position(|(kept, _)| kept == id);
        let kept = at.and_then(|at| self.kept.remove(at)).map(|(_, shared)| shared);
        let shared = kept.unwrap_or_else(|| Shared::new(self.changed.clone()));
        shared.show_again();
        let (orders, waiting) = mpsc::channel(ORDERS);
        let paths = Paths {
            socket: self.home.socket(&self.workspace, id),
            history: self.home.history(&self.workspace, id),
        };
        let task = tokio::spawn(feed::run(Arc::clone(&shared), paths, waiting));
        Feed { shared, orders, held: None, task: AbortOnDropHandle::new(task) }
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

    /// Pictures that changed since they were last taken, but for those that are to wait. Also how long
    /// to wait for one of these, or one that its program holds back.
    pub fn take(
        &mut self,
        now: Instant,
        waits: impl Fn(&SessionId) -> Duration,
    ) -> (Vec<Picture>, Option<Duration>) {
        let mut pictures = Vec::new();
        let mut wait: Option<Duration> = None;
        for (id, feed) in &mut self.feeds {
            let mut state = feed.shared.state();
            if !state.dirty {
                continue;
            }
            let left = waits(id);
            if !left.is_zero() {
                wait = Some(wait.map_or(left, |other| other.min(left)));
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
            let silent = state.silent;
            let picture = |screen| {
                let cells = picture::picture(screen, state.ended || silent, self.depth);
                let refused = state.refused.map(Reason::text);
                ScreenCells { ended: state.ended, silent, refused, ..cells }
            };
            // Also where nothing of its screen is known, the pane has to say why.
            let unknown = || silent.then(|| ScreenCells { silent, ..ScreenCells::default() });
            let cells = state.screen.as_ref().map(picture).or_else(unknown);
            pictures.push((id.clone(), cells.map(Arc::new)));
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
        let bytes = self.encoded(id, keys);
        self.order(id, Order::Input(bytes))
    }

    /// Keys as the program of an agent asked for them.
    pub fn encoded(&self, id: &SessionId, keys: &[Key]) -> Vec<u8> {
        let modes = self.modes(id);
        keys.iter().flat_map(|key| encode_key(key, KeyKind::Press, &modes)).collect()
    }

    /// A pasted text as the program of an agent asked for it.
    pub fn encoded_paste(&self, id: &SessionId, text: &str) -> Vec<u8> {
        encode_paste(text, &self.modes(id))
    }

    fn modes(&self, id: &SessionId) -> InputModes {
        let feed = self.feeds.get(id);
        feed.and_then(|feed| feed.shared.state().screen.as_ref().map(Screen::modes))
            .unwrap_or_default()
    }

    /// Pastes a text into an agent. False where it does not take it.
    pub fn paste(&mut self, id: &SessionId, text: String) -> bool {
        self.order(id, Order::Paste(text))
    }

    /// Gives an agent what the operator typed. False where nobody takes it.
    fn order(&self, id: &SessionId, order: Order) -> bool {
        let takes = |feed: &&Feed| {
            let state = feed.shared.state();
            !state.ended && !state.silent
        };
        self.feeds.get(id).filter(takes).is_some_and(|feed| {
            self.take_size(feed, id);
            let sent = feed.orders.try_send(order).is_ok();
            let was_refused = sent && feed.shared.state().refused.is_some();
            if was_refused {
                feed.shared.change(|state| state.refused = None);
            }
            sent
        })
    }

    /// Gives an agent the size of the pane that types into it, as soon as it is watched. Where another
    /// viewer typed into it since, only with the next key.
    pub fn resize(&mut self, id: &SessionId, cols: u16, rows: u16) {
        self.size = Some((id.clone(), Size { cols, rows }, false));
        self.give_size();
    }

    fn give_size(&mut self) {
        if let Some((id, size, told @ false)) = &mut self.size {
            let feed = self.feeds.get(id);
            let order = Order::Resize(*size, true);
            *told = feed.is_some_and(|feed| feed.orders.try_send(order).is_ok());
        }
    }

    /// Who types into an agent has the say about its size: another console may have typed since.
    fn take_size(&self, feed: &Feed, id: &SessionId) {
        if let Some((typed, size, true)) = &self.size
            && typed == id
            && feed.shared.state().screen.as_ref().is_some_and(|screen| screen.size() != *size)
        {
            let _ = feed.orders.try_send(Order::Resize(*size, false));
        }
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

    /// Gives the mouse to an agent's program, encoded as it asked for; what it does not want is dropped.
    pub fn point_at(&mut self, id: &SessionId, mouse: MouseEvent) {
        let Some(feed) = self.feeds.get(id) else {
            return;
        };
        let modes = feed.shared.state().screen.as_ref().map(Screen::modes);
        if let Some(bytes) = modes.and_then(|modes| encode_mouse(mouse, &modes)) {
            let _ = feed.orders.try_send(Order::Input(bytes));
        }
    }

    /// A watched screen and what scrolled out of it, as it is now.
    pub fn document(&self, id: &SessionId) -> Option<Arc<Document>> {
        let state = self.feeds.get(id)?.shared.state();
        let screen = state.screen.as_ref()?;
        let mut document = picture::document(screen, self.depth);
        document.cut = screen.scrollback_len() >= feed::HISTORY && self.reach > feed::HISTORY;
        Some(Arc::new(document))
    }

    /// A document with the lines before it, from what its keeper wrote down: an engine keeps no more than is
    /// in the document already. None where nothing older is kept.
    pub fn with_older(
        &self,
        id: &SessionId,
        document: Arc<Document>,
    ) -> impl Future<Output = Option<Arc<Document>>> + Send + use<> {
        let folder = self.home.history(&self.workspace, id);
        let (reach, depth) = (self.reach, self.depth);
        async move {
            let screen = replay::last_screen(folder, reach).await?;
            let join = move || document.with_older(&picture::document(&screen, depth));
            tokio::task::spawn_blocking(join).await.ok().flatten().map(Arc::new)
        }
    }

    /// What watched programs asked their terminal for since this was called last.
    pub fn signals(&mut self) -> Vec<(SessionId, Signal)> {
        let feeds = self.feeds.iter();
        let signals = feeds.flat_map(|(id, feed)| {
            let signals = std::mem::take(&mut feed.shared.state().signals);
            signals.into_iter().map(|signal| (id.clone(), signal))
        });
        signals.collect()
    }
}
