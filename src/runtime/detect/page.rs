//! The lines of a screen, also as they were before the program broke them to the width of its terminal.

use std::ops::Range;

use crate::domain::agent::Region;
use crate::domain::text;

/// What a program puts at both sides of a box.
const FRAMES: [char; 5] = ['│', '┃', '▌', '▐', '|'];
/// Cells that a program may leave free at the right where the next word would have fitted.
const MARGIN: usize = 6;
/// Cells by which the rest of an option may begin further to the right than behind one blank after its number.
const HANGING: usize = 3;
/// So many blanks part columns, whose lines do not go on below.
const COLUMNS: &str = "    ";

/// The lines of a screen that are not blank.
#[derive(Debug, Default)]
pub(super) struct Page<'a> {
    lines: Vec<&'a str>,
    /// Those that are the parts of one, in order.
    wholes: Vec<(Range<usize>, String)>,
    /// The line of the cursor, and the title.
    cursor: Option<&'a str>,
    title: &'a str,
}

/// A part of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    lines: &'a [&'a str],
    wholes: &'a [(Range<usize>, String)],
    /// How many lines are above it.
    above: usize,
}

impl<'a> Page<'a> {
    /// Reads a screen that is `cols` wide.
    pub(super) fn new(rows: &'a [String], cols: usize, cursor: usize, title: &'a str) -> Self {
        let shown = rows.iter().enumerate().filter(|(_, row)| !row.trim().is_empty());
        let (at, lines): (Vec<usize>, Vec<&str>) =
            shown.map(|(at, row)| (at, row.as_str())).unzip();
        let pieces: Vec<Option<Piece<'_>>> =
            lines.iter().map(|line| Piece::of(line, cols)).collect();
        let goes_on = |line: usize| {
            let follow = at.get(line + 1).is_some_and(|below| *below == at[line] + 1);
            let (upper, lower) = (pieces[line], pieces.get(line + 1).copied().flatten());
            follow && upper.zip(lower).is_some_and(|(upper, lower)| upper.goes_on_in(&lower))
        };
        let mut wholes = Vec::new();
        let mut line = 0;
        while line < lines.len() {
            let first = line;
            while goes_on(line) {
                line += 1;
            }
            line += 1;
            if let Some(range) = Some(first..line).filter(|range| range.len() > 1) {
                let whole = whole(lines[first], &pieces[range.clone()]);
                wholes.push((range, whole));
            }
        }
        Self { lines, wholes, cursor: rows.get(cursor).map(String::as_str), title }
    }

    /// How many lines are above the last `count` whole ones.
    fn above(&self, count: usize) -> usize {
        let mut above = self.lines.len();
        let mut wholes = self.wholes.iter().rev().peekable();
        for _ in 0..count {
            match wholes.next_if(|(range, _)| range.end == above) {
                Some((range, _)) => above = range.start,
                None => above = above.saturating_sub(1),
            }
        }
        above
    }

    /// The part that a rule looks at; at the bottom `count` lines, a broken one counted once, so that a rule sees the
    /// same on a narrow screen.
    pub(super) fn part(&'a self, region: Region, count: usize) -> Part<'a> {
        let above = match region {
            Region::Title => {
                return Part { lines: std::slice::from_ref(&self.title), wholes: &[], above: 0 };
            }
            Region::Cursor => return Part { lines: self.cursor.as_slice(), wholes: &[], above: 0 },
            Region::Screen => 0,
            Region::Bottom => self.above(count),
        };
        let from = self.wholes.partition_point(|(range, _)| range.start < above);
        Part { lines: &self.lines[above..], wholes: &self.wholes[from..], above }
    }
}

impl<'a> Part<'a> {
    /// Every line as it is shown, then those that were broken as they were before.
    pub(super) fn all(self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().copied().chain(self.wholes.iter().map(|(_, whole)| whole.as_str()))
    }

    /// The lines as they were before they were broken.
    pub(super) fn wholes(self) -> Vec<&'a str> {
        let mut found = Vec::with_capacity(self.lines.len());
        let mut wholes = self.wholes.iter().peekable();
        let mut line = 0;
        while line < self.lines.len() {
            let broken = wholes.next_if(|(range, _)| range.start == self.above + line);
            if let Some((range, whole)) = broken {
                found.push(whole.as_str());
                line += range.len();
            } else {
                found.push(self.lines[line]);
                line += 1;
            }
        }
        found
    }
}

/// What a line says, and where.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    /// The innermost box around it: its left side, with its column.
    frame: Option<(char, usize)>,
    begin: usize,
    end: usize,
    /// The first cell at the right that is not its own.
    edge: usize,
}

impl<'a> Piece<'a> {
    /// None of a line that says nothing.
    fn of(line: &'a str, cols: usize) -> Option<Self> {
        let mut inner = line.trim_end();
        let (mut frame, mut begin, mut closed) = (None, 0, false);
        loop {
            let body = inner.trim_start();
            begin += inner.len() - body.len();
            let Some(side) = body.chars().next().filter(|first| FRAMES.contains(first)) else {
                break;
            };
            frame = Some((side, begin));
            begin += 1;
            inner = &body[side.len_utf8()..];
            let open = inner.trim_end().strip_suffix(FRAMES);
            closed = open.is_some();
            inner = open.unwrap_or(inner);
        }
        let text = inner.trim();
        if !text.contains(char::is_alphanumeric) {
            return None;
        }
        let cells = if text.is_ascii() { text.len() } else { text::width(text) };
        let end = begin + cells;
        let free = inner.len() - inner.trim_end().len();
        let edge = if closed { end + free } else { cols };
        Some(Self { text, frame, begin, end, edge })
    }

    /// Whether the program went on below because there was no room for the next word: below the words of this line, not
    /// below its number or mark.
    fn goes_on_in(&self, below: &Self) -> bool {
        if self.frame != below.frame || self.text.ends_with('?') || self.text.contains(COLUMNS) {
            return false;
        }
        let (marked, numbered) = begins_with(self.text);
        let hangs = match (marked, numbered) {
            (0, _) => below.begin == self.begin,
            (_, false) => [self.begin, self.begin + marked].contains(&below.begin),
            (_, true) => (0..HANGING).any(|more| below.begin == self.begin + marked + more),
        };
        let first = below.text.split(' ').next().unwrap_or_default();
        let full = self.end + 1 + text::width(first) > self.edge.saturating_sub(MARGIN);
        hangs && full && begins_with(below.text).0 == 0
    }
}

/// The cells that the marks at the beginning of a line take, as of an option or a message, with the blank after them; and
/// whether one of them is a number.
fn begins_with(text: &str) -> (usize, bool) {
    let (mut cells, mut rest, mut numbered) = (0, text, false);
    while let Some((word, after)) = rest.split_once(' ').filter(|_| !numbered) {
        let number = word.strip_suffix(['.', ')']);
        let number = number.or_else(|| word.strip_prefix('[')?.strip_suffix(']'));
        numbered =
            number.is_some_and(|it| !it.is_empty() && it.bytes().all(|c| c.is_ascii_digit()));
        let mut letters = word.chars();
        let mark = letters.next().filter(|_| letters.next().is_none());
        let is_mark = |c: char| "-*#$?>".contains(c) || !(c.is_ascii() || c.is_alphanumeric());
        if !numbered && !mark.is_some_and(is_mark) {
            break;
        }
        cells += text::width(word) + 1;
        rest = after;
    }
    (cells, numbered)
}

/// The first line with the texts of the others behind its own.
fn whole(first: &str, pieces: &[Option<Piece<'_>>]) -> String {
    let texts: Vec<&str> = pieces.iter().flatten().map(|piece| piece.text).collect();
    let (Some(own), Some(head)) = (texts.first(), pieces.first().copied().flatten()) else {
        return first.to_owned();
    };
    let (before, after) = first.split_once(own).unwrap_or((first, ""));
    // The side of a box closes it again.
    let side = if head.frame.is_some() { after.trim_start() } else { "" };
    let gap = if side.is_empty() { "" } else { " " };
    format!("{before}{}{gap}{side}", texts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wholes(screen: &str, cols: usize) -> Vec<String> {
        let rows: Vec<String> = screen.lines().map(str::to_owned).collect();
        let page = Page::new(&rows, cols, 0, "");
        page.part(Region::Screen, 0).wholes().into_iter().map(str::to_owned).collect()
    }

    /// K6: what a program broke to its width is one line again, in a box and without.
    #[test]
    fn broken_lines_are_whole_again() {
        let screen = "│ Allow the tool to write │\n│ into your folder?       │\n│ ● 1. Yes, and never ask │\n│      again              │\n│   2. No                 │";
        let expected = [
            "│ Allow the tool to write into your folder? │",
            "│ ● 1. Yes, and never ask again │",
            "│   2. No                 │",
        ];
        assert_eq!(wholes(screen, 80), expected);
        let nested = "│ ╭──────────────────────────╮ │\n│ │ a command with two lines │ │\n│ │ of words                 │ │";
        assert_eq!(wholes(nested, 80)[1], "│ │ a command with two lines of words │ │");
        let screen = " Do you want to write to a\n file?\n ❯ 1. Yes, and never ask for\n      it again\n   2. No";
        let expected = [
            " Do you want to write to a file?",
            " ❯ 1. Yes, and never ask for it again",
            "   2. No",
        ];
        assert_eq!(wholes(screen, 29), expected);
    }

    /// K6: what only stands below is not taken along.
    #[test]
    fn other_lines_stay_alone() {
        for screen in [
            "Run it?\nls",
            "a line that is as long as the screen\n• the next message",
            "a line that is as long as the screen\n2. Another option",
            "a line that is as long as the screen\n\nafter a blank one",
            "   a line that is as long as screen\nfurther to the left",
            "a column    of two that is that long\nbelow it",
            "is it a question as long as that is?\nbelow it",
            "1. an option that is as long as that\nbelow it",
            "────────────────────────────────────\nbelow it",
        ] {
            let lines: Vec<&str> = screen.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(wholes(screen, 36), lines);
        }
    }

    /// G9: a broken line is one line for a rule that looks at so many.
    #[test]
    fn a_broken_line_counts_once() {
        let rows: Vec<String> =
            ["a line that is broken at", "its end", "last"].map(str::to_owned).into();
        let page = Page::new(&rows, 26, 2, "title");
        let part = |region, count| page.part(region, count).wholes();
        assert_eq!(part(Region::Bottom, 1), ["last"]);
        assert_eq!(part(Region::Bottom, 2), ["a line that is broken at its end", "last"]);
        assert_eq!(part(Region::Bottom, 9), part(Region::Bottom, 2));
        assert_eq!(part(Region::Cursor, 9), ["last"]);
        assert_eq!(part(Region::Title, 9), ["title"]);
        let all: Vec<&str> = page.part(Region::Screen, 0).all().collect();
        assert_eq!(all.len(), 4);
    }
}
