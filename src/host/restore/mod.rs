//! Restore from the trash (`spec/lifecycle.md` section 7), and of terminated sessions.

mod foresee;
mod found;

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::event::Event;
use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::session::Session;
use crate::domain::worktree::WayBack;

use super::Host;
use super::caller::Reach;
use super::context::{CLEAN_UP, Context};
use super::delete::moves::Move;
use super::error::{HostError, HostResult};
use super::journal::result;
use super::parallel;
use super::ports::{Ports, Untombstone};
use super::report::{Note, RestoreReport, RestoreRequest, SkippedRow};
use found::{Found, check_to};

/// How many components are moved at once; git serialises the moves of a repository.
const MOVING: usize = 4;
/// How many sessions are launched at once; the places for starts bound them further (C10).
const LAUNCHING: usize = 16;

impl<P: Ports> Host<P> {
    /// Brings back from the trash, or launches terminated sessions again.
    ///
    /// # Errors
    /// Nothing of what was named can be brought back, and there is one reason; or a port failed
    /// before anything was brought back. What others went without is in the report.
    pub async fn restore(
        &self,
        ctx: &Context,
        request: RestoreRequest,
    ) -> HostResult<RestoreReport> {
        let mut found = self.find(&request.target).await?;
        let trashed = found.components.iter().flatten().map(|session| &session.id);
        let touched: Vec<SessionId> = trashed.chain(&found.ended).cloned().collect();
        self.allow(&request.actor, "restore", Reach::Sessions(&touched)).await?;
        check_to(&request, &found)?;
        let mut report = RestoreReport::default();
        if !found.components.is_empty() {
            self.bring_back(ctx, &request, &mut found, &mut report).await?;
        }
        let mut launches = found.ended;
        if request.launch {
            launches.extend(report.restored_session_ids.iter().cloned());
        }
        found.refused.extend(self.launch_all(ctx, launches, &request, &mut report).await);
        let nothing = report.restored_session_ids.is_empty() && report.launched_ids.is_empty();
        if nothing && found.refused.len() == 1 && report.not_restored.is_empty() {
            return Err(found.refused.remove(0).1);
        }
        let refused = found.refused.into_iter();
        report
            .not_restored
            .extend(refused.map(|(id, error)| SkippedRow { id, reason: reason(&error) }));
        report.not_restored.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(report)
    }

    /// Folders first, then all rows in one transaction (R1).
    async fn bring_back(
        &self,
        ctx: &Context,
        request: &RestoreRequest,
        found: &mut Found,
        report: &mut RestoreReport,
    ) -> HostResult<()> {
        let mut ids: Vec<SessionId> =
            found.components.iter().flatten().map(|session| session.id.clone()).collect();
        ids.sort_unstable();
        let operation = self.operation(Verb::Restore, ids.clone());
        let _own = self.own(&operation).await?;
        let _locks = self.hold(ctx, &ids, &operation).await?;
        let now = self.ports.sessions(&ids).await?;
        let before: BTreeMap<&SessionId, _> = found
            .components
            .iter()
            .flatten()
            .map(|session| (&session.id, &session.deletion))
            .collect();
        let as_found =
            |session: &Session| before.get(&session.id).copied() == Some(&session.deletion);
        if now.len() != ids.len() || !now.iter().all(as_found) {
            let message = "the trash changed while waiting for it; try again".to_owned();
            return Err(HostError::Refused { message, hint: None });
        }
        let target = request.to.as_deref().map(|to| to.display().to_string());
        let intended = ids.iter().map(|id| result(id, "intended", target.clone())).collect();
        self.begin(ctx, &Operation { results: intended, ..operation.clone() }).await?;
        let moved = self.move_components(ctx, request, found, report, &operation.id).await;
        let rows: Vec<Untombstone> = moved
            .iter()
            .flatten()
            .map(|session| Untombstone {
                id: session.id.clone(),
                folder: request.to.clone().filter(|_| session.worktree().is_some()),
            })
            .collect();
        if !rows.is_empty()
            && let Err(error) = self.untombstone(ctx, &operation, &rows).await
        {
            // Recovery moves the folders to where their rows say.
            self.recover_held(ctx, &operation.id).await;
            return Err(error);
        }
        for session in moved.iter().flatten() {
            let id = session.id.clone();
            self.tell(&operation.id, &id, "restored");
            if session.deletion.as_ref().is_some_and(|deletion| deletion.was_live) {
                report.was_live_ids.push(id.clone());
            }
            report.restored_session_ids.push(id);
        }
        report.was_live_ids.sort_unstable();
        report.restored_session_ids.sort_unstable();
        let restored = &report.restored_session_ids;
        let now = self.ports.sessions(restored).await.unwrap_or_default();
        let done = now.iter().map(|session| Event {
            to: Some(session.condition.status.to_string()),
            ..self.event("restore", &session.id, &request.actor, Some(&operation.id))
        });
        self.record(&done.collect::<Vec<_>>()).await;
        let failed = report.not_restored.iter().map(|row| Event {
            cause: Some(format!("not restored: {}", row.reason)),
            ..self.event("restore", &row.id, &request.actor, Some(&operation.id))
        });
        self.record(&failed.collect::<Vec<_>>()).await;
        let state = match (rows.len(), ids.len()) {
            (0, _) => OperationState::Failed,
            (some, all) if some < all => OperationState::Partly,
            _ => OperationState::Done,
        };
        let failed = report.not_restored.iter();
        let results = failed.map(|row| result(&row.id, "failed", Some(row.reason.clone())));
        let operation = Operation { results: results.collect(), ..operation };
        self.finish(ctx, operation, state, None).await;
        Ok(())
    }

    async fn untombstone(
        &self,
        ctx: &Context,
        operation: &Operation,
        rows: &[Untombstone],
    ) -> HostResult<()> {
        self.step(ctx, &operation.id, "untombstone", &[]).await?;
        ctx.write("bringing the rows back", self.ports.untombstone(rows)).await
    }

    /// Moves the folders of each component back. Answers the components that have all of theirs; the
    /// others are moved back into the trash and reported alone (R1).
    async fn move_components(
        &self,
        ctx: &Context,
        request: &RestoreRequest,
        found: &mut Found,
        report: &mut RestoreReport,
        operation: &OperationId,
    ) -> Vec<Vec<Session>> {
        let components = std::mem::take(&mut found.components);
        let moved = parallel::ordered(MOVING, components, |component| {
            let (host, ctx, to) = (self.clone(), ctx.clone(), request.to.clone());
            let operation = operation.clone();
            async move {
                let moved = host.move_component(&ctx, &operation, &component, to.as_deref()).await;
                (component, moved)
            }
        });
        let mut whole = Vec::new();
        for (component, moved) in moved.await {
            match moved {
                Ok(notes) => {
                    report.notes.extend(notes);
                    whole.push(component);
                }
                Err((at, error)) => {
                    let lines = component.into_iter().map(|session| {
                        let reason = if session.id == at {
                            error.to_string()
                        } else {
                            format!("{at} could not be moved back: {error}")
                        };
                        SkippedRow { id: session.id, reason }
                    });
                    report.not_restored.extend(lines);
                }
            }
        }
        whole
    }

    /// Moves the folders of one component back, or none of them.
    async fn move_component(
        &self,
        ctx: &Context,
        operation: &OperationId,
        component: &[Session],
        to: Option<&Path>,
    ) -> Result<Vec<Note>, (SessionId, HostError)> {
        let mut notes = Vec::new();
        let mut done: Vec<(SessionId, WayBack)> = Vec::new();
        for session in component {
            let Some(back) = way_back(session, to) else {
                continue;
            };
            let id = session.id.clone();
            let moved = async {
                ctx.check(&format!("restoring session {id}"))?;
                let ctx = ctx.detached(CLEAN_UP);
                let moved = self.ports.move_back(&ctx, &back);
                ctx.step("moving the worktree back", moved).await
            };
            match moved.await {
                Ok(moved) => {
                    self.tell(operation, &id, "moved");
                    notes.extend(moved.note.map(|text| Note { id: id.clone(), text }));
                    done.push((id, back));
                }
                Err(error) => {
                    self.tell(operation, &id, "failed");
                    self.undo_moves(ctx, done).await;
                    return Err((id, error));
                }
            }
        }
        Ok(notes)
    }

    /// Into the trash again, last first.
    async fn undo_moves(&self, ctx: &Context, done: Vec<(SessionId, WayBack)>) {
        for (id, back) in done.into_iter().rev() {
            let ctx = ctx.detached(CLEAN_UP);
            let moved = self.ports.move_to_trash(&ctx, &back.repository, &back.to, &back.from);
            if let Err(error) = ctx.step("moving the worktree into the trash", moved).await {
                tracing::warn!(session = %id, %error, "a worktree stayed out of the trash");
            }
        }
    }

    /// Launches; answers those that were named for it and could not be.
    async fn launch_all(
        &self,
        ctx: &Context,
        ids: Vec<SessionId>,
        request: &RestoreRequest,
        report: &mut RestoreReport,
    ) -> Vec<(SessionId, HostError)> {
        let launched = parallel::ordered(LAUNCHING, ids, |id| {
            let (host, ctx, actor) = (self.clone(), ctx.clone(), request.actor.clone());
            async move {
                let launched = host.launch(&ctx, &id, &actor).await;
                (id, launched)
            }
        });
        let mut refused = Vec::new();
        for (id, launched) in launched.await {
            match launched {
                Ok((session, how)) => {
                    report.launched_ids.push(id.clone());
                    report.how.push((id.clone(), how));
                    let text = session.error.unwrap_or_else(|| how.words().to_owned());
                    report.notes.push(Note { id, text });
                }
                Err(error) if report.restored_session_ids.contains(&id) => {
                    report.notes.push(Note { id, text: format!("not launched: {error}") });
                }
                Err(error) => refused.push((id, error)),
            }
        }
        report.launched_ids.sort_unstable();
        refused
    }

    /// Puts the folders of an interrupted restore to where their rows say (V2).
    pub(super) async fn settle_restore(
        &self,
        ctx: &Context,
        operation: &Operation,
    ) -> HostResult<Vec<SessionId>> {
        let targets: BTreeMap<&SessionId, &str> = operation
            .results
            .iter()
            .filter_map(|result| Some((&result.id, result.detail.as_deref()?)))
            .collect();
        let sessions = self.ports.sessions(&operation.session_ids).await?;
        let moves: Vec<Move> = sessions
            .iter()
            .filter(|session| session.deletion.is_some())
            .filter_map(|session| {
                let back = way_back(session, targets.get(&session.id).map(Path::new))?;
                let (id, repository) = (session.id.clone(), back.repository);
                Some(Move { id, repository, from: back.to, to: back.from })
            })
            .collect();
        Ok(self.move_all(ctx, &operation.id, moves).await.failed)
    }
}

/// The way of a tombstone's worktree out of the trash.
fn way_back(session: &Session, to: Option<&Path>) -> Option<WayBack> {
    let place = session.worktree()?;
    Some(WayBack {
        repository: session.placement.project_path()?.to_owned(),
        from: session.deletion.as_ref()?.trash_path.clone()?,
        to: to.unwrap_or(place).to_owned(),
        branch: session.branch.clone(),
    })
}

fn reason(error: &HostError) -> String {
    match error {
        HostError::NotFound(_) => "not_found".to_owned(),
        HostError::Incomplete { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}
