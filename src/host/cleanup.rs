//! Giving back the worktrees of ended sessions (`spec/lifecycle.md` K3, K4).

use crate::domain::event::Actor;
use crate::domain::ids::{ProjectName, SessionId};
use crate::domain::operation::Operation;
use crate::domain::plan::{Conditions, Plan};
use crate::domain::query::{Filter, PageQuery};
use crate::domain::session::Session;

use super::Host;
use super::caller::Reach;
use super::context::{CLEAN_UP, Context};
use super::error::HostResult;
use super::ports::{Freed, Ports, Worktree};
use super::report::StopReport;
use super::stop::Way;

/// The step of an operation that moves a worktree with ignored files aside.
pub(super) const TRASH: &str = "trash";

/// Sessions read at a time.
const PAGE: usize = 1_000;

impl<P: Ports> Host<P> {
    /// What a cleanup would look at, with what git knows of it. Reads only.
    ///
    /// # Errors
    /// The store cannot be read. Unknown advice is none.
    pub async fn plan_cleanup(
        &self,
        ctx: &Context,
        project: Option<&ProjectName>,
    ) -> HostResult<Plan> {
        let sessions = self.left_worktrees(project).await?;
        let ids = sessions.into_iter().map(|session| session.id).collect();
        self.plan_each(ctx, &ids).await
    }

    /// Gives back the worktrees of ended sessions, of one project or of all, where K3 allows it; one
    /// result for each that has a worktree. Running sessions are never touched.
    ///
    /// # Errors
    /// The sessions cannot be listed; or there is only one, and it failed.
    pub async fn cleanup(
        &self,
        ctx: &Context,
        project: Option<&ProjectName>,
        actor: &Actor,
    ) -> HostResult<StopReport> {
        self.allow(actor, "give back worktrees", Reach::Config).await?;
        let sessions = self.left_worktrees(project).await?;
        let ids: Vec<_> = sessions.into_iter().map(|session| session.id).collect();
        self.end_all(ctx, &ids, &Conditions::default(), Way::Cleanup, actor).await
    }

    /// Ended sessions that have a worktree.
    async fn left_worktrees(&self, project: Option<&ProjectName>) -> HostResult<Vec<Session>> {
        let filter = Filter { project: project.cloned(), ..Filter::default() };
        let mut query = PageQuery { filter, limit: PAGE, ..PageQuery::default() };
        let mut found = Vec::new();
        loop {
            let page = self.ports.page(&query).await?;
            found.extend(page.sessions.into_iter().filter(|session| {
                session.condition.lifecycle.state.is_terminal() && session.worktree().is_some()
            }));
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                return Ok(found);
            }
        }
    }

    /// Gives back the worktree of an ended session (K3): clean ones go;
    /// those with nothing but ignored files beside go to the trash. The branch stays, so that a launch
    /// makes the worktree again (B2).
    pub(super) async fn free(
        &self,
        ctx: &Context,
        operation: &Operation,
        session: &Session,
    ) -> HostResult<Freed> {
        let repository = session.placement.project_path();
        let (Some(path), Some(repository)) = (session.worktree(), repository) else {
            let reason = Some("it has no worktree of its own".to_owned());
            return Ok(Freed { freed: false, reason, only_ignored: false });
        };
        let worktree = Worktree {
            path: path.to_owned(),
            branch: session.branch.clone().unwrap_or_default(),
            base: session.base.clone().unwrap_or_default(),
            new_branch: false,
        };
        // A move that was cut short leaves nothing to give back in the old place.
        let moving = operation.step.as_deref() == Some(TRASH);
        let mut freed = Freed { freed: false, reason: None, only_ignored: moving };
        if !moving {
            let own = [(session.id.clone(), path.to_owned())];
            let mut staying = self.ports.staying(&own, std::slice::from_ref(&session.id)).await?;
            if let Some(reason) = staying.remove(&session.id) {
                return Ok(Freed { freed: false, reason: Some(reason), only_ignored: false });
            }
            let ctx = ctx.detached(CLEAN_UP);
            let given = self.ports.give_back(&ctx, repository, &worktree);
            freed = ctx.step("giving back the worktree", given).await?;
        }
        if !freed.freed && freed.only_ignored {
            let to = self.ports.trash_path(&operation.id, &session.id);
            self.step(ctx, &operation.id, TRASH, &[]).await?;
            let ctx = ctx.detached(CLEAN_UP);
            let moved = self.ports.move_to_trash(&ctx, repository, path, &to);
            ctx.step("moving the worktree aside", moved).await?;
            let reason = Some(format!("it held ignored files and was moved to {}", to.display()));
            freed = Freed { freed: true, reason, only_ignored: true };
        }
        Ok(freed)
    }

    /// The row of a session whose worktree was given back names it no more (K4).
    pub(super) async fn clear(&self, ctx: &Context, id: &SessionId) -> HostResult<()> {
        ctx.write("clearing the worktree", self.ports.clear_worktree(id)).await
    }
}
