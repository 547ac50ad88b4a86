//! The panes side by side: rules with titles above them, lines between them, the closing rule below.

use ratatui::layout::Rect;

use super::pen::{Pen, Span};
use super::{list, pane, rail, trash};
use crate::tui::app::layout::Layout;
use crate::tui::app::{App, Focus, View};
use crate::tui::theme::Role;

/// Draws the board; answers where the agent's cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let focus = if app.typing.is_some() { Focus::Right } else { app.focus };
    if layout.rail.width > 0 {
        let focused = focus == Focus::Rail;
        let title = title_span(pen, "Sections", focused);
        top_rule(pen, layout, layout.rail, focused, &[title], &[]);
        rail::draw(&mut pen.within(layout.rail), app, layout);
    }
    if layout.list.width > 0 {
        let focused = focus == Focus::List;
        let (left, right) = match app.view {
            View::Trash => trash::titles(pen, app, focused),
            _ => list::titles(pen, app, focused),
        };
        // A narrow list beside an agent says nothing of its order.
        let right = if app.typing.is_some() { &[][..] } else { &right };
        top_rule(pen, layout, layout.list, focused, &left, right);
        match app.view {
            View::Trash => trash::draw(pen, app, layout),
            _ => list::draw(pen, app, layout),
        }
    }
    let mut cursor = None;
    if layout.right.width > 0 {
        let (left, right) = pane::titles(pen, app, focus == Focus::Right);
        top_rule(pen, layout, layout.right, focus == Focus::Right, &left, &right);
        cursor = pane::draw(pen, app, layout);
    }
    if layout.peek.height > 0 {
        pane::peek(pen, app, layout);
    }
    let marks = if app.typing.is_some() || !app.overlays.is_empty() {
        (Vec::new(), Vec::new())
    } else {
        match app.view {
            View::Trash => list::footer(pen, &app.trash),
            _ => list::footer(pen, &app.list),
        }
    };
    closing_rule(pen, layout, &marks.0, &marks.1);
    columns(pen, layout);
    cursor
}

/// The title of a pane: bold accent with the focus, muted without.
pub(super) fn title_span(pen: &Pen<'_>, text: &str, focused: bool) -> Span {
    let role = if focused { Role::Title } else { Role::Muted };
    (text.to_owned(), pen.role(role))
}

/// The rule above a pane.
pub(super) fn top_rule(
    pen: &mut Pen<'_>,
    layout: &Layout,
    pane: Rect,
    focused: bool,
    left: &[Span],
    right: &[Span],
) {
    if layout.rules.height > 0 {
        pen.rule(pane.x, layout.rules.y, pane.width, focused, left, right);
    }
}

/// The rule below everything; its words stand below the list.
pub(super) fn closing_rule(pen: &mut Pen<'_>, layout: &Layout, left: &[Span], right: &[Span]) {
    if layout.closing.height == 0 {
        return;
    }
    let rule = layout.closing;
    pen.rule(rule.x, rule.y, rule.width, false, &[], &[]);
    if layout.list.width > 0 {
        pen.rule(layout.list.x, rule.y, layout.list.width, false, left, right);
    }
}

/// The lines between panes, with their joints.
pub(super) fn columns(pen: &mut Pen<'_>, layout: &Layout) {
    let style = pen.role(Role::Border);
    let glyphs = pen.glyphs;
    let body_end = if layout.closing.height > 0 { layout.closing.y } else { pen_bottom(layout) };
    let first = if layout.rail.width > 0 { layout.rail } else { layout.list };
    let last = if layout.right.width > 0 { layout.right } else { layout.list };
    let second = layout.list;
    let mut between: Vec<u16> = Vec::new();
    if first.width > 0 && last.x > first.right() {
        between.push(first.right());
    }
    if second.width > 0 && second.x > first.x && last.x > second.right() {
        between.push(second.right());
    }
    for x in between {
        if layout.rules.height > 0 {
            pen.cell(x, layout.rules.y, glyphs.tee_down, style);
        }
        for y in first.y..body_end {
            pen.cell(x, y, glyphs.column, style);
        }
        for rule in [layout.peek_rule, layout.strip_rule] {
            if rule.height > 0 && rule.x == x + 1 {
                pen.cell(x, rule.y, glyphs.tee_right, style);
            }
        }
        if layout.closing.height > 0 {
            pen.cell(x, layout.closing.y, glyphs.tee_up, style);
        }
    }
}

fn pen_bottom(layout: &Layout) -> u16 {
    [layout.rail, layout.list, layout.right, layout.peek, layout.strip]
        .iter()
        .map(|area| area.bottom())
        .max()
        .unwrap_or(0)
}
