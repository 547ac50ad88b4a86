//! `spawn`.

use std::path::Path;

use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::host::ports::Ports;
use crate::host::report::{CreateOutcome, CreateRequest, Place};

use super::args::{ForkArgs, SpawnArgs};
use super::console::{Console, present_folder, read_input};
use super::error::{CliError, CommandResult, Ending};
use super::json::SessionJson;

/// `spawn`
///
/// # Errors
/// Not created: nothing of it remains.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: SpawnArgs) -> CommandResult {
    let request = request(console, args)?;
    let outcome = console.starting(console.host.create(&console.context, request)).await?;
    told(console, outcome)
}

/// `fork`
///
/// # Errors
/// As [`run`]; or the agent cannot, or its own id of the conversation is not known.
pub(crate) async fn fork<P: Ports>(console: &Console<P>, args: ForkArgs) -> CommandResult {
    let prompt = args.prompt.filter(|prompt| !prompt.trim().is_empty());
    let forked = console.host.fork(&console.context, &args.id, prompt, &console.actor);
    let outcome = console.starting(forked).await;
    told(console, outcome.map_err(|error| CliError::from(error).about(&args.id))?)
}

fn told<P: Ports>(console: &Console<P>, outcome: CreateOutcome) -> CommandResult {
    let (session, failure) = match outcome {
        CreateOutcome::Created(session) => (session, None),
        CreateOutcome::CreatedWithError { session, error } => {
            (session, Some((ErrorKind::Partial, error)))
        }
        CreateOutcome::Parked { session, error } => (session, Some((ErrorKind::Failed, error))),
    };
    console.out.answer(&SessionJson::from(&*session), |_| session.id.to_string())?;
    match failure {
        None => Ok(Ending::Done),
        Some((kind, error)) => Err(CliError::Part {
            kind,
            id: Some(session.id.clone()),
            message: format!("session {}: {error}", session.id),
            hint: (kind == ErrorKind::Failed)
                .then(|| format!("it is kept; try again with: callboard restore {}", session.id)),
        }),
    }
}

fn request<P: Ports>(console: &Console<P>, args: SpawnArgs) -> Result<CreateRequest, CliError> {
    let prompt = match args.prompt_file {
        Some(path) if path == Path::new("-") => Some(read_input()?),
        Some(path) => Some(
            std::fs::read_to_string(&path)
                .map_err(CliError::io(format!("reading the prompt from {}", path.display())))?,
        ),
        None => args.prompt,
    };
    let place = match args.project {
        Some(project) => Place::Project(project),
        None if args.chat => Place::Chat(present_folder()?),
        None => Place::Folder(present_folder()?),
    };
    let launch = console.launch(args.agent, args.target, args.args)?;
    Ok(CreateRequest {
        place,
        fork: None,
        launch,
        id: args.id,
        title: args.title,
        prompt: prompt.filter(|prompt| !prompt.trim().is_empty()),
        goal: args.goal,
        branch: args.branch,
        base: args.base,
        in_place: args.in_place,
        size: (args.size.0, args.size.1),
        kind: args.kind,
        parent: args.parent.or_else(|| caller(&console.actor)),
        pin: args.pin,
        actor: console.actor.clone(),
    })
}

/// The session of the calling agent (`spec/lifecycle.md` C9).
fn caller(actor: &Actor) -> Option<SessionId> {
    match actor {
        Actor::Session(id) => Some(id.clone()),
        _ => None,
    }
}
