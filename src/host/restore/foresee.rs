//! What a restore would come to (`spec/lifecycle.md` R1, R2, B1).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::plan::{Advice, Back, Plan, PlanItem, SkipReason, Skipped};
use crate::domain::session::Session;

use super::super::Host;
use super::super::context::{ADVICE, Context};
use super::super::error::{HostError, HostResult};
use super::super::parallel;
use super::super::ports::Ports;
use super::super::report::RestoreTarget;
use super::super::row::row;
use super::{reason, way_back};

/// How many components are looked at at once.
const LOOKING: usize = 8;

/// A component as it would come back, or who of it cannot and why.
type Foreseen = Result<Vec<(Session, Advice)>, (SessionId, HostError)>;

impl<P: Ports> Host<P> {
    /// What a restore would bring back or launch now. Reads only. `looked` hears how many of how many
    /// components were looked at.
    ///
    /// # Errors
    /// As [`Host::restore`], as far as can be seen before.
    pub async fn plan_restore(
        &self,
        ctx: &Context,
        target: &RestoreTarget,
        to: Option<&Path>,
        looked: &(dyn Fn(usize, usize) + Sync),
    ) -> HostResult<Plan> {
        let mut found = self.find(target).await?;
        let (mut items, mut skipped) = (Vec::new(), Vec::new());
        for session in self.ports.sessions(&found.ended).await? {
            let id = session.id.clone();
            if session.is_live() {
                found.refused.push((id, HostError::not_restorable(&session)));
            } else {
                let advice = Advice { back: Some(Back::Launched), ..Advice::default() };
                let row = row(&session, false);
                items.push(PlanItem { row, pulled_in_by: None, advice });
            }
        }
        if found.components.is_empty() && items.is_empty() && found.refused.len() == 1 {
            return Err(found.refused.remove(0).1);
        }
        let (total, done) = (found.components.len(), &AtomicUsize::new(0));
        let short = ctx.within(ADVICE);
        let foreseen = parallel::ordered(LOOKING, found.components, |component| {
            let (host, ctx) = (self.clone(), short.clone());
            async move {
                let ids: Vec<SessionId> = component.iter().map(|one| one.id.clone()).collect();
                let foreseen = host.foresee(&ctx, component, to).await;
                looked(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                (ids, foreseen)
            }
        });
        for (ids, foreseen) in foreseen.await {
            match foreseen {
                Ok(component) => items.extend(planned(component, target)),
                Err((at, error)) => skipped.extend(ids.into_iter().map(|id| {
                    let why = if id == at {
                        error.to_string()
                    } else {
                        format!("{at} could not be moved back: {error}")
                    };
                    Skipped { id, reason: SkipReason::NotRestorable(why) }
                })),
            }
        }
        skipped.extend(found.refused.into_iter().map(|(id, error)| {
            let reason = match error {
                HostError::NotFound(_) => SkipReason::NotFound,
                error => SkipReason::NotRestorable(reason(&error)),
            };
            Skipped { id, reason }
        }));
        items.sort_by(|a, b| a.row.id.cmp(&b.row.id));
        skipped.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Plan { items, skipped })
    }

    /// One component: it comes back whole or not at all (R1).
    async fn foresee(&self, ctx: &Context, component: Vec<Session>, to: Option<&Path>) -> Foreseen {
        let mut foreseen = Vec::new();
        for session in component {
            let mut advice = Advice { back: Some(Back::AsItWas), ..Advice::default() };
            if let Some(way) = way_back(&session, to) {
                let looked = self.ports.foresee_move_back(ctx, &way);
                match ctx.step("looking at the way back", looked).await {
                    Ok(back) => advice.back = Some(back),
                    Err(error) if error.kind() == ErrorKind::TimedOut => advice.unanswered = true,
                    Err(error) => return Err((session.id, error)),
                }
            }
            foreseen.push((session, advice));
        }
        Ok(foreseen)
    }
}

/// The items of a component. One of which none was named by id came whole with its batch.
fn planned(
    component: Vec<(Session, Advice)>,
    target: &RestoreTarget,
) -> impl Iterator<Item = PlanItem> {
    let named: Option<BTreeSet<&SessionId>> = match target {
        RestoreTarget::Ids(ids) => Some(ids.iter().collect()),
        RestoreTarget::Batch(_) | RestoreTarget::Last => None,
    };
    let is_named = |id: &SessionId| named.as_ref().is_none_or(|named| named.contains(id));
    let by = component.iter().map(|(session, _)| &session.id).find(|id| is_named(id)).cloned();
    let pulled: Vec<bool> = component.iter().map(|(one, _)| !is_named(&one.id)).collect();
    component.into_iter().zip(pulled).map(move |((session, advice), pulled)| {
        let was_live = session.deletion.as_ref().is_some_and(|deletion| deletion.was_live);
        let pulled_in_by = by.clone().filter(|_| pulled);
        PlanItem { row: row(&session, was_live), pulled_in_by, advice }
    })
}
