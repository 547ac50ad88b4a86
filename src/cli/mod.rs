//! The command line: the only clap. Reads words, calls coordinators and queries, prints answers;
//! contains no rule of its own. `spec/cli.md` is its contract.

mod agents;
mod ansi;
mod args;
mod ask;
mod attach;
mod board;
mod caller;
mod config;
mod console;
mod delete;
mod demo;
mod detection;
mod diff;
mod doctor;
mod edit;
mod end;
mod error;
mod generated;
mod guide;
mod hook;
mod json;
mod list;
mod log;
mod output;
mod project;
mod purge;
mod records;
mod restore;
mod schema;
mod scripted;
mod select;
mod spawn;
mod talk;
mod wait;
mod watch;
mod work;

use std::ffi::OsString;
use std::pin::Pin;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::adapters::Real;
use crate::domain::error::ErrorKind;
use crate::os;
use crate::os::paths::Home;

use args::{AgentsCommand, Cli, Command, OpsCommand};
use console::Console;
use error::{CliError, CommandResult, Ending, exit_code};
use output::Output;

/// Runs the command line `args`, the program's name first; answers the exit code.
pub fn main(args: &[OsString]) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        // An agent must not stumble over its hook, however it is called.
        Err(error) if error.use_stderr() && is_hook(args) => return ExitCode::SUCCESS,
        Err(error) => return wrong_use(&error, args.iter().any(|arg| arg == "--json")),
    };
    let out = Output { json: cli.global.json, quiet: cli.global.quiet };
    let result = run(cli, out);
    match &result {
        Ok(_) | Err(CliError::ClosedPipe) => {}
        Err(error) => out.error(error),
    }
    exit_code(&result)
}

/// Whether the first word that is neither an option nor an option's value is `hook`.
fn is_hook(args: &[OsString]) -> bool {
    let command = Cli::command();
    let valued = |word: &OsString| {
        let long = word.to_str().and_then(|word| word.strip_prefix("--"));
        let mut valued = command.get_arguments().filter(|arg| arg.get_action().takes_values());
        long.is_some() && valued.any(|arg| arg.get_long() == long)
    };
    let mut words = args.iter().skip(1);
    while let Some(word) = words.next() {
        if valued(word) {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            return word == "hook";
        }
    }
    false
}

/// Help and version are answers; everything else is wrong use, cleaned of what a terminal would
/// obey.
fn wrong_use(error: &clap::Error, json: bool) -> ExitCode {
    let shows_help =
        error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || (shows_help && !json) {
        // Nobody is left to tell where printing fails.
        let _gone = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let error = CliError::misused(error);
    Output { json, quiet: false }.error(&error);
    exit_code(&Err(error))
}

/// Does what was asked for. Whatever needs no store comes first.
fn run(cli: Cli, out: Output) -> CommandResult {
    if let Some(Command::Hook(args)) = &cli.command {
        if let Ok(workspace) = cli.global.workspace() {
            hook::run(args, &workspace);
        }
        return Ok(Ending::Done);
    }
    if cli.command.is_some() && !cli.board.is_empty() {
        return Err(CliError::Usage {
            message: "--section and --select before a command belong to the dashboard".to_owned(),
            hint: Some("put --section after the command".to_owned()),
        });
    }
    match &cli.command {
        Some(Command::Scripted(args)) => return scripted::run(args).map(Ending::Code),
        Some(Command::Schema { name }) => return schema::run(name),
        Some(Command::Completions { shell }) => return generated::completions(*shell),
        Some(Command::Man) => return generated::man(),
        Some(Command::Guide) => return guide::run(out),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting the runtime"))?;
    runtime.block_on(with_home(cli, out))
}

/// Commands that need folders and configuration, and those that need store and coordinators too.
async fn with_home(cli: Cli, out: Output) -> CommandResult {
    if let Some(Command::Demo(args)) = cli.command {
        return demo::run(args, out).await;
    }
    let workspace = cli.global.workspace()?;
    let home = Home::from_env().map_err(CliError::io("finding the folders"))?;
    os::log::start(&home.logs());
    if let Some(Command::Doctor { repair }) = cli.command {
        return Box::pin(doctor::run(home, workspace, repair, out)).await;
    }
    let (config, text) = crate::config::read(&home)?;
    match &cli.command {
        Some(Command::Config) => return config::run(&home, &config, &text, out),
        Some(Command::Agents(AgentsCommand::List)) => {
            return agents::list(&home, &config, out).await;
        }
        Some(Command::Agents(AgentsCommand::Test(args))) => {
            return detection::test(&home, &config, args, out);
        }
        _ => {}
    }
    let console = console::open(home, config, workspace, out).await?;
    match cli.command {
        Some(command) => {
            tokio::spawn(console::say_waits(console.host.subscribe(), out));
            Box::pin(dispatch(&console, command)).await
        }
        None => board::run(&console, cli.board).await,
    }
}

async fn dispatch(console: &Console<Real>, command: Command) -> CommandResult {
    if matches!(
        command,
        Command::Spawn(_)
            | Command::Fork(_)
            | Command::Stop(_)
            | Command::Kill(_)
            | Command::Cleanup(_)
            | Command::Delete(_)
            | Command::Clear(_)
            | Command::Purge(_)
            | Command::Restore(_)
    ) {
        Box::pin(console.recover_first()).await;
    }
    let work: Pin<Box<dyn Future<Output = CommandResult> + '_>> = match command {
        Command::Project(command) => Box::pin(project::run(console, command)),
        Command::Spawn(args) => Box::pin(spawn::run(console, *args)),
        Command::List(args) => Box::pin(list::list(console, *args)),
        Command::Sections => Box::pin(list::sections(console)),
        Command::Show { id } => Box::pin(async move { list::show(console, &id).await }),
        Command::Screen(args) => Box::pin(talk::screen(console, args)),
        Command::Send(args) => Box::pin(talk::send(console, args)),
        Command::Log(args) => Box::pin(log::run(console, args)),
        Command::Diff(args) => Box::pin(diff::run(console, args)),
        Command::Fork(args) => Box::pin(spawn::fork(console, args)),
        Command::Watch(args) => Box::pin(watch::run(console, args)),
        Command::Agents(AgentsCommand::Explain { id }) => {
            Box::pin(async move { detection::explain(console, &id).await })
        }
        Command::Keys(args) => Box::pin(talk::keys(console, args)),
        Command::Wait(args) => Box::pin(wait::run(console, args)),
        Command::Stop(args) => Box::pin(end::stop(console, *args)),
        Command::Kill(args) => Box::pin(end::kill(console, *args)),
        Command::Cleanup(args) => Box::pin(end::cleanup(console, args)),
        Command::Delete(args) => Box::pin(delete::delete(console, *args)),
        Command::Clear(args) => Box::pin(delete::clear(console, args)),
        Command::Purge(args) => Box::pin(purge::run(console, *args)),
        Command::Restore(args) => Box::pin(restore::run(console, args)),
        Command::Pin(args) => Box::pin(async move { edit::pin(console, &args.ids, true).await }),
        Command::Unpin(args) => Box::pin(async move { edit::pin(console, &args.ids, false).await }),
        Command::Rename(args) => Box::pin(edit::rename(console, args)),
        Command::Seen(args) => Box::pin(async move { edit::seen(console, &args.ids).await }),
        Command::Messages { id, limit } => {
            Box::pin(async move { records::messages(console, &id, limit).await })
        }
        Command::Events(args) => Box::pin(records::events(console, args)),
        Command::Ops { command } => {
            Box::pin(records::ops(console, command.unwrap_or(OpsCommand::List)))
        }
        Command::Recover => Box::pin(records::recover(console)),
        Command::Work { id } => Box::pin(async move { Box::pin(work::run(console, &id)).await }),
        Command::Attach(args) => Box::pin(attach::run(console, args)),
        Command::Agents(AgentsCommand::List | AgentsCommand::Test(_))
        | Command::Config
        | Command::Demo(_)
        | Command::Doctor { .. }
        | Command::Scripted(_)
        | Command::Hook(_)
        | Command::Guide
        | Command::Schema { .. }
        | Command::Completions { .. }
        | Command::Man => {
            unreachable!("done before the store was opened")
        }
    };
    match work.await {
        // What a report calls cancelled was interrupted.
        Ok(Ending::Short(_)) if console.context.check("going on").is_err() => {
            Ok(Ending::Short(ErrorKind::Interrupted))
        }
        ended => ended,
    }
}
