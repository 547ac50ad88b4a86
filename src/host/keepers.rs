//! Notices at once when the keeper of a live session is gone (`spec/lifecycle.md` A4): one idle
//! connection each, no timer.

use std::collections::BTreeSet;

use tokio::task::JoinSet;

use crate::domain::ids::SessionId;
use crate::domain::session::Session;

use super::Host;
use super::ports::Ports;

/// The keepers that are watched.
pub struct Keepers<P> {
    host: Host<P>,
    tasks: JoinSet<()>,
    /// Launches that are or were watched: one that is gone is not asked for again.
    launches: BTreeSet<(SessionId, u32)>,
}

impl<P: Ports> Keepers<P> {
    /// Watches none yet.
    pub fn new(host: Host<P>) -> Self {
        Self { host, tasks: JoinSet::new(), launches: BTreeSet::new() }
    }

    /// Watches the keepers of exactly these sessions.
    pub fn follow(&mut self, live: &[Session]) {
        let launch =
            |session: &Session| (session.id.clone(), session.condition.lifecycle.generation);
        let now: BTreeSet<_> = live.iter().map(launch).collect();
        for (id, _) in now.difference(&self.launches) {
            let (host, id) = (self.host.clone(), id.clone());
            self.tasks.spawn(async move { host.ports().gone(&id).await });
        }
        self.launches = now;
    }

    /// Returns when the keeper of one of them is gone; never while all are there. May be dropped.
    pub async fn one_gone(&mut self) {
        if self.tasks.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
