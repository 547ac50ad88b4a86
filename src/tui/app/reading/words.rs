//! Steps over words, as editors make them.

use super::document::{Document, Pos};

/// What a cell is to a step over words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Word,
    Other,
}

fn kind(text: &str) -> Kind {
    match text.chars().next() {
        Some(c) if c.is_alphanumeric() || c == '_' => Kind::Word,
        Some(c) if !c.is_whitespace() => Kind::Other,
        _ => Kind::Blank,
    }
}

/// The cells of a document one after the other. Between lines that do not go on there is a blank.
struct Walk<'a> {
    document: &'a Document,
}

impl Walk<'_> {
    fn kind(&self, pos: Pos) -> Kind {
        self.document.cell(pos).map_or(Kind::Blank, |cell| kind(cell.text))
    }

    fn next(&self, pos: Pos) -> Option<Pos> {
        let next = self.document.cells(pos.line).map(|cell| cell.col).find(|col| *col > pos.col);
        match next {
            Some(col) => Some(Pos { col, ..pos }),
            None if pos.line + 1 < self.document.len() => Some(Pos { line: pos.line + 1, col: 0 }),
            None => None,
        }
    }

    fn before(&self, pos: Pos) -> Option<Pos> {
        let before = self.document.cells(pos.line).map(|cell| cell.col);
        if let Some(col) = before.filter(|col| *col < pos.col).last() {
            return Some(Pos { col, ..pos });
        }
        let line = pos.line.checked_sub(1)?;
        Some(Pos { line, col: self.document.last_col(line) })
    }

    /// Whether a new word may begin at `to` although the cell before is of the same kind.
    fn breaks(&self, from: Pos, to: Pos) -> bool {
        from.line != to.line && !self.document.wraps(from.line.min(to.line))
    }
}

/// The start of the next word.
pub(super) fn next_word(document: &Document, mut pos: Pos) -> Pos {
    let walk = Walk { document };
    let mut inside = walk.kind(pos);
    while let Some(next) = walk.next(pos) {
        let here = walk.kind(next);
        let begins = here != inside || walk.breaks(pos, next);
        pos = next;
        if begins && here != Kind::Blank {
            return pos;
        }
        inside = here;
    }
    pos
}

/// The start of this word, or of the one before.
pub(super) fn previous_word(document: &Document, mut pos: Pos) -> Pos {
    let walk = Walk { document };
    while let Some(before) = walk.before(pos) {
        pos = before;
        let here = walk.kind(pos);
        if here == Kind::Blank {
            continue;
        }
        match walk.before(pos) {
            Some(first) if walk.kind(first) == here && !walk.breaks(first, pos) => {}
            _ => return pos,
        }
    }
    pos
}

/// The end of this word, or of the next one.
pub(super) fn word_end(document: &Document, mut pos: Pos) -> Pos {
    let walk = Walk { document };
    while let Some(next) = walk.next(pos) {
        pos = next;
        let here = walk.kind(pos);
        if here == Kind::Blank {
            continue;
        }
        match walk.next(pos) {
            Some(after) if walk.kind(after) == here && !walk.breaks(pos, after) => {}
            _ => return pos,
        }
    }
    pos
}

/// First and last cell of what a double click means: everything between blanks, brackets and quotes.
pub(super) fn around(document: &Document, pos: Pos) -> (Pos, Pos) {
    let walk = Walk { document };
    let part = |pos: Pos| document.cell(pos).is_some_and(|cell| is_part(cell.text));
    let (mut first, mut last) = (pos, pos);
    if !part(pos) {
        return (pos, pos);
    }
    while let Some(before) = walk.before(first).filter(|to| part(*to) && !walk.breaks(first, *to)) {
        first = before;
    }
    while let Some(next) = walk.next(last).filter(|to| part(*to) && !walk.breaks(last, *to)) {
        last = next;
    }
    (first, last)
}

fn is_part(text: &str) -> bool {
    text.chars().next().is_some_and(|c| !c.is_whitespace() && !"()[]{}<>\"'`│┃|,;".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::document::tests::document;
    use super::*;

    fn walk(from: (usize, u16), step: fn(&Document, Pos) -> Pos) -> Vec<(usize, u16)> {
        let document = document(8, "ab  c.d\n\nwrap\\\nped 日本");
        let mut pos = Pos { line: from.0, col: from.1 };
        let mut seen = Vec::new();
        loop {
            let next = step(&document, pos);
            if next == pos {
                return seen;
            }
            pos = next;
            seen.push((pos.line, pos.col));
        }
    }

    #[test]
    fn words_are_stepped_over_as_in_editors() {
        let starts = [(0, 4), (0, 5), (0, 6), (2, 0), (3, 4), (3, 6)];
        assert_eq!(
            walk((0, 0), next_word),
            starts,
            "a wrapped word is one; the last step is the end"
        );
        let back = [(3, 4), (2, 0), (0, 6), (0, 5), (0, 4), (0, 0)];
        assert_eq!(walk((3, 6), previous_word), back);
        assert_eq!(walk((0, 0), word_end)[..5], [(0, 1), (0, 4), (0, 5), (0, 6), (3, 2)]);
    }

    #[test]
    fn a_double_click_takes_a_path_whole() {
        let document = document(20, "see (src/a-b.rs:4), x");
        let (first, last) = around(&document, Pos { line: 0, col: 7 });
        assert_eq!((first.col, last.col), (5, 16));
        let blank = Pos { line: 0, col: 3 };
        assert_eq!(around(&document, blank), (blank, blank));
    }
}
