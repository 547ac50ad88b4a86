//! What reaches [`update`](super::update::update) and what it asks for. Plain data on both sides:
//! a runner outside reads keys, asks the store and calls the coordinators.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::MouseEvent;

use crate::domain::event::{Event as AuditEntry, Message};
use crate::domain::ids::{BatchId, OperationId, SessionId};
use crate::domain::key::Key;
use crate::domain::operation::Operation;
use crate::domain::plan::Plan;
use crate::domain::query::{Filter, Page, PageQuery};
use crate::domain::rail::{FilterCount, Project, SavedFilter, Section};
use crate::domain::session::{Session, Usage};
use crate::host::OnView;
use crate::host::report::{
    CreateOutcome, CreateRequest, DeleteReport, DeleteRequest, Progress, PurgeReport,
    RestoreReport, RestoreTarget, SendResult, StopReport,
};
use crate::runtime::client::WitnessReport;
use crate::runtime::keys::MouseEvent as ProgramMouse;

use super::app::form::Targets;
use super::app::plan::PlanRequest;
use super::app::reading::Document;
use super::app::screen::ScreenCells;
use super::keymap::Keymap;
use super::notice::Notice;
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
    /// The second answer to it: sessions that want the operator, any order (T4).
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
    /// Commits of the base that are missing.
    pub behind: Option<u32>,
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

/// How an effect ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A session was created, or parked.
    Created(CreateOutcome),
    /// A create left nothing behind.
    NotCreated(Failure),
    /// Sessions were deleted.
    Deleted(DeleteReport),
    /// Sessions were restored or launched.
    Restored {
        /// It undid a batch.
        undo: bool,
        /// What it came to.
        report: RestoreReport,
    },
    /// Sessions were stopped.
    Stopped(StopReport),
    /// Sessions were killed.
    Killed(StopReport),
    /// Sessions were purged.
    Purged(PurgeReport),
    /// A stuck or interrupted operation was dealt with.
    Settled {
        /// Which.
        id: OperationId,
        /// How.
        how: Settled,
    },
    /// The operator cancelled it before it was done.
    Cancelled {
        /// The sentence before the reason: `3 sessions were not deleted`.
        what: String,
        /// What was done by then.
        failure: Failure,
    },
    /// A text or an answer was sent.
    Sent(Vec<SendResult>),
    /// A folder was registered.
    ProjectAdded(Project),
    /// A filter is saved under this name.
    FilterSaved(String),
    /// Done, and nothing to say.
    Quiet,
    /// Pins are as they were.
    NotPinned {
        /// Of which sessions.
        ids: Vec<SessionId>,
        /// They were to be pinned; else, to be so no longer.
        pinned: bool,
        /// The sentence before the reason.
        what: String,
        /// Why.
        failure: Failure,
    },
    /// It failed.
    Failed {
        /// The sentence before the reason: `shop-3 was not renamed`.
        what: String,
        /// Why.
        failure: Failure,
    },
}

/// What became of a stuck or interrupted operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It was finished or undone.
    Resumed,
    /// What it did is taken back.
    Undone,
    /// Part of it failed again.
    StillStuck,
    /// It is left as it is.
    Abandoned,
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

/// Something to do outside of `update`.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the store for the [`Board`], and then for who waits.
    LoadBoard,
    /// Ask the store for a page of sessions or tombstones.
    LoadPage {
        /// Comes back with the answer; an older one is dropped.
        ticket: u64,
        /// The query.
        query: PageQuery,
    },
    /// Count what these saved filters let through, when there is time; [`Event::FilterCounts`].
    CountFilters(Vec<(String, Filter)>),
    /// Save a filter, in place of one of the same name; [`Outcome::FilterSaved`].
    SaveFilter(SavedFilter),
    /// Give a saved filter another name; [`Outcome::FilterSaved`].
    RenameFilter {
        /// Its name.
        from: String,
        /// The other one.
        to: String,
    },
    /// Remove a saved filter.
    RemoveFilter(String),
    /// Look in all sections, messages and the trash.
    Search {
        /// Comes back with the answer; an older one is dropped.
        ticket: u64,
        /// What to look for.
        filter: Filter,
    },
    /// Ask the store where too many worktrees are in the trash.
    LoadCrowded,
    /// Ask the store for the sessions on the wall.
    LoadTiles(Vec<SessionId>),
    /// Ask the store for the newest operations.
    LoadOperations,
    /// Ask for what a tab shows.
    LoadTab {
        /// The session.
        id: SessionId,
        /// The tab.
        tab: Tab,
    },
    /// Count changes in the worktrees of these sessions when there is time.
    LoadWork(Vec<SessionId>),
    /// Look at what the process trees of these sessions take; [`Event::Usage`].
    Measure(Vec<SessionId>),
    /// The sessions in the list are of these projects.
    OnView(OnView),
    /// The screens that are on view from now on; others are let go.
    Watch(Vec<SessionId>),
    /// Give an agent this size: it is typed to in this window.
    Size {
        /// The session.
        id: SessionId,
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// Keys for an agent.
    Type {
        /// The session.
        id: SessionId,
        /// The keys.
        keys: Vec<Key>,
    },
    /// A paste for an agent.
    PasteTo {
        /// The session.
        id: SessionId,
        /// The text.
        text: String,
    },
    /// The mouse, for a program that asked for it.
    PointAt {
        /// The session.
        id: SessionId,
        /// What was done with it, in cells of the program's screen.
        mouse: ProgramMouse,
    },
    /// Ask for the text of a watched screen with its history; [`Event::Document`].
    Read(SessionId),
    /// Put a text on the operator's clipboard.
    Copy(String),
    /// Open a link with the operator's program for it; [`Outcome::Failed`] where it cannot.
    OpenLink(String),
    /// Ring the terminal's bell for an agent.
    Ring,
    /// Show an agent's notification.
    Notify(String),
    /// Tell the operator, who may look elsewhere, of sessions that began to want something.
    Tell(Notice),
    /// Give the operator's terminal this title.
    Title(String),
    /// Create a session; [`Outcome::Created`].
    Create(Box<CreateRequest>),
    /// Create a session that goes on with the conversation of this one; [`Outcome::Created`].
    Fork(SessionId),
    /// Register a folder; [`Outcome::ProjectAdded`].
    AddProject(PathBuf),
    /// Plan a delete, restore or purge; [`Event::Planning`], then [`Event::Planned`].
    Plan {
        /// Comes back with the answer.
        ticket: u64,
        /// What to plan.
        request: PlanRequest,
    },
    /// Delete in the background; [`Outcome::Deleted`] or [`Event::PlanGrew`].
    Delete {
        /// What.
        request: DeleteRequest,
        /// The ids that the operator saw and confirmed; a plan with others is not admitted.
        admitted: Vec<SessionId>,
    },
    /// Bring back or launch; [`Outcome::Restored`].
    Restore {
        /// What.
        target: RestoreTarget,
        /// It undoes a batch.
        undo: bool,
    },
    /// End runtimes; [`Outcome::Stopped`].
    Stop {
        /// Which.
        ids: Vec<SessionId>,
        /// How.
        how: StopHow,
    },
    /// Set or take off pins.
    Pin {
        /// Which.
        ids: Vec<SessionId>,
        /// Pinned from now on.
        pinned: bool,
    },
    /// Rename.
    Rename {
        /// Which.
        id: SessionId,
        /// New title.
        title: String,
    },
    /// Send a text to agents; [`Outcome::Sent`].
    Message {
        /// To whom.
        ids: Vec<SessionId>,
        /// The text.
        text: String,
    },
    /// Answer a question (K6); refused where the agent asks another one by now.
    Answer {
        /// Which session.
        id: SessionId,
        /// Id of the question that was shown.
        question: String,
        /// Number of the option, from 1; none means yes.
        option: Option<usize>,
    },
    /// The operator saw them (T4).
    Seen(Vec<SessionId>),
    /// End sessions and launch them again; [`Outcome::Restored`].
    Restart(Vec<SessionId>),
    /// Remove from the trash for good: nothing but these; [`Outcome::Purged`] or [`Event::PlanGrew`].
    Purge(Vec<SessionId>),
    /// Do not do what an operation has not done yet.
    CancelJob(OperationId),
    /// Finish or undo a stuck operation; [`Outcome::Settled`].
    ResumeJob(OperationId),
    /// Take back what a stuck operation did; [`Outcome::Settled`].
    UndoJob(OperationId),
    /// Let a stuck operation be; [`Outcome::Settled`].
    AbandonJob(OperationId),
    /// Give the terminal to an agent until the operator leaves it.
    PassThrough {
        /// The agent.
        id: SessionId,
        /// What was typed behind the key that asked for it, and is the agent's.
        ahead: Vec<Key>,
    },
    /// Give the terminal to a program of the operator's until it ends.
    Lend {
        /// Which.
        to: Lent,
        /// The folder that it begins in.
        folder: PathBuf,
    },
    /// Suspend the program.
    Suspend,
    /// Leave; the agents go on.
    Quit {
        /// The line to print after leaving.
        farewell: String,
        /// Running operations that a detached worker goes on with.
        hand_over: Vec<OperationId>,
    },
}

/// A program of the operator's that gets the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lent {
    /// The editor: `EDITOR`.
    Editor,
    /// The shell: `SHELL`.
    Shell,
}

/// How sessions are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopHow {
    /// The runtime only.
    Stop,
    /// The work is complete.
    Done,
    /// The runtime, and the worktree where it is clean.
    Kill,
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
