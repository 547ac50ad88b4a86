//! The dashboard.

use std::path::{Path, PathBuf};

use crate::adapters::Real;
use crate::agents::Registry;
use crate::domain::error::ErrorKind;
use crate::domain::ids::{OperationId, WorkspaceName};
use crate::host::Host;
use crate::host::ports::StorePort as _;
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::os::spawn;
use crate::tui::app::Start;
use crate::tui::run::{Options, RunSummary, Target, Targets, run as show};

use super::args::BoardArgs;
use super::console::{Console, present_folder};
use super::error::{CliError, CommandResult, Ending};

/// Opens the dashboard where `args` say, until it is left.
///
/// # Errors
/// There is no terminal, or it failed.
pub(crate) async fn run(console: &Console<Real>, args: BoardArgs) -> CommandResult {
    let folder = present_folder()?;
    let start = start(console, args).await?;
    console.bring_key_agent();
    let summary = dashboard(&console.host, &console.home, folder, start).await?;
    // A terminal that is gone or does not read is told nothing.
    if !summary.interrupted {
        console.out.remark(&summary.farewell);
    }
    hand_over(console.host.ports().workspace(), &summary.hand_over)?;
    Ok(if summary.interrupted { Ending::Short(ErrorKind::Interrupted) } else { Ending::Done })
}

/// Starts a worker for each operation that the dashboard left.
fn hand_over(workspace: &WorkspaceName, operations: &[OperationId]) -> Result<(), CliError> {
    for operation in operations {
        let arguments = ["--workspace", workspace.as_str(), "work", operation.as_str()];
        let started = spawn::own_binary().and_then(|binary| spawn::apart(&binary, &arguments));
        started.map_err(CliError::io("starting a worker"))?;
    }
    Ok(())
}

/// A session without a section is looked for where it is shown.
async fn start(console: &Console<Real>, args: BoardArgs) -> Result<Option<Start>, CliError> {
    let BoardArgs { section, select } = args;
    let shown = match (&section, &select) {
        (None, Some(id)) => Some(console.session(id).await?.shown.section),
        _ => None,
    };
    Ok(section.or(shown).map(|section| Start { section, select }))
}

/// The dashboard on `host`, started in `folder`.
///
/// # Errors
/// There is no terminal, or it failed.
pub(crate) async fn dashboard(
    host: &Host<Real>,
    home: &Home,
    folder: PathBuf,
    start: Option<Start>,
) -> Result<RunSummary, CliError> {
    let ports = host.ports();
    let (watched, asked) = (host.clone(), host.clone());
    let agents = move || {
        let agents = asked.ports().agents();
        let names = agents.names().into_iter();
        let found = |name: &str| (name.to_owned(), agents.program(name).is_ok());
        Targets { agents: names.map(found).collect(), targets: targets(agents) }
    };
    let workspace: WorkspaceName = ports.workspace().clone();
    let shown = show(Options {
        host: host.clone(),
        home: home.clone(),
        config: ports.config().clone(),
        workspace,
        changes: Box::new(move || watched.ports().changes()),
        repository: repository(&folder),
        folder,
        agents: Box::new(agents),
        start,
        clock: Clock::System,
    });
    Ok(Box::pin(shown).await?)
}

/// The targets that can be chosen for a new session.
fn targets(agents: &Registry) -> Vec<Target> {
    let target = |name: &str| {
        Some(Target {
            name: name.to_owned(),
            agent: agents.agent_of(name)?.to_owned(),
            found: agents.is_found(name),
            runs: agents.elsewhere(name).map(|there| there.line()),
        })
    };
    agents.targets().into_iter().filter_map(target).collect()
}

/// The nearest folder at or above `folder` that holds a repository.
fn repository(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|above| above.join(".git").exists()).map(Path::to_owned)
}
