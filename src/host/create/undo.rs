//! Compensation of a failed create (`spec/lifecycle.md` C5 to C7): in reverse order, each step with
//! its own detached deadline, even if an earlier one failed.

use crate::domain::error::ErrorKind;
use crate::domain::operation::OperationState;
use crate::domain::rail::Project;

use super::super::context::{FAILED_CREATE_CLEAN, FAILED_CREATE_CLOSE, FAILED_CREATE_ROLLBACK};
use super::super::error::{HostError, HostResult};
use super::super::ports::{Ports, Worktree};
use super::super::report::CreateOutcome;
use super::{Creation, Stage};

impl<P: Ports> Creation<'_, P> {
    /// Takes back what this call made; what the operator should see is parked.
    pub(super) async fn undo(
        mut self,
        stage: Stage,
        cause: HostError,
    ) -> HostResult<CreateOutcome> {
        let ended = matches!(cause.kind(), ErrorKind::Interrupted | ErrorKind::TimedOut);
        let cancelled = cause.kind() == ErrorKind::Interrupted;
        let mut troubles = Vec::new();
        // A start that was ended from outside may have left something that runs.
        let may_run = self.made.runtime || (self.made.row && stage == Stage::Start && ended);
        if may_run {
            troubles.extend(self.close().await.err());
        }
        // Looked at once nothing runs there: what set-up or agent left is never without a row.
        let unclean = self.made.row && self.is_unclean().await;
        let park = self.made.row && (unclean || (stage == Stage::Start && !cancelled));
        if self.made.row && !park {
            troubles.extend(self.roll_back().await.err());
        }
        if !unclean {
            troubles.extend(self.clean().await);
        }
        if park {
            return self.park(cause, troubles).await;
        }
        // What could not be taken back now is left to recovery.
        let settled = troubles.is_empty();
        let error = match troubles {
            troubles if troubles.is_empty() => cause,
            troubles => HostError::NotUndone { cause: Box::new(cause), troubles },
        };
        if settled {
            let outcome =
                if cancelled { OperationState::Cancelled } else { OperationState::Failed };
            self.host.finish(self.ctx, self.operation, outcome, Some(error.to_string())).await;
        }
        Err(error)
    }

    async fn close(&self) -> Result<(), String> {
        let ctx = self.ctx.detached(FAILED_CREATE_CLOSE);
        let closed = ctx.step("closing the runtime", self.host.close_runtime(&ctx, &self.id)).await;
        closed.map(drop).map_err(|error| error.to_string())
    }

    async fn roll_back(&self) -> Result<(), String> {
        let ctx = self.ctx.detached(FAILED_CREATE_ROLLBACK);
        let rolled = ctx.step("rolling back the row", self.host.ports.rollback_seed(&self.id));
        rolled.await.map_err(|error| error.to_string())
    }

    /// Cleans the preparation, then gives back the worktree, once. Answers what went wrong.
    async fn clean(&mut self) -> Vec<String> {
        let mut troubles = Vec::new();
        let (Some(worktree), Some(project)) = (&self.made.worktree, &self.draft.project) else {
            return troubles;
        };
        if self.made.hooks {
            let removed = self.host.remove_hooks(self.ctx, &worktree.path).await;
            troubles.extend(removed.err().map(|error| error.to_string()));
        }
        if self.made.prepared {
            troubles.extend(self.unprepare(project, worktree).await.err());
        }
        let ctx = self.ctx.detached(FAILED_CREATE_CLEAN);
        let given = self.host.ports.give_back(&ctx, &project.path, worktree);
        match ctx.step("giving back the worktree", given).await {
            Ok(freed) if freed.freed => self.made.worktree = None,
            Ok(freed) => {
                let reason = freed.reason.unwrap_or_else(|| "it is not clean".to_owned());
                troubles.push(format!("kept {}: {reason}", worktree.path.display()));
            }
            Err(error) => troubles.push(error.to_string()),
        }
        troubles
    }

    async fn unprepare(&self, project: &Project, worktree: &Worktree) -> Result<(), String> {
        let ctx = self.ctx.detached(FAILED_CREATE_CLEAN);
        let (repository, setup) = (&project.path, &project.setup);
        let cleaned = self.host.ports.unprepare(&ctx, repository, &worktree.path, setup);
        let cleaned = ctx.step("cleaning the preparation", cleaned).await;
        cleaned.map_err(|error| error.to_string())
    }

    /// The row stays, terminated with the error, for the operator to see and restore.
    async fn park(self, cause: HostError, troubles: Vec<String>) -> HostResult<CreateOutcome> {
        let mut error = cause.to_string();
        for trouble in &troubles {
            error.push_str("; ");
            error.push_str(trouble);
        }
        let ctx = self.ctx.detached(FAILED_CREATE_ROLLBACK);
        let parked = async {
            // A restore makes a worktree anew where the row names none (B2).
            match &self.made.worktree {
                Some(kept) if !self.made.named => {
                    self.host.ports.set_worktree(&self.id, kept).await?;
                }
                None if self.made.named => self.host.ports.clear_worktree(&self.id).await?,
                _ => {}
            }
            self.host.ports.park(&self.id, &error).await?;
            self.host.ports.session(&self.id).await
        };
        let parked = ctx.step(&format!("parking session {}", self.id), parked).await;
        let session = parked?.ok_or_else(|| HostError::NotFound(self.id.clone()))?;
        self.record(&session, Some(&error)).await;
        self.host
            .finish(self.ctx, self.operation, OperationState::Failed, Some(error.clone()))
            .await;
        Ok(CreateOutcome::Parked { session: Box::new(session), error })
    }

    /// Whether the worktree may hold work; unknown counts as yes.
    async fn is_unclean(&self) -> bool {
        let (Some(worktree), Some(project)) = (&self.made.worktree, &self.draft.project) else {
            return false;
        };
        let ctx = self.ctx.detached(FAILED_CREATE_CLEAN);
        let kept = self.host.ports.reason_to_keep(&ctx, &project.path, &worktree.path);
        let kept = ctx.step("looking at the worktree", kept).await;
        kept.map_or(true, |reason| reason.is_some())
    }
}
