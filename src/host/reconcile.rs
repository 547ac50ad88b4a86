//! Probing what is believed to run, and what belongs to no session (`spec/lifecycle.md` A4 to A6, V4).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::Verb;
use crate::domain::probe::{Evidence, break_circuit};
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
        self.probe(&self.ports.live().await?).await
    }

    /// Probes and settles the sessions whose timed rules are due (A4, A5, T4); answers those that a
    /// probe changed.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn settle_due(&self) -> HostResult<Vec<SessionId>> {
        let changed = self.probe(&self.ports.due(self.ports.now()).await?).await?;
        self.ports.settle_due().await?;
        Ok(changed)
    }

    /// Probes those of `sessions` that are live, as one round (A6), and stores what follows; answers
    /// those that changed. What a reading verb answers for needs no more (A4).
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn probe(&self, sessions: &[Session]) -> HostResult<Vec<SessionId>> {
        let live: Vec<Session> = sessions.iter().filter(|one| one.is_live()).cloned().collect();
        if live.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<(SessionId, u32)> = live
            .iter()
            .map(|session| (session.id.clone(), session.condition.lifecycle.generation))
            .collect();
        let evidence = parallel::ordered(PROBING, live, |session| {
            let host = self.clone();
            async move { host.ports.probe(&session).await }
        });
        let mut round: Vec<_> = keys.into_iter().zip(evidence.await).collect();
        if round.iter().any(|(_, evidence)| evidence.reads_dead()) {
            let asked = self.asked_to_end().await?;
            for ((id, _), evidence) in &mut round {
                let killed = asked.get(id).copied();
                evidence.kill_requested = evidence.kill_requested.or(killed);
            }
        }
        break_circuit(round.iter_mut().map(|(_, evidence)| evidence));
        let results: Vec<(SessionId, u32, Evidence)> =
            round.into_iter().map(|((id, generation), found)| (id, generation, found)).collect();
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

    /// Sessions whose end an operation that is not finished asks for, and why.
    async fn asked_to_end(&self) -> HostResult<BTreeMap<SessionId, TerminationReason>> {
        let mut operations = self.ports.unfinished().await?;
        operations.retain(|one| matches!(one.kind, Verb::Stop | Verb::Kill | Verb::Delete));
        let ends = operations
            .iter()
            .flat_map(|one| one.session_ids.iter().map(|id| (id.clone(), one.reason())));
        Ok(ends.collect())
    }
}
