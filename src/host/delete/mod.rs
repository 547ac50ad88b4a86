//! Delete, bulk delete and clear: one coordinator (`spec/lifecycle.md` section 6).

mod close;
pub(super) mod moves;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::domain::event::Actor;
use crate::domain::ids::{BatchId, SessionId};
use crate::domain::operation::{Operation, OperationState, StepResult, Verb};
use crate::domain::plan::{Conditions, Plan, PlanItem, PlanRow, SkipReason, Skipped};
use crate::os::random;

use super::Host;
use super::context::Context;
use super::error::{HostError, HostResult};
use super::journal::result;
use super::ports::{Ports, TombstoneRow, Tombstoned};
use super::report::{DeleteReport, DeleteRequest, Progress, SkippedRow};
use moves::{Move, Moves};
use view::View;

/// How often the plan may change before the delete gives up (D4).
const ATTEMPTS: u32 = 5;
/// Longest pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// The guard of D3: sees the exact plan before any effect.
pub type Admission<'a> = &'a (dyn Fn(&Plan) -> bool + Send + Sync);

/// What accumulates over the attempts of one delete (D4).
#[derive(Default)]
struct Run {
    attempts: u32,
    /// Runtimes that were closed, with their rows as they were when admitted: closing changes
    /// status and activity, which the conditions must not be tested against.
    closed: BTreeMap<SessionId, Option<PlanRow>>,
    escalated: BTreeSet<SessionId>,
}

/// How an attempt ended.
enum Attempt {
    Done(DeleteReport),
    /// A fence found another plan.
    Changed(String),
}

impl<P: Ports> Host<P> {
    /// What a delete would do now (D2). Reads only.
    ///
    /// # Errors
    /// The store cannot be read. Unknown advice is none.
    pub async fn plan_delete(&self, ctx: &Context, request: &DeleteRequest) -> HostResult<Plan> {
        let view = self.view(request, &Run::default()).await?;
        let plan = view.shown(self.ports.now());
        Ok(self.advise(ctx, plan).await)
    }

    /// The request that deletes every session of the workspace, live-only runtimes included (D12).
    ///
    /// # Errors
    /// The sessions or the keepers cannot be listed.
    pub async fn clear_request(&self, actor: Actor) -> HostResult<DeleteRequest> {
        let mut ids: BTreeSet<SessionId> = self.ports.all_ids().await?.into_iter().collect();
        ids.extend(self.ports.keepers().await?);
        Ok(DeleteRequest { ids, conditions: Conditions::default(), with_rowless: true, actor })
    }

    /// Deletes. `admission` sees the exact plan before any effect, and again each time that it
    /// changed (D3, D4). Plans are compared and admitted by their ids; the advice for the operator is
    /// in [`Host::plan_delete`].
    ///
    /// # Errors
    /// Not admitted; the plan changed at every attempt; cancelled before the transaction; a port
    /// failed. Runtimes that were closed by then are named.
    pub async fn delete(
        &self,
        ctx: &Context,
        request: DeleteRequest,
        admission: Admission<'_>,
    ) -> HostResult<DeleteReport> {
        let mut run = Run::default();
        loop {
            run.attempts += 1;
            match self.attempt(ctx, &request, admission, &mut run).await {
                Ok(Attempt::Done(report)) => return Ok(report),
                Ok(Attempt::Changed(difference)) if run.attempts >= ATTEMPTS => {
                    let attempts = run.attempts;
                    return Err(run.stopped(HostError::PlanKeepsChanging { attempts, difference }));
                }
                Ok(Attempt::Changed(difference)) => {
                    tracing::info!(attempt = run.attempts, %difference, "the plan changed");
                    tokio::time::sleep(PAUSE.mul_f64(random::jitter())).await;
                }
                Err(cause) => return Err(run.stopped(cause)),
            }
        }
    }

    async fn attempt(
        &self,
        ctx: &Context,
        request: &DeleteRequest,
        admission: Admission<'_>,
        run: &mut Run,
    ) -> HostResult<Attempt> {
        ctx.check("deleting sessions")?;
        let admitted = self.view(request, run).await?;
        if admitted.is_empty() {
            return Ok(Attempt::Done(run.report(request, &admitted)));
        }
        if !admission(&admitted.plan) {
            return Err(HostError::NotAdmitted);
        }
        let operation = self.operation(Verb::Delete, admitted.touched());
        let own = self.own(&operation).await?;
        let locks = self.hold(ctx, &admitted.touched(), &operation).await?;
        let view = self.view(request, run).await?;
        if view.touched() != admitted.touched() {
            return Ok(Attempt::Changed(difference(&admitted.touched(), &view.touched())));
        }
        if view.plan.is_empty() {
            return self.close_rowless(ctx, request, &operation, &view, run).await;
        }
        self.begin(ctx, &self.intent(&operation, &view)).await?;
        let deleted = self.commit(ctx, &request.conditions, &operation, view, run).await;
        // File moves hold no one up (L4, D7).
        drop(locks);
        match deleted {
            Ok(Some(deleted)) => {
                Ok(Attempt::Done(self.after(ctx, request, operation, deleted, run).await))
            }
            Ok(None) => {
                let operation = run.ended(operation);
                self.finish(ctx, operation, OperationState::Failed, Some(CHANGED.to_owned())).await;
                Ok(Attempt::Changed("the transaction found another closure".to_owned()))
            }
            Err((Some(state), cause)) => {
                let closed: Vec<SessionId> = run.closed.keys().cloned().collect();
                let (actor, id) = (&request.actor, Some(&operation.id));
                self.audit("stop", &closed, actor, id).await;
                let operation = run.ended(operation);
                self.finish(ctx, operation, state, Some(cause.to_string())).await;
                Err(cause)
            }
            Err((None, cause)) => {
                // Whether it was committed is known to the store alone: recovery asks it.
                if let Err(error) = self.recover_operation(ctx, &operation.id, own).await {
                    tracing::warn!(operation = %operation.id, %error, "left to the next start");
                }
                Err(cause)
            }
        }
    }

    /// The operation with every intended move, committed before anything acts (V1, D7).
    fn intent(&self, operation: &Operation, view: &View) -> Operation {
        let intended = |id: &SessionId| {
            let path = self.ports.trash_path(&operation.id, id);
            result(id, "intended", Some(path.display().to_string()))
        };
        let results = view.plan.ids().iter().map(intended).collect();
        Operation { results, ..operation.clone() }
    }

    /// Closes every runtime, then the one transaction; none where that found another plan.
    async fn commit(
        &self,
        ctx: &Context,
        conditions: &Conditions,
        operation: &Operation,
        view: View,
        run: &mut Run,
    ) -> Result<Option<Deleted>, (Option<OperationState>, HostError)> {
        let failed = |cause: HostError| (Some(OperationState::Failed), cause);
        let stubborn = self.close_all(ctx, operation, &view, run).await;
        let view = view.without(&stubborn, self.ports.now());
        for id in &stubborn {
            self.tell(&operation.id, id, "skipped");
        }
        if let Err(cause) = ctx.check("deleting sessions") {
            self.killed(ctx, run.closed.keys()).await;
            return Err((Some(OperationState::Cancelled), cause));
        }
        let ids: BTreeSet<SessionId> = view.plan.ids().into_iter().collect();
        self.killed(ctx, run.closed.keys().filter(|id| !ids.contains(*id))).await;
        if ids.is_empty() {
            return Ok(Some(Deleted { view, moves: Vec::new(), messages: 0 }));
        }
        let skipped = view.skipped_results();
        self.step(ctx, &operation.id, "tombstone", &skipped).await.map_err(failed)?;
        let moves = self.moves(&operation.id, &view).await.map_err(failed)?;
        let rows = view.tombstones(&moves, run);
        let conditions = run.conditions(conditions);
        let requested = view.requested();
        let tombstone = self.ports.tombstone(&requested, &conditions, &rows, &operation.id);
        match ctx.write("writing the tombstones", tombstone).await {
            Ok(Tombstoned::Done { messages }) => Ok(Some(Deleted { view, moves, messages })),
            Ok(Tombstoned::PlanChanged) => {
                self.killed(ctx, run.closed.keys()).await;
                Ok(None)
            }
            Err(error) => Err((None, error)),
        }
    }

    /// Worktrees to move, ascending by session.
    async fn moves(&self, batch: &BatchId, view: &View) -> HostResult<Vec<Move>> {
        let sessions = self.ports.sessions(&view.plan.ids()).await?;
        Ok(sessions
            .iter()
            .filter_map(|session| Move::of(session, self.ports.trash_path(batch, &session.id)))
            .collect())
    }

    /// After the commit: the moves, then the report (D7, D10).
    async fn after(
        &self,
        ctx: &Context,
        request: &DeleteRequest,
        mut operation: Operation,
        deleted: Deleted,
        run: &Run,
    ) -> DeleteReport {
        let Deleted { view, moves, messages } = deleted;
        let removed = view.plan.ids();
        for id in &removed {
            self.tell(&operation.id, id, "deleted");
        }
        let moving: BTreeSet<&SessionId> = moves.iter().map(|one| &one.id).collect();
        let mut results = view.skipped_results();
        results.extend(
            removed
                .iter()
                .map(|id| result(id, if moving.contains(id) { "moved" } else { "deleted" }, None)),
        );
        let Moves { notes, failed } = self.move_all(ctx, &operation.id, moves).await;
        let mut report = run.report(request, &view);
        report.batch = (!removed.is_empty()).then(|| operation.id.clone());
        report.notes = notes;
        report.removed_messages = messages;
        report.cleanup_failed_ids = failed;
        self.audit("delete", &removed, &request.actor, Some(&operation.id)).await;
        report.removed_session_ids = removed;
        operation.results = results;
        self.end_moves(ctx, operation, &report.cleanup_failed_ids, view.has_stubborn()).await;
        report
    }

    /// A plan without rows: nothing for the store (D7).
    async fn close_rowless(
        &self,
        ctx: &Context,
        request: &DeleteRequest,
        operation: &Operation,
        view: &View,
        run: &mut Run,
    ) -> HostResult<Attempt> {
        self.tell_began(operation);
        let stubborn = self.close_all(ctx, operation, view, run).await;
        self.report(Progress::Ended { operation: operation.id.clone() });
        ctx.check("deleting sessions")?;
        let mut report = run.report(request, view);
        report.skipped.extend(stubborn.into_iter().map(|id| skipped(id, SkipReason::DidNotEnd)));
        Ok(Attempt::Done(report))
    }
}

const CHANGED: &str = "the plan changed";

/// What the transaction committed.
struct Deleted {
    view: View,
    moves: Vec<Move>,
    messages: u64,
}

fn skipped(id: SessionId, reason: SkipReason) -> SkippedRow {
    SkippedRow::from(&Skipped { id, reason })
}

/// What differs between two plans, in words.
fn difference(before: &[SessionId], after: &[SessionId]) -> String {
    let missing = |from: &[SessionId], of: &[SessionId]| {
        let of: BTreeSet<&SessionId> = of.iter().collect();
        let ids = from.iter().filter(|id| !of.contains(id)).map(SessionId::as_str);
        ids.collect::<Vec<_>>().join(", ")
    };
    match (missing(after, before), missing(before, after)) {
        (added, gone) if gone.is_empty() => format!("{added} came in"),
        (added, gone) if added.is_empty() => format!("{gone} left"),
        (added, gone) => format!("{added} came in, {gone} left"),
    }
}

impl Run {
    /// Which conditions the transaction tests. Closing changed status and last activity, and the
    /// locks kept those of ended sessions as the first fence saw them.
    fn conditions(&self, asked: &Conditions) -> Conditions {
        if self.closed.is_empty() {
            return asked.clone();
        }
        Conditions { statuses: Vec::new(), older_than: None, ..asked.clone() }
    }

    /// The operation with what it did although nothing was deleted (D14).
    fn ended(&self, operation: Operation) -> Operation {
        let closed = operation.session_ids.iter().filter(|id| self.closed.contains_key(*id));
        let results = closed.map(|id| result(id, "closed", None)).collect();
        Operation { results, ..operation }
    }

    fn report(&self, request: &DeleteRequest, view: &View) -> DeleteReport {
        // That a runtime has no row is no news once it was closed as one without.
        let news = |skip: &&Skipped| {
            skip.reason != SkipReason::NotFound || !self.closed.contains_key(&skip.id)
        };
        DeleteReport {
            requested: request.ids.iter().cloned().collect(),
            runtime_closed_ids: self.closed.keys().cloned().collect(),
            skipped: view.plan.skipped.iter().filter(news).map(SkippedRow::from).collect(),
            escalated_ids: self.escalated.iter().cloned().collect(),
            attempts: self.attempts,
            ..DeleteReport::default()
        }
    }

    /// The error with what was closed by then (D4, D14).
    fn stopped(self, cause: HostError) -> HostError {
        if self.closed.is_empty() {
            return cause;
        }
        let closed = self.closed.into_keys().collect();
        HostError::Stopped { cause: Box::new(cause), closed }
    }
}

/// Rows of the transaction.
impl View {
    fn tombstones(&self, moves: &[Move], run: &Run) -> Vec<TombstoneRow> {
        let paths: BTreeMap<&SessionId, &Move> = moves.iter().map(|to| (&to.id, to)).collect();
        let row = |item: &PlanItem| TombstoneRow {
            id: item.row.id.clone(),
            was_live: item.row.live || run.closed.contains_key(&item.row.id),
            trash_path: paths.get(&item.row.id).map(|found| found.to.clone()),
        };
        self.plan.items.iter().map(row).collect()
    }

    fn skipped_results(&self) -> Vec<StepResult> {
        let skip = |skip: &Skipped| result(&skip.id, "skipped", Some(skip.reason.to_string()));
        self.plan.skipped.iter().map(skip).collect()
    }
}
