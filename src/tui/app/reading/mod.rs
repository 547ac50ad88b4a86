//! Reading an agent's terminal: scrolled back, or with a cursor to search and copy. What is read is a
//! [`Document`] taken at the beginning, so that nothing moves under the eyes while the agent goes on.

mod document;
mod links;
mod older;
mod place;
mod search;
mod select;
mod words;

use std::sync::Arc;

use crate::domain::ids::SessionId;
use crate::domain::key::Key;
use crate::domain::time::Timestamp;

pub use self::document::{Cell, Document, Pos};
pub use self::links::may_open;
pub use self::older::Older;
pub use self::search::Hit;
pub use self::select::{Selection, Shape};

/// How reading begins, once the document is there. Places are cells of the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// Scrolled by so many rows, back where negative.
    Scroll(isize),
    /// With a cursor.
    Copy,
    /// A selection with the mouse, from one cell to another.
    Drag((u16, u16), (u16, u16)),
    /// A word is selected.
    Word((u16, u16)),
    /// A line is selected.
    Line((u16, u16)),
    /// The link at a cell is opened.
    Link((u16, u16)),
}

/// A document that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Of this session.
    pub id: SessionId,
    /// What for.
    pub begin: Begin,
    /// Keys that came together with the one that asked: they are for what is to be read.
    pub rest: Vec<Key>,
}

/// A button of the mouse that is held down, or was clicked just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    /// The cell of the pane.
    pub at: (u16, u16),
    /// When.
    pub when: Timestamp,
    /// The how manyeth click in a row.
    pub clicks: u8,
    /// It goes to the program.
    pub program: bool,
    /// Still held.
    pub held: bool,
}

/// A movement of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Lines down, up where negative.
    Lines(isize),
    /// Cells to the right, left where negative.
    Cells(isize),
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// To the start of the line.
    Start,
    /// To the first cell that is not blank.
    Text,
    /// To the end of the line.
    End,
    /// To the start of the next word.
    NextWord,
    /// To the start of the word before.
    PreviousWord,
    /// To the end of the word.
    WordEnd,
    /// To the first line on view.
    WindowTop,
    /// To the line in the middle.
    WindowMiddle,
    /// To the last line on view.
    WindowBottom,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The text.
    pub text: String,
    /// Towards the start.
    pub backwards: bool,
    /// Where it stands.
    pub hits: Vec<Hit>,
}

/// A terminal that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Its session.
    pub id: SessionId,
    /// What is read.
    pub document: Arc<Document>,
    /// It has the pane of an agent that is typed to, not the place in which the screen was seen.
    pub whole: bool,
    /// First line on view where nothing is scrolled back.
    pub home: usize,
    /// First line on view.
    pub top: usize,
    /// First column on view.
    pub left: u16,
    /// The cursor; none while it is only scrolled.
    pub cursor: Option<Pos>,
    /// The selection.
    pub selection: Option<Selection>,
    /// What was looked for last.
    pub search: Option<Search>,
    /// Where the cursor and the view were when a search began.
    pub before_search: Option<(Pos, usize)>,
    /// The agent wrote since.
    pub newer: bool,
    /// What is known of lines before the first one.
    pub older: Older,
    /// The cursor went to the first line, and goes on to the one that is the first then.
    first: bool,
    /// Columns and rows of the pane.
    size: (u16, u16),
    /// Column that moving up and down keeps to.
    column: u16,
}

impl Reading {
    /// At the end of a document; `home` is the first line on view there.
    pub fn new(id: SessionId, document: Arc<Document>, home: usize, size: (u16, u16)) -> Self {
        let home = home.min(document.len().saturating_sub(1));
        let older = if document.cut { Older::There } else { Older::Nothing };
        Self {
            id,
            document,
            whole: false,
            home,
            top: home,
            left: 0,
            cursor: None,
            selection: None,
            search: None,
            before_search: None,
            newer: false,
            older,
            first: false,
            size,
            column: 0,
        }
    }

    /// The pane has another size.
    pub fn resize(&mut self, size: (u16, u16), home: usize) {
        if (self.size, self.home) != (size, home) {
            let at_home = self.is_home();
            self.size = size;
            self.home = home.min(self.document.len().saturating_sub(1));
            self.top = if at_home { self.home } else { self.top.min(self.home) };
            self.follow();
        }
    }

    /// Whether nothing is scrolled back.
    pub fn is_home(&self) -> bool {
        self.top >= self.home
    }

    /// Rows between what is on view and the end.
    pub fn back(&self) -> usize {
        self.home.saturating_sub(self.top)
    }

    fn height(&self) -> usize {
        usize::from(self.size.1).max(1)
    }

    /// Scrolls; the cursor stays on view.
    pub fn scroll(&mut self, by: isize) {
        self.first = false;
        self.top = self.top.saturating_add_signed(by).min(self.home);
        if let Some(cursor) = self.cursor {
            let last = (self.top + self.height()).min(self.document.used()).saturating_sub(1);
            self.put(cursor.line.clamp(self.top.min(last), last));
        }
    }

    /// Gives it a cursor on the last line on view, or on this cell of the pane.
    pub fn begin_copy(&mut self, cell: Option<(u16, u16)>) {
        let last = (self.top + self.height()).min(self.document.used()).saturating_sub(1);
        let pos = cell.map_or(Pos { line: last, col: 0 }, |cell| self.pos(cell));
        self.cursor = Some(self.document.clamp(pos));
        self.column = self.cursor.map_or(0, |cursor| cursor.col);
        self.follow();
    }

    /// Ends cursor and selection; what is scrolled back stays so.
    pub fn end_copy(&mut self) {
        self.cursor = None;
        self.selection = None;
        self.search = None;
        self.left = 0;
    }

    /// The place of a cell of the pane.
    pub fn pos(&self, (col, row): (u16, u16)) -> Pos {
        Pos { line: self.top + usize::from(row), col: self.left.saturating_add(col) }
    }

    /// Selects from one cell of the pane to another.
    pub fn drag(&mut self, from: Pos, to: (u16, u16)) {
        let to = self.document.clamp(self.pos(to));
        let anchor = self.document.clamp(from);
        self.selection = Some(Selection { anchor, shape: Shape::Characters });
        self.set_cursor(to);
    }

    /// Selects the word at a cell of the pane.
    pub fn select_word(&mut self, cell: (u16, u16)) {
        let (anchor, last) = words::around(&self.document, self.document.clamp(self.pos(cell)));
        self.selection = Some(Selection { anchor, shape: Shape::Characters });
        self.cursor = Some(last);
    }

    /// Selects the line at a cell of the pane.
    pub fn select_line(&mut self, cell: (u16, u16)) {
        let anchor = self.document.clamp(self.pos(cell));
        self.selection = Some(Selection { anchor, shape: Shape::Lines });
        self.cursor = Some(anchor);
    }

    /// Begins a selection at the cursor, changes its shape, or ends it where it has this one.
    pub fn select(&mut self, shape: Shape) {
        self.selection = match (self.selection, self.cursor) {
            (Some(selection), _) if selection.shape == shape => None,
            (Some(selection), _) => Some(Selection { shape, ..selection }),
            (None, cursor) => cursor.map(|anchor| Selection { anchor, shape }),
        };
    }

    /// What is selected; without a selection the line of the cursor.
    pub fn text(&self) -> String {
        let Some(cursor) = self.cursor else {
            return String::new();
        };
        let line = Selection { anchor: cursor, shape: Shape::Lines };
        self.selection.unwrap_or(line).text(&self.document, cursor)
    }

    /// The link at a cell of the pane.
    pub fn link_at(&self, cell: (u16, u16)) -> Option<String> {
        links::at(&self.document, self.pos(cell))
    }

    /// The link at the cursor, or the next one of its line.
    pub fn link(&self) -> Option<String> {
        let cursor = self.cursor?;
        links::at(&self.document, cursor).or_else(|| links::in_line(&self.document, cursor))
    }

    /// Moves the cursor.
    pub fn go(&mut self, step: Move) {
        let Some(at) = self.cursor else {
            return;
        };
        self.first = step == Move::First;
        let document = Arc::clone(&self.document);
        let last = document.used().saturating_sub(1);
        let bottom = (self.top + self.height() - 1).min(last);
        let to = match step {
            Move::Lines(by) => return self.put(at.line.saturating_add_signed(by).min(last)),
            Move::First => return self.put(0),
            Move::Last => return self.put(last),
            Move::WindowTop => return self.put(self.top.min(last)),
            Move::WindowMiddle => return self.put(self.top.midpoint(bottom)),
            Move::WindowBottom => return self.put(bottom),
            Move::Cells(by) => self.beside(at, by),
            Move::Start => Pos { col: 0, ..at },
            Move::End => Pos { col: document.last_col(at.line), ..at },
            Move::Text => {
                let text = document.cells(at.line).find(|cell| !cell.text.trim().is_empty());
                Pos { col: text.map_or(0, |cell| cell.col), ..at }
            }
            Move::NextWord => words::next_word(&document, at),
            Move::PreviousWord => words::previous_word(&document, at),
            Move::WordEnd => words::word_end(&document, at),
        };
        self.set_cursor(to);
        if step == Move::End {
            self.column = u16::MAX;
        }
    }

    fn beside(&self, at: Pos, by: isize) -> Pos {
        let cols: Vec<u16> = self.document.cells(at.line).map(|cell| cell.col).collect();
        let index = cols.iter().position(|col| *col == at.col).unwrap_or(0);
        let index = index.saturating_add_signed(by).min(cols.len().saturating_sub(1));
        Pos { col: cols.get(index).copied().unwrap_or(0), ..at }
    }

    /// Puts the cursor on a line, in the column it keeps to.
    fn put(&mut self, line: usize) {
        self.cursor = Some(self.document.clamp(Pos { line, col: self.column }));
        self.follow();
    }

    fn set_cursor(&mut self, pos: Pos) {
        self.cursor = Some(pos);
        self.column = pos.col;
        self.follow();
    }

    /// Brings the cursor on view.
    fn follow(&mut self) {
        let Some(cursor) = self.cursor else {
            return;
        };
        let height = self.height();
        let lowest = (cursor.line + 1).saturating_sub(height);
        self.top = self.top.clamp(lowest, cursor.line.max(lowest)).min(self.home);
        let width = self.size.0.max(2);
        // A wide character needs both of its columns.
        let end =
            cursor.col.saturating_add(self.document.cell(cursor).map_or(1, |cell| cell.width));
        let least = end.saturating_sub(width);
        self.left = self.left.clamp(least, cursor.col.max(least));
    }

    /// Looks for a text from where the search began, as it is typed.
    pub fn look_for(&mut self, text: &str, backwards: bool) {
        let hits = search::hits(&self.document, text);
        self.search = Some(Search { text: text.to_owned(), backwards, hits });
        self.find_from_start();
    }

    /// Goes to the first place of the text from where the search began.
    pub fn find_from_start(&mut self) {
        if let Some((pos, top)) = self.before_search {
            self.cursor = Some(pos);
            self.top = top;
            self.find(true);
        }
    }

    /// Gives up the search that is typed.
    pub fn forget_search(&mut self) {
        self.search = None;
        if let Some((pos, top)) = self.before_search.take() {
            self.top = top;
            self.set_cursor(pos);
        }
    }

    /// Goes to the next place of the text in the direction of the search, or against it; after the last
    /// one follows the first.
    pub fn find(&mut self, onwards: bool) {
        let (Some(search), Some(at)) = (&self.search, self.cursor) else {
            return;
        };
        let hits = &search.hits;
        let found = if search.backwards == onwards {
            hits.iter().rev().find(|hit| hit.first < at).or_else(|| hits.last())
        } else {
            hits.iter().find(|hit| hit.first > at).or_else(|| hits.first())
        };
        if let Some(to) = found.map(|hit| hit.first) {
            self.set_cursor(to);
        }
    }

    /// Whether a cell is part of a place of the text that is looked for.
    pub fn is_hit(&self, cell: Pos) -> bool {
        let hits = self.search.as_ref().map_or(&[][..], |search| &search.hits);
        let after = hits.partition_point(|hit| hit.first <= cell);
        after.checked_sub(1).and_then(|at| hits.get(at)).is_some_and(|hit| hit.has(cell))
    }

    /// Whether a cell is selected.
    pub fn is_selected(&self, cell: Pos) -> bool {
        let selected = self.selection.zip(self.cursor);
        selected.is_some_and(|(selection, to)| selection.has(&self.document, to, cell))
    }
}
