//! Answers from outside: the board, pages, screens, plans, progress.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::plan::Plan;
use crate::domain::query::Page;
use crate::domain::rail::Section;
use crate::domain::text::names;
use crate::domain::time::Timestamp;
use crate::host::report::{Progress, RestoreTarget};
use crate::tui::action::{Action, Context};
use crate::tui::app::list::{CALM, Wanted};
use crate::tui::app::overlay::Overlay;
use crate::tui::app::plan::{Button, PlanDialog, PlanRequest, Planning};
use crate::tui::app::screen::ScreenCells;
use crate::tui::app::toast::ToastKind;
use crate::tui::app::{App, Start};
use crate::tui::event::{Board, Effect, Failure, Tab, TabContent};

use super::{act, everywhere, filters, notify, place};

/// Sections and trash.
pub(super) fn board(app: &mut App, board: Board, effects: &mut Vec<Effect>) {
    let before = app.current_filter().cloned();
    app.board = board;
    app.loaded = true;
    filters::arrived(app, before.as_ref(), effects);
    if let Some(Start { section, select }) = app.start.take()
        && app.board.sections.iter().any(|there| there.key == section)
    {
        place::section(app, section, select.map_or(Wanted::First, Wanted::Id), effects);
        return;
    }
    if app.current_section().is_some() {
        return;
    }
    if let Some(section) = first_section(&app.board.sections) {
        let key = section.key.clone();
        place::section(app, key, Wanted::First, effects);
    }
}

/// Where the dashboard begins: the first section with attention, else with sessions, else any.
fn first_section(sections: &[Section]) -> Option<&Section> {
    sections
        .iter()
        .find(|section| section.attention > 0)
        .or_else(|| sections.iter().find(|section| section.total > 0))
        .or_else(|| sections.first())
}

/// A page of the list, of the trash, or of what a filter mark stands for.
pub(super) fn page(
    app: &mut App,
    ticket: u64,
    offset: usize,
    page: Page,
    effects: &mut Vec<Effect>,
) {
    if let Some((_, action)) = app.resolving.take_if(|(wanted, _)| *wanted == ticket) {
        resolved(app, &page);
        act::act(app, action, effects);
        return;
    }
    let calm = app.now.since(app.last_key) >= CALM;
    let now = app.now;
    let is_trash = app.trash.ticket == Some(ticket);
    let list = if is_trash { &mut app.trash } else { &mut app.list };
    list.arrive(ticket, offset, page, now, calm);
}

/// A filter mark became ids, once; what comes later stays out.
fn resolved(app: &mut App, page: &Page) {
    let ids = page.sessions.iter().map(|session| session.id.clone());
    app.current_list_mut().marks.resolve(ids);
}

/// What a tab shows.
pub(super) fn tab(app: &mut App, id: SessionId, content: TabContent) {
    let tab = match &content {
        TabContent::Diff(_) => Tab::Diff,
        TabContent::Messages(_) => Tab::Messages,
        TabContent::Events(_) => Tab::Events,
        TabContent::Witnesses(_) => Tab::Details,
    };
    let key = (id, tab);
    if app.tab_asked.as_ref() == Some(&key) {
        everywhere::show_passage(app, &key.0, &content);
        app.tabs.insert(key, content);
    }
}

/// A live screen changed.
pub(super) fn screen(
    app: &mut App,
    id: SessionId,
    cells: Option<Arc<ScreenCells>>,
    effects: &mut Vec<Effect>,
) {
    super::reading::shown(app, &id, cells.is_some(), effects);
    if let Some(cells) = cells {
        app.screens.insert(id, cells);
    } else {
        app.screens.remove(&id);
    }
}

/// A coordinator reports.
pub(super) fn progress(app: &mut App, progress: &Progress) {
    app.jobs.report(progress, app.now);
    // Sessions that are restored or created appear by a change of the store.
    if matches!(progress, Progress::Ended { .. }) {
        app.stale = true;
    }
    if let Progress::Began { verb: Verb::Delete, .. } = progress {
        app.stale = true;
    }
}

fn dialog(app: &mut App, ticket: u64) -> Option<&mut PlanDialog> {
    app.overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Plan(dialog) if dialog.ticket == ticket => Some(dialog.as_mut()),
        _ => None,
    })
}

/// Planning goes on.
pub(super) fn planning(app: &mut App, ticket: u64, done: usize, total: usize) {
    if let Some(dialog) = dialog(app, ticket)
        && let Planning::Looking(..) = dialog.planning
    {
        dialog.planning = Planning::Looking(done, total);
    }
}

/// The plan is there, or cannot be made.
pub(super) fn planned(
    app: &mut App,
    ticket: u64,
    plan: Result<Plan, Failure>,
    effects: &mut Vec<Effect>,
) {
    if let Some((id, asked)) = app.foreseen.remove(&ticket) {
        foreseen(app, id, asked, plan, effects);
    } else if let Some(dialog) = dialog(app, ticket) {
        dialog.arrive(plan);
    }
}

/// The plan of the restore of one session is there. Where it has nothing to say it is done; else it is
/// shown, but takes no key that was meant for something else: whoever pressed one since finds Cancel
/// chosen, and what has the keys by now keeps them.
fn foreseen(
    app: &mut App,
    id: SessionId,
    asked: Timestamp,
    plan: Result<Plan, Failure>,
    effects: &mut Vec<Effect>,
) {
    let ticket = app.ticket();
    let mut dialog = PlanDialog::new(ticket, PlanRequest::Restore(vec![id.clone()]));
    // What cannot be planned cannot be done, and says so itself.
    let fails = plan.is_err();
    dialog.arrive(plan);
    if fails || dialog.is_plain() {
        effects.push(Effect::Restore { target: RestoreTarget::Ids(vec![id]), undo: false });
    } else if !app.overlays.is_empty() || app.typing.is_some() || app.is_copying() {
        let key = app.setup.keymap.key_label(&[Context::Trash], Action::Restore);
        let again = key.map(|key| format!("{key} on it shows what would become of it."));
        notify(
            app,
            ToastKind::Partly,
            format!("{id} is not restored yet."),
            again.into_iter().collect(),
        );
    } else {
        if app.last_key != asked {
            dialog.button = Button::Cancel;
        }
        app.overlays.push(Overlay::Plan(Box::new(dialog)));
    }
}

/// Sessions were pulled in since the operator looked: ask again, with the difference (D3).
pub(super) fn plan_grew(
    app: &mut App,
    request: PlanRequest,
    admitted: &BTreeSet<SessionId>,
    plan: Plan,
) {
    let new: Vec<_> = plan.items.iter().filter(|item| !admitted.contains(&item.row.id)).collect();
    let ids: Vec<&SessionId> = new.iter().map(|item| &item.row.id).collect();
    let above = new.first().and_then(|item| item.pulled_in_by.as_ref());
    let under =
        above.filter(|_| new.len() == 1).map_or_else(String::new, |id| format!(" under {id}"));
    let closed: Vec<&SessionId> = match &request {
        PlanRequest::Delete(request) => request.closed.iter().collect(),
        PlanRequest::Restore(_) | PlanRequest::Purge(_) => Vec::new(),
    };
    let closed = if closed.is_empty() {
        String::new()
    } else {
        format!(" {} ended by then.", names(&closed))
    };
    let note = format!(
        "{} appeared{under} since you looked. {} now.{closed}",
        names(&ids),
        plan.items.len()
    );
    let ticket = app.ticket();
    let mut dialog = PlanDialog::new(ticket, request);
    dialog.arrive(Ok(plan));
    dialog.button = Button::Cancel;
    dialog.note = Some(note);
    app.overlays.push(Overlay::Plan(Box::new(dialog)));
}
