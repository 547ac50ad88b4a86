//! The coordinators: the only place where the lifecycle of sessions is decided
//! (`spec/lifecycle.md`). Knows no SQL, git or PTY: those are behind [`ports`].

mod again;
mod answer;
mod caller;
pub mod care;
mod choices;
mod cleanup;
pub mod context;
mod create;
mod delete;
pub mod doctor;
mod edit;
mod elsewhere;
pub mod error;
pub mod faults;
mod filters;
mod folders;
mod fork;
mod hold;
mod hooks;
mod journal;
mod keepers;
mod lanes;
mod launch;
pub mod locks;
mod parallel;
pub mod ports;
mod prs;
mod purge;
mod reconcile;
mod recover;
pub mod report;
mod restore;
mod row;
mod send;
mod starts;
mod stop;
#[cfg(test)]
mod tests;
mod uncommitted;

pub use caller::Reach;
pub use delete::Admission;
pub use keepers::Keepers;
pub use prs::OnView;

use std::sync::Arc;

use tokio::sync::broadcast;

use ports::Ports;
use report::Progress;

/// Progress reports kept for a slow subscriber; it misses older ones and asks the store instead.
const PROGRESS_KEPT: usize = 4_096;

/// The coordinators on one set of ports. Cheap to clone.
pub struct Host<P> {
    ports: Arc<P>,
    progress: broadcast::Sender<Progress>,
}

impl<P> Clone for Host<P> {
    fn clone(&self) -> Self {
        Self { ports: Arc::clone(&self.ports), progress: self.progress.clone() }
    }
}

impl<P: Ports> Host<P> {
    /// Puts the coordinators on `ports`.
    pub fn new(ports: P) -> Self {
        Self { ports: Arc::new(ports), progress: broadcast::channel(PROGRESS_KEPT).0 }
    }

    /// The ports, for plain queries.
    pub fn ports(&self) -> &P {
        &self.ports
    }

    /// Progress of every operation of this process from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Progress> {
        self.progress.subscribe()
    }
}
