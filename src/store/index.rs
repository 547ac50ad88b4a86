//! The index of the full-text search, kept right in the transactions that change what is searched
//! (`spec/store.md` Q1): no triggers. Deleting and restoring change nothing in it.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, params};

use crate::domain::search;

use super::Scope;
use super::error::Outcome;

/// Gives a migration the words of a text.
pub(super) fn define_words(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("search_words", 1, flags, |call| {
        Ok(search::document([call.get_raw(0).as_str()?]))
    })
}

/// Takes in a new session.
pub(super) fn add_session(scope: &Scope<'_>, rid: i64) -> Outcome<()> {
    let doc = number(scope, rid)?;
    scope.conn.prepare_cached("UPDATE details SET doc = ?2 WHERE rid = ?1")?.execute([rid, doc])?;
    put_session(scope, rid, doc)
}

/// Takes in another title or branch of a session. Its place among the documents stays.
pub(super) fn change_session(scope: &Scope<'_>, rid: i64) -> Outcome<()> {
    let doc = scope
        .conn
        .prepare_cached("SELECT doc FROM details WHERE rid = ?1")?
        .query_row([rid], |row| row.get(0))?;
    take_out(scope, doc)?;
    put_session(scope, rid, doc)
}

/// Takes in a new message; answers its number.
pub(super) fn add_message(scope: &Scope<'_>, rid: i64, text: &str) -> Outcome<i64> {
    let doc = number(scope, rid)?;
    put(scope, doc, &search::document([text]))?;
    Ok(doc)
}

/// Takes out a message that was dropped.
pub(super) fn drop_message(scope: &Scope<'_>, doc: i64) -> Outcome<()> {
    take_out(scope, doc)?;
    scope.conn.prepare_cached("DELETE FROM documents WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

/// Takes out sessions with their messages, before their rows go. `ids` is a JSON list.
pub(super) fn remove_sessions(scope: &Scope<'_>, ids: &str) -> Outcome<()> {
    const GOING: &str = "SELECT d.doc FROM json_each(?2) asked
         CROSS JOIN sessions s INDEXED BY sessions_id ON s.workspace = ?1 AND s.id = asked.value
         CROSS JOIN details d ON d.rid = s.rid
       UNION ALL
       SELECT m.message FROM json_each(?2) asked
         CROSS JOIN sessions s INDEXED BY sessions_id ON s.workspace = ?1 AND s.id = asked.value
         CROSS JOIN messages m ON m.rid = s.rid";
    for (table, number) in [("search", "rowid"), ("documents", "doc")] {
        scope
            .conn
            .prepare_cached(&format!("DELETE FROM {table} WHERE {number} IN ({GOING})"))?
            .execute(params![scope.workspace, ids])?;
    }
    Ok(())
}

/// The number of a new document: above all others, also above messages that an older keeper wrote
/// without one.
fn number(scope: &Scope<'_>, rid: i64) -> Outcome<i64> {
    let mut number = scope.conn.prepare_cached(
        "INSERT INTO documents (doc, rid) VALUES (
           1 + max(coalesce((SELECT max(doc) FROM documents), 0),
                   coalesce((SELECT max(message) FROM messages), 0)), ?1)",
    )?;
    Ok(number.insert([rid])?)
}

fn put_session(scope: &Scope<'_>, rid: i64, doc: i64) -> Outcome<()> {
    let words = scope.conn.prepare_cached(OF_SESSION)?.query_row([rid], |row| {
        let texts: [Option<String>; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
        Ok(search::document(texts.iter().flatten().map(String::as_str)))
    })?;
    put(scope, doc, &words)
}

/// What is searched of a session itself.
pub(super) const OF_SESSION: &str = "SELECT s.title, d.prompt, s.branch
     FROM sessions s JOIN details d ON d.rid = s.rid WHERE s.rid = ?1";

fn put(scope: &Scope<'_>, doc: i64, words: &str) -> Outcome<()> {
    scope
        .conn
        .prepare_cached("INSERT INTO search (rowid, words) VALUES (?1, ?2)")?
        .execute(params![doc, words])?;
    Ok(())
}

fn take_out(scope: &Scope<'_>, doc: i64) -> Outcome<()> {
    scope.conn.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([doc])?;
    Ok(())
}
