//! The index of the full-text search, kept right in the transactions that change what is searched
//! (`spec/store.md` Q1): no triggers. Deleting and restoring change nothing in it. It keeps no texts,
//! so it is compared with the rows and made anew from them here.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

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

/// What is wrong with the index, in words; nothing where it holds the words of the rows and no others.
/// Reads everything.
pub(super) fn faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let _one_state = connection.unchecked_transaction()?;
    let unlisted: i64 = connection.query_row(
        "SELECT (SELECT count(*) FROM details d WHERE NOT EXISTS
             (SELECT 1 FROM documents o WHERE o.doc = d.doc AND o.rid = d.rid))
           + (SELECT count(*) FROM messages m WHERE NOT EXISTS
             (SELECT 1 FROM documents o WHERE o.doc = m.message AND o.rid = m.rid))",
        [],
        |row| row.get(0),
    )?;
    let mut held: HashMap<i64, u64> = HashMap::new();
    let mut words = connection.prepare("SELECT doc, term FROM search_terms")?;
    let mut rows = words.query([])?;
    while let Some(row) = rows.next()? {
        let sum = held.entry(row.get(0)?).or_default();
        *sum = sum.wrapping_add(mark(row.get_ref(1)?.as_bytes()?));
    }
    let mut differing = 0;
    each(connection, |doc, words| {
        let words: BTreeSet<&[u8]> = words
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(|word| &word.as_bytes()[..word.len().min(search::INDEXED)])
            .collect();
        let sum = words.into_iter().map(mark).fold(0, u64::wrapping_add);
        differing += i64::from(held.remove(&doc).unwrap_or_default() != sum);
        Ok(())
    })?;
    let counts = [
        (unlisted, "sessions or messages that it does not list"),
        (differing, "texts whose words it does not hold"),
        (i64::try_from(held.len()).unwrap_or(i64::MAX), "texts that are gone"),
    ];
    let wrong = counts.into_iter().filter(|(count, _)| *count > 0);
    Ok(wrong.map(|(count, what)| format!("{what}: {count}")).collect())
}

/// A number that stands for a word.
fn mark(word: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

/// Makes the index anew from the rows, whatever it holds. Numbers stay, so what is found keeps its
/// order.
pub(super) fn rebuild(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "INSERT INTO search (search) VALUES ('delete-all');
         DELETE FROM documents;
         INSERT INTO documents (doc, rid) SELECT message, rid FROM messages;
         UPDATE details SET doc = NULL WHERE doc IN (SELECT doc FROM documents);
         INSERT OR IGNORE INTO documents (doc, rid)
           SELECT doc, rid FROM details WHERE doc IS NOT NULL;",
    )?;
    let numberless: Vec<i64> = connection
        .prepare(
            "SELECT rid FROM details d WHERE NOT EXISTS
               (SELECT 1 FROM documents o WHERE o.doc = d.doc AND o.rid = d.rid) ORDER BY rid",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for rid in numberless {
        number_session(connection, rid)?;
    }
    each(connection, |doc, words| put(connection, doc, words))
}

/// Tells every document's number and words.
fn each(
    connection: &Connection,
    mut tell: impl FnMut(i64, &str) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let sources = [
        "SELECT d.doc, s.title, d.prompt, s.branch FROM details d JOIN sessions s USING (rid)
         WHERE d.doc IS NOT NULL ORDER BY d.doc",
        "SELECT message, text, NULL, NULL FROM messages ORDER BY message",
    ];
    for source in sources {
        let mut statement = connection.prepare(source)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let texts: [Option<String>; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
            tell(row.get(0)?, &search::document(texts.iter().flatten().map(String::as_str)))?;
        }
    }
    Ok(())
}

/// Takes in a new session.
pub(super) fn add_session(scope: &Scope<'_>, rid: i64) -> Outcome<()> {
    let doc = number_session(scope.conn, rid)?;
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
    let doc = number(scope.conn, rid)?;
    put(scope.conn, doc, &search::document([text]))?;
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
fn number(connection: &Connection, rid: i64) -> rusqlite::Result<i64> {
    let mut number = connection.prepare_cached(
        "INSERT INTO documents (doc, rid) VALUES (
           1 + max(coalesce((SELECT max(doc) FROM documents), 0),
                   coalesce((SELECT max(message) FROM messages), 0)), ?1)",
    )?;
    number.insert([rid])
}

fn number_session(connection: &Connection, rid: i64) -> rusqlite::Result<i64> {
    let doc = number(connection, rid)?;
    connection.prepare_cached("UPDATE details SET doc = ?2 WHERE rid = ?1")?.execute([rid, doc])?;
    Ok(doc)
}

fn put_session(scope: &Scope<'_>, rid: i64, doc: i64) -> Outcome<()> {
    let words = scope.conn.prepare_cached(OF_SESSION)?.query_row([rid], |row| {
        let texts: [Option<String>; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
        Ok(search::document(texts.iter().flatten().map(String::as_str)))
    })?;
    Ok(put(scope.conn, doc, &words)?)
}

/// What is searched of a session itself.
pub(super) const OF_SESSION: &str = "SELECT s.title, d.prompt, s.branch
     FROM sessions s JOIN details d ON d.rid = s.rid WHERE s.rid = ?1";

fn put(connection: &Connection, doc: i64, words: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO search (rowid, words) VALUES (?1, ?2)")?
        .execute(params![doc, words])
        .map(drop)
}

fn take_out(scope: &Scope<'_>, doc: i64) -> Outcome<()> {
    scope.conn.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([doc])?;
    Ok(())
}
