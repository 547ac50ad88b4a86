//! Actions in dialogs, forms and lines of text.

use crate::domain::key::{Key, KeyCode};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::form::Field;
use crate::tui::app::layout::typing_size;
use crate::tui::app::list::Wanted;
use crate::tui::app::overlay::{LEAVING, Overlay, Purpose};
use crate::tui::app::plan::{Button, PlanRequest, Planning};
use crate::tui::event::Effect;
use crate::tui::views::{help_beyond, plan_rows};

use super::act::{begin_current, draft};
use super::moving::Step;
use super::{aside, everywhere, filters, jobs, palette, reading};

/// A text was changed.
pub(super) fn typed(app: &mut App, effects: &mut Vec<Effect>) {
    match app.overlays.last() {
        Some(Overlay::Palette(_)) => palette::refresh(app),
        Some(Overlay::Everywhere(_)) => everywhere::typed(app),
        Some(Overlay::Line { purpose: Purpose::Find, editor }) => {
            let text = editor.text().to_owned();
            app.current_list_mut().find = text;
            begin_current(app, Wanted::Same, effects);
        }
        Some(Overlay::Line { purpose: Purpose::Search { backwards }, editor }) => {
            let (text, backwards) = (editor.text().to_owned(), *backwards);
            reading::search_typed(app, &text, backwards);
        }
        _ => {}
    }
}

/// A key that the key map does not know: buttons and boxes of forms take Enter and Space.
pub(super) fn unbound(app: &mut App, key: Key, effects: &mut Vec<Effect>) {
    let Some(Overlay::NewSession(form)) = app.overlays.last_mut() else {
        return;
    };
    let press = matches!(key.code, KeyCode::Enter | KeyCode::Char(' '));
    match form.field {
        Field::InPlace if press => form.in_place = !form.in_place,
        Field::Cancel if press => cancel(app, effects),
        Field::Start if press => submit(app, effects),
        _ if key.code == KeyCode::Enter || key.code == KeyCode::Down => form.step(1),
        _ if key.code == KeyCode::Up => form.step(-1),
        _ => {}
    }
}

/// Presses a button with the mouse.
pub(super) fn press(app: &mut App, button: Button, effects: &mut Vec<Effect>) {
    let action = match (app.overlays.last_mut(), button) {
        (Some(Overlay::Plan(dialog)), Button::Act) if dialog.going() == 0 => return,
        (Some(Overlay::Plan(dialog)), Button::Act) => {
            dialog.button = button;
            Action::Confirm
        }
        (Some(Overlay::Confirm(confirm)), Button::Act) => {
            confirm.button = button;
            Action::Confirm
        }
        (_, Button::Act) => Action::Submit,
        (_, Button::Cancel) => Action::Cancel,
    };
    super::act::act(app, action, effects);
}

/// Selects a row of the topmost layer; the second click on it takes it, where that is all there is to do.
pub(super) fn choose_row(app: &mut App, row: usize, again: bool, effects: &mut Vec<Effect>) {
    let height = match app.overlays.last() {
        Some(Overlay::Plan(dialog)) => plan_rows(app, dialog),
        _ => 0,
    };
    match app.overlays.last_mut() {
        Some(Overlay::Plan(dialog)) => return dialog.select(row, height),
        Some(Overlay::Answer(answer)) => answer.index = row,
        Some(Overlay::CopyWhat(copy)) => copy.index = row,
        Some(Overlay::Leave(leave)) => leave.index = row,
        Some(Overlay::Palette(palette)) => palette.index = row,
        _ => return,
    }
    if again {
        super::act::act(app, Action::Confirm, effects);
    }
}

/// Does an action in the topmost layer.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Cancel => cancel(app, effects),
        Action::Confirm => confirm(app, effects),
        Action::Submit => submit(app, effects),
        Action::Down => go(app, Step::By(1)),
        Action::Up => go(app, Step::By(-1)),
        Action::Top => go(app, Step::First),
        Action::Bottom => go(app, Step::Last),
        Action::HalfDown => go(app, Step::By(page(app) / 2)),
        Action::HalfUp => go(app, Step::By(-(page(app) / 2))),
        Action::PageDown => go(app, Step::By(page(app))),
        Action::PageUp => go(app, Step::By(-page(app))),
        _ => in_layer(app, action, effects),
    }
}

fn in_layer(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match (app.overlays.last_mut(), action) {
        (Some(Overlay::Plan(dialog)), Action::NextButton | Action::PreviousButton) => {
            dialog.button = dialog.button.other();
        }
        (Some(Overlay::Confirm(confirm)), Action::NextButton | Action::PreviousButton) => {
            confirm.button = confirm.button.other();
        }
        (Some(Overlay::Plan(dialog)), Action::KeepOrDrop) => {
            dialog.toggle();
            if dialog.going() == 0 {
                dialog.button = Button::Cancel;
            }
        }
        (Some(Overlay::Plan(dialog)), Action::NextGroup) => dialog.turn(1),
        (Some(Overlay::Plan(dialog)), Action::PreviousGroup) => dialog.turn(-1),
        (Some(Overlay::Plan(_)), Action::DropPinCheck) => drop_pin_check(app, effects),
        (Some(Overlay::NewSession(form)), Action::NextField) => form.step(1),
        (Some(Overlay::NewSession(form)), Action::PreviousField) => form.step(-1),
        (Some(Overlay::NewSession(form)), Action::NextChoice) => choose(form, 1),
        (Some(Overlay::NewSession(form)), Action::PreviousChoice) => choose(form, -1),
        (Some(Overlay::Palette(_)), Action::Complete) => palette::complete(app),
        (
            Some(Overlay::Line { purpose: Purpose::SaveFilter { everywhere }, .. }),
            Action::Everywhere,
        ) => *everywhere = !*everywhere,
        (Some(Overlay::Line { .. }), Action::Everywhere) => everywhere::open(app),
        _ => {}
    }
}

fn choose(form: &mut crate::tui::app::form::NewForm, by: isize) {
    match form.field {
        Field::InPlace => form.in_place = !form.in_place,
        Field::Cancel | Field::Start => form.step(by),
        _ => form.choose(by),
    }
}

/// Plans again with the pinned sessions, which become a group of their own.
fn drop_pin_check(app: &mut App, effects: &mut Vec<Effect>) {
    let ticket = app.ticket();
    let Some(Overlay::Plan(dialog)) = app.overlays.last_mut() else {
        return;
    };
    if let PlanRequest::Delete(request) = &mut dialog.request {
        request.conditions.exclude_pinned = false;
    }
    dialog.ticket = ticket;
    dialog.planning = Planning::Looking(0, dialog.request.named());
    dialog.button = Button::Cancel;
    effects.push(Effect::Plan { ticket, request: dialog.request.clone() });
}

/// Rows of a page in the topmost layer.
fn page(app: &App) -> isize {
    let rows = match app.overlays.last() {
        Some(Overlay::Plan(dialog)) => plan_rows(app, dialog),
        _ => usize::from(app.setup.size.1) / 2,
    };
    (rows as isize - 1).max(1)
}

fn go(app: &mut App, step: Step) {
    let beyond = match app.overlays.last() {
        Some(Overlay::Help { context, .. }) => help_beyond(app, *context),
        _ => 0,
    };
    let height = match app.overlays.last() {
        Some(Overlay::Plan(dialog)) => plan_rows(app, dialog),
        _ => 0,
    };
    match app.overlays.last_mut() {
        Some(Overlay::Plan(dialog)) => {
            dialog.select(step.from(dialog.index, dialog.listed()), height);
        }
        Some(Overlay::Answer(answer)) => {
            answer.index = step.from(answer.index, answer.options.len());
        }
        Some(Overlay::CopyWhat(copy)) => copy.index = step.from(copy.index, copy.texts.len()),
        Some(Overlay::Leave(leave)) => leave.index = step.from(leave.index, LEAVING.len()),
        Some(Overlay::Help { top, .. }) => *top = step.from(*top, beyond + 1),
        Some(Overlay::Palette(_)) => palette::go(app, step),
        Some(Overlay::Everywhere(_)) => everywhere::go(app, step),
        _ => {}
    }
}

/// Closes the topmost layer and changes nothing; what was typed into a form is kept.
fn cancel(app: &mut App, effects: &mut Vec<Effect>) {
    match app.overlays.pop() {
        Some(Overlay::NewSession(form)) => app.draft = Some(*form),
        Some(Overlay::Line { purpose: Purpose::Find, .. }) => {
            app.current_list_mut().find.clear();
            begin_current(app, Wanted::Same, effects);
        }
        Some(Overlay::Line { purpose: Purpose::Search { .. }, .. }) => {
            reading::search_ended(app, false, effects);
        }
        _ => {}
    }
}

/// Presses the chosen button, or takes what was typed.
fn confirm(app: &mut App, effects: &mut Vec<Effect>) {
    match app.overlays.pop() {
        Some(Overlay::Plan(dialog)) => {
            if dialog.button == Button::Act && dialog.going() > 0 {
                effects.push(dialog.confirmed());
            }
            app.confirmed_at = Some(app.now);
        }
        Some(Overlay::Confirm(confirm)) => {
            if confirm.button == Button::Act {
                effects.extend(confirm.effects);
            }
            app.confirmed_at = Some(app.now);
        }
        Some(Overlay::Answer(answer)) => {
            let option = Some(answer.index + 1);
            effects.push(Effect::Answer { id: answer.id, question: answer.question, option });
            app.confirmed_at = Some(app.now);
        }
        Some(Overlay::CopyWhat(mut dialog)) => {
            if dialog.index < dialog.texts.len() {
                let (_, text) = dialog.texts.swap_remove(dialog.index);
                aside::copy(app, text, effects);
            }
            app.confirmed_at = Some(app.now);
        }
        Some(Overlay::Leave(leave)) => jobs::leave_by(app, leave, effects),
        Some(Overlay::Line { purpose, editor }) => {
            take_line(app, purpose, editor.text().trim(), effects);
        }
        Some(Overlay::Palette(palette)) => palette::run(app, &palette, effects),
        Some(Overlay::Everywhere(finder)) => everywhere::enter(app, finder, effects),
        Some(overlay @ (Overlay::NewSession(_) | Overlay::Message { .. })) => {
            app.overlays.push(overlay);
        }
        Some(Overlay::Help { .. }) | None => {}
    }
}

fn take_line(app: &mut App, purpose: Purpose, text: &str, effects: &mut Vec<Effect>) {
    match purpose {
        // The list follows every letter already.
        Purpose::Find => {}
        Purpose::Search { .. } => reading::search_ended(app, true, effects),
        _ if text.is_empty() => {}
        Purpose::Rename(id) => effects.push(Effect::Rename { id, title: text.to_owned() }),
        Purpose::SaveFilter { everywhere } => filters::save(app, text, everywhere, effects),
        Purpose::RenameFilter(from) => {
            effects.push(Effect::RenameFilter { from, to: text.to_owned() });
        }
        Purpose::AddProject => effects.push(Effect::AddProject(app.setup.folder_of(text))),
        Purpose::QuickNew(_) => {
            let mut form = draft(app);
            form.started();
            form.prompt.set(text);
            create(app, &mut form, effects);
        }
    }
    app.confirmed_at = Some(app.now);
}

/// Starts what a form describes, or sends a message.
fn submit(app: &mut App, effects: &mut Vec<Effect>) {
    match app.overlays.pop() {
        Some(Overlay::NewSession(mut form)) => {
            if !create(app, &mut form, effects) {
                app.overlays.push(Overlay::NewSession(form));
            }
        }
        Some(Overlay::Message { ids, editor }) => {
            let text = editor.text().trim().to_owned();
            if !text.is_empty() {
                effects.push(Effect::Message { ids, text });
            }
        }
        other => app.overlays.extend(other),
    }
}

/// Asks for a session; false, with the reason in the form, where it cannot be asked for.
fn create(
    app: &mut App,
    form: &mut crate::tui::app::form::NewForm,
    effects: &mut Vec<Effect>,
) -> bool {
    match form.request(&app.setup.folder, typing_size(app.setup.size)) {
        Ok(request) => {
            effects.push(Effect::Create(Box::new(request)));
            app.submitted = Some((form.clone(), app.last_key));
            app.launched.insert(form.project.clone(), form.agent.clone());
            let mut emptied = form.clone();
            emptied.started();
            app.draft = Some(emptied);
            true
        }
        Err(error) => {
            form.error = Some(error);
            false
        }
    }
}
