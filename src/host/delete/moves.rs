//! Moving the worktrees of a committed delete into the trash (`spec/lifecycle.md` D7, D9, D10).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::domain::ids::{BatchId, OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState, StepResult};
use crate::domain::session::Session;

use super::super::Host;
use super::super::context::{CLEAN_UP, Context};
use super::super::error::HostResult;
use super::super::journal::result;
use super::super::parallel;
use super::super::ports::{Moved, Ports};
use super::super::report::{Note, Progress};
use super::view::View;

/// How many worktrees are moved at once; git serialises the ones of a repository.
const MOVING: usize = 4;
/// Results are journalled in groups of this many.
const GROUP: usize = 32;

/// One worktree on its way to the trash or back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::host) struct Move {
    pub(in crate::host) id: SessionId,
    pub(in crate::host) repository: PathBuf,
    pub(in crate::host) from: PathBuf,
    pub(in crate::host) to: PathBuf,
}

impl Move {
    /// The move of a session's own worktree; none where it has none.
    pub(in crate::host) fn of(session: &Session, to: PathBuf) -> Option<Self> {
        Some(Self {
            id: session.id.clone(),
            repository: session.placement.project_path()?.to_owned(),
            from: session.worktree()?.to_owned(),
            to,
        })
    }
}

/// What the moves came to, ascending.
#[derive(Default)]
pub(in crate::host) struct Moves {
    pub(in crate::host) notes: Vec<Note>,
    pub(in crate::host) failed: Vec<SessionId>,
}

/// What is cleaned up after the commit of a delete.
pub(in crate::host) struct Remains {
    /// Deleted sessions without a worktree to move: they are at their end.
    unmoved: Vec<SessionId>,
    moves: Vec<Move>,
    /// Runtimes that had no row.
    rowless: Vec<SessionId>,
}

impl Remains {
    /// Of the deleted sessions, and of runtimes that had no row.
    pub(in crate::host) fn of(
        deleted: &[SessionId],
        moves: Vec<Move>,
        rowless: Vec<SessionId>,
    ) -> Self {
        let with_move: BTreeSet<&SessionId> = moves.iter().map(|step| &step.id).collect();
        let unmoved = deleted.iter().filter(|id| !with_move.contains(id)).cloned().collect();
        Self { unmoved, moves, rowless }
    }
}

impl<P: Ports> Host<P> {
    /// Worktrees to move, ascending by session; and remarks on those that stay, as a session that is
    /// not deleted works in them too (D9).
    pub(super) async fn moves(
        &self,
        batch: &BatchId,
        view: &View,
    ) -> HostResult<(Vec<Move>, Vec<Note>)> {
        let ids = view.plan.ids();
        let sessions = self.ports.sessions(&ids).await?;
        let mut moves: BTreeMap<PathBuf, Move> = sessions
            .iter()
            .filter_map(|session| Move::of(session, self.ports.trash_path(batch, &session.id)))
            .map(|step| (step.from.clone(), step))
            .collect();
        let mut notes = Vec::new();
        let mut guests = self.ports.guests().await?;
        guests.retain(|(id, _)| ids.binary_search(id).is_err());
        for (guest, folder) in guests {
            for stays in folder.ancestors().filter_map(|above| moves.remove(above)) {
                let text = format!("its folder stays: {guest} works in it too");
                notes.push(Note { id: stays.id, text });
            }
        }
        let mut moves: Vec<Move> = moves.into_values().collect();
        moves.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok((moves, notes))
    }

    /// After the commit, in ascending order: what was tombstoned keeps all that a restore needs, so its
    /// worktree is only moved; what had no row can never come back, so nothing of it is kept (D10).
    pub(in crate::host) async fn clean_up(
        &self,
        ctx: &Context,
        operation: &OperationId,
        remains: Remains,
    ) -> Moves {
        let Remains { unmoved, moves, rowless } = remains;
        let done: Vec<StepResult> = unmoved.iter().map(|id| result(id, "done", None)).collect();
        self.note_results(ctx, operation, &done).await;
        for id in &unmoved {
            self.tell(operation, id, "done");
        }
        let mut all = self.move_all(ctx, operation, moves).await;
        let (results, failed) = self.forget_all(ctx, operation, rowless).await;
        self.note_results(ctx, operation, &results).await;
        all.failed.extend(failed);
        all.failed.sort_unstable();
        all
    }

    async fn note_results(&self, ctx: &Context, operation: &OperationId, results: &[StepResult]) {
        if results.is_empty() {
            return;
        }
        if let Err(error) = self.step(ctx, operation, "move", results).await {
            tracing::warn!(%operation, %error, "results could not be journalled");
        }
    }

    /// Removes what runtimes without a row left behind. Idempotent. Answers the results and those that
    /// failed.
    pub(in crate::host) async fn forget_all(
        &self,
        ctx: &Context,
        operation: &OperationId,
        rowless: Vec<SessionId>,
    ) -> (Vec<StepResult>, Vec<SessionId>) {
        let (mut results, mut failed) = (Vec::new(), Vec::new());
        for id in rowless {
            let ctx = ctx.detached(CLEAN_UP);
            let removed = self.ports.remove_history(&id);
            let removed = ctx.step("removing the history", removed).await;
            let state = if removed.is_ok() { "done" } else { "failed" };
            self.tell(operation, &id, state);
            results.push(result(&id, state, removed.err().map(|error| error.to_string())));
            if state == "failed" {
                failed.push(id);
            }
        }
        (results, failed)
    }

    /// Moves into the trash, in ascending order; a failure skips no other (D10). Idempotent.
    pub(in crate::host) async fn move_all(
        &self,
        ctx: &Context,
        operation: &OperationId,
        moves: Vec<Move>,
    ) -> Moves {
        let mut all = Moves::default();
        for group in moves.chunks(GROUP) {
            let ended = parallel::ordered(MOVING, group.to_vec(), |step| {
                let (host, ctx) = (self.clone(), ctx.clone());
                let operation = operation.clone();
                async move {
                    let ended = host.move_one(&ctx, &step).await;
                    let state = if ended.is_ok() { "moved" } else { "failed" };
                    host.tell(&operation, &step.id, state);
                    (step.id, ended)
                }
            });
            let mut results = Vec::with_capacity(group.len());
            for (id, ended) in ended.await {
                match ended {
                    Ok(ended) => {
                        results.push(result(&id, "moved", None));
                        all.notes.extend(ended.note.map(|text| Note { id, text }));
                    }
                    Err(error) => {
                        results.push(result(&id, "failed", Some(error.to_string())));
                        all.failed.push(id);
                    }
                }
            }
            self.note_results(ctx, operation, &results).await;
        }
        all
    }

    /// One move into the trash. Idempotent.
    pub(in crate::host) async fn move_one(&self, ctx: &Context, step: &Move) -> HostResult<Moved> {
        let ctx = ctx.detached(CLEAN_UP);
        let moved = self.ports.move_to_trash(&ctx, &step.repository, &step.from, &step.to);
        ctx.step("moving the worktree", moved).await
    }

    /// Ends a delete after its moves. One with failed moves stays unfinished, so that the next start
    /// tries them again (D10).
    pub(in crate::host) async fn end_moves(
        &self,
        ctx: &Context,
        operation: Operation,
        failed: &[SessionId],
        partly: bool,
    ) {
        if failed.is_empty() {
            let state = if partly { OperationState::Partly } else { OperationState::Done };
            self.finish(ctx, operation, state, None).await;
        } else {
            self.report(Progress::Ended { operation: operation.id });
        }
    }
}
