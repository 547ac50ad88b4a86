//! Looking at a worktree without touching it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::Args;
use super::prepare::blocking;
use super::prepared::Prepared;
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::plan::Advice;

/// What `git status` says about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub kind: EntryKind,
    /// Relative to the worktree.
    pub path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// Staged or changed.
    Changed,
    Untracked,
    Ignored,
}

impl Entry {
    /// Whether prepare put it there, and nobody changed it since: no work of anyone's.
    pub(super) fn is_prepared(&self, prepared: &Prepared, worktree: &Path) -> bool {
        self.kind != EntryKind::Changed && prepared.holds(worktree, &self.path)
    }
}

impl Workspace {
    /// Dirty files and unpushed commits of a worktree. A repository without remotes counts the
    /// commits that no other branch has.
    ///
    /// # Errors
    /// The folder is gone or no worktree, or git said no.
    pub async fn advice(&self, worktree: &Path) -> WorkspaceResult<Advice> {
        self.git.repository(worktree).await?;
        let (dirty, unpushed) = tokio::join!(self.status(worktree, false), self.unpushed(worktree));
        let (dirty, place) = (dirty?, worktree.to_owned());
        let dirty = blocking(worktree, move || {
            let prepared = Prepared::load(&place);
            Ok(dirty.iter().filter(|entry| !entry.is_prepared(&prepared, &place)).count())
        })
        .await?;
        Ok(Advice {
            dirty_files: Some(u32::try_from(dirty).unwrap_or(u32::MAX)),
            unpushed_commits: unpushed?,
            unanswered: false,
        })
    }

    /// Staged, changed and untracked paths, with `every_file` also single files of untracked
    /// folders and ignored ones.
    pub(super) async fn status(
        &self,
        worktree: &Path,
        every_file: bool,
    ) -> WorkspaceResult<Vec<Entry>> {
        let step = "read the status";
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> =
            vec![&"status", &"--porcelain", &"-z", &"--ignore-submodules=none"];
        if every_file {
            args.extend_from_slice(&[&"--untracked-files=all", &"--ignored=traditional"]);
        } else {
            args.push(&"--untracked-files=normal");
        }
        self.git.read(step, worktree, &args).await.map(|output| parse_status(&output))
    }

    async fn unpushed(&self, worktree: &Path) -> WorkspaceResult<Option<u32>> {
        let git = &self.git;
        if git.commit(worktree, "HEAD").await?.is_none() {
            return Ok(Some(0));
        }
        let any_remote: Args<'_> = &[&"for-each-ref", &"--count=1", &"refs/remotes/"];
        let step = "count the commits that no remote has";
        let counted = if git.ask(step, worktree, any_remote).await?.is_some() {
            git.ask(step, worktree, &[&"rev-list", &"--count", &"HEAD", &"--not", &"--remotes"])
                .await?
        } else {
            let head: Args<'_> = &[&"symbolic-ref", &"--quiet", &"--short", &"HEAD"];
            let own = git.ask(step, worktree, head).await?.unwrap_or_default();
            let exclude = format!("--exclude={own}");
            let args: Args<'_> =
                &[&"rev-list", &"--count", &"HEAD", &"--not", &exclude, &"--branches"];
            git.ask(step, worktree, args).await?
        };
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

fn parse_status(output: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut fields = output.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let Some((code, path)) = field.split_at_checked(3) else {
            continue;
        };
        let kind = match code {
            b"?? " => EntryKind::Untracked,
            b"!! " => EntryKind::Ignored,
            _ => EntryKind::Changed,
        };
        if code[..2].iter().any(|letter| matches!(letter, b'R' | b'C')) {
            // The next field is where it came from.
            fields.next();
        }
        entries.push(Entry { kind, path: PathBuf::from(OsStr::from_bytes(path)) });
    }
    entries
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
    fn a_status_is_read() {
        let entries = parse_status(b" M a\0R  new name\0old\0?? x/\0!! target/\0");
        let read: Vec<_> =
            entries.iter().map(|entry| (entry.kind, entry.path.to_str().unwrap())).collect();
        assert_eq!(
            read,
            [
                (EntryKind::Changed, "a"),
                (EntryKind::Changed, "new name"),
                (EntryKind::Untracked, "x/"),
                (EntryKind::Ignored, "target/"),
            ]
        );
    }

    #[test]
    fn long_lists_are_shortened() {
        let paths: Vec<&Path> = ["a", "b", "c", "d\u{1b}"].iter().map(Path::new).collect();
        assert_eq!(some_paths(&paths), "a, b, c, and 1 more");
        assert_eq!(some_paths(&paths[3..]), "d");
    }
}
