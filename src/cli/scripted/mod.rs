//! `callboard scripted`: an agent that plays a script, for demos and tests.
//!
//! It behaves as agent programs do: it draws on its terminal, reports its state by OSC 7501
//! (`spec/agents.md` G1), takes pastes, asks questions and can be resumed. A script is a file, or
//! the text after `-e` with its lines parted by `;`. Blank lines and lines that begin with `#` do
//! nothing; `{prompt}` stands for the prompt, the last argument.
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
    let mut words = args.words.iter();
    let text = match &args.script {
        Some(text) => text.replace(';', "\n"),
        None => {
            let file = words.next().ok_or_else(|| CliError::Usage {
                message: "there is no script to play".to_owned(),
                hint: Some("give a file, or the script itself after -e".to_owned()),
            })?;
            std::fs::read_to_string(file).map_err(CliError::io(format!("reading {file}")))?
        }
    };
    let prompt = words.next().map_or("", String::as_str);
    let steps = script::parse(&text, prompt).map_err(|error| CliError::Usage {
        message: error.to_string(),
        hint: None,
    })?;
    let greeting = match (&args.resume, &args.session_id) {
        (Some(id), _) => Some(format!("Resumed conversation {id}")),
        (None, Some(id)) => Some(format!("Conversation {id}")),
        (None, None) => None,
    };
    play::play(greeting.as_deref(), &steps).map_err(CliError::io("playing the script"))
}
