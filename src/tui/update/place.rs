//! Going somewhere: sections, views, the next session that waits, typing.

use crate::domain::ids::SessionId;
use crate::domain::query::{Order, PageQuery};
use crate::domain::rail::SectionKey;
use crate::domain::session::Session;
use crate::tui::app::layout::typing_size;
use crate::tui::app::list::Wanted;
use crate::tui::app::{App, Focus, RailPlace, Typing, View, filter_of, find};
use crate::tui::event::{Effect, Tab};

use super::wall;

/// Shows a section.
pub(super) fn section(app: &mut App, key: SectionKey, wanted: Wanted, effects: &mut Vec<Effect>) {
    app.section = Some(key);
    if app.filter.take().is_some() {
        app.list.loaded = false;
    }
    begin_list(app, wanted, effects);
}

/// Shows a saved filter.
pub(super) fn filter(app: &mut App, name: String, wanted: Wanted, effects: &mut Vec<Effect>) {
    app.view = View::Sessions;
    app.filter = Some(name);
    // Its words are all there is to begin with; what was on view is not its.
    app.list.find.clear();
    app.list.loaded &= wanted == Wanted::Same;
    begin_list(app, wanted, effects);
}

/// Shows what a line of the rail stands for.
pub(super) fn rail(app: &mut App, there: &RailPlace, effects: &mut Vec<Effect>) {
    match there {
        RailPlace::Section(key) => {
            app.view = View::Sessions;
            section(app, key.clone(), Wanted::First, effects);
        }
        RailPlace::Filter(name) => filter(app, name.clone(), Wanted::First, effects),
        RailPlace::Trash => view(app, View::Trash, effects),
    }
}

/// Shows the section with the text that filters it, from its start.
pub(super) fn begin_list(app: &mut App, wanted: Wanted, effects: &mut Vec<Effect>) {
    let filter = filter_of(&app.narrowing());
    let query = PageQuery { filter, order: app.order, ..PageQuery::default() };
    begin(app, query, wanted, View::Sessions, effects);
}

/// Shows the trash, from its start.
pub(super) fn begin_trash(app: &mut App, wanted: Wanted, effects: &mut Vec<Effect>) {
    let filter = find::parse(&app.trash.find).filter;
    let query = PageQuery { filter, deleted: true, ..PageQuery::default() };
    begin(app, query, wanted, View::Trash, effects);
}

fn begin(app: &mut App, query: PageQuery, wanted: Wanted, view: View, effects: &mut Vec<Effect>) {
    let (ticket, now) = (app.ticket(), app.now);
    let list = if view == View::Trash { &mut app.trash } else { &mut app.list };
    let query = list.begin(query, ticket, wanted, now);
    effects.push(Effect::LoadPage { ticket, query });
}

/// Reads the window of the list again.
pub(super) fn reload_list(app: &mut App, effects: &mut Vec<Effect>) {
    let ticket = app.ticket();
    let query = app.list.again(ticket, app.list.offset, Wanted::Same);
    effects.push(Effect::LoadPage { ticket, query });
}

/// Reads the window of the trash again.
pub(super) fn reload_trash(app: &mut App, effects: &mut Vec<Effect>) {
    let ticket = app.ticket();
    let query = app.trash.again(ticket, app.trash.offset, Wanted::Same);
    effects.push(Effect::LoadPage { ticket, query });
}

/// Shows another view.
pub(super) fn view(app: &mut App, view: View, effects: &mut Vec<Effect>) {
    app.view = view;
    app.focus = Focus::List;
    app.typing = None;
    match view {
        View::Sessions => {}
        View::Trash => trash(app, Wanted::Same, effects),
        View::Jobs => effects.push(Effect::LoadOperations),
        View::Wall => wall::open(app),
    }
}

fn trash(app: &mut App, wanted: Wanted, effects: &mut Vec<Effect>) {
    begin_trash(app, wanted, effects);
    effects.push(Effect::LoadCrowded);
}

/// Selects a deleted session in the trash.
pub(super) fn deleted(app: &mut App, id: SessionId, effects: &mut Vec<Effect>) {
    (app.view, app.focus, app.typing) = (View::Trash, Focus::List, None);
    // A filter would hide it.
    app.trash.find.clear();
    trash(app, Wanted::Id(id), effects);
}

/// Selects a session wherever it is.
pub(super) fn session(app: &mut App, session: &Session, effects: &mut Vec<Effect>) {
    app.view = View::Sessions;
    if app.focus == Focus::Rail {
        app.focus = Focus::List;
    }
    let key = session.shown.section.clone();
    let here = app.filter.is_some() || app.section.as_ref() == Some(&key);
    if here && app.list.select_id(&session.id) {
        return;
    }
    // A filter would hide it.
    app.list.find.clear();
    section(app, key, Wanted::Id(session.id.clone()), effects);
}

/// The session that wants the operator next, or before: respond, review, merge, finished; the
/// longest waiting first (T4).
pub(super) fn next_waiting(app: &mut App, by: isize, effects: &mut Vec<Effect>) {
    let waiting = app.waiting_in_order();
    if waiting.is_empty() {
        return;
    }
    let on_wall = app.view == View::Wall;
    let selected = if on_wall { app.wall_focus() } else { app.list.selected.as_ref() };
    let current = app.typing.as_ref().map(|typing| &typing.id).or(selected);
    let at = waiting.iter().position(|session| Some(&session.id) == current);
    let n = waiting.len() as isize;
    let next = match at {
        Some(at) => (at as isize + by).rem_euclid(n),
        None if by > 0 => 0,
        None => n - 1,
    };
    let target = waiting[next.unsigned_abs()].clone();
    app.typing = None;
    if on_wall {
        wall::show(app, target);
    } else {
        session(app, &target, effects);
    }
}

/// Gives the keys to an agent.
pub(super) fn type_to(app: &mut App, id: SessionId, effects: &mut Vec<Effect>) {
    app.typing = Some(Typing { id });
    app.tab = Tab::Screen;
    app.pending.clear();
    give_size(app, effects);
}

/// Tells the agent that is typed to how much room it has.
pub(super) fn give_size(app: &App, effects: &mut Vec<Effect>) {
    let Some(typing) = &app.typing else { return };
    let (cols, rows) = typing_size(app.setup.size);
    effects.push(Effect::Size { id: typing.id.clone(), cols, rows });
}

/// Takes the keys back from the agent.
pub(super) fn leave(app: &mut App) {
    if let Some(typing) = app.typing.take() {
        app.list.select_id(&typing.id);
    }
}

/// Changes the order of the list.
pub(super) fn sort(app: &mut App, effects: &mut Vec<Effect>) {
    app.order = match app.order {
        Order::Zone => Order::Recent,
        Order::Recent | Order::Found => Order::Zone,
    };
    begin_list(app, Wanted::Same, effects);
}
