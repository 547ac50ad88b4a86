//! A session as a row of a plan.

use crate::domain::plan::PlanRow;
use crate::domain::session::Session;

/// A session as a row of a plan; `live` is what that means for the verb.
pub(super) fn row(session: &Session, live: bool) -> PlanRow {
    let condition = &session.condition;
    PlanRow {
        id: session.id.clone(),
        parent: session.parent.clone(),
        title: session.title.clone(),
        agent: session.launch.agent.clone(),
        status: condition.status,
        section: session.shown.section.clone(),
        pinned: session.pinned_at.is_some(),
        live,
        last_activity_at: condition.last_activity_at.unwrap_or(session.created_at),
        open_pr: None,
    }
}
