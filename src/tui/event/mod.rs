//! What reaches [`update`](super::update::update) and what it asks for. Plain data on both sides:
//! a runner outside reads keys, asks the store and calls the coordinators.

mod effect;
mod outcome;

use std::collections::BTreeSet;
use std::sync::Arc;

use crossterm::event::MouseEvent;

use crate::domain::event::{Event as AuditEntry, Message};
use crate::domain::ids::{BatchId, SessionId};
use crate::domain::key::Key;
use crate::domain::operation::Operation;
use crate::domain::plan::Plan;
use crate::domain::query::Page;
use crate::domain::rail::{FilterCount, Project, SavedFilter, Section};
use crate::domain::session::{Session, Usage};
use crate::domain::worktree::Base;
use crate::host::report::Progress;
use crate::runtime::client::WitnessReport;

pub use self::effect::{Effect, Lent, StopHow};
pub use self::outcome::{Outcome, Settled};
use super::app::form::Targets;
use super::app::plan::PlanRequest;
use super::app::reading::Document;
use super::app::screen::ScreenCells;
use super::keymap::Keymap;
use super::theme::Theme;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// Keys that were waiting, in order; nearly always one. All that arrived together come in one
    /// event, so that a burst is seen before its first key acts.
    Keys(Vec<Key>),
    /// A bracketed paste.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// The window has the focus, or lost it.
    Focus(bool),
    /// The window has another size, in cells.
    Resize {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// The time that [`App::wake`](super::app::App::wake) named has come.
    Tick,
    /// The store was changed by someone.
    Changed,
    /// Answer to [`Effect::LoadBoard`].
    Board(Box<Board>),
    /// What a new session can be launched by.
    Targets(Targets),
    /// Answer to [`Effect::LoadWaiting`]: sessions that want the operator, any order (T4).
    Waiting(Vec<Session>),
    /// Answer to [`Effect::LoadCrowded`]: a project with so many worktrees in the trash that its git is
    /// slow, and how many (R5).
    Crowded(Option<(String, u64)>),
    /// Answer to [`Effect::LoadPage`].
    Page {
        /// The ticket of the request.
        ticket: u64,
        /// Sessions before the first one of the page.
        offset: usize,
        /// The page.
        page: Page,
    },
    /// Answer to [`Effect::CountFilters`]: what each saved filter lets through, by name.
    FilterCounts(Vec<(String, FilterCount)>),
    /// Answer to [`Effect::Search`].
    Found {
        /// The ticket of the request.
        ticket: u64,
        /// What was found.
        found: Box<Found>,
    },
    /// Answer to [`Effect::LoadTiles`]: those that are still there, any order.
    Tiles {
        /// Whom it was asked for; an answer to an older question is dropped.
        asked: Vec<SessionId>,
        /// Those that are there.
        sessions: Vec<Session>,
    },
    /// Answer to [`Effect::LoadOperations`], newest first.
    Operations(Vec<Operation>),
    /// Answer to [`Effect::LoadTab`].
    Tab {
        /// The session.
        id: SessionId,
        /// What its tab shows.
        content: TabContent,
    },
    /// The base of a session's worktree.
    Base(SessionId, Option<Base>),
    /// Changes in worktrees, as far as they were counted.
    Work(Vec<(SessionId, WorkFacts)>),
    /// Answer to [`Effect::Measure`]: what is not in it is not known any more.
    Usage(Vec<(SessionId, Usage)>),
    /// The screen of a watched session changed; none while it does not run.
    Screen {
        /// The session.
        id: SessionId,
        /// Its cells.
        cells: Option<Arc<ScreenCells>>,
    },
    /// Answer to [`Effect::ReadOlder`]; none where nothing older is kept.
    Older {
        /// The session.
        id: SessionId,
        /// What was asked about.
        of: Arc<Document>,
        /// The same with older lines before it.
        whole: Option<Arc<Document>>,
    },
    /// Answer to [`Effect::Read`]; none while nothing is known of the session's screen.
    Document {
        /// The session.
        id: SessionId,
        /// Its screen and what scrolled out of it.
        document: Option<Arc<Document>>,
    },
    /// A watched program asks its terminal for something.
    Signal {
        /// The session.
        id: SessionId,
        /// What for.
        signal: Signal,
    },
    /// A coordinator of this process reports.
    Progress(Progress),
    /// Planning goes on: worktrees looked at so far.
    Planning {
        /// The ticket of the request.
        ticket: u64,
        /// Worktrees looked at.
        done: usize,
        /// Worktrees in all.
        total: usize,
    },
    /// Answer to [`Effect::Plan`].
    Planned {
        /// The ticket of the request.
        ticket: u64,
        /// The plan, or why there is none.
        plan: Result<Plan, Failure>,
    },
    /// A plan grew since it was confirmed; nothing was done (D3, D4).
    PlanGrew {
        /// What was asked for.
        request: PlanRequest,
        /// The ids that the operator saw and confirmed.
        admitted: BTreeSet<SessionId>,
        /// The plan as it is now.
        plan: Plan,
    },
    /// An effect ended.
    Ended(Outcome),
    /// A fault of one part, for the top line; none when it is over. One fault for each source.
    Fault {
        /// Which part: `git`, `gh`, `store` ...
        source: String,
        /// What the operator reads.
        text: Option<String>,
    },
    /// Something outside failed, such as reading the key map again; the old state stays.
    Trouble(Failure),
    /// Another key map is in force.
    Keymap(Box<Keymap>),
    /// Another theme is in force.
    Theme(Box<Theme>),
}

/// Sections and trash: one consistent answer of the store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Board {
    /// Sections of the rail in order.
    pub sections: Vec<Section>,
    /// Registered projects in order.
    pub projects: Vec<Project>,
    /// Saved filters in order.
    pub filters: Vec<SavedFilter>,
    /// Number of tombstones.
    pub trash: u64,
    /// The newest batch that still has tombstones.
    pub last_batch: Option<BatchId>,
    /// Agents that run.
    pub live: u64,
    /// Operations that wait for a choice of the operator.
    pub stuck: u64,
}

/// What was found in all sections, messages and the trash, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Sessions.
    pub sessions: Page,
    /// Deleted ones.
    pub trash: Page,
}

/// What is known of the changes in a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkFacts {
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// Changed files.
    pub files: u32,
    /// Files with uncommitted changes.
    pub dirty: Option<u32>,
    /// Commits that no remote has.
    pub unpushed: Option<u32>,
    /// Bytes that a deleted session takes in the trash.
    pub size: Option<u64>,
}

/// What a tab of the right pane shows, beside what the row tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TabContent {
    /// The diff, line by line, cleaned.
    Diff(Vec<String>),
    /// Messages, oldest first.
    Messages(Vec<Message>),
    /// The audit, newest first.
    Events(Vec<AuditEntry>),
    /// What each witness says of what the agent does, the most trusted first; empty where none can be
    /// asked.
    Witnesses(Vec<WitnessReport>),
}

/// A failure in words: what was attempted and why it failed, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What was attempted, with id or path, and why it failed.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What a program asks its terminal for, beside the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// The bell.
    Bell,
    /// A notification, without control characters.
    Notification(String),
    /// A text for the clipboard (OSC 52).
    Clipboard(String),
}

/// Tabs of the right pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Tab {
    /// The agent's screen.
    #[default]
    Screen,
    /// Facts and why.
    Details,
    /// The diff.
    Diff,
    /// What was sent and reported.
    Messages,
    /// The audit.
    Events,
}

impl Tab {
    /// All tabs in order.
    pub const ALL: [Self; 5] =
        [Self::Screen, Self::Details, Self::Diff, Self::Messages, Self::Events];

    /// The word on the rule.
    pub fn title(self) -> &'static str {
        match self {
            Self::Screen => "Screen",
            Self::Details => "Details",
            Self::Diff => "Diff",
            Self::Messages => "Messages",
            Self::Events => "Events",
        }
    }
}
