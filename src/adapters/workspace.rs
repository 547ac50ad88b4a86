//! Worktrees as a port: every call ends with its context.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::error::ErrorKind;
use crate::domain::hook::HookFile;
use crate::domain::ids::{BatchId, ProjectName, SessionId};
use crate::domain::plan::{Advice, Back};
use crate::domain::rail::ProjectSetup;
use crate::domain::worktree::{Difference, WayBack};
use crate::host::context::{Context, Ended};
use crate::host::ports::{
    Changes, FolderPort, Freed, Moved, PortError, PortResult, Staying, WorkspacePort, Worktree,
    WorktreeRequest,
};
use crate::workspace::{self, WorkspaceResult};

use super::Real;

impl<R: Send + Sync + 'static> FolderPort for Real<R> {
    async fn changes(
        &self,
        ctx: &Context,
        worktree: &Path,
        base: Option<&str>,
    ) -> PortResult<Changes> {
        let work = self.workspace.changes(worktree, base);
        let (files, added, removed) = within(ctx, "counting the changes", work).await?;
        Ok(Changes { added, removed, files })
    }

    async fn difference(
        &self,
        ctx: &Context,
        worktree: &Path,
        base: Option<&str>,
        patch: bool,
    ) -> PortResult<Difference> {
        let work = self.workspace.difference(worktree, base, patch);
        within(ctx, "reading the changes", work).await
    }

    async fn staying(
        &self,
        worktrees: &[(SessionId, PathBuf)],
        leaving: &[SessionId],
    ) -> PortResult<Staying> {
        if worktrees.is_empty() {
            return Ok(Staying::new());
        }
        let (workspace, asked) = (self.workspace.clone(), worktrees.to_vec());
        let looked = tokio::task::spawn_blocking(move || look_at_folders(&workspace, asked)).await;
        let (mut staying, real) = looked.map_err(|error| PortError {
            kind: ErrorKind::Failed,
            message: format!("looking at the worktrees: {error}"),
            hint: None,
        })?;
        let folders = real.keys().cloned().collect();
        for user in self.store.users_of(folders, leaving).await? {
            if let Some(owner) = real.get(&user.folder).filter(|owner| **owner != user.id) {
                let reason = format!("{} works in it too", user.id);
                staying.entry(owner.clone()).or_insert(reason);
            }
        }
        Ok(staying)
    }

    async fn folder_size(&self, ctx: &Context, folder: &Path) -> PortResult<u64> {
        within(ctx, "measuring the folder", self.workspace.folder_size(folder)).await
    }
}

impl<R: Send + Sync + 'static> WorkspacePort for Real<R> {
    async fn is_repository(&self, path: &Path) -> bool {
        self.workspace.is_repository(path).await
    }

    async fn check_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> PortResult<Worktree> {
        within(ctx, "checking the worktree", self.workspace.check_worktree(request)).await
    }

    async fn create_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> PortResult<Worktree> {
        within(ctx, "making the worktree", self.workspace.create_worktree(request)).await
    }

    async fn prepare(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
        setup: &ProjectSetup,
    ) -> PortResult<()> {
        let work = self.workspace.prepare(repository, worktree, setup);
        within(ctx, "setting the worktree up", work).await
    }

    async fn unprepare(
        &self,
        ctx: &Context,
        _repository: &Path,
        worktree: &Path,
        _setup: &ProjectSetup,
    ) -> PortResult<()> {
        let work = self.workspace.unprepare(worktree);
        within(ctx, "taking the set-up back", work).await
    }

    async fn give_back(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Worktree,
    ) -> PortResult<Freed> {
        let work = self.workspace.give_back(repository, worktree);
        within(ctx, "giving the worktree back", work).await
    }

    async fn install_hooks(
        &self,
        ctx: &Context,
        worktree: &Path,
        hooks: &HookFile,
    ) -> PortResult<Option<String>> {
        let work = self.workspace.install_hooks(worktree, hooks);
        within(ctx, "installing the hooks", work).await
    }

    async fn remove_hooks(&self, ctx: &Context, worktree: &Path) -> PortResult<()> {
        within(ctx, "removing the hooks", self.workspace.remove_hooks(worktree)).await
    }

    async fn reason_to_keep(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
    ) -> PortResult<Option<String>> {
        let work = self.workspace.reason_to_keep(repository, worktree);
        within(ctx, "looking at the worktree", work).await
    }

    async fn advice(&self, ctx: &Context, worktree: &Path) -> PortResult<Advice> {
        within(ctx, "looking at the worktree", self.workspace.advice(worktree)).await
    }

    async fn worktrees(&self) -> PortResult<Vec<(SessionId, PathBuf)>> {
        Ok(self.workspace.worktrees().await?)
    }

    fn worktree_path(&self, project: &ProjectName, id: &SessionId) -> PathBuf {
        self.workspace.worktree_path(project, id)
    }

    fn trash_path(&self, batch: &BatchId, id: &SessionId) -> PathBuf {
        self.workspace.trash_path(batch, id)
    }

    async fn move_to_trash(
        &self,
        ctx: &Context,
        repository: &Path,
        from: &Path,
        to: &Path,
    ) -> PortResult<Moved> {
        let work = self.workspace.move_to_trash(repository, from, to);
        within(ctx, "moving the worktree to the trash", work).await
    }

    async fn move_back(&self, ctx: &Context, way: &WayBack) -> PortResult<Moved> {
        let work = self.workspace.move_back(way);
        within(ctx, "moving the worktree back", work).await
    }

    async fn foresee_move_back(&self, ctx: &Context, way: &WayBack) -> PortResult<Back> {
        let work = self.workspace.foresee_move_back(way);
        within(ctx, "looking at the way back", work).await
    }

    async fn ensure_worktree(
        &self,
        ctx: &Context,
        repository: &Path,
        path: &Path,
        branch: Option<&str>,
    ) -> PortResult<Moved> {
        let work = self.workspace.ensure_worktree(repository, path, branch);
        within(ctx, "making sure of the worktree", work).await
    }
}

/// Those that must stay by what the file system says; and every name of each folder, since
/// sessions know theirs with links resolved or not.
fn look_at_folders(
    workspace: &workspace::Workspace,
    worktrees: Vec<(SessionId, PathBuf)>,
) -> (Staying, BTreeMap<PathBuf, SessionId>) {
    let present = std::env::current_dir().ok();
    let (mut staying, mut names) = (Staying::new(), BTreeMap::new());
    for (id, path) in worktrees {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if let Some(reason) = workspace.must_stay(&path) {
            staying.insert(id.clone(), reason);
        } else if present.as_ref().is_some_and(|present| present.starts_with(&real)) {
            let reason = format!("{} is the current folder", path.display());
            staying.insert(id.clone(), reason);
        }
        names.insert(real, id.clone());
        names.insert(path, id);
    }
    (staying, names)
}

pub(super) async fn within<T>(
    ctx: &Context,
    what: &str,
    work: impl Future<Output = WorkspaceResult<T>>,
) -> PortResult<T> {
    match ctx.run(work).await {
        Ok(result) => Ok(result?),
        Err(ended) => Err(ended_error(what, ended)),
    }
}

/// A step that its context ended.
pub(super) fn ended_error(what: &str, ended: Ended) -> PortError {
    let kind = match ended {
        Ended::Cancelled => ErrorKind::Interrupted,
        Ended::TimedOut => ErrorKind::TimedOut,
    };
    PortError { kind, message: format!("{what}: {ended}"), hint: None }
}
