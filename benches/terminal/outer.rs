//! The operator's terminal: a program in a PTY, whose output is stamped the moment it can be read.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use callboard::os::clock;
use callboard::runtime::screen::{Screen, Size};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Columns and rows.
pub(crate) const SIZE: (u16, u16) = (120, 40);
/// What does not come within this time does not come.
const PATIENCE: Duration = Duration::from_mins(3);
/// Pieces of output that wait to be looked at.
const QUEUE: usize = 64;
/// Bytes of one read.
const PIECE: usize = 64 << 10;

/// A program in a PTY.
pub(crate) struct Outer {
    name: String,
    pieces: Receiver<(Instant, Vec<u8>)>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Screen,
    /// When it was started.
    pub(crate) began: Instant,
    _master: Box<dyn MasterPty + Send>,
}

impl Outer {
    /// Starts a program; `CALLBOARD_HOME` is `home`.
    pub(crate) fn start(name: &str, home: &Path, argv: &[&str]) -> Self {
        let (cols, rows) = SIZE;
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::from_argv(argv.iter().map(Into::into).collect());
        command.cwd(home);
        command.env("CALLBOARD_HOME", home);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        for outer in ["TMUX", "TMUX_PANE", "NO_COLOR"] {
            command.env_remove(outer);
        }
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, pieces) = sync_channel(QUEUE);
        std::thread::spawn(move || {
            let mut buffer = vec![0; PIECE];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if send.send((clock::monotonic(), buffer[..read].to_vec())).is_err() {
                    return;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        let began = clock::monotonic();
        let child = pair.slave.spawn_command(command).unwrap();
        Self {
            name: name.to_owned(),
            pieces,
            writer,
            child,
            screen: Screen::new(Size { cols, rows }, 0),
            began,
            _master: pair.master,
        }
    }

    /// Types bytes; answers when.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Instant {
        let at = clock::monotonic();
        self.writer.write_all(bytes).unwrap();
        at
    }

    fn next(&mut self, left: Duration) -> Option<(Instant, Vec<u8>)> {
        match self.pieces.recv_timeout(left) {
            Ok(piece) => Some(piece),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("{} ended", self.name),
        }
    }

    /// Waits until `text` is drawn, answering what the program asks of its terminal; answers when the
    /// piece with it was read.
    pub(crate) fn see(&mut self, text: &str) -> Instant {
        let deadline = clock::monotonic() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(clock::monotonic());
            let Some((at, piece)) = self.next(left) else {
                panic!("{} never showed {text}:\n{}", self.name, self.screen.lines().join("\n"));
            };
            self.feed(&piece);
            if self.screen.lines().iter().any(|line| line.contains(text)) {
                return at;
            }
        }
    }

    /// Takes what comes for a time.
    pub(crate) fn rest(&mut self, time: Duration) {
        let deadline = clock::monotonic() + time;
        loop {
            let left = deadline.saturating_duration_since(clock::monotonic());
            match self.next(left).filter(|_| !left.is_zero()) {
                Some((_, piece)) => self.feed(&piece),
                None => return,
            }
        }
    }

    /// Waits until nothing has come for a while.
    pub(crate) fn settle(&mut self) {
        while let Some((_, piece)) = self.next(Duration::from_millis(300)) {
            self.feed(&piece);
        }
    }

    fn feed(&mut self, piece: &[u8]) {
        self.screen.feed(piece);
        let replies = self.screen.take_replies();
        self.writer.write_all(&replies).unwrap();
    }

    /// Waits until `text`, which no control sequence holds, is drawn in one go; answers when the
    /// piece with its end was read. Nothing is answered meanwhile.
    pub(crate) fn catch(&mut self, text: &[u8]) -> Instant {
        let deadline = clock::monotonic() + PATIENCE;
        let mut visible = Visible { text, matched: 0, state: State::Ground };
        loop {
            let left = deadline.saturating_duration_since(clock::monotonic());
            let Some((at, piece)) = self.next(left) else {
                panic!("{} never drew {}", self.name, String::from_utf8_lossy(text));
            };
            if visible.holds(&piece) {
                return at;
            }
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

enum State {
    Ground,
    Escape,
    Control,
    Text,
    TextEscape,
}

/// Looks for a text in what is drawn.
struct Visible<'a> {
    text: &'a [u8],
    matched: usize,
    state: State,
}

impl Visible<'_> {
    fn holds(&mut self, piece: &[u8]) -> bool {
        for &byte in piece {
            self.state = match (&self.state, byte) {
                (State::Ground, 0x1b) | (State::Escape, 0x20..=0x2f) => State::Escape,
                (State::Ground, _) => {
                    if self.ends_with(byte) {
                        return true;
                    }
                    State::Ground
                }
                (State::Escape, b'[') | (State::Control, ..=0x3f | 0x7f..) => State::Control,
                (State::Text, 0x1b) => State::TextEscape,
                (State::Escape, b']' | b'P' | b'_' | b'^' | b'X')
                | (State::Text, ..=0x06 | 0x08..) => State::Text,
                (State::Escape | State::Control | State::Text | State::TextEscape, _) => {
                    State::Ground
                }
            };
        }
        false
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        let expected = self.text.get(self.matched) == Some(&byte);
        let again = usize::from(self.text.first() == Some(&byte));
        self.matched = if expected { self.matched + 1 } else { again };
        self.matched == self.text.len()
    }
}
