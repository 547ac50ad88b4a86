//! Events: the audit of every action (W6), and messages (Q2). Both are bounded, oldest dropped.

use rusqlite::params;

use crate::domain::condition::Condition;
use crate::domain::event::{Event, Message};
use crate::domain::ids::{OperationId, SessionId};

use super::columns::Columns;
use super::condition::{self, Loaded};
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError};

/// Events kept.
const EVENTS: i64 = 100_000;
/// Messages kept of a session.
const MESSAGES: i64 = 10_000;
/// Bytes of text kept of a session's messages.
const MESSAGE_BYTES: i64 = 4 << 20;

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

    /// Messages of one session, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn messages(&self, id: &SessionId) -> Result<Vec<Message>, StoreError> {
        let id = id.clone();
        self.read(format!("read messages of {id}"), move |scope| messages(scope, &id)).await
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

/// Appends a message and drops the oldest beyond the bounds.
pub(super) fn message(scope: &Scope<'_>, rid: i64, text: &str, source: &str) -> Outcome<()> {
    scope
        .conn
        .prepare_cached("INSERT INTO messages (rid, at, source, text) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![rid, scope.now.0, source, text])?;
    count(scope, rid, 1, length(text))?;
    let mut held =
        scope.conn.prepare_cached("SELECT messages, message_bytes FROM details WHERE rid = ?1")?;
    let mut drop_oldest = scope.conn.prepare_cached(
        "DELETE FROM messages WHERE message =
           (SELECT message FROM messages WHERE rid = ?1 ORDER BY message LIMIT 1)
         RETURNING text",
    )?;
    loop {
        let (number, bytes): (i64, i64) =
            held.query_row([rid], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if number <= 1 || (number <= MESSAGES && bytes <= MESSAGE_BYTES) {
            return Ok(());
        }
        let dropped: String = drop_oldest.query_row([rid], |row| row.get(0))?;
        count(scope, rid, -1, -length(&dropped))?;
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

fn count(scope: &Scope<'_>, rid: i64, messages: i64, bytes: i64) -> Outcome<()> {
    scope
        .conn
        .prepare_cached(
            "UPDATE details SET messages = messages + ?2, message_bytes = message_bytes + ?3
             WHERE rid = ?1",
        )?
        .execute(params![rid, messages, bytes])?;
    Ok(())
}

fn messages(scope: &Scope<'_>, id: &SessionId) -> Outcome<Vec<Message>> {
    let mut statement = scope.conn.prepare_cached(
        "SELECT m.at, m.source, m.text
         FROM sessions s JOIN messages m ON m.rid = s.rid
         WHERE s.workspace = ?1 AND s.id = ?2 ORDER BY m.message",
    )?;
    let rows = statement.query_map([scope.workspace, id.as_str()], |row| {
        let mut columns = Columns::of(row);
        Ok(Message { at: columns.time()?, source: columns.get()?, text: columns.get()? })
    })?;
    rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
}
