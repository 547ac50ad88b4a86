//! The `callboard` program: parse, dispatch, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    callboard::cli::main(std::env::args_os().collect())
}
