//! The terminal engine behind one small surface (`spec/runtime.md`, Terminal engine and Snapshot).
//!
//! A [`Screen`] takes the bytes of a PTY and keeps picture, history and modes. The engine crate is
//! named nowhere outside this folder. `tap` cuts the byte stream, `shim` and `print` correct the
//! engine, `core` holds what the engine lacks (`cursor`: what moves it and what is saved of it, `repair`:
//! single cells, `palette`: colour answers, `budget`: room for links and marks), `sequences` and `strings` read
//! what the engine is not given, `paint` and `snapshot` write a screen as escape text.

mod budget;
mod cell;
mod core;
mod cursor;
mod engine;
mod event;
mod modes;
mod paint;
mod palette;
mod print;
mod repair;
mod sequences;
mod shim;
mod snapshot;
mod strings;
mod tap;
#[cfg(test)]
mod tests;
mod text;

use rio_vt::crosswords::Mode;
use rio_vt::crosswords::grid::Dimensions;

use self::engine::Engine;

pub use self::cell::{CellRef, Color, Style, Underline};
pub use self::event::{ProgramStatus, ScreenEvent};
pub use self::modes::{Cursor, CursorShape, InputModes, MouseEncoding, MouseProtocol, Size};

/// Answer to colour queries until [`Screen::set_colors`]: light grey on black.
const DEFAULT_COLORS: ((u8, u8, u8), (u8, u8, u8)) = ((0xd0, 0xd0, 0xd0), (0, 0, 0));

/// A terminal screen fed with the bytes of a program.
pub struct Screen {
    /// Large, and moved into its place through several hands: a keeper's stack would keep each copy.
    engine: Box<Engine>,
    revision: u64,
}

impl Screen {
    /// An empty screen of the nearest possible size, keeping up to `history_lines` rows that
    /// scrolled out.
    pub fn new(size: Size, history_lines: usize) -> Self {
        let engine = Engine::new(size.clamped(), history_lines, DEFAULT_COLORS);
        Self { engine: Box::new(engine), revision: 0 }
    }

    /// Feeds bytes of the program and gives what happened, in order. Never fails: after a fault in
    /// the engine the screen is empty and [`ScreenEvent::Faulted`] is among the events.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ScreenEvent> {
        if !bytes.is_empty() {
            self.revision += 1;
        }
        self.engine.feed(bytes)
    }

    /// Feeds a snapshot of another screen, which ends as that one was, whatever its program wrote. Only
    /// here the private sequences of snapshots are heeded: no program can forge one.
    pub fn replay(&mut self, snapshot: &[u8]) -> Vec<ScreenEvent> {
        self.revision += 1;
        self.engine.replay(snapshot)
    }

    /// Bytes that the program's queries are to be answered with, in order. Only the keeper's screen
    /// answers; others drop them.
    pub fn take_replies(&mut self) -> Vec<u8> {
        self.engine.core.outbox.take()
    }

    /// Changes the size; rows of the primary screen flow into the new width.
    pub fn resize(&mut self, size: Size) {
        let size = size.clamped();
        if size != self.size() {
            self.revision += 1;
            self.engine.resize(size);
        }
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.engine.core.size()
    }

    /// Foreground and background (red, green, blue) that colour queries are answered with.
    pub fn set_colors(&mut self, fg: (u8, u8, u8), bg: (u8, u8, u8)) {
        self.engine.core.defaults = (fg, bg);
    }

    /// Escape text that rebuilds this screen in a new one of the same size, with up to
    /// `history_lines` rows of history. Bytes of an unfinished sequence come last, so the bytes fed
    /// after the snapshot go on where it ends.
    pub fn snapshot(&mut self, history_lines: usize) -> Vec<u8> {
        snapshot::write(&self.engine, history_lines)
    }

    /// The visible rows as text, trailing blanks trimmed.
    pub fn lines(&self) -> Vec<String> {
        let grid = &self.engine.core.term.grid;
        (0..i32::from(self.size().rows)).map(|row| cell::row_text(grid, row)).collect()
    }

    /// Up to `n` newest rows of history as text, oldest first.
    pub fn scrollback(&self, n: usize) -> Vec<String> {
        let first = n.min(self.scrollback_len()) as i32;
        (-first..0).map(|row| cell::row_text(&self.engine.core.term.grid, row)).collect()
    }

    /// Rows of history; none while the alternate screen is shown.
    pub fn scrollback_len(&self) -> usize {
        self.engine.core.term.grid.history_size()
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        self.engine.core.cursor()
    }

    /// The title, without control characters.
    pub fn title(&self) -> &str {
        &self.engine.core.title
    }

    /// Whether the alternate screen is shown.
    pub fn alternate(&self) -> bool {
        self.engine.core.primary.is_some()
    }

    /// What key, mouse and paste encoding depend on.
    pub fn modes(&self) -> InputModes {
        self.engine.core.input_modes()
    }

    /// Shows the cells of a row; negative rows are history, -1 the newest. Rows that do not exist
    /// show nothing.
    pub fn row(&self, index: i32, visit: &mut dyn FnMut(CellRef<'_>)) {
        let rows = i32::from(self.size().rows);
        if (-(self.scrollback_len() as i32)..rows).contains(&index) {
            cell::visit_row(&self.engine.core.term.grid, index, visit);
        }
    }

    /// Whether a row goes on in the next one, since it was too long; negative rows are history.
    pub fn wraps(&self, index: i32) -> bool {
        let size = self.size();
        let exists = (-(self.scrollback_len() as i32)..i32::from(size.rows)).contains(&index);
        exists && cell::wraps(&self.engine.core.term.grid, index)
    }

    /// Whether the program asked to hold the frame (mode 2026). Who holds it must stop after a time
    /// of its own (a second is usual): a program may die before it lets go.
    pub fn synchronized(&self) -> bool {
        self.engine.core.has(Mode::SYNC_UPDATE)
    }

    /// A number that grows when something visible may have changed.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
