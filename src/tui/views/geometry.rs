//! What the update has to know of the drawing: how much is on view, and what is on a line.

use crate::domain::rail::SectionKey;
use crate::tui::action::Context;
use crate::tui::app::plan::PlanDialog;
use crate::tui::app::{App, View};

use super::rail::Entry;
use super::{details, help, jobs, palette, pane, plan, rail, trash};
use crate::tui::event::Tab;

/// What a line of the sections stands for.
pub(in crate::tui) enum RailTarget {
    /// A section.
    Section(SectionKey),
    /// The trash.
    Trash,
}

/// What is on a line of the sections.
pub(in crate::tui) fn rail_target(app: &App, line: usize) -> Option<RailTarget> {
    let height = usize::from(app.layout().rail.height);
    match rail::entries(app, height).get(line)? {
        Entry::Section(_, section) => Some(RailTarget::Section(section.key.clone())),
        Entry::Trash => Some(RailTarget::Trash),
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

/// Lines of the help that are not on view.
pub(in crate::tui) fn help_beyond(app: &App, context: Context) -> usize {
    help::beyond(app, context)
}
