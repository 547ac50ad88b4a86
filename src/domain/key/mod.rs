//! Names of keys: what `keymap.toml`, `callboard keys` and the key encoder call a key.
//!
//! The written form is short: `g`, `G`, `?`, `Space`, `Enter`, `S-Tab`, `C-c`, `C-M-Left`, `F5`.
//! A chord is several keys with a space between them: `g g`. Reading also takes the long form
//! (`Ctrl+]`, `Alt+Shift+Up`) and any case of a name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Highest function key number that a terminal protocol can report.
const LAST_FUNCTION_KEY: u8 = 35;

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyCode {
    /// A character as typed, so `G` is shift and the g key. Never a control character.
    Char(char),
    /// Enter (carriage return).
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Forward delete.
    Delete,
    /// Insert.
    Insert,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Function key, 1 to 35.
    F(u8),
}

/// Written names; the first name of a code is the one that is printed.
const NAMES: [(&str, KeyCode); 22] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Return", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Escape", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Del", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Ins", KeyCode::Insert),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PageUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("PageDown", KeyCode::PageDown),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("PgDown", KeyCode::PageDown),
];

impl fmt::Display for KeyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| code == self) {
            return f.write_str(name);
        }
        match self {
            Self::Char(c) => write!(f, "{c}"),
            Self::F(n) => write!(f, "F{n}"),
            _ => Ok(()),
        }
    }
}

/// Modifiers held while a key is pressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::struct_excessive_bools, reason = "four independent keys of a keyboard")]
pub struct Modifiers {
    /// Control.
    pub ctrl: bool,
    /// Alt, also called Meta or Option.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
    /// Super, also called Command or Windows.
    pub sup: bool,
}

impl Modifiers {
    /// No modifier.
    pub const NONE: Self = Self { ctrl: false, alt: false, shift: false, sup: false };
    /// Control alone.
    pub const CTRL: Self = Self { ctrl: true, ..Self::NONE };
    /// Alt alone.
    pub const ALT: Self = Self { alt: true, ..Self::NONE };
    /// Shift alone.
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };

    /// Whether no modifier is held.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

/// One key press: a key and the modifiers held with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// What was held with it.
    pub mods: Modifiers,
}

impl Key {
    /// A key with modifiers.
    pub const fn new(code: KeyCode, mods: Modifiers) -> Self {
        Self { code, mods }
    }

    /// A key with no modifier.
    pub const fn plain(code: KeyCode) -> Self {
        Self::new(code, Modifiers::NONE)
    }

    /// The same key with shift folded into the character, so that `S-g` and `G` compare equal
    /// however a terminal reports them. Other keys stay as they are.
    pub fn canonical(self) -> Self {
        let KeyCode::Char(c) = self.code else {
            return self;
        };
        if !self.mods.shift || c == ' ' {
            return self;
        }
        let mut upper = c.to_uppercase();
        let folded = match (upper.next(), upper.next()) {
            (Some(one), None) => one,
            _ => c,
        };
        Self::new(KeyCode::Char(folded), Modifiers { shift: false, ..self.mods })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Modifiers { ctrl, alt, shift, sup } = self.mods;
        for (held, prefix) in [(ctrl, "C-"), (alt, "M-"), (shift, "S-"), (sup, "D-")] {
            if held {
                f.write_str(prefix)?;
            }
        }
        self.code.fmt(f)
    }
}

/// A text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text is empty.
    #[error("a key name is empty")]
    Empty,
    /// The text is not a key name.
    #[error("unknown key `{0}`")]
    Unknown(String),
}

impl KeyError {
    /// What to write instead.
    pub fn hint(&self) -> Option<String> {
        Some("write a key as g, G, ?, Space, Enter, S-Tab, C-c, M-x, C-M-Left or F5".to_owned())
    }
}

/// Prefixes of a modifier. The one letter forms keep their case: `S-` is shift, `s-` is nothing.
fn strip_modifier(text: &str) -> Option<(Modifiers, &str)> {
    const SHORT: [(&str, Modifiers); 5] = [
        ("C-", Modifiers::CTRL),
        ("M-", Modifiers::ALT),
        ("A-", Modifiers::ALT),
        ("S-", Modifiers::SHIFT),
        ("D-", SUPER),
    ];
    const LONG: [(&str, Modifiers); 10] = [
        ("ctrl", Modifiers::CTRL),
        ("control", Modifiers::CTRL),
        ("alt", Modifiers::ALT),
        ("meta", Modifiers::ALT),
        ("option", Modifiers::ALT),
        ("shift", Modifiers::SHIFT),
        ("super", SUPER),
        ("cmd", SUPER),
        ("command", SUPER),
        ("win", SUPER),
    ];
    const SUPER: Modifiers = Modifiers { sup: true, ..Modifiers::NONE };
    for (prefix, mods) in SHORT {
        if let Some(rest) = text.strip_prefix(prefix) {
            return Some((mods, rest));
        }
    }
    let at = text.find(['+', '-'])?;
    let (name, rest) = text.split_at(at);
    let (_, mods) = LONG.iter().find(|(long, _)| name.eq_ignore_ascii_case(long))?;
    Some((*mods, &rest[1..]))
}

fn parse_code(text: &str) -> Option<KeyCode> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(KeyCode::Char(c));
    }
    if let Some((_, code)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*code);
    }
    let digits = text.strip_prefix(['F', 'f'])?;
    let number: u8 = digits.parse().ok()?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    (plain && (1..=LAST_FUNCTION_KEY).contains(&number)).then_some(KeyCode::F(number))
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        let mut mods = Modifiers::NONE;
        let mut rest = text;
        while let Some((more, tail)) = strip_modifier(rest) {
            mods = Modifiers {
                ctrl: mods.ctrl || more.ctrl,
                alt: mods.alt || more.alt,
                shift: mods.shift || more.shift,
                sup: mods.sup || more.sup,
            };
            rest = tail;
        }
        let code = parse_code(rest).ok_or_else(|| KeyError::Unknown(text.to_owned()))?;
        Ok(Self { code, mods })
    }
}

impl TryFrom<String> for Key {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.to_string()
    }
}

/// Keys pressed one after the other, at least one. Written with a space between them: `g g`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Chord(pub Vec<Key>);

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, key) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            key.fmt(f)?;
        }
        Ok(())
    }
}

impl FromStr for Chord {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let keys = text
            .split(' ')
            .filter(|part| !part.is_empty())
            .map(str::parse)
            .collect::<Result<Vec<Key>, _>>()?;
        if keys.is_empty() { Err(KeyError::Empty) } else { Ok(Self(keys)) }
    }
}

impl TryFrom<String> for Chord {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<Chord> for String {
    fn from(chord: Chord) -> Self {
        chord.to_string()
    }
}

impl From<Key> for Chord {
    fn from(key: Key) -> Self {
        Self(vec![key])
    }
}

#[cfg(test)]
mod tests;
