//! What follows from every change alike: what is read again, what is on view, what was seen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::time::Timestamp;
use crate::host::OnView;
use crate::tui::app::layout::{Layout, Shape};
use crate::tui::app::list::List;
use crate::tui::app::usage::MEASURED_AFTER;
use crate::tui::app::{App, Looking, REREAD_AFTER, SEEN_AFTER, View};
use crate::tui::event::{Effect, Tab};
use crate::tui::views::list_line;

use super::place;

/// Changes in worktrees are counted again at most this often.
const COUNTED_AFTER: Duration = Duration::from_secs(10);
/// Screens kept beside those on view.
const SCREENS: usize = 64;

/// Brings the dashboard in order after an event, which may have changed who is listed where it brought
/// `others`.
pub(super) fn settle(app: &mut App, others: bool, effects: &mut Vec<Effect>) {
    app.toasts.expire(app.now);
    let (last_key, now) = (app.last_key, app.now);
    app.list.settle(last_key, now);
    app.trash.settle(last_key, now);
    leave_ended(app);
    super::jobs::leave_when_done(app, effects);
    reread(app, effects);
    super::wall::settle(app, others, effects);
    shift_window(app, effects);
    super::everywhere::settle(app, effects);
    scroll(app);
    super::reading::settle(app);
    watch(app, effects);
    on_view(app, effects);
    look(app, effects);
    tell(app, effects);
    ask_tab(app, effects);
    super::everywhere::leave_passage(app);
    ask_work(app, effects);
    measure(app, effects);
}

/// Looks at the process tree whose numbers are on view, and again while they are.
fn measure(app: &mut App, effects: &mut Vec<Effect>) {
    let Some(id) = app.measurable().cloned() else {
        app.measured = None;
        return;
    };
    let recent =
        |(known, at): &(SessionId, Timestamp)| *known == id && app.now.since(*at) < MEASURED_AFTER;
    if !app.measured.as_ref().is_some_and(recent) {
        app.measured = Some((id.clone(), app.now));
        effects.push(Effect::Measure(vec![id]));
    }
}

/// An agent that ended takes no more keys.
fn leave_ended(app: &mut App) {
    let ended = app.typing.as_ref().is_some_and(|typing| {
        let row = app.known(&typing.id);
        row.is_some_and(|row| row.condition.lifecycle.state.is_terminal())
    });
    if ended {
        place::leave(app);
    }
}

/// Reads the store again once it changed, not too often.
fn reread(app: &mut App, effects: &mut Vec<Effect>) {
    if app.stale && app.now.since(app.read_at) >= REREAD_AFTER {
        reread_now(app, effects);
    }
}

/// Reads everything on view again.
pub(super) fn reread_now(app: &mut App, effects: &mut Vec<Effect>) {
    app.stale = false;
    app.read_at = app.now;
    effects.push(Effect::LoadBoard);
    // The first time there is no section yet: who waits is then asked after the first frame.
    if app.section.is_some() {
        effects.push(Effect::LoadWaiting);
        if app.list.ticket.is_none() {
            place::reload_list(app, effects);
        }
    }
    if app.view == View::Trash {
        effects.push(Effect::LoadCrowded);
        if app.trash.ticket.is_none() {
            place::reload_trash(app, effects);
        }
    }
    if app.view == View::Jobs {
        effects.push(Effect::LoadOperations);
    }
    if app.view == View::Wall {
        super::wall::ask(app, effects);
    }
    if let Some((id, tab @ (Tab::Details | Tab::Messages | Tab::Events))) = app.tab_asked.clone() {
        effects.push(Effect::LoadTab { id, tab });
    }
}

/// Moves the window of a long list on before the selection reaches its end.
fn shift_window(app: &mut App, effects: &mut Vec<Effect>) {
    let Some((offset, limit)) = app.current_list().shift() else {
        return;
    };
    let ticket = app.ticket();
    let list = app.current_list_mut();
    let query = list.resize(ticket, offset, limit);
    effects.push(Effect::LoadPage { ticket, query });
}

/// Keeps the selection on view.
fn scroll(app: &mut App) {
    let layout = app.layout();
    // A list that is not on view now will be, with the height it has beside its peek.
    let board = Layout::of(app.setup.size, Shape::Board { right: false, rail: false });
    let rows = |layout: &Layout| usize::from(layout.list_rows().height);
    let height = if layout.list.height > 0 { rows(&layout) } else { rows(&board) };
    let (line, total) = list_line(app);
    app.current_list_mut().scroll_into(height, line, total);
}

/// Asks for the screens on view.
fn watch(app: &mut App, effects: &mut Vec<Effect>) {
    let wanted = app.on_view();
    if wanted == app.watched {
        return;
    }
    app.watched.clone_from(&wanted);
    if app.screens.len() > SCREENS {
        app.screens.retain(|id, _| wanted.contains(id));
    }
    effects.push(Effect::Watch(wanted));
}

/// F2: tells the projects whose sessions are in the list; while another view is shown they stay.
fn on_view(app: &mut App, effects: &mut Vec<Effect>) {
    if app.view != View::Sessions {
        return;
    }
    let shown = shown(&app.list, app.setup.size.1);
    let folders: BTreeSet<&Path> = shown.filter_map(|row| row.placement.project_path()).collect();
    let told = app.projects_on_view.iter().map(PathBuf::as_path);
    if !told.eq(folders.iter().copied()) {
        let folders: OnView = folders.into_iter().map(Path::to_owned).collect();
        app.projects_on_view.clone_from(&folders);
        effects.push(Effect::OnView(folders));
    }
}

/// The rows of a list that can be on view in a window of so many lines.
fn shown(list: &List, lines: u16) -> impl Iterator<Item = &Session> {
    let top = list.lines().iter().skip(list.top).take(usize::from(lines));
    top.filter_map(|line| list.rows().get(line.row))
}

/// T4: a screen that was on view with the focus for a second was seen.
fn look(app: &mut App, effects: &mut Vec<Effect>) {
    let Some(id) = app.looked_at().cloned() else {
        app.looking = None;
        return;
    };
    let since = app.now;
    let same = app.looking.take().filter(|looking| looking.id == id);
    let mut looking = same.unwrap_or(Looking { id, since, told: None });
    if app.now.since(looking.since) >= SEEN_AFTER
        && let Some(since) = app.unseen_since(&looking)
    {
        looking.told = Some(since);
        effects.push(Effect::Seen(vec![looking.id.clone()]));
    }
    app.looking = Some(looking);
}

/// Tells an operator who looks elsewhere how many wait, and who is new among them.
fn tell(app: &mut App, effects: &mut Vec<Effect>) {
    let looked_at = app.looked_at().cloned();
    let how = &app.setup.notifications;
    let notice = app.notices.take(&app.waiting, looked_at.as_ref(), how, app.now);
    effects.extend(notice.map(Effect::Tell));
    let title = match app.waiting.len() {
        0 => "callboard".to_owned(),
        waiting => format!("{} {waiting} callboard", app.setup.glyphs.needs_input),
    };
    if app.title != title {
        app.title.clone_from(&title);
        effects.push(Effect::Title(title));
    }
}

/// Asks for what the chosen tab shows of the selected session.
fn ask_tab(app: &mut App, effects: &mut Vec<Effect>) {
    let wanted = match (app.view, app.tab) {
        (View::Sessions, Tab::Details | Tab::Diff | Tab::Messages | Tab::Events)
            if app.layout().right.width > 0 && app.typing.is_none() =>
        {
            app.list.selected.clone().map(|id| (id, app.tab))
        }
        _ => None,
    };
    if app.tab_asked == wanted {
        return;
    }
    app.tab_asked.clone_from(&wanted);
    app.tabs.clear();
    app.show_tab_start();
    if let Some((id, Tab::Details)) = &wanted {
        effects.push(Effect::LoadBase(id.clone()));
    }
    effects.extend(wanted.map(|(id, tab)| Effect::LoadTab { id, tab }));
}

/// Asks for what is in the folders on view, and again while agents go on working in them.
fn ask_work(app: &mut App, effects: &mut Vec<Effect>) {
    let list = match app.view {
        View::Sessions => &app.list,
        View::Trash => &app.trash,
        View::Jobs | View::Wall => return,
    };
    let rows = shown(list, app.setup.size.1);
    let rows: Vec<_> =
        rows.filter(|row| row.worktree().is_some() || row.deletion.is_some()).collect();
    let worked = |at| at > app.counted_at;
    let again = app.now.since(app.counted_at) >= COUNTED_AFTER
        && rows.iter().any(|row| row.condition.last_activity_at.is_some_and(worked));
    if rows.iter().map(|row| &row.id).eq(&app.counted) && !again {
        return;
    }
    let ids: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
    app.counted_at = app.now;
    app.counted.clone_from(&ids);
    if !ids.is_empty() {
        effects.push(Effect::LoadWork(ids));
    }
    match app.tab_asked.clone().filter(|_| again) {
        Some((id, tab @ Tab::Diff)) => effects.push(Effect::LoadTab { id, tab }),
        Some((id, Tab::Details)) => effects.push(Effect::LoadBase(id)),
        _ => {}
    }
}
