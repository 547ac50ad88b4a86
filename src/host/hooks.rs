//! Hooks in the settings of a worktree, as a step of create and launch (`spec/agents.md` H1).

use std::path::Path;

use crate::domain::event::{Actor, Event};
use crate::domain::hook::HookPlan;
use crate::domain::ids::SessionId;
use crate::domain::operation::{Operation, Verb};

use super::Host;
use super::context::{CLEAN_UP, Context};
use super::error::HostResult;
use super::ports::Ports;

/// Their step in the journal.
pub(super) const STEP: &str = "hooks";

/// The launch that hooks are for.
pub(super) struct Hooked<'a> {
    pub operation: &'a Operation,
    pub id: &'a SessionId,
    pub actor: &'a Actor,
    /// Only here a file is written: no other folder is ours.
    pub worktree: Option<&'a Path>,
}

impl<P: Ports> Host<P> {
    /// Puts the hooks of a launch where they belong, journalled first. That they are off is said once, in
    /// the events of the session.
    pub(super) async fn install_hooks(
        &self,
        ctx: &Context,
        plan: &HookPlan,
        launch: &Hooked<'_>,
    ) -> HostResult<()> {
        let Hooked { operation, id, actor, worktree } = launch;
        let off = match (plan, worktree) {
            (HookPlan::File(file), Some(worktree)) => {
                self.step(ctx, &operation.id, STEP, &[]).await?;
                self.tell(&operation.id, id, STEP);
                let installed = self.ports.install_hooks(ctx, worktree, file);
                ctx.whole().step("installing the hooks", installed).await?
            }
            (HookPlan::File(file), None) => {
                Some(format!("{} would be in a folder that is not its own", file.path.display()))
                    .filter(|_| operation.kind == Verb::Create)
            }
            (HookPlan::Off(why), _) => Some(why.clone()).filter(|_| operation.kind == Verb::Create),
            (HookPlan::Nothing | HookPlan::Own(_), _) => None,
        };
        if let Some(why) = off {
            let cause = Some(format!("hooks are off: {why}"));
            let event = self.event("hooks", id, actor, Some(&operation.id));
            self.record(&[Event { cause, ..event }]).await;
        }
        Ok(())
    }

    /// Takes hooks out of the worktree of a launch that failed.
    pub(super) async fn remove_hooks(&self, ctx: &Context, worktree: &Path) -> HostResult<()> {
        let ctx = ctx.detached(CLEAN_UP);
        let removed = self.ports.remove_hooks(&ctx, worktree);
        ctx.step("removing the hooks", removed).await
    }
}
