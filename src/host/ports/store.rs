//! The store as a port.

use std::collections::BTreeSet;
use std::path::Path;

use crate::domain::event::Event;
use crate::domain::ids::{BatchId, OperationId, ProjectName, SessionId, WorkspaceName};
use crate::domain::launch::{Initialised, Seed};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{Operation, StepResult};
use crate::domain::plan::{Conditions, PlanRows};
use crate::domain::probe::Evidence;
use crate::domain::query::{Filter, Page, PageQuery};
use crate::domain::rail::{FilterCount, Project, ProjectSetup, SavedFilter, Section};
use crate::domain::session::Session;
use crate::domain::time::Timestamp;
use crate::domain::trash::{TombstoneRow, Tombstoned, Untombstone};
use crate::domain::worktree::Worktree;

use super::PortResult;

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
    /// Ids of every session that a query lets through, whatever its limit, in no order.
    fn matching(
        &self,
        query: &PageQuery,
    ) -> impl Future<Output = PortResult<Vec<SessionId>>> + Send;
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

    /// Saved filters in order.
    fn filters(&self) -> impl Future<Output = PortResult<Vec<SavedFilter>>> + Send;
    /// Saves a filter, in place of one of the same name.
    fn save_filter(&self, filter: &SavedFilter) -> impl Future<Output = PortResult<()>> + Send;
    /// Renames a filter; false where there is none, or one of the new name.
    fn rename_filter(&self, from: &str, to: &str) -> impl Future<Output = PortResult<bool>> + Send;
    /// Removes a filter; false where there is none.
    fn remove_filter(&self, name: &str) -> impl Future<Output = PortResult<bool>> + Send;
    /// How many sessions a filter lets through; costs as much as the filter.
    fn count(&self, filter: &Filter) -> impl Future<Output = PortResult<FilterCount>> + Send;

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
    /// A prompt was delivered, from `began` on: message row, new turn (S1).
    fn prompted(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
        began: Timestamp,
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
}
