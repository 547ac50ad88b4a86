//! Operations at the left, the sessions of the selected one at the right.

use ratatui::layout::Rect;

use super::board::{closing_rule, columns, title_span, top_rule};
use super::pen::{Pen, Span};
use super::top::{progress_bar, verb_word};
use crate::domain::operation::{Operation, OperationState};
use crate::domain::text::width;
use crate::domain::time::age;
use crate::tui::app::job::{JobRow, Rank};
use crate::tui::app::layout::Layout;
use crate::tui::app::words::{count, duration};
use crate::tui::app::{App, Focus};
use crate::tui::theme::Role;

/// Draws the view.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let jobs = &app.jobs;
    let focused = app.focus != Focus::Right;
    let title = format!("Jobs {} {}", pen.glyphs.dot, jobs.operations.len());
    let order = [("newest first".to_owned(), pen.role(Role::Muted))];
    let title = [title_span(pen, &title, focused)];
    if layout.list.width > 0 {
        top_rule(pen, layout, layout.list, focused, &title, &order);
        operations(&mut pen.within(layout.list), app, layout.list, focused);
    }
    if layout.right.width > 0 {
        let (left, right) = jobs.current().map_or_else(Default::default, |operation| {
            let n = count(operation.session_ids.len(), "session");
            let title = format!("{} {} {n}", verb_word(operation.kind), pen.glyphs.dot);
            let id = operation.id.as_str();
            let tail = id.get(id.len().saturating_sub(4)..).unwrap_or(id);
            let style = if focused { pen.bold(Role::Text) } else { pen.role(Role::Title) };
            (vec![(title, style)], vec![(format!("batch {tail}"), pen.role(Role::Muted))])
        });
        top_rule(pen, layout, layout.right, !focused, &left, &right);
        if let Some(operation) = jobs.current() {
            results(&mut pen.within(layout.right), app, operation, layout.right);
        } else {
            let (x, y) = (layout.right.x + 1, layout.right.y + 1);
            pen.text(x, y, layout.right.width, "Nothing selected.", pen.role(Role::Muted));
        }
    }
    closing_rule(pen, layout, &[], &[]);
    columns(pen, layout);
}

/// Lines that an operation takes: a running one has its progress below it.
pub(in crate::tui) fn height(app: &App, operation: &Operation) -> usize {
    1 + usize::from(app.jobs.progress(operation).is_some())
}

/// The first operation on view: the selected one is always there, with as many before it as fit.
fn first(app: &App) -> usize {
    let jobs = &app.jobs;
    let mut first = jobs.index();
    let Some(selected) = jobs.current() else {
        return 0;
    };
    let mut room = usize::from(app.layout().list.height).saturating_sub(height(app, selected));
    while first > 0 && height(app, &jobs.operations[first - 1]) <= room {
        first -= 1;
        room -= height(app, &jobs.operations[first]);
    }
    first
}

/// The operation that is drawn on a line of the view.
pub(in crate::tui) fn index_at(app: &App, line: usize) -> Option<usize> {
    let first = first(app);
    let mut below = 0;
    let mut shown = app.jobs.operations.iter().skip(first);
    let at = shown.position(|operation| {
        below += height(app, operation);
        line < below
    });
    at.map(|at| first + at)
}

fn operations(pen: &mut Pen<'_>, app: &App, area: Rect, focused: bool) {
    let jobs = &app.jobs;
    if jobs.operations.is_empty() {
        pen.text(
            area.x + 3,
            area.y,
            area.width.saturating_sub(4),
            "No jobs yet.",
            pen.role(Role::Muted),
        );
        return;
    }
    let selected = jobs.index();
    let first = first(app);
    let mut y = area.y;
    for (at, operation) in jobs.operations.iter().enumerate().skip(first) {
        let lines = height(app, operation) as u16;
        if y + lines > area.bottom() {
            break;
        }
        let mut pen = pen.within(Rect { y, height: lines, ..area });
        if at == selected {
            for line in 0..lines {
                pen.select(Rect { y: y + line, height: 1, ..area }, focused);
            }
        }
        draw_operation(&mut pen, app, operation, Rect { y, height: lines, ..area });
        y += lines;
    }
}

/// Glyph, word and their colour for the state of an operation.
fn state_sign(pen: &Pen<'_>, state: OperationState) -> (&'static str, &'static str, Role, bool) {
    let glyphs = pen.glyphs;
    match state {
        OperationState::Running => (glyphs.working, "running", Role::Accent, false),
        OperationState::Done => (glyphs.done, "done", Role::Muted, false),
        OperationState::Partly => (glyphs.stuck, "partly done", Role::Respond, true),
        OperationState::Failed => (glyphs.errored, "failed", Role::Danger, true),
        OperationState::Cancelled => (glyphs.ended, "cancelled", Role::Muted, false),
        OperationState::Stuck => (glyphs.needs_input, "stuck", Role::Respond, true),
    }
}

fn draw_operation(pen: &mut Pen<'_>, app: &App, operation: &Operation, area: Rect) {
    let (glyph, word, role, bold) = state_sign(pen, operation.state);
    let (x, y, right) = (area.x, area.y, area.right().saturating_sub(1));
    let style = pen.role(role);
    pen.text(x + 3, y, 1, glyph, if bold { pen.bold(role) } else { style });
    let quiet = role == Role::Muted;
    let text = pen.role(if quiet { Role::Muted } else { Role::Text });
    pen.text(x + 5, y, 8, verb_word(operation.kind), text);
    let what = match operation.session_ids.as_slice() {
        [one] => one.to_string(),
        many => count(many.len(), "session"),
    };
    let state_at = right.saturating_sub(15);
    pen.text(x + 14, y, state_at.saturating_sub(x + 16), &what, text);
    pen.text(state_at, y, 11, word, style);
    let running = app.jobs.progress(operation);
    let time = match running {
        Some((_, _, began)) => duration(app.now, began),
        None => age(app.now, operation.ended_at.unwrap_or(operation.started_at)),
    };
    pen.right(right, y, 7, &time, pen.role(Role::Muted));
    if let Some((done, total, _)) = running {
        let bar = usize::from(state_at.saturating_sub(x + 7));
        let spans = progress_bar(pen, (done, total), bar);
        pen.spans(x + 5, y + 1, bar as u16, &spans);
        let numbers = format!("{done}/{total}");
        pen.text(state_at, y + 1, 14, &numbers, pen.role(Role::Text));
    }
}

fn results(pen: &mut Pen<'_>, app: &App, operation: &Operation, area: Rect) {
    let rows = app.jobs.results(operation);
    let (x, right) = (area.x + 1, area.right().saturating_sub(1));
    let mut y = area.y + 1;
    if let Some((done, total, began)) = app.jobs.progress(operation) {
        let bar = usize::from(right.saturating_sub(x + 15));
        let spans = progress_bar(pen, (done, total), bar);
        pen.spans(x, y, bar as u16, &spans);
        let text = format!("{done}/{total}  {:>5}", duration(app.now, began));
        pen.right(right, y, 15, &text, pen.role(Role::Text));
        y += 2;
    }
    pen.spans(x, y, right.saturating_sub(x), &totals(pen, &rows));
    y += 2;
    if let Some(error) = &operation.error {
        for line in super::help::wrap(error, usize::from(right.saturating_sub(x))) {
            pen.text(x, y, right.saturating_sub(x), &line, pen.role(Role::Danger));
            y += 1;
        }
        y += 1;
    }
    let room = usize::from(area.bottom().saturating_sub(y));
    let top = app.jobs.scroll.min(rows.len().saturating_sub(1));
    let more = rows.len().saturating_sub(top + room);
    let shown = if more > 0 { room.saturating_sub(1) } else { room };
    let ids = rows.iter().map(|row| width(row.id.as_str())).max().unwrap_or(0).clamp(6, 14) as u16;
    for row in rows.iter().skip(top).take(shown) {
        result(pen, app, row, ids, Rect::new(x, y, right.saturating_sub(x), 1));
        y += 1;
    }
    if more > 0 && room > 0 {
        pen.text(x + 2, y, 20, &format!("{} more", more + 1), pen.role(Role::Muted));
    }
}

/// How many sessions are how far; zero counts stay, so that nothing moves.
fn totals(pen: &Pen<'_>, rows: &[JobRow]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (rank, word, role) in [
        (Rank::Done, "done", Role::Text),
        (Rank::InHand, "in hand", Role::Text),
        (Rank::Escalated, "escalated", Role::Respond),
        (Rank::Failed, "failed", Role::Danger),
        (Rank::Skipped, "skipped", Role::Text),
        (Rank::Waiting, "waiting", Role::Text),
    ] {
        let n = rows.iter().filter(|row| row.rank == rank).count();
        let style = if n == 0 { pen.role(Role::Muted) } else { pen.bold(role) };
        spans.push((n.to_string(), style));
        spans.push((format!(" {word}  "), pen.role(Role::Muted)));
    }
    spans
}

fn result(pen: &mut Pen<'_>, app: &App, row: &JobRow, ids: u16, at: Rect) {
    let glyphs = pen.glyphs;
    let (glyph, role, loud) = match row.rank {
        Rank::Failed => (glyphs.errored, Role::Danger, true),
        Rank::Escalated => (glyphs.stuck, Role::Respond, true),
        Rank::InHand => (glyphs.detecting, Role::Accent, true),
        Rank::Skipped => (glyphs.ended, Role::Muted, false),
        Rank::Done => (glyphs.done, Role::Muted, false),
        Rank::Waiting => (glyphs.idle, Role::Muted, false),
    };
    let (muted, style) = (pen.role(Role::Muted), pen.role(role));
    pen.text(at.x, at.y, 1, glyph, style);
    pen.text(at.x + 2, at.y, ids, row.id.as_str(), muted);
    let known = app.list.rows().iter().chain(app.trash.rows()).find(|session| session.id == row.id);
    let title_at = ids + 4;
    let title_cells = (at.width.saturating_sub(title_at) / 2).max(8);
    if let Some(session) = known {
        let role = if loud { Role::Text } else { Role::Muted };
        pen.text(at.x + title_at, at.y, title_cells, &session.title, pen.role(role));
    }
    let state_at = title_at + title_cells + 1;
    pen.text(at.x + state_at, at.y, 10, &row.state, style);
    let since = row.since.filter(|_| loud).map(|since| duration(app.now, since));
    if let Some(detail) = row.detail.clone().or(since) {
        let room = at.width.saturating_sub(state_at + 11);
        pen.text(at.x + state_at + 11, at.y, room, &detail, muted);
    }
}
