//! What the coordinators need of the world. `adapters` puts them on the real parts; tests put
//! recording fakes in their place.

mod agents;
pub mod doctor;
mod locks;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::domain::error::ErrorKind;
use crate::domain::event::{Event, Message};
use crate::domain::ids::{BatchId, OperationId, ProjectName, SessionId, WorkspaceName};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{Operation, StepResult};
use crate::domain::plan::{Advice, Conditions};
use crate::domain::probe::Evidence;
use crate::domain::query::{Page, PageQuery};
use crate::domain::rail::{Project, ProjectSetup, Section};
use crate::domain::session::Session;
use crate::domain::time::Timestamp;

pub use crate::domain::launch::{Initialised, LaunchPlan, LaunchedHow, Seed};
pub use crate::domain::plan::PlanRows;
pub use crate::domain::trash::{TombstoneRow, Tombstoned, Untombstone};
pub use crate::domain::worktree::{Freed, Moved, Worktree, WorktreeRequest};
pub use agents::{AgentPort, CallerLimits};
pub use locks::LockPort;

use super::context::Context;
pub use super::folders::{Changes, FolderPort, Staying};
pub use super::purge::port::{PurgePort, PurgedRows};

/// A port's failure, already in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PortError {
    /// What a caller can do about it.
    pub kind: ErrorKind,
    /// What was attempted, with id or path, and why it failed.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Result of a port call.
pub type PortResult<T> = Result<T, PortError>;

/// Everything that the coordinators need, as one type.
pub trait Ports:
    StorePort + RuntimePort + WorkspacePort + AgentPort + LockPort + PurgePort + FolderPort
{
}
impl<T> Ports for T where
    T: StorePort + RuntimePort + WorkspacePort + AgentPort + LockPort + PurgePort + FolderPort
{
}

/// Sessions, projects, operations: the truth.
pub trait StorePort: Send + Sync + 'static {
    /// The present time.
    fn now(&self) -> Timestamp;
    /// The workspace of all calls.
    fn workspace(&self) -> &WorkspaceName;

    /// One session, deleted ones too.
    fn session(&self, id: &SessionId) -> impl Future<Output = PortResult<Option<Session>>> + Send;
    /// Sessions by id, deleted ones too, ascending; unknown ids are left out.
    fn sessions(&self, ids: &[SessionId]) -> impl Future<Output = PortResult<Vec<Session>>> + Send;
    /// A page.
    fn page(&self, query: &PageQuery) -> impl Future<Output = PortResult<Page>> + Send;
    /// Ids of every session of the workspace that is not deleted.
    fn all_ids(&self) -> impl Future<Output = PortResult<Vec<SessionId>>> + Send;
    /// Sessions believed to run.
    fn live(&self) -> impl Future<Output = PortResult<Vec<Session>>> + Send;
    /// How many are believed to run.
    fn live_count(&self) -> impl Future<Output = PortResult<u64>> + Send;
    /// Live sessions whose timed rules are due.
    fn due(&self, now: Timestamp) -> impl Future<Output = PortResult<Vec<Session>>> + Send;
    /// Sections of the rail in order.
    fn sections(&self) -> impl Future<Output = PortResult<Vec<Section>>> + Send;
    /// Number of tombstones.
    fn trash_count(&self) -> impl Future<Output = PortResult<u64>> + Send;
    /// The section with most worktrees in the trash, by name, where there are more than `limit` (R5).
    fn crowded_trash(
        &self,
        limit: u64,
    ) -> impl Future<Output = PortResult<Option<(String, u64)>>> + Send;
    /// The newest batch that still has tombstones.
    fn last_batch(&self) -> impl Future<Output = PortResult<Option<BatchId>>> + Send;
    /// Tombstones of a batch.
    fn batch(&self, batch: &BatchId) -> impl Future<Output = PortResult<Vec<Session>>> + Send;
    /// The component of a tombstone: topmost tombstone and its tree (R1).
    fn component(&self, id: &SessionId) -> impl Future<Output = PortResult<Vec<Session>>> + Send;

    /// Registered projects in order.
    fn projects(&self) -> impl Future<Output = PortResult<Vec<Project>>> + Send;
    /// Registers a folder; the name is made unique where it was not chosen.
    fn add_project(
        &self,
        path: &Path,
        name: Option<ProjectName>,
        git: bool,
        setup: ProjectSetup,
    ) -> impl Future<Output = PortResult<Project>> + Send;
    /// Unregisters; its section is hidden, nothing is lost (P6).
    fn remove_project(&self, name: &ProjectName) -> impl Future<Output = PortResult<()>> + Send;
    /// Moves a project in the rail.
    fn move_project(
        &self,
        name: &ProjectName,
        position: u32,
    ) -> impl Future<Output = PortResult<()>> + Send;

    /// Takes the next id of a project; never given again (S3).
    fn reserve_id(
        &self,
        project: Option<&ProjectName>,
    ) -> impl Future<Output = PortResult<SessionId>> + Send;
    /// Inserts the seed row: not started, not alive.
    fn insert_seed(&self, seed: &Seed) -> impl Future<Output = PortResult<Session>> + Send;
    /// Records the folder and branch of a worktree that was made.
    fn set_worktree(
        &self,
        id: &SessionId,
        worktree: &Worktree,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// The session has no folder any more; its branch stays known (K4).
    fn clear_worktree(&self, id: &SessionId) -> impl Future<Output = PortResult<()>> + Send;
    /// Writes handle and generation; alive, not started.
    fn initialise(
        &self,
        id: &SessionId,
        initialised: &Initialised,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// The next launch's number: above every launch that left a trace, failed ones too (C8).
    fn next_generation(&self, id: &SessionId) -> impl Future<Output = PortResult<u32>> + Send;
    /// The commit point of a launch (B2, C4): in one transaction the worktree that was made for it,
    /// all that [`StorePort::initialise`] and [`StorePort::publish`] write, and no error any more.
    fn publish_launch(
        &self,
        id: &SessionId,
        initialised: &Initialised,
        worktree: Option<&Worktree>,
    ) -> impl Future<Output = PortResult<Session>> + Send;
    /// Sets the published generation and folds the facts stored so far: the commit point (C4).
    fn publish(
        &self,
        id: &SessionId,
        generation: u32,
    ) -> impl Future<Output = PortResult<Session>> + Send;
    /// Removes the seed row; its id stays used (C7).
    fn rollback_seed(&self, id: &SessionId) -> impl Future<Output = PortResult<()>> + Send;
    /// Parks: terminated, error in process, with the error's text (C6).
    fn park(&self, id: &SessionId, error: &str) -> impl Future<Output = PortResult<()>> + Send;
    /// Sets or clears the error text of the last failed operation.
    fn set_error(
        &self,
        id: &SessionId,
        error: Option<&str>,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// A prompt was delivered: message row, new turn (S1).
    fn prompted(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Ends the session: done where no reason is given. A terminal or deleted row stays as it is,
    /// except that the reason outranks `agent_process_exited`, which the keeper of a stopped agent
    /// may have told first.
    fn end(
        &self,
        id: &SessionId,
        reason: Option<TerminationReason>,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Applies probe results (A4, A5) in one transaction; answers those that changed.
    fn probed(
        &self,
        results: &[(SessionId, u32, Evidence)],
    ) -> impl Future<Output = PortResult<Vec<SessionId>>> + Send;
    /// Whether this program may still write: a newer one may have migrated the store (W3).
    fn usable(&self) -> impl Future<Output = PortResult<()>> + Send;
    /// Settles sessions whose timed rules are due (T4).
    fn settle_due(&self) -> impl Future<Output = PortResult<()>> + Send;
    /// Sets or takes off pins; answers the ids that exist.
    fn pin(
        &self,
        ids: &[SessionId],
        pinned: bool,
    ) -> impl Future<Output = PortResult<Vec<SessionId>>> + Send;
    /// Renames. Moves nothing (P2).
    fn rename(&self, id: &SessionId, title: &str) -> impl Future<Output = PortResult<bool>> + Send;
    /// The operator looked at them (T4).
    fn seen(&self, ids: &[SessionId]) -> impl Future<Output = PortResult<()>> + Send;
    /// Writes down how many uncommitted files folders hold; none where that is not known.
    fn set_dirty(
        &self,
        counts: &[(SessionId, Option<u32>)],
    ) -> impl Future<Output = PortResult<()>> + Send;

    /// Rows for a plan.
    fn plan_rows(
        &self,
        requested: &BTreeSet<SessionId>,
    ) -> impl Future<Output = PortResult<PlanRows>> + Send;
    /// Whether a whole batch is deleted at once or not at all (D8).
    fn has_batches(&self) -> bool;
    /// The one transaction of a delete: plans again with the same conditions, compares with the
    /// expected ids, then tombstones them (D4 b, D7). Fully synchronous.
    fn tombstone(
        &self,
        requested: &BTreeSet<SessionId>,
        conditions: &Conditions,
        rows: &[TombstoneRow],
        batch: &BatchId,
    ) -> impl Future<Output = PortResult<Tombstoned>> + Send;
    /// Brings tombstones back in one transaction; title, pin, order and times as before (R1).
    /// Sessions that were live come back terminated.
    fn untombstone(&self, rows: &[Untombstone]) -> impl Future<Output = PortResult<()>> + Send;

    /// Writes an operation before it acts (V1). Fully synchronous.
    fn begin(&self, operation: &Operation) -> impl Future<Output = PortResult<()>> + Send;
    /// Writes the step an operation enters, and results of single sessions so far.
    fn step(
        &self,
        id: &OperationId,
        step: &str,
        results: &[StepResult],
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Writes how an operation ended.
    fn finish(&self, operation: &Operation) -> impl Future<Output = PortResult<()>> + Send;
    /// Operations that are not finished, oldest first.
    fn unfinished(&self) -> impl Future<Output = PortResult<Vec<Operation>>> + Send;
    /// One operation.
    fn operation(
        &self,
        id: &OperationId,
    ) -> impl Future<Output = PortResult<Option<Operation>>> + Send;
    /// Operations, newest first.
    fn operations(&self, limit: usize) -> impl Future<Output = PortResult<Vec<Operation>>> + Send;
    /// Appends to the audit (W6).
    fn record(&self, events: &[Event]) -> impl Future<Output = PortResult<()>> + Send;
    /// The audit of one session or of all, newest first.
    fn events(
        &self,
        session: Option<&SessionId>,
        limit: usize,
    ) -> impl Future<Output = PortResult<Vec<Event>>> + Send;
    /// Messages of one session, oldest first.
    fn messages(&self, id: &SessionId) -> impl Future<Output = PortResult<Vec<Message>>> + Send;
}

/// What is needed to start a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRequest {
    /// The session.
    pub id: SessionId,
    /// Name of the agent's definition.
    pub agent: String,
    /// The launch.
    pub generation: u32,
    /// Program, arguments, environment.
    pub plan: LaunchPlan,
    /// Folder to run in.
    pub folder: PathBuf,
    /// Secret that identifies the agent.
    pub token: String,
    /// Columns and rows.
    pub size: (u16, u16),
}

/// A runtime that is ready and not yet published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Whether this call made it; a retry finds it running (C2).
    pub created: bool,
    /// Keeper's process.
    pub keeper_pid: u32,
    /// Agent's process.
    pub pid: u32,
    /// Start of the agent.
    pub started_at: Timestamp,
}

/// What closing a runtime came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Closed {
    /// There was a runtime.
    pub was_running: bool,
    /// TERM or KILL was needed after the polite way.
    pub escalated: bool,
    /// The process of its keeper, where known.
    pub keeper_pid: Option<u32>,
}

/// What to type into an agent (K5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A text, as one paste, with Enter after it or without; refused while a question is shown.
    Text {
        /// The text.
        text: String,
        /// Whether Enter follows.
        enter: bool,
    },
    /// Keys by name, as in `keymap.toml`.
    Keys(Vec<String>),
    /// Keys that answer the question of this id, and no other (K6).
    Answer {
        /// The question.
        question: String,
        /// The keys.
        keys: Vec<String>,
    },
}

/// An agent's screen as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenText {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Visible rows, or with scrollback before them where asked for.
    pub lines: Vec<String>,
    /// Row, column (0-based) and whether it shows.
    pub cursor: (u16, u16, bool),
    /// Title.
    pub title: String,
    /// Alternate screen.
    pub alternate: bool,
    /// Rows of history.
    pub scrollback_lines: usize,
}

/// Keepers and what runs in them.
pub trait RuntimePort: Send + Sync + 'static {
    /// Starts a keeper and waits until it is ready: socket bound, agent started. Not yet published.
    fn start(
        &self,
        ctx: &Context,
        request: &StartRequest,
    ) -> impl Future<Output = PortResult<Started>> + Send;
    /// Tells the keeper that it is published: from then on it outlives its creator (C4).
    fn publish_runtime(
        &self,
        ctx: &Context,
        id: &SessionId,
        generation: u32,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Ends the runtime with its whole process tree (X3); a runtime that is gone is closed.
    fn close(
        &self,
        ctx: &Context,
        id: &SessionId,
    ) -> impl Future<Output = PortResult<Closed>> + Send;
    /// Types into the agent.
    fn type_into(
        &self,
        ctx: &Context,
        session: &Session,
        input: &Input,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// The agent's screen with up to `scrollback` rows of history.
    fn screen(
        &self,
        ctx: &Context,
        id: &SessionId,
        scrollback: usize,
    ) -> impl Future<Output = PortResult<ScreenText>> + Send;
    /// Asks whether keeper and process are there.
    fn probe(&self, session: &Session) -> impl Future<Output = Evidence> + Send;
    /// Returns when the keeper of a session is gone; at once where there is none.
    fn gone(&self, id: &SessionId) -> impl Future<Output = ()> + Send;
    /// Ends what outlived a killed keeper, known by the environment of its launch (V4); answers the
    /// processes that are gone.
    fn end_strays(&self) -> impl Future<Output = PortResult<Vec<u32>>> + Send;
    /// Sessions of this workspace that have a keeper, by its socket.
    fn keepers(&self) -> impl Future<Output = PortResult<Vec<SessionId>>> + Send;
}

/// Worktrees by git.
pub trait WorkspacePort: Send + Sync + 'static {
    /// Whether a folder is a git repository.
    fn is_repository(&self, path: &Path) -> impl Future<Output = bool> + Send;
    /// Checks before any effect that the worktree can be made: repository, branch name, base (C1).
    /// Answers what would be made.
    fn check_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> impl Future<Output = PortResult<Worktree>> + Send;
    /// Makes the worktree.
    fn create_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> impl Future<Output = PortResult<Worktree>> + Send;
    /// Copies, links and runs set-up commands (Z2).
    fn prepare(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
        setup: &ProjectSetup,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Takes back what [`WorkspacePort::prepare`] put there and nobody changed.
    fn unprepare(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
        setup: &ProjectSetup,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Gives a worktree back if it is clean (K3); with its branch where that was made with it and
    /// has no commit of its own.
    fn give_back(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Worktree,
    ) -> impl Future<Output = PortResult<Freed>> + Send;
    /// Why a worktree is not clean; none where it is, or is gone (K3).
    fn reason_to_keep(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
    ) -> impl Future<Output = PortResult<Option<String>>> + Send;
    /// Dirty files and unpushed commits of a worktree.
    fn advice(
        &self,
        ctx: &Context,
        worktree: &Path,
    ) -> impl Future<Output = PortResult<Advice>> + Send;
    /// Folders where worktrees are made that are there, with the session that each is named after.
    fn worktrees(&self) -> impl Future<Output = PortResult<Vec<(SessionId, PathBuf)>>> + Send;
    /// Where the worktree of a session is made.
    fn worktree_path(&self, project: &ProjectName, id: &SessionId) -> PathBuf;
    /// Where the worktree of a session goes when it is deleted.
    fn trash_path(&self, batch: &BatchId, id: &SessionId) -> PathBuf;
    /// Moves a worktree into the trash whole and releases its branch (D9). Idempotent: done already
    /// is a success.
    fn move_to_trash(
        &self,
        ctx: &Context,
        repository: &Path,
        from: &Path,
        to: &Path,
    ) -> impl Future<Output = PortResult<Moved>> + Send;
    /// Moves a worktree back and attaches its branch where that is right (R1). Idempotent. A
    /// missing trash folder makes the worktree again from its branch, and says so (R2).
    fn move_back(
        &self,
        ctx: &Context,
        repository: &Path,
        from: &Path,
        to: &Path,
        branch: Option<&str>,
    ) -> impl Future<Output = PortResult<Moved>> + Send;
    /// Makes sure that the worktree of a terminated session is there (B2).
    fn ensure_worktree(
        &self,
        ctx: &Context,
        repository: &Path,
        path: &Path,
        branch: Option<&str>,
    ) -> impl Future<Output = PortResult<Moved>> + Send;
}
