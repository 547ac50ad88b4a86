//! Delete, bulk delete and clear: one coordinator (`spec/lifecycle.md` section 6).

mod close;
pub(super) mod moves;
mod run;
mod view;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::error::ErrorKind;
use crate::domain::event::{Actor, Event};
use crate::domain::ids::SessionId;
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::plan::{Conditions, Plan, PlanItem};
use crate::os::random;

use super::Host;
use super::caller::Reach;
use super::context::Context;
use super::error::{HostError, HostResult};
use super::journal::result;
use super::ports::{Ports, Tombstoned};
use super::report::{DeleteReport, DeleteRequest, Note, Progress};
use moves::{Move, Remains};
use run::Run;
use view::View;

/// How often the plan may change before the delete gives up (D4).
const ATTEMPTS: u32 = 5;
/// Longest pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// The guard of D3: sees the exact plan before any effect.
pub type Admission<'a> = &'a (dyn Fn(&Plan) -> bool + Send + Sync);

/// How an attempt ended.
enum Attempt {
    Done(DeleteReport),
    /// A fence found another plan: what differs.
    Changed(String),
}

/// How the part under the locks ended.
enum Committed {
    Done(Deleted),
    /// The transaction found this closure instead.
    Changed(Vec<SessionId>),
}

impl<P: Ports> Host<P> {
    /// What a delete would do now (D2). Reads only. `looked` is told as by [`Host::advise`].
    ///
    /// # Errors
    /// The store cannot be read. Unknown advice is none.
    pub async fn plan_delete(
        &self,
        ctx: &Context,
        request: &DeleteRequest,
        looked: &(dyn Fn(usize, usize) + Sync),
    ) -> HostResult<Plan> {
        let view = self.view(request, &Run::of(request)).await?;
        let plan = view.shown(self.ports.now());
        Ok(self.advise(ctx, plan, looked).await)
    }

    /// The request that deletes every session of the workspace, live-only runtimes included (D12).
    ///
    /// # Errors
    /// The sessions or the keepers cannot be listed.
    pub async fn clear_request(&self, actor: Actor) -> HostResult<DeleteRequest> {
        self.allow(&actor, "clear a workspace", Reach::Config).await?;
        let mut ids: BTreeSet<SessionId> = self.ports.all_ids().await?.into_iter().collect();
        ids.extend(self.ports.keepers().await?);
        let conditions = Conditions::default();
        let closed = BTreeSet::new();
        Ok(DeleteRequest { ids, conditions, with_rowless: true, closed, actor })
    }

    /// Deletes. `admission` sees the exact plan before any effect, and again each time that it
    /// changed (D3, D4). Plans are compared and admitted by their ids; the advice for the operator is
    /// in [`Host::plan_delete`].
    ///
    /// # Errors
    /// The store cannot delete a batch as one; not admitted; the plan changed at every attempt;
    /// cancelled before the transaction; a port failed. Runtimes that were closed by then are named.
    pub async fn delete(
        &self,
        ctx: &Context,
        request: DeleteRequest,
        admission: Admission<'_>,
    ) -> HostResult<DeleteReport> {
        let asked: Vec<SessionId> = request.ids.iter().cloned().collect();
        self.allow(&request.actor, "delete", Reach::Sessions(&asked)).await?;
        if !self.ports.has_batches() {
            return Err(HostError::BatchUnavailable);
        }
        let mut run = Run::of(&request);
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
        if !admission(&admitted.shown(self.ports.now())) {
            return Err(HostError::NotAdmitted);
        }
        let touched = admitted.touched();
        let operation = self.operation(Verb::Delete, touched.clone());
        let operation = Operation { asked: Some(admitted.asked(request)), ..operation };
        let _own = self.own(&operation).await?;
        let locks = self.hold(ctx, &touched, &operation).await?;
        let view = self.view(request, run).await?;
        if view.touched() != touched {
            drop(locks);
            let difference = difference(&touched, &view.touched());
            if !admitted.plan.is_empty() {
                self.changed(ctx, operation, &difference).await;
            }
            return Ok(Attempt::Changed(difference));
        }
        if view.plan.is_empty() {
            return self.close_rowless(ctx, request, &operation, view, run).await;
        }
        let expected = view.plan.ids();
        self.begin(ctx, &self.intent(&operation, &view, run)).await?;
        let committed = self.commit(ctx, &request.conditions, &operation, view, run).await;
        if let Err((None, _)) = &committed {
            self.recover_held(ctx, &operation.id).await;
        }
        // File moves hold no one up (L4, D7).
        drop(locks);
        match committed {
            Ok(Committed::Done(deleted)) => {
                Ok(Attempt::Done(self.after(ctx, request, operation, deleted, run).await))
            }
            Ok(Committed::Changed(found)) => {
                let difference = difference(&expected, &found);
                self.changed(ctx, operation, &difference).await;
                Ok(Attempt::Changed(difference))
            }
            Err((Some(state), cause)) => {
                let closed: Vec<SessionId> = run.closed.iter().cloned().collect();
                let (actor, id) = (&request.actor, Some(&operation.id));
                self.audit("stop", &closed, actor, id).await;
                self.finish(ctx, operation, state, Some(cause.to_string())).await;
                Err(cause)
            }
            Err((None, cause)) => Err(cause),
        }
    }

    /// Reports an attempt whose plan a fence refused (D4). The row of the operation has the rest: the
    /// plan, and in its results what was closed so far.
    async fn changed(&self, ctx: &Context, operation: Operation, difference: &str) {
        let error = format!("the plan changed: {difference}");
        self.finish(ctx, operation, OperationState::Failed, Some(error)).await;
    }

    /// The operation with every intended move, what is about to be closed, and what this delete has
    /// closed already, committed before anything acts (V1, D7).
    fn intent(&self, operation: &Operation, view: &View, run: &Run) -> Operation {
        let runtimes = view.runtimes();
        let row = |item: &PlanItem| {
            let id = &item.row.id;
            let path = || Some(self.ports.trash_path(&operation.id, id).display().to_string());
            match id {
                id if run.closed.contains(id) => result(id, CLOSED, None),
                id if runtimes.contains(id) => result(id, LIVE, path()),
                id => result(id, INTENDED, path()),
            }
        };
        let results = view.plan.items.iter().map(row).collect();
        Operation { results, ..operation.clone() }
    }

    /// Closes every runtime, then the one transaction. What was closed and stays counts as killed.
    async fn commit(
        &self,
        ctx: &Context,
        conditions: &Conditions,
        operation: &Operation,
        view: View,
        run: &mut Run,
    ) -> Result<Committed, (Option<OperationState>, HostError)> {
        let stubborn = self.close_all(ctx, operation, &view, run).await;
        let view = view.without(&stubborn, self.ports.now());
        for id in &stubborn {
            self.tell(&operation.id, id, "skipped");
        }
        let ready = match self.ready(ctx, operation, &view).await {
            Ok(ready) => ready,
            Err(cause) => {
                self.killed(ctx, &run.closed).await;
                let cancelled = cause.kind() == ErrorKind::Interrupted;
                let state =
                    if cancelled { OperationState::Cancelled } else { OperationState::Failed };
                return Err((Some(state), cause));
            }
        };
        let ids: BTreeSet<SessionId> = view.plan.ids().into_iter().collect();
        self.killed(ctx, run.closed.difference(&ids)).await;
        if ids.is_empty() {
            return Ok(Committed::Done(Deleted { view, ..Deleted::default() }));
        }
        let (moves, notes) = ready;
        let rows = view.tombstones(&moves, run);
        let requested = view.requested();
        let tombstone = self.ports.tombstone(&requested, conditions, &rows, &operation.id);
        match ctx.write("writing the tombstones", tombstone).await {
            Ok(Tombstoned::Done { messages }) => {
                Ok(Committed::Done(Deleted { view, moves, notes, messages }))
            }
            Ok(Tombstoned::PlanChanged(found)) => {
                self.killed(ctx, &run.closed).await;
                Ok(Committed::Changed(found))
            }
            Err(error) => Err((None, error)),
        }
    }

    /// What comes before the transaction: its step in the journal, and where the worktrees will go. The
    /// last look at the cancellation is at its end (D14).
    async fn ready(
        &self,
        ctx: &Context,
        operation: &Operation,
        view: &View,
    ) -> HostResult<(Vec<Move>, Vec<Note>)> {
        ctx.check("deleting sessions")?;
        self.step(ctx, &operation.id, "tombstone", &view.skipped_results()).await?;
        let moves = self.moves(&operation.id, view).await?;
        ctx.check("deleting sessions")?;
        Ok(moves)
    }

    /// After the commit: the moves, then the report (D7, D10).
    async fn after(
        &self,
        ctx: &Context,
        request: &DeleteRequest,
        operation: Operation,
        deleted: Deleted,
        run: &Run,
    ) -> DeleteReport {
        let Deleted { view, moves, mut notes, messages } = deleted;
        let removed = view.plan.ids();
        for id in &removed {
            self.tell(&operation.id, id, "deleted");
        }
        let remains = Remains::of(&removed, moves, view.rowless_of(&run.closed));
        let cleaned = self.clean_up(ctx, &operation.id, remains).await;
        notes.extend(cleaned.notes);
        let mut report = run.report(request, &view);
        report.batch = (!removed.is_empty()).then(|| operation.id.clone());
        report.notes = notes;
        report.notes.sort_by(|a, b| a.id.cmp(&b.id));
        report.removed_messages = messages;
        report.cleanup_failed_ids = cleaned.failed;
        let events = view.plan.items.iter().map(|item| Event {
            from: Some(item.row.status.to_string()),
            ..self.event("delete", &item.row.id, &request.actor, Some(&operation.id))
        });
        self.record(&events.collect::<Vec<_>>()).await;
        report.removed_session_ids = removed;
        self.end_moves(ctx, operation, &report.cleanup_failed_ids, view.has_stubborn()).await;
        report
    }

    /// A plan without rows: nothing for the store (D7).
    async fn close_rowless(
        &self,
        ctx: &Context,
        request: &DeleteRequest,
        operation: &Operation,
        view: View,
        run: &mut Run,
    ) -> HostResult<Attempt> {
        self.tell_began(operation);
        let stubborn = self.close_all(ctx, operation, &view, run).await;
        let view = view.without(&stubborn, self.ports.now());
        let mut report = run.report(request, &view);
        let rowless = view.rowless_of(&run.closed);
        report.cleanup_failed_ids = self.forget_all(ctx, &operation.id, rowless).await.1;
        self.report(Progress::Ended { operation: operation.id.clone() });
        ctx.check("deleting sessions")?;
        Ok(Attempt::Done(report))
    }
}

/// Result of a session that has no runtime to close; its detail is where its worktree will go.
const INTENDED: &str = "intended";
/// Result of a session whose runtime is about to be closed; its detail is the same.
pub(super) const LIVE: &str = "live";
/// Result of a session whose runtime this delete has closed; it stands until the transaction.
pub(super) const CLOSED: &str = "closed";

/// What the transaction committed.
#[derive(Default)]
struct Deleted {
    view: View,
    moves: Vec<Move>,
    notes: Vec<Note>,
    messages: u64,
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
