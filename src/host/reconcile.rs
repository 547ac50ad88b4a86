//! Probing what is believed to run (`spec/lifecycle.md` A4 to A6, V4).

use crate::domain::ids::SessionId;
use crate::domain::probe::break_circuit;
use crate::domain::session::Session;

use super::Host;
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
}
