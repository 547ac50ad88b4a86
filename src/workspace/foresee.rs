//! What the way back out of the trash comes to, before it is gone (`spec/lifecycle.md` R1, R2).

use super::create::made_again;
use super::ours::{git_dir, strictly_inside};
use super::trash::{ALONE, Attach, exists, find_record};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::plan::Back;
use crate::domain::worktree::WayBack;

impl Workspace {
    /// What [`Workspace::move_back`] would come to. Reads only.
    ///
    /// # Errors
    /// What the move would fail with, as far as can be seen before.
    pub async fn foresee_move_back(
        &self,
        WayBack { repository, from, to, branch }: &WayBack,
    ) -> WorkspaceResult<Back> {
        strictly_inside(&self.home.trash(&self.name), from)?;
        let (in_trash, in_place) = (exists(from), exists(to));
        if in_trash && in_place {
            return Err(WorkspaceError::Occupied(to.clone()));
        }
        let Some(repository) = self.repository_if_there(repository).await? else {
            let there = in_trash || in_place;
            let gone = WorkspaceError::NoFolder(from.clone());
            return if there { Ok(Back::Detached(ALONE.to_owned())) } else { Err(gone) };
        };
        if !in_trash && !in_place {
            let listed = self.git.worktrees(&repository).await?;
            let branch = self.branch_to_make(&repository, &listed, to, branch.as_deref()).await?;
            return Ok(Back::MadeAgain(made_again(branch)));
        }
        let Some(record) = find_record(from)? else {
            return Ok(Back::AsItWas);
        };
        let Some(folder) = &record.git_dir else {
            return Ok(Back::AsItWas);
        };
        if in_place && git_dir(to).is_some_and(|found| found.file_name() != folder.file_name()) {
            return Err(WorkspaceError::Occupied(to.clone()));
        }
        let path = if in_trash { from } else { to };
        Ok(match self.way_to_attach(&repository, path, &record).await? {
            Attach::Detached(why) => Back::Detached(why),
            Attach::Nothing | Attach::To(_) => Back::AsItWas,
        })
    }
}
