//! The bottom line: the keys that act now, most useful first, as many as fit whole.

use ratatui::layout::Rect;

use super::pen::{Pen, Span, spans_width};
use crate::domain::text::width;
use crate::tui::action::{Action, Context};
use crate::tui::app::editor::Editor;
use crate::tui::app::layout::{Layout, pane_size, typing_size};
use crate::tui::app::overlay::{Overlay, Purpose};
use crate::tui::app::plan::{Button, PlanRequest};
use crate::tui::app::{App, find};
use crate::tui::theme::Role;

/// Actions with their word on the line.
type Entry = (&'static [Action], &'static str);

const LIST: &[Entry] = &[
    (&[Action::Open], "open"),
    (&[Action::Mark], "mark"),
    (&[Action::AnswerYes], "yes"),
    (&[Action::AnswerChoose], "answer"),
    (&[Action::NextWaiting], "next waiting"),
    (&[Action::NewSession], "new"),
    (&[Action::Message], "message"),
    (&[Action::Delete], "delete"),
    (&[Action::Restore], "launch"),
    (&[Action::Stop], "stop"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "command"),
    (&[Action::SaveFilter], "save filter"),
    (&[Action::ClearMarks], "clear"),
    (&[Action::Quit], "quit"),
];
const RAIL: &[Entry] = &[
    (&[Action::Down, Action::Up], "move"),
    (&[Action::NextColumn], "to the list"),
    (&[Action::NextWaiting], "next waiting"),
    (&[Action::NewSession], "new"),
    (&[Action::RenameFilter], "rename"),
    (&[Action::RemoveFilter], "remove"),
    (&[Action::AddProject], "add a project"),
    (&[Action::Palette], "command"),
    (&[Action::Quit], "quit"),
];
const DETAILS: &[Entry] = &[
    (&[Action::Down, Action::Up], "scroll"),
    (&[Action::Collapse, Action::Expand], "tab"),
    (&[Action::Open], "open"),
    (&[Action::AnswerYes], "yes"),
    (&[Action::AnswerChoose], "answer"),
    (&[Action::Message], "message"),
    (&[Action::CopyMode], "copy"),
    (&[Action::Back], "back to the list"),
];
const COPY: &[Entry] = &[
    (&[Action::SelectCharacters, Action::SelectLines, Action::SelectBlock], "select"),
    (&[Action::CopyText], "copy"),
    (&[Action::SearchOn, Action::SearchBack], "search"),
    (&[Action::NextHit, Action::PreviousHit], "next"),
    (&[Action::OpenLink], "open link"),
    (&[Action::LeaveCopy], "leave"),
];
const TRASH: &[Entry] = &[
    (&[Action::Restore], "restore"),
    (&[Action::Undo], "undo last delete"),
    (&[Action::Mark], "mark"),
    (&[Action::Purge], "purge"),
    (&[Action::Find], "find"),
    (&[Action::Back], "back"),
];
const JOBS: &[Entry] = &[
    (&[Action::Open], "look at results"),
    (&[Action::MarkFailed], "mark the failed ones"),
    (&[Action::Undo], "undo"),
    (&[Action::ResumeJob], "resume"),
    (&[Action::AbandonJob], "abandon"),
    (&[Action::CancelJob], "cancel what is not done"),
    (&[Action::Back], "back"),
];
const WALL: &[Entry] = &[
    (&[Action::Collapse, Action::Down, Action::Up, Action::Expand], "move"),
    (&[Action::Open], "type here"),
    (&[Action::AnswerYes], "yes"),
    (&[Action::AnswerChoose], "answer"),
    (&[Action::Zoom], "full screen"),
    (&[Action::MoreTiles, Action::FewerTiles], "tiles"),
    (&[Action::NextWaiting], "next waiting"),
    (&[Action::Back], "back"),
];
const EMPTY: &[Entry] = &[
    (&[Action::AddThisFolder], "add this folder"),
    (&[Action::AddProject], "add another"),
    (&[Action::NewChat], "chat"),
    (&[Action::Palette], "command"),
    (&[Action::Quit], "quit"),
];
const PLAN: &[Entry] = &[
    (&[Action::NextButton], "next"),
    (&[Action::Down, Action::Up], "move"),
    (&[Action::KeepOrDrop], "keep or drop"),
    (&[Action::PreviousGroup, Action::NextGroup], "group"),
    (&[Action::DropPinCheck], "pinned too"),
];
const BUTTONS: &[Entry] = &[(&[Action::NextButton], "next")];
const CHOOSE: &[Entry] = &[(&[Action::Confirm], "answer"), (&[Action::Down, Action::Up], "move")];
const COPY_WHAT: &[Entry] = &[(&[Action::Confirm], "copy"), (&[Action::Down, Action::Up], "move")];
const LEAVE: &[Entry] = &[(&[Action::Confirm], "do it"), (&[Action::Down, Action::Up], "move")];
const SCROLL: &[Entry] = &[(&[Action::Down, Action::Up], "scroll")];
const FORM: &[Entry] = &[
    (&[Action::Submit], "start"),
    (&[Action::NextField], "next field"),
    (&[Action::PreviousChoice, Action::NextChoice], "change"),
];
const MESSAGE: &[Entry] = &[(&[Action::Submit], "send")];
const PALETTE: &[Entry] = &[
    (&[Action::Confirm], "run"),
    (&[Action::Up, Action::Down], "move"),
    (&[Action::Complete], "complete"),
];
const FIND: &[Entry] = &[(&[Action::Confirm], "keep"), (&[Action::Everywhere], "everywhere")];
const EVERYWHERE: &[Entry] =
    &[(&[Action::Confirm], "go there"), (&[Action::Up, Action::Down], "move")];
const SEARCH: &[Entry] = &[(&[Action::Confirm], "go there")];
const SAVE_HERE: &[Entry] =
    &[(&[Action::Confirm], "save"), (&[Action::Everywhere], "in all sections")];
const SAVE_EVERYWHERE: &[Entry] =
    &[(&[Action::Confirm], "save"), (&[Action::Everywhere], "only where it is")];
const RENAME: &[Entry] = &[(&[Action::Confirm], "rename")];
const ADD: &[Entry] = &[(&[Action::Confirm], "add")];
const QUICK: &[Entry] = &[(&[Action::Confirm], "start")];

/// Draws the line; answers where the cursor is when a text is typed on it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let area = layout.keys;
    if area.height == 0 {
        return None;
    }
    pen.blank(area);
    let mut last = last_entry(pen, app);
    let overlay = app.overlays.last();
    if overlay.is_none() && app.typing.is_some() && !app.is_copying() {
        typing(pen, app, layout);
        return None;
    }
    let mut x = 1;
    let mut cursor = None;
    let mut entries = entries(app);
    if let Some(Overlay::Line { purpose: Purpose::Find, editor }) = overlay {
        // What is not understood matters more than the way to look elsewhere.
        let shown = if find::parse(editor.text()).error.is_some() { 1 } else { entries.len() };
        let keys = entries.iter().take(shown).map(|entry| {
            let gap = ("  ".to_owned(), pen.role(Role::Muted));
            [key_spans(pen, app, *entry), vec![gap]].concat()
        });
        let keys: Vec<Span> = keys.flatten().collect();
        last.splice(0..0, keys);
        entries = &[];
        let room = area.width.saturating_sub(spans_width(&last) + 6);
        cursor = Some(find_line(pen, app, editor, area, room));
    }
    let end = area.width.saturating_sub(spans_width(&last) + 1);
    pen.spans(end, area.y, spans_width(&last), &last);
    if let Some(spans) = confirm_entry(pen, app) {
        x += pen.spans(x, area.y, end.saturating_sub(x + 3), &spans) + 3;
    }
    let always = overlay.is_some();
    for entry in entries {
        let acts = entry.0.iter().any(|action| app.is_legal(*action));
        let spans = key_spans(pen, app, *entry);
        let cells = spans_width(&spans);
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
        x += pen.spans(x, area.y, cells, &spans) + 3;
    }
    cursor
}

fn entries(app: &App) -> &'static [Entry] {
    match app.overlays.last() {
        Some(Overlay::Plan(_)) => PLAN,
        Some(Overlay::Confirm(_)) => BUTTONS,
        Some(Overlay::Answer(_)) => CHOOSE,
        Some(Overlay::CopyWhat(_)) => COPY_WHAT,
        Some(Overlay::Leave(leave)) => {
            if leave.waiting {
                &[]
            } else {
                LEAVE
            }
        }
        Some(Overlay::Help { .. }) => SCROLL,
        Some(Overlay::NewSession(_)) => FORM,
        Some(Overlay::Message { .. }) => MESSAGE,
        Some(Overlay::Palette(_)) => PALETTE,
        Some(Overlay::Everywhere(_)) => EVERYWHERE,
        Some(Overlay::Line { purpose, .. }) => match purpose {
            Purpose::Find => FIND,
            Purpose::Search { .. } => SEARCH,
            Purpose::Rename(_) | Purpose::RenameFilter(_) => RENAME,
            Purpose::AddProject => ADD,
            Purpose::SaveFilter { everywhere: false } => SAVE_HERE,
            Purpose::SaveFilter { everywhere: true } => SAVE_EVERYWHERE,
            Purpose::QuickNew(_) => QUICK,
        },
        None if app.is_copying() => COPY,
        None => match app.view_context() {
            Context::Rail => RAIL,
            Context::Details => DETAILS,
            Context::Trash => TRASH,
            Context::Jobs => JOBS,
            Context::Wall => WALL,
            Context::Empty => EMPTY,
            _ => LIST,
        },
    }
}

/// What Enter does in a dialog with buttons.
fn confirm_entry(pen: &Pen<'_>, app: &App) -> Option<Vec<Span>> {
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
    Some(spans_of(pen, app, &[Action::Confirm], word))
}

/// The entry that is always there, at the right edge.
fn last_entry(pen: &Pen<'_>, app: &App) -> Vec<Span> {
    let (action, word) = match app.overlays.last() {
        None => (Action::Help, "help"),
        Some(Overlay::Leave(_)) => (Action::Cancel, "stay"),
        Some(Overlay::NewSession(_)) => (Action::Cancel, "close, keeps what you typed"),
        Some(Overlay::Line { purpose: Purpose::Find, .. }) => (Action::Cancel, "clear"),
        Some(Overlay::Palette(_) | Overlay::Help { .. }) => (Action::Cancel, "close"),
        Some(Overlay::Everywhere(_)) => (Action::Cancel, "back"),
        Some(_) => (Action::Cancel, "cancel"),
    };
    spans_of(pen, app, &[action], word)
}

fn key_spans(pen: &Pen<'_>, app: &App, (actions, word): Entry) -> Vec<Span> {
    spans_of(pen, app, actions, word)
}

fn spans_of(pen: &Pen<'_>, app: &App, actions: &[Action], word: &str) -> Vec<Span> {
    let contexts = app.contexts();
    let labels = actions.iter().filter_map(|action| app.setup.keymap.key_label(&contexts, *action));
    let keys = labels.map(|label| arrows(pen, &label)).collect::<Vec<_>>().join(" ");
    if keys.is_empty() {
        return Vec::new();
    }
    vec![(keys, pen.role(Role::Key)), (format!(" {word}"), pen.role(Role::Muted))]
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
