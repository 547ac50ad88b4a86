//! The cursor: where it is, where it moves, what is saved of it.

use rio_vt::ansi::CursorShape as EngineShape;
use rio_vt::ansi::mode::{NamedPrivateMode, PrivateMode};
use rio_vt::crosswords::Mode;
use rio_vt::crosswords::pos::{CharsetIndex, Column, Line, StandardCharset};
use rio_vt::performer::handler::Handler;

use super::core::Core;
use super::modes::{Cursor, CursorShape, SavedBeside};

impl Core {
    /// Moves the cursor to a row and column of the screen, whatever the origin mode.
    pub(super) fn place(&mut self, row: usize, column: usize) {
        let size = self.size();
        let cursor = &mut self.term.grid.cursor;
        cursor.pos.row = Line(row.min(usize::from(size.rows) - 1) as i32);
        cursor.pos.col = Column(column.min(usize::from(size.cols) - 1));
        cursor.should_wrap = false;
        self.term.damage_cursor();
    }

    pub(super) fn position(&self) -> (usize, usize) {
        let pos = self.term.grid.cursor.pos;
        (pos.row.0.max(0) as usize, pos.col.0)
    }

    /// Up without leaving the scroll region, or the screen where the cursor is above it.
    pub(super) fn rows_up(&self, count: usize) -> usize {
        let row = self.position().0;
        let stop = if row >= self.region.0 { self.region.0 } else { 0 };
        row.saturating_sub(count).max(stop)
    }

    /// Down without leaving the scroll region, or the screen where the cursor is below it.
    pub(super) fn rows_down(&self, count: usize) -> usize {
        let row = self.position().0;
        let last = usize::from(self.size().rows) - 1;
        let stop = if row < self.region.1 { self.region.1 - 1 } else { last };
        row.saturating_add(count).min(stop)
    }

    pub(super) fn cursor(&self) -> Cursor {
        let (row, col) = self.position();
        let size = self.size();
        Cursor {
            row: (row as u16).min(size.rows - 1),
            col: (col as u16).min(size.cols - 1),
            visible: self.has(Mode::SHOW_CURSOR),
            shape: match self.term.cursor_shape {
                EngineShape::Underline => CursorShape::Underline,
                EngineShape::Beam => CursorShape::Bar,
                EngineShape::Block | EngineShape::Hidden => CursorShape::Block,
            },
        }
    }

    /// Forward over tab stops, at most to the last column; a pending wrap stays.
    pub(super) fn tab_forward(&mut self, count: u16) {
        let last = usize::from(self.size().cols) - 1;
        let mut column = self.position().1;
        for _ in 0..count {
            if column == last {
                break;
            }
            column = self.tabs.after(column).unwrap_or(last);
        }
        self.term.grid.cursor.pos.col = Column(column);
        self.term.damage_cursor();
    }

    /// Back over tab stops, at most to the first column.
    pub(super) fn tab_backward(&mut self, count: u16) {
        let (row, mut column) = self.position();
        for _ in 0..count {
            if column == 0 {
                break;
            }
            column = self.tabs.before(column).unwrap_or(0);
        }
        self.place(row, column);
    }

    /// DECSC. The engine keeps position, pen and charsets but neither which charset is in use nor
    /// the origin mode.
    pub(super) fn save_cursor(&mut self) {
        self.term.save_cursor_position();
        let screen = self.screen();
        self.saved[screen] = SavedBeside {
            charset: self.charset,
            british: self.british[screen],
            origin: self.has(Mode::ORIGIN),
        };
    }

    /// DECRC.
    pub(super) fn restore_cursor(&mut self) {
        self.term.restore_cursor_position();
        self.restore_beside();
    }

    pub(super) fn restore_beside(&mut self) {
        let screen = self.screen();
        let SavedBeside { charset, british, origin } = self.saved[screen];
        self.set_active_charset(charset);
        self.british[screen] = british;
        let mode: PrivateMode = NamedPrivateMode::Origin.into();
        if origin {
            self.term.set_private_mode(mode);
        } else {
            self.term.unset_private_mode(mode);
        }
    }

    /// Designates a charset. The engine has no British one: it is ASCII with another `#`.
    pub(super) fn designate(&mut self, set: CharsetIndex, charset: StandardCharset, british: bool) {
        self.term.configure_charset(set, charset);
        let screen = self.screen();
        self.british[screen][set as usize] = british;
    }

    /// Whether characters are printed by the British charset.
    pub(super) fn is_british(&self) -> bool {
        self.british[self.screen()][self.charset as usize]
    }
}
