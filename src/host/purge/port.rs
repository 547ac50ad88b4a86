//! What a purge needs of the world.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::ids::SessionId;
pub use crate::domain::trash::PurgedRows;
use crate::domain::trash::Tombstone;

use super::super::context::Context;
use super::super::ports::{PortError, PortResult};

/// The trash and what is left of its sessions.
pub trait PurgePort: Send + Sync + 'static {
    /// Every tombstone of the workspace, ascending.
    fn tombstones(&self) -> impl Future<Output = PortResult<Vec<Tombstone>>> + Send;
    /// Removes the rows of trees in one transaction; a tree that is not exactly as given stays
    /// whole. Fully synchronous.
    fn purge_rows(
        &self,
        trees: &[Vec<SessionId>],
    ) -> impl Future<Output = PortResult<PurgedRows>> + Send;
    /// Folders that lie in the trash for these sessions, ascending: of a delete, and of a kill or a
    /// cleanup that moved ignored files aside (K3).
    fn trashed(
        &self,
        ids: &BTreeSet<SessionId>,
    ) -> impl Future<Output = PortResult<Vec<(SessionId, PathBuf)>>> + Send;
    /// Removes a worktree that lies in the trash for good, with its registration; answers the bytes
    /// that went. Idempotent. Nothing outside the trash is ever removed.
    fn remove_trashed(
        &self,
        ctx: &Context,
        repository: Option<&Path>,
        path: &Path,
    ) -> impl Future<Output = PortResult<u64>> + Send;
    /// The branch that callboard itself names after a session, if that is `branch`.
    fn is_own_branch(&self, id: &SessionId, branch: &str) -> bool;
    /// Deletes branches of one repository that nobody has checked out; with `merged` only those that
    /// the default branch holds. Answers those that were asked for by name and stay, with the reason.
    fn delete_branches(
        &self,
        ctx: &Context,
        repository: &Path,
        branches: &[String],
        merged: bool,
    ) -> impl Future<Output = PortResult<BTreeMap<String, PortError>>> + Send;
    /// Removes the terminal history of a session; answers the bytes that went. Idempotent.
    fn remove_history(&self, id: &SessionId) -> impl Future<Output = PortResult<u64>> + Send;
    /// Claims work that is done at most once in `every`, over all processes; false where it is not
    /// due.
    fn claim(&self, name: &str, every: Duration) -> impl Future<Output = PortResult<bool>> + Send;
}
