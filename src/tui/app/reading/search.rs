//! Finding a text in a document.

use super::document::{Document, Pos};

/// Most places that are kept: more than anyone steps through.
const MOST: usize = 10_000;

/// A place where the text stands: its first and its last cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// First cell.
    pub first: Pos,
    /// Last cell.
    pub last: Pos,
}

impl Hit {
    /// Whether a cell is part of it.
    pub fn has(&self, cell: Pos) -> bool {
        (self.first..=self.last).contains(&cell)
    }
}

/// Every place of `text`, first to last. Capitals count only where `text` has one; rows that the terminal
/// broke are one line.
pub(super) fn hits(document: &Document, text: &str) -> Vec<Hit> {
    let exact = text.chars().any(char::is_uppercase);
    let fold = |c: char| if exact { c } else { c.to_lowercase().next().unwrap_or(c) };
    let text: String = text.chars().map(fold).collect();
    let mut found = Vec::new();
    if text.is_empty() {
        return found;
    }
    let length = text.chars().count();
    let mut line = 0;
    let mut folded = String::new();
    while line < document.len() && found.len() < MOST {
        let (first, last) = document.whole(line);
        folded.clear();
        for row in first..=last {
            folded.extend(document.text(row).chars().map(fold));
        }
        let mut chars = 0;
        let mut bytes = 0;
        for (at, _) in folded.match_indices(&text) {
            chars += folded[bytes..at].chars().count();
            bytes = at;
            let ends = (place(document, first, chars), place(document, first, chars + length - 1));
            if let (Some(first), Some(last)) = ends {
                found.push(Hit { first, last });
            }
        }
        line = last + 1;
    }
    found
}

/// The cell of a character, counted from the start of a line over all its rows.
fn place(document: &Document, mut line: usize, mut chars: usize) -> Option<Pos> {
    loop {
        for cell in document.cells(line) {
            let length = cell.text.chars().count();
            if chars < length {
                return Some(Pos { line, col: cell.col });
            }
            chars -= length;
        }
        if !document.wraps(line) {
            return None;
        }
        line += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::tests::document;
    use super::*;

    #[test]
    fn small_letters_find_capitals_too_and_a_broken_line_is_whole() {
        let document = document(8, "Error: no\nan error\\\n in 日 err\\\nor");
        let places = |text| {
            let hits = hits(&document, text).into_iter();
            hits.map(|hit| ((hit.first.line, hit.first.col), (hit.last.line, hit.last.col)))
                .collect::<Vec<_>>()
        };
        let all = [((0, 0), (0, 4)), ((1, 3), (1, 7)), ((2, 7), (3, 1))];
        assert_eq!(places("error"), all);
        assert_eq!(places("Error"), all[..1]);
        assert_eq!(places("日"), [((2, 4), (2, 4))]);
        assert!(places("").is_empty() && places("absent").is_empty());
    }
}
