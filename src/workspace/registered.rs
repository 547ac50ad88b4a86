//! What a repository knows of a worktree: its place and its lock, and the link between the two.
//!
//! Both are files that `gitrepository-layout(5)` documents, `worktrees/<id>/gitdir` and
//! `worktrees/<id>/locked`: written here, since git's own commands for them look at every worktree
//! of the repository first, and there may be hundreds.

use std::io;
use std::path::{Path, PathBuf};

use super::git::{Args, Repository, RepositoryLock};
use super::ours::{git_dir, real};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::os::fs::{put_new, replace};

/// The reason of our lock; another reason is the operator's and stays.
pub(super) const LOCK_REASON: &str = "in callboard's trash";

impl Workspace {
    /// Tells the repository where the worktree is now. Where the two do not name each other by whole
    /// paths, as in a repository that was moved itself, git finds out.
    pub(super) async fn register(
        &self,
        held: &RepositoryLock,
        repository: &Repository,
        path: &Path,
    ) -> WorkspaceResult<()> {
        let Some(folder) = linked_whole(repository, path) else {
            let args: Args<'_> = &[&"worktree", &"repair", &path];
            return self.git.change(held, "register it anew", &repository.folder, args).await;
        };
        let place = folder.join("gitdir");
        let link = real(path).join(".git");
        let content = [link.as_os_str().as_encoded_bytes(), b"\n"].concat();
        replace(&place, &content).map_err(WorkspaceError::io("write", &place))
    }
}

/// The git folder of a worktree that names it by its whole path, in this repository.
fn linked_whole(repository: &Repository, worktree: &Path) -> Option<PathBuf> {
    let link = std::fs::read(worktree.join(".git")).ok()?;
    let folder = git_dir(worktree).filter(|_| link.starts_with(b"gitdir: /"))?;
    let known = folder.starts_with(repository.common.join("worktrees"));
    (known && folder.join("gitdir").is_file()).then_some(folder)
}

/// The git folder of a linked worktree of this repository, whose link is put back where it was lost.
pub(super) fn registered(
    repository: &Repository,
    worktree: &Path,
) -> WorkspaceResult<Option<PathBuf>> {
    heal_link(repository, worktree)?;
    let ours = |it: &PathBuf| it.starts_with(&repository.common) && *it != repository.common;
    Ok(git_dir(worktree).filter(ours))
}

/// Whether it had to be locked: it may be locked already.
pub(super) fn lock_worktree(worktree: &Path) -> WorkspaceResult<bool> {
    let Some(lock) = git_dir(worktree).map(|folder| folder.join("locked")) else {
        return Ok(false);
    };
    match put_new(&lock, LOCK_REASON.as_bytes()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(WorkspaceError::io("write", &lock)(error)),
    }
}

/// Takes our lock off; the operator's stays.
pub(super) fn unlock_worktree(worktree: &Path) -> WorkspaceResult<()> {
    let Some(lock) = git_dir(worktree).map(|folder| folder.join("locked")) else {
        return Ok(());
    };
    match std::fs::read_to_string(&lock) {
        Ok(reason) if reason.trim() == LOCK_REASON => {
            std::fs::remove_file(&lock).map_err(WorkspaceError::io("remove", &lock))
        }
        _ => Ok(()),
    }
}

/// Puts back a `.git` file that was lost, where the repository knows the worktree: no repair of
/// git's does, and without it the folder could not be told from any other.
fn heal_link(repository: &Repository, worktree: &Path) -> WorkspaceResult<()> {
    let link = real(worktree).join(".git");
    let Ok(folders) = std::fs::read_dir(repository.common.join("worktrees")) else {
        return Ok(());
    };
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    let of_this = |folder: &PathBuf| {
        std::fs::read_to_string(folder.join("gitdir"))
            .is_ok_and(|text| folder.join(text.trim_end()) == link)
    };
    let Some(folder) = folders.flatten().map(|entry| entry.path()).find(of_this) else {
        return Ok(());
    };
    let content = [b"gitdir: ", folder.as_os_str().as_encoded_bytes(), b"\n"].concat();
    std::fs::write(&link, content).map_err(WorkspaceError::io("put back", &link))
}
