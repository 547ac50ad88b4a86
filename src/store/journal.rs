//! Operations: what coordinators are about to do, written before they do it (`spec/lifecycle.md`
//! V1).

use rusqlite::{ToSql, params};

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, StepResult};

use super::columns::{Columns, id_list, to_json_or_none};
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError};

/// Ended operations kept in a workspace.
const ENDED: i64 = 2_000;

impl Store {
    /// Writes an operation before it acts; the same one again replaces it. On the disk when this
    /// returns.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn begin(&self, operation: &Operation) -> Result<(), StoreError> {
        let operation = operation.clone();
        let attempt = format!("begin operation {}", operation.id);
        self.write(Durability::Full, attempt, move |scope| put(scope, &operation)).await
    }

    /// Writes the step an operation enters, and results of single sessions so far. On the disk
    /// when this returns.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn step(
        &self,
        id: &OperationId,
        step: &str,
        results: &[StepResult],
    ) -> Result<(), StoreError> {
        let (id, step, results) = (id.clone(), step.to_owned(), results.to_vec());
        self.write(Durability::Full, format!("enter {step:?} of operation {id}"), move |scope| {
            scope
                .conn
                .prepare_cached("UPDATE operations SET step = ?3 WHERE workspace = ?1 AND id = ?2")?
                .execute([scope.workspace, id.as_str(), &step])?;
            put_results(scope, &id, &results)
        })
        .await
    }

    /// Writes how an operation ended. On the disk when this returns.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn finish(&self, operation: &Operation) -> Result<(), StoreError> {
        let operation = operation.clone();
        let attempt = format!("finish operation {}", operation.id);
        self.write(Durability::Full, attempt, move |scope| {
            put(scope, &operation)?;
            forget_old(scope)
        })
        .await
    }

    /// Operations that are not finished, oldest first: running ones, and stuck ones that wait for
    /// the operator's choice.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn unfinished(&self) -> Result<Vec<Operation>, StoreError> {
        self.read("read unfinished operations", |scope| {
            let open = "state IN ('running', 'stuck') ORDER BY started_at, id";
            list(scope, open, params![scope.workspace, i64::MAX])
        })
        .await
    }

    /// One operation.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn operation(&self, id: &OperationId) -> Result<Option<Operation>, StoreError> {
        let id = id.clone();
        self.read("read an operation", move |scope| {
            Ok(list(scope, "id = ?3", params![scope.workspace, 1, id.as_str()])?.pop())
        })
        .await
    }

    /// Operations, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn operations(&self, limit: usize) -> Result<Vec<Operation>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read("read operations", move |scope| {
            let all = "1 ORDER BY started_at DESC, id DESC";
            list(scope, all, params![scope.workspace, limit])
        })
        .await
    }
}

fn put(scope: &Scope<'_>, operation: &Operation) -> Outcome<()> {
    scope
        .conn
        .prepare_cached(
            "INSERT INTO operations
               (workspace, id, verb, state, step, started_at, ended_at, sessions, error, asked)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT DO UPDATE SET verb = excluded.verb, state = excluded.state,
               step = excluded.step, started_at = excluded.started_at,
               ended_at = excluded.ended_at, sessions = excluded.sessions, error = excluded.error,
               asked = excluded.asked",
        )?
        .execute(params![
            scope.workspace,
            operation.id.as_str(),
            operation.kind.as_str(),
            operation.state.as_str(),
            operation.step,
            operation.started_at.0,
            operation.ended_at.map(|at| at.0),
            id_list(&operation.session_ids),
            operation.error,
            to_json_or_none(operation.asked.as_ref())?,
        ])?;
    put_results(scope, &operation.id, &operation.results)
}

fn put_results(scope: &Scope<'_>, id: &OperationId, results: &[StepResult]) -> Outcome<()> {
    let mut statement = scope.conn.prepare_cached(
        "INSERT INTO operation_results (workspace, operation, session, state, detail)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET state = excluded.state, detail = excluded.detail",
    )?;
    for result in results {
        statement.execute(params![
            scope.workspace,
            id.as_str(),
            result.id.as_str(),
            result.state,
            result.detail
        ])?;
    }
    Ok(())
}

fn forget_old(scope: &Scope<'_>) -> Outcome<()> {
    scope
        .conn
        .prepare_cached(
            "DELETE FROM operations WHERE workspace = ?1 AND state NOT IN ('running', 'stuck')
               AND (started_at, id) <= (SELECT started_at, id FROM operations
                 WHERE workspace = ?1 ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![scope.workspace, ENDED])?;
    Ok(())
}

/// Operations that `condition` lets through, in the order it names. The first parameters are the
/// workspace and the limit.
fn list(scope: &Scope<'_>, condition: &str, values: &[&dyn ToSql]) -> Outcome<Vec<Operation>> {
    let sql = format!(
        "SELECT id, verb, state, step, started_at, ended_at, sessions, error, asked
         FROM operations WHERE workspace = ?1 AND {condition} LIMIT ?2"
    );
    let mut statement = scope.conn.prepare_cached(&sql)?;
    let rows = statement.query_map(values, |row| {
        let mut columns = Columns::of(row);
        Ok(Operation {
            id: columns.word()?,
            kind: columns.word()?,
            state: columns.word()?,
            step: columns.get()?,
            started_at: columns.time()?,
            ended_at: columns.time_or_none()?,
            session_ids: columns.json::<Vec<SessionId>>()?,
            results: Vec::new(),
            error: columns.get()?,
            asked: columns.json_or_none()?,
        })
    })?;
    let mut operations = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    for operation in &mut operations {
        operation.results = results(scope, &operation.id)?;
    }
    Ok(operations)
}

/// Results of an operation, ascending by session.
fn results(scope: &Scope<'_>, id: &OperationId) -> Outcome<Vec<StepResult>> {
    let mut statement = scope.conn.prepare_cached(
        "SELECT session, state, detail FROM operation_results
         WHERE workspace = ?1 AND operation = ?2 ORDER BY session",
    )?;
    let rows = statement.query_map([scope.workspace, id.as_str()], |row| {
        let mut columns = Columns::of(row);
        Ok(StepResult { id: columns.word()?, state: columns.get()?, detail: columns.get()? })
    })?;
    rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
}
