//! Drawing: a pure function of the [`App`]. `spec/look.md` has the target.

mod board;
mod bottom;
mod columns;
mod details;
mod dialog;
mod empty;
mod entries;
mod everywhere;
mod geometry;
mod help;
mod hit;
mod jobs;
mod leave;
mod list;
mod newform;
mod palette;
mod pane;
mod pen;
mod plan;
mod rail;
mod reading;
mod signs;
mod toast;
mod top;
mod trash;
mod wall;

use ratatui::Frame;

use self::dialog::Choice;
pub(super) use self::geometry::{
    everywhere_rows, help_beyond, list_line, message_line, palette_rows, pane_beyond, pane_lines,
    plan_rows, rail_place, row_of,
};
pub(super) use self::hit::{Hit, hit};
use self::pen::Pen;
use super::app::overlay::{Overlay, Purpose};
use super::app::{App, View};
use super::links::Links;

/// Draws everything, hyperlinks beside it.
pub fn view(app: &App, frame: &mut Frame<'_>, links: &mut Links) {
    let area = frame.area();
    if area.width < 2 || area.height == 0 {
        return;
    }
    let mut cursor = None;
    let layout = app.layout();
    let mut pen = Pen::linking(frame.buffer_mut(), links, app);
    top::draw(&mut pen, app, &layout);
    match app.view {
        View::Sessions if app.is_empty() && app.typing.is_none() => {
            empty::draw(&mut pen, app, &layout);
        }
        View::Wall if app.shows_wall() => cursor = wall::draw(&mut pen, app, &layout),
        View::Jobs if app.typing.is_none() => jobs::draw(&mut pen, app, &layout),
        _ => cursor = board::draw(&mut pen, app, &layout),
    }
    for overlay in &app.overlays {
        if overlay.veils() {
            pen.veil();
            cursor = None;
        }
        cursor = overlay_view(&mut pen, app, overlay).or(cursor);
    }
    let shown = app.typing.is_none() || app.toasts.is_fresh(app.now);
    if shown && !app.overlays.iter().any(Overlay::veils) {
        toast::draw(&mut pen, app, &layout);
    }
    cursor = bottom::draw(&mut pen, app, &layout).or(cursor);
    if let Some(position) = cursor.filter(|position| area.contains((*position).into())) {
        frame.set_cursor_position(position);
    }
}

/// Draws one layer; answers where the cursor is.
fn overlay_view(pen: &mut Pen<'_>, app: &App, overlay: &Overlay) -> Option<(u16, u16)> {
    match overlay {
        Overlay::Plan(dialog) => plan::draw(pen, app, dialog),
        Overlay::Confirm(confirm) => dialog::confirm(pen, app, confirm),
        Overlay::Answer(answer) => dialog::choice(pen, app, &Choice::answer(answer)),
        Overlay::CopyWhat(copy) => dialog::choice(pen, app, &Choice::copy(copy)),
        Overlay::Leave(dialog) => leave::draw(pen, app, *dialog),
        Overlay::NewSession(form) => return newform::draw(pen, app, form),
        Overlay::Message { ids, editor } => return Some(dialog::message(pen, app, ids, editor)),
        Overlay::Line { purpose: Purpose::Search { backwards }, editor } => {
            return reading::search_line(pen, app, editor, *backwards);
        }
        Overlay::Line { purpose, editor } => return dialog::line(pen, app, purpose, editor),
        Overlay::Palette(palette) => return Some(palette::draw(pen, app, palette)),
        Overlay::Everywhere(finder) => return Some(everywhere::draw(pen, app, finder)),
        Overlay::Help { context, top } => help::draw(pen, app, *context, *top),
    }
    None
}
