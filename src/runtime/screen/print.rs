//! Printing and clearing where the engine cannot be left alone with it.

use rio_vt::ansi::mode::{NamedMode, NamedPrivateMode};
use rio_vt::codepoint_width::codepoint_width;
use rio_vt::crosswords::pos::Line;
use rio_vt::crosswords::{Crosswords, Mode};
use rio_vt::grapheme_lut::class_of;
use rio_vt::performer::handler::Handler;

use super::cell;
use super::core::{Core, Outbox};
use super::shim::CLASS_OTHER;

/// Most combining characters on one cell. Each one that the engine adds copies all earlier ones,
/// so an endless row of them on one cell would never end.
pub(super) const MARK_LIMIT: usize = 24;
/// Most repetitions of a character that cannot be written many at a time.
const REPEAT_LIMIT: usize = 4096;

impl Core {
    pub(super) fn put(&mut self, c: char) {
        let c = if c == '#' && self.is_british() { '\u{a3}' } else { c };
        if c > '\u{ff}' && codepoint_width(c as u32) == Some(0) && self.is_previous_erased() {
            // A mark has nothing to stand on; the engine decides by how the cell was erased.
            return;
        }
        let width = codepoint_width(c as u32).unwrap_or(0);
        let joins = self.joins(c);
        let marks = c > '\u{ff}' && (joins || width == 0);
        let full = c > '\u{ff}'
            && self.previous_extras().is_some_and(|extras| extras.zerowidth.len() >= MARK_LIMIT);
        if full || (marks && !self.has_room(0)) {
            if width > 0 {
                self.alone(|term| term.input(c));
            }
            return;
        }
        let edge = self.edge_cell().filter(|_| joins);
        if self.has(Mode::INSERT) && !joins {
            self.insert(c);
        } else {
            self.term.input(c);
        }
        if let Some(cell) = edge {
            self.repair_widened(cell, c);
        }
    }

    /// Prints without joining anything to what is before it.
    fn alone(&mut self, print: impl FnOnce(&mut Crosswords<Outbox>)) {
        let clustering = self.has(Mode::GRAPHEME_CLUSTER);
        self.term.unset_private_mode(NamedPrivateMode::GraphemeCluster.into());
        print(&mut self.term);
        if clustering {
            self.term.set_private_mode(NamedPrivateMode::GraphemeCluster.into());
        }
    }

    /// REP: the last character again. More than the screen holds shows nothing new.
    pub(super) fn repeat(&mut self, count: usize) {
        let Some(last) = self.last else { return };
        let size = self.size();
        let count = count.clamp(1, usize::from(size.cols) * usize::from(size.rows));
        let simple = class_of(last) == CLASS_OTHER && codepoint_width(last as u32) > Some(0);
        if last.is_ascii() {
            self.input_ascii_str(&last.to_string().repeat(count));
        } else if simple && !self.has(Mode::INSERT) {
            self.input(last);
            let rest = vec![last as u32; count - 1];
            self.alone(|term| term.input_codepoints(&rest));
        } else {
            (0..count.min(REPEAT_LIMIT)).for_each(|_| self.input(last));
        }
    }

    /// A character in insert mode. The engine's own shifts without regard to the halves of wide
    /// characters.
    pub(super) fn insert(&mut self, c: char) {
        let width = usize::from(codepoint_width(c as u32).unwrap_or(0));
        if width > 0 && self.term.grid.cursor.should_wrap {
            self.term.wrapline();
        }
        if width > 0 && self.position().1 + width <= usize::from(self.size().cols) {
            Handler::insert_blank(self, width);
        }
        self.term.unset_mode(NamedMode::Insert.into());
        self.term.input(c);
        self.term.set_mode(NamedMode::Insert.into());
    }

    /// ED 2. The primary screen scrolls out into the history, as far as it is used.
    pub(super) fn clear_all(&mut self) {
        let rows = i32::from(self.size().rows);
        let grid = &mut self.term.grid;
        grid.sync_template_style();
        if self.primary.is_none() {
            let used = (0..rows).rev().find(|&row| !cell::is_blank_row(grid, row));
            if let Some(last) = used {
                grid.scroll_up(&(Line(0)..Line(rows)), last as usize + 1);
            }
        }
        grid.reset_region(..);
        self.term.mark_fully_damaged();
    }
}
