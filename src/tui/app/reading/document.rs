//! A terminal at one moment: what it shows and what scrolled out of it, to be read, searched and
//! copied while its program goes on.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use ratatui::style::{Color, Style};

/// A cell that is drawn or copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Column, from 0.
    pub col: u16,
    /// Columns taken: 1 or 2.
    pub width: u16,
    /// Character with its combining marks.
    pub text: &'a str,
    /// Its look.
    pub style: Style,
    /// Target of its hyperlink (OSC 8).
    pub link: Option<&'a str>,
}

/// A place: a line from the oldest one, and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Pos {
    /// Index of the line.
    pub line: usize,
    /// Column.
    pub col: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// Byte of the line's text at which the cell begins.
    at: u32,
    col: u16,
    width: u8,
    style: u16,
    /// Number of its link, from 1.
    link: u16,
}

/// One row of the terminal, without the blanks at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Line {
    text: String,
    places: Vec<Place>,
    /// It goes on in the next one.
    wraps: bool,
}

/// What a terminal shows and what scrolled out of it. Cells of one look share it, so that thousands
/// of lines stay small.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    lines: Vec<Line>,
    styles: Table<Style>,
    links: Table<String>,
    /// Index of the first line that is on the terminal's screen; what is before scrolled out.
    pub screen: usize,
    /// Columns of the terminal.
    pub cols: u16,
    /// The program draws the whole screen itself and lets nothing scroll out.
    pub alternate: bool,
    /// More scrolled out than it holds.
    pub cut: bool,
}

/// Lines by which it is found where one document goes on in another.
const MEET: usize = 256;

impl Document {
    /// Without any line yet.
    pub fn new(cols: u16, alternate: bool) -> Self {
        Self { cols, alternate, ..Self::default() }
    }

    /// Begins a line; [`Document::push`] adds its cells, ascending by column.
    pub fn begin(&mut self, wraps: bool) {
        self.lines.push(Line { wraps, ..Line::default() });
    }

    /// Adds a cell to the line that was begun last.
    pub fn push(&mut self, cell: Cell<'_>) {
        let style = self.styles.number(&cell.style);
        let link = cell.link.map_or(0, |uri| self.links.number(uri) + 1);
        if let Some(line) = self.lines.last_mut() {
            let (at, width) = (line.text.len() as u32, cell.width as u8);
            line.places.push(Place { at, col: cell.col, width, style, link });
            line.text.push_str(cell.text);
        }
    }

    /// Ends a line: what is blank at its end is left out, but where it goes on in the next one.
    pub fn end(&mut self) {
        let Some(line) = self.lines.last_mut().filter(|line| !line.wraps) else {
            return;
        };
        while let Some(last) = line.places.last()
            && &line.text[last.at as usize..] == " "
            && self.styles.get(last.style).is_some_and(shows_nothing)
        {
            line.text.truncate(last.at as usize);
            line.places.pop();
        }
    }

    /// This one with the lines before it that `deeper` has: one of the same terminal that reaches further
    /// back, and may be a little newer or older. None where they do not meet, or it has none.
    pub fn with_older(&self, deeper: &Self) -> Option<Self> {
        let older = self.place_in(deeper).filter(|older| *older > 0)?;
        let mut whole = Self::new(self.cols, self.alternate);
        whole.screen = self.screen + older;
        for (document, count) in [(deeper, older), (self, self.len())] {
            for (number, line) in document.lines.iter().enumerate().take(count) {
                whole.begin(line.wraps);
                document.cells(number).for_each(|cell| whole.push(cell));
            }
        }
        Some(whole)
    }

    /// The line of `deeper` that is the first one here: the nearest to where it is if nothing was written
    /// since. Only what scrolled out stays as it is.
    fn place_in(&self, deeper: &Self) -> Option<usize> {
        let known = &self.lines[..self.screen.min(MEET).min(self.len())];
        let last = deeper.len().checked_sub(known.len())?;
        let likely = deeper.len().saturating_sub(self.len()).min(last);
        let same = |at: &usize| {
            let mut pairs = known.iter().zip(&deeper.lines[*at..]);
            pairs.all(|(a, b)| a.text == b.text && a.wraps == b.wraps)
        };
        let alike = self.cols == deeper.cols && !known.is_empty();
        let places = (0..=likely).rev().chain(likely + 1..=last);
        places.into_iter().filter(|_| alike).find(same)
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Index behind the last line that has something on it.
    pub fn used(&self) -> usize {
        self.lines.iter().rposition(|line| !line.places.is_empty()).map_or(0, |last| last + 1)
    }

    /// The cells of a line.
    pub fn cells(&self, line: usize) -> impl Iterator<Item = Cell<'_>> {
        let line = self.lines.get(line);
        let places = line.map_or(&[][..], |line| &line.places);
        places.iter().enumerate().map(move |(index, place)| {
            let text = line.map_or("", |line| line.text.as_str());
            let end = places.get(index + 1).map_or(text.len(), |next| next.at as usize);
            Cell {
                col: place.col,
                width: u16::from(place.width),
                text: &text[place.at as usize..end],
                style: self.styles.get(place.style).copied().unwrap_or_default(),
                link: place
                    .link
                    .checked_sub(1)
                    .and_then(|number| self.links.get(number))
                    .map(String::as_str),
            }
        })
    }

    /// The text of a line.
    pub fn text(&self, line: usize) -> &str {
        self.lines.get(line).map_or("", |line| &line.text)
    }

    /// Whether a line goes on in the next one.
    pub fn wraps(&self, line: usize) -> bool {
        line + 1 < self.lines.len() && self.lines.get(line).is_some_and(|line| line.wraps)
    }

    /// First and last row of what the program wrote as one line.
    pub fn whole(&self, line: usize) -> (usize, usize) {
        let line = line.min(self.len().saturating_sub(1));
        let mut first = line;
        while first > 0 && self.wraps(first - 1) {
            first -= 1;
        }
        let mut last = line;
        while self.wraps(last) {
            last += 1;
        }
        (first, last)
    }

    /// Column of the last cell of a line; 0 in an empty one.
    pub fn last_col(&self, line: usize) -> u16 {
        let line = self.lines.get(line);
        line.and_then(|line| line.places.last()).map_or(0, |place| place.col)
    }

    /// The nearest place that has a cell, or the start of an empty line.
    pub fn clamp(&self, pos: Pos) -> Pos {
        let line = pos.line.min(self.len().saturating_sub(1));
        let places = self.lines.get(line).map_or(&[][..], |line| &line.places);
        // The second column of a wide character belongs to its first.
        let at = places.partition_point(|place| place.col <= pos.col);
        let col = at.checked_sub(1).and_then(|at| places.get(at)).map_or(0, |place| place.col);
        Pos { line, col }
    }

    /// The cell at a place.
    pub fn cell(&self, pos: Pos) -> Option<Cell<'_>> {
        self.cells(pos.line).find(|cell| (cell.col..cell.col + cell.width).contains(&pos.col))
    }
}

/// Whether a blank of this style shows nothing.
fn shows_nothing(style: &Style) -> bool {
    let reset = Style::new().fg(Color::Reset).bg(Color::Reset).underline_color(Color::Reset);
    *style == Style::new() || *style == reset
}

/// Values by number, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Table<T: Eq + Hash> {
    values: Vec<T>,
    numbers: HashMap<T, u16>,
    /// The number that was given last: neighbours mostly look alike.
    last: u16,
}

impl<T: Eq + Hash> Default for Table<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::new(), last: 0 }
    }
}

impl<T: Eq + Hash + Clone> Table<T> {
    fn get(&self, number: u16) -> Option<&T> {
        self.values.get(usize::from(number))
    }

    /// Number of a value, which gets it where it is new. What does not fit is the first.
    fn number<Q>(&mut self, value: &Q) -> u16
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = T> + ?Sized,
    {
        if self.get(self.last).is_some_and(|last| last.borrow() == value) {
            return self.last;
        }
        self.last = self.numbers.get(value).copied().unwrap_or_else(|| self.add(value.to_owned()));
        self.last
    }

    fn add(&mut self, value: T) -> u16 {
        let Some(number) = u16::try_from(self.values.len()).ok().filter(|it| *it < u16::MAX - 1)
        else {
            return 0;
        };
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A terminal of `cols` columns that shows `text`; a line that ends in `\` goes on.
    pub(crate) fn document(cols: u16, text: &str) -> Document {
        let mut document = Document::new(cols, false);
        for line in text.split('\n') {
            let wraps = line.ends_with('\\');
            document.begin(wraps);
            let mut col = 0;
            for c in line.trim_end_matches('\\').chars() {
                let width = crate::domain::text::width(&c.to_string()) as u16;
                let (text, style, link) = (c.to_string(), Style::default(), None);
                document.push(Cell { col, width, text: &text, style, link });
                col += width;
            }
            document.end();
        }
        document
    }

    #[test]
    fn looks_and_links_keep_their_numbers_and_what_is_too_many_is_the_first() {
        let mut links = Table::<String>::default();
        let numbers = ["a", "a", "b", "a", "c"].map(|link| links.number(link));
        assert_eq!(numbers, [0, 0, 1, 0, 2]);
        let more = (0..u32::from(u16::MAX)).map(|n| links.number(n.to_string().as_str()));
        assert_eq!(more.last(), Some(0));
        assert_eq!(links.number("c"), 2);
    }

    /// Scrollback: what is read grows at its start, also where the program wrote on meanwhile.
    #[test]
    fn older_lines_come_before_the_ones_that_are_read() {
        let text = |from: usize, to: usize| {
            let lines: Vec<_> = (from..to).map(|n| format!("line {n}")).collect();
            let mut document = document(20, &lines.join("\n"));
            document.screen = document.len() - 3;
            document
        };
        let read = Document { cut: true, ..text(50, 60) };
        for deeper in [text(10, 60), text(10, 75), text(10, 58)] {
            let whole = read.with_older(&deeper).unwrap();
            assert_eq!((whole.len(), whole.screen, whole.cut), (50, 47, false));
            assert_eq!((whole.text(0), whole.text(49)), ("line 10", "line 59"));
        }
        assert_eq!(read.with_older(&text(50, 60)), None, "there is nothing before it");
        assert_eq!(read.with_older(&text(60, 90)), None, "it goes on somewhere else");
        assert_eq!(read.with_older(&document(9, "line 50")), None, "it has another width");
    }

    #[test]
    fn lines_keep_their_cells_and_lose_their_blank_ends() {
        let document = document(10, "a日b  \n\nlong \\\nrest");
        assert_eq!(document.len(), 4);
        let cells: Vec<_> = document.cells(0).map(|cell| (cell.col, cell.text)).collect();
        assert_eq!(cells, [(0, "a"), (1, "日"), (3, "b")]);
        assert_eq!((document.text(1), document.text(2)), ("", "long "), "a wrapped row is whole");
        assert_eq!((document.whole(3), document.whole(0)), ((2, 3), (0, 0)));
        assert_eq!(document.clamp(Pos { line: 0, col: 2 }), Pos { line: 0, col: 1 }, "wide");
        assert_eq!(document.clamp(Pos { line: 9, col: 99 }), Pos { line: 3, col: 3 });
        assert_eq!(document.cell(Pos { line: 0, col: 2 }).map(|cell| cell.text), Some("日"));
    }
}
