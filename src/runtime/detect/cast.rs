//! Recordings of terminals: asciicasts of version 2.

use std::time::Duration;

use serde_json::Value;

use super::Played;
use crate::domain::time::Timestamp;
use crate::runtime::screen::Size;

/// An asciicast: times in milliseconds since its beginning.
#[derive(Debug, Clone)]
pub struct Asciicast {
    /// The size at its beginning.
    pub size: Size,
    /// What happened, in order.
    pub events: Vec<(Timestamp, Recorded)>,
}

/// One thing that was recorded.
#[derive(Debug, Clone)]
pub enum Recorded {
    /// The program wrote.
    Output(String),
    /// The terminal got another size.
    Size(Size),
}

/// Reads a recording.
///
/// # Errors
/// The line of the mistake, and what it is.
pub fn parse(text: &str) -> Result<Asciicast, (usize, String)> {
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
                let sides = data.split_once('x');
                let sides =
                    sides.and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
                let (cols, rows) = sides.ok_or_else(|| (at + 1, format!("{data:?} is no size")))?;
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
    pub fn played(&self) -> impl Iterator<Item = (Timestamp, Played<'_>)> {
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
