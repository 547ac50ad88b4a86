//! Plans, and the verbs that do nothing but what their plan showed.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::plan::Plan;
use crate::domain::trash::PurgeChoice;
use crate::host::context::Context;
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
            match (deleted, guard.grown()) {
                (Err(error), Some(plan)) if error.is_not_admitted() => {
                    // What was closed by then is part of the same wish, whenever it is granted.
                    let closed = error.closed().iter().cloned().collect();
                    let request = PlanRequest::Delete(DeleteRequest { closed, ..request });
                    let plan = host.advise(&ctx, plan, &|_, _| {}).await;
                    Ok(Event::PlanGrew { request, admitted: guard.admitted, plan })
                }
                (deleted, _) => deleted.map(|report| Event::Ended(Outcome::Deleted(report))),
            }
        });
    }

    pub(super) fn purge(&self, ids: Vec<SessionId>) {
        let what = format!("{} not purged", named(&ids));
        self.job((&[Verb::Purge], ids.len()), what, |host, ctx| async move {
            let guard = Guard::new(ids.clone());
            let request = purge_of(ids.clone());
            let purged = host.purge(&ctx, &request, &|plan| guard.admits(plan)).await;
            match (purged, guard.grown()) {
                (Err(error), Some(plan)) if error.is_not_admitted() => {
                    let plan = host.advise(&ctx, plan, &|_, _| {}).await;
                    let request = PlanRequest::Purge(ids);
                    Ok(Event::PlanGrew { request, admitted: guard.admitted, plan })
                }
                (purged, _) => purged.map(|report| Event::Ended(Outcome::Purged(report))),
            }
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

    /// What there was, once; it is not kept any longer.
    fn grown(&self) -> Option<Plan> {
        self.grown.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn purge_of(ids: Vec<SessionId>) -> PurgeRequest {
    PurgeRequest {
        choice: PurgeChoice { ids: Some(ids.into_iter().collect()), ..PurgeChoice::default() },
        branches: BTreeSet::new(),
        actor: ACTOR,
    }
}
