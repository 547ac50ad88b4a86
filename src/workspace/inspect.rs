//! Looking at a worktree without touching it.

use std::ffi::OsStr;
use std::path::Path;

use super::git::Args;
use super::prepare::blocking;
use super::prepared::Prepared;
use super::status::{Files, Status};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::plan::Advice;

impl Workspace {
    /// Dirty files and unpushed commits of a worktree. A repository without remotes counts the
    /// commits that no other branch has.
    ///
    /// # Errors
    /// The folder is gone or no worktree, or git said no.
    pub async fn advice(&self, worktree: &Path) -> WorkspaceResult<Advice> {
        must_exist(worktree)?;
        let Status { commit, branch, entries } = self.status(worktree, Files::Dirty).await?;
        let unpushed = match commit {
            Some(_) => self.unpushed(worktree, branch.as_deref()).await?,
            None => Some(0),
        };
        let place = worktree.to_owned();
        let dirty = blocking(worktree, move || {
            let prepared = Prepared::load(&place);
            Ok(entries.iter().filter(|entry| !entry.is_prepared(&prepared, &place)).count())
        })
        .await?;
        Ok(Advice {
            dirty_files: Some(u32::try_from(dirty).unwrap_or(u32::MAX)),
            unpushed_commits: unpushed,
            ..Advice::default()
        })
    }

    async fn unpushed(&self, worktree: &Path, own: Option<&str>) -> WorkspaceResult<Option<u32>> {
        let any_remote: Args<'_> = &[&"for-each-ref", &"--count=1", &"refs/remotes/"];
        let step = "count the commits that no remote has";
        let exclude = own.map(|branch| format!("--exclude={branch}"));
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> =
            vec![&"rev-list", &"--count", &"HEAD", &"--not"];
        if self.git.ask(step, worktree, any_remote).await?.is_some() {
            args.push(&"--remotes");
        } else {
            if let Some(exclude) = &exclude {
                args.push(exclude);
            }
            args.push(&"--branches");
        }
        let counted = self.git.ask(step, worktree, &args).await?;
        Ok(counted.and_then(|count| count.parse().ok()))
    }

    /// Whether a branch, local or of a remote, holds the present commit; true where there is none.
    pub(super) async fn head_is_kept(&self, worktree: &Path) -> WorkspaceResult<bool> {
        let Some(head) = self.git.commit(worktree, "HEAD").await? else {
            return Ok(true);
        };
        let args: Args<'_> = &[
            &"for-each-ref",
            &"--count=1",
            &"--contains",
            &head,
            &"refs/heads/",
            &"refs/remotes/",
        ];
        Ok(self.git.ask("look for branches that hold the commit", worktree, args).await?.is_some())
    }
}

/// The first paths as words, for a reason.
pub(super) fn some_paths(paths: &[&Path]) -> String {
    let mut words: Vec<String> = paths
        .iter()
        .take(3)
        .map(|path| crate::domain::text::clean_line(&path.to_string_lossy()))
        .collect();
    if paths.len() > words.len() {
        words.push(format!("and {} more", paths.len() - words.len()));
    }
    words.join(", ")
}

/// A folder must be there to be looked at.
pub(super) fn must_exist(path: &Path) -> WorkspaceResult<()> {
    if path.is_dir() { Ok(()) } else { Err(WorkspaceError::NoFolder(path.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_shortened() {
        let paths: Vec<&Path> = ["a", "b", "c", "d\u{1b}"].iter().map(Path::new).collect();
        assert_eq!(some_paths(&paths), "a, b, c, and 1 more");
        assert_eq!(some_paths(&paths[3..]), "d");
    }
}
