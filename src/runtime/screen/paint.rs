//! Writes the cells of a grid as text and sequences, row by row, into a cleared screen.

use std::io::Write as _;

use rio_vt::codepoint_width::codepoint_width;
use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{Column, Line};
use rio_vt::crosswords::square::{Hyperlink, Square};

use super::cell::{self, Color, Style};
use super::strings::PRIVATE_OSC;

/// An output with the pen it leaves behind.
pub(super) struct Painter {
    pub(super) out: Vec<u8>,
    pen: Style,
    link: Option<Hyperlink>,
    /// Mode 2027 as last written; `None` before the first time.
    clustering: Option<bool>,
}

impl Painter {
    pub(super) fn new(out: Vec<u8>) -> Self {
        Self { out, pen: Style::default(), link: None, clustering: None }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into memory cannot fail.
        let _ = self.out.write_fmt(text);
    }

    pub(super) fn set_style(&mut self, style: Style) {
        if style != self.pen {
            self.put(format_args!("\x1b[{}m", style.sgr()));
            self.pen = style;
        }
    }

    pub(super) fn set_link(&mut self, link: Option<&Hyperlink>) {
        if link == self.link.as_ref() {
            return;
        }
        match link {
            Some(link) => self.put(format_args!("\x1b]8;id={};{}\x1b\\", link.id(), link.uri())),
            None => self.out.extend_from_slice(b"\x1b]8;;\x1b\\"),
        }
        self.link = link.cloned();
    }

    /// The plain pen.
    pub(super) fn plain(&mut self) {
        self.set_style(Style::default());
        self.set_link(None);
    }

    fn set_clustering(&mut self, on: bool) {
        if self.clustering != Some(on) {
            self.out.extend_from_slice(if on { b"\x1b[?2027h" } else { b"\x1b[?2027l" });
            self.clustering = Some(on);
        }
    }

    /// Paints a grid from the top left corner, its newest `history` rows scrolling out above.
    pub(super) fn paint(&mut self, grid: &Grid<Square>, history: usize) {
        let first = -(history.min(grid.history_size()) as i32);
        let rows = grid.screen_lines() as i32;
        let last = Column(grid.columns() - 1);
        self.plain();
        for row in first..rows {
            let wrapped = row > first && grid[Line(row - 1)][last].wrapline();
            // A wrap happens where both cells beside it are printed.
            let natural = wrapped
                && !cell::is_erased(grid, grid[Line(row - 1)][last])
                && !cell::is_erased(grid, grid[Line(row)][Column(0)]);
            if row > first && !natural {
                self.plain();
                self.out.extend_from_slice(b"\r\n");
                if wrapped {
                    self.put(format_args!("\x1b]{PRIVATE_OSC};v=1\x1b\\"));
                }
            }
            self.row(grid, row, natural);
        }
        self.plain();
    }

    /// One row; `wrapped`: it begins with the wrap that the row above left pending.
    fn row(&mut self, grid: &Grid<Square>, row: i32, wrapped: bool) {
        let cells = &grid[Line(row)];
        let columns = grid.columns();
        let mut column = 0;
        let mut skip = 0;
        while column < columns {
            let cell = cells[Column(column)];
            if cell::is_erased(grid, cell) {
                let bg = cell::look(grid, cell).bg;
                let alike = |other: Square| {
                    cell::is_erased(grid, other) && cell::look(grid, other).bg == bg
                };
                let run = (column..columns).take_while(|&at| alike(cells[Column(at)])).count();
                if bg != Color::Default {
                    self.skip(&mut skip);
                    self.set_style(Style { bg, ..Style::default() });
                    self.put(format_args!("\x1b[{run}X"));
                }
                skip += run;
                column += run;
                continue;
            }
            self.skip(&mut skip);
            self.print_cell(grid, cell);
            if cell.is_leading_spacer() && column + 1 == columns {
                // The gap before a wide character that did not fit, which reflow closes again.
                self.put(format_args!("\x1b]{PRIVATE_OSC};g=1\x1b\\"));
            }
            let width = cell::span(grid, row, column);
            if wrapped && column == 0 && self.pen != Style::default() && width < columns {
                // A wrap that scrolls fills the new row with the style of the pen.
                self.plain();
                self.out.extend_from_slice(b"\x1b[K");
            }
            column += width;
        }
    }

    /// Moves over erased cells.
    fn skip(&mut self, columns: &mut usize) {
        if *columns > 0 {
            self.put(format_args!("\x1b[{columns}C"));
            *columns = 0;
        }
    }

    /// Prints one cell so that it joins nothing before it and its marks join it.
    pub(super) fn print_cell(&mut self, grid: &Grid<Square>, cell: Square) {
        self.set_style(cell::look(grid, cell));
        self.set_link(cell::link(grid, cell));
        let base = cell::shown(cell);
        if base > '\u{ff}' {
            self.set_clustering(false);
        }
        self.put(format_args!("{base}"));
        let marks = cell::marks(grid, cell);
        if marks.is_empty() {
            return;
        }
        let base_width = codepoint_width(base as u32).unwrap_or(1);
        let widens = |mark: char| {
            matches!(mark, '\u{fe0e}' | '\u{fe0f}') || codepoint_width(mark as u32) != Some(0)
        };
        let widening = marks.iter().copied().any(widens);
        if widening && !cell.is_wide() && base_width == 1 {
            // Joined where there was no room to widen: no text makes that again.
            let marks: Vec<String> = marks.iter().map(|&m| format!("{:x}", m as u32)).collect();
            self.put(format_args!("\x1b]{PRIVATE_OSC};m={}\x1b\\", marks.join(",")));
            return;
        }
        // Marks that give the cell its width join as a cluster, others whatever they are.
        self.set_clustering(widening || base_width != u8::from(cell.is_wide()) + 1);
        for mark in marks {
            self.put(format_args!("{mark}"));
        }
    }
}
