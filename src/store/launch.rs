//! What a launch writes: its handle, and its commit point (`spec/lifecycle.md` C4, C8, B2).

use rusqlite::{OptionalExtension, params};

use crate::domain::ids::SessionId;
use crate::domain::launch::Initialised;
use crate::domain::session::Session;
use crate::domain::worktree::Worktree;

use super::connection::Durability;
use super::create::{missing, read_back, set_error, set_worktree};
use super::error::Outcome;
use super::{Scope, Store, StoreError, condition, facts};

impl Store {
    /// Writes handle and generation of a launch; alive, not started.
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn initialise(
        &self,
        id: &SessionId,
        initialised: &Initialised,
    ) -> Result<(), StoreError> {
        let (id, initialised) = (id.clone(), initialised.clone());
        self.write(Durability::Normal, format!("initialise session {id}"), move |scope| {
            initialise(scope, &id, &initialised)
        })
        .await
    }

    /// The number of a session's next launch: above its newest one and above any that only left
    /// facts, so that nothing of a failed launch is taken for the next one's (C8).
    ///
    /// # Errors
    /// There is no such session, or the database cannot be read.
    pub async fn next_generation(&self, id: &SessionId) -> Result<u32, StoreError> {
        let id = id.clone();
        self.read(format!("number the next launch of {id}"), move |scope| {
            let last: Option<u32> = scope
                .conn
                .prepare_cached(
                    "SELECT max(s.generation, coalesce(f.generation, 0))
                     FROM sessions s LEFT JOIN facts f ON f.rid = s.rid
                     WHERE s.workspace = ?1 AND s.id = ?2",
                )?
                .query_row([scope.workspace, id.as_str()], |row| row.get(0))
                .optional()?;
            last.map(|last| last + 1).ok_or_else(|| missing(&id))
        })
        .await
    }

    /// Writes a launch and publishes it in one transaction, with the worktree that was made for it;
    /// the error of an earlier operation is gone (B2, C4).
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn publish_launch(
        &self,
        id: &SessionId,
        launch: &Initialised,
        worktree: Option<&Worktree>,
    ) -> Result<Session, StoreError> {
        let (id, launch, worktree) = (id.clone(), launch.clone(), worktree.cloned());
        self.write(Durability::Full, format!("publish a launch of {id}"), move |scope| {
            if let Some(worktree) = &worktree {
                set_worktree(scope, &id, worktree)?;
            }
            initialise(scope, &id, &launch)?;
            let row = condition::find_present(scope, &id)?;
            set_error(scope, row.rid, None)?;
            publish(scope, &id, launch.generation)
        })
        .await
    }

    /// Sets the published generation and folds the facts stored so far: the commit point (C4).
    ///
    /// # Errors
    /// There is no such session outside the trash, or the launch is not its newest.
    pub async fn publish(&self, id: &SessionId, generation: u32) -> Result<Session, StoreError> {
        let id = id.clone();
        self.write(Durability::Full, format!("publish session {id}"), move |scope| {
            publish(scope, &id, generation)
        })
        .await
    }
}

fn initialise(scope: &Scope<'_>, id: &SessionId, launch: &Initialised) -> Outcome<()> {
    let row = condition::find_present(scope, id)?;
    let next = row.condition.clone().launched(launch.generation, scope.now);
    let next = next.settle(&row.prs, scope.now);
    condition::save(scope, &row, &next, &format!("launch {}", launch.generation))?;
    // An empty field never overwrites a stored value (S5).
    scope
        .conn
        .prepare_cached(
            "UPDATE details SET keeper_pid = ?2, pid = ?3, started_at = ?4, token_hash = ?5,
               launch = iif(?6 IS NULL, launch, json_set(launch, '$.agent_session_id', ?6))
             WHERE rid = ?1",
        )?
        .execute(params![
            row.rid,
            launch.keeper_pid,
            launch.pid,
            launch.started_at.0,
            launch.token_hash,
            launch.agent_session_id,
        ])?;
    Ok(())
}

fn publish(scope: &Scope<'_>, id: &SessionId, generation: u32) -> Outcome<Session> {
    let row = condition::find_present(scope, id)?;
    let found = row.condition.lifecycle.generation;
    if found != generation {
        let (id, wanted) = (id.clone(), generation);
        return Err(StoreError::OtherGeneration { id, wanted, found }.into());
    }
    let next = row.condition.clone().published(generation, &row.prs, scope.now);
    condition::save(scope, &row, &next, "published")?;
    facts::fold_stored(scope, id)?;
    read_back(scope, id)
}
