//! The agent's output on its way to the operator's terminal. Text is passed on as it comes; a control
//! sequence is passed on, changed or left out as a whole, however the bytes were cut.

use super::policy::{self, Csi, Osc, Verdict};
use super::restore::{Touched, put, undo};

/// Longest sequence or string, in bytes. What is longer is left out up to its end.
pub(super) const SEQUENCE_LIMIT: usize = 64 << 10;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
/// Asks the terminal for its name.
const ENQ: u8 = 0x05;
/// First byte of U+0080 to U+00BF, of which the first half are control characters.
const LATIN: u8 = 0xc2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ground,
    /// After [`LATIN`].
    Latin,
    Escape,
    Csi,
    /// A string.
    String(Kind),
    /// An escape in it: its end, or the start of something new.
    StringEscape(Kind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Operating system command.
    Osc,
    /// Device control string.
    Dcs,
    /// Application, privacy and start-of-string strings.
    Other,
}

/// Passes on what may reach the terminal, and notes what is to be undone.
#[derive(Debug)]
pub(super) struct Filter {
    state: State,
    /// The sequence that has not ended yet.
    held: Vec<u8>,
    /// It is longer than [`SEQUENCE_LIMIT`].
    overlong: bool,
    /// What is to be undone.
    pub(super) touched: Touched,
    /// Whether texts for the clipboard are passed on now.
    pub(super) clipboard: bool,
    titles: Titles,
    /// The title that the program set last.
    title: Vec<u8>,
}

impl Filter {
    /// A filter at the start of a stream.
    pub(super) fn new(titles: Titles) -> Self {
        Self {
            state: State::Ground,
            held: Vec::new(),
            overlong: false,
            touched: Touched::default(),
            clipboard: false,
            titles,
            title: Vec::new(),
        }
    }

    /// Sets the program's title again.
    pub(super) fn name_again(&self, out: &mut Vec<u8>) {
        self.titles.set(out, &self.title);
    }

    /// Forgets what has not ended: another stream begins.
    pub(super) fn restart(&mut self) {
        self.clear(State::Ground);
    }

    /// Bytes that are kept of what has not ended.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.held.len()
    }

    /// Passes bytes on.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut at = 0;
        while at < bytes.len() {
            if self.state == State::Ground {
                at += self.text(&bytes[at..], out);
            } else if self.step(bytes[at], out) {
                at += 1;
            }
        }
    }

    /// Passes text on up to the next byte that is not, and whole sequences after it; answers how much
    /// it used.
    fn text(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        let end = memchr::memchr3(ESC, LATIN, ENQ, bytes).unwrap_or(bytes.len());
        out.extend_from_slice(&bytes[..end]);
        match bytes.get(end) {
            None => return end,
            Some(&ENQ) => {}
            Some(&LATIN) => self.begin(State::Latin, LATIN),
            Some(_) => {
                // Colours make up most of all sequences.
                if let Some(length) = style(&bytes[end..]) {
                    out.extend_from_slice(&bytes[end..end + length]);
                    return end + length;
                }
                self.begin(State::Escape, ESC);
            }
        }
        end + 1
    }

    fn begin(&mut self, state: State, byte: u8) {
        self.clear(state);
        self.held.push(byte);
    }

    fn clear(&mut self, state: State) {
        self.held.clear();
        self.held.shrink_to(4 << 10);
        self.overlong = false;
        self.state = state;
    }

    fn collect(&mut self, byte: u8, state: State) {
        if self.held.len() < SEQUENCE_LIMIT {
            self.held.push(byte);
        } else {
            self.overlong = true;
        }
        self.state = state;
    }

    /// One byte of a sequence; false where it is to be looked at again, in another state.
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match (self.state, byte) {
            (State::Latin, 0x80..=0x9f) => self.clear(State::Ground),
            (State::Latin, _) => {
                out.push(LATIN);
                self.clear(State::Ground);
                return false;
            }
            (State::StringEscape(kind), b'\\') => {
                self.collect(byte, State::Ground);
                self.string(kind, 2, out);
            }
            (State::StringEscape(_), _) => {
                self.begin(State::Escape, ESC);
                return false;
            }
            (State::String(kind @ (Kind::Osc | Kind::Other)), BEL) => {
                self.collect(byte, State::Ground);
                self.string(kind, 1, out);
            }
            (_, CAN | SUB) => self.clear(State::Ground),
            (State::String(kind), ESC) => self.collect(byte, State::StringEscape(kind)),
            (State::String(_), _) => self.collect(byte, self.state),
            (_, ESC) => self.begin(State::Escape, ESC),
            (_, ENQ) => {}
            // Controls within a sequence act at once.
            (_, 0..=0x1f) => out.push(byte),
            (State::Escape, b'[') if self.held.len() == 1 => self.collect(byte, State::Csi),
            (State::Escape, b']') if self.held.len() == 1 => {
                self.collect(byte, State::String(Kind::Osc));
            }
            (State::Escape, b'P') if self.held.len() == 1 => {
                self.collect(byte, State::String(Kind::Dcs));
            }
            (State::Escape, b'X' | b'^' | b'_') if self.held.len() == 1 => {
                self.collect(byte, State::String(Kind::Other));
            }
            (State::Escape, 0x30..=0x7e) => {
                self.collect(byte, State::Ground);
                let verdict = policy::escape(&self.held[1..], &mut self.touched);
                self.carry_out(verdict, out);
            }
            (State::Csi, 0x40..=0x7e) => {
                self.collect(byte, State::Ground);
                let verdict = Csi::parse(&self.held[2..])
                    .map_or(Verdict::Drop, |csi| policy::csi(csi, &mut self.touched));
                self.carry_out(verdict, out);
            }
            // No terminal knows what to do with a character in the middle of a sequence.
            (_, 0x7f..) => self.overlong = true,
            _ => self.collect(byte, self.state),
        }
        true
    }

    fn carry_out(&mut self, verdict: Verdict, out: &mut Vec<u8>) {
        match verdict {
            _ if self.overlong => {}
            Verdict::Pass => out.extend_from_slice(&self.held),
            Verdict::Instead(bytes) => out.extend_from_slice(&bytes),
            Verdict::Reset => {
                out.extend_from_slice(&undo(&self.touched));
                out.extend_from_slice(b"\x1b[2J");
                self.touched = Touched::default();
            }
            Verdict::Drop => {}
        }
        self.clear(State::Ground);
    }

    fn string(&mut self, kind: Kind, terminator: usize, out: &mut Vec<u8>) {
        if kind != Kind::Osc || self.overlong {
            return self.clear(State::Ground);
        }
        let payload = &self.held[2..self.held.len() - terminator];
        if has_controls(payload) {
            return self.clear(State::Ground);
        }
        let verdict = match policy::osc(payload, &mut self.touched) {
            Osc::As(verdict) => verdict,
            Osc::Title(title) => {
                let mut bytes = Vec::new();
                self.titles.set(&mut bytes, title);
                self.title = title.to_vec();
                Verdict::Instead(bytes)
            }
            Osc::Clipboard if self.clipboard => Verdict::Pass,
            Osc::Clipboard => Verdict::Drop,
        };
        self.carry_out(verdict, out);
    }
}

/// Titles of a terminal that an agent has.
#[derive(Debug, Clone)]
pub(super) struct Titles {
    /// Stands where a program sets none.
    pub(super) name: String,
    /// Follows each.
    pub(super) hint: String,
}

impl Titles {
    /// Sets a title.
    pub(super) fn set(&self, out: &mut Vec<u8>, title: &[u8]) {
        let title = if title.is_empty() { self.name.as_bytes() } else { title };
        let (title, hint) = (String::from_utf8_lossy(title), &self.hint);
        put(out, format_args!("\x1b]2;{title} | {hint}\x1b\\"));
    }
}

/// Whether a string holds a control character, which ends it in some terminals.
fn has_controls(payload: &[u8]) -> bool {
    let coded = |pair: &[u8]| pair[0] == LATIN && (0x80..=0x9f).contains(&pair[1]);
    payload.iter().any(|byte| *byte < b' ' || *byte == 0x7f) || payload.windows(2).any(coded)
}

/// Length of the whole `CSI ... m` at the start, of digits and separators only.
fn style(bytes: &[u8]) -> Option<usize> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let end = body.iter().take(64).position(|byte| !(b'0'..=b';').contains(byte))?;
    (body[end] == b'm').then_some(end + 3)
}
