//! What `doctor` needs of an installation, also of one whose store cannot be opened.

use std::path::PathBuf;

use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;
use crate::os::paths::Home;

use super::{PortError, PortResult};

/// What was found in the store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreHealth {
    /// Why it cannot be looked at.
    pub fault: Option<PortError>,
    /// It is damaged: what a repair moves aside.
    pub damaged: bool,
    /// Its version; none where there is no database yet.
    pub version: Option<i64>,
    /// The version that this callboard writes.
    pub known: i64,
    /// Pages and tables that are not whole.
    pub damage: Vec<String>,
    /// Rows that are of no row.
    pub references: Vec<String>,
    /// What is wrong with the search index.
    pub search: Vec<String>,
    /// Kept counts that are wrong.
    pub totals: Vec<String>,
}

/// A copy of the store, and how many sessions it holds, or why it is no good.
pub type Backup = (PathBuf, Result<u64, String>);

/// What became of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedStore {
    /// The folder that the damaged files are in now.
    pub aside: PathBuf,
    /// The copy that was restored and how many sessions it holds; none where none is good.
    pub restored: Option<(PathBuf, u64)>,
    /// Copies that are no good, and why.
    pub bad: Vec<(PathBuf, String)>,
}

/// An agent and its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentState {
    /// Its name.
    pub name: String,
    /// Where its program was found.
    pub program: Option<PathBuf>,
    /// What the program says of its version.
    pub version: Option<String>,
    /// The version that the definition was tried with.
    pub verified: Option<String>,
    /// The configuration names it for new sessions.
    pub is_chosen: bool,
}

/// A keeper that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeeperState {
    /// Its session.
    pub session: SessionId,
    /// Its process.
    pub pid: u32,
    /// Why it cannot be asked; none where it answers.
    pub silent: Option<String>,
    /// It runs another program than this one.
    pub other_program: bool,
}

/// An installation as `doctor` sees it.
pub trait DoctorPort: Send + Sync {
    /// The folders.
    fn home(&self) -> &Home;
    /// The present time.
    fn now(&self) -> Timestamp;
    /// The folder that sockets of keepers are in.
    fn sockets(&self) -> PathBuf;
    /// Mistakes in the operator's files, and what to do about each.
    fn mistakes(&self) -> Vec<(String, Option<String>)>;
    /// Looks at the store.
    fn store(&self) -> impl Future<Output = StoreHealth> + Send;
    /// Copies of the store, newest first.
    fn backups(&self) -> impl Future<Output = Vec<Backup>> + Send;
    /// Moves the store aside and restores the newest good copy.
    fn repair_store(&self) -> impl Future<Output = PortResult<RepairedStore>> + Send;
    /// Sets kept counts right and builds the search index anew.
    fn recount_store(&self) -> impl Future<Output = PortResult<()>> + Send;
    /// The version of git.
    fn git(&self) -> impl Future<Output = PortResult<String>> + Send;
    /// The agents that are offered.
    fn agents(&self) -> impl Future<Output = Vec<AgentState>> + Send;
    /// Keepers that run.
    fn keepers(&self) -> impl Future<Output = Vec<KeeperState>> + Send;
    /// Sockets and entries of keepers that are gone.
    fn stale_sockets(&self) -> impl Future<Output = Vec<PathBuf>> + Send;
    /// Removes those.
    fn sweep_sockets(&self) -> impl Future<Output = PortResult<()>> + Send;
    /// Bytes of terminal history that are kept, and how many may be.
    fn history(&self) -> impl Future<Output = (u64, u64)> + Send;
    /// Drops the oldest history beyond that.
    fn trim_history(&self) -> impl Future<Output = PortResult<u64>> + Send;
}

/// What may belong to no session any more.
pub trait RemainsPort: Send + Sync {
    /// Sessions of this workspace that have a keeper, as far as is listed; clears nothing away.
    fn keepers_listed(&self) -> impl Future<Output = Vec<SessionId>> + Send;
    /// Processes that outlived a killed keeper.
    fn strays(&self) -> impl Future<Output = PortResult<Vec<u32>>> + Send;
    /// Folders in the trash, with the session that each is named after.
    fn in_trash(&self) -> impl Future<Output = PortResult<Vec<(SessionId, PathBuf)>>> + Send;
}
