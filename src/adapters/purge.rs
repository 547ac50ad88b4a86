//! The trash as a port.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::trash::Tombstone;
use crate::host::context::Context;
use crate::host::ports::{PortError, PortResult, PurgePort, PurgedRows};
use crate::os::fs::remove_tree;

use super::Real;
use super::workspace::within;

impl<R: Send + Sync + 'static> PurgePort for Real<R> {
    async fn tombstones(&self) -> PortResult<Vec<Tombstone>> {
        Ok(self.store.tombstones().await?)
    }

    async fn purge_rows(&self, trees: &[Vec<SessionId>]) -> PortResult<PurgedRows> {
        Ok(self.store.purge_rows(trees).await?)
    }

    async fn trashed(&self, ids: &BTreeSet<SessionId>) -> PortResult<Vec<(SessionId, PathBuf)>> {
        Ok(self.workspace.trashed(ids).await?)
    }

    async fn remove_trashed(
        &self,
        ctx: &Context,
        repository: Option<&Path>,
        path: &Path,
    ) -> PortResult<u64> {
        let work = self.workspace.remove_trashed(repository, path);
        within(ctx, "removing the worktree", work).await
    }

    fn is_own_branch(&self, id: &SessionId, branch: &str) -> bool {
        self.workspace.is_own_branch(id, branch)
    }

    async fn delete_branches(
        &self,
        ctx: &Context,
        repository: &Path,
        branches: &[String],
        merged: bool,
    ) -> PortResult<BTreeMap<String, PortError>> {
        let work = self.workspace.delete_branches(repository, branches, merged);
        let stay = within(ctx, "deleting the branches", work).await?;
        Ok(stay.into_iter().map(|(branch, error)| (branch, error.into())).collect())
    }

    async fn remove_history(&self, id: &SessionId) -> PortResult<u64> {
        let folder = self.home.history(self.store.workspace(), id);
        let place = folder.clone();
        let removed = tokio::task::spawn_blocking(move || remove_tree(&place)).await;
        let removed = removed.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        removed.map_err(|error| PortError {
            kind: ErrorKind::Failed,
            message: format!("removing the history {}: {error}", folder.display()),
            hint: None,
        })
    }

    async fn claim(&self, name: &str, every: Duration) -> PortResult<bool> {
        Ok(self.store.claim(name, every).await?)
    }
}
