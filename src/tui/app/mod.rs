//! Everything the dashboard knows, as one value. [`update`](super::update) changes it, the
//! [`views`](super::views) draw it; it does nothing by itself.

pub mod editor;
pub mod everywhere;
pub mod find;
pub mod form;
pub mod job;
pub mod layout;
pub mod legal;
pub mod list;
pub mod marks;
pub mod overlay;
mod parts;
pub mod plan;
mod rail;
pub mod reading;
pub mod screen;
pub mod toast;
pub mod usage;
mod wake;
pub mod wall;
pub mod words;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::ids::{ProjectName, SessionId};
use crate::domain::key::Key;
use crate::domain::query::Order;
use crate::domain::rail::{FilterCount, Section, SectionKey};
use crate::domain::session::{Session, Usage};
use crate::domain::status::Zone;
use crate::domain::time::Timestamp;
use crate::domain::worktree::Base;
use crate::host::OnView;

use self::everywhere::{Everywhere, Passage};
use self::form::NewForm;
use self::job::Jobs;
use self::layout::{Layout, Shape, THREE_COLUMNS, TWO_COLUMNS};
use self::list::List;
use self::overlay::Overlay;
pub use self::parts::{Burst, Focus, Looking, Passes, Setup, Typing, View};
pub use self::rail::RailPlace;
pub(in crate::tui) use self::rail::filter_of;
use self::reading::{Begin, Press, Reading, Wanted};
use self::screen::ScreenCells;
use self::toast::Toasts;
use self::wall::Wall;

use super::action::{Action, Context};
use super::event::{Board, Tab, TabContent, WorkFacts};
use crate::monitor::notice::Notices;

/// A screen counts as looked at after this time (T4).
pub const SEEN_AFTER: Duration = Duration::from_secs(1);
/// The store is read again at most this often while it changes.
pub const REREAD_AFTER: Duration = Duration::from_millis(500);
/// `Loading` is written only after this time (`spec/look.md` section 7).
pub const LOADING_AFTER: Duration = Duration::from_millis(150);

/// The dashboard.
#[derive(Debug, Clone)]
pub struct App {
    /// What was known at the start.
    pub setup: Setup,
    /// The time of the latest event.
    pub now: Timestamp,
    /// When the latest key was pressed.
    pub last_key: Timestamp,
    /// The window has the focus.
    pub window_focused: bool,
    /// The view.
    pub view: View,
    /// What of it has the focus.
    pub focus: Focus,
    /// The agent that gets the keys.
    pub typing: Option<Typing>,
    /// Keys of a chord that is not complete.
    pub pending: Vec<Key>,
    /// Characters that came together.
    pub burst: Burst,
    /// When a button was pressed: a second Enter right after it does nothing.
    pub confirmed_at: Option<Timestamp>,
    /// Restores of one session whose plans are awaited, by ticket: a dialog opens where a plan has
    /// something to say. With each the time of the key that asked for it.
    pub foreseen: BTreeMap<u64, (SessionId, Timestamp)>,
    /// Sections and trash.
    pub board: Board,
    /// A project with so many worktrees in the trash that its git is slow, and how many (R5).
    pub crowded: Option<(String, u64)>,
    /// Sessions that want the operator, any order (T4).
    pub waiting: Vec<Session>,
    /// Who of them the operator is still to be told of.
    pub notices: Notices,
    /// The title that the operator's terminal was given.
    pub title: String,
    /// The board arrived at least once.
    pub loaded: bool,
    /// Where the dashboard begins, until the board is there.
    pub start: Option<Start>,
    /// The selected section; behind a saved filter, where one was before.
    pub section: Option<SectionKey>,
    /// The saved filter that is shown in its place, by name.
    pub filter: Option<String>,
    /// What the saved filters let through, as counted last.
    pub filter_counts: BTreeMap<String, FilterCount>,
    /// The filter that is shown as soon as it is among the saved ones.
    pub saving: Option<String>,
    /// Order of the list.
    pub order: Order,
    /// Its sessions.
    pub list: List,
    /// Deleted sessions.
    pub trash: List,
    /// Operations.
    pub jobs: Jobs,
    /// Tiles of live screens.
    pub wall: Wall,
    /// The chosen tab of the right pane.
    pub tab: Tab,
    /// First line on view of a tab with text.
    pub tab_top: usize,
    /// First column on view of a tab with text.
    pub tab_left: usize,
    /// What the tabs of the selected session show.
    pub tabs: BTreeMap<(SessionId, Tab), TabContent>,
    /// Changes in worktrees.
    pub work: BTreeMap<SessionId, WorkFacts>,
    /// The base of the session whose details were asked for.
    pub base: Option<(SessionId, Base)>,
    /// What process trees take, as looked at last.
    pub usage: BTreeMap<SessionId, Usage>,
    /// The session whose tree is looked at, and when that was asked for.
    pub measured: Option<(SessionId, Timestamp)>,
    /// Screens of watched sessions.
    pub screens: BTreeMap<SessionId, Arc<ScreenCells>>,
    /// The terminal that is read: scrolled back, or in copy mode.
    pub reading: Option<Reading>,
    /// A terminal that will be read once its document is there.
    pub wanted: Option<Wanted>,
    /// The last click in the pane of a screen.
    pub press: Option<Press>,
    /// Where outside of screens the mouse was pressed last, and when.
    pub clicked: Option<((u16, u16), Timestamp)>,
    /// What an agent offers to the clipboard, and which one.
    pub offer: Option<(SessionId, String)>,
    /// Sessions whose screens were asked for.
    pub watched: Vec<SessionId>,
    /// Sessions whose changes were asked for.
    pub counted: Vec<SessionId>,
    /// Projects whose sessions are in the list, as told last.
    pub projects_on_view: OnView,
    /// When they were asked for.
    pub counted_at: Timestamp,
    /// The tab whose content was asked for.
    pub tab_asked: Option<(SessionId, Tab)>,
    /// Layers above the view; the last one gets the keys.
    pub overlays: Vec<Overlay>,
    /// What is looked for in all sections, messages and the trash.
    pub everywhere: Everywhere,
    /// The message that was found last, while it is on view.
    pub passage: Option<Passage>,
    /// Actions that were run by name, the latest first.
    pub recent: Vec<Action>,
    /// The form for a new session, as it was left.
    pub draft: Option<NewForm>,
    /// What was launched last from here, in each project and outside.
    pub launched: BTreeMap<Option<ProjectName>, String>,
    /// The form that was submitted last, and when: it is shown again where it failed.
    pub submitted: Option<(NewForm, Timestamp)>,
    /// When a session was forked last: the new one is shown to whoever did nothing since.
    pub forked: Option<Timestamp>,
    /// Notices.
    pub toasts: Toasts,
    /// Faults by their source.
    pub faults: BTreeMap<String, String>,
    /// The session that is looked at.
    pub looking: Option<Looking>,
    /// An action that waits until a filter mark became ids, with the ticket of the page.
    pub resolving: Option<(u64, Action)>,
    /// The last ticket that was given out.
    pub tickets: u64,
    /// The store changed since it was read.
    pub stale: bool,
    /// When the store was read last.
    pub read_at: Timestamp,
}

/// Where the dashboard begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The section.
    pub section: SectionKey,
    /// The session; the first of the section where none is named.
    pub select: Option<SessionId>,
}

impl App {
    /// The dashboard before anything is known.
    pub fn new(setup: Setup) -> Self {
        let now = setup.now;
        Self {
            setup,
            now,
            last_key: Timestamp(0),
            window_focused: true,
            view: View::default(),
            focus: Focus::default(),
            typing: None,
            pending: Vec::new(),
            burst: Burst::default(),
            confirmed_at: None,
            foreseen: BTreeMap::new(),
            board: Board::default(),
            crowded: None,
            waiting: Vec::new(),
            notices: Notices::default(),
            title: String::new(),
            loaded: false,
            start: None,
            section: None,
            filter: None,
            filter_counts: BTreeMap::new(),
            saving: None,
            order: Order::Zone,
            list: List::default(),
            trash: List::default(),
            jobs: Jobs::default(),
            wall: Wall::default(),
            tab: Tab::default(),
            tab_top: 0,
            tab_left: 0,
            tabs: BTreeMap::new(),
            work: BTreeMap::new(),
            base: None,
            usage: BTreeMap::new(),
            measured: None,
            screens: BTreeMap::new(),
            reading: None,
            wanted: None,
            press: None,
            clicked: None,
            offer: None,
            watched: Vec::new(),
            counted: Vec::new(),
            projects_on_view: OnView::new(),
            counted_at: Timestamp(0),
            tab_asked: None,
            overlays: Vec::new(),
            everywhere: Everywhere::default(),
            passage: None,
            recent: Vec::new(),
            draft: None,
            launched: BTreeMap::new(),
            submitted: None,
            forked: None,
            toasts: Toasts::default(),
            faults: BTreeMap::new(),
            looking: None,
            resolving: None,
            tickets: 0,
            stale: false,
            read_at: Timestamp(0),
        }
    }

    /// Contexts whose keys act now, nearest first.
    pub fn contexts(&self) -> Vec<Context> {
        if let Some(overlay) = self.overlays.last() {
            return vec![overlay.context()];
        }
        if self.is_copying() {
            return vec![Context::Copy];
        }
        if self.typing.is_some() {
            return vec![Context::Terminal];
        }
        vec![self.view_context(), Context::Global]
    }

    /// Context of the view, whatever lies above it.
    pub fn view_context(&self) -> Context {
        match (self.view, self.focus) {
            (View::Sessions, _) if self.is_empty() => Context::Empty,
            (View::Jobs, _) => Context::Jobs,
            (View::Wall, _) => Context::Wall,
            (_, Focus::Rail) => Context::Rail,
            (View::Trash, _) => Context::Trash,
            (View::Sessions, Focus::List) => Context::List,
            (View::Sessions, Focus::Right) => Context::Details,
        }
    }

    /// No project and no session yet, not even in the trash.
    pub fn is_empty(&self) -> bool {
        let sections = &self.board.sections;
        self.loaded
            && self.board.trash == 0
            && self.board.projects.is_empty()
            && sections.iter().all(|section| section.total == 0 && section.path.is_none())
    }

    /// The areas of the window.
    pub fn layout(&self) -> Layout {
        let (cols, _) = self.setup.size;
        let shape = match (self.view, &self.typing) {
            _ if self.shows_wall() => Shape::Wall,
            (_, Some(_)) if cols < THREE_COLUMNS => Shape::Zoom,
            (_, Some(_)) => Shape::Typing,
            (View::Sessions, None) if self.reads_whole() && cols >= THREE_COLUMNS => Shape::Typing,
            (_, None) if self.reads_whole() => Shape::Zoom,
            (View::Sessions, _) if self.is_empty() => Shape::Single,
            (View::Sessions | View::Wall, None) => {
                Shape::Board { right: self.focus == Focus::Right, rail: self.focus == Focus::Rail }
            }
            (View::Trash, None) if self.focus == Focus::Rail && cols < TWO_COLUMNS => {
                Shape::Board { right: false, rail: true }
            }
            (View::Trash, None) => Shape::Wide,
            (View::Jobs, None) => Shape::Pair { right: self.focus == Focus::Right },
        };
        Layout::of(self.setup.size, shape)
    }

    /// The list that has the selection in this view.
    pub fn current_list(&self) -> &List {
        if self.view == View::Trash { &self.trash } else { &self.list }
    }

    /// The list that has the selection in this view.
    pub fn current_list_mut(&mut self) -> &mut List {
        if self.view == View::Trash { &mut self.trash } else { &mut self.list }
    }

    /// The selected session: of the list, or of the tile with the focus.
    pub fn selected(&self) -> Option<&Session> {
        if self.view == View::Wall {
            return self.wall_focus().and_then(|id| self.known(id));
        }
        self.current_list().current()
    }

    /// The selected section; also while a saved filter is shown.
    pub fn current_section(&self) -> Option<&Section> {
        let key = self.section.as_ref()?;
        self.board.sections.iter().find(|section| section.key == *key)
    }

    /// Sessions of a zone in all sections.
    pub fn zone_count(&self, zone: Zone) -> u64 {
        self.board.sections.iter().map(|section| section.zones.of(zone)).sum()
    }

    /// Files of a session with uncommitted changes, as counted last.
    pub fn dirty(&self, session: &Session) -> Option<u32> {
        self.work.get(&session.id).and_then(|work| work.dirty).or(session.dirty)
    }

    /// The sessions whose screens are on view.
    pub fn on_view(&self) -> Vec<SessionId> {
        if self.shows_wall() {
            return self.wall.tiles.clone();
        }
        self.in_focus().cloned().into_iter().collect()
    }

    /// The one of them that is looked at: in the right pane, the peek, the tile with the focus, or typed to.
    pub fn in_focus(&self) -> Option<&SessionId> {
        if let Some(typing) = &self.typing {
            return Some(&typing.id);
        }
        let whole = self.reading.as_ref().filter(|reading| reading.whole);
        let wanted = self.wanted.as_ref().filter(|wanted| wanted.begin == Begin::Copy);
        if let Some(id) = whole.map(|it| &it.id).or(wanted.map(|it| &it.id)) {
            return Some(id);
        }
        if self.view == View::Wall {
            return self.wall_focus();
        }
        if self.view != View::Sessions {
            return None;
        }
        let layout = self.layout();
        let shown =
            if layout.right.width > 0 { self.tab == Tab::Screen } else { layout.peek.height > 0 };
        self.list.selected.as_ref().filter(|_| shown)
    }

    /// The session whose screen is on view of an operator who looks at it.
    pub fn looked_at(&self) -> Option<&SessionId> {
        let open = self.window_focused && !self.overlays.iter().any(Overlay::veils);
        self.in_focus().filter(|_| open)
    }

    /// A tab begins at its start.
    pub fn show_tab_start(&mut self) {
        (self.tab_top, self.tab_left) = (0, 0);
    }

    /// A ticket for a request.
    pub fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }
}
