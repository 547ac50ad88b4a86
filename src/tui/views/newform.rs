//! The form for a new session.

use ratatui::layout::{Position, Rect};

use super::dialog::{button_at, buttons, centred, frame, inside, text_field};
use super::pen::Pen;
use crate::domain::text::{cut, width};
use crate::tui::app::App;
use crate::tui::app::editor::Editor;
use crate::tui::app::form::{Field, NewForm};
use crate::tui::app::plan::Button;
use crate::tui::theme::Role;

/// Cells of a label.
const LABEL: u16 = 8;

/// The word on its button.
const START: &str = "Start";

fn area(app: &App) -> Rect {
    centred(app, 66, 18, (4, 0))
}

/// The button at a place.
pub(super) fn button(app: &App, at: Position) -> Option<Button> {
    let inner = inside(area(app));
    let here = at.y == inner.bottom().saturating_sub(1);
    button_at(inner, START, at.x).filter(|_| here)
}

/// Draws it; answers where the cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, form: &NewForm) -> Option<(u16, u16)> {
    let area = area(app);
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, "New session");
    // On a low window the empty lines go first, then the prompt's.
    let spare = inner.height.saturating_sub(8).min(8);
    let prompt = (1 + spare / 2).min(4);
    let mut air = spare.saturating_sub(prompt - 1);
    let mut gap = || {
        let one = air.min(1);
        air -= one;
        one
    };
    let mut y = inner.y + gap();
    let mut cursor = None;
    let project = form.project.as_ref().map_or("none, a chat", |name| name.as_str());
    choice(&mut pen, form, Field::Project, inner, y, "project", project);
    choice(&mut pen, form, Field::Agent, inner, y + 1, "agent", &form.agent);
    if let Some(runs) = form.runs() {
        let taken = LABEL + 7 + width(&form.agent) as u16;
        let room = inner.width.saturating_sub(taken);
        let runs = cut(runs, usize::from(room), pen.glyphs.cut);
        pen.right(inner.right(), y + 1, room, &runs, pen.role(Role::Muted));
    }
    y += 2 + gap();
    label(&mut pen, form, Field::Prompt, inner, y, "prompt");
    let field = Rect::new(inner.x + LABEL, y, inner.width.saturating_sub(LABEL), prompt);
    if form.field == Field::Prompt {
        cursor = Some(text_field(&mut pen, &form.prompt, field));
    } else {
        let (rows, _) = form.prompt.wrapped(usize::from(field.width.saturating_sub(3)));
        for (row, text) in rows.iter().take(usize::from(prompt)).enumerate() {
            pen.text(field.x + 2, y + row as u16, field.width, text, pen.role(Role::Text));
        }
    }
    y += prompt + gap();
    let title = form.title_or_default();
    let agent_branch = form.project.is_some() && !form.in_place;
    let branch = if agent_branch { "a new one, named after the id" } else { "none" };
    let id = form.project.as_ref().map_or_else(|| "chat".to_owned(), ToString::to_string);
    for (field, name, editor, default, remark) in [
        (Field::Title, "title", &form.title, title, "from the prompt"),
        (Field::Branch, "branch", &form.branch, branch.to_owned(), ""),
        (Field::Id, "id", &form.id, format!("the next of {id}"), ""),
    ] {
        let at = line_field(&mut pen, form, field, (inner, y), name, editor, &default, remark);
        cursor = at.or(cursor);
        y += 1;
    }
    y += gap();
    let tick = if form.in_place { "[x]" } else { "[ ]" };
    let style =
        if form.field == Field::InPlace { pen.role(Role::Title) } else { pen.role(Role::Text) };
    let style = if form.project.is_some() { style } else { pen.role(Role::Muted) };
    let text = format!("{tick} work in the project folder, no worktree");
    pen.text(inner.x, y, inner.width, &text, style);
    let bottom = inner.bottom().saturating_sub(1);
    if let Some(error) = &form.error {
        pen.text(inner.x, bottom, inner.width.saturating_sub(24), error, pen.role(Role::Danger));
    }
    let chosen = match form.field {
        Field::Cancel => Some(Button::Cancel),
        Field::Start => Some(Button::Act),
        _ => None,
    };
    buttons(&mut pen, inner, bottom, START, Role::Accent, chosen);
    cursor
}

fn label(pen: &mut Pen<'_>, form: &NewForm, field: Field, inner: Rect, y: u16, name: &str) {
    let style = if form.field == field { pen.bold(Role::Text) } else { pen.role(Role::Muted) };
    pen.text(inner.x, y, LABEL, name, style);
}

fn choice(
    pen: &mut Pen<'_>,
    form: &NewForm,
    field: Field,
    inner: Rect,
    y: u16,
    name: &str,
    value: &str,
) {
    label(pen, form, field, inner, y, name);
    let focused = form.field == field;
    let text = format!("{} {value} {}", pen.glyphs.choice_left, pen.glyphs.choice_right);
    let room = inner.width.saturating_sub(LABEL + 2);
    if focused {
        pen.text(inner.x + LABEL, y, 1, pen.glyphs.bar, pen.role(Role::Accent));
    }
    let style = if focused { pen.role(Role::Title) } else { pen.role(Role::Text) };
    pen.text(inner.x + LABEL + 2, y, room, &text, style);
}

#[expect(clippy::too_many_arguments, reason = "the parts of one line, each used once")]
fn line_field(
    pen: &mut Pen<'_>,
    form: &NewForm,
    field: Field,
    (inner, y): (Rect, u16),
    name: &str,
    editor: &Editor,
    default: &str,
    remark: &str,
) -> Option<(u16, u16)> {
    label(pen, form, field, inner, y, name);
    let at = Rect::new(inner.x + LABEL, y, inner.width.saturating_sub(LABEL), 1);
    if form.field == field {
        return Some(text_field(pen, editor, at));
    }
    let (text, role) =
        if editor.is_empty() { (default, Role::Muted) } else { (editor.text(), Role::Text) };
    let remark = if editor.is_empty() && !text.is_empty() { remark } else { "" };
    let right = remark.len() as u16;
    let room = at.width.saturating_sub(right + 4);
    pen.text(at.x + 2, y, room, text, pen.role(role));
    pen.right(inner.right(), y, right, remark, pen.role(Role::Muted));
    None
}
