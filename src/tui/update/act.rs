//! Actions in the views.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::domain::ids::ProjectName;
use crate::tui::action::{Action, Context};
use crate::tui::app::form::NewForm;
use crate::tui::app::list::Wanted;
use crate::tui::app::overlay::{Overlay, Purpose};
use crate::tui::app::reading::Begin;
use crate::tui::app::{App, Focus, View};
use crate::tui::event::{Effect, Tab};

use super::moving::{SIDEWAYS, Step, collapse, expand, go, page, scroll_text, turn_column};
use super::{above, aside, everywhere, filters, jobs, palette, place, reading, verbs, wall};

/// Does an action, where it is legal.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    if !app.is_legal(action) {
        return;
    }
    app.toasts.acted();
    if app.overlays.is_empty() && app.is_copying() {
        reading::act(app, action, effects);
    } else if app.overlays.is_empty() {
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
        Action::TextLeft => scroll_text(app, -SIDEWAYS),
        Action::TextRight => scroll_text(app, SIDEWAYS),
        Action::Collapse => collapse(app),
        Action::Expand => expand(app),
        Action::NextWaiting => place::next_waiting(app, 1, effects),
        Action::PreviousWaiting => place::next_waiting(app, -1, effects),
        Action::Section(number) => {
            let places = app.rail_places();
            if let Some(there) = places.get(usize::from(number).saturating_sub(1)) {
                app.focus = Focus::List;
                place::rail(app, there, effects);
            }
        }
        Action::Mark | Action::MarkRange | Action::MarkAll | Action::Invert => {
            verbs::mark(app, action);
        }
        Action::ClearMarks => clear(app, effects),
        Action::Details => tab(app, Tab::Details, effects),
        Action::Diff => tab(app, Tab::Diff, effects),
        Action::Find => {
            let editor = crate::tui::app::editor::Editor::line(&app.current_list().find);
            if !matches!(app.view, View::Sessions | View::Trash) {
                place::view(app, View::Sessions, effects);
            }
            app.focus = Focus::List;
            app.overlays.push(Overlay::Line { purpose: Purpose::Find, editor });
        }
        Action::Everywhere => everywhere::open(app),
        Action::Palette => palette::open(app),
        Action::SaveFilter | Action::RenameFilter | Action::RemoveFilter => {
            filters::act(app, action);
        }
        Action::Trash => place::view(app, View::Trash, effects),
        Action::Jobs => place::view(app, View::Jobs, effects),
        Action::Wall => place::view(app, View::Wall, effects),
        Action::MoreTiles | Action::FewerTiles => wall::resize(app, action),
        Action::Sort => place::sort(app, effects),
        Action::Help => {
            let context = app.view_context();
            app.overlays.push(Overlay::Help { context, top: 0 });
        }
        Action::ScrollBack => reading::scroll_by(app, -screen_page(app), effects),
        Action::ScrollOn => reading::scroll_by(app, screen_page(app), effects),
        Action::CopyMode => {
            app.tab = Tab::Screen;
            reading::begin(app, Begin::Copy, effects);
        }
        Action::TakeOffer => reading::take_offer(app, effects),
        Action::Open => open(app, effects),
        Action::Zoom => zoom(app, effects),
        Action::LeaveAgent => place::leave(app),
        Action::NewSession => {
            let form = draft(app);
            app.overlays.push(Overlay::NewSession(Box::new(form)));
        }
        Action::NewChat => {
            let form = NewForm { project: None, ..draft(app) };
            app.overlays.push(Overlay::NewSession(Box::new(form)));
        }
        Action::QuickNew => {
            let form = draft(app);
            let place = form.project.map_or_else(|| "chats".to_owned(), |it| it.to_string());
            line(app, Purpose::QuickNew(format!("{} in {place}", form.agent)), "");
        }
        Action::AddProject => line(app, Purpose::AddProject, ""),
        Action::AddThisFolder => {
            effects.extend(app.setup.repository.clone().map(Effect::AddProject));
        }
        Action::Rename => {
            let selected =
                app.selected().map(|session| (session.id.clone(), session.title.clone()));
            if let Some((id, title)) = selected {
                line(app, Purpose::Rename(id), &title);
            }
        }
        Action::CancelJob | Action::ResumeJob | Action::AbandonJob | Action::MarkFailed => {
            jobs::act(app, action, effects);
        }
        Action::Fork
        | Action::OpenEditor
        | Action::OpenShell
        | Action::OpenPr
        | Action::CopyWhat
        | Action::CopyPath => aside::act(app, action, effects),
        Action::Undo if app.view == View::Jobs => jobs::act(app, action, effects),
        Action::Back if app.view == View::Sessions => app.focus = Focus::List,
        Action::Back => place::view(app, View::Sessions, effects),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Quit => jobs::quit(app, effects),
        _ => verbs::act(app, action, effects),
    }
}

/// Rows that a page of the screen on view scrolls: one stays.
fn screen_page(app: &App) -> isize {
    (isize::try_from(app.screen_area().height).unwrap_or(0) - 1).max(1)
}

/// Shows a tab of the selected session.
fn tab(app: &mut App, tab: Tab, effects: &mut Vec<Effect>) {
    if app.view == View::Wall
        && let Some(session) = app.selected().cloned()
    {
        place::session(app, &session, effects);
    }
    app.focus = Focus::Right;
    app.tab = tab;
    app.show_tab_start();
}

pub(super) fn line(app: &mut App, purpose: Purpose, text: &str) {
    let editor = crate::tui::app::editor::Editor::line(text);
    app.overlays.push(Overlay::Line { purpose, editor });
}

/// The form as it was left, with the projects and agents of now.
pub(super) fn draft(app: &App) -> NewForm {
    let projects: Vec<_> = app.board.projects.iter().map(|project| project.name.clone()).collect();
    let agents = app.setup.agents.iter().filter(|(_, found)| *found).map(|(name, _)| name);
    let targets = app.setup.targets.iter().filter(|target| target.found).map(|target| &target.name);
    let mut agents: Vec<String> = agents.chain(targets).cloned().collect();
    // A target may have the name of an agent, and is meant by it.
    let mut known = BTreeSet::new();
    agents.retain(|name| known.insert(name.clone()));
    let section = app.current_filter().and_then(|filter| filter.section.as_ref());
    let path = section.or(app.section.as_ref()).and_then(|key| key.path());
    let here = path.and_then(|path| project_at(app, path));
    let mut form =
        app.draft.clone().unwrap_or_else(|| NewForm::new(projects.clone(), agents.clone()));
    let untouched = form.prompt.is_empty() && form.title.is_empty();
    let gone = form.project.as_ref().is_some_and(|name| !projects.contains(name));
    if untouched || gone {
        form.project = here.or_else(|| projects.first().cloned());
    }
    if !agents.is_empty() && !agents.contains(&form.agent) {
        form.agent.clone_from(&agents[0]);
    }
    form.projects = projects;
    form.agents = agents;
    form.usual = usual(app);
    let last = app.submitted.as_ref().map(|(last, _)| &last.agent);
    form.default.clone_from(last.unwrap_or(&app.setup.agent));
    if untouched {
        form.suggest();
    }
    form.targets.clone_from(&app.setup.targets);
    form.field = crate::tui::app::form::Field::Prompt;
    form.error = None;
    form
}

fn project_at(app: &App, path: &Path) -> Option<ProjectName> {
    let project = app.board.projects.iter().find(|project| project.path == path);
    project.map(|project| project.name.clone())
}

/// What projects were launched by last: as started from here, else the newest session of those on view.
fn usual(app: &App) -> BTreeMap<Option<ProjectName>, String> {
    let mut newest: Vec<_> = app.list.rows().iter().collect();
    newest.sort_by_key(|session| session.created_at);
    let mut usual: BTreeMap<_, _> = newest
        .into_iter()
        .filter_map(|session| {
            let path = session.placement.project_path();
            let project = path.map(|path| project_at(app, path));
            // A project that is registered no more has no place in the form.
            let project = project.map_or(Some(None), |found| found.map(Some))?;
            Some((project, session.launch.target.clone()))
        })
        .collect();
    usual.extend(app.launched.clone());
    usual
}

/// Gives the terminal to the selected agent.
fn zoom(app: &App, effects: &mut Vec<Effect>) {
    if let Some(id) = app.selected().map(|session| session.id.clone()) {
        effects.push(Effect::PassThrough { id, ahead: Vec::new() });
    }
}

fn open(app: &mut App, effects: &mut Vec<Effect>) {
    if app.view == View::Jobs {
        app.focus = Focus::Right;
        return;
    }
    if app.focus == Focus::Rail {
        app.focus = Focus::List;
        return;
    }
    if let Some(id) = app.selected().map(|session| session.id.clone()) {
        place::type_to(app, id, effects);
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

/// Contexts of the view below everything that lies above it.
pub(super) fn view_contexts(app: &App) -> [Context; 2] {
    [app.view_context(), Context::Global]
}
