//! The ports of `host` on the real parts: store, git, keepers, agent definitions, lock files. Decides
//! nothing.

mod agents;
mod error;
mod locks;
mod purge;
mod runtime;
mod store;
mod workspace;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::agents::Registry;
use crate::config::{self, Config};
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::pr::PrFacts;
use crate::host::Host;
use crate::host::locks::FileLocks;
use crate::host::ports::PortResult;
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::runtime::client::Launching;
use crate::store::Store;
use crate::workspace::Workspace;

pub use crate::config::Mistake;
pub use crate::store::rows::SeededSession;
pub use error::OpenError;

/// The real parts of one workspace of one installation.
#[derive(Debug)]
pub struct Real {
    home: Home,
    config: Config,
    agents: Registry,
    mistakes: Vec<Mistake>,
    store: Store,
    workspace: Workspace,
    locks: FileLocks,
    /// Launches that are ready and not yet published: dropping one ends its keeper (C4).
    launches: Mutex<HashMap<(SessionId, u32), Launching>>,
}

/// Opens an installation: configuration, agents, store, locks; and puts the coordinators on them.
///
/// # Errors
/// The configuration has a mistake, or a folder or the store cannot be opened.
pub async fn open(home: &Home, workspace: WorkspaceName) -> Result<Host<Real>, OpenError> {
    let config = config::load(home)?;
    let (agents, mistakes) = Registry::load(home, &config);
    let (files, name) = (home.clone(), workspace.clone());
    let store = tokio::task::spawn_blocking(move || Store::open(&files, name, Clock::System));
    let store = store.await.map_err(|error| OpenError::Folder {
        what: "the store".to_owned(),
        error: std::io::Error::other(error),
    })??;
    let max_starting = usize::try_from(config.max_starting).unwrap_or(1);
    let locks = FileLocks::new(home, &workspace, max_starting, Clock::System);
    let locks =
        locks.map_err(|error| OpenError::Folder { what: "the lock files".to_owned(), error })?;
    Ok(Host::new(Real {
        workspace: Workspace::new(home.clone(), workspace, &config),
        home: home.clone(),
        config,
        agents,
        mistakes,
        store,
        locks,
        launches: Mutex::default(),
    }))
}

impl Real {
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

    /// Sets what is known of a session's pull requests.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn set_pr_facts(&self, id: &SessionId, prs: Vec<PrFacts>) -> PortResult<()> {
        Ok(self.store.set_pr_facts(id, prs).await?)
    }

    fn launches(&self) -> MutexGuard<'_, HashMap<(SessionId, u32), Launching>> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_launches(&self, id: &SessionId) -> Vec<Launching> {
        let mut launches = self.launches();
        launches.extract_if(|(launched, _), _| launched == id).map(|(_, launch)| launch).collect()
    }
}
