//! Printing and clearing where the engine cannot be left alone with it.

use rio_vt::ansi::mode::{NamedMode, NamedPrivateMode};
use rio_vt::codepoint_width::codepoint_width;
use rio_vt::crosswords::Mode;
use rio_vt::crosswords::pos::Line;
use rio_vt::performer::handler::Handler;

use super::cell;
use super::core::Core;

/// Most combining characters on one cell. Each one that the engine adds copies all earlier ones,
/// so an endless row of them on one cell would never end.
pub(super) const MARK_LIMIT: usize = 24;

impl Core {
    pub(super) fn put(&mut self, c: char) {
        if c > '\u{ff}' && codepoint_width(c as u32) == Some(0) && self.is_previous_erased() {
            // A mark has nothing to stand on; the engine decides by how the cell was erased.
            return;
        }
        let full = c > '\u{ff}'
            && self.previous_extras().is_some_and(|extras| extras.zerowidth.len() >= MARK_LIMIT);
        if !full {
            let joins = self.joins(c);
            let edge = self.edge_cell().filter(|_| joins);
            if self.has(Mode::INSERT) && !joins {
                self.insert(c);
            } else {
                self.term.input(c);
            }
            if let Some(cell) = edge {
                self.repair_widened(cell, c);
            }
        } else if codepoint_width(c as u32).is_some_and(|width| width > 0) {
            let clustering = self.has(Mode::GRAPHEME_CLUSTER);
            self.term.unset_private_mode(NamedPrivateMode::GraphemeCluster.into());
            self.term.input(c);
            if clustering {
                self.term.set_private_mode(NamedPrivateMode::GraphemeCluster.into());
            }
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
