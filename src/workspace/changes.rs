//! What was changed in a worktree, counted, and how much room it takes.

use std::path::{Path, PathBuf};

use super::git::Args;
use super::purge::branch_of;
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::worktree::Base;

impl Workspace {
    /// Changed files, added and removed lines against `base`, else against the last commit. Files
    /// that git does not know yet are not among them.
    ///
    /// # Errors
    /// The folder is gone or no worktree, or git said no.
    pub async fn changes(
        &self,
        worktree: &Path,
        base: Option<&str>,
    ) -> WorkspaceResult<(u32, u32, u32)> {
        let against = base.unwrap_or("HEAD");
        let args: Args<'_> = &[&"diff", &"--shortstat", &"--no-ext-diff", &against, &"--"];
        let output = self.git.read("count the changes", worktree, args).await?;
        Ok(parse_shortstat(&String::from_utf8_lossy(&output)))
    }

    /// The default branch of a worktree's repository, and how far the worktree is behind it; none where there
    /// is no such branch.
    ///
    /// # Errors
    /// The folder is gone or no worktree, or git said no.
    pub async fn base(&self, worktree: &Path) -> WorkspaceResult<Option<Base>> {
        let repository = self.git.repository(worktree).await?;
        let Some(full) = self.default_ref(&repository).await? else {
            return Ok(None);
        };
        let missing = format!("HEAD..{full}");
        let args: Args<'_> = &[&"rev-list", &"--count", &missing, &"--"];
        let counted = self.git.ask("count what the base has more", worktree, args).await?;
        let behind = counted.and_then(|number| number.parse().ok());
        let branch = branch_of(&full).map(str::to_owned);
        Ok(branch.zip(behind).map(|(branch, behind)| Base { branch, behind }))
    }

    /// Bytes of all files in a folder; links are not followed.
    ///
    /// # Errors
    /// The folder is gone or cannot be read.
    pub async fn folder_size(&self, folder: &Path) -> WorkspaceResult<u64> {
        let folder = folder.to_owned();
        let measured = tokio::task::spawn_blocking({
            let folder = folder.clone();
            move || size_of(folder)
        });
        let failed = WorkspaceError::io("measure", &folder);
        measured.await.map_err(std::io::Error::other).and_then(|size| size).map_err(failed)
    }
}

fn size_of(folder: PathBuf) -> std::io::Result<u64> {
    let mut size = 0;
    let mut open = vec![folder];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next)? {
            let entry = entry?;
            let about = entry.metadata()?;
            if about.is_dir() {
                open.push(entry.path());
            } else {
                size += about.len();
            }
        }
    }
    Ok(size)
}

/// ` 3 files changed, 41 insertions(+), 7 deletions(-)`, of which each part may be missing.
fn parse_shortstat(line: &str) -> (u32, u32, u32) {
    let number = |word: &str| {
        let part = line.split(',').find(|part| part.contains(word))?;
        part.split_whitespace().next()?.parse().ok()
    };
    let number = |word: &str| number(word).unwrap_or(0);
    (number("file"), number("insertion"), number("deletion"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_statistic_is_read_whatever_part_is_missing() {
        let line = " 3 files changed, 41 insertions(+), 7 deletions(-)\n";
        assert_eq!(parse_shortstat(line), (3, 41, 7));
        assert_eq!(parse_shortstat(" 1 file changed, 1 deletion(-)\n"), (1, 0, 1));
        assert_eq!(parse_shortstat(""), (0, 0, 0));
    }
}
