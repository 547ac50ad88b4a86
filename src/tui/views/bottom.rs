//! The bottom line: the keys that act now, most useful first, as many as fit whole.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::entries::{Entry, FIND, entries};
use super::pane_beyond;
use super::pen::{Pen, Span, spans_width};
use crate::domain::text::width;
use crate::tui::action::{Action, Context};
use crate::tui::app::editor::Editor;
use crate::tui::app::layout::{Layout, pane_size, typing_size};
use crate::tui::app::overlay::{Overlay, Purpose};
use crate::tui::app::plan::{Button, PlanRequest};
use crate::tui::app::{App, find};
use crate::tui::theme::Role;

/// A key on the line, or its word, with what it does.
type Part = (String, Style, Action);

/// Keys that stand together, with their word.
struct Hint {
    x: u16,
    room: u16,
    parts: Vec<Part>,
}

impl Hint {
    fn draw(self, pen: &mut Pen<'_>, y: u16) {
        let spans: Vec<Span> =
            self.parts.into_iter().map(|(text, style, _)| (text, style)).collect();
        pen.spans(self.x, y, self.room, &spans);
    }

    /// What the part in this column does.
    fn action_at(&self, column: u16) -> Option<Action> {
        let mut left = column.checked_sub(self.x).filter(|left| *left < self.room)?;
        self.parts.iter().find_map(|(text, _, action)| {
            let cells = width(text) as u16;
            let here = left < cells;
            left = left.saturating_sub(cells);
            here.then_some(*action)
        })
    }
}

fn parts_width(parts: &[Part]) -> u16 {
    parts.iter().map(|(text, ..)| width(text) as u16).sum()
}

/// Whether an agent gets the keys: then there is nothing here but the one that leaves.
fn is_typing(app: &App) -> bool {
    app.overlays.is_empty() && app.typing.is_some() && !app.is_copying()
}

/// Draws the line; answers where the cursor is when a text is typed on it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let area = layout.keys;
    if area.height == 0 {
        return None;
    }
    pen.blank(area);
    if is_typing(app) {
        typing(pen, app, layout);
        return None;
    }
    let hints = hints(pen, app, area);
    let end = hints.iter().map(|hint| hint.x).min().unwrap_or(area.width);
    for hint in hints {
        hint.draw(pen, area.y);
    }
    match app.overlays.last() {
        Some(Overlay::Line { purpose: Purpose::Find, editor }) => {
            Some(find_line(pen, app, editor, area, end.saturating_sub(5)))
        }
        _ => None,
    }
}

/// What a click on the line does.
pub(super) fn action_at(app: &App, at: Position) -> Option<Action> {
    let layout = app.layout();
    if !layout.keys.contains(at) {
        return None;
    }
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    let pen = Pen::new(&mut buffer, app);
    if is_typing(app) {
        let cells = spans_width(&leave_hint(&pen, app, "leave"));
        return (1..1 + cells).contains(&at.x).then_some(Action::LeaveAgent);
    }
    hints(&pen, app, layout.keys).iter().find_map(|hint| hint.action_at(at.x))
}

/// What acts but would change nothing is not told.
fn is_of_use(app: &App, action: Action) -> bool {
    !matches!(action, Action::TextLeft | Action::TextRight) || pane_beyond(app) > 0
}

/// Everything on the line, with its place.
fn hints(pen: &Pen<'_>, app: &App, area: Rect) -> Vec<Hint> {
    let last = last_entry(pen, app);
    let cells = parts_width(&last);
    let end = area.width.saturating_sub(cells + 1);
    let mut hints = vec![Hint { x: end, room: cells, parts: last }];
    if let Some(Overlay::Line { purpose: Purpose::Find, editor }) = app.overlays.last() {
        // What is not understood matters more than the way to look elsewhere.
        let shown = if find::parse(editor.text()).error.is_some() { 1 } else { FIND.len() };
        let mut end = end;
        for entry in FIND.iter().take(shown).rev() {
            let parts = key_parts(pen, app, *entry);
            let cells = parts_width(&parts);
            end = end.saturating_sub(cells + 2);
            hints.push(Hint { x: end, room: cells, parts });
        }
        return hints;
    }
    let mut x = 1;
    if let Some(parts) = confirm_entry(pen, app) {
        let room = parts_width(&parts).min(end.saturating_sub(x + 3));
        hints.push(Hint { x, room, parts });
        x += room + 3;
    }
    let always = !app.overlays.is_empty();
    for entry in entries(app) {
        let acts = entry.0.iter().any(|action| app.is_legal(*action) && is_of_use(app, *action));
        let parts = key_parts(pen, app, *entry);
        let cells = parts_width(&parts);
        if !acts || cells == 0 {
            continue;
        }
        // A wide key that does not fit lets narrower ones after it have the room only in dialogs,
        // where each key matters more than their order.
        if x + cells + 3 > end {
            if always {
                continue;
            }
            break;
        }
        hints.push(Hint { x, room: cells, parts });
        x += cells + 3;
    }
    hints
}

/// What Enter does in a dialog with buttons.
fn confirm_entry(pen: &Pen<'_>, app: &App) -> Option<Vec<Part>> {
    let (button, word) = match app.overlays.last()? {
        Overlay::Plan(dialog) => (
            dialog.button,
            match dialog.request {
                PlanRequest::Delete(_) => "delete",
                PlanRequest::Restore(_) => "restore",
                PlanRequest::Purge(_) => "purge",
            },
        ),
        Overlay::Confirm(confirm) => (confirm.button, "do it"),
        _ => return None,
    };
    let word = if button == Button::Cancel { "cancel" } else { word };
    Some(parts_of(pen, app, &[Action::Confirm], word))
}

/// The entry that is always there, at the right edge.
fn last_entry(pen: &Pen<'_>, app: &App) -> Vec<Part> {
    let (action, word) = match app.overlays.last() {
        None => (Action::Help, "help"),
        Some(Overlay::Leave(_)) => (Action::Cancel, "stay"),
        Some(Overlay::NewSession(_)) => (Action::Cancel, "close, keeps what you typed"),
        Some(Overlay::Line { purpose: Purpose::Find, .. }) => (Action::Cancel, "clear"),
        Some(Overlay::Palette(_) | Overlay::Help { .. }) => (Action::Cancel, "close"),
        Some(Overlay::Everywhere(_)) => (Action::Cancel, "back"),
        Some(_) => (Action::Cancel, "cancel"),
    };
    parts_of(pen, app, &[action], word)
}

fn key_parts(pen: &Pen<'_>, app: &App, (actions, word): Entry) -> Vec<Part> {
    parts_of(pen, app, actions, word)
}

/// The keys of actions, and the word for them; nothing where none has a key.
fn parts_of(pen: &Pen<'_>, app: &App, actions: &[Action], word: &str) -> Vec<Part> {
    let contexts = app.contexts();
    let key = |action: &Action| Some((app.setup.keymap.key_label(&contexts, *action)?, *action));
    let mut parts: Vec<Part> = Vec::new();
    for (label, action) in actions.iter().filter_map(key) {
        let gap = if parts.is_empty() { "" } else { " " };
        parts.push((format!("{gap}{}", arrows(pen, &label)), pen.role(Role::Key), action));
    }
    if let Some((.., first)) = parts.first() {
        let first = *first;
        parts.push((format!(" {word}"), pen.role(Role::Muted), first));
    }
    parts
}

/// Names of arrow keys as arrows.
pub(super) fn arrows(pen: &Pen<'_>, label: &str) -> String {
    match label {
        "Up" => pen.glyphs.up.to_owned(),
        "Down" => pen.glyphs.down.to_owned(),
        "Left" => pen.glyphs.choice_left.to_owned(),
        "Right" => pen.glyphs.choice_right.to_owned(),
        other => other.to_owned(),
    }
}

/// `Ctrl+] leaves`, wherever an agent gets the keys.
pub(super) fn leave_hint(pen: &Pen<'_>, app: &App, word: &str) -> Vec<Span> {
    hint(pen, app, Context::Terminal, Action::LeaveAgent, word)
}

/// The key of an action in a context, with a word; nothing where it has no key.
pub(super) fn hint(
    pen: &Pen<'_>,
    app: &App,
    context: Context,
    action: Action,
    word: &str,
) -> Vec<Span> {
    let key = app.setup.keymap.key_label(&[context], action);
    key.map(|key| vec![(key, pen.role(Role::Key)), (format!(" {word}"), pen.role(Role::Muted))])
        .unwrap_or_default()
}

/// While an agent gets the keys there is nothing else here but its size.
fn typing(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let area = layout.keys;
    let agent = app.typing.as_ref().and_then(|typing| {
        let session = app.known(&typing.id)?;
        Some(session.launch.agent.as_str())
    });
    let mut spans = leave_hint(pen, app, "leave");
    let rest = format!("   every other key goes to {}", agent.unwrap_or("the agent"));
    spans.push((rest, pen.role(Role::Muted)));
    pen.spans(1, area.y, area.width.saturating_sub(2), &spans);
    let (cols, rows) =
        if app.shows_wall() { typing_size(app.setup.size) } else { pane_size(layout) };
    let right = area.width.saturating_sub(1);
    pen.right(right, area.y, 9, &format!("{cols}x{rows}"), pen.role(Role::Muted));
}

/// The filter as it is typed; answers where the cursor is.
fn find_line(pen: &mut Pen<'_>, app: &App, editor: &Editor, area: Rect, room: u16) -> (u16, u16) {
    let key = app.setup.keymap.key_label(&[Context::Global], Action::Find);
    let sign = format!("{} ", key.unwrap_or_else(|| "/".to_owned()));
    let x = 1 + pen.text(1, area.y, room, &sign, pen.role(Role::Accent));
    find_pieces(pen, editor, Rect { x, width: room, height: 1, ..area })
}

/// A text to find, its words in their colours, and what of it is not understood; answers where the cursor is.
pub(super) fn find_pieces(pen: &mut Pen<'_>, editor: &Editor, area: Rect) -> (u16, u16) {
    let parsed = find::parse(editor.text());
    let (mut x, start, room) = (area.x, area.x, area.width);
    for piece in &parsed.pieces {
        let style = match piece.kind {
            find::Kind::Known => pen.role(Role::Accent),
            find::Kind::Unknown => {
                pen.role(Role::Danger).add_modifier(ratatui::style::Modifier::UNDERLINED)
            }
            find::Kind::Text => pen.role(Role::Text),
        };
        x += pen.raw(x, area.y, (start + room).saturating_sub(x), &piece.text, style);
    }
    if let Some(error) = &parsed.error {
        let end = start + room;
        let cells = width(error) as u16;
        if x + cells + 2 < end {
            pen.right(end, area.y, cells, error, pen.role(Role::Danger));
        }
    }
    let (_, (_, col)) = editor.wrapped(usize::from(u16::MAX));
    ((start + col as u16).min(start + room), area.y)
}
