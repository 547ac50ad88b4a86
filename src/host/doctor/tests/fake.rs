//! An installation that is told what it is.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::domain::check::{RepairedStore, StoreHealth};
use crate::domain::error::ErrorKind;
use crate::domain::time::Timestamp;
use crate::host::ports::doctor::{AgentState, Backup, DoctorPort, KeeperState, TargetState};
use crate::host::ports::{PortError, PortResult};
use crate::os::clock::Clock;
use crate::os::paths::Home;

/// An installation with its folders on the disk and everything else made up.
pub(super) struct Fake {
    _folder: tempfile::TempDir,
    pub(super) home: Home,
    pub(super) sockets: PathBuf,
    pub(super) mistakes: Vec<(String, Option<String>)>,
    pub(super) store: Mutex<PortResult<StoreHealth>>,
    pub(super) looks: AtomicUsize,
    pub(super) backups: Vec<Backup>,
    pub(super) repaired: PortResult<Option<RepairedStore>>,
    pub(super) git: PortResult<String>,
    pub(super) gh: Option<String>,
    pub(super) agents: Vec<AgentState>,
    pub(super) targets: Vec<TargetState>,
    pub(super) keepers: Vec<KeeperState>,
    pub(super) stale: Mutex<Vec<PathBuf>>,
    pub(super) history: Mutex<(u64, u64)>,
    pub(super) now: Timestamp,
}

pub(super) fn failed(message: &str) -> PortError {
    PortError { kind: ErrorKind::Failed, message: message.to_owned(), hint: None }
}

fn whole() -> StoreHealth {
    StoreHealth { version: Some(4), known: 4, ..StoreHealth::default() }
}

impl Fake {
    /// With nothing wrong.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(&folder.path().join("home")).unwrap();
        home.create().unwrap();
        Self {
            sockets: home.run.clone(),
            home,
            _folder: folder,
            mistakes: Vec::new(),
            store: Mutex::new(Ok(whole())),
            looks: AtomicUsize::new(0),
            backups: Vec::new(),
            repaired: Err(failed("nobody asked for it")),
            gh: None,
            git: Ok("2.40".to_owned()),
            agents: Vec::new(),
            targets: Vec::new(),
            keepers: Vec::new(),
            stale: Mutex::default(),
            history: Mutex::new((5 << 20, 9 << 20)),
            now: Clock::System.now(),
        }
    }

    pub(super) fn with_store(change: impl FnOnce(&mut StoreHealth)) -> Self {
        let fake = Self::new();
        change(fake.store.lock().unwrap().as_mut().unwrap());
        fake
    }
}

impl DoctorPort for Fake {
    fn home(&self) -> &Home {
        &self.home
    }
    fn now(&self) -> Timestamp {
        self.now
    }
    fn sockets(&self) -> PathBuf {
        self.sockets.clone()
    }
    fn mistakes(&self) -> Vec<(String, Option<String>)> {
        self.mistakes.clone()
    }
    async fn store(&self) -> PortResult<StoreHealth> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.store.lock().unwrap().clone()
    }
    async fn backups(&self) -> Vec<Backup> {
        self.backups.clone()
    }
    async fn repair_store(&self) -> PortResult<Option<RepairedStore>> {
        let done = self.repaired.clone()?;
        *self.store.lock().unwrap() = Ok(whole());
        Ok(done)
    }
    async fn recount_store(&self, index: bool) -> PortResult<()> {
        let mut store = self.store.lock().unwrap();
        let store = store.as_mut().unwrap();
        store.totals.clear();
        if index {
            store.search.clear();
        }
        Ok(())
    }
    async fn git(&self) -> PortResult<String> {
        self.git.clone()
    }
    async fn gh(&self) -> Option<String> {
        self.gh.clone()
    }
    async fn agents(&self) -> Vec<AgentState> {
        self.agents.clone()
    }
    fn targets(&self) -> Vec<TargetState> {
        self.targets.clone()
    }
    async fn keepers(&self) -> Vec<KeeperState> {
        self.keepers.clone()
    }
    async fn stale_sockets(&self) -> Vec<PathBuf> {
        self.stale.lock().unwrap().clone()
    }
    async fn sweep_sockets(&self) -> PortResult<()> {
        self.stale.lock().unwrap().clear();
        Ok(())
    }
    async fn history(&self) -> (u64, u64) {
        *self.history.lock().unwrap()
    }
    async fn trim_history(&self) -> PortResult<u64> {
        let mut history = self.history.lock().unwrap();
        let freed = history.0 - history.1;
        history.0 = history.1;
        Ok(freed)
    }
}
