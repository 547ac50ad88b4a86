//! The frame of dialogs, and the small ones.

use ratatui::layout::Rect;

use super::pen::{Pen, Span, spans_width};
use super::signs::reversed;
use crate::domain::ids::SessionId;
use crate::domain::text::{self, names, width};
use crate::tui::app::App;
use crate::tui::app::editor::Editor;
use crate::tui::app::overlay::{AnswerDialog, Confirm, CopyDialog, Purpose};
use crate::tui::app::plan::Button;
use crate::tui::app::words::count;
use crate::tui::theme::{Ground, Role};

/// The first button of every dialog.
const CANCEL: &str = "[ Cancel ]";

/// The part of the window that dialogs are centred in: all but the bottom line.
pub(super) fn room(app: &App) -> Rect {
    let (cols, rows) = app.setup.size;
    Rect::new(0, 0, cols, rows.saturating_sub(1).max(1))
}

/// A centred area of at most this size, leaving `margin` columns and rows of the window.
pub(super) fn centred(app: &App, cells: u16, rows: u16, margin: (u16, u16)) -> Rect {
    let room = room(app);
    let width = cells.min(room.width.saturating_sub(margin.0)).max(room.width.min(10));
    let height = rows.min(room.height.saturating_sub(margin.1)).max(room.height.min(3));
    let x = (room.width - width) / 2;
    let y = (room.height - height) / 2;
    Rect::new(x, y, width, height)
}

/// Draws ground, border and title; answers the area inside with one empty cell at both sides.
pub(super) fn frame(pen: &mut Pen<'_>, area: Rect, title: &str) -> Rect {
    pen.on(Ground::Overlay);
    pen.blank(area);
    let (glyphs, accent, border) = (pen.glyphs, pen.role(Role::Accent), pen.role(Role::Frame));
    let title: [Span; 1] = [(title.to_owned(), pen.role(Role::Title))];
    let inner = area.width.saturating_sub(2);
    pen.rule(area.x + 1, area.y, inner, true, &title, &[]);
    pen.cell(area.x, area.y, glyphs.dialog_left, accent);
    pen.cell(area.right() - 1, area.y, glyphs.dialog_right, accent);
    let bottom = area.bottom() - 1;
    for y in area.y + 1..bottom {
        pen.cell(area.x, y, glyphs.column, border);
        pen.cell(area.right() - 1, y, glyphs.column, border);
    }
    if bottom > area.y {
        for x in area.x + 1..area.right() - 1 {
            pen.cell(x, bottom, glyphs.rule, border);
        }
        pen.cell(area.x, bottom, glyphs.bottom_left, border);
        pen.cell(area.right() - 1, bottom, glyphs.bottom_right, border);
    }
    inside(area)
}

/// What is inside a dialog, with one empty cell at both sides.
pub(super) fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + 3.min(area.width),
        y: area.y + 1,
        width: area.width.saturating_sub(6),
        height: area.height.saturating_sub(2),
    }
}

/// A rule across a dialog, with a title and a remark.
pub(super) fn cross(pen: &mut Pen<'_>, area: Rect, y: u16, left: &[Span], right: &[Span]) {
    let border = pen.role(Role::Frame);
    pen.rule(area.x + 1, y, area.width.saturating_sub(2), false, left, right);
    pen.cell(area.x, y, pen.glyphs.tee_right, border);
    pen.cell(area.right() - 1, y, pen.glyphs.tee_left, border);
}

/// Two buttons at the right end of a line.
pub(super) fn buttons(
    pen: &mut Pen<'_>,
    inner: Rect,
    y: u16,
    act: &str,
    role: Role,
    chosen: Option<Button>,
) {
    let style = |pen: &Pen<'_>, button, role| {
        let style = pen.role(role);
        if chosen == Some(button) { reversed(pen.bold(role)) } else { style }
    };
    let spans: [Span; 3] = [
        (CANCEL.to_owned(), style(pen, Button::Cancel, Role::Text)),
        ("  ".to_owned(), pen.role(Role::Text)),
        (format!("[ {act} ]"), style(pen, Button::Act, role)),
    ];
    let cells = spans_width(&spans);
    pen.spans(inner.right().saturating_sub(cells), y, cells.min(inner.width), &spans);
}

/// The button that is drawn in a column of the line of buttons.
pub(super) fn button_at(inner: Rect, act: &str, column: u16) -> Option<Button> {
    let (cancel, act) = (CANCEL.len() as u16, width(act) as u16 + 4);
    let start = inner.right().saturating_sub(cancel + 2 + act);
    let act_at = start + cancel + 2;
    match column {
        at if (start..start + cancel).contains(&at) => Some(Button::Cancel),
        at if (act_at..act_at + act).contains(&at) => Some(Button::Act),
        _ => None,
    }
}

/// Where a question with two buttons is.
pub(super) fn confirm_area(app: &App, confirm: &Confirm) -> Rect {
    let longest = confirm.lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let cells = (longest + 6).clamp(40, 64) as u16;
    centred(app, cells, confirm.lines.len() as u16 + 5, (4, 0))
}

/// A question with two buttons.
pub(super) fn confirm(pen: &mut Pen<'_>, app: &App, confirm: &Confirm) {
    let area = confirm_area(app, confirm);
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, &confirm.title);
    for (row, line) in confirm.lines.iter().enumerate() {
        pen.text(inner.x, inner.y + 1 + row as u16, inner.width, line, pen.role(Role::Text));
    }
    let y = inner.bottom().saturating_sub(1);
    buttons(&mut pen, inner, y, &confirm.act, Role::Danger, Some(confirm.button));
}

/// Lines of which one is chosen.
pub(super) struct Choice {
    title: String,
    text: String,
    lines: Vec<String>,
    index: usize,
}

impl Choice {
    /// The options of a question.
    pub(super) fn answer(answer: &AnswerDialog) -> Self {
        let lines = answer.options.iter().enumerate();
        Self {
            title: format!("Answer {}", answer.id),
            text: answer.text.clone(),
            lines: lines.map(|(at, it)| format!("{}. {it}", at + 1)).collect(),
            index: answer.index,
        }
    }

    /// What of a session is copied.
    pub(super) fn copy(copy: &CopyDialog) -> Self {
        let line = |(name, text): &(&str, String)| format!("{name:<14}{text}");
        Self {
            title: format!("Copy of {}", copy.id),
            text: "To the clipboard:".to_owned(),
            lines: copy.texts.iter().map(line).collect(),
            index: copy.index,
        }
    }

    fn area(&self, app: &App) -> Rect {
        let longest = self.lines.iter().map(|line| width(line)).max().unwrap_or(0);
        let cells = (longest.max(width(&self.text)) + 6).clamp(40, 72) as u16;
        centred(app, cells, self.lines.len() as u16 + 6, (4, 0))
    }

    /// The lines on view.
    pub(super) fn rows(&self, app: &App) -> Rect {
        let inner = inside(self.area(app));
        let y = inner.y + 3;
        let height = (self.lines.len() as u16).min(inner.bottom().saturating_sub(y));
        Rect { y, height, ..inner }
    }
}

/// Draws lines of which one is chosen.
pub(super) fn choice(pen: &mut Pen<'_>, app: &App, choice: &Choice) {
    let (area, index) = (choice.area(app), choice.index);
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, &choice.title);
    pen.text(inner.x, inner.y + 1, inner.width, &choice.text, pen.role(Role::Text));
    for (at, line) in choice.lines.iter().enumerate() {
        let y = inner.y + 3 + at as u16;
        if y >= inner.bottom() {
            break;
        }
        let row = Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1);
        let mut pen = pen.within(row);
        if at == index {
            pen.select(row, true);
        }
        pen.text(inner.x, y, inner.width, line, pen.role(Role::Text));
    }
}

/// One line of text in a dialog; the filter is on the bottom line instead.
pub(super) fn line(
    pen: &mut Pen<'_>,
    app: &App,
    purpose: &Purpose,
    editor: &Editor,
) -> Option<(u16, u16)> {
    let (title, label) = match purpose {
        Purpose::Find | Purpose::Search { .. } => return None,
        Purpose::Rename(id) => (format!("Rename {id}"), "title"),
        Purpose::SaveFilter { everywhere } => (save_title(app, *everywhere), "name"),
        Purpose::RenameFilter(name) => (format!("Rename the filter {name}"), "name"),
        Purpose::AddProject => ("Add a project".to_owned(), "folder"),
        Purpose::QuickNew(what) => (format!("New session ∙ {what}"), "prompt"),
    };
    let area = centred(app, 64, 5, (4, 0));
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, &title);
    let y = inner.y + 1;
    pen.text(inner.x, y, 8, label, pen.role(Role::Key));
    let at = inner.x + 8;
    let field = Rect::new(at, y, inner.right().saturating_sub(at), 1);
    Some(text_field(&mut pen, editor, field))
}

/// Where the filter that is saved looks.
fn save_title(app: &App, everywhere: bool) -> String {
    let here = app.narrowing().section.filter(|_| !everywhere);
    let section = here.and_then(|key| app.board.sections.iter().find(|it| it.key == key));
    match section {
        Some(section) => format!("Save the filter ∙ in {}", section.name),
        None => "Save the filter ∙ in all sections".to_owned(),
    }
}

/// A field of text in focus: bar, ground, text; answers where the cursor is.
pub(super) fn text_field(pen: &mut Pen<'_>, editor: &Editor, field: Rect) -> (u16, u16) {
    let ground = pen.ground;
    let mut cursor = (field.x, field.y);
    let inner = Rect { x: field.x + 2, width: field.width.saturating_sub(2), ..field };
    let single = field.height == 1;
    let cells = if single { usize::from(u16::MAX) } else { usize::from(inner.width.max(2)) - 1 };
    let (rows, (row, col)) = editor.wrapped(cells);
    let first = (row + 1).saturating_sub(usize::from(field.height.max(1)));
    for line in 0..field.height {
        let at = Rect { y: field.y + line, height: 1, ..field };
        pen.select(at, true);
        let text = rows.get(first + usize::from(line)).map_or("", String::as_str);
        let visible = usize::from(inner.width.saturating_sub(1));
        let skip = if single { (col + 1).saturating_sub(visible.max(1)) } else { 0 };
        let (shown, gone) = text::skip(text, skip);
        pen.raw(inner.x, at.y, inner.width, shown, pen.role(Role::Text));
        if first + usize::from(line) == row {
            cursor = (inner.x + (col - gone.min(col)) as u16, at.y);
        }
    }
    pen.ground = ground;
    cursor
}

/// A text for agents.
pub(super) fn message(
    pen: &mut Pen<'_>,
    app: &App,
    ids: &[SessionId],
    editor: &Editor,
) -> (u16, u16) {
    let area = centred(app, 68, 10, (4, 0));
    let mut pen = pen.within(area);
    let title = match ids {
        [one] => format!("Message to {one}"),
        many => format!("Message to {}", count(many.len(), "session")),
    };
    let inner = frame(&mut pen, area, &title);
    pen.text(inner.x, inner.y, inner.width, &names(ids), pen.role(Role::Muted));
    let height = inner.height.saturating_sub(2);
    let field = Rect { y: inner.y + 1, height, ..inner };
    text_field(&mut pen, editor, field)
}
