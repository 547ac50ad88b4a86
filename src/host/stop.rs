//! Stop and kill (`spec/lifecycle.md` K1, K2); cleanup goes the same way.

use std::collections::BTreeSet;
use std::path::Path;

use crate::domain::error::ErrorKind;
use crate::domain::event::{Actor, Event};
use crate::domain::ids::SessionId;
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::operation::{Asked, Operation, OperationState, Verb};
use crate::domain::plan::{Conditions, SkipReason};
use crate::domain::session::{FolderKind, Session};

use super::Host;
use super::caller::Reach;
use super::context::{CLOSE, Context};
use super::error::{HostError, HostResult};
use super::journal::result;
use super::parallel;
use super::ports::{Freed, Ports};
use super::report::{StopReport, StopResult};

/// How many runtimes are ended at once.
const STOPPING: usize = 16;

/// What is done to one session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// End the runtime; the folder stays (K1).
    Stop { done: bool },
    /// End it for this reason, then give back a clean worktree (K2).
    Kill(TerminationReason),
    /// Give back the worktree of one that ended (K4).
    Cleanup,
}

impl Way {
    fn verb(self) -> Verb {
        match self {
            Self::Stop { .. } => Verb::Stop,
            Self::Kill(_) => Verb::Kill,
            Self::Cleanup => Verb::Cleanup,
        }
    }

    /// Why the row ends, where that is not by hand.
    fn reason(self) -> Option<TerminationReason> {
        match self {
            Self::Kill(reason) => {
                Some(reason).filter(|one| *one != TerminationReason::ManuallyKilled)
            }
            Self::Stop { .. } | Self::Cleanup => None,
        }
    }
}

impl<P: Ports> Host<P> {
    /// Ends runtimes; with `done` the work is declared complete (K1). One result for each session;
    /// those that do not satisfy `conditions` when their turn comes are left alone (D5).
    ///
    /// # Errors
    /// Cancelled, or the locks could not be had, and there is only one session.
    pub async fn stop(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        conditions: &Conditions,
        done: bool,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        self.allow(actor, "stop", Reach::Sessions(ids)).await?;
        self.end_all(ctx, ids, conditions, Way::Stop { done }, actor).await
    }

    /// Ends runtimes and gives back their worktrees where they are clean (K2, K3).
    ///
    /// # Errors
    /// As [`Host::stop`]; `IncompleteHandle` as a refusal.
    pub async fn kill(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        conditions: &Conditions,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        self.kill_as(ctx, ids, conditions, TerminationReason::ManuallyKilled, actor).await
    }

    /// The same for another reason.
    pub(super) async fn kill_as(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        conditions: &Conditions,
        reason: TerminationReason,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        self.allow(actor, "kill", Reach::Sessions(ids)).await?;
        self.end_all(ctx, ids, conditions, Way::Kill(reason), actor).await
    }

    pub(super) async fn end_all(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        conditions: &Conditions,
        way: Way,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        let ended = parallel::ordered(STOPPING, distinct(ids), |id| {
            let (host, ctx, actor) = (self.clone(), ctx.clone(), actor.clone());
            let conditions = conditions.clone();
            async move {
                let ended = host.end_one(&ctx, &id, &conditions, way, &actor).await;
                (id, ended)
            }
        });
        let mut results = Vec::new();
        for (id, ended) in ended.await {
            match ended {
                Ok(result) => results.push(result),
                Err(error) if ids.len() == 1 => return Err(error),
                Err(error) => results.push(failed(id, error.to_string(), error.kind())),
            }
        }
        Ok(StopReport { results })
    }

    async fn end_one(
        &self,
        ctx: &Context,
        id: &SessionId,
        conditions: &Conditions,
        way: Way,
        actor: &Actor,
    ) -> HostResult<StopResult> {
        ctx.check(&format!("stopping session {id}"))?;
        let verb = way.verb();
        let asked = Asked {
            by: actor.to_string(),
            conditions: conditions.clone(),
            done: way == Way::Stop { done: true },
            reason: way.reason(),
            ..Asked::default()
        };
        let operation = self.operation(verb, vec![id.clone()]);
        let operation = Operation { asked: Some(asked), ..operation };
        let _own = self.own(&operation).await?;
        let _locks = self.hold(ctx, std::slice::from_ref(id), &operation).await?;
        let session = match self.ports.session(id).await? {
            None => return Ok(failed(id.clone(), "not_found".to_owned(), ErrorKind::NotFound)),
            Some(session) if session.deletion.is_some() => {
                return Ok(failed(id.clone(), "in_trash".to_owned(), ErrorKind::NotFound));
            }
            Some(session) => session,
        };
        if let Some(reason) = self.unsatisfied(id, conditions).await? {
            return Ok(untouched(id.clone(), reason.to_string()));
        }
        let state = session.condition.lifecycle.state;
        let ended = state.is_terminal();
        // That the work is complete can be said of a session that ended, too.
        let declared = way == Way::Stop { done: true } && state != State::Done;
        match way {
            Way::Stop { .. } if ended && !declared => {
                return Ok(untouched(id.clone(), "not running".to_owned()));
            }
            Way::Cleanup if !ended => return Ok(untouched(id.clone(), "running".to_owned())),
            Way::Kill(_) => check_handle(&session)?,
            Way::Stop { .. } | Way::Cleanup => {}
        }
        self.begin(ctx, &operation).await?;
        self.tell(&operation.id, id, "closing");
        let close = ctx.detached(CLOSE);
        let closed = close.step("closing the runtime", self.close_runtime(&close, id)).await;
        let closed = match closed {
            Ok(closed) => closed,
            Err(error) => {
                let (kind, error) = (error.kind(), format!("did_not_end: {error}"));
                let event = self.event(verb.as_str(), id, actor, Some(&operation.id));
                self.record(&[Event { cause: Some(error.clone()), ..event }]).await;
                self.finish(ctx, operation, OperationState::Failed, Some(error.clone())).await;
                return Ok(failed(id.clone(), error, kind));
            }
        };
        if !ended || declared {
            let reason = (!declared).then_some(operation.reason());
            ctx.write("ending the row", self.ports.end(id, reason)).await?;
        }
        let freed = match way {
            Way::Stop { .. } => Ok(kept(None)),
            Way::Kill(_) | Way::Cleanup => self.free(ctx, &operation, &session).await,
        };
        if freed.as_ref().is_ok_and(|freed| freed.freed) {
            // Where that fails the operation is left to recovery, which looks for the folder again.
            self.clear(ctx, id).await?;
        }
        let (freed, trouble) = match freed {
            Ok(freed) => (freed, None),
            Err(error) => (kept(Some(error.to_string())), Some(error.kind())),
        };
        let now = self.ports.session(id).await?.map(|now| now.condition.status.to_string());
        self.record(&[Event {
            from: Some(session.condition.status.to_string()),
            to: now,
            cause: freed.reason.clone(),
            ..self.event(verb.as_str(), id, actor, Some(&operation.id))
        }])
        .await;
        let word = match (trouble, freed.freed, way) {
            (Some(_), ..) => "failed",
            (None, true, _) => "freed",
            (None, false, Way::Cleanup) => "skipped",
            (None, false, _) => "stopped",
        };
        let results = vec![result(id, word, freed.reason.clone())];
        let operation = Operation { results, ..operation };
        self.finish(ctx, operation, OperationState::Done, None).await;
        Ok(StopResult {
            id: id.clone(),
            stopped: closed.was_running || !ended,
            freed: freed.freed,
            reason: freed.reason,
            escalated: closed.escalated,
            trouble,
        })
    }

    /// Why a session does not satisfy the conditions now (D5).
    async fn unsatisfied(
        &self,
        id: &SessionId,
        conditions: &Conditions,
    ) -> HostResult<Option<SkipReason>> {
        if conditions.is_empty() {
            return Ok(None);
        }
        let found = self.ports.plan_rows(&BTreeSet::from([id.clone()])).await?;
        let row = found.rows.iter().find(|row| row.id == *id);
        Ok(row.and_then(|row| conditions.refuse(row, self.ports.now())))
    }
}

fn kept(reason: Option<String>) -> Freed {
    Freed { freed: false, reason, only_ignored: false }
}

/// K2: a live row that does not say what to end, or what to give back.
fn check_handle(session: &Session) -> HostResult<()> {
    let live = session.is_live();
    let without_runtime = live && session.runtime.keeper_pid.is_none();
    let without_path = live
        && session.folder_kind == FolderKind::Worktree
        && session.folder.as_path() == Path::new("");
    if without_runtime || without_path {
        return Err(HostError::IncompleteHandle(session.id.clone()));
    }
    Ok(())
}

fn untouched(id: SessionId, reason: String) -> StopResult {
    StopResult {
        id,
        stopped: false,
        freed: false,
        reason: Some(reason),
        escalated: false,
        trouble: None,
    }
}

fn failed(id: SessionId, reason: String, kind: ErrorKind) -> StopResult {
    StopResult { trouble: Some(kind), ..untouched(id, reason) }
}

/// Each id once, ascending.
pub(super) fn distinct(ids: &[SessionId]) -> Vec<SessionId> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}
