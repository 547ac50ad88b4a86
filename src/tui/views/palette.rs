//! Every action by name.

use ratatui::layout::Rect;

use super::dialog::{centred, cross, frame, inside};
use super::pen::Pen;
use crate::domain::text::cut;
use crate::tui::action::{Action, ActionSpec, Context};
use crate::tui::app::App;
use crate::tui::app::overlay::Palette;
use crate::tui::theme::Role;

/// Rows of matches, at most.
const ROWS: u16 = 12;
/// Lines that say what the selected one does.
const DOC: u16 = 2;

fn area(app: &App) -> Rect {
    centred(app, 68, ROWS + DOC + 5, (4, 2))
}

/// Matches that are on view, for the one who scrolls.
pub(in crate::tui) fn rows(app: &App) -> usize {
    usize::from(area(app).height.saturating_sub(DOC + 5)).max(1)
}

/// The lines of the matches on view.
pub(super) fn list(app: &App) -> Rect {
    let inner = inside(area(app));
    Rect { y: inner.y + 2, height: rows(app) as u16, ..inner }
}

/// Draws it; answers where the cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, palette: &Palette) -> (u16, u16) {
    let area = area(app);
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, "Command");
    let muted = pen.role(Role::Muted);
    let y = inner.y;
    pen.text(inner.x, y, 1, ">", pen.role(Role::Accent));
    let (_, (_, col)) = palette.editor.wrapped(usize::from(u16::MAX));
    let room = inner.width.saturating_sub(14);
    let used = pen.raw(inner.x + 2, y, room, palette.editor.text(), pen.role(Role::Text));
    let count = format!("{} of {}", palette.matches.len(), ActionSpec::all().count() - 1);
    pen.right(inner.right(), y, 12, &count, muted);
    cross(&mut pen, area, y + 1, &[], &[]);
    let contexts = [palette.context, Context::Global];
    let height = rows(app);
    for (at, found) in palette.matches.iter().enumerate().skip(palette.top).take(height) {
        let y = y + 2 + (at - palette.top) as u16;
        let row = Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1);
        let mut pen = pen.within(row);
        if at == palette.index {
            pen.select(row, true);
        }
        let refusal = app.refusal(found.action, &contexts);
        let style = if refusal.is_some() { muted } else { pen.role(Role::Text) };
        let title_room = inner.width.saturating_sub(23);
        let title = cut(&found.title, usize::from(title_room), pen.glyphs.cut);
        for (n, c) in title.chars().enumerate() {
            let hit = found.matched.contains(&n);
            let style = if hit { pen.bold(Role::Accent) } else { style };
            pen.text(inner.x + n as u16, y, 1, c.encode_utf8(&mut [0; 4]), style);
        }
        let remark = refusal.map_or_else(|| target(app, found.action), ToOwned::to_owned);
        pen.text(inner.x + title_room + 1, y, 14, &remark, muted);
        let key = app.setup.keymap.key_label(&contexts, found.action).unwrap_or_default();
        pen.right(inner.right(), y, 7, &key, pen.role(Role::Text));
    }
    if let Some(found) = palette.matches.get(palette.index) {
        let doc = found.action.spec().doc;
        let first = inner.bottom().saturating_sub(DOC);
        for (row, line) in super::help::wrap(doc, usize::from(inner.width)).iter().enumerate() {
            if row < usize::from(DOC) {
                pen.text(inner.x, first + row as u16, inner.width, line, muted);
            }
        }
    } else {
        pen.text(inner.x, y + 2, inner.width, "Nothing matches.", muted);
    }
    (inner.x + 2 + (col as u16).min(used), y)
}

/// What an action would act on.
fn target(app: &App, action: Action) -> String {
    if let Action::Section(_) = action {
        return String::new();
    }
    let marked = app.current_list().marks.count();
    if marked > 0 {
        return format!("{marked} marked");
    }
    app.selected().map(|session| session.id.to_string()).unwrap_or_default()
}
