//! Reading whole sessions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::types::Null;
use rusqlite::{Statement, ToSql, params};

use crate::domain::facts::ExitFacts;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::rail::{Placement, SectionKey, SectionKind, Shown};
use crate::domain::session::{Deletion, RuntimeFacts, Session};
use crate::domain::time::Timestamp;

use super::columns::{Columns, id_list};
use super::error::Outcome;
use super::rows::FolderUser;
use super::{Scope, Store, StoreError, condition};

impl Store {
    /// One session, deleted ones too.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        let id = id.clone();
        self.read(format!("read session {id}"), move |scope| one(scope, &id)).await
    }

    /// Sessions by id, deleted ones too, ascending; unknown ids are left out.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn sessions(&self, ids: &[SessionId]) -> Result<Vec<Session>, StoreError> {
        let ids = id_list(ids);
        self.read("read sessions", move |scope| query(scope, WITH_IDS, &ids)).await
    }

    /// Ids of every session of the workspace that is not deleted, ascending.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn all_ids(&self) -> Result<Vec<SessionId>, StoreError> {
        self.read("list sessions", |scope| {
            let mut statement = scope.conn.prepare_cached(
                "SELECT id FROM sessions WHERE workspace = ?1 AND deleted_at IS NULL ORDER BY id",
            )?;
            let ids = statement.query_map([scope.workspace], |row| Columns::of(row).word())?;
            ids.collect::<rusqlite::Result<_>>().map_err(Into::into)
        })
        .await
    }

    /// Sessions believed to run, ascending.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn live(&self) -> Result<Vec<Session>, StoreError> {
        self.read("list live sessions", |scope| query(scope, LIVE, &Null)).await
    }

    /// How many sessions are believed to run.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn live_count(&self) -> Result<u64, StoreError> {
        self.read("count live sessions", |scope| {
            let mut statement = scope.conn.prepare_cached(LIVE_COUNT)?;
            let count: i64 = statement.query_row([scope.workspace], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
        .await
    }

    /// Live sessions whose timed rules are due at `now`, longest overdue first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn due(&self, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.read("list sessions that are due", move |scope| query(scope, DUE, &now.0)).await
    }

    /// Sessions of every workspace, outside the trash and not among `leaving`, that work in one of
    /// `folders` or below it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn users_of(
        &self,
        folders: BTreeSet<PathBuf>,
        leaving: &[SessionId],
    ) -> Result<Vec<FolderUser>, StoreError> {
        let leaving: BTreeSet<SessionId> = leaving.iter().cloned().collect();
        self.read("look who works in a worktree", move |scope| {
            let mut statement = scope.conn.prepare_cached(
                "SELECT id, folder, workspace = ?1 FROM sessions
                 WHERE deleted_at IS NULL AND folder <> ''",
            )?;
            let mut rows = statement.query([scope.workspace])?;
            let mut users = Vec::new();
            while let Some(row) = rows.next()? {
                let folder: String = row.get(1)?;
                let inside = Path::new(&folder).ancestors().find(|it| folders.contains(*it));
                let Some(inside) = inside else {
                    continue;
                };
                let id: SessionId = Columns::of(row).word()?;
                let own: bool = row.get(2)?;
                if !own || !leaving.contains(&id) {
                    users.push(FolderUser { id, folder: inside.to_owned() });
                }
            }
            Ok(users)
        })
        .await
    }

    /// Hash of the token that identifies the agent of a session's newest launch (W7).
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn token_hash(&self, id: &SessionId) -> Result<Option<String>, StoreError> {
        let id = id.clone();
        self.read(format!("read the token of session {id}"), move |scope| {
            let mut statement = scope.conn.prepare_cached(
                "SELECT d.token_hash FROM sessions s JOIN details d ON d.rid = s.rid
                 WHERE s.workspace = ?1 AND s.id = ?2",
            )?;
            let mut rows = statement.query(params![scope.workspace, id.as_str()])?;
            Ok(rows.next()?.map(|row| row.get(0)).transpose()?.flatten())
        })
        .await
    }
}

/// One session, deleted ones too.
pub(super) fn one(scope: &Scope<'_>, id: &SessionId) -> Outcome<Option<Session>> {
    Ok(query(scope, WITH_ID, &id.as_str())?.pop())
}

/// The session with id `?2`.
pub(super) const WITH_ID: &str = "s.workspace = ?1 AND s.id = ?2";
/// Those whose ids are in the JSON list `?2`, ascending.
pub(super) const WITH_IDS: &str =
    "s.workspace = ?1 AND s.id IN (SELECT value FROM json_each(?2)) ORDER BY s.id";
/// Those believed to run, ascending.
pub(super) const LIVE: &str = "s.workspace = ?1 AND s.deleted_at IS NULL AND s.alive = 1
   AND s.published = s.generation ORDER BY s.id";
/// How many they are.
pub(super) const LIVE_COUNT: &str = "SELECT count(*) FROM sessions
     WHERE workspace = ?1 AND deleted_at IS NULL AND alive = 1 AND published = generation";
/// Live ones due at `?2`, longest overdue first.
pub(super) const DUE: &str =
    "s.workspace = ?1 AND s.deleted_at IS NULL AND s.due_at <= ?2 AND +s.alive = 1
     ORDER BY s.due_at";
/// Tombstones of batch `?2`, ascending.
pub(super) const OF_BATCH: &str = "s.workspace = ?1 AND s.batch = ?2 ORDER BY s.id";
/// The session with number `?2`.
pub(super) const WITH_NUMBER: &str = "s.rid = ?2 AND +s.workspace = ?1";

pub(super) fn sql(condition: &str) -> String {
    format!(
        "SELECT s.rid, s.prs, s.id, p.name, s.kind, s.parent, s.root, d.launch, s.title, d.prompt,
           s.placement, home.kind, home.path, home.key, s.head, s.head_pin IS NOT NULL, s.pinned_at,
           {}, s.folder_kind, s.folder, s.branch, d.base, s.dirty,
           d.keeper_pid, d.pid, d.started_at, iif(f.generation = s.generation, f.exit, NULL),
           s.created_at, s.updated_at, s.deleted_at, s.batch, s.was_live, s.trash_path, d.error
         FROM sessions s
         CROSS JOIN details d ON d.rid = s.rid
         CROSS JOIN sections home ON home.section = s.section
         LEFT JOIN projects p ON p.section = s.section AND p.removed_at IS NULL
         LEFT JOIN facts f ON f.rid = s.rid
         WHERE {condition}",
        *condition::SELECTED
    )
}

/// Sessions that one of the conditions above lets through; `?1` is the workspace.
pub(super) fn query(
    scope: &Scope<'_>,
    condition: &str,
    parameter: &dyn ToSql,
) -> Outcome<Vec<Session>> {
    let mut statement = scope.conn.prepare_cached(&sql(condition))?;
    let mut found = Vec::new();
    collect(scope, &mut statement, parameter, &mut found)?;
    Ok(found)
}

/// Sessions by number, in the order given.
pub(super) fn by_number(
    scope: &Scope<'_>,
    numbers: impl Iterator<Item = i64>,
) -> Outcome<Vec<Session>> {
    let mut statement = scope.conn.prepare_cached(&sql(WITH_NUMBER))?;
    let mut found = Vec::new();
    for number in numbers {
        collect(scope, &mut statement, &number, &mut found)?;
    }
    Ok(found)
}

fn collect(
    scope: &Scope<'_>,
    statement: &mut Statement<'_>,
    parameter: &dyn ToSql,
    found: &mut Vec<Session>,
) -> Outcome<()> {
    let workspace = WorkspaceName::new(scope.workspace).unwrap_or_default();
    // Some conditions have no parameter of their own.
    let parameters: [&dyn ToSql; 2] = [&scope.workspace, parameter];
    let mut rows = statement.query(&parameters[..statement.parameter_count()])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let (rid, prs): (i64, u32) = (columns.get()?, columns.get()?);
        let mut session = read(&workspace, &mut columns)?;
        if prs > 0 {
            session.prs = condition::pr_facts(scope.conn, rid)?;
        }
        found.push(session);
    }
    Ok(())
}

/// A stored placement whose parts do not agree (S4).
#[derive(Debug, thiserror::Error)]
#[error("the placement is not valid")]
struct InvalidPlacement;

fn read(workspace: &WorkspaceName, columns: &mut Columns<'_, '_>) -> rusqlite::Result<Session> {
    let id: SessionId = columns.word()?;
    let project = columns.word_or_none()?;
    let kind = columns.word()?;
    let parent = columns.word_or_none()?;
    let root = columns.word()?;
    let launch = columns.json()?;
    let title = columns.get()?;
    let prompt = columns.get()?;
    let placement = read_placement(columns)?;
    let head: SessionId = columns.word()?;
    let under_pin: bool = columns.get()?;
    let section = if under_pin { SectionKey::pinned() } else { placement.key() };
    let (pinned_at, condition) = (columns.time_or_none()?, condition::read(columns)?);
    let lifecycle = &condition.lifecycle;
    // What an agent said before it was ended on request is no error.
    let on_request = lifecycle.state == State::Done
        || lifecycle.reason == Some(TerminationReason::ManuallyKilled);
    let last_words;
    Ok(Session {
        workspace: workspace.clone(),
        id,
        project,
        kind,
        parent,
        root,
        launch,
        title,
        prompt,
        placement,
        shown: Shown { section, root: head },
        pinned_at,
        condition,
        folder_kind: columns.word()?,
        folder: columns.get::<String>()?.into(),
        branch: columns.get()?,
        base: columns.get()?,
        dirty: columns.get()?,
        prs: Vec::new(),
        runtime: {
            let (runtime, words) = read_runtime(columns)?;
            last_words = words.filter(|_| !on_request);
            runtime
        },
        created_at: columns.time()?,
        updated_at: columns.time()?,
        deletion: read_deletion(columns)?,
        error: columns.get::<Option<String>>()?.or(last_words),
    })
}

fn read_placement(columns: &mut Columns<'_, '_>) -> rusqlite::Result<Placement> {
    let version: u32 = columns.get()?;
    let kind: SectionKind = columns.word()?;
    let path = columns.path_or_none()?;
    let key = SectionKey::parse(&columns.get::<String>()?);
    key.and_then(|key| Placement::from_stored(version, kind, path.as_deref(), &key))
        .ok_or_else(|| columns.illegal(InvalidPlacement))
}

/// The live side, and the last words of an agent that died at once (`spec/runtime.md` X5).
fn read_runtime(columns: &mut Columns<'_, '_>) -> rusqlite::Result<(RuntimeFacts, Option<String>)> {
    let (keeper_pid, pid, started_at) = (columns.get()?, columns.get()?, columns.time_or_none()?);
    let exit: Option<ExitFacts> = columns.json_or_none()?;
    let runtime = RuntimeFacts {
        keeper_pid,
        pid,
        exit_code: exit.as_ref().and_then(|exit| exit.code),
        signal: exit.as_ref().and_then(|exit| exit.signal),
        started_at,
        // What is measured is kept nowhere: whoever shows it looks.
        cpu_percent: None,
        rss_bytes: None,
    };
    Ok((runtime, exit.as_ref().and_then(ExitFacts::last_words)))
}

fn read_deletion(columns: &mut Columns<'_, '_>) -> rusqlite::Result<Option<Deletion>> {
    let (at, batch) = (columns.time_or_none()?, columns.word_or_none()?);
    let (was_live, trash_path) = (columns.get::<Option<bool>>()?, columns.path_or_none()?);
    Ok(at.zip(batch).map(|(at, batch)| Deletion {
        at,
        batch,
        was_live: was_live.unwrap_or(false),
        trash_path,
    }))
}
