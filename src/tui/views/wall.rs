//! The wall: tiles that hang from their rules and share the lines between them (`spec/look.md`
//! section 8).

use ratatui::layout::Rect;

use super::pane::{below, crop, no_screen};
use super::pen::{Pen, Span, spans_width};
use super::signs::status_sign;
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::text::{cut, width};
use crate::domain::time::age;
use crate::tui::app::App;
use crate::tui::app::layout::{Layout, inset};
use crate::tui::app::screen::ScreenCells;
use crate::tui::app::wall::Grid;
use crate::tui::app::words::{is_unseen, row_since};
use crate::tui::theme::Role;

/// Tiles of so many rows leave the last one empty.
const ROOMY: u16 = 10;

/// Draws it; answers where the cursor of the agent is that is typed to.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let grid = app.wall_grid();
    let tiles = &app.wall.tiles;
    let mut cursor = None;
    for (at, place) in grid.places.iter().enumerate() {
        let mut pen = pen.within(*place);
        match tiles.get(at) {
            Some(id) => cursor = tile(&mut pen, app, id, at == app.wall.focus, *place).or(cursor),
            None => pen.rule(place.x, place.y, place.width, false, &[], &[]),
        }
    }
    if tiles.is_empty() {
        let (x, y) = (layout.wall.x + 1, layout.wall.y + 2);
        let text = "Nobody needs you and nothing is marked.";
        pen.text(x, y, layout.wall.width.saturating_sub(2), text, pen.role(Role::Muted));
    }
    close(pen, app, layout, &grid);
    lines(pen, app, layout, &grid);
    cursor
}

/// The rule below everything, with how many are on view.
fn close(pen: &mut Pen<'_>, app: &App, layout: &Layout, grid: &Grid) {
    let rule = layout.closing;
    if rule.height == 0 {
        return;
    }
    pen.rule(rule.x, rule.y, rule.width, false, &[], &[]);
    let shown = app.wall.tiles.len();
    let Some(last) = grid.places.last().filter(|_| shown > 0) else {
        return;
    };
    let text = format!("{shown} of {} waiting or marked", app.wall_total());
    let text = [(text, pen.role(Role::Muted))];
    pen.rule(last.x, rule.y, last.width, false, &[], &text);
}

/// The lines between tiles, with their joints.
fn lines(pen: &mut Pen<'_>, app: &App, layout: &Layout, grid: &Grid) {
    let (style, glyphs) = (pen.role(Role::Border), pen.glyphs);
    let focused = |at: usize| at == app.wall.focus && at < app.wall.tiles.len();
    for (at, place) in grid.places.iter().enumerate() {
        if (at + 1) % grid.columns == 0 {
            continue;
        }
        let x = place.right();
        let joint = match (at < grid.columns, focused(at), focused(at + 1)) {
            (false, ..) => glyphs.cross,
            (true, true, _) => glyphs.tee_down_left,
            (true, _, true) => glyphs.tee_down_right,
            (true, ..) => glyphs.tee_down,
        };
        pen.cell(x, place.y, joint, style);
        for y in place.y + 1..place.bottom() {
            pen.cell(x, y, glyphs.column, style);
        }
        if layout.closing.height > 0 && place.bottom() == layout.closing.y {
            pen.cell(x, layout.closing.y, glyphs.tee_up, style);
        }
    }
}

/// One tile.
fn tile(
    pen: &mut Pen<'_>,
    app: &App,
    id: &SessionId,
    focused: bool,
    place: Rect,
) -> Option<(u16, u16)> {
    let session = app.known(id);
    let typing = focused && app.typing.is_some();
    let (left, right) = title(pen, app, id, session, focused, place.width);
    pen.rule(place.x, place.y, place.width, focused, &left, &right);
    let below = 1 + u16::from(place.height >= ROOMY);
    let area = Rect { y: place.y + 1, height: place.height.saturating_sub(below), ..inset(place) };
    screen(pen, app, id, session, area, typing)
}

/// State, id and title on the rule, and the age.
fn title(
    pen: &Pen<'_>,
    app: &App,
    id: &SessionId,
    session: Option<&Session>,
    focused: bool,
    cells: u16,
) -> (Vec<Span>, Vec<Span>) {
    let id_role = if focused { Role::Title } else { Role::Muted };
    let name: Span = (id.to_string(), pen.role(id_role));
    let Some(session) = session else {
        return (vec![name], Vec::new());
    };
    let busy = app.jobs.busy_word(id).is_some();
    let (glyph, sign) = if busy {
        (pen.glyphs.detecting, pen.role(Role::Accent))
    } else {
        status_sign(pen, session.condition.status)
    };
    let right = vec![(age(app.now, row_since(session)), pen.role(Role::Muted))];
    let mut left = vec![(format!("{glyph} "), sign), name];
    // What the rule keeps for itself between the two.
    let used = spans_width(&left) + spans_width(&right) + 8;
    let room = usize::from(cells.saturating_sub(used + 1));
    let role = if is_unseen(&session.condition) || focused { Role::Attention } else { Role::Text };
    let title = cut(&session.title, room, pen.glyphs.cut);
    if width(&title) > 0 {
        left.push((format!(" {title}"), pen.role(role)));
    }
    (left, right)
}

/// The crop of a live screen, its last used line at the bottom; or why there is none.
fn screen(
    pen: &mut Pen<'_>,
    app: &App,
    id: &SessionId,
    session: Option<&Session>,
    mut area: Rect,
    typing: bool,
) -> Option<(u16, u16)> {
    let muted = pen.role(Role::Muted);
    if app.wall.gone.contains(id) {
        pen.text(area.x, area.y, area.width, "Deleted.", muted);
        return None;
    }
    let Some(cells) = app.screens.get(id) else {
        let text = session.and_then(|session| no_screen(app, session))?;
        pen.text(area.x, area.y, area.width, &text, muted);
        return None;
    };
    if let Some(text) = below(app, session, cells) {
        area.height = area.height.saturating_sub(1);
        pen.text(area.x, area.bottom(), area.width, &text, muted);
    }
    let (left, first, blank) = window(cells, area, typing);
    area.y += blank;
    area.height -= blank;
    crop(pen, cells, area, (left, first), false);
    let (col, row) = cells.cursor.filter(|_| typing)?;
    let (x, y) = (col.checked_sub(left)?, usize::from(row).checked_sub(first)? as u16);
    (x < area.width && y < area.height).then_some((area.x + x, area.y + y))
}

/// First column and row of a screen on view, and the blank rows above them. Where it is typed to, its
/// cursor is on view.
fn window(cells: &ScreenCells, area: Rect, typing: bool) -> (u16, usize, u16) {
    let height = usize::from(area.height);
    let cursor = cells.cursor.filter(|_| typing);
    let row = cursor.map(|(_, row)| usize::from(row));
    let used = cells.used().max(row.map_or(0, |row| row + 1));
    let first = used.saturating_sub(height);
    let first = row.map_or(first, |row| first.min(row));
    let left = cursor.map_or(0, |(col, _)| (col + 2).saturating_sub(area.width));
    (left, first, height.saturating_sub(used) as u16)
}
