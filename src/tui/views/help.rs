//! The keys of a context, generated from the key map.

use ratatui::layout::Rect;

use super::dialog::{centred, frame};
use super::pen::{Pen, Span};
use crate::domain::text::{pad, width};
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::theme::Role;

/// Cells of the keys with the gap after them.
const KEYS: usize = 15;

fn area(app: &App) -> Rect {
    let (cols, rows) = app.setup.size;
    let height = rows.saturating_sub(3).max(5);
    if cols >= 80 {
        centred(app, 78, height.min(40), (4, 1))
    } else {
        centred(app, cols, height, (2, 1))
    }
}

/// Contexts that the help of one place speaks of.
fn contexts(context: Context) -> Vec<Context> {
    match context {
        Context::Dialog
        | Context::Form
        | Context::Text
        | Context::Terminal
        | Context::Copy
        | Context::Global => {
            vec![context]
        }
        _ => vec![context, Context::Global],
    }
}

/// The lines in one or two columns.
fn lines(pen: &Pen<'_>, app: &App, context: Context) -> Vec<Vec<Vec<Span>>> {
    let groups = app.setup.keymap.help(&contexts(context));
    let cells = usize::from(area(app).width.saturating_sub(6));
    let two = cells >= 64;
    let room = if two { cells / 2 - 1 } else { cells };
    let blocks: Vec<Vec<Vec<Span>>> = groups
        .iter()
        .map(|group| {
            let mut block = vec![vec![(group.title.to_owned(), pen.role(Role::Muted))]];
            for line in &group.lines {
                for (at, text) in wrap(&line.text, room.saturating_sub(KEYS)).iter().enumerate() {
                    let keys = if at == 0 { line.keys.as_str() } else { "" };
                    block.push(vec![
                        (pad(keys, KEYS), pen.role(Role::Key)),
                        (text.clone(), pen.role(Role::Text)),
                    ]);
                }
            }
            block.push(Vec::new());
            block
        })
        .collect();
    let total: usize = blocks.iter().map(Vec::len).sum();
    let mut columns: Vec<Vec<Vec<Span>>> = vec![Vec::new()];
    for block in blocks {
        let at = columns.len() - 1;
        let half = columns[at].len() + block.len() / 2 > total / 2;
        if two && columns.len() == 1 && half && !columns[at].is_empty() {
            columns.push(Vec::new());
        }
        let at = columns.len() - 1;
        columns[at].extend(block);
    }
    columns
}

/// Lines that are not on view, for the one who scrolls.
pub(in crate::tui) fn beyond(app: &App, context: Context) -> usize {
    let mut buffer = ratatui::buffer::Buffer::empty(Rect::new(0, 0, 1, 1));
    let pen = Pen::new(&mut buffer, app);
    let longest = lines(&pen, app, context).iter().map(Vec::len).max().unwrap_or(0);
    longest.saturating_sub(usize::from(area(app).height.saturating_sub(2)))
}

/// Draws it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, context: Context, top: usize) {
    let area = area(app);
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, &format!("Keys for {}", context.title()));
    let columns = lines(&pen, app, context);
    let n = columns.len() as u16;
    let width = inner.width / n;
    for (at, column) in columns.iter().enumerate() {
        let x = inner.x + at as u16 * width;
        for (row, line) in column.iter().skip(top).take(usize::from(inner.height)).enumerate() {
            pen.spans(x, inner.y + row as u16, width.saturating_sub(1), line);
        }
    }
}

/// A text broken at blanks, and inside words that are longer than a line.
pub(super) fn wrap(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + 1 + width(word) > cells {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        for letter in word.chars() {
            if width(&line) + width(letter.encode_utf8(&mut [0; 4])) > cells && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn texts_break_at_blanks_and_only_long_words_inside() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("at /a/long/path here", 6), ["at", "/a/lon", "g/path", "here"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
