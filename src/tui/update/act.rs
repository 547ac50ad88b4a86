//! Actions in the views.

use crate::tui::action::{Action, Context};
use crate::tui::app::form::NewForm;
use crate::tui::app::list::Wanted;
use crate::tui::app::overlay::{Overlay, Purpose};
use crate::tui::app::{App, Focus, View};
use crate::tui::event::{Effect, Tab};
use crate::tui::views::row_of;

use super::{above, palette, place, verbs};

/// Does an action, where it is legal.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    if !app.is_legal(action) {
        return;
    }
    app.toasts.acted();
    if app.overlays.is_empty() {
        in_view(app, action, effects);
    } else {
        above::act(app, action, effects);
    }
}

fn in_view(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Down => go(app, Step::By(1), effects),
        Action::Up => go(app, Step::By(-1), effects),
        Action::Top => go(app, Step::First, effects),
        Action::Bottom => go(app, Step::Last, effects),
        Action::HalfDown => go(app, Step::By(page(app) / 2), effects),
        Action::HalfUp => go(app, Step::By(-(page(app) / 2)), effects),
        Action::PageDown => go(app, Step::By(page(app)), effects),
        Action::PageUp => go(app, Step::By(-page(app)), effects),
        Action::NextColumn => turn_column(app, 1),
        Action::PreviousColumn => turn_column(app, -1),
        Action::Collapse => collapse(app),
        Action::Expand => expand(app),
        Action::NextWaiting => place::next_waiting(app, 1, effects),
        Action::PreviousWaiting => place::next_waiting(app, -1, effects),
        Action::Section(number) => {
            let section = app
                .board
                .sections
                .get(usize::from(number).saturating_sub(1));
            if let Some(key) = section.map(|section| section.key.clone()) {
                app.view = View::Sessions;
                app.focus = Focus::List;
                place::section(app, key, Wanted::First, effects);
            }
        }
        Action::Mark | Action::MarkRange | Action::MarkAll | Action::Invert => {
            verbs::mark(app, action);
        }
        Action::ClearMarks => clear(app, effects),
        Action::Details => {
            app.focus = Focus::Right;
            app.tab = Tab::Details;
            app.tab_top = 0;
        }
        Action::Find => {
            let editor = crate::tui::app::editor::Editor::line(&app.current_list().find);
            if app.view == View::Jobs {
                place::view(app, View::Sessions, effects);
            }
            app.focus = Focus::List;
            app.overlays.push(Overlay::Line {
                purpose: Purpose::Find,
                editor,
            });
        }
        Action::Palette => palette::open(app),
        Action::Trash => place::view(app, View::Trash, effects),
        Action::Jobs => place::view(app, View::Jobs, effects),
        Action::Sort => place::sort(app, effects),
        Action::Help => {
            let context = app.view_context();
            app.overlays.push(Overlay::Help { context, top: 0 });
        }
        Action::Open => open(app, false, effects),
        Action::Zoom => open(app, true, effects),
        Action::LeaveAgent => place::leave(app),
        Action::NewSession => {
            let form = draft(app);
            app.overlays.push(Overlay::NewSession(Box::new(form)));
        }
        Action::NewChat => {
            let form = NewForm {
                project: None,
                ..draft(app)
            };
            app.overlays.push(Overlay::NewSession(Box::new(form)));
        }
        Action::QuickNew => line(app, Purpose::QuickNew, ""),
        Action::AddProject => line(app, Purpose::AddProject, ""),
        Action::AddThisFolder => {
            effects.extend(app.setup.repository.clone().map(Effect::AddProject))
        }
        Action::Rename => {
            let selected = app
                .selected()
                .map(|session| (session.id.clone(), session.title.clone()));
            if let Some((id, title)) = selected {
                line(app, Purpose::Rename(id), &title);
            }
        }
        Action::CancelJob => {
            effects.extend(
                app.jobs
                    .current()
                    .map(|job| Effect::CancelJob(job.id.clone())),
            );
        }
        Action::Back if app.view == View::Sessions => app.focus = Focus::List,
        Action::Back => place::view(app, View::Sessions, effects),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Quit => effects.push(Effect::Quit {
            farewell: farewell(app),
        }),
        _ => verbs::act(app, action, effects),
    }
}

/// The line that is printed after leaving.
fn farewell(app: &App) -> String {
    match app.live_count() {
        0 => String::new(),
        1 => "1 agent goes on. callboard brings it back on screen.".to_owned(),
        n => format!("{n} agents go on. callboard brings them back on screen."),
    }
}

fn line(app: &mut App, purpose: Purpose, text: &str) {
    let editor = crate::tui::app::editor::Editor::line(text);
    app.overlays.push(Overlay::Line { purpose, editor });
}

/// The form as it was left, with the projects and agents of now.
pub(super) fn draft(app: &App) -> NewForm {
    let projects: Vec<_> = app
        .board
        .projects
        .iter()
        .map(|project| project.name.clone())
        .collect();
    let agents: Vec<String> = app
        .setup
        .agents
        .iter()
        .filter(|(_, found)| *found)
        .map(|(name, _)| name.clone())
        .collect();
    let here = app
        .section
        .as_ref()
        .and_then(|key| key.path())
        .and_then(|path| {
            app.board
                .projects
                .iter()
                .find(|project| project.path == path)
                .map(|p| p.name.clone())
        });
    let mut form = app
        .draft
        .clone()
        .unwrap_or_else(|| NewForm::new(projects.clone(), agents.clone()));
    let untouched = form.prompt.is_empty() && form.title.is_empty();
    let gone = form
        .project
        .as_ref()
        .is_some_and(|name| !projects.contains(name));
    if untouched || gone {
        form.project = here.or_else(|| projects.first().cloned());
    }
    if !agents.is_empty() && !agents.contains(&form.agent) {
        form.agent.clone_from(&agents[0]);
    }
    form.projects = projects;
    form.agents = agents;
    form.field = crate::tui::app::form::Field::Prompt;
    form.error = None;
    form
}

fn open(app: &mut App, zoom: bool, effects: &mut Vec<Effect>) {
    if app.view == View::Jobs {
        app.focus = Focus::Right;
        return;
    }
    if app.focus == Focus::Rail {
        app.focus = Focus::List;
        return;
    }
    if let Some(id) = app.list.selected.clone() {
        place::type_to(app, id, zoom, effects);
    }
}

/// Esc: the range, then the marks, then the filter.
fn clear(app: &mut App, effects: &mut Vec<Effect>) {
    let list = app.current_list_mut();
    if list.marks.anchor.take().is_some() {
        return;
    }
    if !list.marks.is_empty() {
        list.marks.clear();
        return;
    }
    list.find.clear();
    begin_current(app, Wanted::Same, effects);
}

/// Shows the list of this view again from its start.
pub(super) fn begin_current(app: &mut App, wanted: Wanted, effects: &mut Vec<Effect>) {
    match app.view {
        View::Trash => place::begin_trash(app, wanted, effects),
        _ => place::begin_list(app, wanted, effects),
    }
}

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
fn page(app: &App) -> isize {
    let layout = app.layout();
    let rows = if app.focus == Focus::Right {
        layout.right
    } else {
        layout.list_rows()
    };
    (rows.height as isize - 1).max(1)
}

fn go(app: &mut App, step: Step, effects: &mut Vec<Effect>) {
    match (app.view, app.focus) {
        (View::Sessions | View::Trash, Focus::Rail) => go_section(app, step, effects),
        (View::Jobs, Focus::Right) => {
            let rows = app
                .jobs
                .current()
                .map_or(0, |operation| operation.session_ids.len());
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
    let after = list.offset + list.rows.len() < list.total as usize;
    let jump = match step {
        Step::First if list.offset > 0 => Some((0, Wanted::First)),
        Step::Last if after => Some((
            (list.total as usize).saturating_sub(crate::tui::app::list::WINDOW),
            Wanted::Last,
        )),
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
    let sections = &app.board.sections;
    let current = sections
        .iter()
        .position(|section| Some(&section.key) == app.section.as_ref());
    // The trash is the line after the last section.
    let at = if app.view == View::Trash {
        sections.len()
    } else {
        current.unwrap_or(0)
    };
    let next = step.from(at, sections.len() + 1);
    if next == at {
        return;
    }
    match sections.get(next).map(|section| section.key.clone()) {
        Some(key) => {
            app.view = View::Sessions;
            place::section(app, key, Wanted::First, effects);
        }
        None => place::view(app, View::Trash, effects),
    }
    app.focus = Focus::Rail;
}

/// Scrolls the right pane.
pub(super) fn scroll_pane(app: &mut App, step: Step, effects: &mut Vec<Effect>) {
    if app.tab != Tab::Screen {
        let rows = crate::tui::views::pane_lines(app);
        app.tab_top = step.from(app.tab_top, rows);
        return;
    }
    let Some(id) = app.list.selected.clone() else {
        return;
    };
    let by = match step {
        Step::By(by) => -(by as i32),
        Step::First => i32::MAX,
        Step::Last => i32::MIN,
    };
    effects.push(Effect::Scroll { id, by });
}

/// The columns that can have the focus.
fn columns_of(app: &App) -> &'static [Focus] {
    match app.view {
        View::Sessions => &[Focus::Rail, Focus::List, Focus::Right],
        View::Trash => &[Focus::Rail, Focus::List],
        View::Jobs => &[Focus::List, Focus::Right],
    }
}

fn turn_column(app: &mut App, by: isize) {
    let columns = columns_of(app);
    let at = columns
        .iter()
        .position(|focus| *focus == app.focus)
        .unwrap_or(0);
    let next = (at as isize + by).rem_euclid(columns.len() as isize);
    app.focus = columns[next.unsigned_abs()];
}

fn collapse(app: &mut App) {
    match (app.view, app.focus) {
        (View::Sessions, Focus::Right) if app.tab != Tab::Screen => turn_tab(app, -1),
        (_, Focus::Right) => app.focus = Focus::List,
        (View::Sessions | View::Trash, Focus::List) => {
            if !app.current_list_mut().collapse() {
                app.focus = Focus::Rail;
            }
        }
        _ => {}
    }
}

fn expand(app: &mut App) {
    match (app.view, app.focus) {
        (View::Sessions, Focus::Right) => turn_tab(app, 1),
        (_, Focus::Rail) => app.focus = Focus::List,
        (View::Jobs, Focus::List) => app.focus = Focus::Right,
        (_, Focus::List) => {
            if !app.current_list_mut().expand() && app.view == View::Sessions {
                app.focus = Focus::Right;
            }
        }
        _ => {}
    }
}

fn turn_tab(app: &mut App, by: isize) {
    let at = Tab::ALL.iter().position(|tab| *tab == app.tab).unwrap_or(0);
    let next = at.saturating_add_signed(by).min(Tab::ALL.len() - 1);
    app.tab = Tab::ALL[next];
    app.tab_top = 0;
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

/// Contexts of the view below everything that lies above it.
pub(super) fn view_contexts(app: &App) -> [Context; 2] {
    [app.view_context(), Context::Global]
}
