//! Closing the runtimes of a plan (`spec/lifecycle.md` D6).

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::Operation;

use super::super::Host;
use super::super::context::{CLOSE, Context};
use super::super::journal::result;
use super::super::parallel;
use super::super::ports::Ports;
use super::Run;
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
        let closed = parallel::ordered(CLOSING, view.runtimes(), |(id, row)| {
            let (host, ctx, operation) = (self.clone(), ctx.clone(), operation.id.clone());
            async move {
                if ctx.cancel.is_cancelled() {
                    return None;
                }
                host.tell(&operation, &id, "closing");
                let ctx = ctx.detached(CLOSE);
                let closed = ctx.step("closing the runtime", host.ports.close(&ctx, &id)).await;
                if closed.as_ref().is_ok_and(|closed| closed.escalated) {
                    host.tell(&operation, &id, "escalated");
                }
                Some((id, row, closed))
            }
        });
        let mut stubborn = BTreeSet::new();
        let mut results = Vec::new();
        for (id, row, closed) in closed.await.into_iter().flatten() {
            match closed {
                Ok(closed) => {
                    if closed.escalated {
                        run.escalated.insert(id.clone());
                    }
                    if closed.was_running {
                        results.push(result(&id, "closed", None));
                        run.closed.entry(id).or_insert(row);
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

    /// Closed runtimes whose sessions stay: their rows say so (V2).
    pub(in crate::host) async fn killed<'a>(
        &self,
        ctx: &Context,
        ids: impl Iterator<Item = &'a SessionId>,
    ) {
        for id in ids {
            let ended = self.ports.end(id, Some(TerminationReason::ManuallyKilled));
            if let Err(error) = ctx.write("ending the row", ended).await {
                tracing::warn!(session = %id, %error, "the end of a runtime could not be written");
            }
        }
    }
}
