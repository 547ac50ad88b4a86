//! Messages: what operator and agents told each other (`spec/store.md` Q2). Bounded for each session,
//! oldest dropped; they go with their session at a purge.

use rusqlite::params;

use crate::domain::event::Message;
use crate::domain::ids::SessionId;

use super::columns::Columns;
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError, condition, index};

/// Messages kept of a session.
const KEPT: i64 = 10_000;
/// Bytes of text kept of a session's messages.
const KEPT_BYTES: i64 = 4 << 20;

impl Store {
    /// Messages of one session, oldest first; the newest `limit` of them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn messages(&self, id: &SessionId, limit: usize) -> Result<Vec<Message>, StoreError> {
        let id = id.clone();
        self.read(format!("read messages of {id}"), move |scope| messages(scope, &id, limit)).await
    }

    /// Writes down the answer to a question. No new turn begins.
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn answered(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
    ) -> Result<(), StoreError> {
        let (id, text, source) = (id.clone(), text.to_owned(), source.to_owned());
        self.write(Durability::Normal, format!("write down an answer to {id}"), move |scope| {
            let row = condition::find_present(scope, &id)?;
            append(scope, row.rid, &text, &source)
        })
        .await
    }
}

/// Appends a message and drops the oldest beyond the bounds.
pub(super) fn append(scope: &Scope<'_>, rid: i64, text: &str, source: &str) -> Outcome<()> {
    let doc = index::add_message(scope, rid, text)?;
    scope
        .conn
        .prepare_cached(
            "INSERT INTO messages (message, rid, at, source, text) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![doc, rid, scope.now.0, source, text])?;
    count(scope, rid, 1, length(text))?;
    let mut held =
        scope.conn.prepare_cached("SELECT messages, message_bytes FROM details WHERE rid = ?1")?;
    let mut drop_oldest = scope.conn.prepare_cached(
        "DELETE FROM messages WHERE message =
           (SELECT message FROM messages WHERE rid = ?1 ORDER BY message LIMIT 1)
         RETURNING text, message",
    )?;
    loop {
        let (number, bytes): (i64, i64) =
            held.query_row([rid], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if number <= 1 || (number <= KEPT && bytes <= KEPT_BYTES) {
            return Ok(());
        }
        let (dropped, doc): (String, i64) =
            drop_oldest.query_row([rid], |row| Ok((row.get(0)?, row.get(1)?)))?;
        index::drop_message(scope, doc)?;
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

fn messages(scope: &Scope<'_>, id: &SessionId, limit: usize) -> Outcome<Vec<Message>> {
    let mut statement = scope.conn.prepare_cached(
        "SELECT m.at, m.source, m.text
         FROM sessions s JOIN messages m ON m.rid = s.rid
         WHERE s.workspace = ?1 AND s.id = ?2 ORDER BY m.message DESC LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![scope.workspace, id.as_str(), limit], |row| {
        let mut columns = Columns::of(row);
        Ok(Message { at: columns.time()?, source: columns.get()?, text: columns.get()? })
    })?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    found.reverse();
    Ok(found)
}
