//! Removing worktrees that lie in the trash for good (`spec/lifecycle.md` R5, `spec/agents.md` Z4).

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::{Args, Repository};
use super::ours::{real, strictly_inside};
use super::prepare::blocking;
use super::trash::{find_record, forget};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::ids::SessionId;
use crate::os::fs::remove_tree;

impl Workspace {
    /// Folders where worktrees are made that are there, ascending, with the session that each is
    /// named after.
    ///
    /// # Errors
    /// The folder of the worktrees cannot be read.
    pub async fn worktrees(&self) -> WorkspaceResult<Vec<(SessionId, PathBuf)>> {
        let root = self.home.worktrees(&self.name);
        let place = root.clone();
        blocking(&place, move || {
            let mut found = Vec::new();
            for project in entries(&root)? {
                for path in entries(&project)? {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    if let (Ok(id), true) = (SessionId::new(name), path.is_dir()) {
                        found.push((id, path));
                    }
                }
            }
            found.sort();
            Ok(found)
        })
        .await
    }

    /// Folders that lie in the trash for these sessions, ascending.
    ///
    /// # Errors
    /// The trash cannot be read.
    pub async fn trashed(
        &self,
        ids: &BTreeSet<SessionId>,
    ) -> WorkspaceResult<Vec<(SessionId, PathBuf)>> {
        let (root, ids) = (self.home.trash(&self.name), ids.clone());
        let place = root.clone();
        blocking(&place, move || {
            let mut found = Vec::new();
            for batch in entries(&root)? {
                for path in entries(&batch)? {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    if let Some(id) = ids.get(name)
                        && path.is_dir()
                    {
                        found.push((id.clone(), path));
                    }
                }
            }
            found.sort();
            Ok(found)
        })
        .await
    }

    /// Removes a folder in the trash with its registration; answers the bytes of files that went.
    /// Done already is a success.
    ///
    /// # Errors
    /// The folder is not in our trash, or git or the file system said no. What was begun is continued
    /// by the next call.
    pub async fn remove_trashed(
        &self,
        repository: Option<&Path>,
        path: &Path,
    ) -> WorkspaceResult<u64> {
        strictly_inside(&self.home.trash(&self.name), path)?;
        let place = path.to_owned();
        let bytes = blocking(path, move || {
            remove_tree(&place).map_err(WorkspaceError::io("remove", &place))
        })
        .await?;
        let repository = match repository {
            Some(folder) => self.repository_if_there(folder).await?,
            None => None,
        };
        if let Some(repository) = repository {
            let held = self.git.lock(&repository).await?;
            if let Some(registered) = self.registered(&repository, path).await? {
                // Twice, since it is locked; the folder itself is gone already.
                let args: Args<'_> = &[&"worktree", &"remove", &"--force", &"--force", &registered];
                self.git.change(&held, "unregister the worktree", &repository.folder, args).await?;
            }
        }
        forget(path);
        Ok(bytes)
    }

    /// How git names the missing worktree that lay at `path`, if it still knows it.
    async fn registered(
        &self,
        repository: &Repository,
        path: &Path,
    ) -> WorkspaceResult<Option<PathBuf>> {
        // By the record: listing thousands of worktrees for each of them takes too long. A move that
        // was cut short left the old place registered.
        let recorded = find_record(path)?.and_then(|record| record.git_dir);
        if let Some(folder) = recorded.filter(|it| it.starts_with(&repository.common)) {
            let known = std::fs::read(folder.join("gitdir")).ok();
            let known = known.map(|text| folder.join(OsStr::from_bytes(text.trim_ascii_end())));
            let place = known.and_then(|link| link.parent().map(Path::to_owned));
            return Ok(place.filter(|it| it.symlink_metadata().is_err()));
        }
        let place = real(path);
        let listed = self.git.worktrees(repository).await?;
        Ok(listed.into_iter().map(|it| it.path).find(|it| *it == place || it == path))
    }

    /// Whether a branch is the one that callboard makes for a session that names none.
    pub fn is_own_branch(&self, session: &SessionId, branch: &str) -> bool {
        self.template_branch(session) == branch
    }

    /// Deletes a branch; with `merged` only if the default branch or the present one holds all its
    /// commits and nobody has it checked out. Answers whether it is gone.
    ///
    /// # Errors
    /// Git said no, or a branch that goes unmerged too is in use.
    pub async fn delete_branch(
        &self,
        repository: &Path,
        branch: &str,
        merged: bool,
    ) -> WorkspaceResult<bool> {
        let Some(repository) = self.repository_if_there(repository).await? else {
            return Ok(false);
        };
        let held = self.git.lock(&repository).await?;
        let (git, folder) = (&self.git, &repository.folder);
        let Some(tip) = git.branch(folder, branch).await? else {
            return Ok(true);
        };
        let full = format!("refs/heads/{branch}");
        let user: Args<'_> = &[&"for-each-ref", &"--format=%(worktreepath)", &full];
        match git.ask("look who uses the branch", folder, user).await? {
            Some(_) if merged => return Ok(false),
            Some(user) => {
                let (branch, folder) = (branch.to_owned(), PathBuf::from(user));
                return Err(WorkspaceError::BranchInUse { branch, folder });
            }
            None => {}
        }
        if merged && !self.is_merged(&repository, &tip).await? {
            return Ok(false);
        }
        git.change(&held, "delete the branch", folder, &[&"branch", &"-D", &"--", &branch]).await?;
        Ok(true)
    }

    /// Whether the default branch or the present one holds a commit.
    async fn is_merged(&self, repository: &Repository, commit: &str) -> WorkspaceResult<bool> {
        for base in ["refs/remotes/origin/HEAD", "HEAD"] {
            if let Some(base) = self.git.commit(&repository.folder, base).await? {
                let own: Args<'_> = &[&"rev-list", &"--max-count=1", &commit, &"--not", &base];
                let step = "look whether the branch is merged";
                if self.git.ask(step, &repository.folder, own).await?.is_none() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// What is in a folder; nothing where it is not there.
fn entries(folder: &Path) -> WorkspaceResult<Vec<PathBuf>> {
    let read = match std::fs::read_dir(folder) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        other => other.map_err(WorkspaceError::io("read", folder))?,
    };
    let paths = read.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<io::Result<_>>().map_err(WorkspaceError::io("read", folder))
}
