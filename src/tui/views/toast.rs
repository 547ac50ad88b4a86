//! The newest notice, bottom right.

use ratatui::layout::Rect;

use super::help::wrap;
use super::pen::{Pen, Span};
use crate::tui::action::Action;
use crate::tui::app::layout::Layout;
use crate::tui::app::toast::ToastKind;
use crate::tui::app::{App, View};
use crate::tui::theme::{Ground, Role};

/// Widest a notice gets.
const CELLS: u16 = 60;
/// Lines of text, at most.
const LINES: usize = 6;

/// Draws it. It never covers the selected row or the bottom line.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let Some(toast) = app.toasts.shown() else {
        return;
    };
    let (cols, rows) = app.setup.size;
    if cols < 24 || rows < 8 {
        return;
    }
    let width = CELLS.min(cols - 2);
    let room = usize::from(width.saturating_sub(7));
    let title = wrap(&toast.title, room.saturating_sub(8));
    let text: Vec<String> = toast.lines.iter().flat_map(|line| wrap(line, room)).collect();
    let lines = (title.len() + text.len()).min(LINES);
    let height = (lines as u16 + 3).min(rows.saturating_sub(3));
    let bottom = if layout.closing.height > 0 { layout.closing.y } else { layout.keys.y.max(1) };
    let x = cols - width - 1;
    let mut area = Rect::new(x, bottom.saturating_sub(height), width, height);
    if selected_row(app, layout).is_some_and(|row| (area.top()..area.bottom()).contains(&row)) {
        area.y = layout.list_rows().y.min(bottom.saturating_sub(height));
    }
    let (role, sign, glyph) = match toast.kind {
        ToastKind::Error => (Role::Danger, pen.bold(Role::Danger), pen.glyphs.errored),
        ToastKind::Partly => (Role::Respond, pen.bold(Role::Respond), pen.glyphs.stuck),
        ToastKind::Result => (Role::Accent, pen.role(Role::Accent), pen.glyphs.done),
    };
    let mut pen = pen.within(area);
    pen.on(Ground::Overlay);
    pen.blank(area);
    if !pen.theme.has_overlay() {
        outline(&mut pen, area);
    }
    for y in area.top()..area.bottom() {
        pen.cell(area.x, y, pen.glyphs.bar, pen.role(role));
    }
    let (left, right) = (area.x + 5, area.right().saturating_sub(2));
    let mut y = area.y + 1;
    pen.text(area.x + 3, y, 1, glyph, sign);
    if app.toasts.len() > 1 {
        let count = format!("1 of {}", app.toasts.len());
        pen.right(right, y, 8, &count, pen.role(Role::Muted));
    }
    let styled = title.iter().map(|line| (line, pen.bold(Role::Text)));
    let rest = text.iter().enumerate().map(|(at, line)| {
        (line, if at == 0 { pen.role(Role::Text) } else { pen.role(Role::Muted) })
    });
    let all: Vec<_> = styled.chain(rest).take(lines).collect();
    for (line, style) in all {
        pen.text(left, y, right.saturating_sub(left), line, style);
        y += 1;
    }
    let keys = keys(&pen, app, &toast.keys);
    pen.spans(left, y.min(area.bottom().saturating_sub(1)), right.saturating_sub(left), &keys);
}

/// The keys that act on it; Esc always dismisses.
fn keys(pen: &Pen<'_>, app: &App, actions: &[Action]) -> Vec<Span> {
    let contexts = [app.view_context(), crate::tui::action::Context::Global];
    let mut spans: Vec<Span> = Vec::new();
    for action in actions {
        let word = match action {
            Action::Undo => "undo",
            Action::Restore => "launch them",
            Action::Jobs => "open the jobs",
            other => other.spec().short,
        };
        if let Some(key) = app.setup.keymap.key_label(&contexts, *action) {
            spans.push((key, pen.role(Role::Key)));
            spans.push((format!(" {word}   "), pen.role(Role::Muted)));
        }
    }
    spans.push(("Esc".to_owned(), pen.role(Role::Key)));
    spans.push((" dismiss".to_owned(), pen.role(Role::Muted)));
    spans
}

/// A thin box, where there is no ground to set it off.
fn outline(pen: &mut Pen<'_>, area: Rect) {
    let (glyphs, border) = (pen.glyphs, pen.role(Role::Border));
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for x in area.x..right {
        pen.cell(x, area.y, glyphs.rule, border);
        pen.cell(x, bottom, glyphs.rule, border);
    }
    for y in area.y..bottom {
        pen.cell(right, y, glyphs.column, border);
    }
    pen.cell(right, area.y, glyphs.top_right, border);
    pen.cell(right, bottom, glyphs.bottom_right, border);
}

/// The line of the window that the selected row is on.
fn selected_row(app: &App, layout: &Layout) -> Option<u16> {
    if matches!(app.view, View::Jobs | View::Wall) || app.current_list().rows().is_empty() {
        return None;
    }
    let list = app.current_list();
    let at = match app.view {
        View::Trash => super::trash::line_of(list, list.index),
        _ => list.index,
    };
    Some(layout.list_rows().y + at.checked_sub(list.top)? as u16)
}
