//! The mouse: a click selects, a double click opens, the wheel scrolls. What is done in an agent's screen is in `pane`.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::tui::action::Action;
use crate::tui::app::{App, Focus, View};
use crate::tui::event::{Effect, Tab};
use crate::tui::views::{Hit, hit, pane_beyond, rail_place, row_of};

use super::moving::{self, Step};
use super::pane::TOGETHER;
use super::{above, act, pane, place};

/// Rows that one notch of the wheel scrolls.
pub(super) const NOTCH: isize = 3;

/// The mouse was used.
pub(super) fn used(app: &mut App, mouse: MouseEvent, effects: &mut Vec<Effect>) {
    let at = Position::new(mouse.column, mouse.row);
    if mouse.kind == MouseEventKind::Down(MouseButton::Left) && is_confirmed(app, at) {
        return;
    }
    if !app.overlays.is_empty() {
        // What was pressed is let go also where something lies above it by now.
        let held = app.press.is_some_and(|press| press.held);
        if held && matches!(mouse.kind, MouseEventKind::Up(_)) {
            pane::used(app, mouse, effects);
        }
        let turned = match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                above_clicked(app, at, effects);
                return;
            }
            MouseEventKind::ScrollDown => Action::Down,
            MouseEventKind::ScrollUp => Action::Up,
            _ => return,
        };
        for _ in 0..NOTCH {
            act::act(app, turned, effects);
        }
        return;
    }
    if pane::used(app, mouse, effects) {
        return;
    }
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => {
            let again = is_again(app, at);
            if let Some(Hit::Key(action)) = hit(app, at) {
                app.last_key = app.now;
                act::act(app, action, effects);
                return;
            }
            click(app, at, effects);
            if again && is_row(app, at) {
                act::act(app, Action::Open, effects);
            }
        }
        MouseEventKind::ScrollDown => wheel(app, at, NOTCH, effects),
        MouseEventKind::ScrollUp => wheel(app, at, -NOTCH, effects),
        MouseEventKind::ScrollLeft => wheel_sideways(app, at, -moving::SIDEWAYS),
        MouseEventKind::ScrollRight => wheel_sideways(app, at, moving::SIDEWAYS),
        _ => {}
    }
}

/// A click where something lies above the views: what the key would do.
fn above_clicked(app: &mut App, at: Position, effects: &mut Vec<Effect>) {
    let again = is_again(app, at);
    app.last_key = app.now;
    let layers = app.overlays.len();
    match hit(app, at) {
        Some(Hit::Key(action)) => act::act(app, action, effects),
        Some(Hit::Button(button)) => above::press(app, button, effects),
        Some(Hit::Row(row)) => above::choose_row(app, row, again, effects),
        None => {}
    }
    if app.overlays.len() < layers {
        // A second click on the same place belongs to the first, as a second Enter does.
        app.confirmed_at = Some(app.now);
        app.clicked = Some(((at.x, at.y), app.now));
    }
}

/// Whether a button was pressed in this place a moment ago.
fn is_confirmed(app: &App, at: Position) -> bool {
    let here = app.clicked.is_some_and(|(cell, _)| cell == (at.x, at.y));
    here && app.confirmed_at.is_some_and(|when| app.now.since(when) <= TOGETHER)
}

/// Whether a click is the second of two on one cell.
fn is_again(app: &mut App, at: Position) -> bool {
    let cell = (at.x, at.y);
    let last = app.clicked.replace((cell, app.now));
    let again = last.is_some_and(|(there, when)| there == cell && app.now.since(when) <= TOGETHER);
    if again {
        app.clicked = None;
    }
    again
}

/// Whether something that can be opened is there.
fn is_row(app: &App, at: Position) -> bool {
    let rows = app.layout().list_rows();
    let on_tile = |place: &Rect| place.contains(at);
    match app.view {
        View::Wall => app.wall_grid().places.get(app.wall.focus).is_some_and(on_tile),
        _ => rows.contains(at) && row_of(app, usize::from(at.y - rows.y)).is_some(),
    }
}

fn click(app: &mut App, at: Position, effects: &mut Vec<Effect>) {
    let layout = app.layout();
    // Operations have no names above their columns.
    let rows = if app.view == View::Jobs { layout.list } else { layout.list_rows() };
    app.last_key = app.now;
    if app.shows_wall() {
        click_tile(app, at);
    } else if layout.rail.contains(at) {
        if let Some(there) = rail_place(app, usize::from(at.y - layout.rail.y)) {
            place::rail(app, &there, effects);
        }
        app.focus = Focus::List;
    } else if rows.contains(at) {
        place::leave(app);
        app.reading = None;
        app.focus = Focus::List;
        moving::select_line(app, usize::from(at.y - rows.y));
    } else if layout.right.contains(at) && app.typing.is_none() {
        app.focus = Focus::Right;
    } else if layout.right.width > 0 && at.y == layout.rules.y && app.view == View::Sessions {
        click_tab(app, at, layout.right);
    }
}

fn click_tile(app: &mut App, at: Position) {
    let tiles = app.wall.tiles.len();
    let places = app.wall_grid().places;
    if let Some(tile) = places.iter().take(tiles).position(|place| place.contains(at))
        && tile != app.wall.focus
    {
        place::leave(app);
        app.wall.focus = tile;
    }
}

fn click_tab(app: &mut App, at: Position, pane: Rect) {
    let mut x = pane.x + 2;
    for tab in Tab::ALL {
        let end = x + tab.title().len() as u16;
        if (x..end).contains(&at.x) && app.typing.is_none() {
            app.tab = tab;
            app.show_tab_start();
            app.focus = Focus::Right;
        }
        x = end + 2;
    }
}

fn wheel_sideways(app: &mut App, at: Position, by: isize) {
    if app.layout().right.contains(at) && pane_beyond(app) > 0 {
        moving::scroll_text(app, by);
    }
}

fn wheel(app: &mut App, at: Position, by: isize, effects: &mut Vec<Effect>) {
    let layout = app.layout();
    if layout.right.contains(at) {
        if app.view == View::Jobs {
            app.jobs.scroll = app.jobs.scroll.saturating_add_signed(by);
        } else {
            moving::scroll_pane(app, Step::By(by), effects);
        }
    } else if layout.list.contains(at) && app.typing.is_none() {
        if app.view == View::Jobs {
            let index = Step::By(by).from(app.jobs.index(), app.jobs.operations.len());
            app.jobs.select(index);
        } else {
            let list = app.current_list_mut();
            let index = Step::By(by).from(list.index, list.lines().len());
            list.select(index);
        }
    }
}
