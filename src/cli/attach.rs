//! `attach`.

use crate::adapters::Real;
use crate::domain::error::ErrorKind;
use crate::domain::key::Key;
use crate::host::Reach;
use crate::host::ports::StorePort as _;
use crate::tui::attach::{Attach, Left, Over, reach};

use super::args::AttachArgs;
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};

/// `attach`
///
/// # Errors
/// There is no such session, it does not run, or the terminal cannot be used.
pub(crate) async fn run(console: &Console<Real>, args: AttachArgs) -> CommandResult {
    let session = console.session(&args.id).await?;
    if !session.is_live() {
        return Err(CliError::NotRunning(args.id));
    }
    if !args.read_only {
        let allowed = console.host.allow(&console.actor, "press keys", Reach::Config).await;
        allowed.map_err(|error| CliError::from(error).about(&args.id))?;
    }
    console.bring_key_agent();
    let leave = &console.config.leave_key;
    let leave: Key = leave.parse().map_err(|_| CliError::Usage {
        message: format!("leave_key {leave:?} of the configuration is no key"),
        hint: Some("name one as in keymap.toml, such as Ctrl+]".to_owned()),
    })?;
    let what = Attach {
        home: console.home.clone(),
        workspace: console.host.ports().workspace().clone(),
        id: args.id.clone(),
        leave,
        read_only: args.read_only,
        clipboard: console.config.clipboard,
        over: Over::Shell,
        ahead: Vec::new(),
    };
    let hint = what.hint();
    let failed = |error| CliError::from(error).about(&args.id);
    let reached = reach(what).await.map_err(failed)?;
    seen(console, &args).await?;
    console.out.remark(&format!("attached to {}; {hint}", args.id));
    let came_back = reached.show().await.map_err(failed)?;
    seen(console, &args).await?;
    match came_back.left {
        Left::Detached => console.out.remark(&format!("left {}; it goes on", args.id)),
        Left::Lost => console.out.remark(&format!("the keeper of {} is gone", args.id)),
        Left::Ended => console.out.remark(&format!("{} ended", args.id)),
        Left::Interrupted => return Ok(Ending::Short(ErrorKind::Interrupted)),
    }
    Ok(Ending::Done)
}

/// Notes that the operator looked at it; who only watches, leaves it as it is.
async fn seen(console: &Console<Real>, args: &AttachArgs) -> Result<(), CliError> {
    if args.read_only {
        return Ok(());
    }
    let seen = console.host.seen(std::slice::from_ref(&args.id), &console.actor).await;
    seen.map_err(|error| CliError::from(error).about(&args.id))
}
