//! Recordings that were made a little differently.

use crate::domain::agent::Rules;
use crate::domain::time::Timestamp;
use crate::runtime::detect::{Asciicast, Played, Recorded, Verdict, replay};

/// A recording that was made a little differently.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Change {
    /// Without OSC 7501.
    pub(super) unreported: bool,
    /// Without titles.
    pub(super) untitled: bool,
    /// With these colours.
    pub(super) colours: Colours,
    /// Milliseconds that it began later.
    pub(super) later: i64,
    /// Each read is cut at places that follow from this number.
    pub(super) cut: Option<u64>,
    /// On a screen of so many columns.
    pub(super) cols: Option<u16>,
}

/// All of the output with one kind of sequence left out; what is left of each read stays at its time.
fn without(cast: &Asciicast, begin: &str, is_end: fn(&str) -> Option<usize>) -> Asciicast {
    let mut cast = cast.clone();
    let mut inside = String::new();
    for (_, event) in &mut cast.events {
        let Recorded::Output(text) = event else { continue };
        let all = std::mem::take(&mut inside) + text;
        let mut kept = String::new();
        let mut rest = all.as_str();
        loop {
            let Some(at) = rest.find(begin) else {
                kept.push_str(rest);
                break;
            };
            kept.push_str(&rest[..at]);
            let Some(length) = is_end(&rest[at..]) else {
                rest[at..].clone_into(&mut inside);
                break;
            };
            rest = &rest[at + length..];
        }
        *text = kept;
    }
    cast
}

/// The length of a string sequence, with its end.
fn string_length(text: &str) -> Option<usize> {
    let ends = [("\u{7}", 1), ("\u{1b}\\", 2)];
    ends.iter().filter_map(|(end, length)| Some(text.find(end)? + length)).min()
}

/// All colours as others, or with all attributes left out. A sequence that is cut by a read stays as it is.
fn recoloured(cast: &Asciicast, colours: Colours) -> Asciicast {
    let mut cast = cast.clone();
    for (_, event) in &mut cast.events {
        let Recorded::Output(text) = event else { continue };
        let mut parts = text.split("\u{1b}[");
        let mut made = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':');
            let (values, rest) = part.split_at(end.unwrap_or(part.len()));
            match rest.strip_prefix('m') {
                Some(_) if colours == Colours::None => made += &rest[1..],
                Some(_) => made.extend(["\u{1b}[", &colours.of(values), rest]),
                None => made.extend(["\u{1b}[", part]),
            }
        }
        *text = made;
    }
    cast
}

/// How colours are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Colours {
    #[default]
    AsTheyAre,
    /// By their number among 256.
    Indexed,
    /// By their parts.
    True,
    /// Neither these nor any attribute.
    None,
}

impl Colours {
    /// The values of one sequence, written so.
    fn of(self, values: &str) -> String {
        let mut values = values.split([';', ':']).map(|value| value.parse::<u32>().unwrap_or(0));
        let mut made = Vec::new();
        while let Some(value) = values.next() {
            let (ground, number) = match value {
                38 | 48 if values.next() == Some(5) => (value, values.next().unwrap_or(0)),
                38 | 48 => {
                    let mut part = || values.next().unwrap_or(0);
                    (value, 16 + 36 * (part() / 43) + 6 * (part() / 43) + part() / 43)
                }
                30..=37 => (38, value - 30),
                40..=47 => (48, value - 40),
                90..=97 => (38, value - 82),
                100..=107 => (48, value - 92),
                _ => {
                    made.push(value.to_string());
                    continue;
                }
            };
            made.push(match self {
                Self::True => format!("{ground};2;{number};{};{}", number / 2, 255 - number),
                _ => format!("{ground};5;{number}"),
            });
        }
        made.join(";")
    }
}

pub(super) fn play(rules: &Rules, cast: &Asciicast, change: Change) -> Vec<(Timestamp, Verdict)> {
    let mut cast = cast.clone();
    if change.untitled {
        cast = without(&cast, "\u{1b}]0;", string_length);
        cast = without(&cast, "\u{1b}]2;", string_length);
    }
    if change.colours != Colours::AsTheyAre {
        cast = recoloured(&cast, change.colours);
    }
    cast.size.cols = change.cols.unwrap_or(cast.size.cols);
    let mut seed = change.cut.unwrap_or(0);
    let events = cast.played().flat_map(|(at, played)| {
        let mut parts = Vec::new();
        match (played, change.cut) {
            (Played::Output(mut bytes), Some(_)) => {
                while !bytes.is_empty() {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let length = 1 + usize::try_from(seed >> 56).unwrap() % bytes.len();
                    let (part, rest) = bytes.split_at(length);
                    parts.push((at, Played::Output(part)));
                    bytes = rest;
                }
            }
            _ => parts.push((at, played)),
        }
        parts
    });
    let events = events.map(|(at, played)| (Timestamp(at.0 + change.later), played));
    replay(rules, cast.size, events, change.unreported).unwrap()
}
