//! A mistake in a TOML file, said so that it can be found and put right.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::domain::words::nearest;

/// A mistake in a file of the operator's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", file.display(), line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct Mistake {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What was probably meant.
    pub hint: Option<String>,
}

impl Mistake {
    /// From what the TOML reader found. An unknown key gets the nearest valid one as hint.
    pub fn from_toml(file: &Path, text: &str, error: &toml::de::Error) -> Self {
        let said = error.message();
        let quoted: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
        let unknown = ["unknown field", "unknown variant"].iter().any(|it| said.starts_with(it));
        let (message, hint) = match quoted.split_first() {
            Some((word, known)) if unknown => {
                let what = if said.starts_with("unknown field") { "key" } else { "value" };
                let hint = match nearest(word, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known are {}", known.join(", ")),
                };
                (format!("unknown {what} `{word}`"), Some(hint))
            }
            _ => (said.lines().next().unwrap_or("cannot be read").to_owned(), None),
        };
        let line = error.span().map(|at| line_of(text, &at));
        let key = line.and_then(|line| text.lines().nth(line - 1)?.split_once('='));
        let at_value = ["invalid", "a name ", "a folder "].iter().any(|it| said.starts_with(it));
        let key = key.map(|(key, _)| key.trim()).filter(|_| at_value);
        let message = key.map_or_else(|| message.clone(), |key| format!("`{key}`: {message}"));
        Self { file: file.to_owned(), line, message, hint }
    }

    /// About what the reader took but makes no sense; its line is the first that begins with `at`.
    pub fn at(file: &Path, text: &str, at: &str, message: String) -> Self {
        let names = |line: &str| {
            let rest = line.trim_start().strip_prefix(at).map(str::trim_start);
            rest.is_some_and(|rest| at.contains(['=', '[']) || rest.starts_with('='))
        };
        let line = text.lines().position(names);
        Self { file: file.to_owned(), line: line.map(|index| index + 1), message, hint: None }
    }
}

fn line_of(text: &str, at: &Range<usize>) -> usize {
    let before = text.as_bytes().get(..at.start).unwrap_or(text.as_bytes());
    before.split(|byte| *byte == b'\n').count()
}
