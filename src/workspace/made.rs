//! Which folders callboard made (`spec/agents.md` Z4): each is noted by path and inode, so that
//! another folder that came to lie in its place is left alone.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ours::{git_dir, strictly_inside};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::os::fs::write_atomic;
use crate::os::paths::private_dir;

/// Where the notes lie, beside the folders of projects, whose names never begin with a dot.
const FOLDER: &str = ".made";

/// A worktree as it was made.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    path: PathBuf,
    inode: u64,
}

impl Workspace {
    /// Why the folder of a worktree must stay where it is, if it must: it lies elsewhere, or another
    /// folder came in its place. One that is gone need not stay.
    pub fn must_stay(&self, path: &Path) -> Option<String> {
        let inside = strictly_inside(&self.home.worktrees(&self.name), path).is_ok();
        // One that was restored elsewhere is looked at with its repository when it is moved.
        let elsewhere = !inside && git_dir(path).is_some();
        self.check_ours(path).err().filter(|_| !elsewhere).map(|error| error.to_string())
    }

    /// Refuses a folder that callboard did not make. One without a note, from before there were any,
    /// must at least be a linked worktree.
    pub(super) fn check_ours(&self, path: &Path) -> WorkspaceResult<()> {
        let root = self.home.worktrees(&self.name);
        strictly_inside(&root, path)?;
        let Ok(now) = path.symlink_metadata() else {
            return Ok(());
        };
        let ours = match find(&note_path(&root, path))? {
            Some(made) if made.path == path => now.is_dir() && made.inode == now.ino(),
            _ => git_dir(path).is_some(),
        };
        if ours { Ok(()) } else { Err(WorkspaceError::NotOurs(path.to_owned())) }
    }

    /// Notes a folder that was just made or brought back. One at a place that the operator chose is
    /// the operator's from then on.
    pub(super) fn note_made(&self, path: &Path) -> WorkspaceResult<()> {
        let root = self.home.worktrees(&self.name);
        if strictly_inside(&root, path).is_err() {
            return Ok(());
        }
        let note = note_path(&root, path);
        let failed = WorkspaceError::io("note", path);
        let written = path.symlink_metadata().and_then(|now| {
            let made = Made { path: path.to_owned(), inode: now.ino() };
            let content = serde_json::to_vec(&made).map_err(io::Error::other)?;
            private_dir(&root.join(FOLDER))?;
            write_atomic(&note, &content)
        });
        written.map_err(failed)
    }

    /// Forgets a folder that is gone for good, by the session that it is named after.
    pub(super) fn forget_made(&self, path: &Path) {
        let note = note_path(&self.home.worktrees(&self.name), path);
        if let Err(error) = std::fs::remove_file(&note)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, path = %note.display(), "a note stays");
        }
    }
}

fn note_path(root: &Path, worktree: &Path) -> PathBuf {
    root.join(FOLDER).join(worktree.file_name().unwrap_or_default())
}

fn find(note: &Path) -> WorkspaceResult<Option<Made>> {
    match std::fs::read(note) {
        Ok(content) => {
            let parsed = serde_json::from_slice(&content).map_err(io::Error::other);
            parsed.map(Some).map_err(WorkspaceError::io("read", note))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(WorkspaceError::io("read", note)(error)),
    }
}
