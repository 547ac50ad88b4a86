//! The command line: the only clap. Reads words, calls coordinators and queries, prints answers;
//! contains no rule of its own. `spec/cli.md` is its contract.

mod args;
mod console;
mod end;
mod edit;
mod error;
mod json;
mod list;
mod output;
mod project;
mod records;
mod restore;
mod scripted;
mod select;
mod spawn;
mod talk;
mod wait;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{AgentsCommand, Cli, Command};
use console::Console;
use error::{CliError, CommandResult, Ending, exit_code};
use output::Output;

/// Runs the command line `args`, the program's name first; answers the exit code.
pub fn main(args: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
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

/// Help and version are answers; everything else is wrong use.
fn wrong_use(error: &clap::Error, json: bool) -> ExitCode {
    if json && error.use_stderr() {
        let text = error.to_string();
        let message = text.trim_start_matches("error: ").trim_end().to_owned();
        let error = CliError::Usage { message, hint: None };
        Output { json, quiet: false }.error(&error);
        return exit_code(&Err(error));
    }
    // Nobody is left to tell where printing fails.
    let _gone = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
