//! Operations: what the operator does with them, and leaving while some run.

use crate::domain::operation::{Operation, Verb};
use crate::domain::text::names;
use crate::host::report::RestoreTarget;
use crate::tui::action::Action;
use crate::tui::app::overlay::{Confirm, LEAVING, LeaveDialog, Leaving, Overlay};
use crate::tui::app::plan::Button;
use crate::tui::app::toast::ToastKind;
use crate::tui::app::words::count;
use crate::tui::app::{App, View};
use crate::tui::event::{Effect, Settled};

use super::{notify, place};

/// Does an action on the selected operation.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    let Some(operation) = app.jobs.current() else {
        return;
    };
    let id = operation.id.clone();
    match action {
        Action::CancelJob => effects.push(Effect::CancelJob(id)),
        Action::ResumeJob => effects.push(Effect::ResumeJob(id)),
        Action::AbandonJob => {
            let confirm = Confirm {
                title: format!("Abandon {}", named(operation)),
                lines: vec!["What it left behind stays as it is.".to_owned()],
                act: "Abandon".to_owned(),
                button: Button::Cancel,
                effects: vec![Effect::AbandonJob(id)],
            };
            app.overlays.push(Overlay::Confirm(confirm));
        }
        Action::Undo if operation.kind != Verb::Delete => effects.push(Effect::UndoJob(id)),
        Action::Undo => {
            effects.push(Effect::Restore { target: RestoreTarget::Batch(id), undo: true });
        }
        Action::MarkFailed => {
            let ids = app.jobs.not_done(operation);
            notify(app, ToastKind::Result, format!("{} marked.", names(&ids)), vec![]);
            app.list.marks.clear();
            app.list.marks.ids.extend(ids);
            place::view(app, View::Sessions, effects);
        }
        _ => {}
    }
}

/// `restore of 3 sessions`.
fn named(operation: &Operation) -> String {
    let what = match operation.session_ids.as_slice() {
        [one] => one.to_string(),
        many => count(many.len(), "session"),
    };
    format!("{} of {what}", operation.kind)
}

/// What became of a stuck operation.
pub(super) fn settled(app: &mut App, id: &crate::domain::ids::OperationId, how: Settled) {
    let known = app.jobs.operations.iter().find(|operation| operation.id == *id);
    let what = known.map_or_else(|| format!("operation {id}"), named);
    let what = crate::tui::app::words::sentence(&what);
    let (kind, title) = match how {
        Settled::Resumed => (ToastKind::Result, format!("{what} came to its end.")),
        Settled::Undone => (ToastKind::Result, format!("{what} is undone.")),
        Settled::StillStuck => (ToastKind::Partly, format!("{what} is still not done.")),
        Settled::Abandoned => (ToastKind::Result, format!("{what} is abandoned.")),
    };
    notify(app, kind, title, vec![]);
}

/// Leaves; asks first while jobs run. A single start does not count: it ends within moments.
pub(super) fn quit(app: &mut App, effects: &mut Vec<Effect>) {
    if app.jobs.notable().next().is_none() {
        effects.push(Effect::Quit { farewell: farewell(app), hand_over: Vec::new() });
    } else {
        app.overlays.push(Overlay::Leave(LeaveDialog::default()));
    }
}

/// Leaves in the chosen way.
pub(super) fn leave_by(app: &mut App, leave: LeaveDialog, effects: &mut Vec<Effect>) {
    app.confirmed_at = Some(app.now);
    let running: Vec<_> = app.jobs.notable().map(|job| job.id.clone()).collect();
    match LEAVING.get(leave.index).map_or(Leaving::Wait, |(way, _)| *way) {
        Leaving::HandOver => {
            let jobs = format!("{} in the background.", goes_on(running.len()));
            let farewell = [farewell(app), jobs].join(" ").trim_start().to_owned();
            effects.push(Effect::Quit { farewell, hand_over: running });
            return;
        }
        Leaving::Cancel => effects.extend(running.into_iter().map(Effect::CancelJob)),
        Leaving::Wait => {}
    }
    app.overlays.push(Overlay::Leave(LeaveDialog { waiting: true, ..leave }));
}

/// Who waits for jobs leaves when the last one has ended.
pub(super) fn leave_when_done(app: &App, effects: &mut Vec<Effect>) {
    let waits = |overlay: &Overlay| matches!(overlay, Overlay::Leave(leave) if leave.waiting);
    if app.jobs.notable().next().is_none() && app.overlays.iter().any(waits) {
        effects.push(Effect::Quit { farewell: farewell(app), hand_over: Vec::new() });
    }
}

fn goes_on(jobs: usize) -> String {
    if jobs == 1 { "1 job goes on".to_owned() } else { format!("{jobs} jobs go on") }
}

/// The line that is printed after leaving.
fn farewell(app: &App) -> String {
    match app.board.live {
        0 => String::new(),
        1 => "1 agent goes on. callboard brings it back on screen.".to_owned(),
        n => format!("{n} agents go on. callboard brings them back on screen."),
    }
}
