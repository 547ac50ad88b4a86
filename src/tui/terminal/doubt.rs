//! Graphemes that terminals disagree about: an emoji made of several code points is two columns
//! wide here, one, four or six elsewhere. What follows one is placed anew, and a row that holds or
//! held one is drawn whole when it changes, so that no terminal keeps remains of what was there.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::{Position, Size};

use crate::domain::text::char_width;
use crate::tui::links::Links;

/// From here on wide code points are pictures, and young: older terminals know them as narrow.
const PICTURES: char = '\u{1f000}';

/// Whether terminals may give `symbol` another width than we do.
fn doubtful(symbol: &str) -> bool {
    if symbol.len() <= 2 {
        return false;
    }
    let parts: usize = symbol.chars().map(char_width).sum();
    parts != usize::from(symbol.cell_width()) || symbol.chars().any(|sign| sign >= PICTURES)
}

/// The rows of the last frame that hold a doubtful grapheme, by their number.
#[derive(Default)]
pub(super) struct Rows(HashMap<u16, Vec<Cell>>);

impl Rows {
    /// Has every row drawn whole that holds or held a doubtful grapheme and changed, or that is `touched`
    /// otherwise.
    pub(super) fn mark(&mut self, frame: &mut Buffer, touched: impl Fn(u16) -> bool) {
        let area = frame.area;
        let mut now = HashMap::new();
        for (y, row) in area
            .rows()
            .map(|row| row.y)
            .zip(frame.content.chunks_mut(usize::from(area.width.max(1))))
        {
            let doubt = row.iter().any(|cell| doubtful(cell.symbol()));
            let before = self.0.remove(&y);
            let touched = touched(y);
            if !doubt && before.is_none() && !touched {
                continue;
            }
            let same = !touched && before.as_deref() == Some(&*row);
            if doubt {
                now.insert(y, row.to_vec());
            }
            if !same {
                for cell in row.iter_mut().filter(|cell| cell.diff_option == CellDiffOption::None) {
                    cell.set_diff_option(CellDiffOption::AlwaysUpdate);
                }
            }
        }
        self.0 = now;
    }
}

/// A terminal that is told where to go on after each doubtful grapheme, and of hyperlinks.
pub(super) struct Careful<W: Write>(CrosstermBackend<W>, Arc<Mutex<Links>>);

impl<W: Write> Careful<W> {
    /// The `links` are those of the frame that is drawn.
    pub(super) fn new(out: W, links: Arc<Mutex<Links>>) -> Self {
        Self(CrosstermBackend::new(out), links)
    }
}

/// Has what follows belong to a target, or to none.
fn write_link(out: &mut impl Write, target: Option<&Arc<str>>) -> io::Result<()> {
    write!(out, "\x1b]8;;{}\x1b\\", target.map_or("", AsRef::as_ref))
}

impl<W: Write> Backend for Careful<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let links = Arc::clone(&self.1);
        let links = links.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = None;
        let mut run = Vec::new();
        let mut covered = (0, 0);
        for (x, y, cell) in content {
            if y == covered.1 && x < covered.0 {
                // A blank under the grapheme, already written before it: after it, it would erase it.
                continue;
            }
            let link = links.at((x, y));
            if link != open {
                self.0.draw(run.drain(..))?;
                write_link(&mut self.0, link)?;
                open = link;
            }
            if !doubtful(cell.symbol()) {
                run.push((x, y, cell));
                continue;
            }
            self.0.draw(run.drain(..))?;
            let end = x.saturating_add(cell.cell_width());
            let mut blank = cell.clone();
            blank.set_symbol(" ");
            self.0.draw((x..end).map(|x| (x, y, &blank)))?;
            self.0.draw(std::iter::once((x, y, cell)))?;
            covered = (end, y);
        }
        self.0.draw(run.into_iter())?;
        if open.is_some() {
            write_link(&mut self.0, None)?;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.0.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.0.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.0.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    const DOUBTFUL: [&str; 6] =
        ["✈\u{fe0f}", "1\u{fe0f}\u{20e3}", "👩\u{200d}💻", "🇩🇪", "👍🏽", "😀"];

    /// A row of text, a grapheme each cell, and what a terminal is written to show it after `before`.
    fn written(rows: &mut Rows, before: &Buffer, text: &str) -> (Buffer, String) {
        let mut next = Buffer::empty(before.area);
        next.set_string(0, 0, text, ratatui::style::Style::new());
        rows.mark(&mut next, |_| false);
        let mut out = Vec::new();
        Careful::new(&mut out, Arc::default()).draw(before.diff_iter(&next)).unwrap();
        (next, String::from_utf8(out).unwrap())
    }

    /// What a terminal of one row shows that gives `wide` columns to a doubtful grapheme.
    fn shown(screen: &mut [String], text: &str, wide: usize) {
        let mut at = 0;
        for part in text.split("\x1b[").skip(1) {
            let end = part.find(|sign: char| sign.is_ascii_alphabetic()).unwrap();
            if part[end..].starts_with('H') {
                at = part[..end].split_once(';').unwrap().1.parse::<usize>().unwrap() - 1;
            }
            for grapheme in crate::domain::text::graphemes(&part[end + 1..]) {
                let width =
                    if doubtful(grapheme) { wide } else { usize::from(grapheme.cell_width()) };
                for covered in screen.iter_mut().skip(at).take(width) {
                    covered.clear();
                }
                if let Some(cell) = screen.get_mut(at) {
                    *cell = grapheme.to_owned();
                }
                at += width;
            }
        }
    }

    #[test]
    fn no_terminal_keeps_remains_whatever_width_it_gives_to_an_emoji() {
        for grapheme in DOUBTFUL {
            for wide in 1..=6 {
                let mut rows = Rows::default();
                let mut screen = vec![" ".to_owned(); 12];
                let mut frame = Buffer::empty(Rect::new(0, 0, 12, 1));
                for text in ["abcdefghijkl", &format!("ab{grapheme}ef漢hijk"), "xy", "漢字漢字漢字"]
                {
                    let (next, bytes) = written(&mut rows, &frame, text);
                    frame = next;
                    shown(&mut screen, &bytes, wide);
                    for (x, (cell, shown)) in frame.content.iter().zip(&screen).enumerate() {
                        let under = x > 0 && frame.content[x - 1].cell_width() > 1;
                        if !under {
                            assert_eq!(cell.symbol(), shown, "{text:?} at {x}, {wide} wide");
                        } else if doubtful(frame.content[x - 1].symbol()) {
                            assert!(shown.trim().is_empty(), "{text:?} at {x}: {shown:?} remains");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_row_that_does_not_change_is_not_drawn_again() {
        let mut rows = Rows::default();
        let frame = Buffer::empty(Rect::new(0, 0, 12, 1));
        let (frame, first) = written(&mut rows, &frame, "a 👍🏽 b");
        // The mark itself makes its cells differ once more.
        let (frame, _) = written(&mut rows, &frame, "a 👍🏽 b");
        let (_, third) = written(&mut rows, &frame, "a 👍🏽 b");
        assert!(first.contains("👍🏽") && !third.contains("👍🏽"), "{third:?}");
    }

    /// Hyperlinks: each run of a target is one, what follows belongs to none, and a row of which only the
    /// targets changed is drawn again.
    #[test]
    fn links_are_written_around_their_cells() {
        let links = Arc::new(Mutex::new(Links::default()));
        let target: Arc<str> = Arc::from("https://a.example");
        for x in 2..4 {
            links.lock().unwrap().put((x, 0), &target);
        }
        let before = Buffer::empty(Rect::new(0, 0, 6, 1));
        let mut next = before.clone();
        next.set_string(0, 0, "a here", ratatui::style::Style::new());
        let draw = |before: &Buffer, next: &Buffer| {
            let mut out = Vec::new();
            Careful::new(&mut out, Arc::clone(&links)).draw(before.diff_iter(next)).unwrap();
            String::from_utf8(out).unwrap()
        };
        let first = draw(&before, &next);
        let (open, close) = ("\x1b]8;;https://a.example\x1b\\", "\x1b]8;;\x1b\\");
        let (head, rest) = first.split_once(open).unwrap();
        let (linked, tail) = rest.split_once(close).unwrap();
        assert!(head.contains('a') && linked.contains("he") && tail.contains("re"), "{first:?}");
        let mut rows = Rows::default();
        let mut same = next.clone();
        rows.mark(&mut same, |_| false);
        assert_eq!(draw(&next, &same), draw(&next, &next));
        rows.mark(&mut same, |y| y == 0);
        assert!(draw(&next, &same).contains(open));
    }

    #[test]
    fn letters_are_certain() {
        for symbol in ["a", "é", "e\u{301}", "漢", "안", "ｱ", "│", " "] {
            assert!(!doubtful(symbol), "{symbol}");
        }
        assert!(DOUBTFUL.iter().all(|symbol| doubtful(symbol)));
    }
}
