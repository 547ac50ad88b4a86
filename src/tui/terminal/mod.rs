//! The operator's terminal: taken over as a whole, given back as it was on every way out.

mod canvas;
mod doubt;
mod outlet;
mod pass;
pub(in crate::tui) mod tty;

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::Frame;
use tokio::signal::unix::{SignalKind, signal};

pub(in crate::tui) use canvas::Canvas;
use outlet::Outlet;
use tty::Tty;

use super::links::Links;

/// The title is put aside; alternate screen, bracketed paste, focus changes.
const TAKE: &str = "\x1b[22;0t\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[2J";
/// Presses, releases, the wheel and drags, as numbers. Not every motion: an idle pointer wakes nobody.
const TAKE_MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Asks for the colour of the ground; the answer comes as input.
const ASK_GROUND: &str = "\x1b]11;?\x1b\\";
/// Kitty keyboard protocol: keys that differ arrive differently. Others ignore it.
const TAKE_KEYBOARD: &str = "\x1b[>1u";
/// The way back, in reverse. Whatever was not taken is not harmed by being given back.
const GIVE_BACK: &str = "\x1b[?2026l\x1b[<1u\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\
                         \x1b[0m\x1b[0 q\x1b[?25h\x1b[?1049l\x1b[23;0t";
/// A stop that did not happen, since nobody could continue us, is over after this time.
pub(in crate::tui) const NO_STOP: Duration = Duration::from_millis(200);

/// A terminal that does not take the last bytes within this time does not get them.
const LAST: Duration = Duration::from_millis(500);

/// So many bytes of bells and notices wait for a frame.
const WAITING: usize = 64 << 10;

/// Whether the terminal knows the strings that modern programs send, or leaves them out at least.
pub(in crate::tui) fn takes_strings() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    !matches!(term.as_str(), "" | "dumb" | "linux")
}

/// Whether the terminal is ours. A panic hook and a guard share it; both give back only once.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// The thread that draws. A panic elsewhere ends a task, not the dashboard.
static DRAWS: Mutex<Option<ThreadId>> = Mutex::new(None);
/// What gives the terminal back.
static BACK: Mutex<Cow<'static, [u8]>> = Mutex::new(Cow::Borrowed(GIVE_BACK.as_bytes()));

/// What to take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wishes {
    /// Mouse events.
    pub mouse: bool,
    /// Ask for the colour of the ground.
    pub ask_ground: bool,
}

impl Wishes {
    fn sequence(self) -> String {
        let mouse = if self.mouse { TAKE_MOUSE } else { "" };
        let ask = if self.ask_ground { ASK_GROUND } else { "" };
        format!("{TAKE}{mouse}{ask}")
    }
}

/// The terminal while it is ours; dropping it gives it back.
pub struct Terminal {
    outlet: Outlet,
    canvas: Canvas,
    wishes: Wishes,
    keyboard: bool,
    title: String,
    /// The next frame gives the title.
    entitle: bool,
}

impl Terminal {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// Standard output is no terminal, or cannot be written.
    pub fn take(wishes: Wishes) -> io::Result<Self> {
        let (outlet, canvas) = (Outlet::open()?, Canvas::new()?);
        let mut terminal =
            Self { outlet, canvas, wishes, keyboard: false, title: String::new(), entitle: false };
        terminal.claim(wishes)?;
        Ok(terminal)
    }

    fn claim(&mut self, wishes: Wishes) -> io::Result<()> {
        claim(GIVE_BACK.as_bytes())?;
        self.outlet.put(wishes.sequence().as_bytes()).inspect_err(|_| give_back())
    }

    /// Whether the terminal took everything so far: only then a frame may be drawn.
    pub fn is_idle(&self) -> bool {
        self.outlet.is_idle()
    }

    /// Returns when the terminal took more of what waits for it; where nothing does, it only waits for its
    /// end. Cancel-safe.
    ///
    /// # Errors
    /// The terminal is gone.
    pub async fn attend(&mut self) -> io::Result<()> {
        self.outlet.attend().await
    }

    /// Draws a frame, shown whole; what the terminal does not take at once waits for [`Self::attend`]. After the first one the keyboard is asked for more detail:
    /// no answer is waited for, so it does not delay the start.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>, &mut Links)) -> io::Result<()> {
        let mut frame = self.canvas.draw(view)?;
        if !self.keyboard {
            self.keyboard = true;
            frame.extend_from_slice(TAKE_KEYBOARD.as_bytes());
        }
        if std::mem::take(&mut self.entitle) {
            frame.extend_from_slice(&pass::title(&self.title));
        }
        self.outlet.put(&frame)
    }

    /// Puts a text on the clipboard of the terminal, with the next frame.
    pub fn copy(&mut self, text: &str) {
        self.canvas.push(&pass::clipboard(text));
    }

    /// Has bytes written that change no cell, with the next frame. Where too many wait already, as the
    /// terminal takes no frame, they are dropped.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.canvas.waiting() < WAITING {
            self.canvas.push(bytes);
        }
    }

    /// Gives the terminal a title, with the next frame, and again whenever the terminal is taken again.
    pub fn title(&mut self, title: String) {
        self.title = title;
        self.entitle = true;
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        self.canvas.size()
    }

    /// Gives the terminal to the shell and stops this process, until it is continued. Nothing may
    /// read the terminal meanwhile: drop the stream of its events before.
    ///
    /// # Errors
    /// The process cannot be stopped, or the terminal not be taken again.
    pub async fn suspend(&mut self) -> io::Result<()> {
        let mut continued = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?;
        self.outlet.finish(LAST);
        give_back();
        let stopped = stop_group();
        // The stop may reach another thread first: only its end says that it is over.
        let _ = tokio::time::timeout(NO_STOP, continued.recv()).await;
        self.retake()?;
        stopped
    }

    /// Takes the terminal again from whoever had it while this process was stopped without a word.
    ///
    /// # Errors
    /// The terminal cannot be taken again.
    pub fn resume(&mut self) -> io::Result<()> {
        self.outlet.finish(LAST);
        give_back();
        self.retake()
    }

    /// Gives the terminal to `user` for a time. Nothing else may read it meanwhile: drop the stream
    /// of its events before. Its keys stay raw: what is typed just then is for whoever comes next.
    ///
    /// # Errors
    /// The terminal cannot be taken again.
    pub async fn lend_raw<T>(&mut self, user: impl Future<Output = T>) -> io::Result<T> {
        self.outlet.finish(LAST);
        leave();
        let done = user.await;
        self.retake()?;
        Ok(done)
    }

    /// Gives the terminal to `user` for a time, as it was before us. Nothing else may read it meanwhile:
    /// drop the stream of its events before.
    ///
    /// # Errors
    /// The terminal cannot be taken again.
    pub async fn lend_cooked<T>(&mut self, user: impl Future<Output = T>) -> io::Result<T> {
        self.outlet.finish(LAST);
        give_back();
        let done = user.await;
        self.retake()?;
        Ok(done)
    }

    /// Takes the terminal again after it was given away, to be drawn anew.
    fn retake(&mut self) -> io::Result<()> {
        self.claim(Wishes { ask_ground: false, ..self.wishes })?;
        self.keyboard = false;
        // A new one, since what it drew is gone; its own `clear` would wait for a cursor report.
        self.canvas = Canvas::new()?;
        self.entitle = true;
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.outlet.finish(LAST);
        give_back();
    }
}

/// Stops this job. Not by TSTP, which is heeded while an agent has the terminal; so we look ourselves
/// whether there is a shell that could continue it.
pub(in crate::tui) fn stop_group() -> io::Result<()> {
    use rustix::process::{Signal, getpgid, getppid, getsid, kill_current_process_group};
    let parent = getppid();
    let is_shell = getsid(parent)? == getsid(None)? && getpgid(parent)? != getpgid(None)?;
    if parent.is_some() && is_shell {
        kill_current_process_group(Signal::STOP)?;
    }
    Ok(())
}

/// Takes the keys of the terminal; `back` is written when it is given back, also by a panic of this
/// thread.
pub(in crate::tui) fn claim(back: impl Into<Cow<'static, [u8]>>) -> io::Result<()> {
    install_hook();
    enable_raw_mode()?;
    *DRAWS.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
    give_back_by(back);
    TAKEN.store(true, Ordering::SeqCst);
    Ok(())
}

/// Changes what is written when the terminal is given back.
pub(in crate::tui) fn give_back_by(back: impl Into<Cow<'static, [u8]>>) {
    *BACK.lock().unwrap_or_else(PoisonError::into_inner) = back.into();
}

/// Gives the terminal back, once. A terminal that is gone cannot be told; that is no failure.
pub(in crate::tui) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        leave();
        let _ = disable_raw_mode();
    }
}

/// Leaves the terminal as it was, but for its raw keys.
fn leave() {
    let words = std::mem::take(&mut *BACK.lock().unwrap_or_else(PoisonError::into_inner));
    if words.is_empty() {
        return;
    }
    if let Ok(tty) = Tty::open() {
        // What was cut off in the middle of a sequence is ended first.
        tty.write_within(&[b"\x1b\\", &*words].concat(), LAST);
    }
}

/// A panic of the drawing thread gives the terminal back before its message is printed; one of
/// another thread goes to the log, since the screen is not its place.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let draws = *DRAWS.lock().unwrap_or_else(PoisonError::into_inner);
            if TAKEN.load(Ordering::SeqCst) && draws != Some(thread::current().id()) {
                tracing::error!("{info}");
                return;
            }
            give_back();
            before(info);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Private modes that a text switches on or off.
    fn modes(text: &str, end: char) -> Vec<&str> {
        let parts = text.split("\x1b[?").skip(1);
        let mut modes: Vec<_> = parts
            .filter_map(|part| {
                let (mode, rest) = part.split_at(part.find(['h', 'l'])?);
                rest.starts_with(end).then_some(mode)
            })
            .collect();
        modes.sort_unstable();
        modes
    }

    #[test]
    fn every_mode_that_is_taken_is_given_back() {
        let taken = Wishes { mouse: true, ask_ground: true }.sequence();
        let mut on = modes(&taken, 'h');
        on.push("2026");
        on.sort_unstable();
        assert_eq!(on, modes(GIVE_BACK, 'l').into_iter().collect::<Vec<_>>());
        assert_eq!(modes(&taken, 'l'), modes(GIVE_BACK, 'h'), "the cursor");
        assert!(TAKE_KEYBOARD.contains(">1u") && GIVE_BACK.contains("<1u"));
        let (screen, title) = ("\x1b[?1049l", "\x1b[23;0t");
        let end = GIVE_BACK.strip_suffix(title).unwrap();
        assert!(end.ends_with(screen), "the keyboard stack belongs to its screen");
        assert!(taken.starts_with("\x1b[22;0t\x1b[?1049h"), "the title is put aside first");
    }

    #[test]
    fn nothing_is_asked_for_that_is_not_wished() {
        let plain = Wishes { mouse: false, ask_ground: false }.sequence();
        assert!(!plain.contains("\x1b]11") && !plain.contains("1000"));
    }
}
