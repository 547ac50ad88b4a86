//! What keepers wrote down of a session's terminal, as bytes or as an asciicast.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::domain::time::Timestamp;
use crate::runtime::history::{Entry, Reader};
use crate::runtime::screen::{Screen, Size};

/// Sets a terminal back, before a screen that does not follow from what was before.
const RESET: &[u8] = b"\x1bc";

/// One thing that happened to the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The program wrote.
    Output(Vec<u8>),
    /// The terminal got this size.
    Size(Size),
    /// It goes on from this screen, given as escape text; an empty one where a launch begins.
    Screen(Vec<u8>),
}

/// Goes through a recording, from the oldest that is left.
#[derive(Debug)]
pub struct Recording {
    reader: Reader,
    size: Size,
}

impl Recording {
    /// The recording in `folder`; one that is not there is empty.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self { reader: Reader::open(folder)?, size: Size { cols: 80, rows: 24 } })
    }

    /// Looks for what was recorded since; to be called after the end.
    ///
    /// # Errors
    /// The folder or a file in it cannot be read.
    pub fn look_again(&mut self) -> io::Result<()> {
        self.reader.look_again()
    }
}

impl Iterator for Recording {
    type Item = io::Result<(Timestamp, Piece)>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.reader.next()?.map(|(at, entry)| {
            let piece = match entry {
                Entry::Output(bytes) => Piece::Output(bytes),
                Entry::Size { cols, rows } => {
                    self.size = Size { cols, rows }.clamped();
                    Piece::Size(self.size)
                }
                Entry::Snapshot(screen) => {
                    let blank = Screen::new(self.size, 0).snapshot(0) == screen;
                    Piece::Screen(if blank { Vec::new() } else { screen })
                }
            };
            (at, piece)
        }))
    }
}

/// The bytes that show a piece in a terminal; none for a size.
pub fn bytes(piece: Piece) -> Vec<u8> {
    match piece {
        Piece::Output(bytes) => bytes,
        Piece::Screen(screen) if !screen.is_empty() => [RESET, &screen].concat(),
        Piece::Size(_) | Piece::Screen(_) => Vec::new(),
    }
}

/// Writes an asciicast of version 2.
#[derive(Debug)]
pub struct Cast<W> {
    out: W,
    title: String,
    begun: Option<(Timestamp, Size)>,
    /// The beginning of a character whose rest is yet to come.
    rest: Vec<u8>,
    events: u64,
    last: Timestamp,
}

#[derive(Serialize)]
struct Header<'a> {
    version: u8,
    width: u16,
    height: u16,
    timestamp: i64,
    title: &'a str,
    env: Environment,
}

#[derive(Serialize)]
struct Environment {
    #[serde(rename = "TERM")]
    term: &'static str,
}

impl<W: Write> Cast<W> {
    /// An asciicast of a session with this title.
    pub fn new(out: W, title: &str) -> Self {
        let (title, rest) = (title.to_owned(), Vec::new());
        Self { out, title, begun: None, rest, events: 0, last: Timestamp(0) }
    }

    /// Adds a piece; the first size makes the header.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, at: Timestamp, piece: Piece) -> io::Result<()> {
        self.last = at;
        match (self.begun, piece) {
            (None, Piece::Size(size)) => self.begin(at, size),
            (Some((_, now)), Piece::Size(size)) if now == size => Ok(()),
            (Some((begin, _)), Piece::Size(size)) => {
                self.begun = Some((begin, size));
                self.event(at, "r", &format!("{}x{}", size.cols, size.rows))
            }
            (_, Piece::Output(bytes)) => self.output(at, &bytes),
            (Some((begin, _)), Piece::Screen(screen)) => {
                self.rest.clear();
                if screen.is_empty() && begin == at {
                    return Ok(());
                }
                self.output(at, &[RESET, &screen].concat())
            }
            (None, Piece::Screen(screen)) => self.output(at, &screen),
        }
    }

    /// Writes what is left; answers the number of events and how long they took.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<(u64, f64)> {
        if self.begun.is_none() {
            self.begin(self.last, Size { cols: 80, rows: 24 })?;
        }
        if !self.rest.is_empty() {
            let rest = String::from_utf8_lossy(&std::mem::take(&mut self.rest)).into_owned();
            self.event(self.last, "o", &rest)?;
        }
        self.out.flush()?;
        Ok((self.events, self.seconds(self.last)))
    }

    /// Hands on what was written so far.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn begin(&mut self, at: Timestamp, size: Size) -> io::Result<()> {
        self.begun = Some((at, size));
        let header = Header {
            version: 2,
            width: size.cols,
            height: size.rows,
            timestamp: at.0 / 1_000,
            title: &self.title,
            env: Environment { term: "xterm-256color" },
        };
        serde_json::to_writer(&mut self.out, &header)?;
        self.out.write_all(b"\n")
    }

    fn output(&mut self, at: Timestamp, bytes: &[u8]) -> io::Result<()> {
        if self.begun.is_none() {
            self.begin(at, Size { cols: 80, rows: 24 })?;
        }
        self.rest.extend_from_slice(bytes);
        let text = whole(&mut self.rest);
        if text.is_empty() { Ok(()) } else { self.event(at, "o", &text) }
    }

    fn event(&mut self, at: Timestamp, kind: &str, text: &str) -> io::Result<()> {
        self.events += 1;
        let event = (self.seconds(at), kind, text);
        serde_json::to_writer(&mut self.out, &event)?;
        self.out.write_all(b"\n")
    }

    fn seconds(&self, at: Timestamp) -> f64 {
        self.begun.map_or(0.0, |(begin, _)| at.since(begin).as_secs_f64())
    }
}

/// Takes the whole characters out of `bytes`; what is no text becomes a replacement character.
fn whole(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    loop {
        match std::str::from_utf8(bytes) {
            Ok(good) => {
                text.push_str(good);
                bytes.clear();
                return text;
            }
            Err(error) => {
                let good = error.valid_up_to();
                text.push_str(&String::from_utf8_lossy(&bytes[..good]));
                let Some(bad) = error.error_len() else {
                    bytes.drain(..good);
                    return text;
                };
                text.push(char::REPLACEMENT_CHARACTER);
                bytes.drain(..good + bad);
            }
        }
    }
}

/// Leaves out of a stream what would make a terminal answer, or change more than its screen: every
/// string sequence (OSC, DCS ...) and the queries among the others.
#[derive(Debug, Default)]
pub struct Quiet {
    held: Vec<u8>,
    string: bool,
}

/// Longest sequence that is held back, in bytes; of a longer one only what follows is passed, as text.
const HELD: usize = 256;

impl Quiet {
    /// What of `bytes` is harmless.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match byte {
                _ if self.string => self.end_string(byte),
                // Asks who is there, wherever it stands.
                0x05 => {}
                // Begins anew, whatever was begun.
                0x1b => self.held = vec![byte],
                0x18 | 0x1a => self.held.clear(),
                _ if self.held.is_empty() => out.push(byte),
                _ => {
                    self.held.push(byte);
                    self.go_on(byte, &mut out);
                }
            }
        }
        out
    }

    /// A string ends with BEL, or with ESC and a backslash.
    fn end_string(&mut self, byte: u8) {
        let escaped = self.held.first() == Some(&0x1b);
        self.held.clear();
        match byte {
            0x07 | 0x18 | 0x1a => self.string = false,
            b'\\' if escaped => self.string = false,
            0x1b => self.held.push(byte),
            _ => {}
        }
    }

    fn go_on(&mut self, byte: u8, out: &mut Vec<u8>) {
        let whole = match (self.held.len(), byte) {
            (2, b']' | b'P' | b'_' | b'^' | b'X') => {
                self.held.clear();
                self.string = true;
                return;
            }
            (2, b'[' | 0x20..=0x2f) => false,
            (2, _) | (_, 0x40..=0x7e) => true,
            (length, _) => {
                if length > HELD {
                    self.held.clear();
                }
                false
            }
        };
        if whole {
            if !asks(&self.held) {
                out.extend_from_slice(&self.held);
            }
            self.held.clear();
        }
    }
}

/// Whether a terminal answers this sequence, or prints.
fn asks(sequence: &[u8]) -> bool {
    match sequence {
        [0x1b, b'Z']
        | [0x1b, b'[', .., b'c' | b'i' | b'n' | b't' | b'x']
        | [0x1b, b'[', b'?', .., b'u'] => true,
        [0x1b, b'[', first, .., b'q'] => *first == b'>',
        [0x1b, b'[', rest @ .., b'p'] => rest.contains(&b'$'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(pieces: &[(i64, Piece)]) -> Vec<String> {
        let mut out = Vec::new();
        let mut cast = Cast::new(&mut out, "a title");
        for (at, piece) in pieces {
            cast.add(Timestamp(*at), piece.clone()).unwrap();
        }
        cast.finish().unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_recording_becomes_an_asciicast() {
        let size = |cols, rows| Piece::Size(Size { cols, rows });
        let output = |text: &str| Piece::Output(text.as_bytes().to_vec());
        let (first, second) = ("é".as_bytes().split_at(1), b"\xff!");
        let lines = cast(&[
            (5_000, size(100, 30)),
            (5_000, Piece::Screen(Vec::new())),
            (5_000, output("one\r\n")),
            (6_500, size(80, 24)),
            (6_500, size(80, 24)),
            (7_000, Piece::Output(first.0.to_vec())),
            (7_001, Piece::Output([first.1, second].concat())),
            (9_000, Piece::Screen(Vec::new())),
            (9_000, Piece::Screen(b"x".to_vec())),
        ]);
        assert_eq!(
            lines,
            [
                r#"{"version":2,"width":100,"height":30,"timestamp":5,"title":"a title","env":{"TERM":"xterm-256color"}}"#,
                r#"[0.0,"o","one\r\n"]"#,
                r#"[1.5,"r","80x24"]"#,
                "[2.001,\"o\",\"é\u{fffd}!\"]",
                r#"[4.0,"o","\u001bc"]"#,
                r#"[4.0,"o","\u001bcx"]"#,
            ]
        );
        assert_eq!(cast(&[]).len(), 1, "an empty one has a header");
    }

    #[test]
    fn what_a_terminal_would_answer_is_left_out() {
        let quiet = |text: &str| {
            // However it is cut.
            let whole = Quiet::default().pass(text.as_bytes());
            let mut one = Quiet::default();
            let by_one: Vec<u8> = text.bytes().flat_map(|byte| one.pass(&[byte])).collect();
            assert_eq!(whole, by_one);
            String::from_utf8(whole).unwrap()
        };
        assert_eq!(quiet("a\x1b[31mb\x1b[0m\x1b[2;3Hc\x1b(B"), "a\x1b[31mb\x1b[0m\x1b[2;3Hc\x1b(B");
        assert_eq!(
            quiet("a\x1b[cb\x1b[6nc\x1b[>0qd\x1b[?ue\x1b[14tf\x1b[?2026$pg\x1bZ"),
            "abcdefg"
        );
        assert_eq!(quiet("\x1b[?2026h\x1b[>1u\x1b[2 q"), "\x1b[?2026h\x1b[>1u\x1b[2 q");
        assert_eq!(quiet("a\x1b\x1b[cb\x05c\x1b[3\x05;1md"), "abc\x1b[3;1md");
        assert_eq!(quiet("a\x1b[3;\x1b]52;c;!\x07b\x1b[4\x18c"), "abc");
        let long = format!("a\x1b[{}cb", "1;".repeat(HELD));
        assert!(!quiet(&long).contains('\x1b'));
        assert_eq!(quiet("a\x1b]52;c;!\x07b\x1bP+q\x1b\\c\x1b_G\x1b[x\x1b\\d"), "abcd");
    }
}
