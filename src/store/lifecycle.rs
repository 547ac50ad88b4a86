//! What happens to sessions after their create: prompts, probes, ends, pins, names.

use rusqlite::{OptionalExtension, params};

use crate::domain::condition::Condition;
use crate::domain::ids::SessionId;
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::pr::PrFacts;
use crate::domain::probe::Evidence;
use crate::domain::time::Timestamp;

use super::columns::Columns;
use super::condition::Loaded;
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError, condition, facts, index, messages, shown};

impl Store {
    /// A prompt was delivered, from `began` on: message row, new turn (S1).
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn prompted(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
        began: Timestamp,
    ) -> Result<(), StoreError> {
        let (id, text, source) = (id.clone(), text.to_owned(), source.to_owned());
        self.write(Durability::Normal, format!("record a prompt of {id}"), move |scope| {
            let row = condition::find_present(scope, &id)?;
            let next = row.condition.clone().prompted(&row.prs, began, scope.now);
            condition::save(scope, &row, &next, "prompt")?;
            messages::append(scope, row.rid, &text, &source)
        })
        .await
    }

    /// Ends the session: done where no reason is given. A terminal or deleted row stays as it is,
    /// except that an end which was only observed gives way to the stop that caused it.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn end(
        &self,
        id: &SessionId,
        reason: Option<TerminationReason>,
    ) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, format!("end session {id}"), move |scope| {
            end(scope, &id, reason)
        })
        .await
    }

    /// Applies probe results (A4, A5), each of a launch, in one transaction; answers the sessions
    /// that changed. Results of older launches and of deleted sessions are dropped.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn probed(
        &self,
        results: &[(SessionId, u32, Evidence)],
    ) -> Result<Vec<SessionId>, StoreError> {
        let results = results.to_vec();
        self.write(Durability::Normal, "record probes".to_owned(), move |scope| {
            probed(scope, &results)
        })
        .await
    }

    /// Settles sessions whose timed rules are due (T4), and takes in facts that an older keeper
    /// could only store. Writes nothing where nothing is due.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn settle_due(&self) -> Result<(), StoreError> {
        let idle = self
            .read("look for sessions that are due", |scope| {
                if condition::newer_rules(scope.conn)? {
                    return Ok(true);
                }
                let pending: bool =
                    scope.conn.prepare_cached(PENDING)?.query_row([], |row| row.get(0))?;
                Ok(due(scope)?.is_empty() && !pending)
            })
            .await?;
        if idle {
            return Ok(());
        }
        self.write(Durability::Normal, "settle sessions that are due".to_owned(), settle_due).await
    }

    /// Sets or takes off pins; answers the ids that exist, in the order given. What is pinned
    /// already stays where it is.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn pin(&self, ids: &[SessionId], pinned: bool) -> Result<Vec<SessionId>, StoreError> {
        let ids = ids.to_vec();
        self.write(Durability::Normal, "change pins".to_owned(), move |scope| {
            pin(scope, &ids, pinned)
        })
        .await
    }

    /// Renames; moves nothing (P2). Answers whether there is such a session outside the trash.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn rename(&self, id: &SessionId, title: &str) -> Result<bool, StoreError> {
        let (id, title) = (id.clone(), title.to_owned());
        self.write(Durability::Normal, format!("rename session {id}"), move |scope| {
            let changed: Option<i64> = scope
                .conn
                .prepare_cached(
                    "UPDATE sessions SET title = ?3, updated_at = ?4
                     WHERE workspace = ?1 AND id = ?2 AND deleted_at IS NULL RETURNING rid",
                )?
                .query_row(params![scope.workspace, id.as_str(), title, scope.now.0], |row| {
                    row.get(0)
                })
                .optional()?;
            changed.map(|rid| index::change_session(scope, rid)).transpose()?;
            Ok(changed.is_some())
        })
        .await
    }

    /// The operator looked at them (T4). Unknown and deleted ones are passed over.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn seen(&self, ids: &[SessionId]) -> Result<(), StoreError> {
        let ids = ids.to_vec();
        self.write(Durability::Normal, "mark sessions as seen".to_owned(), move |scope| {
            for id in &ids {
                change(scope, id, "seen", |condition, prs| condition.seen(prs, scope.now))?;
            }
            Ok(())
        })
        .await
    }

    /// Replaces what is known of a session's pull requests (T2), and derives its status again.
    ///
    /// # Errors
    /// There is no such session outside the trash.
    pub async fn set_pr_facts(&self, id: &SessionId, prs: Vec<PrFacts>) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, format!("record pull requests of {id}"), move |scope| {
            let row = condition::find_present(scope, &id)?;
            set_pr_facts(scope, &row, &prs)
        })
        .await
    }

    /// Records how many files in the folders of sessions have uncommitted changes; none where that
    /// is not known. Unknown sessions are passed over.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn set_dirty(&self, counts: &[(SessionId, Option<u32>)]) -> Result<(), StoreError> {
        let counts = counts.to_vec();
        self.write(Durability::Normal, "record uncommitted files".to_owned(), move |scope| {
            let mut statement = scope.conn.prepare_cached(
                "UPDATE sessions SET dirty = ?3
                 WHERE workspace = ?1 AND id = ?2 AND dirty IS NOT ?3",
            )?;
            for (id, dirty) in &counts {
                statement.execute(params![scope.workspace, id.as_str(), dirty])?;
            }
            Ok(())
        })
        .await
    }
}

/// Applies a rule to a session outside the trash; answers whether that changed it.
fn change(
    scope: &Scope<'_>,
    id: &SessionId,
    cause: &str,
    rule: impl FnOnce(Condition, &[PrFacts]) -> Condition,
) -> Outcome<bool> {
    match condition::find(scope, id)? {
        Some(row) if !row.deleted => {
            let next = rule(row.condition.clone(), &row.prs);
            condition::save(scope, &row, &next, cause)
        }
        _ => Ok(false),
    }
}

fn end(scope: &Scope<'_>, id: &SessionId, reason: Option<TerminationReason>) -> Outcome<()> {
    let Some(row) = condition::find(scope, id)? else {
        return Err(StoreError::NoSession { id: id.clone() }.into());
    };
    // A stopped agent's keeper, or a probe meanwhile, may have told of the end first; the reason is
    // the coordinator's. That the work is done can be said of every session that ended.
    let lifecycle = &row.condition.lifecycle;
    let gives_way = match lifecycle.reason {
        Some(TerminationReason::AgentProcessExited | TerminationReason::RuntimeLost) => true,
        _ => reason.is_none() && lifecycle.state != State::Done,
    };
    if row.deleted || (lifecycle.state.is_terminal() && !gives_way) {
        return Ok(());
    }
    let now = row.condition.clone();
    let next = match reason {
        Some(reason) => now.terminated(reason, &row.prs, scope.now),
        None => now.done(&row.prs, scope.now),
    };
    condition::save(scope, &row, &next, reason.map_or("done", TerminationReason::as_str))?;
    Ok(())
}

fn probed(scope: &Scope<'_>, results: &[(SessionId, u32, Evidence)]) -> Outcome<Vec<SessionId>> {
    let mut changed = Vec::new();
    for (id, generation, evidence) in results {
        let applied = change(scope, id, "probe", |condition, prs| {
            if condition.lifecycle.generation == *generation {
                condition.probed(evidence, prs, scope.now)
            } else {
                condition
            }
        })?;
        if applied {
            changed.push(id.clone());
        }
    }
    Ok(changed)
}

/// Whether facts of published sessions wait to be folded.
pub(super) const PENDING: &str =
    "SELECT EXISTS (SELECT 1 FROM facts f CROSS JOIN sessions s ON s.rid = f.rid
     WHERE f.folded = 0 AND s.published = f.generation AND s.deleted_at IS NULL)";

/// Sessions whose timed rules are due at `?2`.
pub(super) const DUE: &str =
    "SELECT id FROM sessions WHERE workspace = ?1 AND deleted_at IS NULL AND due_at <= ?2";

fn due(scope: &Scope<'_>) -> Outcome<Vec<SessionId>> {
    let mut statement = scope.conn.prepare_cached(DUE)?;
    let ids = statement
        .query_map(params![scope.workspace, scope.now.0], |row| Columns::of(row).word())?;
    ids.collect::<rusqlite::Result<_>>().map_err(Into::into)
}

fn settle_due(scope: &Scope<'_>) -> Outcome<()> {
    for id in due(scope)? {
        change(scope, &id, "time", |condition, prs| condition.settle(prs, scope.now))?;
    }
    facts::fold_pending(scope.conn, scope.now)
}

fn pin(scope: &Scope<'_>, ids: &[SessionId], pinned: bool) -> Outcome<Vec<SessionId>> {
    let mut statement = scope.conn.prepare_cached(
        "UPDATE sessions SET pinned_at = ?3, updated_at = ?4
         WHERE workspace = ?1 AND id = ?2 AND (pinned_at IS NULL) = (?3 IS NOT NULL)",
    )?;
    let mut found = Vec::new();
    let mut moved = Vec::new();
    for id in ids {
        if shown::member(scope, id)?.is_none() {
            continue;
        }
        found.push(id.clone());
        let at = pinned.then_some(scope.now.0);
        if statement.execute(params![scope.workspace, id.as_str(), at, scope.now.0])? > 0 {
            moved.push(id.clone());
        }
    }
    shown::reshow(scope, &moved)?;
    Ok(found)
}

fn set_pr_facts(scope: &Scope<'_>, row: &Loaded, prs: &[PrFacts]) -> Outcome<()> {
    scope.conn.prepare_cached("DELETE FROM pr_facts WHERE rid = ?1")?.execute([row.rid])?;
    put_prs(scope, row.rid, prs)?;
    let next = row.condition.clone().settle(prs, scope.now);
    condition::save(scope, row, &next, "pull request")?;
    Ok(())
}

/// Writes the pull requests of a session that has none yet.
pub(super) fn put_prs(scope: &Scope<'_>, rid: i64, prs: &[PrFacts]) -> Outcome<()> {
    let mut statement = scope.conn.prepare_cached(
        "INSERT OR REPLACE INTO pr_facts (rid, url, number, state, draft, ci, review, mergeability,
           unresolved, stale, read_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for pr in prs {
        statement.execute(params![
            rid,
            pr.url,
            pr.number.cast_signed(),
            pr.state.as_str(),
            pr.draft,
            pr.ci.as_str(),
            pr.review.as_str(),
            pr.mergeability.as_str(),
            pr.unresolved,
            pr.stale,
            pr.read_at.0,
        ])?;
    }
    scope
        .conn
        .prepare_cached(
            "UPDATE sessions SET prs = (SELECT count(*) FROM pr_facts WHERE rid = ?1)
             WHERE rid = ?1",
        )?
        .execute([rid])?;
    Ok(())
}
