//! Text being typed: one line, or several where a field allows it.

use crate::domain::key::{Key, KeyCode};
use crate::domain::text::{
    clean_block, clean_line, grapheme_after, grapheme_before, grapheme_indices, graphemes, width,
};

/// A text with a cursor in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Editor {
    text: String,
    /// Byte before which the cursor stands, at a grapheme boundary.
    cursor: usize,
    multiline: bool,
}

impl Editor {
    /// One line with the cursor at its end.
    pub fn line(text: &str) -> Self {
        let text = clean_line(text);
        Self { cursor: text.len(), text, multiline: false }
    }

    /// An empty text of any number of lines.
    pub fn block() -> Self {
        Self { multiline: true, ..Self::default() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces the text; the cursor goes to its end.
    pub fn set(&mut self, text: &str) {
        self.text.clear();
        self.cursor = 0;
        self.insert(text);
    }

    /// Inserts a text at the cursor, without control characters.
    pub fn insert(&mut self, text: &str) {
        let text = if self.multiline { clean_block(text) } else { one_line(text) };
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Handles a key of editing; false where it means nothing here.
    pub fn key(&mut self, key: Key) -> bool {
        let ctrl = key.mods.ctrl;
        match key.code {
            KeyCode::Char('w') if ctrl => self.delete_to(self.word_start()),
            KeyCode::Char('u') if ctrl => self.delete_to(self.line_start()),
            KeyCode::Char('a') if ctrl => self.cursor = self.line_start(),
            KeyCode::Char('e') if ctrl => self.cursor = self.line_end(),
            KeyCode::Char(c) if !ctrl && !key.mods.alt && !key.mods.sup => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Enter if self.multiline => self.insert("\n"),
            KeyCode::Backspace => self.delete_to(self.before()),
            KeyCode::Delete => {
                let end = self.after();
                self.text.replace_range(self.cursor..end, "");
            }
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = self.line_start(),
            KeyCode::End => self.cursor = self.line_end(),
            KeyCode::Up if self.multiline => self.vertical(-1),
            KeyCode::Down if self.multiline => self.vertical(1),
            _ => return false,
        }
        true
    }

    /// The text broken to `cells`, and row and column of the cursor in it.
    pub fn wrapped(&self, cells: usize) -> (Vec<String>, (usize, usize)) {
        let cells = cells.max(2);
        let mut rows = vec![String::new()];
        let mut at = (0, 0);
        for (offset, grapheme) in grapheme_indices(&self.text) {
            let last = rows.len() - 1;
            if grapheme != "\n" && width(&rows[last]) + width(grapheme) > cells {
                let carried = carry(&mut rows[last]);
                rows.push(carried);
            }
            if offset == self.cursor {
                at = (rows.len() - 1, width(&rows[rows.len() - 1]));
            }
            match grapheme {
                "\n" => rows.push(String::new()),
                "\t" => push(&mut rows, " "),
                _ => push(&mut rows, grapheme),
            }
        }
        if self.cursor == self.text.len() {
            at = (rows.len() - 1, width(&rows[rows.len() - 1]));
        }
        (rows, at)
    }

    fn delete_to(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn before(&self) -> usize {
        grapheme_before(&self.text, self.cursor)
    }

    fn after(&self) -> usize {
        grapheme_after(&self.text, self.cursor)
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn word_start(&self) -> usize {
        let head = self.text[..self.cursor].trim_end();
        head.rfind(char::is_whitespace)
            .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8))
    }

    fn vertical(&mut self, by: isize) {
        let start = self.line_start();
        let column = graphemes(&self.text[start..self.cursor]).count();
        let target = if by < 0 {
            if start == 0 {
                return;
            }
            self.text[..start - 1].rfind('\n').map_or(0, |at| at + 1)
        } else {
            let end = self.line_end();
            if end == self.text.len() {
                return;
            }
            end + 1
        };
        let line = self.text[target..].split('\n').next().unwrap_or("");
        self.cursor = target + graphemes(line).take(column).map(str::len).sum::<usize>();
    }
}

/// A paste on one line: line breaks become blanks, blanks at the ends stay.
fn one_line(text: &str) -> String {
    clean_block(&text.replace(['\n', '\r', '\t'], " "))
}

fn push(rows: &mut [String], text: &str) {
    if let Some(last) = rows.last_mut() {
        last.push_str(text);
    }
}

/// Takes the last word of a full row for the next one, where the row has more than one.
fn carry(row: &mut String) -> String {
    match row.rfind(' ') {
        Some(at) if at + 1 < row.len() => row.split_off(at + 1),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut Editor, keys: &str) {
        for name in keys.split(' ') {
            assert!(editor.key(name.parse().unwrap()), "{name}");
        }
    }

    #[test]
    fn graphemes_are_edited_whole() {
        let mut editor = Editor::line("ab");
        editor.insert("e\u{301}日");
        typed(&mut editor, "Left Backspace x");
        assert_eq!(editor.text(), "abx日");
        typed(&mut editor, "C-a Delete C-e C-w");
        assert_eq!(editor.text(), "");
    }

    #[test]
    fn a_line_never_gets_a_line_break() {
        let mut editor = Editor::line("");
        editor.insert("a\nb\u{1b}[31m");
        assert_eq!(editor.text(), "a b[31m");
        assert!(!editor.key("Enter".parse().unwrap()));
    }

    #[test]
    fn blocks_move_up_and_down_and_wrap_at_words() {
        let mut editor = Editor::block();
        editor.insert("one two\nthree");
        typed(&mut editor, "Up x");
        assert_eq!(editor.text(), "one txwo\nthree");
        let (rows, at) = editor.wrapped(5);
        assert_eq!(rows, ["one ", "txwo", "three"]);
        assert_eq!(at, (1, 2));
    }
}
