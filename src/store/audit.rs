//! Events: the audit of every action (`spec/store.md` W6), bounded, oldest dropped.

use rusqlite::params;

use crate::domain::condition::Condition;
use crate::domain::event::Event;
use crate::domain::ids::{OperationId, SessionId};

use super::columns::Columns;
use super::condition::{self, Loaded};
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError};

/// Events kept.
const EVENTS: i64 = 100_000;

impl Store {
    /// Appends to the audit (W6).
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn record(&self, events: &[Event]) -> Result<(), StoreError> {
        let events = events.to_vec();
        self.write(Durability::Normal, "record events".to_owned(), move |scope| {
            events.iter().try_for_each(|event| append(scope, event))
        })
        .await
    }

    /// The audit of one session or of all, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn events(
        &self,
        session: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        let session = session.cloned();
        self.read("read events", move |scope| events(scope, session.as_ref(), limit)).await
    }
}

fn append(scope: &Scope<'_>, event: &Event) -> Outcome<()> {
    let mut statement = scope.conn.prepare_cached(
        "INSERT INTO events (workspace, at, session, actor, verb, \"from\", \"to\", cause, operation)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let newest = statement.insert(params![
        scope.workspace,
        event.at.0,
        event.session.as_ref().map(SessionId::as_str),
        event.actor,
        event.verb,
        event.from,
        event.to,
        event.cause,
        event.operation.as_ref().map(OperationId::as_str),
    ])?;
    scope
        .conn
        .prepare_cached("DELETE FROM events WHERE event <= ?1")?
        .execute([newest - EVENTS])?;
    Ok(())
}

/// Audits a change of status that followed from an observation.
pub(super) fn status(
    scope: &Scope<'_>,
    before: &Loaded,
    after: &Condition,
    cause: &str,
) -> Outcome<()> {
    append(
        scope,
        &Event {
            at: scope.now,
            session: Some(before.id.clone()),
            actor: condition::observer(),
            verb: "status".to_owned(),
            from: Some(before.condition.status.to_string()),
            to: Some(after.status.to_string()),
            cause: (!cause.is_empty()).then(|| cause.to_owned()),
            operation: None,
        },
    )
}

fn events(scope: &Scope<'_>, session: Option<&SessionId>, limit: usize) -> Outcome<Vec<Event>> {
    let condition = if session.is_some() { "session = ?2" } else { "?2 IS NULL" };
    let sql = format!(
        "SELECT at, session, actor, verb, \"from\", \"to\", cause, operation FROM events
         WHERE workspace = ?1 AND {condition} ORDER BY event DESC LIMIT ?3"
    );
    let mut statement = scope.conn.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let session = session.map(SessionId::as_str);
    let rows = statement.query_map(params![scope.workspace, session, limit], |row| {
        let mut columns = Columns::of(row);
        Ok(Event {
            at: columns.time()?,
            session: columns.word_or_none()?,
            actor: columns.get()?,
            verb: columns.get()?,
            from: columns.get()?,
            to: columns.get()?,
            cause: columns.get()?,
            operation: columns.word_or_none()?,
        })
    })?;
    rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
}
