//! Finishing or undoing what a crash left half done (`spec/lifecycle.md` section 10).

use std::collections::BTreeSet;

use crate::domain::error::ErrorKind;
use crate::domain::event::{Actor, Event};
use crate::domain::ids::{OperationId, SessionId};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::session::Session;

use super::Host;
use super::context::{CLEAN_UP, CLOSE, Context};
use super::create::planned::Planned;
use super::delete::moves::{Move, Remains};
use super::delete::{CLOSED, LIVE};
use super::error::{HostError, HostResult};
use super::hooks;
use super::journal::result;
use super::ports::{Closed, Freed, Ports, Worktree};
use super::report::RecoverReport;

/// What recovery made of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recovered {
    /// Its end was reached.
    Finished,
    /// Nothing of it remains.
    Undone,
    /// Part of it failed again; the next start tries once more.
    Waits,
    /// It had ended meanwhile.
    Nothing,
}

impl<P: Ports> Host<P> {
    /// Finishes or undoes every operation whose lock is free, ends runtimes that belong to no
    /// session, then probes what is believed to run (V2 to V4).
    ///
    /// # Errors
    /// As [`Host::recover_operations`].
    pub async fn recover(&self, ctx: &Context) -> HostResult<RecoverReport> {
        let mut report = self.recover_operations(ctx).await?;
        report.ended_processes = self.end_rowless(ctx).await?;
        report.ended_processes.extend(self.ports.end_strays().await?);
        report.ended_processes.sort_unstable();
        let changed = self.reconcile().await?;
        let sessions = self.ports.sessions(&changed).await?;
        let adopted = sessions.into_iter().filter(Session::is_live).map(|session| session.id);
        report.adopted = adopted.collect();
        report.orphans = self.orphans().await?;
        Ok(report)
    }

    /// Finishes or undoes every operation whose lock is free (V2, V3). No process is ended that is not
    /// of one of them: that takes the operator's word (V4).
    ///
    /// # Errors
    /// The store cannot be read. An operation that cannot be recovered is reported as stuck and keeps
    /// nothing else from working.
    pub async fn recover_operations(&self, ctx: &Context) -> HostResult<RecoverReport> {
        let mut report = RecoverReport::default();
        for operation in self.ports.unfinished().await? {
            let id = operation.id.to_string();
            if operation.state == OperationState::Stuck {
                report.stuck.push(id);
                continue;
            }
            let Some(own) = self.ports.acquire_operation(&operation.id).await? else {
                continue;
            };
            match self.recover_operation(ctx, &operation.id, own).await {
                Ok(Recovered::Finished) => report.resumed.push(id),
                Ok(Recovered::Undone) => report.undone.push(id),
                Ok(Recovered::Waits) => report.stuck.push(id),
                Ok(Recovered::Nothing) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    tracing::warn!(operation = %id, %error, "an operation could not be recovered");
                    report.stuck.push(id);
                }
            }
        }
        Ok(report)
    }

    /// Recovers one operation under its own lock: reads it again, then takes the locks of its
    /// sessions (V3). What cannot be recovered becomes stuck, unless it was only kept waiting.
    pub(super) async fn recover_operation(
        &self,
        ctx: &Context,
        id: &OperationId,
        _own: P::Guard,
    ) -> HostResult<Recovered> {
        let operations = self.ports.unfinished().await?;
        let Some(operation) = operations.into_iter().find(|other| other.id == *id) else {
            return Ok(Recovered::Nothing);
        };
        let _locks = self.ports.acquire(ctx, &operation.session_ids, &operation).await?;
        self.settle(ctx, operation).await
    }

    /// Recovers an operation of this process itself, under its lock and those of its sessions, which it
    /// still holds (L3): whether its transaction was committed is known to the store alone.
    pub(super) async fn recover_held(&self, ctx: &Context, id: &OperationId) {
        let settled = async {
            let operations = self.ports.unfinished().await?;
            match operations.into_iter().find(|other| other.id == *id) {
                Some(operation) => self.settle(ctx, operation).await.map(drop),
                None => Ok(()),
            }
        };
        let settled: HostResult<()> = settled.await;
        if let Err(error) = settled {
            tracing::warn!(operation = %id, %error, "left to the next start");
        }
    }

    /// Finishes or undoes an operation (V2).
    async fn settle(&self, ctx: &Context, operation: Operation) -> HostResult<Recovered> {
        let recovered = match operation.kind {
            Verb::Create => self.recover_create(ctx, &operation).await,
            Verb::Delete => self.recover_delete(ctx, &operation).await,
            Verb::Restore => self.recover_restore(ctx, &operation).await,
            Verb::Launch => self.recover_launch(ctx, &operation).await,
            Verb::Stop | Verb::Kill | Verb::Cleanup => self.recover_stop(ctx, &operation).await,
            Verb::Purge => self.recover_purge(ctx, &operation).await,
            Verb::Send => Ok(Recovered::Nothing),
        };
        self.record_recovery(&operation, &recovered).await;
        match &recovered {
            Ok(Recovered::Waits) => {}
            Ok(Recovered::Finished | Recovered::Nothing) => {
                self.finish(ctx, operation, OperationState::Done, None).await;
            }
            Ok(Recovered::Undone) => {
                let error = Some("interrupted, then undone".to_owned());
                self.finish(ctx, operation, OperationState::Failed, error).await;
            }
            // Kept waiting, by a git for one that outlived its process: the next start tries again.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::TimedOut) => {}
            Err(error) => {
                let error = Some(error.to_string());
                self.finish(ctx, operation, OperationState::Stuck, error).await;
            }
        }
        recovered
    }

    /// Says in the audit what became of an operation that was left half done.
    async fn record_recovery(&self, operation: &Operation, recovered: &HostResult<Recovered>) {
        let outcome = match recovered {
            Ok(Recovered::Finished) => "finished".to_owned(),
            Ok(Recovered::Undone) => "undone".to_owned(),
            Ok(Recovered::Waits) => "part of it failed again".to_owned(),
            Ok(Recovered::Nothing) => return,
            Err(error) => error.to_string(),
        };
        let events = operation.session_ids.iter().map(|id| Event {
            cause: Some(format!("{} was interrupted: {outcome}", operation.kind)),
            ..self.event("recover", id, &Actor::Callboard, Some(&operation.id))
        });
        self.record(&events.collect::<Vec<_>>()).await;
    }

    /// Before publish: undone. After: finished, and the prompt's delivery is unknown unless it is
    /// recorded (C6, V2).
    async fn recover_create(&self, ctx: &Context, operation: &Operation) -> HostResult<Recovered> {
        let planned = Planned::of(operation);
        let Some(session) = self.one(operation).await? else {
            if let Some(planned) = planned {
                self.give_back(ctx, &planned).await?;
            }
            return Ok(Recovered::Undone);
        };
        let lifecycle = &session.condition.lifecycle;
        if lifecycle.published > 0 {
            let messages = self.ports.messages(&session.id, usize::MAX).await?;
            let given = |prompt: &String| messages.iter().any(|message| message.text == *prompt);
            if session.prompt.as_ref().is_some_and(|prompt| !given(prompt)) {
                let text = "the prompt may not have arrived: callboard was interrupted";
                let stored = self.ports.set_error(&session.id, Some(text));
                ctx.write("storing the error", stored).await?;
            }
            return Ok(Recovered::Finished);
        }
        if lifecycle.state.is_terminal() || session.deletion.is_some() {
            return Ok(Recovered::Undone);
        }
        self.end_runtime(ctx, &session.id).await?;
        match planned {
            Some(planned) => self.take_back(ctx, &session, &planned).await?,
            None => self.roll_back(ctx, &session.id).await?,
        }
        Ok(Recovered::Undone)
    }

    /// The worktree first; one that holds work keeps
    /// its row, parked (C7).
    async fn take_back(
        &self,
        ctx: &Context,
        session: &Session,
        planned: &Planned,
    ) -> HostResult<()> {
        let Planned { repository, worktree } = planned;
        let projects = self.ports.projects().await?;
        let project = projects.iter().find(|project| project.path == *repository);
        if let Some(project) = project.filter(|_| session.worktree().is_some()) {
            let ctx = ctx.detached(CLEAN_UP);
            let setup = &project.setup;
            let cleaned = self.ports.unprepare(&ctx, repository, &worktree.path, setup);
            ctx.step("cleaning the preparation", cleaned).await?;
        }
        let freed = self.give_back(ctx, planned).await?;
        if freed.freed {
            return self.roll_back(ctx, &session.id).await;
        }
        if session.worktree().is_none() {
            self.name_kept(ctx, &session.id, worktree, &freed).await?;
        }
        let kept = || "the worktree is not clean".to_owned();
        let why = freed.reason.unwrap_or_else(kept);
        let text = format!("interrupted while being created; {why}");
        ctx.write("parking the session", self.ports.park(&session.id, &text)).await
    }

    async fn give_back(&self, ctx: &Context, planned: &Planned) -> HostResult<Freed> {
        let ctx = ctx.detached(CLEAN_UP);
        let given = self.ports.give_back(&ctx, &planned.repository, &planned.worktree);
        ctx.step("giving back the worktree", given).await
    }

    /// Before its transaction: nothing was deleted, and closed runtimes count as killed. After: the
    /// moves are finished (V2).
    async fn recover_delete(&self, ctx: &Context, operation: &Operation) -> HostResult<Recovered> {
        let batch = self.ports.batch(&operation.id).await?;
        if batch.is_empty() {
            return self.closed_only(ctx, operation).await;
        }
        let settled: BTreeSet<&SessionId> = operation
            .results
            .iter()
            .filter(|result| matches!(result.state.as_str(), "moved" | "done"))
            .map(|result| &result.id)
            .collect();
        let moves: Vec<Move> = batch
            .iter()
            .filter(|session| !settled.contains(&session.id))
            .filter_map(|session| {
                let to = session.deletion.as_ref()?.trash_path.clone()?;
                Move::of(session, to)
            })
            .collect();
        let known = self.ports.sessions(&operation.session_ids).await?;
        let mut rowless = operation.in_state("failed");
        rowless.retain(|id| !known.iter().any(|session| session.id == *id));
        let rowless = rowless.into_iter().collect();
        let deleted: Vec<SessionId> =
            batch.iter().map(|one| one.id.clone()).filter(|id| !settled.contains(id)).collect();
        let remains = Remains::of(&deleted, moves, rowless);
        let failed = self.clean_up(ctx, &operation.id, remains).await.failed;
        Ok(if failed.is_empty() { Recovered::Finished } else { Recovered::Waits })
    }

    /// What ran when the delete began and does not now was closed by it, and its result says so.
    async fn closed_only(&self, ctx: &Context, operation: &Operation) -> HostResult<Recovered> {
        let began_live = operation.in_state(LIVE);
        let mut closed = Vec::new();
        for session in self.ports.sessions(&operation.session_ids).await? {
            let id = &session.id;
            if session.is_live() && self.ports.probe(&session).await.reads_dead() {
                self.end_row(ctx, id).await?;
                closed.push(result(id, CLOSED, None));
            } else if !session.is_live() && began_live.contains(id) {
                closed.push(result(id, CLOSED, None));
            }
        }
        if !closed.is_empty() {
            self.step(ctx, &operation.id, "close", &closed).await?;
        }
        Ok(Recovered::Undone)
    }

    async fn recover_restore(&self, ctx: &Context, operation: &Operation) -> HostResult<Recovered> {
        let failed = self.settle_restore(ctx, operation).await?;
        if !failed.is_empty() {
            return Ok(Recovered::Waits);
        }
        let sessions = self.ports.sessions(&operation.session_ids).await?;
        let back = sessions.iter().any(|session| session.deletion.is_none());
        Ok(if back { Recovered::Finished } else { Recovered::Undone })
    }

    async fn recover_launch(&self, ctx: &Context, operation: &Operation) -> HostResult<Recovered> {
        let Some(session) = self.one(operation).await? else {
            return Ok(Recovered::Undone);
        };
        let lifecycle = &session.condition.lifecycle;
        if lifecycle.published == lifecycle.generation && session.is_live() {
            return Ok(Recovered::Finished);
        }
        self.end_runtime(ctx, &session.id).await?;
        self.stay_ended(ctx, &session).await;
        if let Some(planned) = Planned::of(operation).filter(|_| session.worktree().is_none()) {
            let freed = self.give_back(ctx, &planned).await?;
            self.name_kept(ctx, &session.id, &planned.worktree, &freed).await?;
        }
        if let Some(worktree) = session.worktree()
            && operation.step.as_deref() == Some(hooks::STEP)
        {
            self.remove_hooks(ctx, worktree).await?;
        }
        Ok(Recovered::Undone)
    }

    /// The row names a worktree that was made for it and holds work.
    pub(super) async fn name_kept(
        &self,
        ctx: &Context,
        id: &SessionId,
        worktree: &Worktree,
        freed: &Freed,
    ) -> HostResult<()> {
        if freed.freed {
            return Ok(());
        }
        let named = self.ports.set_worktree(id, worktree);
        ctx.write("recording the worktree", named).await
    }

    /// The intent was recorded, so it is carried out.
    async fn recover_stop(&self, ctx: &Context, operation: &Operation) -> HostResult<Recovered> {
        let Some(session) = self.one(operation).await? else {
            return Ok(Recovered::Finished);
        };
        if session.deletion.is_none() {
            self.end_runtime(ctx, &session.id).await?;
            if operation.kind != Verb::Cleanup {
                let done = operation.asked.as_ref().is_some_and(|asked| asked.done);
                let reason = (!done).then_some(operation.reason());
                let ended = self.ports.end(&session.id, reason);
                ctx.write("ending the row", ended).await?;
            }
            if operation.kind != Verb::Stop && self.free(ctx, operation, &session).await?.freed {
                self.clear(ctx, &session.id).await?;
            }
        }
        Ok(Recovered::Finished)
    }

    async fn roll_back(&self, ctx: &Context, id: &SessionId) -> HostResult<()> {
        ctx.write("rolling back the row", self.ports.rollback_seed(id)).await
    }

    async fn end_row(&self, ctx: &Context, id: &SessionId) -> HostResult<()> {
        let ended = self.ports.end(id, Some(TerminationReason::ManuallyKilled));
        ctx.write("ending the row", ended).await
    }

    pub(super) async fn end_runtime(&self, ctx: &Context, id: &SessionId) -> HostResult<Closed> {
        let ctx = ctx.detached(CLOSE);
        ctx.step("closing the runtime", self.close_runtime(&ctx, id)).await
    }

    /// The one session of an operation.
    async fn one(&self, operation: &Operation) -> HostResult<Option<Session>> {
        match operation.session_ids.first() {
            Some(id) => Ok(self.ports.session(id).await?),
            None => Err(HostError::Usage {
                message: format!("operation {} names no session", operation.id),
                hint: None,
            }),
        }
    }
}
