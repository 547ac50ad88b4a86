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
    let mut line = 0;
    let mut folded = String::new();
    // The cell of each byte of it.
    let mut places: Vec<Pos> = Vec::new();
    while line < document.len() && found.len() < MOST {
        let (first, last) = document.whole(line);
        folded.clear();
        places.clear();
        for line in first..=last {
            for cell in document.cells(line) {
                folded.extend(cell.text.chars().map(fold));
                places.resize(folded.len(), Pos { line, col: cell.col });
            }
        }
        let matches = folded.match_indices(&text).take(MOST - found.len());
        let hit = |(at, _)| Hit { first: places[at], last: places[at + text.len() - 1] };
        found.extend(matches.map(hit));
        line = last + 1;
    }
    found
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

    #[test]
    fn a_long_broken_line_has_no_more_hits_than_are_kept() {
        let row = format!("{}\\\n", "a".repeat(80));
        let hits = hits(&document(80, &row.repeat(400)), "A".to_lowercase().as_str());
        assert_eq!(hits.len(), MOST);
        assert_eq!(hits[MOST - 1].last, Pos { line: 124, col: 79 });
    }
}
