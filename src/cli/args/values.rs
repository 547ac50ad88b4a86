//! How the words of options are read.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::domain::rail::SectionKey;
use crate::domain::status::Status;
use crate::domain::time::parse_duration;

/// Columns and rows, as `120x40`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u16, pub(crate) u16);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split_once('x')
            .and_then(|(cols, rows)| Some(Self(cols.parse().ok()?, rows.parse().ok()?)))
            .filter(|size| size.0 > 0 && size.1 > 0)
            .ok_or_else(|| "a size is COLSxROWS, as 120x40".to_owned())
    }
}

/// What `wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// This status.
    Status(Status),
    /// The process ended.
    Exit,
    /// Its activity is idle.
    Idle,
    /// It wants the operator.
    Attention,
}

/// Reads a goal. The status idle is not a goal: the activity is.
pub(crate) fn goal() -> impl TypedValueParser<Value = Goal> {
    let statuses = Status::ALL.iter().filter(|status| **status != Status::Idle);
    let words = statuses.map(|status| status.as_str()).chain(["exit", "idle", "attention"]);
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        "exit" => Ok(Goal::Exit),
        "idle" => Ok(Goal::Idle),
        "attention" => Ok(Goal::Attention),
        status => status.parse().map(Goal::Status),
    })
}

/// Reads a word of a closed set; completions know the set, and an error names the nearest word.
pub(crate) fn word<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let known = PossibleValuesParser::new(all.iter().map(|value| name(*value)));
    known.try_map(move |word| {
        all.iter().copied().find(|value| name(*value) == word).ok_or("not a known word")
    })
}

/// Reads the key of a section.
pub(crate) fn section(text: &str) -> Result<SectionKey, String> {
    SectionKey::parse(text)
        .ok_or_else(|| "a section is pinned, conversations or project:/absolute/path".to_owned())
}

/// Reads a duration such as `90s`, `12h`, `7d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "a duration is a number with s, m, h, d or w".to_owned())
}
