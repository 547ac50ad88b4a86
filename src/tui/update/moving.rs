//! Moving about: rows, sections, columns, tabs.

use crate::tui::app::list::{WINDOW, Wanted};
use crate::tui::app::{App, Focus, View};
use crate::tui::event::{Effect, Tab};
use crate::tui::views::row_of;

use super::{place, reading, wall};

/// Columns that a text is scrolled by.
pub(super) const SIDEWAYS: isize = 8;

/// A movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// By so many rows.
    By(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl Step {
    /// Where it leads from `at`, among so many rows.
    pub(super) fn from(self, at: usize, rows: usize) -> usize {
        let last = rows.saturating_sub(1);
        match self {
            Self::By(by) => at.saturating_add_signed(by).min(last),
            Self::First => 0,
            Self::Last => last,
        }
    }
}

/// Rows of a page.
pub(super) fn page(app: &App) -> isize {
    if app.view == View::Wall {
        return wall::PAGE;
    }
    let layout = app.layout();
    let rows = if app.focus == Focus::Right { layout.right } else { layout.list_rows() };
    (rows.height as isize - 1).max(1)
}

pub(super) fn go(app: &mut App, step: Step, effects: &mut Vec<Effect>) {
    match (app.view, app.focus) {
        (View::Wall, _) => wall::go(app, step),
        (View::Sessions | View::Trash, Focus::Rail) => go_section(app, step, effects),
        (View::Jobs, Focus::Right) => {
            let rows = app.jobs.current().map_or(0, |operation| operation.session_ids.len());
            app.jobs.scroll = step.from(app.jobs.scroll, rows);
        }
        (View::Jobs, _) => {
            let at = step.from(app.jobs.index(), app.jobs.operations.len());
            app.jobs.select(at);
        }
        (_, Focus::Right) => scroll_pane(app, step, effects),
        (_, Focus::List) => go_row(app, step, effects),
    }
}

fn go_row(app: &mut App, step: Step, effects: &mut Vec<Effect>) {
    let ticket = app.tickets + 1;
    let list = app.current_list_mut();
    let after = list.offset + list.rows().len() < list.total as usize;
    let jump = match step {
        Step::First if list.offset > 0 => Some((0, Wanted::First)),
        Step::Last if after => Some(((list.total as usize).saturating_sub(WINDOW), Wanted::Last)),
        _ => None,
    };
    if let Some((offset, wanted)) = jump {
        let query = list.again(ticket, offset, wanted);
        app.tickets = ticket;
        effects.push(Effect::LoadPage { ticket, query });
        return;
    }
    let lines = list.lines().len();
    let at = step.from(list.index, lines);
    list.select(at);
}

fn go_section(app: &mut App, step: Step, effects: &mut Vec<Effect>) {
    let places = app.rail_places();
    let at = app.rail_index().unwrap_or(0);
    let next = step.from(at, places.len());
    if let Some(there) = places.get(next).filter(|_| next != at) {
        place::rail(app, there, effects);
        app.focus = Focus::Rail;
    }
}

/// Scrolls the right pane.
pub(super) fn scroll_pane(app: &mut App, step: Step, effects: &mut Vec<Effect>) {
    if app.tab != Tab::Screen {
        let rows = crate::tui::views::pane_lines(app);
        app.tab_top = step.from(app.tab_top, rows);
        return;
    }
    let by = match step {
        Step::By(by) => by,
        Step::First => isize::MIN,
        Step::Last => isize::MAX,
    };
    reading::scroll_by(app, by, effects);
}

/// Scrolls a text sideways; where all of it is on view, goes to the tab or column there.
pub(super) fn scroll_text(app: &mut App, by: isize) {
    let beyond = crate::tui::views::pane_beyond(app);
    if beyond > 0 {
        app.tab_left = app.tab_left.saturating_add_signed(by).min(beyond);
    } else if by < 0 {
        collapse(app);
    } else {
        expand(app);
    }
}

/// The columns that can have the focus.
fn columns_of(app: &App) -> &'static [Focus] {
    match app.view {
        View::Sessions => &[Focus::Rail, Focus::List, Focus::Right],
        View::Trash => &[Focus::Rail, Focus::List],
        View::Jobs => &[Focus::List, Focus::Right],
        View::Wall => &[Focus::List],
    }
}

pub(super) fn turn_column(app: &mut App, by: isize) {
    if app.view == View::Wall {
        return wall::turn(app, by);
    }
    let columns = columns_of(app);
    let at = columns.iter().position(|focus| *focus == app.focus).unwrap_or(0);
    let next = (at as isize + by).rem_euclid(columns.len() as isize);
    app.focus = columns[next.unsigned_abs()];
}

pub(super) fn collapse(app: &mut App) {
    match (app.view, app.focus) {
        (View::Wall, _) => wall::turn(app, -1),
        (View::Sessions, Focus::Right) if app.tab != Tab::Screen => turn_tab(app, -1),
        (_, Focus::Right) => app.focus = Focus::List,
        (View::Sessions | View::Trash, Focus::List) => {
            let folded = app.current_list_mut().collapse();
            app.focus = if folded { Focus::List } else { Focus::Rail };
        }
        _ => {}
    }
}

pub(super) fn expand(app: &mut App) {
    match (app.view, app.focus) {
        (View::Wall, _) => wall::turn(app, 1),
        (View::Sessions, Focus::Right) => turn_tab(app, 1),
        (_, Focus::Rail) => app.focus = Focus::List,
        (View::Jobs, Focus::List) => app.focus = Focus::Right,
        (_, Focus::List) => {
            let stays = app.current_list_mut().expand() || app.view != View::Sessions;
            app.focus = if stays { Focus::List } else { Focus::Right };
        }
        _ => {}
    }
}

fn turn_tab(app: &mut App, by: isize) {
    let at = Tab::ALL.iter().position(|tab| *tab == app.tab).unwrap_or(0);
    let next = at.saturating_add_signed(by).min(Tab::ALL.len() - 1);
    app.tab = Tab::ALL[next];
    app.show_tab_start();
}

/// Selects what is drawn on a line of the list's area.
pub(super) fn select_line(app: &mut App, line: usize) {
    if let Some(at) = row_of(app, line) {
        match app.view {
            View::Jobs => app.jobs.select(at),
            _ => app.current_list_mut().select(at),
        }
    }
}
