//! An installation as `doctor` sees it: also where its configuration is wrong or its store cannot be
//! opened.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::{StreamExt as _, future, stream};

use crate::agents::Registry;
use crate::config::{Config, ConfigError, Target};
use crate::domain::check::{RepairedStore, StoreHealth};
use crate::domain::error::ErrorKind;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::time::Timestamp;
use crate::host::ports::doctor::{
    AgentState, Backup, DoctorPort, KeeperState, RemainsPort, TargetState,
};
use crate::host::ports::{PortError, PortResult};
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::os::proctree;
use crate::runtime::client::Keeper;
use crate::runtime::history;
use crate::runtime::keeper::{self, Listed};
use crate::store::{health, repair};
use crate::workspace::Workspace;

use super::Real;

/// How long a keeper may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Keepers, and agents' programs, that are asked at once.
const AT_ONCE: usize = 16;

/// The parts of an installation that need no open store.
#[derive(Debug)]
pub struct Installation {
    home: Home,
    workspace: WorkspaceName,
    config: Config,
    agents: Registry,
    mistakes: Vec<(String, Option<String>)>,
}

impl Installation {
    /// Reads what can be read of the operator's files; `more` are mistakes in those that the dashboard
    /// alone reads.
    pub fn new(
        home: Home,
        workspace: WorkspaceName,
        config: Result<Config, ConfigError>,
        more: Vec<(String, Option<String>)>,
    ) -> Self {
        let mut mistakes = Vec::new();
        let config = config.unwrap_or_else(|error| {
            mistakes.push((error.to_string(), error.hint()));
            Config::default()
        });
        let (agents, wrong) = Registry::load(&home, &config);
        mistakes.extend(wrong.iter().map(|mistake| (mistake.to_string(), mistake.hint.clone())));
        mistakes.extend(more);
        Self { home, workspace, config, agents, mistakes }
    }
}

/// The folder that sockets of keepers are in: a short one where the home is too deep.
pub(super) fn socket_folder(home: &Home, workspace: &WorkspaceName) -> PathBuf {
    let socket = home.socket(workspace, &SessionId::numbered(None, 1));
    socket.parent().map_or_else(|| home.run.clone(), PathBuf::from)
}

/// Drops the oldest terminal history beyond what the configuration allows; answers the bytes.
pub(super) fn trim_history(
    home: &Home,
    config: &Config,
    sockets: &std::path::Path,
) -> std::io::Result<u64> {
    let live: BTreeSet<PathBuf> = keeper::listed(sockets)
        .iter()
        .map(|keeper| home.history(&keeper.workspace, &keeper.session))
        .collect();
    history::trim(&home.histories(), most_history(config), &live)
}

fn most_history(config: &Config) -> u64 {
    config.history_mebibytes.saturating_mul(1 << 20)
}

/// The state of a keeper; none where it ended meanwhile: it has no need to answer.
async fn ask(listed: Listed) -> Option<KeeperState> {
    let silent = match tokio::time::timeout(PATIENCE, Keeper::connect(&listed.socket)).await {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some(format!("not within {} s", PATIENCE.as_secs())),
    };
    if silent.is_some() && !listed.keeper.is_alive() {
        return None;
    }
    let other_program = proctree::runs_own_program(listed.keeper.pid) == Some(false);
    let (session, pid) = (listed.session, listed.keeper.pid);
    Some(KeeperState { session, pid, silent, other_program })
}

async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> PortResult<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| failed(what, &error))
}

fn failed(what: &str, error: &impl std::fmt::Display) -> PortError {
    let message = format!("could not {what}: {error}");
    PortError { kind: ErrorKind::Failed, message, hint: None }
}

impl DoctorPort for Installation {
    fn home(&self) -> &Home {
        &self.home
    }

    fn now(&self) -> Timestamp {
        Clock::System.now()
    }

    fn sockets(&self) -> PathBuf {
        socket_folder(&self.home, &self.workspace)
    }

    fn mistakes(&self) -> Vec<(String, Option<String>)> {
        self.mistakes.clone()
    }

    async fn store(&self) -> PortResult<StoreHealth> {
        let home = self.home.clone();
        Ok(blocking("look at the store", move || health::examine(&home)).await??)
    }

    async fn backups(&self) -> Vec<Backup> {
        let home = self.home.clone();
        blocking("look at the backups", move || health::backups(&home)).await.unwrap_or_default()
    }

    async fn repair_store(&self) -> PortResult<Option<RepairedStore>> {
        let (home, now) = (self.home.clone(), self.now());
        Ok(blocking("repair the store", move || repair::repair(&home, now)).await??)
    }

    async fn recount_store(&self, index: bool) -> PortResult<()> {
        let home = self.home.clone();
        Ok(blocking("count anew", move || health::recount(&home, index)).await??)
    }

    async fn git(&self) -> PortResult<String> {
        let workspace = Workspace::new(self.home.clone(), self.workspace.clone(), &self.config);
        Ok(workspace.git_version().await?)
    }

    async fn gh(&self) -> Option<String> {
        super::forge::version().await
    }

    async fn agents(&self) -> Vec<AgentState> {
        let defaults = Config::default();
        let chosen = self.agents.agent_of(&self.config.agent).unwrap_or_default();
        let is_here = self.agents.elsewhere(&self.config.agent).is_none();
        let look = async |name: &str| {
            let definition = self.agents.find(name)?;
            if definition.is_named_by_session() {
                return None;
            }
            Some(AgentState {
                name: name.to_owned(),
                program: self.agents.program(name).ok(),
                version: super::agent_version(&self.agents, name).await,
                verified: Some(definition.verified.clone()).filter(|text| !text.is_empty()),
                is_chosen: name == chosen && is_here && self.config.agent != defaults.agent,
            })
        };
        stream::iter(self.agents.names())
            .map(look)
            .buffered(AT_ONCE)
            .filter_map(future::ready)
            .collect()
            .await
    }

    fn targets(&self) -> Vec<TargetState> {
        let state = |(name, target): (&String, &Target)| TargetState {
            name: name.clone(),
            agent: target.agent.clone(),
            runs: self.agents.elsewhere(name).map(|there| there.line()),
            fault: self
                .agents
                .check_target(name)
                .err()
                .map(|error| (error.to_string(), error.hint())),
        };
        self.config.targets.iter().map(state).collect()
    }

    async fn keepers(&self) -> Vec<KeeperState> {
        let listed = stream::iter(keeper::listed(&self.sockets()));
        listed.map(ask).buffered(AT_ONCE).filter_map(future::ready).collect().await
    }

    async fn stale_sockets(&self) -> Vec<PathBuf> {
        keeper::stale(&self.sockets())
    }

    async fn sweep_sockets(&self) -> PortResult<()> {
        keeper::sweep(&self.sockets()).await.map_err(|error| failed("remove stale sockets", &error))
    }

    async fn history(&self) -> (u64, u64) {
        let root = self.home.histories();
        let held = blocking("measure terminal history", move || history::held(&root)).await;
        (held.map_or(0, Result::unwrap_or_default), most_history(&self.config))
    }

    async fn trim_history(&self) -> PortResult<u64> {
        let (home, config, sockets) = (self.home.clone(), self.config.clone(), self.sockets());
        let what = "drop terminal history";
        let freed = blocking(what, move || trim_history(&home, &config, &sockets)).await?;
        freed.map_err(|error| failed(what, &error))
    }
}

impl RemainsPort for Real {
    async fn keepers_listed(&self) -> Vec<SessionId> {
        self.listed_keepers()
    }

    async fn strays(&self) -> PortResult<Vec<u32>> {
        Ok(self.find_strays().await.iter().map(|stray| stray.process.pid).collect())
    }

    async fn in_trash(&self) -> PortResult<Vec<(SessionId, PathBuf)>> {
        Ok(self.workspace.in_trash().await?)
    }
}
