//! One session over the operator's whole terminal (`spec/runtime.md`, Attach): drawn from the
//! engine, keys straight back, until the leave key or the end of the session.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::app::screen::ScreenCells;
use super::input::{Input, Reader};
use super::live::Live;
use super::terminal::{Terminal, Wishes};
use super::theme::Depth;
use crate::domain::error::ErrorKind;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::key::Key;
use crate::os::clock;
use crate::os::paths::Home;

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
}

/// How it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// By the leave key; the agent goes on.
    Detached,
    /// The session ended.
    Ended,
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
}

impl AttachError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Terminal(_) => ErrorKind::Failed,
            Self::NotRunning(_) => ErrorKind::Refused,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Terminal(_) => Some("attach needs a terminal; callboard screen does not".into()),
            Self::NotRunning(id) => Some(format!("launch it again with: callboard restore {id}")),
        }
    }
}

/// Shows a session until it is left. The terminal is given back on every way out.
///
/// # Errors
/// The terminal cannot be used, or the session does not run.
pub async fn attach(what: Attach) -> Result<Left, AttachError> {
    let mut ends = [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?];
    let depth = Depth::choose(&variable("NO_COLOR"), &variable("COLORTERM"), &variable("TERM"));
    let mut live = Live::new(what.home.clone(), what.workspace.clone(), depth);
    let mut terminal = Terminal::take(Wishes { mouse: false, ask_ground: false })?;
    let mut reader = Reader::new(false);
    live.watch(std::slice::from_ref(&what.id));
    if !what.read_only {
        let (cols, rows) = terminal.size()?;
        live.resize(&what.id, cols, rows);
    }
    let mut shown: Option<Arc<ScreenCells>> = None;
    let mut wait = None;
    loop {
        tokio::select! {
            biased;
            () = any(&mut ends) => return Ok(Left::Interrupted),
            inputs = reader.next() => {
                let Some(inputs) = inputs.transpose()? else { return Ok(Left::Interrupted) };
                for input in inputs {
                    if take(&mut live, &what, input) {
                        return Ok(Left::Detached);
                    }
                }
            }
            () = live.changed() => {}
            () = after(wait) => {}
        }
        let (pictures, held) = live.take(clock::monotonic());
        wait = held;
        match pictures.into_iter().last() {
            Some((_, Some(cells))) => shown = Some(cells),
            Some((_, None)) if shown.is_some() => return Ok(Left::Ended),
            Some((_, None)) => return Err(AttachError::NotRunning(what.id)),
            None => {}
        }
        if let Some(cells) = &shown {
            terminal.draw(|frame| draw(frame, cells))?;
        }
    }
}

/// Passes an input on; answers whether it was the leave key.
fn take(live: &mut Live, what: &Attach, input: Input) -> bool {
    match input {
        Input::Keys(keys) => {
            let end = keys.iter().position(|key| *key == what.leave);
            let typed = &keys[..end.unwrap_or(keys.len())];
            if !what.read_only && !typed.is_empty() {
                live.type_keys(&what.id, typed);
            }
            return end.is_some();
        }
        Input::Paste(text) if !what.read_only => {
            live.paste(&what.id, text);
        }
        Input::Focus(focused) if !what.read_only => live.focus(&what.id, focused),
        Input::Resize(cols, rows) if !what.read_only => live.resize(&what.id, cols, rows),
        _ => {}
    }
    false
}

/// The cells as they are, from the upper left corner; what does not fit is cropped.
fn draw(frame: &mut Frame<'_>, cells: &ScreenCells) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    for (y, row) in (area.y..area.bottom()).zip(&cells.rows) {
        for cell in row.iter().filter(|cell| cell.col + cell.width <= area.width) {
            let room = usize::from(cell.width);
            buffer.set_stringn(area.x + cell.col, y, &cell.text, room, cell.style);
        }
    }
    if let Some((col, row)) =
        cells.cursor.filter(|(col, row)| *col < area.width && *row < area.height)
    {
        frame.set_cursor_position((area.x + col, area.y + row));
    }
}

async fn any(signals: &mut [Signal; 2]) {
    let [first, second] = signals;
    tokio::select! {
        _ = first.recv() => {}
        _ = second.recv() => {}
    }
}

async fn after(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal as Ratatui;
    use ratatui::backend::TestBackend;

    use super::*;

    #[test]
    fn what_does_not_fit_is_cropped() {
        let mut cells = ScreenCells::from_lines(6, &["abcdef", "second", "third"]);
        cells.cursor = Some((5, 2));
        let mut terminal = Ratatui::new(TestBackend::new(4, 2)).unwrap();
        terminal.draw(|frame| draw(frame, &cells)).unwrap();
        terminal.backend().assert_buffer_lines(["abcd", "seco"]);
    }
}
