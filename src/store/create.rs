//! What a create writes, step by step, and how it is taken back (`spec/lifecycle.md` C3 to C7).

use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params, params_from_iter};

use crate::domain::condition::Condition;
use crate::domain::ids::{CHAT, ProjectName, SessionId};
use crate::domain::launch::Seed;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::rail::{PLACEMENT_VERSION, Placement};
use crate::domain::session::Session;
use crate::domain::worktree::Worktree;

use super::columns::{id_list, path_text, to_json};
use super::connection::Durability;
use super::error::{Fault, Outcome};
use super::rows::SeededSession;
use super::shown::{self, Member, Totals};
use super::{Scope, Store, StoreError, condition, index, sessions};

impl Store {
    /// Takes the next id of a project, or of the sessions outside projects; never given again,
    /// ids in use or in the trash are passed over (S3).
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn reserve_id(&self, project: Option<&ProjectName>) -> Result<SessionId, StoreError> {
        let project = project.cloned();
        let attempt = "reserve a session id".to_owned();
        self.write(Durability::Full, attempt, move |scope| reserve(scope, project.as_ref())).await
    }

    /// Inserts the seed row: not started, not alive.
    ///
    /// # Errors
    /// The id is in use or in the trash, or the parent does not exist.
    pub async fn insert_seed(&self, seed: &Seed) -> Result<Session, StoreError> {
        let seed = seed.clone();
        let attempt = format!("insert session {}", seed.id);
        self.write(Durability::Normal, attempt, move |scope| insert_seed(scope, seed)).await
    }

    /// Records the folder and branch of a worktree that was made.
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn set_worktree(
        &self,
        id: &SessionId,
        worktree: &Worktree,
    ) -> Result<(), StoreError> {
        let (id, worktree) = (id.clone(), worktree.clone());
        self.write(Durability::Normal, format!("record the worktree of {id}"), move |scope| {
            set_worktree(scope, &id, &worktree)
        })
        .await
    }

    /// The session has no folder any more; its branch stays known.
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn clear_worktree(&self, id: &SessionId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, format!("forget the worktree of {id}"), move |scope| {
            let row = condition::find_present(scope, &id)?;
            scope
                .conn
                .prepare_cached(
                    "UPDATE sessions SET folder = '', dirty = NULL, updated_at = ?2 WHERE rid = ?1",
                )?
                .execute(params![row.rid, scope.now.0])?;
            Ok(())
        })
        .await
    }

    /// Removes a seed row; its number stays used (C7). A row that is gone is a success.
    ///
    /// # Errors
    /// The session is published.
    pub async fn rollback_seed(&self, id: &SessionId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, format!("roll back session {id}"), move |scope| {
            rollback(scope, &id)
        })
        .await
    }

    /// Parks: terminated, error in process, with the error's text (C6).
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn park(&self, id: &SessionId, error: &str) -> Result<(), StoreError> {
        let (id, error) = (id.clone(), error.to_owned());
        self.write(Durability::Normal, format!("park session {id}"), move |scope| {
            let row = condition::find_present(scope, &id)?;
            let reason = TerminationReason::ErrorInProcess;
            let next = row.condition.clone().terminated(reason, &row.prs, scope.now);
            condition::save(scope, &row, &next, &error)?;
            set_error(scope, row.rid, Some(&error))
        })
        .await
    }

    /// Sets or clears the error text of the last failed operation, in the trash too: a worktree
    /// that could not be moved is said there (D10).
    ///
    /// # Errors
    /// There is no such session.
    pub async fn set_error(&self, id: &SessionId, error: Option<&str>) -> Result<(), StoreError> {
        let (id, error) = (id.clone(), error.map(str::to_owned));
        self.write(Durability::Normal, format!("record the error of {id}"), move |scope| {
            let row = condition::find(scope, &id)?.ok_or_else(|| missing(&id))?;
            set_error(scope, row.rid, error.as_deref())
        })
        .await
    }
}

fn reserve(scope: &Scope<'_>, project: Option<&ProjectName>) -> Outcome<SessionId> {
    let prefix = project.map_or(CHAT, ProjectName::as_str);
    let mut take = scope.conn.prepare_cached(
        "INSERT INTO counters (workspace, prefix, next) VALUES (?1, ?2, 2)
         ON CONFLICT DO UPDATE SET next = next + 1 RETURNING next - 1",
    )?;
    loop {
        let number: i64 = take.query_row([scope.workspace, prefix], |row| row.get(0))?;
        let id = SessionId::numbered(project, number.unsigned_abs());
        if state_of(scope, &id)?.is_none() {
            return Ok(id);
        }
    }
}

/// Whether an id is taken, and if so whether by a tombstone.
pub(super) fn state_of(scope: &Scope<'_>, id: &SessionId) -> Outcome<Option<bool>> {
    scope
        .conn
        .prepare_cached(
            "SELECT deleted_at IS NOT NULL FROM sessions WHERE workspace = ?1 AND id = ?2",
        )?
        .query_row([scope.workspace, id.as_str()], |row| row.get(0))
        .optional()
        .map_err(Into::into)
}

fn insert_seed(scope: &Scope<'_>, seed: Seed) -> Outcome<Session> {
    match state_of(scope, &seed.id)? {
        Some(true) => return Err(StoreError::InTrash { id: seed.id }.into()),
        Some(false) => return Err(StoreError::IdInUse { id: seed.id }.into()),
        None => {}
    }
    let id = seed.id.clone();
    let session = SeededSession {
        id: seed.id,
        kind: seed.kind,
        parent: seed.parent,
        launch: seed.launch,
        title: seed.title,
        prompt: seed.prompt,
        placement: seed.placement,
        pinned_at: seed.pinned.then_some(scope.now),
        condition: Condition::new(scope.now),
        folder_kind: seed.folder_kind,
        folder: seed.folder,
        branch: None,
        dirty: None,
        prs: Vec::new(),
        created_at: scope.now,
    };
    let mut totals = Totals::default();
    insert(scope, &session, &mut totals)?;
    totals.apply(scope)?;
    read_back(scope, &id)
}

pub(super) fn read_back(scope: &Scope<'_>, id: &SessionId) -> Outcome<Session> {
    sessions::one(scope, id)?.ok_or_else(|| missing(id))
}

pub(super) fn missing(id: &SessionId) -> Fault {
    Fault::Refused(StoreError::NoSession { id: id.clone() })
}

/// Inserts a session, all but its pull requests, shown where it belongs (P2).
pub(super) fn insert(
    scope: &Scope<'_>,
    session: &SeededSession,
    totals: &mut Totals,
) -> Outcome<i64> {
    let condition = &session.condition;
    let member = Member {
        id: session.id.clone(),
        parent: session.parent.clone(),
        section: shown::section(scope, &session.placement)?,
        pinned_at: session.pinned_at.map(|at| at.0),
        zone: condition.zone() as i64,
        sorted_at: condition.sorted_at.0,
    };
    let (root, head) = relate(scope, &member, &session.placement)?;
    let text = |text: &str| Value::from(text.to_owned());
    let mut values = vec![
        text(scope.workspace),
        text(session.id.as_str()),
        text(session.kind.as_str()),
        Value::from(session.parent.as_ref().map(ToString::to_string)),
        text(root.as_str()),
        text(&session.launch.agent),
        text(&session.title),
        Value::from(PLACEMENT_VERSION),
        Value::from(member.section),
        Value::from(member.pinned_at),
        text(session.folder_kind.as_str()),
        text(path_text(&session.folder)?),
        Value::from(session.branch.clone()),
        Value::from(session.dirty),
        Value::from(session.created_at.0),
        Value::from(session.created_at.0),
        text(head.id.as_str()),
        Value::from(head.zone),
        Value::from(head.sort),
        Value::from(head.pin),
    ];
    values.extend(condition::values(condition)?);
    let rid = scope.conn.prepare_cached(&INSERT)?.insert(params_from_iter(values))?;
    scope
        .conn
        .prepare_cached("INSERT INTO details (rid, launch, prompt) VALUES (?1, ?2, ?3)")?
        .execute(params![rid, to_json(&session.launch)?, session.prompt])?;
    index::add_session(scope, rid)?;
    totals.add(member.section, head.pin.is_some(), 1);
    Ok(rid)
}

static INSERT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO sessions (workspace, id, kind, parent, root, agent, title, placement, section,
           pinned_at, folder_kind, folder, branch, dirty, created_at, updated_at,
           head, head_zone, head_sort, head_pin, {})
         VALUES ({})",
        condition::COLUMNS.join(", "),
        vec!["?"; 20 + condition::COLUMNS.len()].join(", "),
    )
});

/// The root of a new session and how it is shown; its parent must be there (C9).
fn relate(
    scope: &Scope<'_>,
    member: &Member,
    placement: &Placement,
) -> Outcome<(SessionId, shown::Head)> {
    let Some(parent) = &member.parent else {
        return Ok((member.id.clone(), shown::head_of(member, placement, None)));
    };
    let above = shown::member(scope, parent)?;
    let Some((above, head)) = above.filter(|_| *parent != member.id) else {
        let (id, parent) = (member.id.clone(), parent.clone());
        return Err(StoreError::NoParent { id, parent }.into());
    };
    let root: String = scope
        .conn
        .prepare_cached("SELECT root FROM sessions WHERE workspace = ?1 AND id = ?2")?
        .query_row([scope.workspace, parent.as_str()], |row| row.get(0))?;
    let root = SessionId::new(root).unwrap_or_else(|_| parent.clone());
    let above = shown::placement(scope, above.section)?;
    Ok((root, shown::head_of(member, placement, Some((&head, &above)))))
}

pub(super) fn set_worktree(scope: &Scope<'_>, id: &SessionId, worktree: &Worktree) -> Outcome<()> {
    let row = condition::find_present(scope, id)?;
    // An empty field never overwrites a stored value (S5).
    scope
        .conn
        .prepare_cached("UPDATE sessions SET folder = ?2, updated_at = ?3 WHERE rid = ?1")?
        .execute(params![row.rid, path_text(&worktree.path)?, scope.now.0])?;
    let another = scope
        .conn
        .prepare_cached(
            "UPDATE sessions SET branch = ?2 WHERE rid = ?1 AND ?2 <> '' AND branch IS NOT ?2",
        )?
        .execute(params![row.rid, worktree.branch])?;
    if another > 0 {
        index::change_session(scope, row.rid)?;
    }
    scope
        .conn
        .prepare_cached("UPDATE details SET base = iif(?2 = '', base, ?2) WHERE rid = ?1")?
        .execute(params![row.rid, worktree.base])?;
    Ok(())
}

fn rollback(scope: &Scope<'_>, id: &SessionId) -> Outcome<()> {
    let Some(row) = condition::find(scope, id)? else {
        return Ok(());
    };
    if row.deleted || row.condition.lifecycle.published > 0 {
        return Err(StoreError::Published { id: id.clone() }.into());
    }
    if let Some((member, head)) = shown::member(scope, id)? {
        let mut totals = Totals::default();
        totals.add(member.section, head.pin.is_some(), -1);
        totals.apply(scope)?;
    }
    index::remove_sessions(scope, &id_list([id]))?;
    scope.conn.prepare_cached("DELETE FROM sessions WHERE rid = ?1")?.execute([row.rid])?;
    Ok(())
}

pub(super) fn set_error(scope: &Scope<'_>, rid: i64, error: Option<&str>) -> Outcome<()> {
    scope
        .conn
        .prepare_cached("UPDATE details SET error = ?2 WHERE rid = ?1")?
        .execute(params![rid, error])?;
    Ok(())
}
