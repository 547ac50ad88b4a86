//! What every coordinator does around its own steps: operation rows, audit, progress
//! (`spec/lifecycle.md` V1, V3; `spec/store.md` W6).

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::broadcast;

use crate::domain::error::ErrorKind;
use crate::domain::event::{Actor, Event};
use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState, StepResult, Verb};
use crate::os::random;

use super::Host;
use super::context::Context;
use super::error::{HostError, HostResult};
use super::ports::{PortError, Ports};
use super::report::{Progress, QUEUED};

/// How long a place for a start is waited for in silence (C10).
const SAY_AFTER: Duration = Duration::from_millis(50);

impl<P: Ports> Host<P> {
    /// A fresh operation, not yet written.
    pub(super) fn operation(&self, kind: Verb, session_ids: Vec<SessionId>) -> Operation {
        Operation {
            id: random::operation(),
            kind,
            state: OperationState::Running,
            step: None,
            started_at: self.ports.now(),
            ended_at: None,
            session_ids,
            results: Vec::new(),
            error: None,
            asked: None,
        }
    }

    /// The operation's own lock, taken before its first row and before lanes (V3).
    pub(super) async fn own(&self, operation: &Operation) -> HostResult<P::Guard> {
        let lock = self.ports.acquire_operation(&operation.id).await?;
        lock.ok_or_else(|| {
            HostError::Port(PortError {
                kind: ErrorKind::Failed,
                message: format!("the lock of the fresh operation {} is held", operation.id),
                hint: None,
            })
        })
    }

    /// One of the places for a start. Who has to wait for it says so (C10).
    pub(super) async fn place_to_start(
        &self,
        ctx: &Context,
        operation: &Operation,
        id: &SessionId,
    ) -> HostResult<P::Guard> {
        let mut place = std::pin::pin!(self.ports.acquire_start(ctx));
        if let Ok(place) = tokio::time::timeout(SAY_AFTER, &mut place).await {
            return Ok(place?);
        }
        self.tell_began(operation);
        self.tell(&operation.id, id, QUEUED);
        Ok(place.await?)
    }

    /// Tells the end of an operation when it is dropped, also where it never began.
    pub(super) fn ending(&self, operation: &Operation) -> impl Drop + use<P> {
        Ending { progress: self.progress.clone(), operation: operation.id.clone() }
    }

    /// Writes an operation before it acts (V1).
    pub(super) async fn begin(&self, ctx: &Context, operation: &Operation) -> HostResult<()> {
        ctx.write("journal: begin", self.ports.begin(operation)).await?;
        self.tell_began(operation);
        Ok(())
    }

    /// Writes the step that an operation enters, before it acts (V1), and results so far.
    pub(super) async fn step(
        &self,
        ctx: &Context,
        id: &OperationId,
        step: &str,
        results: &[StepResult],
    ) -> HostResult<()> {
        let written = self.ports.step(id, step, results);
        ctx.write(&format!("journal: {step}"), written).await
    }

    /// Writes how an operation ended. Where that fails recovery finds out by itself.
    pub(super) async fn finish(
        &self,
        ctx: &Context,
        mut operation: Operation,
        state: OperationState,
        error: Option<String>,
    ) {
        operation.state = state;
        // Results are written by the steps: those of the beginning would undo them.
        operation.results = Vec::new();
        operation.error = error;
        complete(&mut operation);
        operation.ended_at = Some(self.ports.now());
        let id = operation.id.clone();
        if let Err(error) = ctx.write("journal: finish", self.ports.finish(&operation)).await {
            tracing::warn!(operation = %id, %error, "the end of an operation could not be written");
        }
        self.report(Progress::Ended { operation: id });
    }

    /// Appends one action on several sessions to the audit. The audit never fails an action.
    pub(super) async fn audit(
        &self,
        verb: &str,
        ids: &[SessionId],
        actor: &Actor,
        operation: Option<&OperationId>,
    ) {
        let event = |id| self.event(verb, id, actor, operation);
        let events: Vec<Event> = ids.iter().map(event).collect();
        self.record(&events).await;
    }

    /// One entry of the audit, at this moment.
    pub(super) fn event(
        &self,
        verb: &str,
        id: &SessionId,
        actor: &Actor,
        operation: Option<&OperationId>,
    ) -> Event {
        Event {
            at: self.ports.now(),
            session: Some(id.clone()),
            actor: actor.to_string(),
            verb: verb.to_owned(),
            from: None,
            to: None,
            cause: None,
            operation: operation.cloned(),
        }
    }

    /// Appends to the audit.
    pub(super) async fn record(&self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        if let Err(error) = self.ports.record(events).await {
            tracing::warn!(%error, "the audit could not be written");
        }
    }

    /// Tells whoever listens.
    pub(super) fn report(&self, progress: Progress) {
        // Without a listener there is nobody to tell.
        let _ = self.progress.send(progress);
    }

    /// Tells that an operation began.
    pub(super) fn tell_began(&self, operation: &Operation) {
        self.report(Progress::Began {
            operation: operation.id.clone(),
            verb: operation.kind,
            total: operation.session_ids.len(),
        });
    }

    /// Tells how far one session is.
    pub(super) fn tell(&self, operation: &OperationId, id: &SessionId, state: &'static str) {
        self.report(Progress::Session { operation: operation.clone(), id: id.clone(), state });
    }
}

struct Ending {
    progress: broadcast::Sender<Progress>,
    operation: OperationId,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Without a listener there is nobody to tell.
        let _ = self.progress.send(Progress::Ended { operation: self.operation.clone() });
    }
}

/// What became of each session of an operation that has ended: what was only intended, or has no
/// result, gets the one that its end implies.
fn complete(operation: &mut Operation) {
    let whole = matches!(operation.state, OperationState::Done | OperationState::Partly);
    let waits = matches!(operation.state, OperationState::Running | OperationState::Stuck);
    // A delete journals what becomes of each session as it goes; who goes on with one that was cut
    // short reads what it intended and closed.
    if waits || operation.kind == Verb::Delete {
        return;
    }
    let (state, detail) = match operation.state {
        _ if whole => (done_word(operation.kind), None),
        _ if operation.session_ids.len() == 1 => ("failed", operation.error.clone()),
        _ => ("not_done", None),
    };
    let known: BTreeSet<SessionId> = operation
        .results
        .iter()
        .filter(|one| !matches!(one.state.as_str(), "intended" | "live" | "worktree"))
        .map(|one| one.id.clone())
        .collect();
    operation.results.retain(|one| known.contains(&one.id));
    let ids = operation.session_ids.iter().filter(|id| !known.contains(*id));
    operation.results.extend(ids.map(|id| result(id, state, detail.clone())));
}

/// What a verb that was done has made of a session.
fn done_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Create => "created",
        Verb::Delete => "deleted",
        Verb::Restore => "restored",
        Verb::Launch => "launched",
        Verb::Stop | Verb::Kill => "stopped",
        Verb::Cleanup => "freed",
        Verb::Purge => "purged",
        Verb::Send => "sent",
    }
}

/// A result of one session.
pub(super) fn result(id: &SessionId, state: &str, detail: Option<String>) -> StepResult {
    StepResult { id: id.clone(), state: state.to_owned(), detail }
}
