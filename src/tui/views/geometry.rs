//! What the update has to know of the drawing: how much is on view, and what is on a line.

use crate::domain::event::Message;
use crate::domain::search::Search;
use crate::tui::action::Context;
use crate::tui::app::plan::PlanDialog;
use crate::tui::app::{App, RailPlace, View};

use super::rail::Entry;
use super::{details, everywhere, help, jobs, palette, pane, plan, rail, trash};
use crate::tui::event::Tab;

/// Lines of a message above what was found in it.
const ABOVE: usize = 3;

/// What is on a line of the sections.
pub(in crate::tui) fn rail_place(app: &App, line: usize) -> Option<RailPlace> {
    let height = usize::from(app.layout().rail.height);
    match rail::entries(app, height).get(line)? {
        Entry::Section(_, section) => Some(RailPlace::Section(section.key.clone())),
        Entry::Filter(_, filter) => Some(RailPlace::Filter(filter.name.clone())),
        Entry::Trash => Some(RailPlace::Trash),
        Entry::Gap => None,
    }
}

/// Place of the row that is on a line of the list.
pub(in crate::tui) fn row_of(app: &App, line: usize) -> Option<usize> {
    let list = app.current_list();
    match app.view {
        View::Sessions => Some(list.top + line).filter(|at| *at < list.lines().len()),
        View::Trash => trash::row_at(list, list.top + line),
        View::Jobs => jobs::index_at(app, line),
        View::Wall => None,
    }
}

/// The line that the selection of the list is drawn on, and how many lines there are.
pub(in crate::tui) fn list_line(app: &App) -> (usize, usize) {
    let list = app.current_list();
    match app.view {
        View::Trash => (trash::line_of(list, list.index), trash::height(list)),
        _ => (list.index, list.lines().len()),
    }
}

/// Lines of the chosen tab of the right pane.
pub(in crate::tui) fn pane_lines(app: &App) -> usize {
    match (app.tab, app.selected()) {
        (Tab::Screen, _) | (_, None) => 0,
        (Tab::Details, Some(session)) => details::height(app, session),
        (tab, Some(session)) => pane::content_height(app, session, tab),
    }
}

/// Columns of the chosen tab's text that are not on view.
pub(in crate::tui) fn pane_beyond(app: &App) -> usize {
    match (app.tab, app.selected()) {
        (Tab::Screen | Tab::Details, _) | (_, None) => 0,
        (tab, Some(session)) => pane::content_beyond(app, session, tab),
    }
}

/// Lines of the plan's list on view.
pub(in crate::tui) fn plan_rows(app: &App, dialog: &PlanDialog) -> usize {
    plan::list_rows(app, dialog)
}

/// Matches of the palette on view.
pub(in crate::tui) fn palette_rows(app: &App) -> usize {
    palette::rows(app)
}

/// Places on view of what is found everywhere.
pub(in crate::tui) fn everywhere_rows(app: &App) -> usize {
    everywhere::rows(app)
}

/// The line of the messages on which one begins, or a few above what was found in it where that is
/// far below.
pub(in crate::tui) fn message_line(messages: &[Message], at: usize, search: &Search) -> usize {
    let lines = |message: &Message| message.text.lines().count() + 2;
    let head: usize = messages.iter().take(at).map(lines).sum();
    let text = messages.get(at).map_or("", |message| message.text.as_str());
    let hit = text.lines().position(|line| !search.hits(line).is_empty()).unwrap_or(0);
    head + hit.saturating_sub(ABOVE)
}

/// Lines of the help that are not on view.
pub(in crate::tui) fn help_beyond(app: &App, context: Context) -> usize {
    help::beyond(app, context)
}
