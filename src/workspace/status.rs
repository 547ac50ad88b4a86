//! What `git status` says of a worktree: one process tells the commit, the branch and the files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::prepared::Prepared;
use super::{Workspace, WorkspaceResult};

/// A worktree at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Status {
    /// None before the first commit.
    pub commit: Option<String>,
    /// None where the worktree is detached.
    pub branch: Option<String>,
    pub entries: Vec<Entry>,
}

/// One path.
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

/// Which paths are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    /// Staged, changed and untracked ones; a folder without tracked files is one path.
    Dirty,
    /// Single files of untracked folders and ignored ones as well.
    Every,
}

impl Workspace {
    /// Commit, branch and paths of a worktree.
    pub(super) async fn status(&self, worktree: &Path, files: Files) -> WorkspaceResult<Status> {
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> =
            vec![&"status", &"--porcelain=v2", &"--branch", &"-z", &"--ignore-submodules=none"];
        match files {
            Files::Dirty => args.push(&"--untracked-files=normal"),
            Files::Every => {
                args.extend_from_slice(&[&"--untracked-files=all", &"--ignored=traditional"]);
            }
        }
        let output = self.git.read("read the status", worktree, &args).await?;
        Ok(parse(&output))
    }
}

/// Reads the version 2 format; what a later git adds to it is passed over.
fn parse(output: &[u8]) -> Status {
    let mut status = Status::default();
    let mut fields = output.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let Some((mark, rest)) = field.split_at_checked(2) else { continue };
        let (kind, columns) = match mark {
            b"# " => {
                header(&mut status, rest);
                continue;
            }
            b"? " => (EntryKind::Untracked, 0),
            b"! " => (EntryKind::Ignored, 0),
            b"1 " => (EntryKind::Changed, 7),
            b"2 " => {
                // The next field is where it came from.
                fields.next();
                (EntryKind::Changed, 8)
            }
            b"u " => (EntryKind::Changed, 9),
            _ => continue,
        };
        if let Some(path) = rest.splitn(columns + 1, |byte| *byte == b' ').nth(columns) {
            status.entries.push(Entry { kind, path: PathBuf::from(OsStr::from_bytes(path)) });
        }
    }
    status
}

fn header(status: &mut Status, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    match line.split_once(' ') {
        Some(("branch.oid", commit)) if commit != "(initial)" => {
            status.commit = Some(commit.to_owned());
        }
        Some(("branch.head", branch)) if branch != "(detached)" => {
            status.branch = Some(branch.to_owned());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(status: &Status) -> Vec<(EntryKind, &str)> {
        let entries = status.entries.iter();
        entries.map(|entry| (entry.kind, entry.path.to_str().unwrap())).collect()
    }

    #[test]
    fn a_status_is_read() {
        let modes = "N... 100644 100644 100644 1111 2222";
        let output = format!(
            "# branch.oid 3333\0# branch.head work/a b\0# branch.ab +1 -0\0\
             1 .M {modes} a file\0\
             2 R. {modes} R100 new name\0old name\0\
             u UU N... 100644 100644 100644 100644 1111 2222 3333 in conflict\0\
             ? x y/\0! target/\0"
        );
        let status = parse(output.as_bytes());
        assert_eq!(status.commit.as_deref(), Some("3333"));
        assert_eq!(status.branch.as_deref(), Some("work/a b"));
        assert_eq!(
            entries(&status),
            [
                (EntryKind::Changed, "a file"),
                (EntryKind::Changed, "new name"),
                (EntryKind::Changed, "in conflict"),
                (EntryKind::Untracked, "x y/"),
                (EntryKind::Ignored, "target/"),
            ]
        );
    }

    #[test]
    fn neither_commit_nor_branch_need_be_there() {
        let status = parse(b"# branch.oid (initial)\0# branch.head (detached)\0");
        assert_eq!(status, Status::default());
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_read(output in proptest::collection::vec(0_u8.., 0..200)) {
            parse(&output);
        }
    }
}
