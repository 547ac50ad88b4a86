//! A small model of a forge.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::forge::{PullRequest, Repository, Unread};
use crate::domain::ids::SessionId;
use crate::domain::pr::PrFacts;
use crate::domain::time::Timestamp;
use crate::host::context::Context;
use crate::host::ports::{ForgePort, PortResult};

use super::fake_world::Recorder;

/// What the forge and the repositories know.
#[derive(Debug, Default)]
pub(in crate::host) struct Forge {
    pub(in crate::host) remotes: Vec<Repository>,
    /// Commits of branches on remotes.
    pub(in crate::host) pushed: BTreeMap<String, String>,
    pub(in crate::host) pulls: Vec<PullRequest>,
    /// Why nothing can be read.
    pub(in crate::host) unread: Option<Unread>,
    pub(in crate::host) kills_merged: bool,
    /// Launched again at this time, while the forge is read.
    pub(in crate::host) relaunched: Option<(SessionId, Timestamp)>,
}

impl ForgePort for Recorder {
    async fn remotes(&self, _ctx: &Context, _folder: &Path) -> PortResult<Vec<Repository>> {
        Ok(self.read(|m| m.forge.remotes.clone()))
    }
    async fn pushed(&self, _folder: &Path, _branches: &[String]) -> BTreeMap<String, String> {
        self.read(|m| m.forge.pushed.clone())
    }
    async fn pull_requests(
        &self,
        repository: &Repository,
        branches: &[String],
    ) -> Result<Vec<PullRequest>, Unread> {
        let what = format!("gh {}/{} {}", repository.owner, repository.name, branches.join(" "));
        let asked = self.acall(&what, None, None).await;
        asked.map_err(|error| Unread::Failed(error.message))?;
        self.change(|m| {
            if let Some((id, at)) = m.forge.relaunched.take() {
                m.sessions.get_mut(&id).unwrap().runtime.started_at = Some(at);
            }
        });
        self.read(|m| match &m.forge.unread {
            Some(unread) => Err(unread.clone()),
            None => Ok(m.forge.pulls.clone()),
        })
    }
    async fn set_pull_requests(&self, id: &SessionId, facts: Vec<PrFacts>) -> PortResult<()> {
        self.acall("set_pull_requests", Some(id), None).await?;
        self.change(|m| {
            if let Some(session) = m.sessions.get_mut(id) {
                session.prs = facts;
            }
        });
        Ok(())
    }
    fn kills_merged(&self) -> bool {
        self.read(|m| m.forge.kills_merged)
    }
}
