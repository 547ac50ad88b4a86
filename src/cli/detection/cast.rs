//! Recordings of terminals: asciicasts of version 2.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::cli::args;
use crate::cli::error::CliError;
use crate::domain::time::Timestamp;
use crate::runtime::detect::Played;
use crate::runtime::screen::Size;

/// An asciicast: times in milliseconds since its beginning.
#[derive(Debug, Clone)]
pub(super) struct Asciicast {
    /// The size at its beginning.
    pub(super) size: Size,
    /// What happened, in order.
    pub(super) events: Vec<(Timestamp, Recorded)>,
}

/// One thing that was recorded.
#[derive(Debug, Clone)]
pub(super) enum Recorded {
    /// The program wrote.
    Output(String),
    /// The terminal got another size.
    Size(Size),
}

/// Reads the file of a recording.
///
/// # Errors
/// It cannot be read, or is no recording; the message names its line.
pub(super) fn read(file: &Path) -> Result<Asciicast, CliError> {
    let text = std::fs::read_to_string(file)
        .map_err(CliError::io(format!("reading {}", file.display())))?;
    parse(&text).map_err(|(line, reason)| CliError::Usage {
        message: format!("{}, line {line}: {reason}", file.display()),
        hint: Some("recordings are asciicasts of version 2".to_owned()),
    })
}

/// Reads a recording; a mistake comes with its line.
pub(super) fn parse(text: &str) -> Result<Asciicast, (usize, String)> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let json = |(at, line): (usize, &str)| {
        serde_json::from_str::<Value>(line).map_err(|error| (at + 1, error.to_string()))
    };
    let header = json(lines.next().ok_or_else(|| (1, "it is empty".to_owned()))?)?;
    if header["version"] != 2 {
        return Err((1, "it is no asciicast of version 2".to_owned()));
    }
    let extent = |name: &str, usual| {
        header[name].as_u64().and_then(|side| u16::try_from(side).ok()).unwrap_or(usual)
    };
    let size = Size { cols: extent("width", 80), rows: extent("height", 24) }.clamped();
    let mut events = Vec::new();
    for (at, line) in lines {
        let event = json((at, line))?;
        let (Some(seconds), Some(kind), Some(data)) =
            (event[0].as_f64(), event[1].as_str(), event[2].as_str())
        else {
            return Err((at + 1, "an event is a time, a kind and a text".to_owned()));
        };
        let recorded = match kind {
            "o" => Recorded::Output(data.to_owned()),
            "r" => {
                let args::Size(cols, rows) =
                    data.parse().map_err(|_| (at + 1, format!("{data:?} is no size")))?;
                Recorded::Size(Size { cols, rows })
            }
            _ => continue,
        };
        let time = Duration::try_from_secs_f64(seconds);
        let time = time.map_err(|error| (at + 1, error.to_string()))?;
        events.push((Timestamp(0).plus(time), recorded));
    }
    Ok(Asciicast { size, events })
}

impl Asciicast {
    /// What a replay takes.
    pub(super) fn played(&self) -> impl Iterator<Item = (Timestamp, Played<'_>)> {
        self.events.iter().map(|(at, event)| {
            let event = match event {
                Recorded::Output(text) => Played::Output(text.as_bytes()),
                Recorded::Size(size) => Played::Size(*size),
            };
            (*at, event)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_and_a_mistake_names_its_line() {
        let text = "{\"version\":2,\"width\":100,\"height\":30}\n[0.5,\"o\",\"hi\"]\n\n[1,\"i\",\"x\"]\n\
                    [2.25,\"r\",\"90x20\"]\n";
        let cast = parse(text).unwrap();
        assert_eq!((cast.size.cols, cast.size.rows, cast.events.len()), (100, 30, 2));
        assert_eq!(cast.events[1].0, Timestamp(2_250));
        assert!(matches!(cast.events[1].1, Recorded::Size(Size { cols: 90, rows: 20 })));
        let line = |text: &str| parse(text).err().unwrap().0;
        assert_eq!(line(""), 1);
        assert_eq!(line("{\"version\":3}"), 1);
        assert_eq!(line("{\"version\":2}\n[1,\"o\"]"), 2);
        assert_eq!(line("{\"version\":2}\n[1,\"o\",\"a\"]\n[-1,\"o\",\"a\"]"), 3);
        assert_eq!(line("{\"version\":2}\n[1,\"r\",\"axb\"]"), 2);
    }
}
