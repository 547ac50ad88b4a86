//! Made-up sessions by the thousand, for demonstrations and benchmarks.

use super::connection::Durability;
use super::error::Outcome;
use super::rows::{SeededMessage, SeededSession};
use super::shown::Totals;
use super::{Scope, Store, StoreError, condition, create, lifecycle, messages};

impl Store {
    /// Inserts made-up sessions in one transaction, parents before their children. What follows
    /// from their lifecycle, activity and pull requests is derived here.
    ///
    /// # Errors
    /// An id is in use, or a parent does not come before its child; nothing is inserted then.
    pub async fn seed_sessions(&self, sessions: Vec<SeededSession>) -> Result<(), StoreError> {
        let attempt = format!("insert {} sessions", sessions.len());
        self.write(Durability::Normal, attempt, move |scope| {
            let mut totals = Totals::default();
            sessions.iter().try_for_each(|session| insert(scope, session, &mut totals))?;
            totals.apply(scope)
        })
        .await
    }

    /// Appends made-up messages in one transaction; no turn begins.
    ///
    /// # Errors
    /// There is no such session outside the trash; nothing is written then.
    pub async fn seed_messages(&self, given: Vec<SeededMessage>) -> Result<(), StoreError> {
        let attempt = format!("insert {} messages", given.len());
        self.write(Durability::Normal, attempt, move |scope| {
            given.iter().try_for_each(|message| {
                let row = condition::find_present(scope, &message.session)?;
                messages::append(scope, row.rid, &message.text, &message.source)
            })
        })
        .await
    }
}

fn insert(scope: &Scope<'_>, session: &SeededSession, totals: &mut Totals) -> Outcome<()> {
    if create::state_of(scope, &session.id)?.is_some() {
        return Err(StoreError::IdInUse { id: session.id.clone() }.into());
    }
    let mut session = session.clone();
    session.condition = session.condition.settle(&session.prs, scope.now);
    let rid = create::insert(scope, &session, totals)?;
    if session.prs.is_empty() { Ok(()) } else { lifecycle::put_prs(scope, rid, &session.prs) }
}
