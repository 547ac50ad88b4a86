//! Single cells that the engine leaves wrong, and what a snapshot says about single cells.

use rio_vt::crosswords::Mode;
use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{Column, Line};
use rio_vt::crosswords::square::{CellFlags, Extras, Square, Wide};

use rio_vt::grapheme_lut::{class_of, is_break_lut, start_state};

use super::cell::{self, Style};
use super::core::Core;

impl Core {
    /// The cell that a combining character would join.
    fn previous(&self) -> (Line, Column) {
        let grid = &self.term.grid;
        let pos = grid.cursor.pos;
        let mut column = pos.col.0;
        if !grid.cursor.should_wrap {
            column = column.saturating_sub(1);
        }
        if grid[pos.row][Column(column)].is_spacer() {
            column = column.saturating_sub(1);
        }
        (pos.row, Column(column))
    }

    /// Side data of the cell that a combining character would join.
    pub(super) fn previous_extras(&self) -> Option<&Extras> {
        let (row, column) = self.previous();
        cell::extras(&self.term.grid, self.term.grid[row][column])
    }

    /// Marks a row as going on in the row below, for reflow.
    pub(super) fn mark_wrap(&mut self, row: i32) {
        let grid = &mut self.term.grid;
        if (-(grid.history_size() as i32)..grid.screen_lines() as i32).contains(&row) {
            let last = grid.last_column();
            grid[Line(row)][last].set_wrapline(true);
        }
    }

    pub(super) fn repair_current_row(&mut self) {
        let row = self.term.grid.cursor.pos.row;
        repair_row(&mut self.term.grid, row);
    }

    /// Whether nothing is printed where a combining character would go.
    pub(super) fn is_previous_erased(&self) -> bool {
        let (row, column) = self.previous();
        cell::is_erased(&self.term.grid, self.term.grid[row][column])
    }

    /// Makes the cell before the cursor the gap that a wide character left which did not fit.
    pub(super) fn mark_gap(&mut self) {
        let (row, column) = self.previous();
        let grid = &mut self.term.grid;
        if column == grid.last_column() && grid[row][column].wide() == Wide::Narrow {
            grid[row][column].set_wide(Wide::LeadingSpacer);
        }
    }

    /// Whether a character continues the grapheme cluster before the cursor (mode 2027), by the
    /// engine's own tables.
    pub(super) fn joins(&self, c: char) -> bool {
        let grid = &self.term.grid;
        let at_start = grid.cursor.pos.col == 0 && !grid.cursor.should_wrap;
        if c <= '\u{ff}' || at_start || !self.has(Mode::GRAPHEME_CLUSTER) {
            return false;
        }
        let (row, column) = self.previous();
        let cell = grid[row][column];
        if cell.c() == '\0' {
            return false;
        }
        let mut class = class_of(cell.c());
        let mut state = start_state(class);
        for &mark in cell::marks(grid, cell) {
            let next = class_of(mark);
            is_break_lut(class, next, &mut state);
            class = next;
        }
        !is_break_lut(class, class_of(c), &mut state)
    }

    /// The narrow cell in the last column that the next character could join and widen.
    pub(super) fn edge_cell(&self) -> Option<Square> {
        let grid = &self.term.grid;
        let cell = grid[grid.cursor.pos.row][grid.last_column()];
        (grid.cursor.should_wrap && cell.wide() == Wide::Narrow).then_some(cell)
    }

    /// Where `joined` widened the cell in the last column, the engine moved it to the next row; if
    /// a wide character stood there, the engine then erased what it had moved.
    pub(super) fn repair_widened(&mut self, moved: Square, joined: char) {
        let mut marks = cell::marks(&self.term.grid, moved).to_vec();
        let (row, column) = self.previous();
        let grid = &mut self.term.grid;
        let lost = column == 0
            && grid[row][Column(1)].is_spacer()
            && grid[row][Column(0)].wide() == Wide::Narrow;
        if !lost {
            return;
        }
        let mut cell = moved;
        cell.set_wrapline(false);
        cell.set_wide(Wide::Wide);
        grid[row][Column(0)] = cell;
        grid[row].has_styles = true;
        grid[row].has_extras = true;
        let edge = grid.last_column();
        if row > -(grid.history_size() as i32) {
            grid[row - 1i32][edge].set_wide(Wide::LeadingSpacer);
        }
        marks.push(joined);
        self.attach(marks);
    }

    /// Gives the cell before the cursor these marks, whatever its width.
    pub(super) fn attach(&mut self, marks: Vec<char>) {
        let (row, column) = self.previous();
        let grid = &mut self.term.grid;
        let mut extras = cell::extras(grid, grid[row][column]).cloned().unwrap_or_default();
        extras.zerowidth = marks;
        let id = grid.alloc_extras(extras);
        if id != 0 && !grid[row][column].is_bg_only() {
            grid[row][column].set_extras_id(Some(id));
            grid[row][column].insert_cell_flag(CellFlags::GRAPHEME);
            grid[row].has_extras = true;
        }
    }
}

/// Blanks halves of wide characters that the engine left alone, and drops marks of wraps and of gaps
/// before wide characters that were shifted away from the last column.
pub(super) fn repair_row(grid: &mut Grid<Square>, row: Line) {
    let columns = grid.columns();
    let is = |grid: &Grid<Square>, column: usize, wide: Wide| {
        column < columns && grid[row][Column(column)].wide() == wide
    };
    for column in 0..columns {
        if column + 1 < columns && grid[row][Column(column)].wrapline() {
            grid[row][Column(column)].set_wrapline(false);
        }
        let lone = match grid[row][Column(column)].wide() {
            Wide::Wide => !is(grid, column + 1, Wide::Spacer),
            Wide::Spacer => column == 0 || !is(grid, column - 1, Wide::Wide),
            Wide::LeadingSpacer if column + 1 < columns => {
                grid[row][Column(column)].set_wide(Wide::Narrow);
                continue;
            }
            Wide::Narrow | Wide::LeadingSpacer => continue,
        };
        if lone {
            let wraps = grid[row][Column(column)].wrapline();
            grid[row][Column(column)] = Square::default();
            grid[row][Column(column)].set_wrapline(wraps);
        }
    }
}

/// Makes cells plain that show nothing. A row that scrolled in has the whole pen, bold for one, in its
/// blanks, and the engine's reflow would take them for text and give them rows of their own.
pub(super) fn plain_blanks(grid: &mut Grid<Square>) {
    let rows = -(grid.history_size() as i32)..grid.screen_lines() as i32;
    for row in rows.map(Line) {
        for column in (0..grid.columns()).map(Column) {
            let cell = grid[row][column];
            let blank = cell != Square::default()
                && cell::is_erased(grid, cell)
                && cell::look(grid, cell) == Style::default();
            if blank {
                grid[row][column] = Square::default();
                grid[row][column].set_wrapline(cell.wrapline());
            }
        }
    }
}
