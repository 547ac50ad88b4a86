//! Facts rows: written by keepers, folded into the session's columns in the same transaction
//! (`spec/store.md` W5).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use crate::domain::activity::ActivityFact;
use crate::domain::facts::Facts;
use crate::domain::hook::HookReport;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::time::Timestamp;

use super::columns::{Columns, to_json_or_none};
use super::connection::{self, Durability};
use super::error::{Fault, Outcome};
use super::log::Log;
use super::{Scope, StoreError, condition, damage, messages, migrate};

/// Writes the facts of one session. Blocks: for a thread that nothing waits for (`spec/runtime.md`).
#[derive(Debug)]
pub struct FactsWriter {
    database: PathBuf,
    workspace: WorkspaceName,
    session: SessionId,
    connection: Connection,
    /// Of the connection.
    log: Log,
    /// Device and inode of the open file.
    file: (u64, u64),
}

impl FactsWriter {
    /// Opens the database for one session's facts.
    ///
    /// # Errors
    /// The database is not there or cannot be opened.
    pub fn open(
        database: &Path,
        workspace: &WorkspaceName,
        session: &SessionId,
    ) -> Result<Self, StoreError> {
        let (connection, log, file) = connect(database)?;
        Ok(Self {
            database: database.to_owned(),
            workspace: workspace.clone(),
            session: session.clone(),
            connection,
            log,
            file,
        })
    }

    /// Stores `facts` unless newer ones are there, and folds them where they count: after publish,
    /// before the end, never into a tombstone (C4, S5, D13). One short transaction.
    ///
    /// # Errors
    /// The database was busy for 5 s, cannot be written, or has no such session.
    pub fn write(&mut self, facts: &Facts, now: Timestamp) -> Result<(), StoreError> {
        self.reopen()?;
        let (workspace, session) = (self.workspace.as_str(), &self.session);
        connection::begin(&mut self.connection, Durability::Normal, |conn| {
            record(&Scope { conn, workspace, now }, session, facts)
        })
        .map_err(|fault| {
            fault.during(&format!("write the facts of session {session}"), &self.database)
        })
    }

    /// Puts away what many writes have left beside the database; to be called when nothing waits
    /// to be written.
    pub fn tidy(&self) {
        self.log.tidy(&self.connection);
    }
}

/// Keeps what a hook told beside the facts.
impl FactsWriter {
    /// Stores the agent's own id of the conversation and its message (H2, H3). False where the launch is
    /// not published yet: it may still fail, and must not change what is known then (C8, B2). What is of
    /// an older launch or of a tombstone is dropped (S5, D13).
    ///
    /// # Errors
    /// As [`FactsWriter::write`].
    pub fn report(
        &mut self,
        generation: u32,
        report: &HookReport,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.reopen()?;
        let (workspace, session) = (self.workspace.as_str(), &self.session);
        connection::begin(&mut self.connection, Durability::Normal, |conn| {
            keep(&Scope { conn, workspace, now }, session, generation, report)
        })
        .map_err(|fault| {
            fault.during(&format!("keep a report of session {session}"), &self.database)
        })
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        if identity(&self.database)? != self.file {
            (self.connection, self.log, self.file) = connect(&self.database)?;
        }
        Ok(())
    }
}

fn keep(scope: &Scope<'_>, id: &SessionId, generation: u32, report: &HookReport) -> Outcome<bool> {
    let Some(row) = condition::find(scope, id)? else {
        return Err(StoreError::NoSession { id: id.clone() }.into());
    };
    let published = row.condition.lifecycle.published;
    if row.deleted || generation < published {
        return Ok(true);
    }
    if generation > published {
        return Ok(false);
    }
    if let Some(own) = &report.agent_session_id {
        scope
            .conn
            .prepare_cached(
                "UPDATE details SET launch = json_set(launch, '$.agent_session_id', ?2)
                 WHERE rid = ?1 AND launch ->> '$.agent_session_id' IS NOT ?2",
            )?
            .execute(params![row.rid, own])?;
    }
    // A newer database may hold messages in another way: an older keeper keeps to its facts (W2).
    if let Some(text) = &report.message
        && migrate::version(scope.conn)? <= migrate::LATEST
    {
        messages::append(&Scope { now: report.at, ..*scope }, row.rid, text, "agent")?;
    }
    Ok(true)
}

fn connect(database: &Path) -> Result<(Connection, Log, (u64, u64)), StoreError> {
    let file = identity(database)?;
    damage::look(database)?;
    let failed =
        |error: rusqlite::Error| Fault::from(error).during("open the store for facts", database);
    let mut connection = connection::open(database).map_err(failed)?;
    // A keeper reads a handful of pages; its memory counts two hundred times.
    connection.pragma_update(None, "cache_size", -80).map_err(failed)?;
    let log = Log::of(&mut connection).map_err(failed)?;
    Ok((connection, log, file))
}

/// Device and inode of the file.
pub(super) fn identity(database: &Path) -> Result<(u64, u64), StoreError> {
    let metadata = fs::metadata(database).map_err(|error| StoreError::Open {
        path: database.to_owned(),
        detail: error.to_string(),
    })?;
    Ok((metadata.dev(), metadata.ino()))
}

fn record(scope: &Scope<'_>, id: &SessionId, facts: &Facts) -> Outcome<()> {
    let Some(row) = condition::find(scope, id)? else {
        return Err(StoreError::NoSession { id: id.clone() }.into());
    };
    let published = row.condition.lifecycle.published;
    let folds = facts.generation == published && !condition::newer_rules(scope.conn)?;
    if row.deleted || facts.generation < published || !store(scope, row.rid, facts, folds)? {
        return Ok(());
    }
    if folds {
        condition::fold(scope, &row, facts)?;
    }
    Ok(())
}

/// Compare-and-set on (generation, sequence); answers whether the facts were newer. What they leave
/// open stays as it was told in the same launch (S5).
fn store(scope: &Scope<'_>, rid: i64, facts: &Facts, folded: bool) -> Outcome<bool> {
    let changed = scope
        .conn
        .prepare_cached(
            "INSERT INTO facts (rid, generation, sequence, activity, activity_since, witness,
               question, title, last_sign_at, keeper_pid, pid, started_at, exit, folded)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT (rid) DO UPDATE SET
               generation = excluded.generation, sequence = excluded.sequence,
               activity = excluded.activity, activity_since = excluded.activity_since,
               witness = excluded.witness, question = excluded.question,
               title = coalesce(excluded.title, iif(excluded.generation = generation, title, NULL)),
               last_sign_at = excluded.last_sign_at, keeper_pid = excluded.keeper_pid,
               pid = excluded.pid, started_at = excluded.started_at,
               exit = coalesce(excluded.exit, iif(excluded.generation = generation, exit, NULL)),
               folded = excluded.folded
             WHERE (excluded.generation, excluded.sequence) > (generation, sequence)",
        )?
        .execute(params![
            rid,
            facts.generation,
            facts.sequence.cast_signed(),
            facts.activity.value.as_str(),
            facts.activity.since.0,
            facts.activity.witness,
            to_json_or_none(facts.question.as_ref())?,
            facts.title,
            facts.last_sign_at.0,
            facts.keeper_pid,
            facts.pid,
            facts.started_at.0,
            to_json_or_none(facts.exit.as_ref())?,
            folded,
        ])?;
    Ok(changed > 0)
}

fn load(conn: &Connection, rid: i64) -> Outcome<Option<Facts>> {
    conn.prepare_cached(
        "SELECT generation, sequence, activity, activity_since, witness, question, title,
           last_sign_at, keeper_pid, pid, started_at, exit
         FROM facts WHERE rid = ?1",
    )?
    .query_row([rid], |row| {
        let mut columns = Columns::of(row);
        Ok(Facts {
            generation: columns.get()?,
            sequence: columns.get::<i64>()?.cast_unsigned(),
            activity: ActivityFact {
                value: columns.word()?,
                since: columns.time()?,
                witness: columns.get()?,
            },
            question: columns.json_or_none()?,
            title: columns.get()?,
            last_sign_at: columns.time()?,
            keeper_pid: columns.get()?,
            pid: columns.get()?,
            started_at: columns.time()?,
            exit: columns.json_or_none()?,
        })
    })
    .optional()
    .map_err(Into::into)
}

/// Folds the facts that are stored for a session, where they are of its published launch.
pub(super) fn fold_stored(scope: &Scope<'_>, id: &SessionId) -> Outcome<()> {
    let Some(row) = condition::find(scope, id)? else {
        return Ok(());
    };
    let Some(facts) = load(scope.conn, row.rid)? else {
        return Ok(());
    };
    if facts.generation == row.condition.lifecycle.published {
        condition::fold(scope, &row, &facts)?;
        scope
            .conn
            .prepare_cached("UPDATE facts SET folded = 1 WHERE rid = ?1")?
            .execute([row.rid])?;
    }
    Ok(())
}

/// Sessions whose facts wait to be folded.
pub(super) const PENDING: &str =
    "SELECT s.workspace, s.id FROM facts f CROSS JOIN sessions s ON s.rid = f.rid
     WHERE f.folded = 0 AND s.published = f.generation AND s.deleted_at IS NULL";

/// Folds what older keepers have only stored, in every workspace.
pub(super) fn fold_pending(conn: &Connection, now: Timestamp) -> Outcome<()> {
    let pending: Vec<(String, SessionId)> = conn
        .prepare_cached(PENDING)?
        .query_map([], |row| {
            let mut columns = Columns::of(row);
            Ok((columns.get()?, columns.word()?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (workspace, id) in pending {
        fold_stored(&Scope { conn, workspace: &workspace, now }, &id)?;
    }
    Ok(())
}
