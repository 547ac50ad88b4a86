//! Removing tombstones for good (`spec/lifecycle.md` R5).

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;
use crate::domain::trash::Tombstone;

use super::columns::{Columns, id_list};
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError};
use crate::domain::trash::PurgedRows;

impl Store {
    /// Every tombstone, ascending.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        self.read("list the trash", |scope| {
            let mut statement = scope.conn.prepare_cached(
                "SELECT id, parent, deleted_at, head_pin IS NOT NULL FROM sessions
                 WHERE workspace = ?1 AND deleted_at IS NOT NULL ORDER BY id",
            )?;
            let rows = statement.query_map([scope.workspace], |row| {
                let mut columns = Columns::of(row);
                Ok(Tombstone {
                    id: columns.word()?,
                    parent: columns.word_or_none()?,
                    deleted_at: columns.time()?,
                    pinned: columns.get()?,
                })
            })?;
            rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
        })
        .await
    }

    /// Removes trees of tombstones in one transaction, with their messages, facts and tokens; the
    /// audit stays. A tree that is not exactly as given stays whole. On the disk when this returns.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn purge_rows(&self, trees: &[Vec<SessionId>]) -> Result<PurgedRows, StoreError> {
        let trees = trees.to_vec();
        let attempt = format!("purge {} trees of the trash", trees.len());
        self.write(Durability::Full, attempt, move |scope| purge(scope, &trees)).await
    }

    /// Whether work of this name was last claimed `every` ago or longer; claims it then.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn claim(&self, name: &str, every: Duration) -> Result<bool, StoreError> {
        let name = format!("{name}/{}", self.workspace());
        let asked = name.clone();
        let due = self
            .read(format!("look when {name} was done"), move |scope| is_due(scope, &asked, every));
        if !due.await? {
            return Ok(false);
        }
        self.write(Durability::Normal, format!("claim {name}"), move |scope| {
            let due = is_due(scope, &name, every)?;
            if due {
                scope
                    .conn
                    .prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?
                    .execute(params![name, scope.now.0])?;
            }
            Ok(due)
        })
        .await
    }
}

fn is_due(scope: &Scope<'_>, name: &str, every: Duration) -> Outcome<bool> {
    let last: Option<i64> = scope
        .conn
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(last.is_none_or(|last| scope.now.since(Timestamp(last)) >= every || last > scope.now.0))
}

/// One statement each for looking, counting and deleting, however many trees there are.
fn purge(scope: &Scope<'_>, trees: &[Vec<SessionId>]) -> Outcome<PurgedRows> {
    let now = look_at(scope, &trees.iter().flatten().collect::<Vec<_>>())?;
    let mut purged = PurgedRows::default();
    for tree in trees {
        let whole = is_whole(tree, &now);
        let rows = if whole { &mut purged.gone } else { &mut purged.changed };
        rows.extend(tree.iter().cloned());
    }
    let gone = id_list(&purged.gone);
    let messages: i64 = scope
        .conn
        .prepare_cached(
            "SELECT coalesce(sum(d.messages), 0) FROM json_each(?2) asked
             CROSS JOIN sessions s INDEXED BY sessions_id
               ON s.workspace = ?1 AND s.id = asked.value
             JOIN details d ON d.rid = s.rid",
        )?
        .query_row(params![scope.workspace, gone], |row| row.get(0))?;
    purged.messages = messages.unsigned_abs();
    scope
        .conn
        .prepare_cached(
            "DELETE FROM sessions WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))",
        )?
        .execute(params![scope.workspace, gone])?;
    Ok(purged)
}

/// A row as it is now.
struct Present {
    deleted: bool,
    /// Its parent, where that is in the trash.
    buried_parent: Option<SessionId>,
    /// All below it, in the trash or not.
    children: Vec<SessionId>,
}

/// Whether a tree is exactly as given: all of it in the trash, nothing of the trash above it, and
/// nothing below it that it does not name.
fn is_whole(tree: &[SessionId], now: &HashMap<SessionId, Present>) -> bool {
    let own: HashSet<&SessionId> = tree.iter().collect();
    tree.iter().all(|id| {
        now.get(id).is_some_and(|row| {
            let mut near = row.children.iter().chain(&row.buried_parent);
            row.deleted && near.all(|id| own.contains(id))
        })
    })
}

fn look_at(scope: &Scope<'_>, ids: &[&SessionId]) -> Outcome<HashMap<SessionId, Present>> {
    let mut statement = scope.conn.prepare_cached(
        "SELECT s.id, s.deleted_at IS NOT NULL,
           (SELECT p.id FROM sessions p INDEXED BY sessions_id
            WHERE p.workspace = ?1 AND p.id = s.parent AND p.deleted_at IS NOT NULL),
           (SELECT json_group_array(c.id) FROM sessions c INDEXED BY sessions_children
            WHERE c.workspace = ?1 AND c.parent = s.id)
         FROM json_each(?2) asked
         CROSS JOIN sessions s INDEXED BY sessions_id
           ON s.workspace = ?1 AND s.id = asked.value",
    )?;
    let rows =
        statement.query_map(params![scope.workspace, id_list(ids.iter().copied())], |row| {
            let mut columns = Columns::of(row);
            let id = columns.word()?;
            let (deleted, buried_parent) = (columns.get()?, columns.word_or_none()?);
            Ok((id, Present { deleted, buried_parent, children: columns.json()? }))
        })?;
    rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
}
