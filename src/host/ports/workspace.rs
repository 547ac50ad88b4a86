//! Worktrees as a port.

use std::path::{Path, PathBuf};

use crate::domain::hook::HookFile;
use crate::domain::ids::{BatchId, ProjectName, SessionId};
use crate::domain::plan::{Advice, Back};
use crate::domain::rail::ProjectSetup;
use crate::domain::worktree::{Freed, Moved, WayBack, Worktree, WorktreeRequest};

use super::super::context::Context;
use super::PortResult;

/// Worktrees by git.
pub trait WorkspacePort: Send + Sync + 'static {
    /// Whether a folder is a git repository.
    fn is_repository(&self, path: &Path) -> impl Future<Output = bool> + Send;
    /// Checks before any effect that the worktree can be made: repository, branch name, base (C1).
    /// Answers what would be made.
    fn check_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> impl Future<Output = PortResult<Worktree>> + Send;
    /// Makes the worktree.
    fn create_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> impl Future<Output = PortResult<Worktree>> + Send;
    /// Copies, links and runs set-up commands (Z2).
    fn prepare(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
        setup: &ProjectSetup,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Takes back what [`WorkspacePort::prepare`] put there and nobody changed.
    fn unprepare(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
        setup: &ProjectSetup,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Puts hooks into the agent's own settings in a worktree, once. Answers why they are off where they
    /// cannot be there, the first time that this is so (`spec/agents.md` H1).
    fn install_hooks(
        &self,
        ctx: &Context,
        worktree: &Path,
        hooks: &HookFile,
    ) -> impl Future<Output = PortResult<Option<String>>> + Send;
    /// Takes back what [`WorkspacePort::install_hooks`] put there, and nothing else.
    fn remove_hooks(
        &self,
        ctx: &Context,
        worktree: &Path,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Gives a worktree back if it is clean (K3); with its branch where that was made with it and
    /// has no commit of its own.
    fn give_back(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Worktree,
    ) -> impl Future<Output = PortResult<Freed>> + Send;
    /// Why a worktree is not clean; none where it is, or is gone (K3).
    fn reason_to_keep(
        &self,
        ctx: &Context,
        repository: &Path,
        worktree: &Path,
    ) -> impl Future<Output = PortResult<Option<String>>> + Send;
    /// Dirty files and unpushed commits of a worktree.
    fn advice(
        &self,
        ctx: &Context,
        worktree: &Path,
    ) -> impl Future<Output = PortResult<Advice>> + Send;
    /// Folders where worktrees are made that are there, with the session that each is named after.
    fn worktrees(&self) -> impl Future<Output = PortResult<Vec<(SessionId, PathBuf)>>> + Send;
    /// Where the worktree of a session is made.
    fn worktree_path(&self, project: &ProjectName, id: &SessionId) -> PathBuf;
    /// Where the worktree of a session goes when it is deleted.
    fn trash_path(&self, batch: &BatchId, id: &SessionId) -> PathBuf;
    /// Moves a worktree into the trash whole and releases its branch (D9). Idempotent: done already
    /// is a success.
    fn move_to_trash(
        &self,
        ctx: &Context,
        repository: &Path,
        from: &Path,
        to: &Path,
    ) -> impl Future<Output = PortResult<Moved>> + Send;
    /// Moves a worktree back and attaches its branch where that is right (R1). Idempotent. A
    /// missing trash folder makes the worktree again from its branch, and says so (R2).
    fn move_back(
        &self,
        ctx: &Context,
        way: &WayBack,
    ) -> impl Future<Output = PortResult<Moved>> + Send;
    /// What [`WorkspacePort::move_back`] would come to, or why it would fail. Reads only.
    fn foresee_move_back(
        &self,
        ctx: &Context,
        way: &WayBack,
    ) -> impl Future<Output = PortResult<Back>> + Send;
    /// Makes sure that the worktree of a terminated session is there (B2).
    fn ensure_worktree(
        &self,
        ctx: &Context,
        repository: &Path,
        path: &Path,
        branch: Option<&str>,
    ) -> impl Future<Output = PortResult<Moved>> + Send;
}
