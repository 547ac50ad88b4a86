//! Closing the runtimes of a plan (`spec/lifecycle.md` D6).

use std::collections::BTreeSet;
use std::pin::pin;

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::Operation;

use super::super::Host;
use super::super::context::{CLOSE, Context, TERM_AFTER};
use super::super::error::HostResult;
use super::super::journal::result;
use super::super::parallel;
use super::super::ports::{Closed, Ports};
use super::CLOSED;
use super::run::Run;
use super::view::View;

/// How many runtimes are closed at once.
const CLOSING: usize = 16;

impl<P: Ports> Host<P> {
    /// Closes all runtimes of the view: started in ascending order, each with its own detached
    /// deadline. The caller's cancellation starts no further one (D14). Answers those that did not
    /// end.
    pub(super) async fn close_all(
        &self,
        ctx: &Context,
        operation: &Operation,
        view: &View,
        run: &mut Run,
    ) -> BTreeSet<SessionId> {
        let runtimes = view.runtimes();
        for id in &runtimes {
            self.tell(&operation.id, id, "waiting");
        }
        let closed = parallel::ordered(CLOSING, runtimes, |id| {
            let (host, ctx, operation) = (self.clone(), ctx.clone(), operation.id.clone());
            async move {
                if ctx.cancel.is_cancelled() {
                    return None;
                }
                let closed = host.close_one(&ctx, &operation, &id).await;
                Some((id, closed))
            }
        });
        let mut stubborn = BTreeSet::new();
        let mut results = Vec::new();
        for (id, closed) in closed.await.into_iter().flatten() {
            match closed {
                Ok(closed) => {
                    if closed.escalated {
                        run.escalated.insert(id.clone());
                    }
                    if closed.was_running {
                        results.push(result(&id, CLOSED, None));
                        run.closed.insert(id);
                    }
                }
                Err(error) => {
                    tracing::warn!(session = %id, %error, "a runtime did not end");
                    stubborn.insert(id);
                }
            }
        }
        if !view.plan.is_empty() && !results.is_empty() {
            let step = self.step(ctx, &operation.id, "close", &results).await;
            if let Err(error) = step {
                tracing::warn!(operation = %operation.id, %error, "results could not be journalled");
            }
        }
        stubborn
    }

    /// Closes one runtime. That the polite way was not enough is told as soon as it is known.
    async fn close_one(
        &self,
        ctx: &Context,
        operation: &OperationId,
        id: &SessionId,
    ) -> HostResult<Closed> {
        self.tell(operation, id, "closing");
        let ctx = ctx.detached(CLOSE);
        let mut closing = pin!(ctx.step("closing the runtime", self.close_runtime(&ctx, id)));
        let polite = tokio::time::timeout(TERM_AFTER, &mut closing).await;
        let closed = if let Ok(closed) = polite {
            if closed.as_ref().is_ok_and(|closed| closed.escalated) {
                self.tell(operation, id, "escalated");
            }
            closed
        } else {
            self.tell(operation, id, "escalated");
            closing.await
        };
        if closed.is_err() {
            self.tell(operation, id, "failed");
        }
        closed
    }

    /// Closed runtimes whose sessions stay: their rows say so (V2).
    pub(in crate::host) async fn killed<'a>(
        &self,
        ctx: &Context,
        ids: impl IntoIterator<Item = &'a SessionId>,
    ) {
        for id in ids {
            let ended = self.ports.end(id, Some(TerminationReason::ManuallyKilled));
            if let Err(error) = ctx.write("ending the row", ended).await {
                tracing::warn!(session = %id, %error, "the end of a runtime could not be written");
            }
        }
    }
}
