//! Full-text search (`spec/store.md` Q1): matching documents, newest first, as far as needed.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use crate::domain::query::{Page, PageQuery};
use crate::domain::search::{Search, Snippet};

use super::error::Outcome;
use super::filter::Narrowing;
use super::{Scope, StoreError, index, sessions};

/// Matches are counted up to here, and said to be more beyond (Q1).
const COUNTED: usize = 50;
/// How many words the beginning of one is completed to before the index is asked for all of them
/// together, which reads every document that has one of them.
const COMPLETED: usize = 64;
/// Characters of a beginning for which the index has lists of their own.
const LISTED: usize = 3;
/// Bytes of a beginning that is completed.
const LONG: usize = 256;
/// After so many documents it is asked whether few sessions come into question at all.
const PASSED: usize = if cfg!(test) { 3 } else { 4_000 };
/// Few sessions: their texts are read instead of the rest of the index.
const FEW: usize = if cfg!(test) { 4 } else { 1_000 };
/// Bytes of the messages of few sessions.
const FEW_BYTES: i64 = 1 << 20;
/// Marks the cursors of this order.
const TAG: &str = "m";

/// A session that was found, by its newest document that matches.
#[derive(Debug, Clone, Copy)]
struct Found {
    rid: i64,
    doc: i64,
}

/// Sessions with a document that matches and that `narrowing` lets through, newest document first.
/// The total is counted up to one more than [`COUNTED`].
pub(super) fn page(
    scope: &Scope<'_>,
    query: &PageQuery,
    text: &str,
    narrowing: &Narrowing,
) -> Outcome<Page> {
    let search = Search::parse(text);
    let after = query.cursor.as_deref().map(parse_cursor).transpose()?;
    let offset = if after.is_some() { 0 } else { query.offset };
    let mut total = 0;
    let mut found: Vec<Found> = Vec::new();
    let mut more = false;
    each(scope, &search, narrowing, |one| {
        let before = after.is_some_and(|doc| one.doc >= doc) || total < offset;
        total += 1;
        if !before && found.len() < query.limit {
            found.push(one);
        } else if !before {
            more = true;
        }
        let enough = more && total > COUNTED;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let mut snippets = Vec::with_capacity(found.len());
    for one in &found {
        snippets.push(snippet(scope, &search, *one)?.unwrap_or_default());
    }
    Ok(Page {
        sessions: sessions::by_number(scope, found.iter().map(|one| one.rid))?,
        total: total.min(COUNTED + 1) as u64,
        offset: 0,
        next_cursor: found.last().filter(|_| more).map(|one| format!("{TAG}:{}", one.doc)),
        snippets,
    })
}

/// The numbers of all sessions with a document that matches, in no order.
pub(super) fn all(scope: &Scope<'_>, text: &str, narrowing: &Narrowing) -> Outcome<Vec<i64>> {
    let mut numbers = Vec::new();
    each(scope, &Search::parse(text), narrowing, |one| {
        numbers.push(one.rid);
        ControlFlow::Continue(())
    })?;
    Ok(numbers)
}

fn parse_cursor(cursor: &str) -> Result<i64, StoreError> {
    let doc = cursor.split_once(':').filter(|(tag, _)| *tag == TAG);
    doc.and_then(|(_, doc)| doc.parse().ok())
        .ok_or_else(|| StoreError::Cursor { cursor: cursor.chars().take(80).collect() })
}

/// What is known of a session while documents go by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The filters let it through; none of its documents matched yet.
    Visible,
    /// Found already, or not let through.
    Settled,
}

/// Tells every session that is found, once, newest matching document first.
fn each(
    scope: &Scope<'_>,
    search: &Search,
    narrowing: &Narrowing,
    mut tell: impl FnMut(Found) -> ControlFlow<()>,
) -> Outcome<()> {
    let Some(expression) = expression(scope, search)? else {
        return Ok(());
    };
    let mut visible = scope
        .conn
        .prepare_cached(&format!("SELECT 1 {} AND s.rid = ?", narrowing.source_by_number()))?;
    let mut parameters = narrowing.parameters.clone();
    parameters.push(Value::Null);
    let rid_at = parameters.len() - 1;
    let mut documents = scope.conn.prepare_cached(
        "SELECT f.rowid, o.rid FROM search f CROSS JOIN documents o ON o.doc = f.rowid
         WHERE f.search MATCH ?1 ORDER BY f.rowid DESC",
    )?;
    let mut known: HashMap<i64, Known> = HashMap::new();
    let mut rows = documents.query([expression])?;
    let mut passed = 0;
    while let Some(row) = rows.next()? {
        let one = Found { doc: row.get(0)?, rid: row.get(1)? };
        passed += 1;
        if passed == PASSED
            && let Some(mut rest) = few(scope, narrowing)?
        {
            rest.retain(|rid| known.get(rid) != Some(&Known::Settled));
            return each_of(scope, search, &rest, one.doc, tell);
        }
        let state = if let Some(state) = known.get(&one.rid) {
            *state
        } else {
            parameters[rid_at] = Value::from(one.rid);
            let shown = visible.exists(params_from_iter(&parameters))?;
            if shown { Known::Visible } else { Known::Settled }
        };
        let hit = state == Known::Visible
            && (!search.needs_text() || snippet(scope, search, one)?.is_some());
        known.insert(one.rid, if hit { Known::Settled } else { state });
        if hit && tell(one).is_break() {
            break;
        }
    }
    Ok(())
}

/// The sessions that `narrowing` lets through, where they are few and have little text.
fn few(scope: &Scope<'_>, narrowing: &Narrowing) -> Outcome<Option<Vec<i64>>> {
    let sql = format!(
        "SELECT s.rid, (SELECT message_bytes FROM details d WHERE d.rid = s.rid) {} LIMIT {}",
        narrowing.source(),
        FEW + 1
    );
    let mut statement = scope.conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(&narrowing.parameters), |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)?))
    })?;
    let rows = rows.collect::<rusqlite::Result<Vec<(i64, i64)>>>()?;
    let bytes: i64 = rows.iter().map(|(_, bytes)| bytes).sum();
    let few = rows.len() <= FEW && bytes <= FEW_BYTES;
    Ok(few.then(|| rows.into_iter().map(|(rid, _)| rid).collect()))
}

/// As [`each`], for documents of some sessions up to number `newest`, by reading them.
fn each_of(
    scope: &Scope<'_>,
    search: &Search,
    rids: &[i64],
    newest: i64,
    mut tell: impl FnMut(Found) -> ControlFlow<()>,
) -> Outcome<()> {
    let mut documents = scope.conn.prepare_cached(
        "SELECT doc FROM details WHERE rid = ?1 AND doc <= ?2
         UNION ALL
         SELECT message FROM messages WHERE rid = ?1 AND message <= ?2
         ORDER BY 1 DESC",
    )?;
    let mut found = Vec::new();
    for rid in rids {
        let mut rows = documents.query([*rid, newest])?;
        while let Some(row) = rows.next()? {
            let one = Found { rid: *rid, doc: row.get(0)? };
            if snippet(scope, search, one)?.is_some() {
                found.push(one);
                break;
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.doc));
    let _told = found.into_iter().try_for_each(&mut tell);
    Ok(())
}

/// The search in the words of the index: each a string, so that nothing in it has a meaning. None
/// where nothing can be found.
fn expression(scope: &Scope<'_>, search: &Search) -> Outcome<Option<String>> {
    let Some(beginning) = search.beginning() else {
        return Ok(None);
    };
    let mut parts: Vec<String> =
        search.whole_words().into_iter().map(|word| format!("\"{word}\"")).collect();
    match complete(scope, beginning)? {
        None => parts.push(format!("\"{beginning}\"*")),
        Some(words) if words.is_empty() => return Ok(None),
        Some(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            parts.push(format!("({})", words.join(" OR ")));
        }
    }
    Ok(Some(parts.join(" AND ")))
}

/// The words of the index that begin so; none where they are too many, or where the index has a
/// list of its own for them.
fn complete(scope: &Scope<'_>, beginning: &str) -> Outcome<Option<Vec<String>>> {
    if beginning.chars().count() <= LISTED || beginning.len() > LONG {
        return Ok(None);
    }
    let mut next =
        scope.conn.prepare_cached("SELECT term FROM search_terms WHERE term >= ?1 LIMIT 1")?;
    let mut words: Vec<String> = Vec::new();
    let mut from = beginning.to_owned();
    loop {
        let word: Option<String> = next.query_row([&from], |row| row.get(0)).optional()?;
        let Some(word) = word.filter(|word| word.starts_with(beginning)) else {
            return Ok(Some(words));
        };
        if words.len() == COMPLETED {
            return Ok(None);
        }
        // No word has this character, so the next word comes right after it.
        from = format!("{word}\u{1}");
        words.push(word);
    }
}

/// Where the search is found in a document; none where words do not stand side by side as they
/// must.
fn snippet(scope: &Scope<'_>, search: &Search, found: Found) -> Outcome<Option<Snippet>> {
    let message: Option<String> = scope
        .conn
        .prepare_cached("SELECT text FROM messages WHERE message = ?1")?
        .query_row([found.doc], |row| row.get(0))
        .optional()?;
    if let Some(text) = message {
        let found = search.find(&[&text]);
        return Ok(found.map(|snippet| Snippet { in_message: true, ..snippet }));
    }
    let own: [Option<String>; 3] = scope
        .conn
        .prepare_cached(index::OF_SESSION)?
        .query_row([found.rid], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    let texts: Vec<&str> = own.iter().flatten().map(String::as_str).collect();
    Ok(search.find(&texts))
}
