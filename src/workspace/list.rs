//! Reading `git worktree list`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::Repository;
use super::ours::git_dir;

/// One line of `git worktree list`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Listed {
    pub path: PathBuf,
    /// Short name of the branch that it has checked out, or holds while a rebase or bisect runs.
    pub branch: Option<String>,
    /// The reason, where it is locked.
    pub locked: Option<String>,
}

pub(super) fn parse_list(output: &[u8]) -> Vec<Listed> {
    let mut listed: Vec<Listed> = Vec::new();
    for field in output.split(|byte| *byte == 0) {
        let (word, value) = match field.iter().position(|byte| *byte == b' ') {
            Some(at) => (&field[..at], &field[at + 1..]),
            None => (field, &field[field.len()..]),
        };
        let text = || String::from_utf8_lossy(value).into_owned();
        match (word, listed.last_mut()) {
            (b"worktree", _) => listed.push(Listed {
                path: PathBuf::from(OsStr::from_bytes(value)),
                ..Listed::default()
            }),
            (b"branch", Some(last)) => {
                let name = text();
                last.branch = Some(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned());
            }
            (b"locked", Some(last)) => last.locked = Some(text()),
            _ => {}
        }
    }
    listed
}

/// The branch that an unfinished rebase or bisect of a worktree keeps in use.
pub(super) fn held_branch(worktree: &Path) -> Option<String> {
    held_in(&git_dir(worktree)?)
}

/// The worktree whose unfinished rebase or bisect keeps a branch in use.
pub(super) fn holder(repository: &Repository, branch: &str) -> Option<PathBuf> {
    let holds = |folder: &Path| held_in(folder).is_some_and(|held| held == branch);
    if holds(&repository.common) {
        return Some(repository.folder.clone());
    }
    let linked = std::fs::read_dir(repository.common.join("worktrees")).ok()?.flatten();
    let folder = linked.map(|entry| entry.path()).find(|folder| holds(folder))?;
    let link = std::fs::read_to_string(folder.join("gitdir")).ok()?;
    Path::new(link.trim_end()).parent().map(Path::to_owned)
}

/// The same by the git folder of a worktree.
fn held_in(folder: &Path) -> Option<String> {
    ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"].iter().find_map(|file| {
        let text = std::fs::read_to_string(folder.join(file)).ok()?;
        let name = text.trim();
        match (name.strip_prefix("refs/heads/"), *file) {
            (Some(branch), _) => Some(branch.to_owned()),
            (None, "BISECT_START") => Some(name.to_owned()),
            (None, _) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_list_is_read() {
        let output = b"worktree /r\0HEAD abc\0branch refs/heads/main\0\0worktree /w/a b\0HEAD abc\0detached\0locked why not\0prunable gone\0\0worktree /x\0HEAD a\0branch refs/heads/x/y\0locked\0\0";
        let listed = parse_list(output);
        assert_eq!(listed.len(), 3);
        assert_eq!(listed[0].branch.as_deref(), Some("main"));
        assert_eq!(listed[1].path, Path::new("/w/a b"));
        assert_eq!(listed[1].locked.as_deref(), Some("why not"));
        assert_eq!(
            (listed[2].branch.as_deref(), listed[2].locked.as_deref()),
            (Some("x/y"), Some(""))
        );
    }
}
