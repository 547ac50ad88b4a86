//! What is asked for from outside. [`Event`](super::Event) and [`Outcome`](super::Outcome) answer it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::key::Key;
use crate::domain::query::{Filter, PageQuery};
use crate::domain::rail::SavedFilter;
use crate::host::OnView;
use crate::host::report::{CreateRequest, DeleteRequest, RestoreTarget};
use crate::monitor::notice::Notice;
use crate::runtime::keys::MouseEvent as ProgramMouse;
use crate::tui::app::plan::PlanRequest;
use crate::tui::app::reading::Document;

use super::Tab;

/// Something to do outside of `update`.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the store for the [`Board`], and then for who waits.
    LoadBoard,
    /// Ask who wants the operator, for what is told of it.
    LoadWaiting,
    /// Ask the store for a page of sessions or tombstones.
    LoadPage {
        /// Comes back with the answer; an older one is dropped.
        ticket: u64,
        /// The query.
        query: PageQuery,
    },
    /// Count what these saved filters let through, when there is time; `Event::FilterCounts`.
    CountFilters(Vec<(String, Filter)>),
    /// Save a filter, in place of one of the same name; `Outcome::FilterSaved`.
    SaveFilter(SavedFilter),
    /// Give a saved filter another name; `Outcome::FilterSaved`.
    RenameFilter {
        /// Its name.
        from: String,
        /// The other one.
        to: String,
    },
    /// Remove a saved filter.
    RemoveFilter(String),
    /// Look in all sections, messages and the trash; `Event::Found`.
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
    /// Look how far the worktree of this session is behind its base; [`Event::Base`].
    LoadBase(SessionId),
    /// Count changes in the worktrees of these sessions when there is time.
    LoadWork(Vec<SessionId>),
    /// Look at what the process trees of these sessions take; `Event::Usage`.
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
    /// Ask for the text of a watched screen with its history; `Event::Document`.
    Read(SessionId),
    /// Ask for a document with the lines before it that are kept; `Event::Older`.
    ReadOlder {
        /// The session.
        id: SessionId,
        /// What is read of it.
        document: Arc<Document>,
    },
    /// Put a text on the operator's clipboard.
    Copy(String),
    /// Open a link with the operator's program for it; `Outcome::Failed` where it cannot.
    OpenLink(String),
    /// Ring the terminal's bell for an agent.
    Ring,
    /// Show an agent's notification.
    Notify(String),
    /// Tell the operator, who may look elsewhere, of sessions that began to want something.
    Tell(Notice),
    /// Give the operator's terminal this title.
    Title(String),
    /// Create a session; `Outcome::Created`.
    Create(Box<CreateRequest>),
    /// Create a session that goes on with the conversation of this one; `Outcome::Created`.
    Fork(SessionId),
    /// Register a folder; `Outcome::ProjectAdded`.
    AddProject(PathBuf),
    /// Plan a delete, restore or purge; `Event::Planning`, then `Event::Planned`.
    Plan {
        /// Comes back with the answer.
        ticket: u64,
        /// What to plan.
        request: PlanRequest,
    },
    /// Delete in the background; `Outcome::Deleted` or `Event::PlanGrew`.
    Delete {
        /// What.
        request: DeleteRequest,
        /// The ids that the operator saw and confirmed; a plan with others is not admitted.
        admitted: Vec<SessionId>,
    },
    /// Bring back or launch; `Outcome::Restored`.
    Restore {
        /// What.
        target: RestoreTarget,
        /// It undoes a batch.
        undo: bool,
    },
    /// End runtimes; `Outcome::Stopped`.
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
    /// Send a text to agents; `Outcome::Sent`.
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
    /// End sessions and launch them again; `Outcome::Restored`.
    Restart(Vec<SessionId>),
    /// Remove from the trash for good: nothing but these; `Outcome::Purged` or `Event::PlanGrew`.
    Purge(Vec<SessionId>),
    /// Do not do what an operation has not done yet.
    CancelJob(OperationId),
    /// Finish or undo a stuck operation; `Outcome::Settled`.
    ResumeJob(OperationId),
    /// Take back what a stuck operation did; `Outcome::Settled`.
    UndoJob(OperationId),
    /// Let a stuck operation be; `Outcome::Settled`.
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
