//! What the operator chooses for an operation: resume, undo or abandon (`spec/lifecycle.md` D11, V3).

use crate::domain::event::Actor;
use crate::domain::ids::OperationId;
use crate::domain::operation::{Operation, OperationState, Verb};

use super::Host;
use super::caller::Reach;
use super::context::Context;
use super::error::{HostError, HostResult};
use super::ports::Ports;
use super::recover::Recovered;
use super::report::{RestoreReport, RestoreRequest, RestoreTarget};

/// What agents as callers may not do to operations.
const CHOOSE: &str = "decide on operations";

impl<P: Ports> Host<P> {
    /// Tries an unfinished or stuck operation once more: finished or undone, as its step says (V2).
    /// False where part of it failed again.
    ///
    /// # Errors
    /// There is no such operation, it still runs, or it cannot be recovered.
    pub async fn resume(&self, ctx: &Context, id: &OperationId, actor: &Actor) -> HostResult<bool> {
        self.allow(actor, CHOOSE, Reach::Config).await?;
        let (operation, own) = self.claim(id).await?;
        self.audit("resume", &operation.session_ids, actor, Some(id)).await;
        let recovered = self.recover_operation(ctx, id, own).await?;
        Ok(recovered != Recovered::Waits)
    }

    /// Lets an unfinished or stuck operation be: what it left behind stays as it is.
    ///
    /// # Errors
    /// There is no such operation, or it still runs.
    pub async fn abandon(&self, ctx: &Context, id: &OperationId, actor: &Actor) -> HostResult<()> {
        self.allow(actor, CHOOSE, Reach::Config).await?;
        let (operation, _own) = self.claim(id).await?;
        self.audit("abandon", &operation.session_ids, actor, Some(id)).await;
        let error = operation.error.clone();
        let error = error.unwrap_or_else(|| "abandoned by the operator".to_owned());
        self.finish(ctx, operation, OperationState::Failed, Some(error)).await;
        Ok(())
    }

    /// An unfinished operation with its lock.
    pub(super) async fn claim(&self, id: &OperationId) -> HostResult<(Operation, P::Guard)> {
        let Some(own) = self.ports.acquire_operation(id).await? else {
            let message = format!("operation {id} still runs");
            return Err(HostError::Refused { message, hint: None });
        };
        let operation = self.find_operation(id).await?;
        if unfinished(&operation) {
            return Ok((operation, own));
        }
        let message = format!("operation {id} has ended: {}", operation.state.as_str());
        Err(HostError::Refused { message, hint: None })
    }

    /// One operation as it is now.
    ///
    /// # Errors
    /// There is none, or the store cannot be read.
    pub async fn find_operation(&self, id: &OperationId) -> HostResult<Operation> {
        let found = self.ports.operation(id).await?;
        found.ok_or_else(|| HostError::NoOperation(id.clone()))
    }

    /// Undoes an operation: a delete by restoring exactly its batch; another one only while it has
    /// not reached its point of no return.
    ///
    /// # Errors
    /// There is no such operation, it still runs, or it cannot be undone.
    pub async fn undo(
        &self,
        ctx: &Context,
        id: &OperationId,
        actor: &Actor,
    ) -> HostResult<RestoreReport> {
        self.allow(actor, CHOOSE, Reach::Config).await?;
        let operation = self.find_operation(id).await?;
        let unfinished = unfinished(&operation);
        if operation.kind == Verb::Delete && !self.ports.batch(id).await?.is_empty() {
            return self.undo_delete(ctx, &operation, unfinished, actor).await;
        }
        if !unfinished {
            return Err(final_one(&operation));
        }
        let (_, own) = self.claim(id).await?;
        match self.recover_operation(ctx, id, own).await? {
            Recovered::Undone => Ok(RestoreReport::default()),
            Recovered::Finished | Recovered::Nothing => Err(HostError::Refused {
                message: format!(
                    "operation {id} was past its point of no return and is finished now"
                ),
                hint: None,
            }),
            Recovered::Waits => Err(HostError::Refused {
                message: format!("part of operation {id} failed again"),
                hint: Some(format!("let it be with: callboard ops abandon {id}")),
            }),
        }
    }

    async fn undo_delete(
        &self,
        ctx: &Context,
        operation: &Operation,
        unfinished: bool,
        actor: &Actor,
    ) -> HostResult<RestoreReport> {
        let id = &operation.id;
        if unfinished && self.ports.acquire_operation(id).await?.is_none() {
            let message = format!("operation {id} still runs");
            return Err(HostError::Refused { message, hint: None });
        }
        let request = RestoreRequest {
            target: RestoreTarget::Batch(id.clone()),
            launch: false,
            to: None,
            actor: actor.clone(),
        };
        let report = self.restore(ctx, request).await?;
        // What is back in its place needs no move any more.
        if unfinished
            && report.not_restored.is_empty()
            && let Ok((operation, _own)) = self.claim(id).await
        {
            let error = Some("undone by the operator".to_owned());
            self.finish(ctx, operation, OperationState::Failed, error).await;
        }
        Ok(report)
    }
}

fn unfinished(operation: &Operation) -> bool {
    matches!(operation.state, OperationState::Running | OperationState::Stuck)
}

/// Why an operation that has ended stays as it is.
fn final_one(operation: &Operation) -> HostError {
    let ids: Vec<&str> = operation.session_ids.iter().take(8).map(AsRef::as_ref).collect();
    let ids = ids.join(" ");
    let (why, hint) = match operation.kind {
        Verb::Delete => ("nothing of it is in the trash any more", None),
        Verb::Restore => ("it has ended", Some(format!("callboard delete {ids}"))),
        Verb::Stop | Verb::Kill => ("it has ended", Some(format!("callboard restore {ids}"))),
        Verb::Create | Verb::Launch => ("it has ended", Some(format!("callboard stop {ids}"))),
        Verb::Purge => ("what was purged is gone for good", None),
        Verb::Cleanup => ("it has ended", None),
        Verb::Send => ("what was sent has arrived", None),
    };
    HostError::Refused {
        message: format!("operation {} ({}) cannot be undone: {why}", operation.id, operation.kind),
        hint,
    }
}
