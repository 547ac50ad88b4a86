//! The store as a port.

use std::collections::BTreeSet;
use std::path::Path;

use crate::domain::event::Event;
use crate::domain::ids::{BatchId, OperationId, ProjectName, SessionId, WorkspaceName};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{Operation, StepResult};
use crate::domain::plan::Conditions;
use crate::domain::probe::Evidence;
use crate::domain::query::{Filter, Page, PageQuery};
use crate::domain::rail::{FilterCount, Project, ProjectSetup, SavedFilter, Section};
use crate::domain::session::Session;
use crate::domain::time::Timestamp;
use crate::host::ports::{
    Initialised, PlanRows, PortResult, Seed, StorePort, TombstoneRow, Tombstoned, Untombstone,
    Worktree,
};

use super::Real;

impl<R: Send + Sync + 'static> StorePort for Real<R> {
    fn now(&self) -> Timestamp {
        self.store.now()
    }

    fn workspace(&self) -> &WorkspaceName {
        self.store.workspace()
    }

    async fn session(&self, id: &SessionId) -> PortResult<Option<Session>> {
        Ok(self.store.session(id).await?)
    }

    async fn sessions(&self, ids: &[SessionId]) -> PortResult<Vec<Session>> {
        Ok(self.store.sessions(ids).await?)
    }

    async fn page(&self, query: &PageQuery) -> PortResult<Page> {
        Ok(self.store.page(query).await?)
    }

    async fn matching(&self, query: &PageQuery) -> PortResult<Vec<SessionId>> {
        Ok(self.store.matching(query).await?)
    }

    async fn all_ids(&self) -> PortResult<Vec<SessionId>> {
        Ok(self.store.all_ids().await?)
    }

    async fn live(&self) -> PortResult<Vec<Session>> {
        Ok(self.store.live().await?)
    }

    async fn due(&self, now: Timestamp) -> PortResult<Vec<Session>> {
        Ok(self.store.due(now).await?)
    }

    async fn sections(&self) -> PortResult<Vec<Section>> {
        Ok(self.store.sections().await?)
    }

    async fn live_count(&self) -> PortResult<u64> {
        Ok(self.store.live_count().await?)
    }
    async fn trash_count(&self) -> PortResult<u64> {
        Ok(self.store.trash_count().await?)
    }
    async fn crowded_trash(&self, limit: u64) -> PortResult<Option<(String, u64)>> {
        Ok(self.store.crowded_trash(limit).await?)
    }

    async fn last_batch(&self) -> PortResult<Option<BatchId>> {
        Ok(self.store.last_batch().await?)
    }

    async fn batch(&self, batch: &BatchId) -> PortResult<Vec<Session>> {
        Ok(self.store.batch(batch).await?)
    }

    async fn component(&self, id: &SessionId) -> PortResult<Vec<Session>> {
        Ok(self.store.component(id).await?)
    }

    async fn projects(&self) -> PortResult<Vec<Project>> {
        Ok(self.store.projects().await?)
    }

    async fn add_project(
        &self,
        path: &Path,
        name: Option<ProjectName>,
        git: bool,
        setup: ProjectSetup,
    ) -> PortResult<Project> {
        Ok(self.store.add_project(path, name, git, setup).await?)
    }

    async fn remove_project(&self, name: &ProjectName) -> PortResult<()> {
        Ok(self.store.remove_project(name).await?)
    }

    async fn move_project(&self, name: &ProjectName, position: u32) -> PortResult<()> {
        Ok(self.store.move_project(name, position).await?)
    }

    async fn filters(&self) -> PortResult<Vec<SavedFilter>> {
        Ok(self.store.filters().await?)
    }

    async fn save_filter(&self, filter: &SavedFilter) -> PortResult<()> {
        Ok(self.store.save_filter(filter).await?)
    }

    async fn rename_filter(&self, from: &str, to: &str) -> PortResult<bool> {
        Ok(self.store.rename_filter(from, to).await?)
    }

    async fn remove_filter(&self, name: &str) -> PortResult<bool> {
        Ok(self.store.remove_filter(name).await?)
    }

    async fn count(&self, filter: &Filter) -> PortResult<FilterCount> {
        Ok(self.store.count(filter).await?)
    }

    async fn reserve_id(&self, project: Option<&ProjectName>) -> PortResult<SessionId> {
        Ok(self.store.reserve_id(project).await?)
    }

    async fn insert_seed(&self, seed: &Seed) -> PortResult<Session> {
        Ok(self.store.insert_seed(seed).await?)
    }

    async fn set_worktree(&self, id: &SessionId, worktree: &Worktree) -> PortResult<()> {
        Ok(self.store.set_worktree(id, worktree).await?)
    }

    async fn clear_worktree(&self, id: &SessionId) -> PortResult<()> {
        Ok(self.store.clear_worktree(id).await?)
    }

    async fn initialise(&self, id: &SessionId, initialised: &Initialised) -> PortResult<()> {
        Ok(self.store.initialise(id, initialised).await?)
    }

    async fn next_generation(&self, id: &SessionId) -> PortResult<u32> {
        Ok(self.store.next_generation(id).await?)
    }

    async fn publish_launch(
        &self,
        id: &SessionId,
        initialised: &Initialised,
        worktree: Option<&Worktree>,
    ) -> PortResult<Session> {
        Ok(self.store.publish_launch(id, initialised, worktree).await?)
    }

    async fn publish(&self, id: &SessionId, generation: u32) -> PortResult<Session> {
        Ok(self.store.publish(id, generation).await?)
    }

    async fn rollback_seed(&self, id: &SessionId) -> PortResult<()> {
        Ok(self.store.rollback_seed(id).await?)
    }

    async fn park(&self, id: &SessionId, error: &str) -> PortResult<()> {
        Ok(self.store.park(id, error).await?)
    }

    async fn set_error(&self, id: &SessionId, error: Option<&str>) -> PortResult<()> {
        Ok(self.store.set_error(id, error).await?)
    }

    async fn prompted(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
        began: Timestamp,
    ) -> PortResult<()> {
        Ok(self.store.prompted(id, text, source, began).await?)
    }

    async fn end(&self, id: &SessionId, reason: Option<TerminationReason>) -> PortResult<()> {
        Ok(self.store.end(id, reason).await?)
    }

    async fn probed(&self, results: &[(SessionId, u32, Evidence)]) -> PortResult<Vec<SessionId>> {
        Ok(self.store.probed(results).await?)
    }

    async fn usable(&self) -> PortResult<()> {
        Ok(self.store.usable().await?)
    }

    async fn settle_due(&self) -> PortResult<()> {
        Ok(self.store.settle_due().await?)
    }

    async fn pin(&self, ids: &[SessionId], pinned: bool) -> PortResult<Vec<SessionId>> {
        Ok(self.store.pin(ids, pinned).await?)
    }

    async fn rename(&self, id: &SessionId, title: &str) -> PortResult<bool> {
        Ok(self.store.rename(id, title).await?)
    }

    async fn seen(&self, ids: &[SessionId]) -> PortResult<()> {
        Ok(self.store.seen(ids).await?)
    }

    async fn set_dirty(&self, counts: &[(SessionId, Option<u32>)]) -> PortResult<()> {
        Ok(self.store.set_dirty(counts).await?)
    }

    async fn plan_rows(&self, requested: &BTreeSet<SessionId>) -> PortResult<PlanRows> {
        Ok(self.store.plan_rows(requested).await?)
    }

    fn has_batches(&self) -> bool {
        // A transaction of the database holds any number of rows.
        true
    }

    async fn tombstone(
        &self,
        requested: &BTreeSet<SessionId>,
        conditions: &Conditions,
        rows: &[TombstoneRow],
        batch: &BatchId,
    ) -> PortResult<Tombstoned> {
        Ok(self.store.tombstone(requested, conditions, rows, batch).await?)
    }

    async fn untombstone(&self, rows: &[Untombstone]) -> PortResult<()> {
        Ok(self.store.untombstone(rows).await?)
    }

    async fn begin(&self, operation: &Operation) -> PortResult<()> {
        Ok(self.store.begin(operation).await?)
    }

    async fn step(&self, id: &OperationId, step: &str, results: &[StepResult]) -> PortResult<()> {
        Ok(self.store.step(id, step, results).await?)
    }

    async fn finish(&self, operation: &Operation) -> PortResult<()> {
        Ok(self.store.finish(operation).await?)
    }

    async fn unfinished(&self) -> PortResult<Vec<Operation>> {
        Ok(self.store.unfinished().await?)
    }

    async fn operation(&self, id: &OperationId) -> PortResult<Option<Operation>> {
        Ok(self.store.operation(id).await?)
    }

    async fn operations(&self, limit: usize) -> PortResult<Vec<Operation>> {
        Ok(self.store.operations(limit).await?)
    }

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        Ok(self.store.record(events).await?)
    }

    async fn events(&self, session: Option<&SessionId>, limit: usize) -> PortResult<Vec<Event>> {
        Ok(self.store.events(session, limit).await?)
    }
}
