//! What every command works with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::adapters::{self, Real};
use crate::config::Config;
use crate::domain::event::Actor;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::operation::OperationState;
use crate::domain::session::{LaunchFacts, Session};
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::ports::{PortResult, Ports};
use crate::host::report::{Progress, QUEUED, waiting_for};
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::os::ssh;

use super::caller;
use super::error::CliError;
use super::output::Output;

/// The coordinators, and how to print.
pub(crate) struct Console<P> {
    /// The coordinators.
    pub(crate) host: Host<P>,
    /// Cancelled by Ctrl-C.
    pub(crate) context: Context,
    /// How to print.
    pub(crate) out: Output,
    /// The folders.
    pub(crate) home: Home,
    /// The configuration.
    pub(crate) config: Config,
    /// Grows with every change of the store.
    pub(crate) changes: watch::Receiver<u64>,
    /// Who asks: an agent where its environment names a session.
    pub(crate) actor: Actor,
}

impl<P: Ports> Console<P> {
    /// A session, deleted ones too.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(crate) async fn session(&self, id: &SessionId) -> Result<Session, CliError> {
        let found = self.host.ports().session(id).await?;
        found.ok_or_else(|| HostError::NotFound(id.clone()).into())
    }

    /// Sessions in the order of `ids`, deleted ones too.
    ///
    /// # Errors
    /// One of them does not exist, or they cannot be read.
    pub(crate) async fn sessions(&self, ids: &[SessionId]) -> Result<Vec<Session>, CliError> {
        let found = self.host.ports().sessions(ids).await?;
        let mut found: BTreeMap<SessionId, Session> =
            found.into_iter().map(|session| (session.id.clone(), session)).collect();
        ids.iter()
            .map(|id| found.remove(id).ok_or_else(|| HostError::NotFound(id.clone()).into()))
            .collect()
    }

    /// Probes those of `sessions` that are live (`spec/lifecycle.md` A4); answers whether any
    /// changed.
    ///
    /// # Errors
    /// The store cannot be written.
    pub(crate) async fn reconcile(&self, sessions: &[Session]) -> Result<bool, CliError> {
        Ok(!self.host.probe(sessions).await?.is_empty())
    }

    /// Gives the key agent of this login to the agents that run (`spec/runtime.md`, Environment of an
    /// agent). Without it they are still attached to.
    pub(crate) fn bring_key_agent(&self) {
        if let Err(error) = ssh::refresh(&self.home.ssh_agent()) {
            tracing::warn!(%error, "the key agent cannot be linked");
        }
    }

    /// What a verb that reads writes down first. Where that cannot be written, what is there is read all
    /// the same, and it is said (`spec/store.md` W4).
    pub(crate) fn by_the_way<T: Default, E: std::fmt::Display>(&self, noted: Result<T, E>) -> T {
        noted.unwrap_or_else(|error| {
            self.out.remark(&format!("warning: what is shown may be old: {error}"));
            T::default()
        })
    }

    /// Runs what starts an agent; says so where one waits for its place (`spec/lifecycle.md` C10).
    pub(crate) async fn starting<T>(&self, work: impl Future<Output = T>) -> T {
        let mut progress = self.host.subscribe();
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                told = progress.recv() => {
                    if let Ok(Progress::Session { id, state: QUEUED, .. }) = told {
                        let most = self.config.max_starting;
                        let text = format!("{id} waits for a place: at most {most} start at once");
                        self.out.remark(&text);
                    }
                }
            }
        }
    }

    /// What every changing verb does first (`spec/lifecycle.md` V3): operations that a crash left
    /// half done are finished or undone. One that cannot be keeps nothing else from working.
    pub(crate) async fn recover_first(&self) {
        let recovered = match self.has_orphan().await {
            Ok(true) => self.host.recover_operations(&self.context).await.map(drop),
            Ok(false) => Ok(()),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = recovered {
            tracing::warn!(%error, "what was left half done is not recovered");
        }
    }

    /// Whether an operation is under way whose process is gone: its lock is free.
    async fn has_orphan(&self) -> PortResult<bool> {
        let ports = self.host.ports();
        for operation in ports.unfinished().await? {
            let running = operation.state == OperationState::Running;
            if running && ports.acquire_operation(&operation.id).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Agent, target and arguments of a new session.
    ///
    /// # Errors
    /// There is no such target.
    pub(crate) fn launch(
        &self,
        agent: Option<String>,
        target: Option<String>,
        args: Vec<String>,
    ) -> Result<LaunchFacts, CliError> {
        let name = target.or(agent).unwrap_or_else(|| self.config.agent.clone());
        if name == "command" && args.is_empty() {
            return Err(CliError::Usage {
                message: "the agent command wants a program".to_owned(),
                hint: Some("callboard spawn --agent command -- PROGRAM ARGUMENTS...".to_owned()),
            });
        }
        // What a target adds to the launch is worked out at each launch anew.
        let agent = self.config.targets.get(&name).map_or(&name, |target| &target.agent).clone();
        Ok(LaunchFacts { agent, target: name, args, ..LaunchFacts::default() })
    }
}

/// The folder that the command was started in.
///
/// # Errors
/// It cannot be found.
pub(crate) fn present_folder() -> Result<PathBuf, CliError> {
    std::env::current_dir().map_err(CliError::io("finding the present folder"))
}

/// Reads standard input as text.
///
/// # Errors
/// It cannot be read, or is no UTF-8.
pub(crate) fn read_input() -> Result<String, CliError> {
    std::io::read_to_string(std::io::stdin()).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => {
            CliError::Usage { message: "standard input is no UTF-8".to_owned(), hint: None }
        }
        _ => CliError::io("reading standard input")(error),
    })
}

/// Opens the installation for one workspace; Ctrl-C and the request to end cancel what runs.
///
/// # Errors
/// Store or folders cannot be used.
pub(crate) async fn open(
    home: Home,
    config: Config,
    workspace: WorkspaceName,
    out: Output,
) -> Result<Console<Real>, CliError> {
    let actor = caller::actor(&home, &workspace);
    let host = adapters::open(&home, &config, workspace).await?;
    let cancel = CancellationToken::new();
    cancel_on_signals(cancel.clone())?;
    Ok(Console {
        changes: host.ports().changes(),
        host,
        context: Context::cancelled_by(cancel),
        out,
        home,
        config,
        actor,
    })
}

/// Says on standard error what the command waits for (`spec/lifecycle.md` L5).
pub(crate) async fn say_waits(mut progress: broadcast::Receiver<Progress>, out: Output) {
    loop {
        match progress.recv().await {
            Ok(Progress::Waits { id, behind, since, .. }) => {
                let waited = Clock::System.now().since(since);
                out.remark(&waiting_for(behind, &id, waited));
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn cancel_on_signals(cancel: CancellationToken) -> Result<(), CliError> {
    let hear = |kind| signal(kind).map_err(CliError::io("listening to signals"));
    let (mut interrupt, mut terminate) =
        (hear(SignalKind::interrupt())?, hear(SignalKind::terminate())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        cancel.cancel();
    });
    Ok(())
}
