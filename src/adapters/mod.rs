//! The ports of `host` on the real parts: store, git, keepers, agent definitions, lock files. Decides
//! nothing.

mod agents;
pub mod doctor;
mod elsewhere;
mod error;
mod forge;
mod launch;
mod locks;
mod messages;
mod purge;
mod runtime;
mod store;
#[cfg(test)]
mod tests;
mod workspace;

use tokio::sync::watch;

use crate::agents::Registry;
use crate::config::Config;
use crate::domain::ids::WorkspaceName;
use crate::host::Host;
use crate::host::locks::FileLocks;
use crate::host::ports::PortResult;
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::store::{Store, StoreError};
use crate::workspace::Workspace;

pub use crate::config::Mistake;
pub use crate::store::rows::SeededSession;
pub use agents::version as agent_version;
pub use error::OpenError;
pub use runtime::Keepers;

/// The real parts of one workspace of one installation; tests put something else in the place of
/// the keepers.
#[derive(Debug)]
pub struct Real<R = Keepers> {
    home: Home,
    config: Config,
    agents: Registry,
    mistakes: Vec<Mistake>,
    store: Store,
    workspace: Workspace,
    locks: FileLocks,
    runtime: R,
}

/// Opens an installation: agents, store, locks; and puts the coordinators on them.
///
/// # Errors
/// A folder or the store cannot be opened.
pub async fn open(
    home: &Home,
    config: &Config,
    workspace: WorkspaceName,
) -> Result<Host<Real>, OpenError> {
    Ok(Host::new(parts(home, config, workspace, Keepers::default(), Store::open).await?))
}

/// As [`open`], for a look that changes nothing.
///
/// # Errors
/// As [`open`]; there is no store, or one of another version.
pub async fn open_still(
    home: &Home,
    config: &Config,
    workspace: WorkspaceName,
) -> Result<Host<Real>, OpenError> {
    Ok(Host::new(parts(home, config, workspace, Keepers::default(), Store::open_still).await?))
}

/// A way to open the store.
type Opening = fn(&Home, WorkspaceName, Clock) -> Result<Store, StoreError>;

async fn parts<R>(
    home: &Home,
    config: &Config,
    workspace: WorkspaceName,
    runtime: R,
    opening: Opening,
) -> Result<Real<R>, OpenError> {
    let (agents, mistakes) = Registry::load(home, config);
    let (files, name) = (home.clone(), workspace.clone());
    let store = tokio::task::spawn_blocking(move || opening(&files, name, Clock::System));
    let store = store.await.map_err(|error| OpenError::Folder {
        what: "the store".to_owned(),
        error: std::io::Error::other(error),
    })??;
    let max_starting = usize::try_from(config.max_starting).unwrap_or(1);
    let locks = FileLocks::new(home, &workspace, max_starting, Clock::System);
    let locks =
        locks.map_err(|error| OpenError::Folder { what: "the lock files".to_owned(), error })?;
    Ok(Real {
        workspace: Workspace::new(home.clone(), workspace, config),
        home: home.clone(),
        config: config.clone(),
        agents,
        mistakes,
        store,
        locks,
        runtime,
    })
}

impl<R> Real<R> {
    /// The folders.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The agent definitions.
    pub fn agents(&self) -> &Registry {
        &self.agents
    }

    /// Mistakes in agent definitions; each disables its own file only (G1).
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// Grows whenever anyone changed the store.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.store.changes()
    }

    /// Fills in made-up sessions in one transaction, for demos and measurements.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn seed(&self, sessions: Vec<SeededSession>) -> PortResult<()> {
        Ok(self.store.seed_sessions(sessions).await?)
    }
}
