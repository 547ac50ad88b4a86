//! `pin`, `unpin`, `rename`, `seen`.

use crate::domain::ids::SessionId;
use crate::host::ports::Ports;

use super::args::{IdArg, RenameArgs};
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::json::{Ids, SessionJson};
use super::output::lines;
use super::select;

/// `pin` and `unpin`
///
/// # Errors
/// One of the sessions does not exist.
pub(crate) async fn pin<P: Ports>(
    console: &Console<P>,
    ids: &[IdArg],
    pinned: bool,
) -> CommandResult {
    let ids = existing(console, ids).await?;
    console.host.pin(&ids, pinned, &console.actor).await?;
    report(console, &ids, if pinned { "pinned" } else { "not pinned any more" })
}

/// `seen`
///
/// # Errors
/// One of the sessions does not exist.
pub(crate) async fn seen<P: Ports>(console: &Console<P>, ids: &[IdArg]) -> CommandResult {
    let ids = existing(console, ids).await?;
    console.host.seen(&ids, &console.actor).await?;
    report(console, &ids, "seen")
}

/// `rename`
///
/// # Errors
/// There is no such session.
pub(crate) async fn rename<P: Ports>(console: &Console<P>, args: RenameArgs) -> CommandResult {
    let renamed = console.host.rename(&args.id, &args.title, &console.actor).await;
    renamed.map_err(|error| CliError::from(error).about(&args.id))?;
    let session = console.session(&args.id).await?;
    console.out.report(&SessionJson::from(&session), |_| {
        format!("{} is called {} now", session.id, session.title)
    })?;
    Ok(Ending::Done)
}

/// The ids, once it is clear that all of them exist: all or nothing.
async fn existing<P: Ports>(
    console: &Console<P>,
    ids: &[IdArg],
) -> Result<Vec<SessionId>, CliError> {
    let ids = select::ids(ids)?;
    console.sessions(&ids).await?;
    Ok(ids)
}

fn report<P: Ports>(console: &Console<P>, ids: &[SessionId], what: &str) -> CommandResult {
    console.out.report(&Ids { ids }, |list| lines(list.ids, |id| format!("{id} {what}")))?;
    Ok(Ending::Done)
}
