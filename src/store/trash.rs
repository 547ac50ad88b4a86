//! Deleting and bringing back (`spec/lifecycle.md` D2, D4, D7, R1, R3).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rusqlite::{OptionalExtension, params};

use crate::domain::ids::{BatchId, SessionId};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::plan::{self, Conditions, PlanRow, SkipReason, Skipped};
use crate::domain::rail::SectionKey;
use crate::domain::session::Session;

use super::columns::{Columns, id_list, path_text};
use super::connection::Durability;
use super::error::Outcome;
use super::shown::Totals;
use super::{Scope, Store, StoreError, condition, sessions, shown};
use crate::domain::plan::PlanRows;
use crate::domain::trash::{TombstoneRow, Tombstoned, Untombstone};

impl Store {
    /// Rows for a plan: the requested sessions that exist with all their descendants, and what
    /// became of the others.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn plan_rows(&self, requested: &BTreeSet<SessionId>) -> Result<PlanRows, StoreError> {
        let requested = requested.clone();
        self.read("read the plan of a delete", move |scope| plan_rows(scope, &requested)).await
    }

    /// The one transaction of a delete: plans again with the same conditions, compares with the
    /// expected ids, then tombstones them (D4 b, D7). On the disk when this returns. A row that
    /// is believed to run counts as was-live whatever `rows` says.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn tombstone(
        &self,
        requested: &BTreeSet<SessionId>,
        conditions: &Conditions,
        rows: &[TombstoneRow],
        batch: &BatchId,
    ) -> Result<Tombstoned, StoreError> {
        let (requested, conditions) = (requested.clone(), conditions.clone());
        let (rows, batch) = (rows.to_vec(), batch.clone());
        let attempt = format!("delete {} sessions", rows.len());
        self.write(Durability::Full, attempt, move |scope| {
            tombstone(scope, &requested, &conditions, &rows, &batch)
        })
        .await
    }

    /// Brings tombstones back in one transaction; title, pin, order and times as before (R1).
    /// Sessions that were live come back terminated, unless they were done.
    ///
    /// # Errors
    /// One is not in the trash, or its parent is there and stays; nothing is changed then.
    pub async fn untombstone(&self, rows: &[Untombstone]) -> Result<(), StoreError> {
        let rows = rows.to_vec();
        let attempt = format!("bring {} sessions back", rows.len());
        self.write(Durability::Full, attempt, move |scope| untombstone(scope, &rows)).await
    }

    /// Number of tombstones.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn trash_count(&self) -> Result<u64, StoreError> {
        self.read("count the trash", |scope| {
            let count: i64 =
                scope.conn.prepare_cached(COUNT)?.query_row([scope.workspace], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
        .await
    }

    /// The project with most worktrees in the trash, where there are more than `limit` (R5).
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn crowded_trash(&self, limit: u64) -> Result<Option<(String, u64)>, StoreError> {
        self.read("count the worktrees in the trash", move |scope| {
            let most = scope
                .conn
                .prepare_cached(CROWDED)?
                .query_row((scope.workspace, limit.cast_signed()), |row| {
                    Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
                })
                .optional()?;
            Ok(most)
        })
        .await
    }

    /// The newest batch of the operator that still has tombstones: what an agent deleted is not
    /// theirs to undo by the way (D11).
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn last_batch(&self) -> Result<Option<BatchId>, StoreError> {
        self.read("look for the last batch", |scope| {
            // Taken row by row: the first one is nearly always the answer.
            let mut newest = scope.conn.prepare_cached(NEWEST)?;
            let mut by_agent = scope.conn.prepare_cached(
                "SELECT json_extract(asked, '$.by') LIKE 'session:%' FROM operations
                 WHERE workspace = ?1 AND id = ?2",
            )?;
            let mut rows = newest.query([scope.workspace])?;
            let mut last = None;
            while let Some(row) = rows.next()? {
                let batch: BatchId = Columns::of(row).word()?;
                if last.as_ref() == Some(&batch) {
                    continue;
                }
                let agent: Option<Option<bool>> = by_agent
                    .query_row([scope.workspace, batch.as_str()], |row| row.get(0))
                    .optional()?;
                if agent.flatten() != Some(true) {
                    return Ok(Some(batch));
                }
                last = Some(batch);
            }
            Ok(None)
        })
        .await
    }

    /// Tombstones of a batch, ascending.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn batch(&self, batch: &BatchId) -> Result<Vec<Session>, StoreError> {
        let batch = batch.clone();
        self.read(format!("read batch {batch}"), move |scope| {
            sessions::query(scope, sessions::OF_BATCH, &batch.as_str())
        })
        .await
    }

    /// The component of a tombstone: topmost tombstone and its tree, parents before children
    /// (R1). Empty where the session is not in the trash.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn component(&self, id: &SessionId) -> Result<Vec<Session>, StoreError> {
        let id = id.clone();
        self.read(format!("read the component of {id}"), move |scope| component(scope, &id)).await
    }
}

/// How many tombstones there are.
pub(super) const COUNT: &str = "SELECT count(*) FROM sessions
     WHERE workspace = ?1 AND deleted_at IS NOT NULL";
/// Batches of the tombstones, newest first.
pub(super) const NEWEST: &str = "SELECT batch FROM sessions
     WHERE workspace = ?1 AND deleted_at IS NOT NULL ORDER BY deleted_key, id";
/// The project with most worktrees in the trash, where there are more than `?2`; asked seldom.
const CROWDED: &str = "SELECT p.name, count(*) AS n FROM sessions s JOIN projects p USING (section)
     WHERE s.workspace = ?1 AND s.deleted_at IS NOT NULL AND s.trash_path IS NOT NULL
     GROUP BY p.section HAVING n > ?2 ORDER BY n DESC LIMIT 1";
/// Requested sessions outside the trash and everything below them.
pub(super) const CLOSURE: &str = "WITH RECURSIVE closure (id) AS (
       SELECT value FROM json_each(?2)
       UNION
       SELECT s.id FROM closure CROSS JOIN sessions s INDEXED BY sessions_children
         ON s.workspace = ?1 AND s.parent = closure.id AND s.deleted_at IS NULL
     )
     SELECT s.id, s.parent, s.title, s.agent, s.status, home.key, s.head_pin IS NOT NULL,
       s.alive, coalesce(s.last_activity_at, s.created_at),
       iif(s.prs > 0, (SELECT min(number) FROM pr_facts WHERE rid = s.rid AND state = 'open'), NULL)
     FROM closure
     CROSS JOIN sessions s INDEXED BY sessions_id ON s.workspace = ?1 AND s.id = closure.id
     JOIN sections home ON home.section = s.section
     WHERE s.deleted_at IS NULL";

/// A stored section key of no legal form.
#[derive(Debug, thiserror::Error)]
#[error("the section key is not valid")]
struct InvalidKey;

fn plan_rows(scope: &Scope<'_>, requested: &BTreeSet<SessionId>) -> Outcome<PlanRows> {
    let mut statement = scope.conn.prepare_cached(CLOSURE)?;
    let found = statement.query_map(params![scope.workspace, id_list(requested)], |row| {
        let mut columns = Columns::of(row);
        let (id, parent) = (columns.word()?, columns.word_or_none()?);
        let (title, agent, status) = (columns.get()?, columns.get()?, columns.word()?);
        let home = SectionKey::parse(&columns.get::<String>()?);
        let home = home.ok_or_else(|| columns.illegal(InvalidKey))?;
        let pinned: bool = columns.get()?;
        Ok(PlanRow {
            id,
            parent,
            title,
            agent,
            status,
            section: if pinned { SectionKey::pinned() } else { home },
            pinned,
            live: columns.get()?,
            last_activity_at: columns.time()?,
            open_pr: columns.get::<Option<i64>>()?.map(i64::unsigned_abs),
        })
    })?;
    let mut rows = found.collect::<rusqlite::Result<Vec<_>>>()?;
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    let present: BTreeSet<&SessionId> = rows.iter().map(|row| &row.id).collect();
    let mut missing = Vec::new();
    for id in requested.iter().filter(|id| !present.contains(id)) {
        let in_trash = condition::find(scope, id)?.is_some();
        let reason = if in_trash { SkipReason::InTrash } else { SkipReason::NotFound };
        missing.push(Skipped { id: id.clone(), reason });
    }
    Ok(PlanRows { rows, missing })
}

fn tombstone(
    scope: &Scope<'_>,
    requested: &BTreeSet<SessionId>,
    conditions: &Conditions,
    rows: &[TombstoneRow],
    batch: &BatchId,
) -> Outcome<Tombstoned> {
    let PlanRows { rows: found, missing } = plan_rows(scope, requested)?;
    let closed: BTreeSet<SessionId> =
        rows.iter().filter(|row| row.closed).map(|row| row.id.clone()).collect();
    let planned = plan::plan(requested, found, missing, conditions, &closed, scope.now).ids();
    let rows: BTreeMap<&SessionId, &TombstoneRow> = rows.iter().map(|row| (&row.id, row)).collect();
    if !planned.iter().eq(rows.keys().copied()) {
        return Ok(Tombstoned::PlanChanged(planned));
    }
    let mut bury = scope.conn.prepare_cached(
        "UPDATE sessions SET deleted_at = ?3, batch = ?4, was_live = ?5 OR alive, trash_path = ?6
         WHERE workspace = ?1 AND id = ?2 AND deleted_at IS NULL
         RETURNING section, head_pin IS NOT NULL,
           (SELECT messages FROM details WHERE details.rid = sessions.rid)",
    )?;
    let mut totals = Totals::default();
    let mut messages = 0;
    for row in rows.into_values() {
        let path = row.trash_path.as_deref().map(path_text).transpose()?;
        let (section, under_pin, held): (i64, bool, i64) = bury.query_row(
            params![
                scope.workspace,
                row.id.as_str(),
                scope.now.0,
                batch.as_str(),
                row.was_live,
                path
            ],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        totals.add(section, under_pin, -1);
        messages += held.unsigned_abs();
    }
    totals.apply(scope)?;
    Ok(Tombstoned::Done { messages })
}

/// A tombstone about to come back.
struct Returning {
    parent: Option<SessionId>,
    was_live: bool,
    /// Its folder, where that changed.
    folder: Option<PathBuf>,
}

fn untombstone(scope: &Scope<'_>, rows: &[Untombstone]) -> Outcome<()> {
    let mut returning: BTreeMap<SessionId, Returning> = BTreeMap::new();
    for row in rows {
        returning.insert(row.id.clone(), find_tombstone(scope, row)?);
    }
    for (id, row) in &returning {
        let Some(parent) = &row.parent else { continue };
        if !returning.contains_key(parent) && shown::member(scope, parent)?.is_none() {
            let (id, parent) = (id.clone(), parent.clone());
            return Err(StoreError::NoParent { id, parent }.into());
        }
    }
    let mut raise = scope.conn.prepare_cached(
        "UPDATE sessions SET deleted_at = NULL, batch = NULL, was_live = NULL, trash_path = NULL,
           folder = coalesce(?3, folder)
         WHERE workspace = ?1 AND id = ?2 AND deleted_at IS NOT NULL
         RETURNING section, head_pin IS NOT NULL",
    )?;
    let mut totals = Totals::default();
    for (id, row) in &returning {
        let folder = row.folder.as_deref().map(path_text).transpose()?;
        let (section, under_pin): (i64, bool) = raise
            .query_row(params![scope.workspace, id.as_str(), folder], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        totals.add(section, under_pin, 1);
    }
    totals.apply(scope)?;
    // Pins may have changed meanwhile above those that have a parent.
    let below: Vec<SessionId> = returning
        .iter()
        .filter(|(_, row)| row.parent.is_some())
        .map(|(id, _)| id.clone())
        .collect();
    shown::reshow(scope, &below)?;
    for (id, _) in returning.iter().filter(|(_, row)| row.was_live) {
        let row = condition::find_present(scope, id)?;
        if row.condition.lifecycle.state != State::Done {
            let reason = TerminationReason::ManuallyKilled;
            let next = row.condition.clone().terminated(reason, &row.prs, scope.now);
            condition::save(scope, &row, &next, "ran when it was deleted")?;
        }
    }
    Ok(())
}

fn find_tombstone(scope: &Scope<'_>, row: &Untombstone) -> Outcome<Returning> {
    let id = &row.id;
    let found = scope
        .conn
        .prepare_cached(
            "SELECT parent, coalesce(was_live, 0) FROM sessions
             WHERE workspace = ?1 AND id = ?2 AND deleted_at IS NOT NULL",
        )?
        .query_row([scope.workspace, id.as_str()], |row| {
            let mut columns = Columns::of(row);
            Ok((columns.word_or_none()?, columns.get()?))
        })
        .optional()?;
    if let Some((parent, was_live)) = found {
        let folder = row.folder.clone();
        return Ok(Returning { parent, was_live, folder });
    }
    Err(match condition::find(scope, id)? {
        Some(_) => StoreError::NotInTrash { id: id.clone() },
        None => StoreError::NoSession { id: id.clone() },
    }
    .into())
}

/// The topmost tombstone above `?2` and everything below it, parents before children.
pub(super) const COMPONENT: &str = "WITH RECURSIVE
       up (id, parent, height) AS (
         SELECT id, parent, 0 FROM sessions
         WHERE workspace = ?1 AND id = ?2 AND deleted_at IS NOT NULL
         UNION ALL
         SELECT s.id, s.parent, height + 1 FROM up CROSS JOIN sessions s INDEXED BY sessions_id
           ON s.workspace = ?1 AND s.id = up.parent AND s.deleted_at IS NOT NULL
       ),
       down (id, depth) AS (
         SELECT * FROM (SELECT id, 0 FROM up ORDER BY height DESC LIMIT 1)
         UNION ALL
         SELECT s.id, depth + 1 FROM down CROSS JOIN sessions s INDEXED BY sessions_children
           ON s.workspace = ?1 AND s.parent = down.id AND s.deleted_at IS NOT NULL
       )
     SELECT id FROM down ORDER BY depth, id";

fn component(scope: &Scope<'_>, id: &SessionId) -> Outcome<Vec<Session>> {
    let mut statement = scope.conn.prepare_cached(COMPONENT)?;
    let ids: Vec<SessionId> = statement
        .query_map([scope.workspace, id.as_str()], |row| Columns::of(row).word())?
        .collect::<rusqlite::Result<_>>()?;
    let mut found = Vec::with_capacity(ids.len());
    for id in &ids {
        found.extend(sessions::one(scope, id)?);
    }
    Ok(found)
}
