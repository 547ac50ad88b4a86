//! The text that filters a list: free words, and words such as `status:idle` (`spec/console.md`, `/`).

use crate::domain::ids::ProjectName;
use crate::domain::query::Filter;
use crate::domain::status::{Status, Zone};
use crate::domain::time::parse_duration;

/// What a piece of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Free text, and blanks.
    Text,
    /// The name of a known word.
    Known,
    /// A word that is not known, or a value that it does not take.
    Unknown,
}

/// A piece of the text as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// What it is.
    pub kind: Kind,
}

/// What was typed, understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    /// The pieces, which together are the text.
    pub pieces: Vec<Piece>,
    /// What the list is to be narrowed by; section and order are the caller's.
    pub filter: Filter,
    /// The first thing that is not understood.
    pub error: Option<String>,
}

/// Reads a text. Words that are not understood narrow nothing and are named.
pub fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut free: Vec<&str> = Vec::new();
    for piece in text.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        let Some((name, values)) = word.split_once(':') else {
            if !word.is_empty() {
                free.push(word);
            }
            parsed.push(piece, Kind::Text);
            continue;
        };
        // A word that is still being typed has no value yet.
        let understood = values.is_empty() && is_name(name) || parsed.filter_by(name, values);
        if understood {
            parsed.push(&piece[..=name.len()], Kind::Known);
            parsed.push(&piece[name.len() + 1..], Kind::Text);
        } else {
            let wrong = if is_name(name) { word.to_owned() } else { format!("{name}:") };
            parsed.error.get_or_insert(format!("no such word: {wrong}"));
            parsed.push(word, Kind::Unknown);
            parsed.push(&piece[word.len()..], Kind::Text);
        }
    }
    parsed.filter.text = Some(free.join(" ")).filter(|text| !text.is_empty());
    parsed
}

fn is_name(name: &str) -> bool {
    matches!(name, "status" | "zone" | "agent" | "project" | "age" | "dirty" | "pr")
}

impl Parsed {
    fn push(&mut self, text: &str, kind: Kind) {
        if !text.is_empty() {
            self.pieces.push(Piece { text: text.to_owned(), kind });
        }
    }

    /// Takes in one word; false where it or its value is not known.
    fn filter_by(&mut self, name: &str, values: &str) -> bool {
        let list = || values.split(',').filter(|value| !value.is_empty());
        let filter = &mut self.filter;
        match name {
            "status" => {
                let known: Option<Vec<Status>> = list().map(Status::from_word).collect();
                known.map(|known| filter.statuses.extend(known)).is_some()
            }
            "zone" => {
                let known: Option<Vec<Zone>> = list().map(Zone::from_word).collect();
                known.map(|known| filter.zones.extend(known)).is_some()
            }
            "agent" => {
                filter.agents.extend(list().map(str::to_owned));
                true
            }
            "project" => {
                filter.project = ProjectName::new(values).ok();
                filter.project.is_some()
            }
            "age" => filter_by_age(filter, values),
            "dirty" => {
                filter.dirty = yes_or_no(values);
                filter.dirty.is_some()
            }
            "pr" => {
                filter.pr = yes_or_no(values);
                filter.pr.is_some()
            }
            _ => false,
        }
    }
}

fn yes_or_no(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// `7d`, `>7d`: left alone for so long. `<1d`: active since.
fn filter_by_age(filter: &mut Filter, value: &str) -> bool {
    let (bound, age) = match value.strip_prefix('<') {
        Some(age) => (&mut filter.younger_than, age),
        None => (&mut filter.older_than, value.strip_prefix('>').unwrap_or(value)),
    };
    let age = age.strip_prefix('=').unwrap_or(age);
    *bound = parse_duration(age);
    // `<` alone is a value that is still being typed.
    bound.is_some() || age.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_text_together_make_the_filter() {
        assert_eq!(parse("pr:yes dirty:no").filter.pr, Some(true));
        let parsed = parse("agent:claude,codex status:idle age:>7d  che ck");
        assert_eq!(parsed.filter.agents, ["claude", "codex"]);
        assert_eq!(parsed.filter.statuses, [Status::Idle]);
        assert_eq!(parsed.filter.older_than.map(|d| d.as_secs()), Some(604_800));
        assert_eq!(parsed.filter.text.as_deref(), Some("che ck"));
        assert_eq!(parsed.error, None);
        let whole: String = parsed.pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(whole, "agent:claude,codex status:idle age:>7d  che ck");
    }

    #[test]
    fn ages_are_bounded_on_both_sides() {
        let day = std::time::Duration::from_hours(24);
        for (text, older, younger) in [
            ("age:1d", Some(day), None),
            ("age:>1d", Some(day), None),
            ("age:>=1d", Some(day), None),
            ("age:<1d", None, Some(day)),
            ("age:<=1d", None, Some(day)),
            ("age:>1d age:<7d", Some(day), Some(day * 7)),
            ("age:<", None, None),
        ] {
            let parsed = parse(text);
            assert_eq!((parsed.filter.older_than, parsed.filter.younger_than), (older, younger));
            assert_eq!(parsed.error, None, "{text}");
        }
        assert_eq!(parse("age:<young").error.as_deref(), Some("no such word: age:<young"));
    }

    #[test]
    fn unknown_words_are_named_and_narrow_nothing() {
        let parsed = parse("stat:idle");
        assert_eq!(parsed.error.as_deref(), Some("no such word: stat:"));
        assert_eq!(parsed.filter, Filter::default());
        assert!(parse("status:idel").error.is_some());
        assert!(parse("status:").error.is_none(), "still being typed");
        assert_eq!(parse("").pieces, []);
    }
}
