//! The terminal of the scripted agent: keys without echo, pastes, and the state protocol.

use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{self, InputModes, LocalModes, OptionalActions, Termios};

use super::script::{Asks, Report};
use crate::domain::text::base64;

/// Pastes come between markers.
const PASTE_ON: &str = "\x1b[?2004h";
const PASTE_OFF: &str = "\x1b[?2004l";

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Text(String),
    Paste(String),
    Enter,
    Backspace,
    Up,
    Down,
    Escape,
    /// A sequence of no interest.
    Other,
}

/// The terminal, without line editing and echo until dropped. Signals by keys stay.
pub(crate) struct Terminal {
    before: Option<Termios>,
    read: Vec<u8>,
}

impl Terminal {
    pub(crate) fn new() -> io::Result<Self> {
        let stdin = io::stdin();
        let before = if stdin.is_terminal() { Some(termios::tcgetattr(&stdin)?) } else { None };
        if let Some(before) = &before {
            let mut plain = before.clone();
            plain.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            plain.input_modes.remove(InputModes::ICRNL);
            termios::tcsetattr(&stdin, OptionalActions::Now, &plain)?;
            write(PASTE_ON)?;
        }
        Ok(Self { before, read: Vec::new() })
    }

    /// The next key; none at the end of the input.
    pub(crate) fn key(&mut self) -> io::Result<Option<Key>> {
        loop {
            if let Some((key, used)) = first_key(&self.read) {
                self.read.drain(..used);
                return Ok(Some(key));
            }
            let mut bytes = [0; 4096];
            match io::stdin().lock().read(&mut bytes) {
                Ok(0) => return Ok(None),
                Ok(count) => self.read.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The terminal may be gone already; then there is nothing to put back.
            let _gone = write(PASTE_OFF);
            let _gone = termios::tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// The first key of `bytes` and its length; none where more bytes are needed.
fn first_key(bytes: &[u8]) -> Option<(Key, usize)> {
    const PASTE: &[u8] = b"\x1b[200~";
    const PASTE_END: &[u8] = b"\x1b[201~";
    if let Some(rest) = bytes.strip_prefix(PASTE) {
        let end = rest.windows(PASTE_END.len()).position(|part| part == PASTE_END)?;
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        return Some((Key::Paste(text), PASTE.len() + end + PASTE_END.len()));
    }
    match *bytes.first()? {
        b'\r' | b'\n' => Some((Key::Enter, 1)),
        0x7f | 0x08 => Some((Key::Backspace, 1)),
        0x1b => Some(escape(bytes)),
        byte if byte < 0x20 => Some((Key::Other, 1)),
        byte => {
            let length = match byte {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => 1,
            };
            let text = String::from_utf8_lossy(bytes.get(..length)?).into_owned();
            Some((Key::Text(text), length))
        }
    }
}

/// Escape alone, or the sequence it begins. A sequence comes in one piece from a keeper.
fn escape(bytes: &[u8]) -> (Key, usize) {
    let Some(introducer) = bytes.get(1).filter(|byte| matches!(byte, b'[' | b'O')) else {
        return (Key::Escape, 1);
    };
    let parameters = bytes[2..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
    let length = (3 + parameters).min(bytes.len());
    match (introducer, bytes.get(2 + parameters)) {
        (_, Some(b'A')) => (Key::Up, length),
        (_, Some(b'B')) => (Key::Down, length),
        _ => (Key::Other, length),
    }
}

/// Writes at once.
pub(crate) fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Reports a state by OSC 7501.
pub(crate) fn report(state: Report, asks: Option<Asks>, text: Option<&str>) -> io::Result<()> {
    let kind = asks.map(|asks| format!(":kind={}", asks.word())).unwrap_or_default();
    let text = text.map(|text| format!(":msg={}", base64(text.as_bytes()))).unwrap_or_default();
    write(&format!("\x1b]7501;state={}:app=scripted{kind}{text}\x1b\\", state.word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_pastes_are_told_apart() {
        let all = |mut bytes: &[u8]| {
            let mut keys = Vec::new();
            while let Some((key, used)) = first_key(bytes) {
                keys.push(key);
                bytes = &bytes[used..];
            }
            keys
        };
        assert_eq!(
            all(b"\x1b[200~a\nb\x1b[201~\r\x1b[A\x1bOB\x1b[1;5Cy\x7f"),
            [
                Key::Paste("a\nb".into()),
                Key::Enter,
                Key::Up,
                Key::Down,
                Key::Other,
                Key::Text("y".into()),
                Key::Backspace
            ]
        );
        assert_eq!(all("é".as_bytes()), [Key::Text("é".into())]);
        assert_eq!(all(b"\x1b[200~half"), []);
        assert_eq!(all(b"\x1b"), [Key::Escape]);
    }
}
