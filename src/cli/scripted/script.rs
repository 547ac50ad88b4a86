//! Scripts as text and as steps.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

/// A state that OSC 7501 knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    Idle,
    Working,
    Done,
    Blocked,
    Error,
    Clear,
}

impl Report {
    /// The word of the protocol.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Error => "error",
            Self::Clear => "clear",
        }
    }
}

/// What a blocked agent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Asks {
    Permission,
    Question,
    Auth,
}

impl Asks {
    /// The word of the protocol.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Auth => "auth",
        }
    }
}

/// A signal to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum Survive {
    Term,
    Hup,
    Int,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Print(String),
    Title(String),
    Status {
        report: Report,
        asks: Option<Asks>,
        text: Option<String>,
    },
    Work(Duration),
    Sleep(Duration),
    Ask {
        asks: Asks,
        text: String,
        options: Vec<String>,
    },
    Prompt,
    /// So often, or for ever.
    Loop(Option<u32>, Vec<Self>),
    Exit(u8),
    Ignore(Survive),
    Fork(Duration),
    Detach,
    Wait,
    Write {
        path: PathBuf,
        text: Option<String>,
    },
    Rate(u64),
}

/// A line that is not known.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the script: {reason}")]
pub(crate) struct ScriptError {
    line: usize,
    reason: String,
}

/// Reads a script; `{prompt}` becomes `prompt`.
pub(crate) fn parse(script: &str, prompt: &str) -> Result<Vec<Step>, ScriptError> {
    let mut open: Vec<(Option<u32>, Vec<Step>)> = Vec::new();
    let mut steps = Vec::new();
    let mut count = 0;
    for (at, raw) in script.lines().enumerate() {
        count = at + 1;
        let fail = |reason: String| ScriptError { line: at + 1, reason };
        let line = raw.trim().replace("{prompt}", prompt);
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        match word {
            "loop" | "forever" => {
                let times = (word == "loop").then(|| number(rest)).transpose().map_err(fail)?;
                open.push((times, std::mem::take(&mut steps)));
            }
            "end" => {
                let (times, before) =
                    open.pop().ok_or_else(|| fail("there is no loop to end".to_owned()))?;
                let body = std::mem::replace(&mut steps, before);
                steps.push(Step::Loop(times, body));
            }
            "" => {}
            comment if comment.starts_with('#') => {}
            word => steps.push(step(word, rest.trim()).map_err(fail)?),
        }
    }
    if open.is_empty() {
        Ok(steps)
    } else {
        Err(ScriptError { line: count, reason: "a loop has no end".to_owned() })
    }
}

fn step(word: &str, rest: &str) -> Result<Step, String> {
    Ok(match word {
        "print" => Step::Print(rest.to_owned()),
        "title" => Step::Title(rest.to_owned()),
        "status" => status(rest)?,
        "work" => Step::Work(seconds(rest)?),
        "sleep" => Step::Sleep(seconds(rest)?),
        "ask" => ask(rest)?,
        "prompt" => Step::Prompt,
        "exit" => Step::Exit(number(rest)?),
        "ignore" => Step::Ignore(known(rest)?),
        "fork" => Step::Fork(seconds(rest)?),
        "detach" => Step::Detach,
        "wait" => Step::Wait,
        "touch" => Step::Write { path: rest.into(), text: None },
        "write" => {
            let (path, text) = rest.split_once(' ').ok_or("write wants a path and a text")?;
            Step::Write { path: path.into(), text: Some(text.to_owned()) }
        }
        "rate" => Step::Rate(number(rest)?),
        other => return Err(format!("there is no step {other:?}")),
    })
}

fn status(rest: &str) -> Result<Step, String> {
    let (report, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let report = known(report)?;
    let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let (asks, text) = match Asks::from_str(first, false) {
        Ok(asks) => (Some(asks), more),
        Err(_) => (None, rest),
    };
    Ok(Step::Status { report, asks, text: Some(text.to_owned()).filter(|text| !text.is_empty()) })
}

fn ask(rest: &str) -> Result<Step, String> {
    let (asks, rest) = rest.split_once(' ').ok_or("ask wants a kind and a text")?;
    let mut parts = rest.split('|').map(|part| part.trim().to_owned());
    let text = parts.next().unwrap_or_default();
    let mut options: Vec<String> = parts.filter(|option| !option.is_empty()).collect();
    if options.is_empty() {
        options = vec!["Yes".to_owned(), "No".to_owned()];
    }
    Ok(Step::Ask { asks: known(asks)?, text, options })
}

fn known<T: ValueEnum>(word: &str) -> Result<T, String> {
    T::from_str(word, false).map_err(|_| format!("{word:?} is not known here"))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is no number that fits here"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = number(text)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text:?} is no duration"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_becomes_steps() {
        let steps = parse(
            "# an agent\nprint hello  world\nstatus blocked permission Run it?\nstatus working some text\n\
             ask question Which? | red | blue\nask permission Go on?\nwrite a/b.txt one two\nexit 3",
            "",
        )
        .unwrap();
        assert_eq!(steps[0], Step::Print("hello  world".into()));
        assert_eq!(
            steps[1],
            Step::Status {
                report: Report::Blocked,
                asks: Some(Asks::Permission),
                text: Some("Run it?".into())
            }
        );
        assert_eq!(
            steps[2],
            Step::Status { report: Report::Working, asks: None, text: Some("some text".into()) }
        );
        assert_eq!(
            steps[3],
            Step::Ask {
                asks: Asks::Question,
                text: "Which?".into(),
                options: vec!["red".into(), "blue".into()]
            }
        );
        let Step::Ask { options, .. } = &steps[4] else { panic!("{steps:?}") };
        assert_eq!(options, &["Yes", "No"]);
        assert_eq!(steps[5], Step::Write { path: "a/b.txt".into(), text: Some("one two".into()) });
        assert_eq!(steps[6], Step::Exit(3));
    }

    #[test]
    fn loops_nest_and_the_prompt_is_put_in() {
        let steps = parse("loop 2\nforever\nprint {prompt}!\nend\nend\nprompt", "do it").unwrap();
        let inner = Step::Loop(None, vec![Step::Print("do it!".into())]);
        assert_eq!(steps, [Step::Loop(Some(2), vec![inner]), Step::Prompt]);
    }

    #[test]
    fn mistakes_name_their_line() {
        for (script, line) in [
            ("print a\ndance", 2),
            ("loop two\nend", 1),
            ("end", 1),
            ("print a\nforever\nprint b", 3),
            ("status nonsense", 1),
            ("work -1", 1),
            ("ignore KILL", 1),
        ] {
            assert_eq!(parse(script, "").unwrap_err().line, line, "{script}");
        }
    }
}
