//! `project add, list, remove, move`.

use crate::domain::ids::ProjectName;
use crate::domain::rail::{Project, ProjectSetup};
use crate::host::error::HostError;
use crate::host::ports::Ports;

use super::args::{ProjectAdd, ProjectCommand};
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::json::Projects;
use super::output::Table;

/// Runs a `project` command.
///
/// # Errors
/// Refused or failed.
pub(crate) async fn run<P: Ports>(console: &Console<P>, command: ProjectCommand) -> CommandResult {
    match command {
        ProjectCommand::List => {
            let projects = console.host.ports().projects().await?;
            console.out.answer(&Projects { projects: &projects }, |list| table(list.projects))?;
        }
        ProjectCommand::Add(ProjectAdd { path, name, setup, copy, link }) => {
            let setup = ProjectSetup { commands: setup, copy, link };
            let project = console.host.add_project(&path, name, setup, &console.actor).await?;
            console.out.report(&project, |project| {
                format!("registered {} at {}", project.name, project.path.display())
            })?;
        }
        ProjectCommand::Remove { name } => {
            let project = find(console, &name).await?;
            console.host.remove_project(&name, &console.actor).await?;
            console.out.report(&project, |project| {
                format!("unregistered {}; its sessions are kept", project.name)
            })?;
        }
        ProjectCommand::Move { name, position } => {
            console.host.move_project(&name, position, &console.actor).await?;
            let project = find(console, &name).await?;
            console.out.report(&project, |project| {
                format!("{} is at place {} now", project.name, project.position)
            })?;
        }
    }
    Ok(Ending::Done)
}

async fn find<P: Ports>(console: &Console<P>, name: &ProjectName) -> Result<Project, CliError> {
    let projects = console.host.ports().projects().await?;
    projects
        .into_iter()
        .find(|project| project.name == *name)
        .ok_or_else(|| HostError::NoProject(name.to_string()).into())
}

fn table(projects: &[Project]) -> String {
    let mut table = Table::new(&["name", "sessions", "git", "path"]);
    for project in projects {
        table.row([
            project.name.as_str(),
            &project.sessions.to_string(),
            if project.git { "yes" } else { "no" },
            &project.path.to_string_lossy(),
        ]);
    }
    table.to_string()
}
