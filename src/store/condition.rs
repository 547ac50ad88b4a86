//! The one way by which a session's condition changes: load, apply a rule of the domain, save with
//! everything that is cached from it (`spec/store.md` W5).

use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::domain::activity::ActivityFact;
use crate::domain::condition::Condition;
use crate::domain::event::Actor;
use crate::domain::facts::Facts;
use crate::domain::ids::SessionId;
use crate::domain::lifecycle::Lifecycle;
use crate::domain::pr::PrFacts;
use crate::domain::time::Timestamp;

use super::columns::{Columns, to_json_or_none};
use super::connection::{self, Durability};
use super::error::{Outcome, StoreError};
use super::{Scope, Seat, audit, facts, migrate};

/// Version of the rules that derive the cached columns. Raise it with every change of them: a newer
/// binary derives again, an older one then leaves the columns alone.
pub(super) const DERIVATION: i64 = 1;

/// The columns of a condition, in the order of [`read`] and [`values`].
pub(super) const COLUMNS: [&str; 20] = [
    "state",
    "reason",
    "alive",
    "generation",
    "published",
    "detecting",
    "activity",
    "activity_since",
    "witness",
    "question",
    "turn",
    "sorted_at",
    "last_activity_at",
    "finished_at",
    "seen_at",
    "status",
    "status_since",
    "zone",
    "attention",
    "due_at",
];

/// [`COLUMNS`] of a session `s`, for a SELECT.
pub(super) static SELECTED: LazyLock<String> =
    LazyLock::new(|| COLUMNS.map(|column| format!("s.{column}")).join(", "));

static FIND: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT s.rid, s.id, s.deleted_at IS NOT NULL, s.head = s.id, s.prs, {}
         FROM sessions s WHERE s.workspace = ?1 AND s.id = ?2",
        *SELECTED
    )
});

static SAVE: LazyLock<String> = LazyLock::new(|| {
    let set = COLUMNS.map(|column| format!("{column} = ?, ")).concat();
    format!("UPDATE sessions SET {set} updated_at = ? WHERE rid = ?")
});

/// What the rules need to know of a session.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub(super) rid: i64,
    pub(super) id: SessionId,
    pub(super) deleted: bool,
    pub(super) condition: Condition,
    pub(super) prs: Vec<PrFacts>,
    /// It heads the rows under which it is shown.
    heads: bool,
}

/// Takes [`COLUMNS`]. The zone is not read: it follows from the status.
pub(super) fn read(columns: &mut Columns<'_, '_>) -> rusqlite::Result<Condition> {
    let lifecycle = Lifecycle {
        state: columns.word()?,
        reason: columns.word_or_none()?,
        alive: columns.get()?,
        generation: columns.get()?,
        published: columns.get()?,
        detecting: columns.json_or_none()?,
    };
    let activity =
        ActivityFact { value: columns.word()?, since: columns.time()?, witness: columns.get()? };
    Ok(Condition {
        lifecycle,
        activity,
        question: columns.json_or_none()?,
        turn: columns.get()?,
        sorted_at: columns.time()?,
        last_activity_at: columns.time_or_none()?,
        finished_at: columns.time_or_none()?,
        seen_at: columns.time_or_none()?,
        status: columns.word()?,
        status_since: {
            let since = columns.time()?;
            columns.skip();
            since
        },
        attention: columns.word_or_none()?,
        due_at: columns.time_or_none()?,
    })
}

/// Loads a session, in the trash or not.
pub(super) fn find(scope: &Scope<'_>, id: &SessionId) -> Outcome<Option<Loaded>> {
    let mut statement = scope.conn.prepare_cached(&FIND)?;
    let found = statement
        .query_row(params![scope.workspace, id.as_str()], |row| {
            let mut columns = Columns::of(row);
            let (rid, id, deleted, heads) =
                (columns.get()?, columns.word()?, columns.get()?, columns.get()?);
            let prs: u32 = columns.get()?;
            let condition = read(&mut columns)?;
            Ok((Loaded { rid, id, deleted, condition, prs: Vec::new(), heads }, prs))
        })
        .optional()?;
    let Some((mut loaded, prs)) = found else {
        return Ok(None);
    };
    if prs > 0 {
        loaded.prs = pr_facts(scope.conn, loaded.rid)?;
    }
    Ok(Some(loaded))
}

/// Loads a session that must exist and not be in the trash.
pub(super) fn find_present(scope: &Scope<'_>, id: &SessionId) -> Outcome<Loaded> {
    match find(scope, id)? {
        None => Err(StoreError::NoSession { id: id.clone() }.into()),
        Some(loaded) if loaded.deleted => Err(StoreError::InTrash { id: id.clone() }.into()),
        Some(loaded) => Ok(loaded),
    }
}

/// Pull requests of a session.
pub(super) fn pr_facts(conn: &Connection, rid: i64) -> rusqlite::Result<Vec<PrFacts>> {
    let mut statement = conn.prepare_cached(
        "SELECT url, number, state, draft, ci, review, mergeability, unresolved, stale, read_at
         FROM pr_facts WHERE rid = ?1 ORDER BY number, url",
    )?;
    let rows = statement.query_map([rid], |row| {
        let mut columns = Columns::of(row);
        Ok(PrFacts {
            url: columns.get()?,
            number: columns.get::<i64>()?.unsigned_abs(),
            state: columns.word()?,
            draft: columns.get()?,
            ci: columns.word()?,
            review: columns.word()?,
            mergeability: columns.word()?,
            unresolved: columns.get()?,
            stale: columns.get()?,
            read_at: columns.time()?,
        })
    })?;
    rows.collect()
}

/// A condition as the values of [`COLUMNS`].
pub(super) fn values(condition: &Condition) -> Outcome<Vec<Value>> {
    let word = |word: &'static str| Value::from(word.to_owned());
    let time = |at: Option<Timestamp>| Value::from(at.map(|at| at.0));
    let lifecycle = &condition.lifecycle;
    let activity = &condition.activity;
    Ok(vec![
        word(lifecycle.state.as_str()),
        Value::from(lifecycle.reason.map(|reason| reason.to_string())),
        Value::from(lifecycle.alive),
        Value::from(lifecycle.generation),
        Value::from(lifecycle.published),
        Value::from(to_json_or_none(lifecycle.detecting.as_ref())?),
        word(activity.value.as_str()),
        Value::from(activity.since.0),
        Value::from(activity.witness.clone()),
        Value::from(to_json_or_none(condition.question.as_ref())?),
        Value::from(condition.turn),
        Value::from(condition.sorted_at.0),
        time(condition.last_activity_at),
        time(condition.finished_at),
        time(condition.seen_at),
        word(condition.status.as_str()),
        Value::from(condition.status_since.0),
        Value::from(condition.zone() as i64),
        Value::from(condition.attention.map(|reason| reason.to_string())),
        time(condition.due_at),
    ])
}

/// Saves what became of a session, with the caches of those shown under it; a changed status is
/// audited. Answers whether anything changed.
pub(super) fn save(
    scope: &Scope<'_>,
    loaded: &Loaded,
    next: &Condition,
    cause: &str,
) -> Outcome<bool> {
    let before = &loaded.condition;
    if before == next {
        return Ok(false);
    }
    let mut parameters = values(next)?;
    parameters.extend([Value::from(scope.now.0), Value::from(loaded.rid)]);
    scope.conn.prepare_cached(&SAVE)?.execute(params_from_iter(parameters))?;
    if loaded.heads && (before.sorted_at, before.zone()) != (next.sorted_at, next.zone()) {
        sort_below(scope, loaded, next)?;
    }
    if before.status != next.status {
        audit::status(scope, loaded, next, cause)?;
    }
    Ok(true)
}

/// Sort columns of everything shown under the head `?2`.
pub(super) const BELOW: &str = "UPDATE sessions SET head_zone = ?3, head_sort = ?4
     WHERE workspace = ?1 AND head = ?2 AND head <> id";

/// Gives everything shown under a head the sort columns that follow from it (P2).
fn sort_below(scope: &Scope<'_>, head: &Loaded, next: &Condition) -> Outcome<()> {
    let (zone, sort) = (next.zone() as i64, -next.sorted_at.0);
    scope
        .conn
        .prepare_cached("UPDATE sessions SET head_zone = ?2, head_sort = ?3 WHERE rid = ?1")?
        .execute(params![head.rid, zone, sort])?;
    scope.conn.prepare_cached(BELOW)?.execute(params![
        scope.workspace,
        head.id.as_str(),
        zone,
        sort
    ])?;
    Ok(())
}

/// Folds facts into a session, where they count (S5, C4, D13).
pub(super) fn fold(scope: &Scope<'_>, loaded: &Loaded, facts: &Facts) -> Outcome<()> {
    let next = loaded.condition.fold(facts, &loaded.prs, scope.now);
    if let Some(next) = next.filter(|_| !loaded.deleted) {
        save(scope, loaded, &next, &facts.activity.witness)?;
    }
    Ok(())
}

/// The version of the rules that derived the database's cached columns.
fn derivation(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT value FROM meta WHERE name = 'derivation'")?
        .query_row([], |row| row.get(0))
}

/// Whether rules newer than ours derived the cached columns: theirs is the say then (W5).
pub(super) fn newer_rules(conn: &Connection) -> rusqlite::Result<bool> {
    Ok(migrate::version(conn)? > migrate::LATEST || derivation(conn)? > DERIVATION)
}

/// Derives the cached columns of every session again where older rules derived them (W5).
pub(super) fn rederive(connection: &mut Connection, seat: &Seat) -> Result<(), StoreError> {
    let path = &seat.database;
    let failed = |fault: super::Fault| fault.during("derive the status of every session", path);
    if derivation(connection).map_err(|error| failed(error.into()))? >= DERIVATION {
        return Ok(());
    }
    let workspaces = |conn: &Connection| -> rusqlite::Result<Vec<(String, SessionId)>> {
        conn.prepare("SELECT workspace, id FROM sessions")?
            .query_map([], |row| {
                let mut columns = Columns::of(row);
                Ok((columns.get()?, columns.word()?))
            })?
            .collect()
    };
    connection::write(connection, path, Durability::Normal, |conn| {
        // Another process may have done it meanwhile, or be newer.
        if derivation(conn)? >= DERIVATION {
            return Ok(());
        }
        for (workspace, id) in workspaces(conn)? {
            let scope = Scope { conn, workspace: &workspace, now: seat.clock.now() };
            if let Some(loaded) = find(&scope, &id)? {
                let next = loaded.condition.clone().settle(&loaded.prs, scope.now);
                save(&scope, &loaded, &next, "derived by newer rules")?;
            }
        }
        facts::fold_pending(conn, seat.clock.now())?;
        conn.execute("UPDATE meta SET value = ?1 WHERE name = 'derivation'", [DERIVATION])?;
        Ok(())
    })
    .map_err(failed)
}

/// The actor of changes that follow from observations.
pub(super) fn observer() -> String {
    Actor::Callboard.to_string()
}
