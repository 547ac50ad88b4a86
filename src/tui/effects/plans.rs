//! Plans, and the verbs that do nothing but what their plan showed.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::plan::Plan;
use crate::domain::trash::PurgeChoice;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::{HostError, HostResult};
use crate::host::ports::Ports;
use crate::host::report::{DeleteRequest, PurgeRequest, RestoreTarget};
use crate::tui::app::plan::PlanRequest;
use crate::tui::event::{Event, Failure, Outcome};

use super::{ACTOR, Effects, named};

impl<P: Ports> Effects<P> {
    pub(super) fn plan(&self, ticket: u64, request: PlanRequest) {
        let out = self.out.clone();
        self.answer(async move |host| {
            let looked = |done, total| {
                // One count that does not get through is made good by the next.
                let _ = out.try_send(Event::Planning { ticket, done, total });
            };
            let ctx = Context::new();
            let plan = match request {
                PlanRequest::Delete(request) => host.plan_delete(&ctx, &request, &looked).await,
                PlanRequest::Purge(ids) => host.plan_purge(&ctx, &purge_of(ids), &looked).await,
                PlanRequest::Restore(ids) => {
                    host.plan_restore(&ctx, &RestoreTarget::Ids(ids), None, &looked).await
                }
            };
            Event::Planned { ticket, plan: plan.map_err(Failure::from) }
        });
    }

    pub(super) fn delete(&self, request: DeleteRequest, admitted: Vec<SessionId>) {
        let what = format!("{} not deleted", named(&admitted));
        self.job((&[Verb::Delete], admitted.len()), what, |host, ctx| async move {
            let guard = Guard::new(admitted);
            let deleted = host.delete(&ctx, request.clone(), &|plan| guard.admits(plan)).await;
            let again = |error: &HostError| {
                // What was closed by then is part of the same wish, whenever it is granted.
                let closed = error.closed().iter().cloned().collect();
                PlanRequest::Delete(DeleteRequest { closed, ..request })
            };
            guard.ended((&host, &ctx), deleted, again, Outcome::Deleted).await
        });
    }

    pub(super) fn purge(&self, ids: Vec<SessionId>) {
        let what = format!("{} not purged", named(&ids));
        self.job((&[Verb::Purge], ids.len()), what, |host, ctx| async move {
            let guard = Guard::new(ids.clone());
            let request = purge_of(ids.clone());
            let purged = host.purge(&ctx, &request, &|plan| guard.admits(plan)).await;
            let again = |_: &HostError| PlanRequest::Purge(ids);
            guard.ended((&host, &ctx), purged, again, Outcome::Purged).await
        });
    }
}

/// Admits nothing but what the operator saw, and keeps what else there was (D3).
struct Guard {
    admitted: BTreeSet<SessionId>,
    grown: Mutex<Option<Plan>>,
}

impl Guard {
    fn new(admitted: Vec<SessionId>) -> Self {
        Self { admitted: admitted.into_iter().collect(), grown: Mutex::new(None) }
    }

    fn admits(&self, plan: &Plan) -> bool {
        let known = plan.items.iter().all(|item| self.admitted.contains(&item.row.id));
        if !known {
            *self.grown.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan.clone());
        }
        known
    }

    /// What a job came to. Where there was more than the operator saw, nothing was done, and `again` is to be
    /// asked for with the plan of now.
    async fn ended<P: Ports, T>(
        self,
        (host, ctx): (&Host<P>, &Context),
        done: HostResult<T>,
        again: impl FnOnce(&HostError) -> PlanRequest,
        outcome: impl FnOnce(T) -> Outcome,
    ) -> HostResult<Event> {
        let grown = self.grown.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (done, grown) {
            (Err(error), Some(plan)) if error.is_not_admitted() => {
                let plan = host.advise(ctx, plan, &|_, _| {}).await;
                Ok(Event::PlanGrew { request: again(&error), admitted: self.admitted, plan })
            }
            (done, _) => done.map(|report| Event::Ended(outcome(report))),
        }
    }
}

fn purge_of(ids: Vec<SessionId>) -> PurgeRequest {
    PurgeRequest {
        choice: PurgeChoice { ids: Some(ids.into_iter().collect()), ..PurgeChoice::default() },
        branches: BTreeSet::new(),
        actor: ACTOR,
    }
}
