//! The `callboard` program: parse, dispatch, exit code.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // before anything is parsed: there are hundreds of keepers, and each pays for what it touches
    if args.get(1).is_some_and(|first| first == "keeper") {
        return callboard::runtime::keeper::run();
    }
    callboard::cli::main(&args)
}
