//! What a board without projects and sessions shows.

use ratatui::layout::Rect;

use super::pen::{Pen, Span};
use crate::domain::text::pad;
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::layout::Layout;
use crate::tui::theme::Role;

/// Draws it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    for rule in [layout.rules, layout.closing] {
        if rule.height > 0 {
            pen.rule(rule.x, rule.y, rule.width, false, &[], &[]);
        }
    }
    let lines = lines(pen, app);
    let cells = lines.iter().map(|line| super::pen::spans_width(line)).max().unwrap_or(0);
    let area = layout.list;
    let x = area.x + (area.width.saturating_sub(cells) / 2).max(1);
    let y = area.y + area.height.saturating_sub(lines.len() as u16) / 2;
    let room = Rect { x, width: area.right().saturating_sub(x), ..area };
    let mut pen = pen.within(room);
    for (row, line) in lines.iter().enumerate() {
        pen.spans(x, y + row as u16, room.width, line);
    }
}

fn lines(pen: &Pen<'_>, app: &App) -> Vec<Vec<Span>> {
    let (text, muted) = (pen.role(Role::Text), pen.role(Role::Muted));
    let plain = |line: &str| vec![(line.to_owned(), muted)];
    let mut lines = vec![
        vec![("No project yet".to_owned(), pen.bold(Role::Text))],
        vec![],
        plain("Sessions live in projects. Add a git repository,"),
        plain("then start an agent on its own branch in it."),
        vec![],
    ];
    let folder = app.setup.repository.as_ref().map(|path| path.display().to_string());
    for (action, word, rest) in [
        (Action::AddThisFolder, "add this folder", folder.as_deref().unwrap_or("")),
        (Action::AddProject, "add another folder", ""),
        (Action::NewChat, "start a chat without a project", ""),
    ] {
        let key = app.setup.keymap.key_label(&[Context::Empty, Context::Global], action);
        let Some(key) = key.filter(|_| app.is_legal(action)) else {
            continue;
        };
        lines.push(vec![
            (pad(&key, 4), pen.bold(Role::Accent)),
            (word.to_owned(), text),
            (format!("  {rest}"), muted),
        ]);
    }
    lines.push(vec![]);
    for (label, wanted) in [("Agents found", true), ("Not found", false)] {
        let names = app.setup.agents.iter().filter(|(_, found)| *found == wanted);
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            let style = if wanted { text } else { muted };
            lines.push(vec![(pad(label, 14), muted), (names.join("  "), style)]);
        }
    }
    lines
}
