//! The piece of a text that shows why it was found.

use std::ops::Range;

use crate::domain::text::clean_line;

/// Characters before the first hit.
const BEFORE: usize = 40;
/// Characters in all.
const ROOM: usize = 120;
/// Stands for what was cut off.
const CUT: &str = "…";

/// One line of a text, around what was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// The line.
    pub text: String,
    /// What was found, as places in the line: ascending, apart.
    pub hits: Vec<Range<usize>>,
    /// The text is a message; else the session's own: its title, prompt or branch.
    pub in_message: bool,
}

impl Snippet {
    /// The line around the first of `hits`, which are ascending places in `text`.
    pub(super) fn cut(text: &str, hits: &[Range<usize>]) -> Self {
        let first = hits.first().map_or(0, |hit| hit.start);
        let start = back(text, first);
        let end = ahead(text, start, hits.first().map_or(0, |hit| hit.end));
        let mut snippet = Self::default();
        if start > 0 {
            snippet.text.push_str(CUT);
        }
        let mut at = start;
        for hit in hits {
            // Pieces may overlap, and one may be longer than the line.
            let hit = hit.start.max(at)..hit.end.min(end);
            if hit.is_empty() {
                continue;
            }
            snippet.add(&text[at..hit.start]);
            let from = snippet.text.len();
            snippet.add(&text[hit.clone()]);
            snippet.hits.push(from..snippet.text.len());
            at = hit.end;
        }
        snippet.add(&text[at..end]);
        snippet.text.truncate(snippet.text.trim_end().len());
        if end < text.len() {
            snippet.text.push_str(CUT);
        }
        snippet
    }

    /// The line with marks around what was found.
    pub fn marked(&self, open: &str, close: &str) -> String {
        let mut marked = String::new();
        let mut at = 0;
        for hit in &self.hits {
            marked.push_str(&self.text[at..hit.start]);
            marked.push_str(open);
            marked.push_str(&self.text[hit.clone()]);
            marked.push_str(close);
            at = hit.end;
        }
        marked.push_str(&self.text[at..]);
        marked
    }

    /// Adds a part of the text, made safe; blanks and line ends become one blank.
    fn add(&mut self, part: &str) {
        let mut blank = self.text.is_empty() || self.text.ends_with(' ');
        for word in part.split_inclusive(char::is_whitespace) {
            let kept = clean_line(word);
            self.text.push_str(&kept);
            if !kept.is_empty() {
                blank = false;
            }
            if word.ends_with(char::is_whitespace) && !blank {
                self.text.push(' ');
                blank = true;
            }
        }
    }
}

/// The beginning of a word some characters before `first`.
fn back(text: &str, first: usize) -> usize {
    let before = text[..first].char_indices().rev();
    let Some((far, _)) = before.take(BEFORE).last() else { return first };
    if far == 0 {
        return 0;
    }
    let blank = text[far..first].find(char::is_whitespace);
    blank.map_or(far, |at| {
        let rest = &text[far + at..first];
        first - rest.trim_start().len()
    })
}

/// Where the line ends that begins at `start`: behind a word, and behind the first hit.
fn ahead(text: &str, start: usize, hit: usize) -> usize {
    let Some((room, _)) = text[start..].char_indices().nth(ROOM) else { return text.len() };
    let blank = text[start..start + room].rfind(char::is_whitespace).map(|at| start + at);
    blank.filter(|blank| *blank >= hit).unwrap_or(start + room)
}
