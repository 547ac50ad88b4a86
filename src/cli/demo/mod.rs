//! `demo`: the dashboard on a throwaway home, or a home filled with made-up sessions.

mod live;
mod madeup;
mod repository;
mod scenes;
mod words;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::adapters::{self, Real};
use crate::domain::ids::{ProjectName, SessionId, WorkspaceName};
use crate::domain::plan::Conditions;
use crate::domain::rail::ProjectSetup;
use crate::host::ports::{StorePort as _, TombstoneRow};
use crate::host::{Host, Reach};
use crate::os::paths::Home;
use crate::os::random;

use super::args::DemoArgs;
use super::caller;
use super::error::{CliError, CommandResult, Ending};
use super::output::Output;
use madeup::MadeUpProject;

/// Tombstones of one made-up batch.
const BATCH: usize = 500;
/// Made-up sessions that go to the trash at most.
const TRASHED: usize = 2_000;

/// What was made up.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MadeUp")]
pub(crate) struct SeededJson {
    /// The home that was filled.
    home: String,
    /// Projects that were registered.
    projects: usize,
    /// Sessions, deleted ones too.
    sessions: usize,
    /// How many of them are in the trash.
    deleted: usize,
}

/// `demo`
///
/// # Errors
/// The home cannot be made or filled, or the dashboard failed.
pub(crate) async fn run(args: DemoArgs, out: Output) -> CommandResult {
    let Some(folder) = args.home.filter(|_| args.seed_only) else {
        return live::run().await;
    };
    let home = Home::at(&folder).map_err(CliError::io("finding the present folder"))?;
    let workspace = WorkspaceName::default();
    let actor = caller::actor(&home, &workspace);
    let host = adapters::open(&home, &crate::config::load(&home)?, workspace).await?;
    host.allow(&actor, "fill a home", Reach::Config).await?;
    let seeded = fill(&host, &folder, args.sessions).await?;
    out.report(&seeded, |seeded| {
        format!(
            "{} sessions of {} projects, {} of them in the trash; CALLBOARD_HOME={} callboard shows them",
            seeded.sessions, seeded.projects, seeded.deleted, seeded.home
        )
    })?;
    Ok(Ending::Done)
}

/// Fills a home with made-up projects and sessions, some of them in the trash.
async fn fill(host: &Host<Real>, folder: &Path, count: usize) -> Result<SeededJson, CliError> {
    let names = madeup::project_names(count);
    let mut projects = Vec::with_capacity(names.len());
    for name in names {
        projects.push(made_up_project(host, folder, name).await?);
    }
    let ports = host.ports();
    let sessions = madeup::sessions(count, &projects, ports.now());
    let trashed = madeup::trashed(&sessions);
    let trashed = &trashed[..trashed.len().min(TRASHED)];
    ports.seed(sessions).await?;
    for batch in trashed.chunks(BATCH) {
        delete(host, batch).await?;
    }
    Ok(SeededJson {
        home: folder.display().to_string(),
        projects: projects.len(),
        sessions: count,
        deleted: trashed.len(),
    })
}

async fn made_up_project(
    host: &Host<Real>,
    folder: &Path,
    name: ProjectName,
) -> Result<MadeUpProject, CliError> {
    let path = folder.join("projects").join(name.as_str());
    let path = std::fs::create_dir_all(&path)
        .and_then(|()| path.canonicalize())
        .map_err(CliError::io(format!("making {}", path.display())))?;
    let setup = ProjectSetup::default();
    host.ports().add_project(&path, Some(name.clone()), true, setup).await?;
    Ok(MadeUpProject { name, path })
}

/// Puts made-up sessions into the trash: nothing runs and no folder is there, so that only the rows
/// are written.
async fn delete(host: &Host<Real>, ids: &[SessionId]) -> Result<(), CliError> {
    let rows: Vec<TombstoneRow> = ids
        .iter()
        .map(|id| TombstoneRow { id: id.clone(), was_live: false, closed: false, trash_path: None })
        .collect();
    let requested = ids.iter().cloned().collect();
    let batch = random::operation();
    host.ports().tombstone(&requested, &Conditions::default(), &rows, &batch).await?;
    Ok(())
}
