//! What is selected, and its text.

use super::document::{Document, Pos};

/// How a selection grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// From one character to another, over the lines between.
    Characters,
    /// Whole lines, as the program wrote them.
    Lines,
    /// The columns between two corners.
    Block,
}

/// A selection in the making: from here to the cursor, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// Where it began.
    pub anchor: Pos,
    /// How it grows.
    pub shape: Shape,
}

impl Selection {
    /// First and last line with the columns of each that are selected, for the cursor at `to`.
    fn spans(self, document: &Document, to: Pos) -> (usize, usize, impl Fn(usize) -> (u16, u16)) {
        let (first, last) = (self.anchor.min(to), self.anchor.max(to));
        let (top, bottom) = match self.shape {
            Shape::Lines => (document.whole(first.line).0, document.whole(last.line).1),
            Shape::Characters | Shape::Block => (first.line, last.line),
        };
        let (left, right) = (self.anchor.col.min(to.col), self.anchor.col.max(to.col));
        let shape = self.shape;
        let columns = move |line: usize| match shape {
            Shape::Lines => (0, u16::MAX),
            Shape::Block => (left, right),
            Shape::Characters => (
                if line == first.line { first.col } else { 0 },
                if line == last.line { last.col } else { u16::MAX },
            ),
        };
        (top, bottom, columns)
    }

    /// Whether a cell is part of it.
    pub fn has(self, document: &Document, to: Pos, cell: Pos) -> bool {
        let (top, bottom, columns) = self.spans(document, to);
        let (left, right) = columns(cell.line);
        (top..=bottom).contains(&cell.line) && (left..=right).contains(&cell.col)
    }

    /// The selected text. Rows that the terminal broke are one line again, blanks at the ends of lines
    /// are left out.
    pub fn text(self, document: &Document, to: Pos) -> String {
        let (top, bottom, columns) = self.spans(document, to);
        let mut text = String::new();
        for line in top..=bottom.min(document.len().saturating_sub(1)) {
            let (left, right) = columns(line);
            let cells = document.cells(line).filter(|cell| (left..=right).contains(&cell.col));
            cells.for_each(|cell| text.push_str(cell.text));
            if self.shape != Shape::Block && line < bottom && document.wraps(line) {
                continue;
            }
            text.truncate(text.trim_end_matches([' ', '\t']).len());
            if line < bottom {
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::document::tests::document;
    use super::*;

    #[rstest]
    #[case(Shape::Characters, (0, 1), (2, 1), "ne  two\nlong line go")]
    #[case(Shape::Lines, (3, 2), (1, 1), "long line goes on\nlast 日本 x")]
    #[case(Shape::Block, (0, 0), (1, 2), "one\nlon")]
    fn text_of_a_selection(
        #[case] shape: Shape,
        #[case] from: (usize, u16),
        #[case] to: (usize, u16),
        #[case] expected: &str,
    ) {
        let document = document(10, "one  two   \nlong line \\\ngoes on\nlast 日本 x");
        let pos = |(line, col)| Pos { line, col };
        assert_eq!(Selection { anchor: pos(from), shape }.text(&document, pos(to)), expected);
    }

    #[test]
    fn backwards_is_as_forwards_and_wide_characters_are_whole() {
        let document = document(10, "日本語");
        let (first, last) = (Pos { line: 0, col: 0 }, Pos { line: 0, col: 2 });
        let forwards = Selection { anchor: first, shape: Shape::Characters };
        let backwards = Selection { anchor: last, shape: Shape::Characters };
        assert_eq!(forwards.text(&document, last), "日本");
        assert_eq!(backwards.text(&document, first), "日本");
        assert!(forwards.has(&document, last, last));
        assert!(!forwards.has(&document, last, Pos { line: 0, col: 4 }));
    }
}
