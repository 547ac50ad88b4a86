//! What `doctor` needs of an installation, also of one whose store cannot be opened.

use std::path::PathBuf;

use crate::domain::check::{RepairedStore, StoreHealth};
use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;
use crate::os::paths::Home;

use super::PortResult;

/// A copy of the store, and how many sessions it holds, or why it is no good.
pub type Backup = (PathBuf, Result<u64, String>);

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

/// A configured target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetState {
    /// Its name.
    pub name: String,
    /// Its agent.
    pub agent: String,
    /// Where it runs and what is missing there; none where it runs here.
    pub runs: Option<String>,
    /// Why no session can be launched by it, and what to do.
    pub fault: Option<(String, Option<String>)>,
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
    fn store(&self) -> impl Future<Output = PortResult<StoreHealth>> + Send;
    /// Copies of the store, newest first.
    fn backups(&self) -> impl Future<Output = Vec<Backup>> + Send;
    /// Moves a damaged store aside and restores the newest good copy; none where it is whole after all.
    fn repair_store(&self) -> impl Future<Output = PortResult<Option<RepairedStore>>> + Send;
    /// Sets kept counts right, and builds the search index anew where that is wanted.
    fn recount_store(&self, index: bool) -> impl Future<Output = PortResult<()>> + Send;
    /// The version of git.
    fn git(&self) -> impl Future<Output = PortResult<String>> + Send;
    /// What `gh` says of its version; none where there is none.
    fn gh(&self) -> impl Future<Output = Option<String>> + Send;
    /// The agents that are offered.
    fn agents(&self) -> impl Future<Output = Vec<AgentState>> + Send;
    /// The targets that are configured.
    fn targets(&self) -> Vec<TargetState>;
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
