//! One session over the operator's whole terminal (`spec/runtime.md`, Attach): the agent's bytes go to
//! the terminal through a filter, keys straight back, until the leave key or the end of the session.
//! While the terminal has another size than the agent, the screen is drawn from an engine.
//!
//! `pass` is the loop, `filter` and `policy` say what of the agent's output reaches the terminal,
//! `input` finds the leave key, `restore` undoes what the agent did, `drawn` draws.

mod drawn;
mod filter;
mod input;
mod pass;
mod policy;
mod restore;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use self::pass::Pass;
use super::keymap::label;
use super::terminal;
use super::theme::Depth;
use crate::config::Clipboard;
use crate::domain::error::ErrorKind;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::key::{Chord, Key, KeyCode};
use crate::os::paths::Home;
use crate::runtime::client::Keeper;

/// A keeper that has not answered after this time does not.
const PATIENCE: Duration = Duration::from_secs(2);

/// What to attach to, and how.
#[derive(Debug, Clone)]
pub struct Attach {
    /// The folders.
    pub home: Home,
    /// The session's workspace.
    pub workspace: WorkspaceName,
    /// The session.
    pub id: SessionId,
    /// The key that leaves.
    pub leave: Key,
    /// Nothing is typed and the agent keeps its size.
    pub read_only: bool,
    /// What becomes of texts that the agent copies.
    pub clipboard: Clipboard,
    /// Who had the terminal before.
    pub over: Over,
    /// What was typed for the session already, as a terminal sends it.
    pub ahead: Vec<u8>,
}

impl Attach {
    /// Keys that leave: who only looks may also use the one that leaves everything that only shows.
    fn leaves(&self) -> Vec<Key> {
        let quit = self.read_only.then_some(Key::plain(KeyCode::Char('q')));
        [self.leave].into_iter().chain(quit).collect()
    }

    /// What the operator has to know.
    pub fn hint(&self) -> String {
        let keys: Vec<String> = self.leaves().iter().map(|key| label(&Chord(vec![*key]))).collect();
        format!("{} leaves", keys.join(" or "))
    }
}

/// Who had the terminal before, and gets it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// A shell: the agent's last screen stays above its prompt.
    Shell,
    /// The dashboard: nothing stays.
    Dashboard,
}

/// How it was left, and how the terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Return {
    /// How it was left.
    pub left: Left,
    /// The terminal has the focus, as far as it told.
    pub focused: bool,
}

/// How it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// By the leave key; the agent goes on.
    Detached,
    /// The agent ended.
    Ended,
    /// The keeper is gone.
    Lost,
    /// A signal, or the terminal is gone; the agent goes on.
    Interrupted,
}

/// Why one cannot attach.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The operator's terminal cannot be used.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    /// There is no keeper.
    #[error("session {0} does not run")]
    NotRunning(SessionId),
    /// The keeper takes no call.
    #[error("the keeper of session {0} does not answer")]
    Silent(SessionId),
}

impl AttachError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Terminal(_) => ErrorKind::Failed,
            Self::NotRunning(_) => ErrorKind::Refused,
            Self::Silent(_) => ErrorKind::TimedOut,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Terminal(_) => Some("attach needs a terminal; callboard screen does not".into()),
            Self::Silent(_) => Some("its process is stopped, or the machine is very busy".into()),
            Self::NotRunning(id) => Some(format!("launch it again with: callboard restore {id}")),
        }
    }
}

/// What a signal asks of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Look at the size.
    Size = 1,
    /// Leave.
    End = 2,
    /// Stop until continued.
    Stop = 3,
}

/// A session that was reached, and is not shown yet.
pub struct Reached {
    pass: Pass,
    signals: Signals,
    bell: UnixStream,
}

/// Reaches a session; nothing of the terminal changes.
///
/// # Errors
/// The terminal cannot be used, or the session does not run.
pub async fn reach(what: Attach) -> Result<Reached, AttachError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(io::Error::other("standard input and output must be one").into());
    }
    let depth = Depth::choose(&variable("NO_COLOR"), &variable("COLORTERM"), &variable("TERM"));
    let capable = terminal::takes_strings();
    let socket = what.home.socket(&what.workspace, &what.id);
    let not_running = |_| AttachError::NotRunning(what.id.clone());
    let connected = tokio::time::timeout(PATIENCE, Keeper::connect(&socket)).await;
    let silent = |_| AttachError::Silent(what.id.clone());
    let keeper = connected.map_err(silent)?.map_err(not_running)?;
    let keeper = keeper.direct().await.map_err(not_running)?;
    let (bell, orders) = UnixStream::pair()?;
    bell.set_nonblocking(true)?;
    let signals = Signals::new()?;
    let pass = Pass::new(what, depth, capable, keeper, orders)?;
    Ok(Reached { pass, signals, bell })
}

impl Reached {
    /// Shows it until it is left. The terminal is given back on every way out; the dashboard gets it
    /// with raw keys.
    ///
    /// # Errors
    /// The terminal fails otherwise than by going away.
    pub async fn show(self) -> Result<Return, AttachError> {
        let Self { pass, signals, bell } = self;
        let ring = tokio::spawn(signals.ring(bell));
        let came_back = tokio::task::spawn_blocking(move || pass.run()).await;
        ring.abort();
        // A panic was told of already, and the terminal is back.
        came_back.map_err(io::Error::other)?.map_err(AttachError::from)
    }
}

/// Signals of this process.
struct Signals {
    ends: [Signal; 3],
    size: Signal,
    stop: Signal,
    go_on: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        let stop = SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw());
        let go_on = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Ok(Self {
            ends: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::interrupt())?,
            ],
            size: signal(SignalKind::window_change())?,
            stop: signal(stop)?,
            go_on: signal(go_on)?,
        })
    }

    /// Tells the loop of each, until the loop is gone.
    async fn ring(mut self, mut bell: UnixStream) {
        loop {
            let [term, hang_up, interrupt] = &mut self.ends;
            let order = tokio::select! {
                _ = term.recv() => Order::End,
                _ = hang_up.recv() => Order::End,
                _ = interrupt.recv() => Order::End,
                _ = self.stop.recv() => Order::Stop,
                _ = self.size.recv() => Order::Size,
                _ = self.go_on.recv() => Order::Size,
            };
            if bell
                .write(&[order as u8])
                .is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock)
            {
                return;
            }
        }
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
