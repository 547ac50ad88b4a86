//! The byte tap in front of the engine: cuts the stream into runs, intercepted sequences and whole
//! strings, and keeps what is unfinished.
//!
//! The engine therefore only ever sees whole sequences: its own parser is in the ground state
//! between two writes, unterminated strings are bounded here, and the unfinished bytes that a
//! snapshot must carry are exactly [`Tap::unfinished`].

/// Longest sequence or string that is kept, in bytes. What is longer is swallowed up to its end.
pub(super) const SEQUENCE_LIMIT: usize = 64 * 1024;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Kinds of control strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringKind {
    /// Operating system command, `ESC ]`.
    Osc,
    /// Device control string, `ESC P`.
    Dcs,
    /// Application, privacy and start-of-string strings: swallowed.
    Ignored,
}

/// Receiver of what the tap cuts out.
pub(super) trait Sink {
    /// Text and sequences that the engine handles by itself. A character that is cut off at the end
    /// stays so.
    fn run(&mut self, bytes: &[u8]);
    /// One whole sequence that may need our own handling: `CSI ... b`, `CSI ... p`, `CSI ? ... m`,
    /// `CSI > ... m`, the same with `n`, and designations of the British charset.
    fn sequence(&mut self, bytes: &[u8]);
    /// One whole string: its payload, and the raw bytes with introducer and terminator.
    fn string(&mut self, kind: StringKind, payload: &[u8], raw: &[u8]);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ground,
    /// A character whose last bytes have not come yet.
    Utf8,
    Escape,
    EscapeIntermediate,
    Csi,
    String(StringKind),
    /// An escape inside a string: a terminator, or the start of something new.
    StringEscape(StringKind),
}

enum Action {
    /// The byte belongs to the sequence.
    Collect,
    /// The byte ends the sequence.
    Finish,
    /// The byte cancels the sequence and is swallowed with it.
    Cancel,
    /// The byte, an escape, starts a new sequence in place of this one.
    Restart,
    /// The escape before the byte started a new sequence; look at the byte again.
    Reopen,
}

/// One step of the state machine (after ECMA-48 and the DEC parser of vt100.net).
fn step(state: State, byte: u8) -> (State, Action) {
    use Action::{Cancel, Collect, Finish, Reopen, Restart};
    match (state, byte) {
        (State::StringEscape(_), b'\\')
        | (State::String(StringKind::Osc | StringKind::Ignored), BEL) => (state, Finish),
        (State::StringEscape(_), _) => (State::Escape, Reopen),
        (_, CAN | SUB) => (State::Ground, Cancel),
        (State::String(kind), ESC) => (State::StringEscape(kind), Collect),
        (State::String(_), _) => (state, Collect),
        (_, ESC) => (State::Escape, Restart),
        (State::Escape, b'[') => (State::Csi, Collect),
        (State::Escape, b']') => (State::String(StringKind::Osc), Collect),
        (State::Escape, b'P') => (State::String(StringKind::Dcs), Collect),
        (State::Escape, b'X' | b'^' | b'_') => (State::String(StringKind::Ignored), Collect),
        (State::Escape | State::EscapeIntermediate, 0x20..=0x2f) => {
            (State::EscapeIntermediate, Collect)
        }
        (State::Escape | State::EscapeIntermediate, 0x30..=0x7e) | (State::Csi, 0x40..=0x7e) => {
            (state, Finish)
        }
        _ => (state, Collect),
    }
}

/// What a scan from an escape found: the sequence is `bytes[from..end]`.
struct Scan {
    from: usize,
    end: usize,
    state: State,
    outcome: Outcome,
}

#[derive(PartialEq, Eq)]
enum Outcome {
    Whole,
    Cancelled,
    Unfinished,
}

/// The tap itself: a state and the bytes of the unfinished sequence.
#[derive(Debug)]
pub(super) struct Tap {
    state: State,
    pending: Vec<u8>,
    /// The unfinished sequence went over [`SEQUENCE_LIMIT`]: it will be dropped.
    overlong: bool,
}

impl Tap {
    pub(super) fn new() -> Self {
        Self { state: State::Ground, pending: Vec::new(), overlong: false }
    }

    /// Bytes of the sequence or character that has not ended yet.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.pending
    }

    /// Cuts `bytes` (at most [`SEQUENCE_LIMIT`] of them) and hands the pieces to `sink` in order.
    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut at = self.resume(bytes, sink);
        if self.state != State::Ground {
            return;
        }
        let mut run = at;
        while let Some(offset) = memchr::memchr(ESC, &bytes[at..]) {
            let start = at + offset;
            let scan = scan(bytes, start);
            let own =
                scan.outcome == Outcome::Whole && is_own(&bytes[scan.from..scan.end], scan.state);
            if scan.from != start || scan.outcome != Outcome::Whole || own {
                hand_on(&bytes[run..start], sink);
                run = scan.from;
            }
            match scan.outcome {
                Outcome::Unfinished => {
                    self.pending.extend_from_slice(&bytes[scan.from..]);
                    self.state = scan.state;
                    return;
                }
                Outcome::Cancelled => run = scan.end,
                Outcome::Whole if own => {
                    dispatch(&bytes[scan.from..scan.end], scan.state, sink);
                    run = scan.end;
                }
                Outcome::Whole => {}
            }
            at = scan.end;
        }
        let rest = &bytes[run..];
        let (whole, partial) = rest.split_at(rest.len() - partial_character(rest));
        hand_on(whole, sink);
        if !partial.is_empty() {
            self.pending.extend_from_slice(partial);
            self.state = State::Utf8;
        }
    }

    /// Goes on with what an earlier write left unfinished; gives the number of bytes used.
    fn resume(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Ground {
            let byte = bytes[at];
            if self.state == State::Utf8 {
                at += self.resume_character(byte, sink);
                continue;
            }
            let (state, action) = step(self.state, byte);
            match action {
                Action::Collect => {
                    self.collect(byte);
                    self.state = state;
                }
                Action::Finish => {
                    self.collect(byte);
                    if !self.overlong {
                        dispatch(&self.pending, state, sink);
                    }
                    self.clear(State::Ground);
                }
                Action::Cancel => self.clear(State::Ground),
                Action::Restart => {
                    self.clear(state);
                    self.pending.push(byte);
                }
                Action::Reopen => {
                    self.clear(state);
                    self.pending.push(ESC);
                    continue;
                }
            }
            at += 1;
        }
        at
    }

    fn resume_character(&mut self, byte: u8, sink: &mut impl Sink) -> usize {
        if !(0x80..=0xbf).contains(&byte) {
            sink.run("\u{fffd}".as_bytes());
            self.clear(State::Ground);
            return 0;
        }
        self.pending.push(byte);
        if partial_character(&self.pending) == 0 {
            sink.run(&self.pending);
            self.clear(State::Ground);
        }
        1
    }

    fn collect(&mut self, byte: u8) {
        // The escape of a terminator is kept beyond the limit, so that the unfinished bytes always
        // lead back into the same state.
        if self.pending.len() < SEQUENCE_LIMIT || byte == ESC {
            self.pending.push(byte);
        }
        self.overlong |= self.pending.len() >= SEQUENCE_LIMIT;
    }

    fn clear(&mut self, state: State) {
        self.pending.clear();
        self.pending.shrink_to(256);
        self.overlong = false;
        self.state = state;
    }
}

fn scan(bytes: &[u8], start: usize) -> Scan {
    let mut from = start;
    let mut state = State::Escape;
    let mut at = start + 1;
    while at < bytes.len() {
        let (next, action) = step(state, bytes[at]);
        state = next;
        match action {
            Action::Collect => {}
            Action::Finish => {
                return Scan { from, end: at + 1, state, outcome: Outcome::Whole };
            }
            Action::Cancel => {
                return Scan { from, end: at + 1, state, outcome: Outcome::Cancelled };
            }
            Action::Restart => from = at,
            Action::Reopen => {
                from = at - 1;
                continue;
            }
        }
        at += 1;
    }
    Scan { from, end: at, state, outcome: Outcome::Unfinished }
}

/// Whether a whole sequence is handled by us and not left in the run for the engine.
fn is_own(sequence: &[u8], state: State) -> bool {
    match state {
        State::Csi => match sequence.last() {
            Some(b'b' | b'p') => true,
            Some(b'm' | b'n') => matches!(sequence.get(2), Some(b'?' | b'>')),
            _ => false,
        },
        State::EscapeIntermediate => matches!(sequence, [_, b'('..=b'+', b'A']),
        State::String(_) | State::StringEscape(_) => true,
        _ => false,
    }
}

fn dispatch(sequence: &[u8], state: State, sink: &mut impl Sink) {
    let (kind, terminator) = match state {
        State::String(kind) => (kind, 1),
        State::StringEscape(kind) => (kind, 2),
        _ if is_own(sequence, state) => return sink.sequence(sequence),
        _ => return sink.run(sequence),
    };
    if sequence.len() < SEQUENCE_LIMIT {
        sink.string(kind, &sequence[2..sequence.len() - terminator], sequence);
    }
}

/// Hands on a run, if there is one.
fn hand_on(run: &[u8], sink: &mut impl Sink) {
    if !run.is_empty() {
        sink.run(run);
    }
}

/// Length of the valid but unfinished UTF-8 character at the end of `bytes`, 0 to 3.
fn partial_character(bytes: &[u8]) -> usize {
    for length in 1..=bytes.len().min(3) {
        let tail = &bytes[bytes.len() - length..];
        if !(0x80..=0xbf).contains(&tail[0]) {
            return match std::str::from_utf8(tail) {
                Err(error) if error.error_len().is_none() => length,
                _ => 0,
            };
        }
    }
    0
}
