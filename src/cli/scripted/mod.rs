//! `callboard scripted`: an agent that plays a script, for demos and tests.
//!
//! It behaves as agent programs do: it draws on its terminal, reports its state by OSC 7501
//! (`spec/agents.md` G1), takes pastes, asks questions and can be resumed. A script is a file, or
//! the text after `-e`, whose lines may be parted by `;` where it holds no line ends. Blank lines
//! and lines that begin with `#` do nothing; `{prompt}` stands for the prompt.
//!
//! | line | does |
//! | --- | --- |
//! | `print TEXT` | prints a line |
//! | `title TEXT` | sets the title of the terminal |
//! | `status STATE [KIND] [TEXT]` | reports `idle`, `working`, `done`, `blocked`, `error` or `clear`; KIND is `permission`, `question` or `auth` |
//! | `work SECONDS` | reports `working` and sleeps |
//! | `sleep SECONDS` | sleeps |
//! | `ask permission TEXT \| OPTION \| OPTION` | shows a question (or `ask question`), waits for a digit, `y`, `n`, arrows and Enter, prints the answer, reports `working` |
//! | `prompt` | reports `idle`, reads a line, reports `working`, prints `You said: ...` |
//! | `loop N` or `forever`, then `end` | repeats the lines between |
//! | `exit CODE` | ends |
//! | `ignore TERM` | is not ended by this signal (`HUP`, `INT`) |
//! | `fork SECONDS` | leaves a process behind, in a session of its own |
//! | `detach` | begins a session of its own |
//! | `wait` | sleeps until something is typed |
//! | `touch PATH`, `write PATH TEXT` | makes a file |
//! | `rate BYTES` | prints coloured text without end, so many bytes a second |

mod play;
mod script;
mod terminal;

use super::args::ScriptedArgs;
use super::error::CliError;

/// Plays the script of `args`.
///
/// # Errors
/// The script cannot be read, or a line of it is not known.
pub(crate) fn run(args: &ScriptedArgs) -> Result<u8, CliError> {
    let text = match (&args.script, &args.file) {
        (None, Some(file)) => std::fs::read_to_string(file)
            .map_err(CliError::io(format!("reading {}", file.display())))?,
        (script, _) => parted(script.as_deref().unwrap_or("")),
    };
    let steps = script::parse(&text, &args.prompt)
        .map_err(|error| CliError::Usage { message: error.to_string(), hint: None })?;
    let greeting = [
        args.session_id.as_ref().map(|id| format!("Conversation {id}")),
        args.resume.as_ref().map(|id| format!("Resumed conversation {id}")),
        args.fork.as_ref().map(|id| format!("Forked conversation {id}")),
        args.model.as_ref().map(|model| format!("Model {model}")),
        args.permission_mode.as_ref().map(|mode| format!("Permission mode {mode}")),
    ];
    let greeting: Vec<String> = greeting.into_iter().flatten().collect();
    play::play(&greeting, &steps).map_err(CliError::io("playing the script"))
}

/// The lines of a script that came as one argument.
fn parted(script: &str) -> String {
    if script.contains('\n') { script.to_owned() } else { script.replace(';', "\n") }
}

/// Whether `script` can be played.
///
/// # Errors
/// What is wrong with it.
#[cfg(test)]
pub(crate) fn check(script: &str) -> Result<(), String> {
    script::parse(script, "").map(drop).map_err(|error| error.to_string())
}
