//! A small model of the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::event::{Event, Message};
use crate::domain::ids::{BatchId, OperationId, ProjectName, SessionId, WorkspaceName};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::operation::{Operation, OperationState, StepResult};
use crate::domain::plan::{self, Conditions, PlanRow, SkipReason, Skipped};
use crate::domain::probe::Evidence;
use crate::domain::query::{Filter, Page, PageQuery};
use crate::domain::rail::{FilterCount, Project, ProjectSetup, SavedFilter, Section};
use crate::domain::session::{Deletion, Session};
use crate::domain::time::Timestamp;
use crate::host::ports::{
    Initialised, PlanRows, PortResult, Seed, StorePort, TombstoneRow, Tombstoned, Untombstone,
    Worktree,
};

use super::fake_world::{Model, Recorder};
use super::{NOW, seeded};

impl Model {
    fn row(&self, id: &SessionId) -> Option<PlanRow> {
        let session = self.sessions.get(id).filter(|session| session.deletion.is_none())?;
        Some(PlanRow {
            id: id.clone(),
            parent: session.parent.clone(),
            title: session.title.clone(),
            agent: session.launch.agent.clone(),
            status: session.condition.status,
            section: session.shown.section.clone(),
            pinned: session.pinned_at.is_some(),
            live: session.is_live(),
            last_activity_at: session.condition.last_activity_at.unwrap_or(NOW),
            open_pr: None,
        })
    }

    fn plan_rows(&self, requested: &BTreeSet<SessionId>) -> PlanRows {
        let mut rows = PlanRows::default();
        let mut open: Vec<SessionId> = Vec::new();
        for id in requested {
            match self.sessions.get(id) {
                Some(session) if session.deletion.is_none() => open.push(id.clone()),
                found => rows.missing.push(Skipped {
                    id: id.clone(),
                    reason: found.map_or(SkipReason::NotFound, |_| SkipReason::InTrash),
                }),
            }
        }
        let mut children: BTreeMap<&SessionId, Vec<&SessionId>> = BTreeMap::new();
        for session in self.sessions.values() {
            if let Some(parent) = &session.parent {
                children.entry(parent).or_default().push(&session.id);
            }
        }
        let mut taken = BTreeSet::new();
        while let Some(next) = open.pop() {
            if taken.insert(next.clone()) {
                rows.rows.extend(self.row(&next));
                open.extend(children.get(&next).into_iter().flatten().map(|id| (*id).clone()));
            }
        }
        rows
    }

    fn edit(&mut self, id: &SessionId, change: impl FnOnce(Session) -> Session) {
        if let Some(session) = self.sessions.remove(id) {
            self.sessions.insert(id.clone(), change(session));
        }
    }
}

impl StorePort for Recorder {
    fn now(&self) -> Timestamp {
        NOW
    }
    fn workspace(&self) -> &WorkspaceName {
        &self.workspace
    }
    async fn session(&self, id: &SessionId) -> PortResult<Option<Session>> {
        self.look("session")?;
        Ok(self.read(|model| model.sessions.get(id).cloned()))
    }
    async fn sessions(&self, ids: &[SessionId]) -> PortResult<Vec<Session>> {
        let ids: BTreeSet<&SessionId> = ids.iter().collect();
        Ok(self.read(|m| ids.iter().filter_map(|id| m.sessions.get(*id)).cloned().collect()))
    }
    async fn page(&self, query: &PageQuery) -> PortResult<Page> {
        let sessions = self.read(|m| {
            let parent = query.filter.parent.as_ref();
            let below = |s: &&Session| parent.is_none() || s.parent.as_ref() == parent;
            let present = m.sessions.values().filter(|s| s.deletion.is_none());
            present.filter(below).cloned().collect::<Vec<_>>()
        });
        Ok(Page { total: sessions.len() as u64, sessions, ..Page::default() })
    }
    async fn matching(&self, query: &PageQuery) -> PortResult<Vec<SessionId>> {
        Ok(self.page(query).await?.sessions.into_iter().map(|session| session.id).collect())
    }
    async fn all_ids(&self) -> PortResult<Vec<SessionId>> {
        Ok(self.read(|m| {
            m.sessions.values().filter(|s| s.deletion.is_none()).map(|s| s.id.clone()).collect()
        }))
    }
    async fn live(&self) -> PortResult<Vec<Session>> {
        Ok(self.read(|m| m.sessions.values().filter(|s| s.is_live()).cloned().collect()))
    }
    async fn due(&self, _now: Timestamp) -> PortResult<Vec<Session>> {
        Ok(Vec::new())
    }
    async fn sections(&self) -> PortResult<Vec<Section>> {
        Ok(Vec::new())
    }
    async fn live_count(&self) -> PortResult<u64> {
        Ok(self.live().await?.len() as u64)
    }
    async fn trash_count(&self) -> PortResult<u64> {
        Ok(self.read(|m| m.sessions.values().filter(|s| s.deletion.is_some()).count() as u64))
    }
    async fn crowded_trash(&self, _limit: u64) -> PortResult<Option<(String, u64)>> {
        Ok(None)
    }
    async fn last_batch(&self) -> PortResult<Option<BatchId>> {
        let batches = |m: &Model| {
            m.sessions.values().filter_map(|s| Some(s.deletion.as_ref()?.batch.clone())).max()
        };
        Ok(self.read(batches))
    }
    async fn batch(&self, batch: &BatchId) -> PortResult<Vec<Session>> {
        let of = |s: &&Session| s.deletion.as_ref().is_some_and(|d| d.batch == *batch);
        Ok(self.read(|m| m.sessions.values().filter(of).cloned().collect()))
    }
    async fn component(&self, id: &SessionId) -> PortResult<Vec<Session>> {
        Ok(self.read(|m| {
            let deleted = |id: &SessionId| m.sessions.get(id).filter(|s| s.deletion.is_some());
            let mut top = id.clone();
            while let Some(parent) =
                deleted(&top).and_then(|s| s.parent.as_ref()).and_then(&deleted)
            {
                top = parent.id.clone();
            }
            let mut open = vec![top];
            let mut found = Vec::new();
            while let Some(next) = open.pop() {
                found.extend(deleted(&next).cloned());
                let children = m.sessions.values().filter(|s| s.parent == Some(next.clone()));
                open.extend(children.filter(|s| s.deletion.is_some()).map(|s| s.id.clone()));
            }
            found.sort_by(|a, b| a.id.cmp(&b.id));
            found
        }))
    }
    async fn projects(&self) -> PortResult<Vec<Project>> {
        self.call("projects", None, None)?;
        Ok(self.read(|m| m.projects.clone()))
    }
    async fn add_project(
        &self,
        path: &Path,
        name: Option<ProjectName>,
        git: bool,
        setup: ProjectSetup,
    ) -> PortResult<Project> {
        let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.unwrap_or_else(|| ProjectName::from_folder(&folder));
        let project = Project { name, path: path.to_owned(), git, sessions: 0, position: 0, setup };
        self.change(|m| m.projects.push(project.clone()));
        Ok(project)
    }
    async fn remove_project(&self, name: &ProjectName) -> PortResult<()> {
        self.change(|m| m.projects.retain(|p| p.name != *name));
        Ok(())
    }
    async fn move_project(&self, _name: &ProjectName, _position: u32) -> PortResult<()> {
        Ok(())
    }
    async fn filters(&self) -> PortResult<Vec<SavedFilter>> {
        Ok(self.read(|m| m.filters.clone()))
    }
    async fn save_filter(&self, filter: &SavedFilter) -> PortResult<()> {
        self.change(|m| {
            m.filters.retain(|known| known.name != filter.name);
            m.filters.push(filter.clone());
        });
        Ok(())
    }
    async fn rename_filter(&self, from: &str, to: &str) -> PortResult<bool> {
        Ok(self.change(|m| {
            let found = m.filters.iter_mut().find(|known| known.name == from);
            found.map(|known| to.clone_into(&mut known.name)).is_some()
        }))
    }
    async fn remove_filter(&self, name: &str) -> PortResult<bool> {
        Ok(self.change(|m| {
            let before = m.filters.len();
            m.filters.retain(|known| known.name != name);
            m.filters.len() < before
        }))
    }
    async fn count(&self, _filter: &Filter) -> PortResult<FilterCount> {
        Ok(FilterCount::default())
    }
    async fn reserve_id(&self, project: Option<&ProjectName>) -> PortResult<SessionId> {
        self.call("reserve_id", None, None)?;
        Ok(self.change(|m| {
            m.counter += 1;
            SessionId::numbered(project, m.counter)
        }))
    }
    async fn insert_seed(&self, seed: &Seed) -> PortResult<Session> {
        self.call("insert_seed", Some(&seed.id), None)?;
        let session = Session {
            launch: seed.launch.clone(),
            kind: seed.kind,
            parent: seed.parent.clone(),
            title: seed.title.clone(),
            prompt: seed.prompt.clone(),
            placement: seed.placement.clone(),
            folder_kind: seed.folder_kind,
            folder: seed.folder.clone(),
            branch: None,
            ..seeded(seed.id.as_str(), None)
        };
        self.change(|m| m.sessions.insert(seed.id.clone(), session.clone()));
        Ok(session)
    }
    async fn set_worktree(&self, id: &SessionId, worktree: &Worktree) -> PortResult<()> {
        self.call("set_worktree", Some(id), None)?;
        self.change(|m| {
            m.edit(id, |session| Session {
                folder: worktree.path.clone(),
                branch: Some(worktree.branch.clone()),
                ..session
            });
        });
        Ok(())
    }
    async fn clear_worktree(&self, id: &SessionId) -> PortResult<()> {
        self.call("clear_worktree", Some(id), None)?;
        self.change(|m| m.edit(id, |session| Session { folder: PathBuf::new(), ..session }));
        Ok(())
    }
    async fn initialise(&self, id: &SessionId, initialised: &Initialised) -> PortResult<()> {
        self.acall("initialise", Some(id), None).await?;
        self.change(|m| {
            m.edit(id, |s| Session {
                condition: s.condition.clone().launched(initialised.generation, NOW),
                ..s
            });
        });
        Ok(())
    }
    async fn next_generation(&self, id: &SessionId) -> PortResult<u32> {
        let of = |session: &Session| session.condition.lifecycle.generation;
        Ok(self.read(|m| {
            let (stored, left) = (m.sessions.get(id).map_or(0, of), m.launched.get(id));
            stored.max(left.copied().unwrap_or(0)) + 1
        }))
    }
    async fn publish_launch(
        &self,
        id: &SessionId,
        initialised: &Initialised,
        worktree: Option<&Worktree>,
    ) -> PortResult<Session> {
        self.acall("publish_launch", Some(id), None).await?;
        let generation = initialised.generation;
        Ok(self.change(|m| {
            m.edit(id, |s| Session {
                condition: s.condition.clone().launched(generation, NOW).published(
                    generation,
                    &[],
                    NOW,
                ),
                folder: worktree.map_or_else(|| s.folder.clone(), |made| made.path.clone()),
                error: None,
                ..s
            });
            m.sessions[id].clone()
        }))
    }
    async fn publish(&self, id: &SessionId, generation: u32) -> PortResult<Session> {
        self.acall("publish", Some(id), None).await?;
        Ok(self.change(|m| {
            m.edit(id, |s| Session {
                condition: s.condition.clone().published(generation, &[], NOW),
                ..s
            });
            m.sessions[id].clone()
        }))
    }
    async fn rollback_seed(&self, id: &SessionId) -> PortResult<()> {
        self.acall("rollback_seed", Some(id), None).await?;
        self.change(|m| m.sessions.remove(id));
        Ok(())
    }
    async fn park(&self, id: &SessionId, error: &str) -> PortResult<()> {
        self.call("park", Some(id), None)?;
        self.change(|m| {
            m.edit(id, |s| Session {
                condition: s.condition.clone().terminated(
                    TerminationReason::ErrorInProcess,
                    &[],
                    NOW,
                ),
                error: Some(error.to_owned()),
                ..s
            });
        });
        Ok(())
    }
    async fn set_error(&self, id: &SessionId, error: Option<&str>) -> PortResult<()> {
        self.change(|m| {
            m.edit(id, |s| Session { error: error.map(str::to_owned), ..s });
        });
        Ok(())
    }
    async fn prompted(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
        _began: Timestamp,
    ) -> PortResult<()> {
        self.call("prompted", Some(id), None)?;
        let message = Message { at: NOW, source: source.to_owned(), text: text.to_owned() };
        self.change(|m| m.messages.push((id.clone(), message)));
        Ok(())
    }
    async fn end(&self, id: &SessionId, reason: Option<TerminationReason>) -> PortResult<()> {
        self.call("end", Some(id), None)?;
        self.change(|m| {
            m.edit(id, |s| {
                let ended = s.condition.lifecycle.state.is_terminal();
                if (ended && reason.is_some()) || s.deletion.is_some() {
                    return s;
                }
                let condition = match reason {
                    Some(reason) => s.condition.clone().terminated(reason, &[], NOW),
                    None => s.condition.clone().done(&[], NOW),
                };
                Session { condition, ..s }
            });
        });
        Ok(())
    }
    async fn probed(&self, results: &[(SessionId, u32, Evidence)]) -> PortResult<Vec<SessionId>> {
        self.call("probed", None, None)?;
        Ok(self.change(|m| {
            let mut changed = Vec::new();
            for (id, _, evidence) in results {
                let before = m.sessions[id].condition.clone();
                m.edit(id, |s| Session { condition: s.condition.probed(evidence, &[], NOW), ..s });
                if m.sessions[id].condition != before {
                    changed.push(id.clone());
                }
            }
            changed
        }))
    }
    async fn usable(&self) -> PortResult<()> {
        Ok(())
    }
    async fn settle_due(&self) -> PortResult<()> {
        self.call("settle_due", None, None)
    }
    async fn pin(&self, ids: &[SessionId], pinned: bool) -> PortResult<Vec<SessionId>> {
        Ok(self.change(|m| {
            let found: Vec<_> =
                ids.iter().filter(|id| m.sessions.contains_key(*id)).cloned().collect();
            for id in &found {
                m.edit(id, |s| Session { pinned_at: pinned.then_some(NOW), ..s });
            }
            found
        }))
    }
    async fn rename(&self, id: &SessionId, title: &str) -> PortResult<bool> {
        Ok(self.change(|m| {
            m.edit(id, |s| Session { title: title.to_owned(), ..s });
            m.sessions.contains_key(id)
        }))
    }
    async fn seen(&self, _ids: &[SessionId]) -> PortResult<()> {
        Ok(())
    }
    async fn set_dirty(&self, counts: &[(SessionId, Option<u32>)]) -> PortResult<()> {
        self.change(|m| {
            for (id, dirty) in counts {
                m.edit(id, |s| Session { dirty: *dirty, ..s });
            }
        });
        Ok(())
    }
    async fn plan_rows(&self, requested: &BTreeSet<SessionId>) -> PortResult<PlanRows> {
        self.call("plan_rows", None, None)?;
        Ok(self.read(|m| m.plan_rows(requested)))
    }
    fn has_batches(&self) -> bool {
        !self.read(|m| m.without_batches)
    }
    async fn tombstone(
        &self,
        requested: &BTreeSet<SessionId>,
        conditions: &Conditions,
        rows: &[TombstoneRow],
        batch: &BatchId,
    ) -> PortResult<Tombstoned> {
        self.call("tombstone", None, None)?;
        Ok(self.change(|m| {
            let found = m.plan_rows(requested);
            let closed = rows.iter().filter(|row| row.closed).map(|row| row.id.clone()).collect();
            let (rows_now, missing) = (found.rows, found.missing);
            let now = plan::plan(requested, rows_now, missing, conditions, &closed, NOW).ids();
            if now != rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>() {
                return Tombstoned::PlanChanged(now);
            }
            for row in rows {
                let deletion = Deletion {
                    at: NOW,
                    batch: batch.clone(),
                    was_live: row.was_live,
                    trash_path: row.trash_path.clone(),
                };
                m.edit(&row.id, |s| Session { deletion: Some(deletion), ..s });
            }
            Tombstoned::Done { messages: 3 }
        }))
    }
    async fn untombstone(&self, rows: &[Untombstone]) -> PortResult<()> {
        self.call("untombstone", None, None)?;
        self.change(|m| {
            for row in rows {
                m.edit(&row.id, |mut s| {
                    if s.condition.lifecycle.state != State::Done && s.is_live() {
                        s.condition =
                            s.condition.terminated(TerminationReason::ManuallyKilled, &[], NOW);
                    }
                    let folder = row.folder.clone().unwrap_or_else(|| s.folder.clone());
                    Session { deletion: None, folder, ..s }
                });
            }
        });
        Ok(())
    }
    async fn begin(&self, operation: &Operation) -> PortResult<()> {
        self.call("begin", None, None)?;
        self.change(|m| m.operations.push(operation.clone()));
        Ok(())
    }
    async fn step(&self, id: &OperationId, step: &str, results: &[StepResult]) -> PortResult<()> {
        self.call(&format!("step {step}"), None, None)?;
        self.change(|m| {
            for operation in m.operations.iter_mut().filter(|operation| operation.id == *id) {
                operation.step = Some(step.to_owned());
                let fresh: BTreeSet<&SessionId> = results.iter().map(|one| &one.id).collect();
                operation.results.retain(|old| !fresh.contains(&old.id));
                operation.results.extend_from_slice(results);
            }
        });
        Ok(())
    }
    async fn finish(&self, operation: &Operation) -> PortResult<()> {
        self.call(&format!("finish {}", operation.state), None, None)?;
        self.change(|m| {
            // As the database does: the row is replaced, results are only added or replaced.
            let mut row = operation.clone();
            let Some(old) = m.operations.iter_mut().find(|old| old.id == operation.id) else {
                m.operations.push(row);
                return;
            };
            let fresh = |one: &&StepResult| row.results.iter().all(|new| new.id != one.id);
            let kept: Vec<_> = old.results.iter().filter(fresh).cloned().collect();
            row.results.extend(kept);
            *old = row;
        });
        Ok(())
    }
    async fn unfinished(&self) -> PortResult<Vec<Operation>> {
        self.look("unfinished")?;
        let open =
            |o: &&Operation| matches!(o.state, OperationState::Running | OperationState::Stuck);
        Ok(self.read(|m| m.operations.iter().filter(open).cloned().collect()))
    }
    async fn operation(&self, id: &OperationId) -> PortResult<Option<Operation>> {
        Ok(self.read(|m| m.operations.iter().find(|operation| operation.id == *id).cloned()))
    }
    async fn operations(&self, _limit: usize) -> PortResult<Vec<Operation>> {
        Ok(self.read(|m| m.operations.clone()))
    }
    async fn record(&self, events: &[Event]) -> PortResult<()> {
        self.change(|m| m.events.extend_from_slice(events));
        Ok(())
    }
    async fn events(&self, _id: Option<&SessionId>, _limit: usize) -> PortResult<Vec<Event>> {
        Ok(self.read(|m| m.events.clone()))
    }
}

/// Where the fakes put a session's worktree when it is deleted.
pub(super) fn trash_path(batch: &BatchId, id: &SessionId) -> PathBuf {
    PathBuf::from(format!("/trash/{batch}/{id}"))
}
