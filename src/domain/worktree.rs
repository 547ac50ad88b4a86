//! Worktrees as values.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ids::{ProjectName, SessionId};

/// A worktree to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeRequest {
    /// The session it is for.
    pub session: SessionId,
    /// Name of the project.
    pub project: ProjectName,
    /// The repository's folder.
    pub repository: PathBuf,
    /// Branch; the template's where none is given, or that with the next free number at its end.
    pub branch: Option<String>,
    /// The branch that was found to be free where none is given: this one is made, or none.
    pub free_branch: Option<String>,
    /// What a new branch starts from; origin's default branch, else the current one.
    pub base: Option<String>,
}

impl WorktreeRequest {
    /// The request for exactly what was planned.
    pub fn as_planned(self, planned: &Worktree) -> Self {
        let free_branch = self.branch.is_none().then(|| planned.branch.clone());
        Self { free_branch, ..self }
    }
}

/// A worktree that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// Its folder.
    pub path: PathBuf,
    /// Its branch.
    pub branch: String,
    /// Commit the branch started from.
    pub base: String,
    /// Whether the branch was made with it.
    pub new_branch: bool,
}

/// What giving back a worktree came to (`spec/lifecycle.md` K3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freed {
    /// The folder is gone from its place.
    pub freed: bool,
    /// Why not, or where it went.
    pub reason: Option<String>,
    /// Kept only because of ignored files: it may go to the trash (K3).
    pub only_ignored: bool,
}

/// A worktree that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// What the operator should know: left attached, detached ...
    pub note: Option<String>,
}

/// The way of a worktree out of the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayBack {
    /// The repository's folder.
    pub repository: PathBuf,
    /// Where it is in the trash.
    pub from: PathBuf,
    /// Where it goes.
    pub to: PathBuf,
    /// Its branch: what it is made again from where its folder is missing (R2).
    pub branch: Option<String>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path below the worktree.
    pub path: PathBuf,
    /// Added lines; none for a binary file.
    pub added: Option<u32>,
    /// Removed lines; none for a binary file.
    pub removed: Option<u32>,
}

/// The difference of a worktree from where its branch began.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// The commit (or tree) that it is compared with.
    pub base: String,
    /// The files in order.
    pub files: Vec<FileChange>,
    /// The patch, where it was asked for.
    pub patch: Vec<u8>,
}
