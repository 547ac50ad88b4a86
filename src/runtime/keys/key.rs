//! Keys as bytes.

use crate::domain::key::{Key, KeyCode, Modifiers};
use crate::runtime::screen::InputModes;

/// Kitty flag: keys that would be ambiguous are escape codes.
const DISAMBIGUATE: u8 = 1;
/// Kitty flag: repeats and releases are told apart.
const EVENT_TYPES: u8 = 2;
/// Kitty flag: the shifted character is reported too.
const ALTERNATES: u8 = 4;
/// Kitty flag: all keys are escape codes.
const ALL_KEYS: u8 = 8;
/// Kitty flag: the text a key gives is reported too.
const TEXT: u8 = 16;

/// What happened to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// It went down.
    Press,
    /// It is held down.
    Repeat,
    /// It went up.
    Release,
}

/// The bytes of a key event for a program with these modes; nothing where the program is not told
/// of it.
pub fn encode_key(key: &Key, kind: KeyKind, modes: &InputModes) -> Vec<u8> {
    let event = Event {
        mods: key.mods,
        kind: if modes.kitty & EVENT_TYPES != 0 || kind == KeyKind::Release {
            kind
        } else {
            KeyKind::Press
        },
        modes,
    };
    if kind == KeyKind::Release && modes.kitty & EVENT_TYPES == 0 {
        return Vec::new();
    }
    match key.code {
        KeyCode::Char(c) => event.character(c),
        KeyCode::Enter => event.control(13, if modes.newline { "\r\n" } else { "\r" }),
        KeyCode::Tab => event.control(9, "\t"),
        KeyCode::Backspace => event.control(127, "\x7f"),
        KeyCode::Esc => event.control(27, "\x1b"),
        KeyCode::Up => event.letter('A', modes.app_cursor),
        KeyCode::Down => event.letter('B', modes.app_cursor),
        KeyCode::Right => event.letter('C', modes.app_cursor),
        KeyCode::Left => event.letter('D', modes.app_cursor),
        KeyCode::End => event.letter('F', modes.app_cursor),
        KeyCode::Home => event.letter('H', modes.app_cursor),
        KeyCode::Insert => event.tilde(2),
        KeyCode::Delete => event.tilde(3),
        KeyCode::PageUp => event.tilde(5),
        KeyCode::PageDown => event.tilde(6),
        KeyCode::F(number) => event.function(number),
    }
}

/// A key event without the key.
struct Event<'a> {
    mods: Modifiers,
    kind: KeyKind,
    modes: &'a InputModes,
}

impl Event<'_> {
    fn flag(&self, flag: u8) -> bool {
        self.modes.kitty & flag != 0
    }

    /// Whether keys are written as if there were no kitty protocol.
    fn is_legacy(&self) -> bool {
        !self.flag(DISAMBIGUATE | EVENT_TYPES | ALL_KEYS)
    }

    /// Parameter of the modifiers (and the event type), empty for a plain press.
    fn parameter(&self) -> String {
        let number = 1 + modifier_bits(self.mods);
        match self.kind {
            KeyKind::Press if number == 1 => String::new(),
            KeyKind::Press => number.to_string(),
            KeyKind::Repeat => format!("{number}:2"),
            KeyKind::Release => format!("{number}:3"),
        }
    }

    /// Arrows, Home, End and F1 to F4: `CSI 1 ; mods X`, `CSI X` or `SS3 X`.
    fn letter(&self, letter: char, single_shift: bool) -> Vec<u8> {
        let parameter = self.parameter();
        if !parameter.is_empty() {
            format!("\x1b[1;{parameter}{letter}").into_bytes()
        } else if single_shift && self.is_legacy() {
            format!("\x1bO{letter}").into_bytes()
        } else {
            format!("\x1b[{letter}").into_bytes()
        }
    }

    /// Keys with a number: `CSI n ; mods ~`.
    fn tilde(&self, number: u8) -> Vec<u8> {
        let parameter = self.parameter();
        let separator = if parameter.is_empty() { "" } else { ";" };
        format!("\x1b[{number}{separator}{parameter}~").into_bytes()
    }

    fn function(&self, number: u8) -> Vec<u8> {
        const NUMBERS: [u8; 20] =
            [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];
        match number {
            3 if !self.is_legacy() => self.tilde(13),
            1..=4 => self.letter(char::from(b'P' + number - 1), true),
            13..=35 if !self.is_legacy() => self.unicode(57_363 + u32::from(number), None, ""),
            5..=20 => self.tilde(NUMBERS[usize::from(number) - 1]),
            _ => Vec::new(),
        }
    }

    /// `CSI code : shifted ; mods ; text u` of the kitty protocol.
    fn unicode(&self, code: u32, shifted: Option<u32>, text: &str) -> Vec<u8> {
        let mut out = format!("\x1b[{code}");
        if let Some(shifted) = shifted.filter(|_| self.flag(ALTERNATES)) {
            out.push(':');
            out.push_str(&shifted.to_string());
        }
        let parameter = self.parameter();
        let has_text = self.flag(TEXT) && self.flag(ALL_KEYS) && !text.is_empty();
        if !parameter.is_empty() || has_text {
            out.push(';');
            out.push_str(&parameter);
        }
        if has_text {
            let codes: Vec<String> = text.chars().map(|c| u32::from(c).to_string()).collect();
            out.push(';');
            out.push_str(&codes.join(":"));
        }
        out.push('u');
        out.into_bytes()
    }

    /// Enter, Tab, Backspace and Esc.
    fn control(&self, code: u32, plain: &str) -> Vec<u8> {
        let typed_plain = code != 27 && self.mods.is_empty();
        if self.flag(ALL_KEYS) || (self.flag(DISAMBIGUATE) && !typed_plain) {
            // Releases of Enter, Tab and Backspace are for those who asked for all keys.
            let quiet = self.kind == KeyKind::Release && code != 27 && !self.flag(ALL_KEYS);
            return if quiet { Vec::new() } else { self.unicode(code, None, "") };
        }
        if self.kind == KeyKind::Release {
            return Vec::new();
        }
        let Modifiers { ctrl, alt, shift, .. } = self.mods;
        let back_tab = code == 9 && shift && !ctrl;
        let other = match self.modes.modify_other_keys {
            0 => false,
            // Of Backspace the old forms are well known.
            1 => (ctrl || shift) && code != 127,
            _ => !self.mods.is_empty(),
        };
        if other && !back_tab {
            return self.other(code);
        }
        let body = match code {
            9 if shift => "\x1b[Z",
            127 if ctrl => "\x08",
            _ => plain,
        };
        prefixed(alt, body)
    }

    /// `CSI 27 ; mods ; code ~` of xterm's modifyOtherKeys.
    fn other(&self, code: u32) -> Vec<u8> {
        format!("\x1b[27;{};{code}~", 1 + modifier_bits(self.mods)).into_bytes()
    }

    fn character(&self, c: char) -> Vec<u8> {
        let typed = Key::new(KeyCode::Char(c), self.mods).canonical();
        let KeyCode::Char(typed) = typed.code else {
            return Vec::new();
        };
        let shift = self.mods.shift || (typed != lower(typed));
        let this = Self { mods: Modifiers { shift, ..self.mods }, ..*self };
        let Modifiers { ctrl, alt, sup, .. } = self.mods;
        let makes_text = !(ctrl || alt || sup);
        if this.flag(ALL_KEYS) || (this.flag(DISAMBIGUATE) && !makes_text) {
            let base = lower(typed);
            let shifted = (shift && typed != base).then_some(u32::from(typed));
            let text = if makes_text && self.kind != KeyKind::Release {
                typed.to_string()
            } else {
                String::new()
            };
            return this.unicode(u32::from(base), shifted, &text);
        }
        if self.kind == KeyKind::Release || sup {
            // Without a protocol for it, a key with super must not type its character.
            return Vec::new();
        }
        let control = ctrl.then(|| control_byte(typed)).flatten();
        let other = match self.modes.modify_other_keys {
            0 => false,
            1 => ctrl && control.is_none(),
            // Shift alone says something only of the space bar.
            _ => !makes_text || (shift && typed == ' '),
        };
        if other {
            return this.other(u32::from(typed));
        }
        match control {
            Some(byte) => prefixed(alt, &char::from(byte).to_string()),
            None => prefixed(alt, &typed.to_string()),
        }
    }
}

fn prefixed(alt: bool, body: &str) -> Vec<u8> {
    let prefix = if alt { "\x1b" } else { "" };
    format!("{prefix}{body}").into_bytes()
}

fn modifier_bits(mods: Modifiers) -> u8 {
    u8::from(mods.shift) + 2 * u8::from(mods.alt) + 4 * u8::from(mods.ctrl) + 8 * u8::from(mods.sup)
}

fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// The C0 byte that control and a character give (kitty's legacy table, after xterm).
fn control_byte(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' | 'A'..='Z' => c as u8 & 0x1f,
        ' ' | '@' | '2' | '`' => 0,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '6' | '~' => 0x1e,
        '_' | '/' | '7' | '-' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}
