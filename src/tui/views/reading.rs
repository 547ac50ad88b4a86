//! A terminal that is read: rows of its document, the selection, matches, and how far back it is.

use std::sync::Arc;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::bottom;
use super::pen::{Pen, Span};
use crate::domain::text::width;
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::editor::Editor;
use crate::tui::app::reading::{Older, Pos, Reading, may_open};
use crate::tui::theme::Role;

/// Draws what is read; answers where its cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, reading: &Reading, area: Rect) -> Option<(u16, u16)> {
    for (y, line) in (area.y..area.bottom()).zip(reading.top..) {
        row(pen, reading, area, y, line);
    }
    mark(pen, reading, area);
    let cursor = reading.cursor?;
    let x = cursor.col.checked_sub(reading.left)?;
    let y = u16::try_from(cursor.line.checked_sub(reading.top)?).ok()?;
    (x < area.width && y < area.height).then_some((area.x + x, area.y + y))
}

fn row(pen: &mut Pen<'_>, reading: &Reading, area: Rect, y: u16, line: usize) {
    let mut empty = true;
    let mut known: Option<Arc<str>> = None;
    for cell in reading.document.cells(line) {
        empty = false;
        let Some(x) = cell.col.checked_sub(reading.left) else {
            continue;
        };
        if x + cell.width > area.width {
            pen.text(area.right().saturating_sub(1), y, 1, pen.glyphs.more, pen.role(Role::Muted));
            return;
        }
        let pos = Pos { line, col: cell.col };
        let mut style = cell.style;
        if reading.is_hit(pos) {
            style = style.patch(pen.role(Role::Match));
        }
        if reading.is_selected(pos) {
            style = reversed(style);
        }
        pen.raw(area.x + x, y, cell.width, cell.text, style);
        if let Some(target) = cell.link {
            if known.as_deref() != Some(target) {
                known = may_open(target).then(|| Arc::from(target));
            }
            if let Some(link) = &known {
                pen.link(area.x + x, y, link);
            }
        }
    }
    if empty && line < reading.document.len() && reading.is_selected(Pos { line, col: 0 }) {
        pen.cell(area.x, y, " ", reversed(Style::new()));
    }
}

/// What is reversed already stands out by being the other way round.
fn reversed(style: Style) -> Style {
    if style.add_modifier.contains(Modifier::REVERSED) {
        style.remove_modifier(Modifier::REVERSED)
    } else {
        style.add_modifier(Modifier::REVERSED)
    }
}

/// How far back it is, in the corner above the text.
fn mark(pen: &mut Pen<'_>, reading: &Reading, area: Rect) {
    let mut parts = Vec::new();
    if let Some(search) = &reading.search {
        let at = search.hits.iter().position(|hit| Some(hit.first) == reading.cursor);
        let hits = search.hits.len();
        parts
            .push(at.map_or_else(|| format!("{hits} found"), |at| format!("{} of {hits}", at + 1)));
    }
    if reading.cursor.is_some() {
        parts.push("copy".to_owned());
    }
    if matches!(reading.older, Older::Asked(_)) {
        parts.push("reading older lines".to_owned());
    }
    if reading.back() > 0 {
        parts.push(format!("{} of {} back", reading.back(), reading.home));
    }
    if reading.newer && reading.cursor.is_none() {
        parts.push("new below".to_owned());
    }
    let separator = format!(" {} ", pen.glyphs.dot);
    let text = format!(" {} ", parts.join(&separator));
    let cells = width(&text).min(usize::from(area.width)) as u16;
    let style = reversed(pen.role(Role::Accent));
    pen.raw(area.right() - cells, area.y, cells, &text, style);
}

/// Words on the rule of the pane.
pub(super) fn titles(
    pen: &Pen<'_>,
    app: &App,
    reading: &Reading,
    agent: &str,
) -> (Vec<Span>, Vec<Span>) {
    let left = vec![
        (format!("reading {}", reading.id), pen.role(Role::Title)),
        (format!("  {agent}"), pen.role(Role::Muted)),
    ];
    (left, leave_hint(pen, app, "leaves"))
}

/// `Esc leaves`.
pub(super) fn leave_hint(pen: &Pen<'_>, app: &App, word: &str) -> Vec<Span> {
    bottom::hint(pen, app, Context::Copy, Action::LeaveCopy, word)
}

/// The text that is looked for, on the last row of the pane; answers where the cursor is.
pub(super) fn search_line(
    pen: &mut Pen<'_>,
    app: &App,
    editor: &Editor,
    backwards: bool,
) -> Option<(u16, u16)> {
    let area = app.screen_area();
    let y = area.bottom().checked_sub(1)?;
    let action = if backwards { Action::SearchBack } else { Action::SearchOn };
    let key = app.setup.keymap.key_label(&[Context::Copy], action);
    let sign = format!("{} ", key.unwrap_or_else(|| "/".to_owned()));
    pen.blank(Rect { y, height: 1, ..area });
    let used = pen.text(area.x, y, area.width, &sign, pen.role(Role::Accent));
    let room = area.width - used;
    pen.text(area.x + used, y, room, editor.text(), pen.role(Role::Text));
    let (_, (_, col)) = editor.wrapped(usize::from(u16::MAX));
    Some((area.x + used + (col as u16).min(room.saturating_sub(1)), y))
}
