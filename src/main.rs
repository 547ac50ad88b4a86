//! The `callboard` program: parse, dispatch, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("keeper") {
        return callboard::runtime::keeper::run();
    }
    ExitCode::SUCCESS
}
