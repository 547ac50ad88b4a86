//! Giving back a worktree that holds no work (`spec/lifecycle.md` K3).

use std::path::Path;

use super::git::{Args, Repository, RepositoryLock};
use super::hooks::Installed;
use super::inspect::some_paths;
use super::ours::{git_dir, unfinished};
use super::prepare::blocking;
use super::prepared::Prepared;
use super::status::{Entry, EntryKind, Files};
use super::{Freed, Workspace, WorkspaceError, WorkspaceResult, Worktree};

impl Freed {
    fn kept(reason: impl Into<String>) -> Self {
        Self { freed: false, reason: Some(reason.into()), only_ignored: false }
    }

    fn done() -> Self {
        Self { freed: true, reason: None, only_ignored: false }
    }
}

impl Workspace {
    /// Gives a worktree back if it is clean: nothing staged, changed or untracked, nothing ignored
    /// but what prepare put there unchanged, nothing under way, and its commit held by a branch.
    /// Its branch goes too where it was made with it and has no commit of its own. A worktree that
    /// is gone is given back.
    ///
    /// # Errors
    /// Git or the file system said no; the folder is not ours (`spec/agents.md` Z4).
    pub async fn give_back(
        &self,
        repository: &Path,
        worktree: &Worktree,
    ) -> WorkspaceResult<Freed> {
        self.check_ours(&worktree.path)?;
        let there = worktree.path.symlink_metadata().is_ok();
        let repository = match self.git.repository(repository).await {
            Ok(repository) => repository,
            Err(WorkspaceError::NoFolder(_) | WorkspaceError::NotARepository(_)) if there => {
                return Ok(Freed::kept("its repository is gone"));
            }
            Err(WorkspaceError::NoFolder(_) | WorkspaceError::NotARepository(_)) => {
                return Ok(Freed::done());
            }
            Err(error) => return Err(error),
        };
        let held = self.git.lock(&repository).await?;
        if there {
            // Also of a worktree that is kept: its session has ended.
            self.remove_hooks(&worktree.path).await?;
            if let Some(kept) = self.kept(&repository, &worktree.path).await? {
                return Ok(kept);
            }
            self.unprepare(&worktree.path).await?;
        }
        if let Some(reason) =
            self.remove_worktree(&held, &repository, &worktree.path, there).await?
        {
            return Ok(Freed::kept(reason));
        }
        self.forget_made(&worktree.path);
        if worktree.new_branch {
            self.delete_unused_branch(&held, &repository, worktree).await?;
        }
        Ok(Freed::done())
    }

    /// Why [`Workspace::give_back`] would keep a worktree, if it would. Reads only.
    ///
    /// # Errors
    /// Git or the file system said no; the folder is not ours.
    pub async fn reason_to_keep(
        &self,
        repository: &Path,
        worktree: &Path,
    ) -> WorkspaceResult<Option<String>> {
        if worktree.symlink_metadata().is_err() {
            return Ok(None);
        }
        let repository = self.git.repository(repository).await?;
        Ok(self.kept(&repository, worktree).await?.and_then(|kept| kept.reason))
    }

    /// Why the worktree is not clean, if it is not.
    async fn kept(&self, repository: &Repository, path: &Path) -> WorkspaceResult<Option<Freed>> {
        let Some(folder) = git_dir(path).filter(|folder| folder.starts_with(&repository.common))
        else {
            return Err(WorkspaceError::NotOurs(path.to_owned()));
        };
        if let Some(what) = unfinished(&folder) {
            return Ok(Some(Freed::kept(format!("{what} is under way"))));
        }
        let locked = std::fs::read_to_string(folder.join("locked"));
        if let Ok(reason) = locked.as_deref() {
            return Ok(Some(Freed::kept(format!(
                "it is locked: {}",
                crate::domain::text::clean_line(reason)
            ))));
        }
        let entries = self.status(path, Files::Every).await?.entries;
        let place = path.to_owned();
        let entries = blocking(path, move || {
            let (prepared, hooks) = (Prepared::load(&place), Installed::load(&place));
            let work = |entry: &Entry| {
                !entry.is_prepared(&prepared, &place) && !hooks.is_only_ours(&place, &entry.path)
            };
            Ok(entries.into_iter().filter(work).collect::<Vec<_>>())
        })
        .await?;
        let (ignored, work): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| entry.kind == EntryKind::Ignored);
        let names = |entries: &[&Entry]| {
            some_paths(&entries.iter().map(|entry| entry.path.as_path()).collect::<Vec<_>>())
        };
        if !work.is_empty() {
            return Ok(Some(Freed::kept(format!("it has uncommitted changes: {}", names(&work)))));
        }
        if !self.head_is_kept(path).await? {
            return Ok(Some(Freed::kept("its commit is on no branch")));
        }
        if folder.join("modules").exists() {
            let reason = "it holds submodules, which may have work of their own";
            return Ok(Some(Freed::kept(reason)));
        }
        if !ignored.is_empty() {
            let reason = Some(format!("it holds ignored files: {}", names(&ignored)));
            return Ok(Some(Freed { freed: false, reason, only_ignored: true }));
        }
        Ok(None)
    }

    /// `git worktree remove`, which looks for changes once more by itself. Answers why it is kept.
    async fn remove_worktree(
        &self,
        held: &RepositoryLock,
        repository: &Repository,
        path: &Path,
        there: bool,
    ) -> WorkspaceResult<Option<String>> {
        let step = "remove the worktree";
        let args: Args<'_> = &[&"worktree", &"remove", &path];
        match self.git.change(held, step, &repository.folder, args).await {
            Err(WorkspaceError::Git { detail, .. }) if !there => {
                tracing::debug!(detail, path = %path.display(), "a missing worktree was not registered");
                Ok(None)
            }
            Err(WorkspaceError::Git { detail, .. }) if path.exists() => Ok(Some(detail)),
            other => other.map(|()| None),
        }
    }

    /// Deletes the branch that was made with the worktree, if all its commits are its base's and
    /// nobody uses it.
    async fn delete_unused_branch(
        &self,
        held: &RepositoryLock,
        repository: &Repository,
        worktree: &Worktree,
    ) -> WorkspaceResult<()> {
        let (git, folder, branch) = (&self.git, &repository.folder, &worktree.branch);
        let Some(tip) = git.branch(folder, branch).await? else {
            return Ok(());
        };
        if git.commit(folder, &worktree.base).await?.is_none() {
            return Ok(());
        }
        let own: Args<'_> = &[&"rev-list", &"--max-count=1", &tip, &"--not", &worktree.base];
        if git.ask("count the branch's own commits", folder, own).await?.is_some() {
            return Ok(());
        }
        let listed = git.worktrees(repository).await?;
        if listed.iter().any(|it| it.branch.as_deref() == Some(branch)) {
            return Ok(());
        }
        git.change(held, "delete the branch", folder, &[&"branch", &"-D", &"--", branch]).await
    }
}
