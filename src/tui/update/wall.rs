//! The wall: which tiles it has, moving among them, more and fewer of them.

use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::tui::action::Action;
use crate::tui::app::wall::{FEWEST, Grid, MOST, Wall};
use crate::tui::app::{App, View};
use crate::tui::event::Effect;

use super::moving::Step;

/// Rows of a page: more than the wall ever has.
pub(super) const PAGE: isize = 4;

/// Shows the wall anew: who waits now comes first.
pub(super) fn open(app: &mut App) {
    app.wall = Wall { wanted: app.wall.wanted, ..Wall::default() };
    app.wall.candidates = app.wall_candidates();
    fill(app);
    let selected = app.list.selected.as_ref();
    let at = app.wall.tiles.iter().position(|id| Some(id) == selected);
    app.wall.focus = at.unwrap_or(0);
}

/// Gives free places to whoever came to wait since, and asks for what the tiles say. `others`: who has a
/// place may have changed.
pub(super) fn settle(app: &mut App, others: bool, effects: &mut Vec<Effect>) {
    if app.view != View::Wall || (!others && app.wall.area == app.layout().wall) {
        return;
    }
    app.wall.candidates = app.wall_candidates();
    fill(app);
    if app.wall.asked != app.wall.tiles {
        app.wall.asked.clone_from(&app.wall.tiles);
        ask(app, effects);
    }
}

/// Asks for what the tiles say.
pub(super) fn ask(app: &App, effects: &mut Vec<Effect>) {
    if !app.wall.asked.is_empty() {
        effects.push(Effect::LoadTiles(app.wall.asked.clone()));
    }
}

/// What the store says of the tiles.
pub(super) fn arrived(app: &mut App, asked: &[SessionId], sessions: Vec<Session>) {
    if asked != app.wall.asked {
        return;
    }
    let there = sessions.into_iter().filter(|session| session.deletion.is_none());
    app.wall.sessions = there.map(|session| (session.id.clone(), session)).collect();
    let gone = app.wall.asked.iter().filter(|id| !app.wall.sessions.contains_key(*id));
    app.wall.gone = gone.cloned().collect();
}

/// A tile keeps its place; only free ones, and those of sessions that are gone, are given anew, but never
/// the one that is typed to.
fn fill(app: &mut App) {
    app.wall.area = app.layout().wall;
    let room = Grid::of(app.wall.area, app.wall.wanted.min(app.wall_total())).tiles;
    let typed = app.typing.as_ref().map(|typing| &typing.id);
    let wall = &mut app.wall;
    let free = wall.candidates.iter().filter(|id| !wall.tiles.contains(id));
    let mut free: Vec<SessionId> = free.take(MOST).cloned().collect();
    free.reverse();
    if wall.focus >= room && wall.focus < wall.tiles.len() {
        // What the operator looks at stays, whatever the size of the window.
        wall.tiles.swap(room - 1, wall.focus);
        wall.focus = room - 1;
    }
    wall.tiles.truncate(room);
    for at in 0..wall.tiles.len() {
        if wall.gone.contains(&wall.tiles[at])
            && typed != Some(&wall.tiles[at])
            && let Some(next) = free.pop()
        {
            wall.tiles[at] = next;
        }
    }
    while wall.tiles.len() < room
        && let Some(next) = free.pop()
    {
        wall.tiles.push(next);
    }
    // Two need more room than three, where those stand one below the other.
    wall.tiles.truncate(Grid::of(wall.area, wall.tiles.len()).tiles);
    wall.focus = wall.focus.min(wall.tiles.len().saturating_sub(1));
}

/// Moves the focus by rows.
pub(super) fn go(app: &mut App, step: Step) {
    let grid = app.wall_grid();
    let tiles = app.wall.tiles.len();
    let Some(last) = tiles.checked_sub(1) else {
        return;
    };
    let row = |at: usize| at / grid.columns;
    match step {
        Step::First => app.wall.focus = 0,
        Step::Last => app.wall.focus = last,
        Step::By(by) => {
            for _ in 0..by.unsigned_abs().min(tiles) {
                let at = app.wall.focus;
                app.wall.focus = if by < 0 {
                    at.checked_sub(grid.columns).unwrap_or(at)
                } else if row(at) < row(last) {
                    (at + grid.columns).min(last)
                } else {
                    at
                };
            }
        }
    }
}

/// Moves the focus to a tile before or behind.
pub(super) fn turn(app: &mut App, by: isize) {
    let tiles = app.wall.tiles.len();
    app.wall.focus = Step::By(by).from(app.wall.focus, tiles);
}

/// More tiles, or fewer.
pub(super) fn resize(app: &mut App, action: Action) {
    let shown = app.wall.tiles.len();
    app.wall.wanted = match action {
        Action::MoreTiles => (app.wall.wanted + 1).min(MOST),
        _ => shown.saturating_sub(1).max(FEWEST),
    };
}

/// Gives the focus to the tile of a session. One without a tile takes the place of one that neither
/// waits nor is marked, else of the one with the focus.
pub(super) fn show(app: &mut App, session: Session) {
    let tiles = &app.wall.tiles;
    let at = tiles.iter().position(|id| *id == session.id).unwrap_or_else(|| {
        let idle = tiles.iter().position(|id| !app.wall.candidates.contains(id));
        idle.unwrap_or(app.wall.focus)
    });
    app.wall.focus = at;
    if let Some(tile) = app.wall.tiles.get_mut(at) {
        tile.clone_from(&session.id);
        app.wall.sessions.insert(session.id.clone(), session);
    }
}
