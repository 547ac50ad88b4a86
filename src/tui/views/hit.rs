//! What a click is about, where it is not a row, a section or a screen: keys on the bottom line, and what
//! dialogs offer.

use ratatui::layout::Position;

use super::dialog::{Choice, button_at, confirm_area, inside};
use super::{bottom, leave, newform, palette, plan};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::overlay::Overlay;
use crate::tui::app::plan::Button;

/// What a click is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Hit {
    /// A key of the bottom line.
    Key(Action),
    /// A button of the dialog.
    Button(Button),
    /// A row of the dialog's list.
    Row(usize),
}

/// What is there.
pub(in crate::tui) fn hit(app: &App, at: Position) -> Option<Hit> {
    if let Some(action) = bottom::action_at(app, at) {
        return Some(Hit::Key(action));
    }
    let row = |rows: ratatui::layout::Rect, top: usize| {
        rows.contains(at).then(|| Hit::Row(top + usize::from(at.y - rows.y)))
    };
    match app.overlays.last()? {
        Overlay::Plan(dialog) => plan::hit(app, dialog, at),
        Overlay::Confirm(confirm) => {
            let inner = inside(confirm_area(app, confirm));
            let here = at.y == inner.bottom().saturating_sub(1);
            button_at(inner, &confirm.act, at.x).filter(|_| here).map(Hit::Button)
        }
        Overlay::NewSession(_) => newform::button(app, at).map(Hit::Button),
        Overlay::Answer(answer) => row(Choice::answer(answer).rows(app), 0),
        Overlay::CopyWhat(copy) => row(Choice::copy(copy).rows(app), 0),
        Overlay::Leave(dialog) if !dialog.waiting => row(leave::rows(app), 0),
        Overlay::Palette(found) => {
            let here = row(palette::list(app), found.top);
            here.filter(|hit| matches!(hit, Hit::Row(row) if *row < found.matches.len()))
        }
        _ => None,
    }
}
