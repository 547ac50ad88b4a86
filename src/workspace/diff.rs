//! The difference of a worktree from where its branch began, with what git does not know yet.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::Args;
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::worktree::{Difference, FileChange};

/// Neither programs of the operator's nor of the repository's are run for a look.
const PLAIN: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--no-color"];

impl Workspace {
    /// The difference from the merge base of `base`, else from the last commit: committed, uncommitted
    /// and new files; with the patch where it is asked for. Nothing in the repository changes, its index
    /// neither.
    ///
    /// # Errors
    /// The folder is gone or no worktree, or git said no.
    pub async fn difference(
        &self,
        worktree: &Path,
        base: Option<&str>,
        patch: bool,
    ) -> WorkspaceResult<Difference> {
        let base = self.merge_base(worktree, base).await?;
        let index = Index::copied(self, worktree).await?;
        let step = "read the changes";
        let [ext, conv, colour] = PLAIN;
        let count: Args<'_> =
            &[&"diff", &ext, &conv, &"--no-renames", &"--numstat", &"-z", &base, &"--"];
        let counted = self.git.read_by_index(step, worktree, &index.path, None, count).await?;
        let patch = if patch {
            let args: Args<'_> = &[&"diff", &ext, &conv, &colour, &base, &"--"];
            self.git.read_by_index(step, worktree, &index.path, None, args).await?
        } else {
            Vec::new()
        };
        Ok(Difference { base, files: parse_numstat(&counted), patch })
    }

    /// The commit that the worktree and its base have in common.
    async fn merge_base(&self, worktree: &Path, base: Option<&str>) -> WorkspaceResult<String> {
        let step = "find where the branch began";
        let Some(head) = self.git.commit(worktree, "HEAD").await? else {
            // Nothing is committed yet: everything is new.
            let args: Args<'_> = &[&"hash-object", &"-t", &"tree", &"--stdin"];
            return Ok(self.git.ask(step, worktree, args).await?.unwrap_or_default());
        };
        let base = match base {
            Some(base) => self.git.commit(worktree, base).await?,
            None => None,
        };
        let Some(base) = base else {
            return Ok(head);
        };
        let args: Args<'_> = &[&"merge-base", &base, &head];
        Ok(self.git.ask(step, worktree, args).await?.unwrap_or(base))
    }
}

/// A copy of a worktree's index in which new files are known, so that they are compared like the others.
struct Index {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Index {
    async fn copied(workspace: &Workspace, worktree: &Path) -> WorkspaceResult<Self> {
        let git = &workspace.git;
        let step = "list the new files";
        let where_is: Args<'_> =
            &[&"rev-parse", &"--path-format=absolute", &"--git-path", &"index"];
        let real = git.ask("find the index", worktree, where_is).await?.unwrap_or_default();
        let folder =
            tempfile::tempdir().map_err(WorkspaceError::io("make", &std::env::temp_dir()))?;
        let path = folder.path().join("index");
        match std::fs::copy(&real, &path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(WorkspaceError::io("copy", Path::new(&real))(error));
            }
            _ => {}
        }
        let index = Self { path, _folder: folder };
        let listed: Args<'_> = &[&"ls-files", &"--others", &"--exclude-standard", &"-z"];
        let new = git.read(step, worktree, listed).await?;
        if new.is_empty() {
            return Ok(index);
        }
        let args: Args<'_> = &[&"hash-object", &"--stdin"];
        let empty = git.ask(step, worktree, args).await?.unwrap_or_default();
        let input =
            index.entries(&empty, &new).map_err(WorkspaceError::io("write", &index.path))?;
        let args: Args<'_> = &[&"update-index", &"-z", &"--index-info"];
        git.read_by_index(step, worktree, &index.path, Some(input), args).await?;
        Ok(index)
    }

    /// New files as entries of an index, each empty: git then finds that they have changed.
    fn entries(&self, empty: &str, new: &[u8]) -> std::io::Result<File> {
        let path = self.path.with_extension("entries");
        let mut file = File::options().read(true).write(true).create_new(true).open(path)?;
        for name in new.split(|byte| *byte == 0) {
            // A folder that is a repository of its own ends in a slash, and is none of ours.
            if !name.is_empty() && !name.ends_with(b"/") {
                file.write_all(format!("100644 {empty}\t").as_bytes())?;
                file.write_all(name)?;
                file.write_all(&[0])?;
            }
        }
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

/// `added TAB removed TAB path NUL`; a binary file has dashes.
fn parse_numstat(output: &[u8]) -> Vec<FileChange> {
    let entries = output.split(|byte| *byte == 0);
    let parsed = entries.filter_map(|entry| {
        let mut parts = entry.splitn(3, |byte| *byte == b'\t');
        let mut number = || std::str::from_utf8(parts.next()?).ok().map(|word| word.parse().ok());
        let (added, removed) = (number()?, number()?);
        let path = PathBuf::from(OsStr::from_bytes(parts.next()?));
        Some(FileChange { path, added, removed })
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let found = parse_numstat(b"3\t1\ta b.txt\0-\t-\tpicture.png\0");
        assert_eq!((found[0].added, found[0].removed), (Some(3), Some(1)));
        assert_eq!(found[0].path, Path::new("a b.txt"));
        assert_eq!((found[1].added, found[1].removed, found.len()), (None, None, 2));
    }
}
