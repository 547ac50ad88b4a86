//! Drives the real program in a PTY, with the engine we ship as its terminal: it answers queries, and
//! tests wait on what the screen shows, never on time.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use callboard::domain::key::Chord;
use callboard::os::clock;
use callboard::runtime::keys::{self, KeyKind};
use callboard::runtime::screen::{InputModes, Screen, ScreenEvent, Size};
use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// A condition that does not come true within this time fails the test; nothing waits it out.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Bytes of a program that are kept to be looked at.
const KEPT: usize = 1 << 20;

#[expect(clippy::struct_excessive_bools, reason = "independent things of a terminal")]
struct Shared {
    screen: Screen,
    /// What was put on the clipboard (OSC 52).
    copied: Vec<String>,
    closed: bool,
    /// Nothing is read from the program.
    held: bool,
    /// Nothing more is read from the program ever.
    closing: bool,
    /// What it wrote last.
    received: Vec<u8>,
    /// It asked the terminal for something.
    asked: bool,
}

/// A program in a PTY.
pub(crate) struct Terminal {
    shared: Arc<(Mutex<Shared>, Condvar)>,
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    reader: Option<JoinHandle<()>>,
}

fn holds(received: &[u8], bytes: &str) -> bool {
    received.windows(bytes.len()).any(|part| part == bytes.as_bytes())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Terminal {
    /// Starts the program with a home of its own.
    pub(crate) fn start(home: &Path, folder: &Path, args: &[&str], cols: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_callboard"));
        command.args(args);
        Self::run(command, home, folder, cols, rows)
    }

    /// Starts a copy of the program with more variables, in a terminal of the usual size.
    pub(crate) fn start_program(
        program: &Path,
        home: &Path,
        folder: &Path,
        variables: &[(&str, &str)],
    ) -> Self {
        let command = CommandBuilder::new(program);
        Self::run_with(command, home, folder, (120, 40), variables)
    }

    /// Starts any program.
    pub(crate) fn run(
        command: CommandBuilder,
        home: &Path,
        folder: &Path,
        cols: u16,
        rows: u16,
    ) -> Self {
        Self::run_with(command, home, folder, (cols, rows), &[])
    }

    fn run_with(
        mut command: CommandBuilder,
        home: &Path,
        folder: &Path,
        (cols, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .unwrap();
        command.cwd(folder);
        command.env("CALLBOARD_HOME", home);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        command.env_remove("NO_COLOR");
        command.env_remove("TMUX");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Screen::new(Size { cols, rows }, 1_000);
        let shared = Arc::new((
            Mutex::new(Shared {
                screen,
                copied: Vec::new(),
                closed: false,
                held: false,
                closing: false,
                received: Vec::new(),
                asked: false,
            }),
            Condvar::new(),
        ));
        let writer = Arc::new(Mutex::new(Some(pair.master.take_writer().unwrap())));
        let mut source = pair.master.try_clone_reader().unwrap();
        let reader = {
            let (shared, writer) = (Arc::clone(&shared), Arc::clone(&writer));
            std::thread::spawn(move || {
                let mut buffer = vec![0; 65_536];
                loop {
                    let go_on = shared.1.wait_while(lock(&shared.0), |state| state.held);
                    drop(go_on.unwrap_or_else(PoisonError::into_inner));
                    let n = source.read(&mut buffer).unwrap_or(0);
                    let mut state = lock(&shared.0);
                    for event in state.screen.feed(&buffer[..n]) {
                        if let ScreenEvent::Clipboard(text) = event {
                            state.copied.push(String::from_utf8(text).unwrap());
                        }
                    }
                    state.received.extend_from_slice(&buffer[..n]);
                    let surplus = state.received.len().saturating_sub(KEPT);
                    state.received.drain(..surplus);
                    let replies = state.screen.take_replies();
                    state.asked |= !replies.is_empty();
                    state.closed |= n == 0;
                    let closing = state.closing;
                    drop(state);
                    shared.1.notify_all();
                    if n == 0 || closing {
                        return;
                    }
                    if let Some(writer) = lock(&writer).as_mut() {
                        let _ = writer.write_all(&replies);
                    }
                }
            })
        };
        Self { shared, master: Some(pair.master), writer, child, reader: Some(reader) }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// The visible rows.
    pub(crate) fn lines(&self) -> Vec<String> {
        lock(&self.shared.0).screen.lines()
    }

    /// Rows that scrolled out, the newest last.
    pub(crate) fn scrolled(&self) -> Vec<String> {
        lock(&self.shared.0).screen.scrollback(usize::MAX)
    }

    /// The visible rows as one text.
    pub(crate) fn text(&self) -> String {
        self.lines().join("\n")
    }

    /// Waits until the screen satisfies `condition`.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, condition: impl Fn(&[String]) -> bool) -> Vec<String> {
        let deadline = clock::monotonic() + PATIENCE;
        let mut state = lock(&self.shared.0);
        loop {
            let lines = state.screen.lines();
            // What is half drawn is nothing that anybody sees.
            if !state.screen.synchronized() && condition(&lines) {
                return lines;
            }
            let left = deadline.saturating_duration_since(clock::monotonic());
            assert!(!left.is_zero(), "never saw {what}; the screen:\n{}", lines.join("\n"));
            let said = state.closed.then(|| [state.screen.scrollback(200), lines].concat());
            assert!(
                said.is_none(),
                "ended before {what}:\n{}",
                said.unwrap_or_default().join("\n")
            );
            state =
                self.shared.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What was put on the clipboard so far.
    pub(crate) fn copied(&self) -> Vec<String> {
        lock(&self.shared.0).copied.clone()
    }

    /// Where a text is drawn: column and row, from 0.
    pub(crate) fn find(&self, text: &str) -> (usize, usize) {
        let lines = self.see(text);
        let row = lines.iter().position(|line| line.contains(text)).unwrap();
        let (head, _) = lines[row].split_once(text).unwrap();
        (head.chars().count(), row)
    }

    /// Waits until some row holds `text`.
    #[track_caller]
    pub(crate) fn see(&self, text: &str) -> Vec<String> {
        self.wait(text, |lines| lines.iter().any(|line| line.contains(text)))
    }

    /// Waits until no row holds `text`.
    #[track_caller]
    pub(crate) fn see_no(&self, text: &str) -> Vec<String> {
        self.wait(&format!("no {text}"), |lines| !lines.iter().any(|line| line.contains(text)))
    }

    /// Waits until one row holds all of `parts`.
    #[track_caller]
    pub(crate) fn see_row(&self, parts: &[&str]) -> Vec<String> {
        self.wait(&format!("a row with {parts:?}"), |lines| {
            lines.iter().any(|line| parts.iter().all(|part| line.contains(part)))
        })
    }

    /// Presses keys, named as in `keymap.toml`, with blanks between.
    pub(crate) fn press(&self, keys: &str) {
        let chord: Chord = keys.parse().unwrap();
        let modes = lock(&self.shared.0).screen.modes();
        for key in &chord.0 {
            self.write(&keys::encode_key(key, KeyKind::Press, &modes));
        }
    }

    /// Types a text as a paste, as a terminal would.
    pub(crate) fn paste(&self, text: &str) {
        let modes = lock(&self.shared.0).screen.modes();
        self.write(&keys::encode_paste(text, &modes));
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&self, bytes: &[u8]) {
        if let Some(writer) = lock(&self.writer).as_mut() {
            writer.write_all(bytes).unwrap();
        }
    }

    /// Changes the size of the terminal.
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let mut state = lock(&self.shared.0);
        state.screen.resize(Size { cols, rows });
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// Whether the program shows the alternate screen.
    pub(crate) fn alternate(&self) -> bool {
        lock(&self.shared.0).screen.alternate()
    }

    /// The title.
    pub(crate) fn title(&self) -> String {
        lock(&self.shared.0).screen.title().to_owned()
    }

    /// Waits until the title satisfies `condition`.
    #[track_caller]
    pub(crate) fn see_title(&self, what: &str, condition: impl Fn(&str) -> bool) {
        self.wait_state(what, |state| condition(state.screen.title()));
    }

    /// Waits until the program shows the alternate screen, or the primary one.
    #[track_caller]
    pub(crate) fn see_alternate(&self, alternate: bool) {
        let what = if alternate { "the alternate screen" } else { "the primary screen" };
        self.wait_state(what, |state| state.screen.alternate() == alternate);
    }

    /// Waits until what the program wrote last holds this.
    #[track_caller]
    pub(crate) fn see_bytes(&self, bytes: &str) {
        self.wait_state(&format!("{bytes:?}"), |state| holds(&state.received, bytes));
    }

    #[track_caller]
    fn wait_state(&self, what: &str, condition: impl Fn(&Shared) -> bool) {
        let state = lock(&self.shared.0);
        let waited = self.shared.1.wait_timeout_while(state, PATIENCE, |state| !condition(state));
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(
            condition(&state),
            "never saw {what}; the screen:\n{}",
            state.screen.lines().join("\n")
        );
    }

    /// Waits until keys and mouse are encoded so.
    #[track_caller]
    pub(crate) fn see_modes(&self, what: &str, condition: impl Fn(&InputModes) -> bool) {
        self.wait_state(what, |state| condition(&state.screen.modes()));
    }

    /// What key and mouse encoding depend on.
    pub(crate) fn modes(&self) -> InputModes {
        lock(&self.shared.0).screen.modes()
    }

    /// Changes the colours of the terminal, as the settings of a desktop do: text and ground.
    pub(crate) fn colours(&self, text: (u8, u8, u8), ground: (u8, u8, u8)) {
        lock(&self.shared.0).screen.set_colors(text, ground);
    }

    /// What the program wrote last, all of it where it wrote little.
    pub(crate) fn written(&self) -> Vec<u8> {
        lock(&self.shared.0).received.clone()
    }

    /// Whether what the program wrote last holds this.
    pub(crate) fn received(&self, bytes: &str) -> bool {
        holds(&lock(&self.shared.0).received, bytes)
    }

    /// Whether the program asked its terminal for something that is answered as input.
    pub(crate) fn asked(&self) -> bool {
        lock(&self.shared.0).asked
    }

    /// Reads nothing more of what the program writes, or goes on.
    pub(crate) fn hold(&self, held: bool) {
        lock(&self.shared.0).held = held;
        self.shared.1.notify_all();
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Whether the cursor shows.
    pub(crate) fn cursor_visible(&self) -> bool {
        lock(&self.shared.0).screen.cursor().visible
    }

    /// Ends the program with KILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.exit();
    }

    /// Ends the program as the kernel does when its terminal is closed, and waits for its end.
    pub(crate) fn hang_up(&mut self) -> ExitStatus {
        *lock(&self.writer) = None;
        self.master = None;
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
        self.wait_child()
    }

    /// Closes the terminal in the middle of what the program writes; what it hears of that comes from the
    /// system.
    pub(crate) fn close(&mut self) {
        lock(&self.shared.0).closing = true;
        // Whoever reads has the last end of it, and goes with the next that it reads.
        self.press("?");
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        *lock(&self.writer) = None;
        self.master = None;
    }

    /// Waits for the end of the program, whatever it printed.
    pub(crate) fn wait_end(&mut self) -> ExitStatus {
        self.wait_child()
    }

    /// Waits for the end of the program, then reads what it printed last.
    pub(crate) fn exit(&mut self) -> ExitStatus {
        let status = self.wait_child();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        status
    }

    fn wait_child(&mut self) -> ExitStatus {
        let deadline = clock::monotonic() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(clock::monotonic() < deadline, "did not end; the screen:\n{}", self.text());
            std::thread::yield_now();
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
