//! The key map in words: lines of the help, the table of the README, labels of keys.

use std::fmt::Write as _;

use super::Keymap;
use crate::domain::key::{Chord, Key, KeyCode};
use crate::tui::action::{Action, ActionSpec, Context, Group};

/// Actions under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpGroup {
    /// The heading.
    pub title: &'static str,
    /// Its lines.
    pub lines: Vec<HelpLine>,
}

/// Keys of actions that belong together, and what they do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpLine {
    /// The actions that are bound here.
    pub actions: Vec<Action>,
    /// Their keys: `j k`, `1..9`.
    pub keys: String,
    /// What they do: `down, up`.
    pub text: String,
}

/// A chord as a person reads it: `Ctrl+]`, `Shift+Tab`, `g g`.
pub fn label(chord: &Chord) -> String {
    chord.0.iter().map(key_label).collect::<Vec<_>>().join(" ")
}

fn key_label(key: &Key) -> String {
    let mut text = String::new();
    for (held, name) in [
        (key.mods.ctrl, "Ctrl+"),
        (key.mods.alt, "Alt+"),
        (key.mods.shift, "Shift+"),
        (key.mods.sup, "Super+"),
    ] {
        if held {
            text.push_str(name);
        }
    }
    match key.code {
        // With a modifier a letter is written as on the key.
        KeyCode::Char(c) if !text.is_empty() && c.is_ascii_lowercase() => {
            text.push(c.to_ascii_uppercase());
        }
        code => {
            let _ = write!(text, "{code}");
        }
    }
    text
}

/// Actions that share a line of the help, in the order of the table.
fn lines(group: Group) -> Vec<Vec<&'static ActionSpec>> {
    let mut lines: Vec<Vec<&ActionSpec>> = Vec::new();
    for spec in ActionSpec::all().filter(|spec| spec.group == group) {
        match lines.last_mut() {
            Some(line) if spec.joined => line.push(spec),
            _ => lines.push(vec![spec]),
        }
    }
    lines
}

/// Keys side by side; three or more digits in a row are a range.
fn side_by_side(keys: &[String]) -> String {
    let digit = |key: &String| key.parse::<u8>().ok().filter(|digit| *digit < 10);
    let digits: Option<Vec<u8>> = keys.iter().map(digit).collect();
    match digits.as_deref() {
        Some([first, .., last])
            if keys.len() > 2 && usize::from(last - first) + 1 == keys.len() =>
        {
            format!("{first}..{last}")
        }
        _ => keys.join(" "),
    }
}

fn help_line<'a>(
    specs: &[&'static ActionSpec],
    keys_of: impl Fn(Action) -> Vec<&'a Chord>,
) -> Option<HelpLine> {
    let mut actions = Vec::new();
    let mut keys = Vec::new();
    for spec in specs {
        let bound: Vec<_> = keys_of(spec.action).into_iter().map(label).collect();
        if !bound.is_empty() {
            actions.push(spec.action);
            keys.extend(bound);
        }
    }
    let words: Vec<_> = specs
        .iter()
        .filter(|spec| actions.contains(&spec.action))
        .map(|spec| spec.short)
        .filter(|short| !short.is_empty())
        .collect();
    (!actions.is_empty()).then(|| HelpLine {
        actions,
        keys: side_by_side(&keys),
        text: words.join(", "),
    })
}

impl Keymap {
    /// What the help shows where these contexts act: the first key of every action.
    pub fn help(&self, contexts: &[Context]) -> Vec<HelpGroup> {
        Group::ALL
            .iter()
            .map(|group| HelpGroup {
                title: group.title(),
                lines: lines(*group)
                    .iter()
                    .filter_map(|specs| {
                        help_line(specs, |action| self.keys(contexts, action).take(1).collect())
                    })
                    .collect(),
            })
            .filter(|group| !group.lines.is_empty())
            .collect()
    }

    /// The first key of an action where these contexts act, as a person reads it.
    pub fn key_label(&self, contexts: &[Context], action: Action) -> Option<String> {
        self.keys(contexts, action).next().map(label)
    }

    /// The table of the README: every key of the views; dialogs and forms show theirs themselves.
    pub fn readme_table(&self) -> String {
        let mut table = String::from("| where | keys | action |\n| --- | --- | --- |\n");
        let shown =
            |context: &Context| !matches!(context, Context::Dialog | Context::Form | Context::Text);
        for context in Context::ALL.into_iter().filter(shown) {
            let here = [context];
            let mut place = context.title();
            for specs in Group::ALL.iter().flat_map(|group| lines(*group)) {
                let Some(line) = help_line(&specs, |action| self.keys(&here, action).collect())
                else {
                    continue;
                };
                // A bar ends a cell, also between back quotes.
                let keys = line.keys.replace('|', "\\|");
                let _ = writeln!(table, "| {place} | `{keys}` | {} |", line.text);
                place = "";
            }
        }
        table
    }
}
