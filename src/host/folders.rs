//! What is in the folders of sessions, for those who look at them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::ids::SessionId;
use crate::domain::worktree::{Base, Difference};

use super::context::Context;
use super::ports::PortResult;

/// How much a worktree differs from the commit that its branch started from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// Changed files.
    pub files: u32,
}

/// Why worktrees must stay where they are, by session.
pub type Staying = BTreeMap<SessionId, String>;

/// Looks into folders; changes nothing.
pub trait FolderPort: Send + Sync + 'static {
    /// How much a worktree differs from `base`, else from its last commit.
    fn changes(
        &self,
        ctx: &Context,
        worktree: &Path,
        base: Option<&str>,
    ) -> impl Future<Output = PortResult<Changes>> + Send;
    /// The branch that new sessions begin from, and how far a worktree is behind it; none where there is none.
    fn base(
        &self,
        ctx: &Context,
        worktree: &Path,
    ) -> impl Future<Output = PortResult<Option<Base>>> + Send;
    /// The difference from the merge base of `base`, else from the last commit, with new files; with the
    /// patch where it is asked for.
    fn difference(
        &self,
        ctx: &Context,
        worktree: &Path,
        base: Option<&str>,
        patch: bool,
    ) -> impl Future<Output = PortResult<Difference>> + Send;
    /// Which of these worktrees must stay where they are (`spec/agents.md` Z4): callboard did not
    /// make them, this process works in them, or a session does that is not among `leaving`.
    fn staying(
        &self,
        worktrees: &[(SessionId, PathBuf)],
        leaving: &[SessionId],
    ) -> impl Future<Output = PortResult<Staying>> + Send;
    /// Bytes that a folder holds.
    fn folder_size(
        &self,
        ctx: &Context,
        folder: &Path,
    ) -> impl Future<Output = PortResult<u64>> + Send;
}
