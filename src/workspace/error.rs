//! Why a worktree cannot be made, moved or given back.

use std::io;
use std::path::PathBuf;

use crate::domain::error::ErrorKind;

/// Why an act on a worktree failed or was refused.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no git program.
    #[error("git is not found")]
    GitMissing,
    /// The git program is too old.
    #[error("git {found} is too old, {needed} or newer is needed", needed = super::git::OLDEST)]
    GitTooOld {
        /// Its version.
        found: String,
    },
    /// Git said no.
    #[error("cannot {step} in {}: {detail}", path.display())]
    Git {
        /// What was attempted.
        step: String,
        /// Where.
        path: PathBuf,
        /// The last lines of its error output.
        detail: String,
    },
    /// A folder is not there.
    #[error("there is no folder {}", .0.display())]
    NoFolder(PathBuf),
    /// A folder is not in a git repository.
    #[error("{} is not a git repository", .0.display())]
    NotARepository(PathBuf),
    /// A repository without any commit.
    #[error("the repository {} has no commit to start from", .0.display())]
    NoCommit(PathBuf),
    /// A branch name that git refuses.
    #[error("branch name {0:?} is not legal")]
    BadBranch(String),
    /// What a new branch should start from does not exist.
    #[error("there is no commit {base:?} in {}", path.display())]
    BadBase {
        /// As given.
        base: String,
        /// The repository.
        path: PathBuf,
    },
    /// A branch is checked out elsewhere.
    #[error("branch {branch} is in use in {}", folder.display())]
    BranchInUse {
        /// The branch.
        branch: String,
        /// The folder that has it.
        folder: PathBuf,
    },
    /// The default branch is never deleted.
    #[error("branch {0} is the default branch and stays")]
    DefaultBranch(String),
    /// The branch that the template gives exists already.
    #[error("branch {0} exists already")]
    BranchExists(String),
    /// A branch of the name of a folder of branches, or the other way round.
    #[error("branch {branch} cannot be made beside branch {other}")]
    BranchConflict {
        /// The new one.
        branch: String,
        /// The one that is in the way.
        other: String,
    },
    /// A branch that is needed is gone.
    #[error("branch {branch} of {} is gone", path.display())]
    BranchGone {
        /// The branch.
        branch: String,
        /// The worktree.
        path: PathBuf,
    },
    /// Something is where a worktree belongs.
    #[error("{} exists already", .0.display())]
    Occupied(PathBuf),
    /// A folder that callboard did not make, or that is not inside its own.
    #[error("{} is not a worktree of ours and stays where it is", .0.display())]
    NotOurs(PathBuf),
    /// A worktree is missing and registered as locked.
    #[error("worktree {} is missing and locked: {reason}", path.display())]
    Locked {
        /// The worktree.
        path: PathBuf,
        /// Why it is locked.
        reason: String,
    },
    /// A path or glob of a project's set-up that leaves its folders.
    #[error("set-up of {}: {what}", path.display())]
    SetUp {
        /// The worktree.
        path: PathBuf,
        /// What failed, with the output of a command.
        what: String,
    },
    /// The file system said no.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// What was attempted.
        step: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The caller stopped waiting.
    #[error("making the worktree {} was cancelled", .0.display())]
    Cancelled(PathBuf),
}

impl WorkspaceError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::GitMissing
            | Self::GitTooOld { .. }
            | Self::Git { .. }
            | Self::SetUp { .. }
            | Self::Io { .. } => ErrorKind::Failed,
            Self::BadBranch(_) => ErrorKind::Usage,
            Self::NoFolder(_) | Self::BadBase { .. } => ErrorKind::NotFound,
            Self::NotARepository(_)
            | Self::NoCommit(_)
            | Self::BranchInUse { .. }
            | Self::DefaultBranch(_)
            | Self::BranchExists(_)
            | Self::BranchConflict { .. }
            | Self::BranchGone { .. }
            | Self::Occupied(_)
            | Self::NotOurs(_)
            | Self::Locked { .. } => ErrorKind::Refused,
            Self::Cancelled(_) => ErrorKind::Interrupted,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::GitMissing => "install git and put it on the PATH",
            Self::GitTooOld { .. } => "install a newer git",
            Self::Git { detail, .. } => return git_hint(detail).map(str::to_owned),
            Self::NotARepository(_) => "--in-place works in the folder itself, without a worktree",
            Self::NoCommit(_) => "make a first commit, or use --in-place",
            Self::BadBranch(_) => "see git check-ref-format",
            Self::BadBase { .. } => {
                "name a branch, tag or commit that is there; nothing is fetched"
            }
            Self::BranchInUse { .. } => "choose another branch, or free it there",
            Self::BranchExists(_) => "name it with --branch to work on it, or choose another",
            Self::BranchConflict { .. } => "rename one of them, or set `branch` in config.toml",
            Self::BranchGone { .. } => "make the branch again, then restore",
            Self::Occupied(_) => "move it away, or choose another place",
            Self::Locked { path, .. } => {
                return Some(format!("git worktree unlock {}", path.display()));
            }
            Self::SetUp { .. } => "mend the project's set-up, or the command",
            Self::NoFolder(_)
            | Self::DefaultBranch(_)
            | Self::NotOurs(_)
            | Self::Io { .. }
            | Self::Cancelled(_) => {
                return None;
            }
        };
        Some(hint.to_owned())
    }

    /// For `map_err` on what the file system says.
    pub(super) fn io(step: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { step, path, source }
    }
}

/// What helps against failures of git that are known.
fn git_hint(detail: &str) -> Option<&'static str> {
    let known = [
        (".lock': File exists", "another git is at work there; if none is, remove the lock file"),
        (
            "dubious ownership",
            "the repository belongs to someone else: see safe.directory in git config",
        ),
        ("No space left", "make room on the disk"),
    ];
    known.iter().find(|(sign, _)| detail.contains(sign)).map(|(_, hint)| *hint)
}
