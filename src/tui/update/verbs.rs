//! What the operator does to sessions: marks, and the verbs on the marked or the selected ones.

use std::collections::BTreeSet;

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::plan::Conditions;
use crate::domain::query::PageQuery;
use crate::domain::session::Session;
use crate::domain::text::names;
use crate::host::report::{DeleteRequest, RestoreTarget};
use crate::tui::action::Action;
use crate::tui::app::editor::Editor;
use crate::tui::app::marks::MarkedFilter;
use crate::tui::app::overlay::{AnswerDialog, Confirm, Overlay};
use crate::tui::app::plan::{Button, PlanDialog, PlanRequest};
use crate::tui::app::toast::ToastKind;
use crate::tui::app::words::count;
use crate::tui::app::{App, View};
use crate::tui::event::{Effect, StopHow};

use super::notify;

/// Most sessions that a filter mark becomes.
const MARKED: usize = 100_000;

/// Marks and unmarks.
pub(super) fn mark(app: &mut App, action: Action) {
    let list = app.current_list_mut();
    let filter = list.query.filter.clone();
    match action {
        Action::MarkRange if list.marks.anchor.is_some() => list.end_range(),
        Action::MarkRange => list.marks.anchor.clone_from(&list.selected),
        Action::MarkAll if list.rows().len() as u64 >= list.total => {
            let ids: Vec<SessionId> = list.rows().iter().map(|row| row.id.clone()).collect();
            list.marks.set_all(ids, &filter);
        }
        Action::MarkAll => {
            let total = list.total;
            list.marks.all = Some(MarkedFilter { filter, total, except: BTreeSet::new() });
        }
        Action::Invert => {
            let marked: Vec<(SessionId, bool)> =
                list.rows().iter().map(|row| (row.id.clone(), list.is_marked(row))).collect();
            if (list.rows().len() as u64) < list.total {
                // What is not loaded is not marked one by one: the whole filter, but for these.
                let except = marked.iter().filter(|(_, marked)| *marked).map(|(id, _)| id.clone());
                let except = except.chain(list.marks.ids.iter().cloned()).collect();
                let was_all = list.marks.all.take();
                list.marks.ids.clear();
                if let Some(all) = was_all {
                    list.marks.ids = all.except;
                } else {
                    let total = list.total;
                    list.marks.all = Some(MarkedFilter { filter, total, except });
                }
                return;
            }
            for (id, marked) in marked {
                list.marks.set(&id, &filter, !marked);
            }
        }
        _ => {
            if list.marks.anchor.is_some() {
                list.end_range();
                return;
            }
            let Some(session) = list.current() else {
                return;
            };
            let (id, marked) = (session.id.clone(), list.is_marked(session));
            list.marks.set(&id, &filter, !marked);
            list.select(list.index + 1);
        }
    }
}

/// The marked sessions, else the selected one; on the wall, the tile with the focus. A filter mark becomes ids first: the action is done
/// again when they are there, and nothing is answered now.
fn targets(app: &mut App, action: Action, effects: &mut Vec<Effect>) -> Vec<SessionId> {
    if app.view == View::Wall {
        return app.wall_focus().cloned().into_iter().collect();
    }
    let list = app.current_list_mut();
    list.end_range();
    if let Some(all) = &list.marks.all {
        let query = PageQuery {
            filter: all.filter.clone(),
            limit: MARKED,
            offset: 0,
            cursor: None,
            ..list.query.clone()
        };
        let ticket = app.ticket();
        app.resolving = Some((ticket, action));
        effects.push(Effect::LoadPage { ticket, query });
        return Vec::new();
    }
    if list.marks.ids.is_empty() {
        list.selected.iter().cloned().collect()
    } else {
        list.marks.ids.iter().cloned().collect()
    }
}

/// What is known of a session that is loaded.
fn known<'a>(app: &'a App, id: &SessionId) -> Option<&'a Session> {
    app.current_list().rows().iter().find(|row| row.id == *id)
}

/// Does a verb.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Undo => {
            effects.push(Effect::Restore { target: RestoreTarget::Last, undo: true });
            return;
        }
        Action::AnswerYes | Action::AnswerChoose => {
            answer(app, action, effects);
            return;
        }
        _ => {}
    }
    let ids = targets(app, action, effects);
    if ids.is_empty() {
        return;
    }
    match action {
        Action::Message => {
            let editor = Editor::block();
            app.overlays.push(Overlay::Message { ids, editor });
        }
        Action::Pin => {
            let unpinned =
                |id: &SessionId| known(app, id).is_none_or(|row| row.pinned_at.is_none());
            let pinned = ids.iter().any(unpinned);
            // A second press must not wait for the store to tell what the first one did.
            let at = pinned.then_some(app.now);
            app.list.change(|rows| {
                let rows = rows.iter_mut().filter(|row| ids.contains(&row.id));
                rows.for_each(|row| row.pinned_at = at);
            });
            effects.push(Effect::Pin { ids, pinned });
        }
        Action::Kill => kill(app, ids),
        Action::Restart => restart(app, ids, effects),
        Action::Purge => plan(app, PlanRequest::Purge(ids), effects),
        Action::Stop => end(app, ids, StopHow::Stop, "Stop", effects),
        Action::Done => end(app, ids, StopHow::Done, "Mark done", effects),
        Action::Delete => {
            let request = delete_of(app, ids);
            plan(app, request, effects);
        }
        Action::Restore if app.view == View::Trash => {
            plan(app, PlanRequest::Restore(ids), effects);
        }
        Action::Restore => {
            // Only what has ended can be launched; what is not loaded is left to the coordinator.
            let ended = |id: &SessionId| {
                known(app, id).is_none_or(|row| row.condition.lifecycle.state.is_terminal())
            };
            let ids: Vec<SessionId> = ids.into_iter().filter(ended).collect();
            if !ids.is_empty() {
                effects.push(Effect::Restore { target: RestoreTarget::Ids(ids), undo: false });
            }
        }
        _ => {}
    }
}

const KILLED: &str = "Agents end; worktrees that are clean are given back.";

/// `shop-9`, or how many.
fn target(ids: &[SessionId]) -> (String, String) {
    match ids {
        [one] => (one.to_string(), String::new()),
        many => (count(many.len(), "session"), format!(" {}", many.len())),
    }
}

/// Asks, then ends sessions and gives back their worktrees (K2).
fn kill(app: &mut App, ids: Vec<SessionId>) {
    let (what, n) = target(&ids);
    app.overlays.push(Overlay::Confirm(Confirm {
        title: format!("Kill {what}"),
        lines: vec![names(&ids), KILLED.to_owned()],
        act: format!("Kill{n}"),
        button: Button::Cancel,
        effects: vec![Effect::Stop { ids, how: StopHow::Kill }],
    }));
}

/// Ends agents and launches them again; asks when there are several.
fn restart(app: &mut App, ids: Vec<SessionId>, effects: &mut Vec<Effect>) {
    if ids.len() == 1 {
        effects.push(Effect::Restart(ids));
        return;
    }
    let (what, n) = target(&ids);
    app.overlays.push(Overlay::Confirm(Confirm {
        title: format!("Restart {what}"),
        lines: vec![names(&ids), "Their agents end and are launched again.".to_owned()],
        act: format!("Restart{n}"),
        button: Button::Cancel,
        effects: vec![Effect::Restart(ids)],
    }));
}

/// Ends sessions; asks when there are several.
fn end(app: &mut App, ids: Vec<SessionId>, how: StopHow, verb: &str, effects: &mut Vec<Effect>) {
    let n = ids.len();
    if n == 1 {
        effects.push(Effect::Stop { ids, how });
        return;
    }
    let what = match how {
        StopHow::Stop => "Their agents end; worktrees stay. r launches them again.",
        StopHow::Done => "Their agents end, and they count as done. Worktrees stay.",
        StopHow::Kill => KILLED,
    };
    let confirm = Confirm {
        title: format!("{verb} {}", count(n, "session")),
        lines: vec![names(&ids), what.to_owned()],
        act: format!("{verb} {n}"),
        button: Button::Cancel,
        effects: vec![Effect::Stop { ids, how }],
    };
    app.overlays.push(Overlay::Confirm(confirm));
}

/// Opens the dialog of a plan, which comes later. One restore is one key: its dialog opens only where the
/// plan has something to say.
fn plan(app: &mut App, request: PlanRequest, effects: &mut Vec<Effect>) {
    let ticket = app.ticket();
    if let PlanRequest::Restore(ids) = &request
        && let [one] = ids.as_slice()
    {
        app.foreseen.insert(ticket, (one.clone(), app.last_key));
    } else {
        let dialog = PlanDialog::new(ticket, request.clone());
        app.overlays.push(Overlay::Plan(Box::new(dialog)));
    }
    effects.push(Effect::Plan { ticket, request });
}

fn delete_of(app: &App, ids: Vec<SessionId>) -> PlanRequest {
    PlanRequest::Delete(DeleteRequest {
        ids: ids.into_iter().collect(),
        conditions: Conditions { exclude_pinned: true, ..app.list.marks.conditions() },
        with_rowless: false,
        closed: BTreeSet::new(),
        actor: Actor::Operator,
    })
}

/// Answers the shown question, or lists its options.
fn answer(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    let Some(session) = app.selected() else {
        return;
    };
    let Some(question) = session.condition.question.clone() else {
        return;
    };
    let id = session.id.clone();
    if action == Action::AnswerYes {
        effects.push(Effect::Answer { id, question: question.id, option: None });
    } else if question.options.is_empty() {
        let title = format!("The options of {id} cannot be read");
        let lines = vec!["Enter opens it, so that you can answer yourself.".to_owned()];
        notify(app, ToastKind::Result, title, lines);
    } else {
        let (text, options) = (question.text, question.options);
        let dialog = AnswerDialog { id, question: question.id, text, options, index: 0 };
        app.overlays.push(Overlay::Answer(dialog));
    }
}
