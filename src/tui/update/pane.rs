//! The mouse in an agent's screen: for its program, where that asked for it; else to scroll back, to
//! select and copy, and to open links.

use std::time::Duration;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::domain::key::Modifiers;
use crate::runtime::keys as program;
use crate::tui::app::reading::{Begin, Press};
use crate::tui::app::screen::Takes;
use crate::tui::app::{App, Focus, View};
use crate::tui::event::Effect;

use super::mouse::NOTCH;
use super::reading;

/// Clicks on one cell belong together within this time.
pub(super) const TOGETHER: Duration = Duration::from_millis(400);

/// The mouse was used; false where it was not about a screen.
pub(super) fn used(app: &mut App, mouse: MouseEvent, effects: &mut Vec<Effect>) -> bool {
    let area = app.screen_area();
    let inside = area.contains(Position::new(mouse.column, mouse.row));
    let held = app.press.is_some_and(|press| press.held);
    if !(inside || held && is_motion_or_release(mouse.kind)) || area.is_empty() {
        return false;
    }
    let cell = cell(area, mouse);
    if for_program(app, mouse, cell, effects) {
        return true;
    }
    match mouse.kind {
        MouseEventKind::ScrollUp => reading::scroll_by(app, -NOTCH, effects),
        MouseEventKind::ScrollDown => reading::scroll_by(app, NOTCH, effects),
        MouseEventKind::Down(MouseButton::Left) => press(app, mouse, cell, effects),
        MouseEventKind::Drag(MouseButton::Left) => drag(app, area, mouse, cell, effects),
        MouseEventKind::Up(MouseButton::Left) => release(app, cell, effects),
        _ => {}
    }
    true
}

fn is_motion_or_release(kind: MouseEventKind) -> bool {
    matches!(kind, MouseEventKind::Drag(_) | MouseEventKind::Up(_))
}

/// The cell of the pane, the nearest one where the pointer left it.
fn cell(area: Rect, mouse: MouseEvent) -> (u16, u16) {
    let within =
        |at: u16, start: u16, length: u16| at.saturating_sub(start).min(length.saturating_sub(1));
    (within(mouse.column, area.x, area.width), within(mouse.row, area.y, area.height))
}

/// Gives it to the program that is typed to, where that wants it. With Shift it is ours, as in other
/// terminals.
fn for_program(
    app: &mut App,
    mouse: MouseEvent,
    (col, row): (u16, u16),
    effects: &mut Vec<Effect>,
) -> bool {
    let Some(typing) = app.typing.as_ref().filter(|_| app.reading.is_none()) else {
        return false;
    };
    let Some(cells) = app.screens.get(&typing.id) else {
        return false;
    };
    let Takes { clicks, wheel } = cells.takes;
    let (kind, button) = in_its_words(mouse.kind);
    let turned = matches!(
        mouse.kind,
        MouseEventKind::ScrollUp
            | MouseEventKind::ScrollDown
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight
    );
    let ours = app.press.is_some_and(|press| press.held && !press.program);
    let shift = mouse.modifiers.contains(KeyModifiers::SHIFT);
    if ours || shift || !(if turned { wheel } else { clicks }) {
        return false;
    }
    let first = cells.first(app.screen_area().height, true);
    let row = u16::try_from(first + usize::from(row)).unwrap_or(u16::MAX);
    let mods = Modifiers {
        ctrl: mouse.modifiers.contains(KeyModifiers::CONTROL),
        alt: mouse.modifiers.contains(KeyModifiers::ALT),
        ..Modifiers::NONE
    };
    let id = typing.id.clone();
    let mouse = program::MouseEvent { kind, button, col, row, mods };
    effects.push(Effect::PointAt { id, mouse });
    let held = match kind {
        program::MouseKind::Release => false,
        program::MouseKind::Press => !turned,
        program::MouseKind::Motion => app.press.is_some_and(|press| press.held),
    };
    app.press = Some(Press { at: (col, row), when: app.now, clicks: 0, program: true, held });
    true
}

fn in_its_words(kind: MouseEventKind) -> (program::MouseKind, program::MouseButton) {
    let button = |button| match button {
        MouseButton::Left => program::MouseButton::Left,
        MouseButton::Middle => program::MouseButton::Middle,
        MouseButton::Right => program::MouseButton::Right,
    };
    match kind {
        MouseEventKind::Down(it) => (program::MouseKind::Press, button(it)),
        MouseEventKind::Up(it) => (program::MouseKind::Release, button(it)),
        MouseEventKind::Drag(it) => (program::MouseKind::Motion, button(it)),
        MouseEventKind::Moved => (program::MouseKind::Motion, program::MouseButton::None),
        MouseEventKind::ScrollUp => (program::MouseKind::Press, program::MouseButton::WheelUp),
        MouseEventKind::ScrollDown => (program::MouseKind::Press, program::MouseButton::WheelDown),
        MouseEventKind::ScrollLeft => (program::MouseKind::Press, program::MouseButton::WheelLeft),
        MouseEventKind::ScrollRight => {
            (program::MouseKind::Press, program::MouseButton::WheelRight)
        }
    }
}

fn press(app: &mut App, mouse: MouseEvent, cell: (u16, u16), effects: &mut Vec<Effect>) {
    app.last_key = app.now;
    if app.typing.is_none() && !app.reads_whole() && app.layout().right.width > 0 {
        app.focus = if app.view == View::Sessions { Focus::Right } else { app.focus };
    }
    if mouse.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        reading::begin(app, Begin::Link(cell), effects);
        return;
    }
    let again = app
        .press
        .filter(|last| !last.program && last.at == cell && app.now.since(last.when) <= TOGETHER);
    let clicks = again.map_or(1, |last| last.clicks % 3 + 1);
    let (when, held) = (app.now, true);
    app.press = Some(Press { at: cell, when, clicks, program: false, held });
    match clicks {
        2 => reading::begin(app, Begin::Word(cell), effects),
        3 => reading::begin(app, Begin::Line(cell), effects),
        _ => {
            if let Some(reading) = app.reading.as_mut().filter(|it| it.cursor.is_some()) {
                reading.selection = None;
                reading.begin_copy(Some(cell));
            }
        }
    }
}

fn drag(app: &mut App, area: Rect, mouse: MouseEvent, cell: (u16, u16), effects: &mut Vec<Effect>) {
    let Some(press) = app.press.filter(|press| press.held && !press.program) else {
        return;
    };
    if press.clicks > 1 || press.at == cell && app.reading.is_none() {
        return;
    }
    // Beyond the edge the text comes along.
    if let Some(reading) = &mut app.reading {
        if mouse.row < area.y {
            reading.scroll(-1);
        } else if mouse.row >= area.bottom() {
            reading.scroll(1);
        }
    }
    reading::begin(app, Begin::Drag(press.at, cell), effects);
}

/// What was selected with the mouse is copied as the button goes up.
fn release(app: &mut App, cell: (u16, u16), effects: &mut Vec<Effect>) {
    let Some(press) = app.press.as_mut().filter(|press| press.held) else {
        return;
    };
    press.held = false;
    let moved = press.at != cell || press.clicks > 1;
    let one = press.clicks == 1;
    let selection = app.reading.as_ref().and_then(|reading| reading.selection);
    if let (true, Some(selection)) = (moved, selection) {
        if let Some(reading) = app.reading.as_mut().filter(|_| one) {
            reading.drag(selection.anchor, cell);
        }
        reading::copy(app, effects);
    }
}
