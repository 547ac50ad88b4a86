//! What the operator's terminal sends, on its way to the agent: passed on as it is, except for the
//! key that leaves and for answers of the terminal, which nobody asked for.

use crate::domain::key::Key;
use crate::runtime::keys::{KeyKind, encode_key};
use crate::runtime::screen::InputModes;

/// Longest sequence that is waited for, in bytes; what is longer is passed on.
const SEQUENCE_LIMIT: usize = 4 << 10;
const ESC: u8 = 0x1b;
const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// Bits of the modifiers that are no keys held down: caps lock and num lock.
const LOCKS: u16 = 64 | 128;

/// What else was heard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// The leave key was pressed; what follows it is not taken.
    pub(super) leave: bool,
    /// There was more than reports of mouse and focus.
    pub(super) typed: bool,
    /// The terminal won the focus or lost it.
    pub(super) focus: Option<bool>,
}

/// A key as escape sequences name it, whichever protocol they follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pressed {
    /// `u` for a character by its number, else the final byte of the sequence.
    last: u8,
    number: u16,
    /// As in the protocols, less one.
    mods: u16,
}

/// A whole piece of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// The agent's.
    Input,
    /// An answer of the terminal.
    Answer,
    /// Focus won or lost.
    Focus(bool),
    /// A report of the mouse.
    Mouse,
    /// A paste begins.
    Paste,
    /// A key by a sequence; true when it is let go.
    Key(Pressed, Option<u16>, bool),
}

/// Finds keys and answers in a stream of bytes.
#[derive(Debug)]
pub(super) struct Recogniser {
    /// Bytes that leave.
    plain: Vec<Vec<u8>>,
    /// The same keys by a sequence.
    keys: Vec<Pressed>,
    /// A sequence that has not ended yet; the first so many bytes of it were passed on already.
    held: Vec<u8>,
    sent: usize,
    pasting: bool,
}

impl Recogniser {
    /// Finds these keys.
    pub(super) fn new(leave: &[Key]) -> Self {
        let protocols = [
            InputModes::default(),
            InputModes { app_cursor: true, ..InputModes::default() },
            InputModes { kitty: 1, ..InputModes::default() },
            InputModes { kitty: 8, ..InputModes::default() },
            InputModes { modify_other_keys: 2, ..InputModes::default() },
        ];
        let (mut plain, mut keys) = (Vec::new(), Vec::new());
        for (key, modes) in leave.iter().flat_map(|key| protocols.iter().map(move |p| (key, p))) {
            let bytes = encode_key(key, KeyKind::Press, modes);
            match pressed(&bytes) {
                Some((key, _, _)) => keys.push(key),
                None if !bytes.is_empty() => plain.push(bytes),
                None => {}
            }
        }
        Self { plain, keys, held: Vec::new(), sent: 0, pasting: false }
    }

    /// Whether a sequence has begun that may go on: [`Self::give_up`] when it does not. An answer is
    /// waited for as long as it takes.
    pub(super) fn waits(&self) -> bool {
        self.held.len() > self.sent && (self.pasting || !is_string(&self.held))
    }

    /// The sequence that was waited for is no sequence, but keys. Should it go on all the same, it is
    /// still recognised.
    pub(super) fn give_up(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.held[self.sent..]);
        self.sent = self.held.len();
        if !self.pasting && self.held == [ESC] {
            // An escape that was pressed says nothing of the next key.
            self.held.clear();
            self.sent = 0;
        }
    }

    /// Takes bytes; those for the agent are appended to `out`.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Heard {
        let mut heard = Heard::default();
        let mut sent = std::mem::take(&mut self.sent);
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while !rest.is_empty() {
            let (length, piece) = match self.next(rest) {
                Some(next) => next,
                None if rest.len() > SEQUENCE_LIMIT => (rest.len(), Piece::Input),
                None => {
                    self.held = rest.to_vec();
                    self.sent = sent;
                    return heard;
                }
            };
            let (taken, left) = rest.split_at(length);
            rest = left;
            // Of what was passed on already nothing can be kept back.
            let begun = sent > 0;
            let unsent = &taken[std::mem::take(&mut sent).min(length)..];
            match piece {
                _ if !self.pasting && self.plain.iter().any(|plain| plain == taken) => {
                    heard.leave = true;
                    return heard;
                }
                Piece::Key(key, base, released) if self.leaves(key, base) => {
                    if !released {
                        heard.leave = true;
                        return heard;
                    }
                }
                Piece::Answer if !begun => {}
                Piece::Answer | Piece::Input | Piece::Key(..) => {
                    heard.typed = true;
                    out.extend_from_slice(unsent);
                }
                Piece::Mouse => out.extend_from_slice(unsent),
                Piece::Focus(focus) => {
                    heard.focus = Some(focus);
                    out.extend_from_slice(unsent);
                }
                Piece::Paste => {
                    heard.typed = true;
                    self.pasting = true;
                    out.extend_from_slice(unsent);
                }
            }
        }
        heard
    }

    fn leaves(&self, key: Pressed, base: Option<u16>) -> bool {
        self.keys.iter().any(|leave| {
            *leave == key || base.is_some_and(|number| *leave == Pressed { number, ..key })
        })
    }

    /// The first piece and its length; none where it has not ended.
    fn next(&mut self, bytes: &[u8]) -> Option<(usize, Piece)> {
        if self.pasting {
            return self.pasted(bytes);
        }
        if bytes[0] != ESC {
            let plain = |at: usize| self.plain.iter().any(|plain| bytes[at..].starts_with(plain));
            if let Some(leave) = self.plain.iter().find(|plain| bytes.starts_with(plain)) {
                return Some((leave.len(), Piece::Input));
            }
            let end = (1..bytes.len()).find(|at| bytes[*at] == ESC || plain(*at));
            return Some((end.unwrap_or(bytes.len()), Piece::Input));
        }
        let leaves = |plain: &Vec<u8>| plain[0] != ESC && bytes[1..].starts_with(plain);
        if self.plain.iter().any(leaves) {
            return Some((1, Piece::Input));
        }
        match bytes.get(1)? {
            b'[' => sequence(bytes),
            b'O' => {
                let last = bytes.get(2)?;
                let whole = if *last == ESC { 2 } else { 3 };
                Some((whole, key(&bytes[..whole])))
            }
            b']' | b'P' | b'_' => string(bytes),
            // Escape, then something else.
            b'\x1b' => Some((1, Piece::Input)),
            _ => Some((2, Piece::Input)),
        }
    }

    /// All of it up to what may be the end of the paste.
    fn pasted(&mut self, bytes: &[u8]) -> Option<(usize, Piece)> {
        let length = if let Some(at) = memchr::memmem::find(bytes, PASTE_END) {
            self.pasting = false;
            at + PASTE_END.len()
        } else {
            let tail = (1..PASTE_END.len()).rev().find(|n| bytes.ends_with(&PASTE_END[..*n]));
            bytes.len() - tail.unwrap_or(0)
        };
        (length > 0).then_some((length, Piece::Input))
    }
}

/// `CSI ...`.
fn sequence(bytes: &[u8]) -> Option<(usize, Piece)> {
    let end = bytes[2..].iter().position(|byte| !(b' '..=b'?').contains(byte))? + 2;
    if !(0x40..=0x7e).contains(&bytes[end]) {
        // Another sequence, or something that has no place in one.
        return Some((end, Piece::Input));
    }
    let whole = &bytes[..=end];
    let piece = match whole {
        PASTE => Piece::Paste,
        b"\x1b[I" => Piece::Focus(true),
        b"\x1b[O" => Piece::Focus(false),
        [_, _, b'<' | b'M', ..] => Piece::Mouse,
        _ if is_answer(whole) => Piece::Answer,
        _ => key(whole),
    };
    Some((whole.len(), piece))
}

fn key(bytes: &[u8]) -> Piece {
    pressed(bytes).map_or(Piece::Input, |(key, base, released)| Piece::Key(key, base, released))
}

/// Whether a sequence is one that a terminal answers with. A cursor report for the first row looks
/// like F3 with modifiers, and nobody is let to ask for one.
fn is_answer(whole: &[u8]) -> bool {
    let (body, last) = (&whole[2..whole.len() - 1], whole[whole.len() - 1]);
    match last {
        b'c' | b'n' | b't' | b'x' => true,
        b'y' => body.ends_with(b"$"),
        b'u' | b'S' => body.starts_with(b"?"),
        b'R' => !body.is_empty() && !body.starts_with(b"1;"),
        _ => false,
    }
}

/// Whether these bytes begin as a string that a terminal answers with, and not as Alt and a key.
fn is_string(bytes: &[u8]) -> bool {
    match bytes {
        [ESC, b']', next, ..] => next.is_ascii_digit(),
        [ESC, b'P', next, ..] => b">!01".contains(next),
        [ESC, b'_', next, ..] => *next == b'G',
        _ => false,
    }
}

/// A string, with its end.
fn string(bytes: &[u8]) -> Option<(usize, Piece)> {
    bytes.get(2)?;
    if !is_string(bytes) {
        return Some((2, Piece::Input));
    }
    let end = bytes[2..].iter().position(|byte| [ESC, 0x07].contains(byte))? + 2;
    if bytes[end] == ESC {
        return match bytes.get(end + 1)? {
            b'\\' => Some((end + 2, Piece::Answer)),
            _ => Some((end, Piece::Answer)),
        };
    }
    Some((end + 1, Piece::Answer))
}

/// The key of a sequence, the same key's place on the keyboard where the terminal says it, and
/// whether it is let go.
fn pressed(bytes: &[u8]) -> Option<(Pressed, Option<u16>, bool)> {
    let (body, last) = match bytes {
        [ESC, b'O', last] => (&b""[..], *last),
        [ESC, b'[', body @ .., last] => (body, *last),
        _ => return None,
    };
    if !body.iter().all(|byte| byte.is_ascii_digit() || b";:".contains(byte)) {
        return None;
    }
    let fields: Vec<Vec<u16>> = body
        .split(|byte| *byte == b';')
        .map(|field| field.split(|byte| *byte == b':').map(number).collect())
        .collect();
    let field = |at: usize, part: usize| fields.get(at).and_then(|f| f.get(part)).copied();
    let mods = (field(1, 0).unwrap_or(1).max(1) - 1) & !LOCKS;
    let released = field(1, 1) == Some(3);
    let first = field(0, 0).unwrap_or(0);
    let (last, number) = match (last, first) {
        (b'~', 27) => (b'u', field(2, 0)?),
        // Without a number it is the first.
        (_, 0) => (last, 1),
        _ => (last, first),
    };
    let base = (last == b'u').then(|| field(0, 2)).flatten();
    Some((Pressed { last, number, mods }, base, released))
}

fn number(digits: &[u8]) -> u16 {
    digits.iter().fold(0, |sum, digit| {
        sum.saturating_mul(10).saturating_add(u16::from(digit.wrapping_sub(b'0')))
    })
}
