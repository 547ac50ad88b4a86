//! How the dashboard changes: a pure function of what it was and what happened. What has to be done
//! outside comes back as data.

mod above;
mod act;
mod aside;
mod data;
mod everywhere;
mod filters;
mod jobs;
mod keys;
mod mouse;
mod moving;
mod outcome;
mod palette;
mod pane;
mod place;
mod reading;
mod settle;
mod verbs;
mod wall;

use crate::domain::text::clean_line;
use crate::domain::time::Timestamp;

use super::app::App;
use super::app::toast::{Toast, ToastKind};
use super::event::{Effect, Event, Failure};

/// Takes in an event at a point in time; answers what is to be done outside, in order.
pub fn update(app: &mut App, event: Event, now: Timestamp) -> Vec<Effect> {
    app.now = now;
    let mut effects = Vec::new();
    // Screens come many times a second, and change nobody who is listed.
    let others = !matches!(event, Event::Screen { .. });
    apply(app, event, &mut effects);
    settle::settle(app, others, &mut effects);
    effects
}

fn apply(app: &mut App, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Keys(keys) => keys::pressed(app, &keys, effects),
        Event::Paste(text) => keys::pasted(app, text, effects),
        Event::Mouse(mouse) => mouse::used(app, mouse, effects),
        Event::Focus(focused) => app.window_focused = focused,
        Event::Resize { cols, rows } => {
            app.setup.size = (cols, rows);
            place::give_size(app, effects);
        }
        Event::Tick => {}
        Event::Changed => app.stale = true,
        Event::Board(board) => data::board(app, *board, effects),
        Event::Waiting(sessions) => {
            app.notices.arrive(&sessions, &app.setup.notifications);
            app.waiting = sessions;
        }
        Event::Crowded(crowded) => app.crowded = crowded,
        Event::Targets(targets) => {
            app.setup.agents = targets.agents;
            app.setup.targets = targets.targets;
        }
        Event::Page { ticket, offset, page } => data::page(app, ticket, offset, page, effects),
        Event::FilterCounts(counts) => app.filter_counts = counts.into_iter().collect(),
        Event::Found { ticket, found } => everywhere::arrived(app, ticket, *found),
        Event::Tiles { asked, sessions } => wall::arrived(app, &asked, sessions),
        Event::Operations(operations) => app.jobs.load(operations),
        Event::Base(id, base) => app.base = base.map(|base| (id, base)),
        Event::Tab { id, content } => data::tab(app, id, content),
        Event::Work(work) => app.work.extend(work),
        Event::Usage(usage) => app.usage = usage.into_iter().collect(),
        Event::Screen { id, cells } => data::screen(app, id, cells, effects),
        Event::Document { id, document } => reading::arrived(app, id, document, effects),
        Event::Older { id, of, whole } => reading::older(app, &id, &of, whole),
        Event::Signal { id, signal } => reading::signalled(app, id, signal, effects),
        Event::Progress(progress) => data::progress(app, &progress),
        Event::Planning { ticket, done, total } => data::planning(app, ticket, done, total),
        Event::Planned { ticket, plan } => data::planned(app, ticket, plan, effects),
        Event::PlanGrew { request, admitted, plan } => {
            data::plan_grew(app, request, &admitted, plan);
        }
        Event::Ended(outcome) => outcome::ended(app, outcome, effects),
        Event::Fault { source, text } => match text {
            Some(text) => {
                app.faults.insert(source, text);
            }
            None => {
                app.faults.remove(&source);
            }
        },
        Event::Trouble(failure) => trouble(app, failure),
        Event::Keymap(keymap) => app.setup.keymap = *keymap,
        Event::Theme(theme) => app.setup.theme = *theme,
    }
}

/// Shows a failure that belongs to nothing the operator did.
fn trouble(app: &mut App, failure: Failure) {
    let title = super::app::words::sentence(&failure.message);
    notify(app, ToastKind::Error, title, failure.hint.into_iter().collect());
}

/// Shows a notice.
fn notify(app: &mut App, kind: ToastKind, title: String, lines: Vec<String>) {
    notify_with(app, kind, title, lines, Vec::new());
}

/// Shows a notice with the keys that act on it.
fn notify_with(
    app: &mut App,
    kind: ToastKind,
    mut title: String,
    lines: Vec<String>,
    keys: Vec<super::action::Action>,
) {
    let at = app.now;
    // A reason may hold what an agent or git wrote.
    title = clean_line(&title);
    let clean = |text: String| text.lines().map(clean_line).collect::<Vec<_>>();
    let lines = lines.into_iter().flat_map(clean).filter(|line| !line.is_empty()).collect();
    app.toasts.show(Toast { kind, title, lines, keys, at, acted: false });
}
