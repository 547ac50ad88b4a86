//! Stop and kill (`spec/lifecycle.md` K1 to K3).

use std::path::Path;

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{OperationState, Verb};
use crate::domain::session::{FolderKind, Session};

use super::Host;
use super::context::{CLEAN_UP, CLOSE, Context};
use super::error::{HostError, HostResult};
use super::parallel;
use super::ports::{Freed, Ports, Worktree};
use super::report::{StopReport, StopResult};

/// How many runtimes are ended at once.
const STOPPING: usize = 16;

/// What is done to one session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// End the runtime; the folder stays (K1).
    Stop { done: bool },
    /// End it, then give back a clean worktree (K2).
    Kill,
}

impl<P: Ports> Host<P> {
    /// Ends runtimes; with `done` the work is declared complete (K1). One result for each session.
    ///
    /// # Errors
    /// Cancelled, or the locks could not be had, and there is only one session.
    pub async fn stop(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        done: bool,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        self.end_all(ctx, ids, Way::Stop { done }, actor).await
    }

    /// Ends runtimes and gives back their worktrees where they are clean (K2, K3).
    ///
    /// # Errors
    /// As [`Host::stop`]; `IncompleteHandle` as a refusal.
    pub async fn kill(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        actor: &Actor,
    ) -> HostResult<StopReport> {
        self.end_all(ctx, ids, Way::Kill, actor).await
    }

    async fn end_all(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        way: Way,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        let ended = parallel::ordered(STOPPING, distinct(ids), |id| {
            let (host, ctx, actor) = (self.clone(), ctx.clone(), actor.clone());
            async move {
                let ended = host.end_one(&ctx, &id, way, &actor).await;
                (id, ended)
            }
        });
        let mut results = Vec::new();
        for (id, ended) in ended.await {
            match ended {
                Ok(result) => results.push(result),
                Err(error) if ids.len() == 1 => return Err(error),
                Err(error) => results.push(untouched(id, error.to_string())),
            }
        }
        Ok(StopReport { results })
    }

    async fn end_one(
        &self,
        ctx: &Context,
        id: &SessionId,
        way: Way,
        actor: &Actor,
    ) -> HostResult<StopResult> {
        ctx.check(&format!("stopping session {id}"))?;
        let verb = if way == Way::Kill { Verb::Kill } else { Verb::Stop };
        let operation = self.operation(verb, vec![id.clone()]);
        let _own = self.own(&operation).await?;
        let _locks = self.hold(ctx, std::slice::from_ref(id), &operation).await?;
        let session = match self.ports.session(id).await? {
            None => return Ok(untouched(id.clone(), "not_found".to_owned())),
            Some(session) if session.deletion.is_some() => {
                return Ok(untouched(id.clone(), "in_trash".to_owned()));
            }
            Some(session) => session,
        };
        let ended = session.condition.lifecycle.state.is_terminal();
        if ended && way != Way::Kill {
            return Ok(untouched(id.clone(), "not running".to_owned()));
        }
        if way == Way::Kill {
            check_handle(&session)?;
        }
        self.begin(ctx, &operation).await?;
        self.tell(&operation.id, id, "closing");
        let close = ctx.detached(CLOSE);
        let closed = close.step("closing the runtime", self.ports.close(&close, id)).await;
        let closed = match closed {
            Ok(closed) => closed,
            Err(error) => {
                let error = format!("did_not_end: {error}");
                self.finish(ctx, operation, OperationState::Failed, Some(error.clone())).await;
                return Ok(untouched(id.clone(), error));
            }
        };
        if !ended {
            let done = way == Way::Stop { done: true };
            let reason = (!done).then_some(TerminationReason::ManuallyKilled);
            ctx.write("ending the row", self.ports.end(id, reason)).await?;
        }
        let freed = if way == Way::Kill { self.free(ctx, &session).await } else { kept(None) };
        self.audit(verb.as_str(), std::slice::from_ref(id), actor, Some(&operation.id)).await;
        self.finish(ctx, operation, OperationState::Done, None).await;
        Ok(StopResult {
            id: id.clone(),
            stopped: closed.was_running || !ended,
            freed: freed.freed,
            reason: freed.reason,
            escalated: closed.escalated,
        })
    }

    /// Gives back the worktree of an ended session (K3). Its branch stays.
    pub(super) async fn free(&self, ctx: &Context, session: &Session) -> Freed {
        let repository = session.placement.project_path();
        let (Some(path), Some(repository)) = (session.worktree(), repository) else {
            return kept(Some("it has no worktree of its own".to_owned()));
        };
        let worktree = Worktree {
            path: path.to_owned(),
            branch: session.branch.clone().unwrap_or_default(),
            base: session.base.clone().unwrap_or_default(),
            new_branch: false,
        };
        let ctx = ctx.detached(CLEAN_UP);
        let given = self.ports.give_back(&ctx, repository, &worktree);
        let given = ctx.step("giving back the worktree", given).await;
        given.unwrap_or_else(|error| kept(Some(error.to_string())))
    }
}

fn kept(reason: Option<String>) -> Freed {
    Freed { freed: false, reason }
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
    StopResult { id, stopped: false, freed: false, reason: Some(reason), escalated: false }
}

/// Each id once, ascending.
pub(super) fn distinct(ids: &[SessionId]) -> Vec<SessionId> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}
