//! Doing again what was left before its point of no return (`spec/console.md`, `q`).

use crate::domain::event::Actor;
use crate::domain::operation::{Asked, Operation, Verb};
use crate::domain::plan::{Conditions, Plan};
use crate::domain::trash::PurgeChoice;

use super::Host;
use super::context::Context;
use super::delete::CLOSED;
use super::error::HostResult;
use super::ports::Ports;
use super::report::{DeleteRequest, PurgeRequest, RestoreRequest, RestoreTarget};

impl<P: Ports> Host<P> {
    /// Does to the same sessions, and to no others, what an operation was to do that was cancelled or
    /// undone: under the conditions that it was asked for (D5), and with what it had closed by then
    /// counted as live when it began.
    ///
    /// # Errors
    /// As those of the coordinator; a delete whose plan holds other sessions now is not admitted (D3).
    pub async fn again(&self, ctx: &Context, operation: &Operation) -> HostResult<()> {
        let actor = Actor::Operator;
        let ids = &operation.session_ids;
        let admission = |plan: &Plan| plan.items.iter().all(|item| ids.contains(&item.row.id));
        // Of one that an older callboard began nothing is known: it leaves alone what is pinned.
        let cautious = || Asked {
            conditions: Conditions { exclude_pinned: true, ..Conditions::default() },
            ..Asked::default()
        };
        let asked = operation.asked.clone().unwrap_or_else(cautious);
        match operation.kind {
            Verb::Delete => {
                let request = DeleteRequest {
                    ids: operation.requested(),
                    conditions: asked.conditions,
                    with_rowless: asked.with_rowless,
                    closed: operation.in_state(CLOSED),
                    actor,
                };
                self.delete(ctx, request, &admission).await?;
            }
            Verb::Restore | Verb::Launch => {
                let target = RestoreTarget::Ids(ids.clone());
                let request = RestoreRequest { target, launch: false, to: None, actor };
                self.restore(ctx, request).await?;
            }
            Verb::Stop => {
                self.stop(ctx, ids, &asked.conditions, asked.done, &actor).await?;
            }
            Verb::Kill => {
                let reason = operation.reason();
                self.kill_as(ctx, ids, &asked.conditions, reason, &actor).await?;
            }
            Verb::Purge => {
                let choice = PurgeChoice {
                    ids: Some(ids.iter().cloned().collect()),
                    ..PurgeChoice::default()
                };
                let request = PurgeRequest { choice, branches: [].into(), actor };
                self.purge(ctx, &request, &admission).await?;
            }
            // Where it stopped is where it belongs: it was undone, or may have been done.
            Verb::Create | Verb::Cleanup | Verb::Send => {}
        }
        Ok(())
    }
}
