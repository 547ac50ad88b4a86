//! Moving the worktrees of a committed delete into the trash (`spec/lifecycle.md` D7, D9, D10).

use std::path::PathBuf;

use crate::domain::ids::{BatchId, OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState};
use crate::domain::session::Session;

use super::super::Host;
use super::super::context::{CLEAN_UP, Context};
use super::super::error::HostResult;
use super::super::journal::result;
use super::super::parallel;
use super::super::ports::{Moved, Ports};
use super::super::report::{Note, Progress};

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

/// Worktrees to move, and why others stay; each ascending by session.
pub(in crate::host) struct Leaving {
    pub(in crate::host) moves: Vec<Move>,
    pub(in crate::host) notes: Vec<Note>,
}

/// What the moves came to, ascending.
#[derive(Default)]
pub(in crate::host) struct Moves {
    pub(in crate::host) notes: Vec<Note>,
    pub(in crate::host) failed: Vec<SessionId>,
}

impl<P: Ports> Host<P> {
    /// The worktrees of sessions that are deleted together: those that are shared or not ours stay
    /// (D9).
    pub(in crate::host) async fn leaving(
        &self,
        batch: &BatchId,
        ids: &[SessionId],
    ) -> HostResult<Leaving> {
        let sessions = self.ports.sessions(ids).await?;
        let to = |session: &Session| self.ports.trash_path(batch, &session.id);
        let mut moves: Vec<Move> =
            sessions.iter().filter_map(|session| Move::of(session, to(session))).collect();
        let worktrees: Vec<(SessionId, PathBuf)> =
            moves.iter().map(|one| (one.id.clone(), one.from.clone())).collect();
        let staying = self.ports.staying(&worktrees, ids).await?;
        moves.retain(|one| !staying.contains_key(&one.id));
        let note = |(id, reason)| Note { id, text: format!("its folder stays: {reason}") };
        Ok(Leaving { moves, notes: staying.into_iter().map(note).collect() })
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
            if let Err(error) = self.step(ctx, operation, "move", &results).await {
                tracing::warn!(%operation, %error, "moves could not be journalled");
            }
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
