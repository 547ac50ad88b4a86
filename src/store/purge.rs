//! Removing tombstones for good (`spec/lifecycle.md` R5).

use std::collections::BTreeSet;
use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;
use crate::domain::trash::Tombstone;

use super::columns::{Columns, id_list};
use super::connection::Durability;
use super::error::Outcome;
use super::rows::PurgedRows;
use super::{Scope, Store, StoreError};

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
        self.write(Durability::Full, attempt, move |scope| {
            let mut purged = PurgedRows::default();
            for tree in &trees {
                purge_tree(scope, tree, &mut purged)?;
            }
            Ok(purged)
        })
        .await
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

fn purge_tree(scope: &Scope<'_>, tree: &[SessionId], purged: &mut PurgedRows) -> Outcome<()> {
    let (found, whole) = look_at(scope, tree)?;
    let expected: BTreeSet<&SessionId> = tree.iter().collect();
    if !whole || !found.iter().eq(expected.iter().copied()) {
        purged.changed.extend(tree.iter().cloned());
        return Ok(());
    }
    let messages: i64 = scope
        .conn
        .prepare_cached(
            "SELECT coalesce(sum(d.messages), 0) FROM json_each(?2) asked
             CROSS JOIN sessions s INDEXED BY sessions_id
               ON s.workspace = ?1 AND s.id = asked.value
             JOIN details d ON d.rid = s.rid",
        )?
        .query_row(params![scope.workspace, id_list(tree)], |row| row.get(0))?;
    let mut remove =
        scope.conn.prepare_cached("DELETE FROM sessions WHERE workspace = ?1 AND id = ?2")?;
    for id in tree {
        remove.execute([scope.workspace, id.as_str()])?;
    }
    purged.messages += messages.unsigned_abs();
    purged.gone.extend(tree.iter().cloned());
    Ok(())
}

/// The tombstones of a tree as it is now, ascending; and whether it is whole: nothing of the trash
/// above it, and everything below it in the trash.
fn look_at(scope: &Scope<'_>, tree: &[SessionId]) -> Outcome<(Vec<SessionId>, bool)> {
    let mut statement = scope.conn.prepare_cached(
        "WITH RECURSIVE tree (id) AS (
           SELECT value FROM json_each(?2)
           UNION
           SELECT s.id FROM tree CROSS JOIN sessions s INDEXED BY sessions_children
             ON s.workspace = ?1 AND s.parent = tree.id
         )
         SELECT s.id, s.deleted_at IS NOT NULL,
           s.parent IN (SELECT id FROM tree) OR NOT EXISTS (
             SELECT 1 FROM sessions p
             WHERE p.workspace = ?1 AND p.id = s.parent AND p.deleted_at IS NOT NULL)
         FROM tree
         CROSS JOIN sessions s INDEXED BY sessions_id ON s.workspace = ?1 AND s.id = tree.id",
    )?;
    let rows = statement.query_map(params![scope.workspace, id_list(tree)], |row| {
        let mut columns = Columns::of(row);
        let (id, deleted, whole): (SessionId, bool, Option<bool>) =
            (columns.word()?, columns.get()?, columns.get()?);
        Ok((id, deleted && whole.unwrap_or(true)))
    })?;
    let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let whole = rows.iter().all(|(_, whole)| *whole);
    let mut ids: Vec<SessionId> = rows.into_iter().map(|(id, _)| id).collect();
    ids.sort_unstable();
    Ok((ids, whole))
}
