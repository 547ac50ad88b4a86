//! Probing what is believed to run, and what belongs to no session (`spec/lifecycle.md` A4 to A6, V4).

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::probe::break_circuit;
use crate::domain::session::Session;

use super::Host;
use super::context::Context;
use super::error::HostResult;
use super::parallel;
use super::ports::Ports;

/// How many runtimes are asked at once.
const PROBING: usize = 32;

impl<P: Ports> Host<P> {
    /// Probes every live session and stores what follows; answers those that changed.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn reconcile(&self) -> HostResult<Vec<SessionId>> {
        let live = self.ports.live().await?;
        self.probe_all(live).await
    }

    /// Probes and settles the sessions whose timed rules are due (A4, A5, T4); answers those that a
    /// probe changed.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn settle_due(&self) -> HostResult<Vec<SessionId>> {
        let due = self.ports.due(self.ports.now()).await?;
        let changed = self.probe_all(due).await?;
        self.ports.settle_due().await?;
        Ok(changed)
    }

    async fn probe_all(&self, sessions: Vec<Session>) -> HostResult<Vec<SessionId>> {
        if sessions.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<(SessionId, u32)> = sessions
            .iter()
            .map(|session| (session.id.clone(), session.condition.lifecycle.generation))
            .collect();
        let evidence = parallel::ordered(PROBING, sessions, |session| {
            let host = self.clone();
            async move { host.ports.probe(&session).await }
        });
        let mut evidence = evidence.await;
        break_circuit(&mut evidence);
        let results: Vec<_> = keys
            .into_iter()
            .zip(evidence)
            .map(|((id, generation), evidence)| (id, generation, evidence))
            .collect();
        Ok(self.ports.probed(&results).await?)
    }

    /// Worktrees of ours that no row names. They are listed, and never removed (V4).
    pub(super) async fn orphans(&self) -> HostResult<Vec<PathBuf>> {
        let made = self.ports.worktrees().await?;
        let ids: Vec<SessionId> = made.iter().map(|(id, _)| id.clone()).collect();
        let sessions = self.ports.sessions(&ids).await?;
        let is_named = |id: &SessionId, path: &PathBuf| {
            // A create that is under way names its worktree once it is made.
            let fits = |folder: &PathBuf| folder == path || folder.as_os_str().is_empty();
            sessions.iter().any(|session| session.id == *id && fits(&session.folder))
        };
        let orphans = made.into_iter().filter(|(id, path)| !is_named(id, path));
        Ok(orphans.map(|(_, path)| path).collect())
    }

    /// Ends runtimes whose session is not there or in the trash (V4); answers their keepers.
    pub(super) async fn end_rowless(&self, ctx: &Context) -> HostResult<Vec<u32>> {
        let mut ended = Vec::new();
        let keepers = self.ports.keepers().await?;
        let sessions = self.ports.sessions(&keepers).await?;
        let present = sessions.iter().filter(|session| session.deletion.is_none());
        let present: BTreeSet<&SessionId> = present.map(|session| &session.id).collect();
        for id in keepers.iter().filter(|id| !present.contains(id)) {
            let operation = self.operation(Verb::Stop, vec![id.clone()]);
            let ids = std::slice::from_ref(id);
            let _locks = self.ports.acquire(ctx, ids, &operation).await?;
            let now = self.ports.session(id).await?;
            if now.is_some_and(|session| session.deletion.is_none()) {
                continue;
            }
            match self.end_runtime(ctx, id).await {
                Ok(closed) => {
                    ended.extend(closed.keeper_pid);
                    self.audit("stop", ids, &Actor::Callboard, None).await;
                }
                Err(error) => tracing::warn!(session = %id, %error, "a runtime did not end"),
            }
        }
        Ok(ended)
    }
}
