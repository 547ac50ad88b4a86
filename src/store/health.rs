//! A look at the whole database for `doctor` (`spec/store.md` W3): too slow for every start. Changes
//! nothing, and needs no database that can be opened.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};

use crate::domain::check::StoreHealth;
use crate::os::paths::Home;

use super::connection::{self, Durability};
use super::error::Fault;
use super::files::Files;
use super::migrate::{self, LATEST};
use super::{StoreError, backup, damage, index};

/// Faults of one kind that are told.
const TOLD: usize = 5;

/// Recounts what is kept beside the rows: a name, the rows that are wrong, and what sets them right.
const COUNTS: [(&str, &str, &str); 5] = [
    (
        "sessions that belong to a section",
        "SELECT count(*) FROM sections c WHERE placed <>
           (SELECT count(*) FROM sessions s WHERE s.section = c.section AND s.deleted_at IS NULL)",
        "UPDATE sections SET placed =
           (SELECT count(*) FROM sessions s WHERE s.section = sections.section AND s.deleted_at IS NULL)",
    ),
    (
        "sessions shown in a section",
        "SELECT count(*) FROM sections c WHERE kind <> 'pinned' AND total <>
           (SELECT count(*) FROM sessions s
            WHERE s.section = c.section AND s.deleted_at IS NULL AND s.head_pin IS NULL)",
        "UPDATE sections SET total =
           (SELECT count(*) FROM sessions s
            WHERE s.section = sections.section AND s.deleted_at IS NULL AND s.head_pin IS NULL)
         WHERE kind <> 'pinned'",
    ),
    (
        "sessions shown as pinned",
        "SELECT count(*) FROM sections c WHERE kind = 'pinned' AND total <>
           (SELECT count(*) FROM sessions s WHERE s.workspace = c.workspace
            AND s.deleted_at IS NULL AND s.head_pin IS NOT NULL)",
        "UPDATE sections SET total =
           (SELECT count(*) FROM sessions s WHERE s.workspace = sections.workspace
            AND s.deleted_at IS NULL AND s.head_pin IS NOT NULL)
         WHERE kind = 'pinned'",
    ),
    (
        "messages of a session",
        "SELECT count(*) FROM details d LEFT JOIN
           (SELECT rid, count(*) AS n, sum(length(CAST(text AS BLOB))) AS bytes
            FROM messages GROUP BY rid) m USING (rid)
         WHERE d.messages <> coalesce(m.n, 0) OR d.message_bytes <> coalesce(m.bytes, 0)",
        "UPDATE details SET
           messages = (SELECT count(*) FROM messages m WHERE m.rid = details.rid),
           message_bytes = (SELECT coalesce(sum(length(CAST(text AS BLOB))), 0)
                            FROM messages m WHERE m.rid = details.rid)",
    ),
    (
        "pull requests of a session",
        "SELECT count(*) FROM sessions s LEFT JOIN
           (SELECT rid, count(*) AS n FROM pr_facts GROUP BY rid) p USING (rid)
         WHERE s.prs <> coalesce(p.n, 0)",
        "UPDATE sessions SET prs = (SELECT count(*) FROM pr_facts p WHERE p.rid = sessions.rid)",
    ),
];

/// Looks at the database of `home`. Blocks, for seconds where it is large.
///
/// # Errors
/// It is of a newer callboard, or cannot be read.
pub fn examine(home: &Home) -> Result<StoreHealth, StoreError> {
    let mut health = StoreHealth { known: LATEST, ..StoreHealth::default() };
    match look_into(&home.database(), &mut health) {
        // A page is not whole that even the look itself needs.
        Err(error @ StoreError::Damaged { .. }) => {
            let damage = vec![error.to_string()];
            Ok(StoreHealth { damage, known: LATEST, ..StoreHealth::default() })
        }
        other => other.map(|()| health),
    }
}

fn look_into(path: &Path, health: &mut StoreHealth) -> Result<(), StoreError> {
    if !damage::look(path)? {
        return Ok(());
    }
    let failed = |error: rusqlite::Error| Fault::from(error).during("look at the store", path);
    let connection = connection::open_still(path).map_err(failed)?;
    let found = migrate::check(&connection, path, LATEST)?;
    health.version = Some(found);
    let (search, other): (Vec<String>, Vec<String>) = whole(&connection)
        .map_err(failed)?
        .into_iter()
        .partition(|line| line.to_lowercase().contains("fts5"));
    health.damage = other;
    health.search = search;
    // An older one is counted once it is migrated; in a damaged one counts say nothing.
    if found < LATEST || !health.damage.is_empty() {
        return Ok(());
    }
    health.references = dangling(&connection).map_err(failed)?;
    for (what, wrong, _) in COUNTS {
        let rows: i64 = connection.query_row(wrong, [], |row| row.get(0)).map_err(failed)?;
        if rows > 0 {
            health.totals.push(format!("{what}: {rows} wrong"));
        }
    }
    if health.search.is_empty() {
        health.search = match index::faults(&connection) {
            // Every page is whole: it is the index alone.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
                vec![error.to_string()]
            }
            faults => faults.map_err(failed)?,
        };
    }
    Ok(())
}

/// The copies of an installation, newest first, and whether each is good.
pub fn backups(home: &Home) -> Vec<(PathBuf, Result<u64, String>)> {
    let copies = backup::listed(&Files::of(home).backups);
    copies.into_iter().map(|copy| (copy.clone(), backup::check(&copy))).collect()
}

/// What is not whole in the file; nothing where everything is.
fn whole(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare(&format!("PRAGMA quick_check({TOLD})"))?;
    let lines: Vec<String> =
        check.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Rows whose row above is gone.
fn dangling(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    let rows = check.query_map([], |row| {
        let (table, above): (String, String) = (row.get(0)?, row.get(2)?);
        Ok(format!("a row of {table} is of no row of {above}"))
    })?;
    rows.take(TOLD).collect()
}

/// Sets kept counts right, and builds the search index anew where `search` says so; all of it or nothing.
///
/// # Errors
/// A repair is under way; the database cannot be written.
pub fn recount(home: &Home, search: bool) -> Result<(), StoreError> {
    let files = Files::of(home);
    // A repair that is under way moves the file.
    let _in_use = files.keep_in_place()?;
    let path = files.database;
    let failed = |fault: Fault| fault.during("count what the store keeps anew", &path);
    let mut connection = connection::open(&path).map_err(|error| failed(error.into()))?;
    connection::write(&mut connection, &path, Durability::Full, |connection| {
        COUNTS.iter().try_for_each(|(_, _, set)| connection.execute(set, []).map(drop))?;
        if search {
            index::rebuild(connection)?;
        }
        Ok(())
    })
    .map_err(failed)
}

#[cfg(test)]
#[path = "health_tests.rs"]
mod tests;
