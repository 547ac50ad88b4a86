//! The dashboard on a throwaway home: sample repositories, scripted agents, some pull requests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::adapters::{self, Real, SeededSession};
use crate::cli::board::dashboard;
use crate::cli::error::{CliError, CommandResult, Ending};
use crate::config::Config;
use crate::domain::event::Actor;
use crate::domain::ids::{ProjectName, SessionId, WorkspaceName};
use crate::domain::lifecycle::State;
use crate::domain::plan::Conditions;
use crate::domain::rail::ProjectSetup;
use crate::domain::session::{Kind, LaunchFacts};
use crate::host::Host;
use crate::host::context::Context;
use crate::host::ports::StorePort as _;
use crate::host::report::{CreateOutcome, CreateRequest, DeleteRequest, Place};
use crate::os::paths::Home;

use super::madeup::{self, MadeUpProject};
use super::repository;
use super::scenes::{SCENES, Scene, Then};

/// Projects of the demo.
const PROJECTS: [&str; 3] = ["shop", "api", "docs"];
/// Made-up sessions beside those that run.
const MADE_UP: usize = 60;
/// Size of the terminals until the dashboard types into them.
const SIZE: (u16, u16) = (100, 30);
/// Who acts.
const ACTOR: Actor = Actor::Callboard;

/// Runs the dashboard until it is left; then every agent is stopped and the home removed.
///
/// # Errors
/// The home cannot be made, or the dashboard failed.
pub(crate) async fn run() -> CommandResult {
    let folder = tempfile::Builder::new()
        .prefix("callboard-demo-")
        .tempdir()
        .map_err(CliError::io("making a temporary folder"))?;
    let home = Home::at(folder.path()).map_err(CliError::io("finding the present folder"))?;
    let host = adapters::open(&home, &Config::default(), WorkspaceName::default()).await?;
    prepare(&host, folder.path()).await?;
    let cancel = CancellationToken::new();
    let cast = tokio::spawn(start(host.clone(), folder.path().to_owned(), cancel.clone()));
    let shown = dashboard(&host, &home, folder.path().join("src").join(PROJECTS[0]), None).await;
    cancel.cancel();
    // A cast that panicked started nobody any more; those that run are stopped all the same.
    let _ended = cast.await;
    let stopped = stop_all(&host).await;
    drop(host);
    folder.close().map_err(CliError::io("removing the temporary folder"))?;
    shown?;
    stopped?;
    Ok(Ending::Done)
}

/// Repositories, projects, and sessions that do not run.
async fn prepare(host: &Host<Real>, folder: &Path) -> Result<(), CliError> {
    let mut projects = Vec::new();
    for name in PROJECTS {
        let path = folder.join("src").join(name);
        repository::begin(&path).await?;
        let name = ProjectName::new(name)?;
        let project =
            host.add_project(&path, Some(name), ProjectSetup::default(), &Actor::Command).await?;
        projects.push(MadeUpProject { name: project.name, path: project.path });
    }
    let mut sessions = madeup::sessions(MADE_UP, &projects, host.ports().now());
    sessions.retain(|session| session.parent.is_none() && rests(session));
    host.ports().seed(sessions).await?;
    Ok(())
}

/// Whether a made-up session may stand beside those that run: it ended, or waits for its pull request.
fn rests(session: &SeededSession) -> bool {
    let state = session.condition.lifecycle.state;
    state.is_terminal() || (state == State::Idle && !session.prs.is_empty())
}

/// Starts the agents one after the other, so that they appear while one looks.
async fn start(host: Host<Real>, folder: std::path::PathBuf, cancel: CancellationToken) {
    let mut ids = BTreeMap::new();
    for (at, scene) in SCENES.iter().enumerate() {
        let parent = scene.parent.and_then(|parent| ids.get(&parent).cloned());
        match Box::pin(play(&host, &folder, scene, parent, &cancel)).await {
            Ok(id) => {
                ids.insert(at, id);
            }
            Err(error) => tracing::warn!(%error, title = scene.title, "a scene was left out"),
        }
        if cancel.is_cancelled() {
            return;
        }
    }
}

async fn play(
    host: &Host<Real>,
    folder: &Path,
    scene: &Scene,
    parent: Option<SessionId>,
    cancel: &CancellationToken,
) -> Result<SessionId, CliError> {
    let context = Context::cancelled_by(cancel.clone());
    let place = match scene.project {
        Some(project) => Place::Project(ProjectName::new(project)?),
        None => Place::Chat(folder.to_owned()),
    };
    let agent = "scripted".to_owned();
    let request = CreateRequest {
        place,
        fork: None,
        launch: LaunchFacts {
            target: agent.clone(),
            agent,
            args: vec!["-e".to_owned(), scene.script.to_owned()],
            ..LaunchFacts::default()
        },
        id: None,
        title: Some(scene.title.to_owned()),
        prompt: Some(scene.prompt.to_owned()),
        goal: None,
        branch: None,
        base: None,
        in_place: false,
        size: SIZE,
        kind: Kind::Worker,
        parent,
        pin: scene.pinned,
        actor: ACTOR,
    };
    let session = match Box::pin(host.create(&context, request)).await? {
        CreateOutcome::Created(session)
        | CreateOutcome::CreatedWithError { session, .. }
        | CreateOutcome::Parked { session, .. } => session,
    };
    let ids = vec![session.id.clone()];
    match scene.then {
        Then::Goes => {}
        Then::Stopped => {
            drop(host.stop(&context, &ids, &Conditions::default(), false, &ACTOR).await?);
        }
        Then::Done => drop(host.stop(&context, &ids, &Conditions::default(), true, &ACTOR).await?),
        Then::Deleted => {
            let request = DeleteRequest {
                ids: ids.into_iter().collect(),
                conditions: Conditions::default(),
                with_rowless: false,
                closed: BTreeSet::new(),
                actor: Actor::Operator,
            };
            Box::pin(host.delete(&context, request, &|_| true)).await?;
        }
    }
    Ok(session.id)
}

async fn stop_all(host: &Host<Real>) -> Result<(), CliError> {
    let live = host.ports().live().await?;
    let ids: Vec<SessionId> = live.into_iter().map(|session| session.id).collect();
    host.stop(&Context::new(), &ids, &Conditions::default(), false, &ACTOR).await?;
    Ok(())
}
