//! Which folders are ours to move or remove (`spec/agents.md` Z4).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{WorkspaceError, WorkspaceResult};

/// The path with every symbolic link resolved; what does not exist is kept as it is.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// Refuses a path that is not strictly inside `root` after every link is resolved, or is a link
/// itself.
pub(super) fn strictly_inside(root: &Path, path: &Path) -> WorkspaceResult<()> {
    let linked = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let plain = !path.components().any(|part| part == std::path::Component::ParentDir);
    let (root, resolved) = (real(root), real(path));
    if plain && !linked && resolved.starts_with(&root) && resolved != root {
        return Ok(());
    }
    Err(WorkspaceError::NotOurs(path.to_owned()))
}

/// The git folder of a linked worktree, as its `.git` file names it; none for a main checkout.
pub(super) fn git_dir(worktree: &Path) -> Option<PathBuf> {
    let content = std::fs::read(worktree.join(".git")).ok()?;
    let named = content.strip_prefix(b"gitdir: ")?.trim_ascii_end();
    Some(real(&worktree.join(OsStr::from_bytes(named))))
}

/// What is under way in a worktree: while it is, neither the branch nor the folder is given away.
pub(super) fn unfinished(git_dir: &Path) -> Option<&'static str> {
    let signs = [
        ("rebase-merge", "a rebase"),
        ("rebase-apply", "a rebase"),
        ("MERGE_HEAD", "a merge"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("sequencer", "a cherry-pick"),
        ("BISECT_LOG", "a bisect"),
    ];
    signs.iter().find(|(file, _)| git_dir.join(file).exists()).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_strictly_inside_is_ours_z4() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("a")).unwrap();
        let outside = folder.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        assert!(strictly_inside(&root, &root.join("a")).is_ok());
        assert!(strictly_inside(&root, &root.join("a/not/yet")).is_ok());
        for bad in ["", "link", "link/x", "../outside", "a/../../outside"] {
            assert!(strictly_inside(&root, &root.join(bad)).is_err(), "{bad}");
        }
    }
}
