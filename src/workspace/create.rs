//! Making worktrees (`spec/agents.md` Z1, Z3) and making sure of them (`spec/lifecycle.md` B2).

use std::ffi::OsStr;
use std::path::Path;

use tokio::sync::oneshot;

use super::git::{Args, Git, Repository, RepositoryLock};
use super::list::Listed;
use super::ours::{git_dir, real, strictly_inside};
use super::{Moved, Workspace, WorkspaceError, WorkspaceResult, Worktree, WorktreeRequest};
use crate::domain::ids::SessionId;
use crate::os::paths::private_dir;

/// What a request comes to.
#[derive(Debug)]
struct Resolved {
    branch: String,
    /// The commit that the branch starts from, or shares with its base.
    base: String,
    start: Start,
    /// The worktrees of the repository, where they were looked at for it.
    listed: Option<Vec<Listed>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    /// A new branch at the base.
    New,
    /// A branch that is there and free.
    Existing,
    /// A new branch that follows one of a remote, named `origin/x`.
    Remote(String),
}

impl Resolved {
    /// The worktree that it makes.
    fn at(&self, path: &Path) -> Worktree {
        Worktree {
            path: path.to_owned(),
            branch: self.branch.clone(),
            base: self.base.clone(),
            new_branch: self.start != Start::Existing,
        }
    }
}

impl Workspace {
    /// Checks before any effect that the worktree can be made: repository, branch name, base
    /// (`spec/lifecycle.md` C1). Answers what would be made.
    ///
    /// # Errors
    /// What stands against it, each case with its own words (Z3).
    pub async fn check_worktree(&self, request: &WorktreeRequest) -> WorkspaceResult<Worktree> {
        let repository = self.git.repository(&request.repository).await?;
        let resolved = self.resolve(&repository, request).await?;
        Ok(resolved.at(&self.worktree_path(&request.project, &request.session)))
    }

    /// Makes the worktree. A failure leaves neither folder, registration nor branch behind; nor
    /// does a caller that stops waiting, as the work is undone without it.
    ///
    /// # Errors
    /// As for [`Workspace::check_worktree`]; or git or the file system said no.
    pub async fn create_worktree(&self, request: &WorktreeRequest) -> WorkspaceResult<Worktree> {
        let (mut reply, answer) = oneshot::channel();
        let (this, request) = (self.clone(), request.clone());
        let path = self.worktree_path(&request.project, &request.session);
        tokio::spawn(async move {
            let made = this.create(&request, &mut reply).await;
            if let Err(Ok((made, repository))) = reply.send(made) {
                this.undo_unclaimed(&repository, &made).await;
            }
        });
        match answer.await {
            Ok(made) => made.map(|(made, _)| made),
            Err(_) => Err(WorkspaceError::Cancelled(path)),
        }
    }

    /// Makes sure that the worktree of a terminated session is there: made again on its branch
    /// where it is missing, never by prune and never by force twice (B2).
    ///
    /// # Errors
    /// The place is taken by something else, the branch is gone or in use, or git said no.
    pub async fn ensure_worktree(
        &self,
        repository: &Path,
        path: &Path,
        branch: Option<&str>,
    ) -> WorkspaceResult<Moved> {
        let repository = self.git.repository(repository).await?;
        if path.symlink_metadata().is_ok() {
            let ours = git_dir(path).is_some_and(|found| found.starts_with(&repository.common));
            return if ours {
                Ok(Moved::default())
            } else {
                Err(WorkspaceError::Occupied(path.to_owned()))
            };
        }
        let held = self.git.lock(&repository).await?;
        let listed = self.git.worktrees(&repository).await?;
        let branch = self.branch_to_make(&repository, &listed, path, branch).await?;
        let registered = refuse_locked(&listed, &real(path))?;
        self.add(&held, &repository, path, registered, &[], branch).await?;
        Ok(Moved { note: Some(made_again(branch)) })
    }

    /// The branch that a missing worktree is made again from.
    pub(super) async fn branch_to_make<'a>(
        &self,
        repository: &Repository,
        listed: &[Listed],
        path: &Path,
        branch: Option<&'a str>,
    ) -> WorkspaceResult<&'a str> {
        let branch = branch.unwrap_or_default();
        if branch.is_empty() || self.git.branch(&repository.folder, branch).await?.is_none() {
            return Err(WorkspaceError::BranchGone {
                branch: branch.to_owned(),
                path: path.to_owned(),
            });
        }
        let place = real(path);
        let user =
            listed.iter().find(|it| it.branch.as_deref() == Some(branch) && it.path != place);
        user.map_or(Ok(branch), |user| Err(in_use(branch, user)))
    }

    async fn create(
        &self,
        request: &WorktreeRequest,
        reply: &mut oneshot::Sender<WorkspaceResult<(Worktree, Repository)>>,
    ) -> WorkspaceResult<(Worktree, Repository)> {
        let path = self.worktree_path(&request.project, &request.session);
        let cancelled = || WorkspaceError::Cancelled(path.clone());
        let repository = self.git.repository(&request.repository).await?;
        let held = tokio::select! {
            held = self.git.lock(&repository) => held?,
            () = reply.closed() => return Err(cancelled()),
        };
        strictly_inside(&self.home.worktrees(&self.name), &path)?;
        if path.symlink_metadata().is_ok() {
            return Err(WorkspaceError::Occupied(path));
        }
        let resolved = self.resolve(&repository, request).await?;
        let made = resolved.at(&path);
        let added = tokio::select! {
            added = self.add_resolved(&held, &repository, &path, &resolved) => added,
            () = reply.closed() => Err(cancelled()),
        };
        match added {
            Ok(()) => Ok((made, repository)),
            Err(error) => {
                self.undo(&held, &repository, &made).await;
                Err(error)
            }
        }
    }

    async fn add_resolved(
        &self,
        held: &RepositoryLock,
        repository: &Repository,
        path: &Path,
        resolved: &Resolved,
    ) -> WorkspaceResult<()> {
        let registered = match &resolved.listed {
            Some(listed) => refuse_locked(listed, &real(path))?,
            None => refuse_locked(&self.git.worktrees(repository).await?, &real(path))?,
        };
        let branch = &resolved.branch;
        let (options, start): (Args<'_>, &str) = match &resolved.start {
            Start::New => (&[&"--no-track", &"-b", branch], &resolved.base),
            Start::Existing => (&[], branch),
            Start::Remote(remote) => (&[&"--track", &"-b", branch], remote),
        };
        self.add(held, repository, path, registered, options, start).await
    }

    /// `git worktree add`; `registered` says that git knows a worktree there whose folder is gone.
    async fn add(
        &self,
        held: &RepositoryLock,
        repository: &Repository,
        path: &Path,
        registered: bool,
        options: Args<'_>,
        start: &str,
    ) -> WorkspaceResult<()> {
        let parent = path.parent().unwrap_or(path);
        private_dir(parent).map_err(WorkspaceError::io("make", parent))?;
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> = vec![&"worktree", &"add", &"--quiet"];
        if registered {
            args.push(&"--force");
        }
        args.extend_from_slice(options);
        args.push(&path);
        args.push(&start);
        let step = format!("make the worktree {}", path.display());
        self.git.change(held, &step, &repository.folder, &args).await?;
        self.note_made(path)
    }

    async fn resolve(
        &self,
        repository: &Repository,
        request: &WorktreeRequest,
    ) -> WorkspaceResult<Resolved> {
        let (git, folder) = (&self.git, &repository.folder);
        let branch = match request.branch.as_ref().or(request.free_branch.as_ref()) {
            Some(branch) => branch.clone(),
            None => self.free_branch(folder, &request.session).await?,
        };
        check_name(git, folder, &branch).await?;
        let base = base(git, repository, request.base.as_deref()).await?;
        if let Some(tip) = git.branch(folder, &branch).await? {
            if request.branch.is_none() {
                return Err(WorkspaceError::BranchExists(branch));
            }
            let listed = git.worktrees(repository).await?;
            if let Some(user) = listed.iter().find(|it| it.branch.as_deref() == Some(&branch)) {
                return Err(in_use(&branch, user));
            }
            let step = "find where the branch left its base";
            let shared = git.ask(step, folder, &[&"merge-base", &base, &tip]).await?;
            let (base, start) = (shared.unwrap_or(tip), Start::Existing);
            return Ok(Resolved { branch, base, start, listed: Some(listed) });
        }
        refuse_conflict(git, folder, &branch).await?;
        if request.branch.is_some()
            && request.base.is_none()
            && let Some(remote) = only_remote(git, folder, &branch).await?
            && let Some(tip) = git.commit(folder, &format!("refs/remotes/{remote}")).await?
        {
            return Ok(Resolved { branch, base: tip, start: Start::Remote(remote), listed: None });
        }
        Ok(Resolved { branch, base, start: Start::New, listed: None })
    }

    /// The template's branch of a session, or the first of it with a number at its end that is not
    /// there: another installation may have had a session of the same id.
    async fn free_branch(&self, folder: &Path, session: &SessionId) -> WorkspaceResult<String> {
        let template = self.template_branch(session);
        check_name(&self.git, folder, &template).await?;
        let mut branch = template.clone();
        let mut number = 1;
        while self.git.branch(folder, &branch).await?.is_some() {
            number += 1;
            branch = format!("{template}-{number}");
        }
        Ok(branch)
    }

    /// Takes back a worktree that nobody waited for.
    async fn undo_unclaimed(&self, repository: &Repository, made: &Worktree) {
        match self.git.lock(repository).await {
            Ok(held) => self.undo(&held, repository, made).await,
            Err(error) => tracing::warn!(%error, path = %made.path.display(), "a worktree stays"),
        }
    }

    /// Takes back what a failed create made: the folder was not there before, nor the branch where
    /// it is a new one. Every part is tried; what fails is logged.
    async fn undo(&self, held: &RepositoryLock, repository: &Repository, made: &Worktree) {
        let folder = &repository.folder;
        let remove: Args<'_> = &[&"worktree", &"remove", &"--force", &made.path];
        if let Err(error) = self.git.change(held, "take back the worktree", folder, remove).await {
            tracing::debug!(%error, "there was no worktree to take back");
        }
        if made.path.exists()
            && let Err(error) = std::fs::remove_dir_all(&made.path)
        {
            tracing::warn!(%error, path = %made.path.display(), "a folder stays");
        }
        if !made.path.exists() {
            self.forget_made(&made.path);
        }
        if let Some(project) = made.path.parent() {
            // Fails where other worktrees are in it, as it should.
            let _ = std::fs::remove_dir(project);
        }
        if made.new_branch && matches!(self.git.branch(folder, &made.branch).await, Ok(Some(_))) {
            let delete: Args<'_> = &[&"branch", &"-D", &"--", &made.branch];
            if let Err(error) = self.git.change(held, "take back the branch", folder, delete).await
            {
                tracing::warn!(%error, branch = made.branch, "a branch stays");
            }
        }
    }
}

fn in_use(branch: &str, user: &Listed) -> WorkspaceError {
    WorkspaceError::BranchInUse { branch: branch.to_owned(), folder: user.path.clone() }
}

/// Whether git knows a worktree at this missing place; refused where that one is locked.
fn refuse_locked(listed: &[Listed], place: &Path) -> WorkspaceResult<bool> {
    let Some(found) = listed.iter().find(|it| it.path == place) else {
        return Ok(false);
    };
    match &found.locked {
        Some(reason) => {
            Err(WorkspaceError::Locked { path: place.to_owned(), reason: reason.clone() })
        }
        None => Ok(true),
    }
}

/// The name must be legal as it is: `@{-1}` and its like are not expanded.
async fn check_name(git: &Git, folder: &Path, branch: &str) -> WorkspaceResult<()> {
    let args: Args<'_> = &[&"check-ref-format", &"--branch", &branch];
    let checked = git.ask("check the branch name", folder, args).await;
    match checked {
        Ok(Some(name)) if name == branch && branch != "HEAD" => Ok(()),
        Ok(_) | Err(WorkspaceError::Git { .. }) => {
            Err(WorkspaceError::BadBranch(branch.to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// The commit of the base: given, else origin's default branch, else the present commit.
async fn base(git: &Git, repository: &Repository, given: Option<&str>) -> WorkspaceResult<String> {
    let folder = &repository.folder;
    if let Some(base) = given {
        return git.commit(folder, base).await?.ok_or_else(|| WorkspaceError::BadBase {
            base: base.to_owned(),
            path: folder.clone(),
        });
    }
    for name in ["refs/remotes/origin/HEAD", "HEAD"] {
        if let Some(commit) = git.commit(folder, name).await? {
            return Ok(commit);
        }
    }
    Err(WorkspaceError::NoCommit(folder.clone()))
}

/// Git keeps branches as files: `a` and `a/b` cannot both be.
async fn refuse_conflict(git: &Git, folder: &Path, branch: &str) -> WorkspaceResult<()> {
    let conflict =
        |other: String| WorkspaceError::BranchConflict { branch: branch.to_owned(), other };
    for (at, _) in branch.match_indices('/') {
        if git.branch(folder, &branch[..at]).await?.is_some() {
            return Err(conflict(branch[..at].to_owned()));
        }
    }
    let below = format!("refs/heads/{branch}/");
    let args: Args<'_> = &[&"for-each-ref", &"--count=1", &"--format=%(refname:lstrip=2)", &below];
    match git.ask("look for branches in the way", folder, args).await? {
        Some(other) => Err(conflict(other)),
        None => Ok(()),
    }
}

/// The branch of this name at a remote, as `origin/x`, where exactly one remote has it.
async fn only_remote(git: &Git, folder: &Path, branch: &str) -> WorkspaceResult<Option<String>> {
    let pattern = format!("refs/remotes/*/{branch}");
    let args: Args<'_> =
        &[&"for-each-ref", &"--count=2", &"--format=%(refname:lstrip=2)", &pattern];
    let found = git.ask("look for the branch at remotes", folder, args).await?;
    Ok(found.filter(|names| !names.contains('\n')))
}

/// What is said of a worktree that was made again.
pub(super) fn made_again(branch: &str) -> String {
    format!("the folder was missing and is made again from {branch}")
}
