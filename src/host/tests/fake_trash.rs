//! A small model of the trash.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::ids::SessionId;
use crate::domain::trash::Tombstone;
use crate::host::context::Context;
use crate::host::ports::{PortError, PortResult, PurgePort, PurgedRows};

use super::Recorder;

impl PurgePort for Recorder {
    async fn tombstones(&self) -> PortResult<Vec<Tombstone>> {
        Ok(self.read(|m| {
            let row = |s: &crate::domain::session::Session| {
                Some(Tombstone {
                    id: s.id.clone(),
                    parent: s.parent.clone(),
                    deleted_at: s.deletion.as_ref()?.at,
                    pinned: s.pinned_at.is_some(),
                })
            };
            m.sessions.values().filter_map(row).collect()
        }))
    }
    async fn purge_rows(&self, trees: &[Vec<SessionId>]) -> PortResult<PurgedRows> {
        self.call("purge_rows", None, None)?;
        Ok(self.change(|m| {
            let mut rows = PurgedRows::default();
            for tree in trees {
                let deleted =
                    |id: &SessionId| m.sessions.get(id).is_some_and(|s| s.deletion.is_some());
                if tree.iter().all(deleted) {
                    m.sessions.retain(|id, _| !tree.contains(id));
                    rows.gone.extend(tree.iter().cloned());
                    rows.messages += 2;
                } else {
                    rows.changed.extend(tree.iter().cloned());
                }
            }
            rows
        }))
    }
    async fn trashed(&self, ids: &BTreeSet<SessionId>) -> PortResult<Vec<(SessionId, PathBuf)>> {
        Ok(self.read(|m| m.trashed.iter().filter(|(id, _)| ids.contains(id)).cloned().collect()))
    }
    async fn remove_trashed(
        &self,
        ctx: &Context,
        _repository: Option<&Path>,
        path: &Path,
    ) -> PortResult<u64> {
        self.acall(&format!("remove_trashed {}", path.display()), None, Some(ctx)).await?;
        self.change(|m| {
            m.folders.remove(path);
            m.trashed.retain(|(_, there)| there != path);
        });
        Ok(100)
    }
    fn is_own_branch(&self, id: &SessionId, branch: &str) -> bool {
        branch == format!("callboard/{id}")
    }
    async fn delete_branches(
        &self,
        ctx: &Context,
        _repository: &Path,
        branches: &[String],
        merged: bool,
    ) -> PortResult<BTreeMap<String, PortError>> {
        let which = if merged { "if merged" } else { "by name" };
        let branches = branches.join(" ");
        self.acall(&format!("delete_branches {branches} {which}"), None, Some(ctx)).await?;
        Ok(BTreeMap::new())
    }
    async fn remove_history(&self, id: &SessionId) -> PortResult<u64> {
        self.call("remove_history", Some(id), None)?;
        Ok(10)
    }
    async fn claim(&self, name: &str, _every: Duration) -> PortResult<bool> {
        Ok(self.change(|m| m.claimed.insert(name.to_owned())))
    }
}
