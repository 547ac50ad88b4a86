//! The list of what prepare put into a worktree (`spec/lifecycle.md` K3). It lies in the worktree's
//! git folder: no status shows it, and it goes with the worktree.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ours::git_dir;
use super::{WorkspaceError, WorkspaceResult};
use crate::os::fs::write_atomic;

const FILE: &str = "callboard-prepared.json";

/// Files that are listed; a worktree with more of them counts as changed.
const LIMIT: usize = 500_000;

/// What prepare put into a worktree, by path relative to it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Prepared {
    files: BTreeMap<PathBuf, Seen>,
}

/// A file as it was; the same as what git's index goes by.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    size: u64,
    mode: u32,
    changed: (i64, i64),
    link: Option<PathBuf>,
}

impl Seen {
    fn at(path: &Path) -> io::Result<Self> {
        let found: Metadata = path.symlink_metadata()?;
        let link = if found.is_symlink() { Some(std::fs::read_link(path)?) } else { None };
        let changed = (found.mtime(), found.mtime_nsec());
        Ok(Self { size: found.size(), mode: found.mode(), changed, link })
    }
}

impl Prepared {
    /// Reads the list of a worktree; empty where there is none.
    pub(super) fn load(worktree: &Path) -> Self {
        let read = |folder: PathBuf| std::fs::read(folder.join(FILE)).ok();
        let content = git_dir(worktree).and_then(read);
        content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default()
    }

    /// Notes a path as it is now; one that is gone again is left out.
    pub(super) fn note(&mut self, worktree: &Path, path: &Path) {
        if self.files.len() < LIMIT
            && let Ok(seen) = Seen::at(&worktree.join(path))
        {
            self.files.insert(path.to_owned(), seen);
        }
    }

    /// Writes the list.
    pub(super) fn save(&self, worktree: &Path) -> WorkspaceResult<()> {
        let Some(folder) = git_dir(worktree) else {
            return Err(WorkspaceError::NotOurs(worktree.to_owned()));
        };
        let path = folder.join(FILE);
        let error = WorkspaceError::io("write", &path);
        let written = serde_json::to_vec(self).map_err(io::Error::other);
        written.and_then(|content| write_atomic(&path, &content)).map_err(error)
    }

    /// Whether prepare put the path there and nobody changed it since.
    pub(super) fn holds(&self, worktree: &Path, path: &Path) -> bool {
        let now = || Seen::at(&worktree.join(path)).ok();
        self.files.get(path).is_some_and(|seen| now().as_ref() == Some(seen))
    }

    /// Removes what nobody changed, folders that become empty, and the list.
    pub(super) fn remove(self, worktree: &Path) -> WorkspaceResult<()> {
        for path in self.files.keys().filter(|path| self.holds(worktree, path)) {
            let full = worktree.join(path);
            std::fs::remove_file(&full).map_err(WorkspaceError::io("remove", &full))?;
            for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
                // Fails where something is left in it, as it should.
                if std::fs::remove_dir(worktree.join(folder)).is_err() {
                    break;
                }
            }
        }
        match git_dir(worktree).map(|folder| std::fs::remove_file(folder.join(FILE))) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                Err(WorkspaceError::io("remove the list of", worktree)(error))
            }
            _ => Ok(()),
        }
    }
}
