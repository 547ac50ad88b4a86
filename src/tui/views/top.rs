//! The top line: workspace, counts by zone, running jobs, faults.

use ratatui::style::Modifier;

use super::pen::{Pen, Span, spans_width};
use super::signs::{status_sign, zone_sign};
use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::status::Zone;
use crate::domain::text::{cut, width};
use crate::tui::app::App;
use crate::tui::app::layout::{Layout, Shape, TWO_COLUMNS};
use crate::tui::app::words::{count, short_number, status_word, zone_word};
use crate::tui::theme::Role;

/// Draws it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    if layout.top.height == 0 {
        return;
    }
    let y = layout.top.y;
    let cols = layout.top.width;
    let whole = app.reading.as_ref().filter(|reading| reading.whole).map(|reading| &reading.id);
    if let Some(id) = app.typing.as_ref().map(|typing| &typing.id).or(whole)
        && *layout == Layout::of(app.setup.size, Shape::Zoom)
    {
        zoomed(pen, app, id, y, cols);
        return;
    }
    let right = right_side(pen, app, cols);
    let right_cells = spans_width(&right);
    let mut x = 1;
    if cols >= 100 || app.is_empty() {
        x += pen.text(x, y, cols.saturating_sub(x), "callboard", pen.bold(Role::Text)) + 2;
        let workspace = cut(app.setup.workspace.as_str(), 12, pen.glyphs.cut);
        x += pen.text(x, y, cols.saturating_sub(x), &workspace, pen.role(Role::Muted));
        x += if cols >= 160 { 7 } else { 4 };
    }
    if !app.is_empty() {
        let end = cols.saturating_sub(right_cells + u16::from(right_cells > 0) * 2);
        counts(pen, app, x, y, end);
    }
    pen.spans(cols.saturating_sub(right_cells + 1), y, right_cells, &right);
}

fn counts(pen: &mut Pen<'_>, app: &App, mut x: u16, y: u16, end: u16) {
    let cols = app.setup.size.0;
    let largest = Zone::ALL.iter().map(|zone| app.zone_count(*zone)).max().unwrap_or(0);
    let digits = short_number(largest).len().max(2);
    let gap = if (TWO_COLUMNS..110).contains(&cols) || cols >= 160 { 3 } else { 2 };
    for zone in Zone::ALL.iter().copied().filter(|zone| *zone != Zone::Pending || cols >= 160) {
        let n = app.zone_count(zone);
        let (glyph, sign) = zone_sign(pen, zone);
        let needs_you = matches!(zone, Zone::Respond | Zone::Review | Zone::Merge);
        let number = match n {
            0 => pen.role(Role::Muted),
            _ if needs_you => sign.add_modifier(Modifier::BOLD),
            _ => pen.role(Role::Text),
        };
        let mut spans: Vec<Span> =
            vec![(format!("{glyph} "), sign), (format!("{:>digits$}", short_number(n)), number)];
        if cols >= 110 || (cols >= 60 && zone == Zone::Respond) {
            spans.push((format!(" {}", zone_word(zone)), pen.role(Role::Muted)));
        }
        let cells = spans_width(&spans);
        if x + cells > end {
            return;
        }
        pen.spans(x, y, cells, &spans);
        x += cells + gap;
    }
}

/// The oldest running job or what is stuck, and what is at fault.
fn right_side(pen: &Pen<'_>, app: &App, cols: u16) -> Vec<Span> {
    let mut spans = jobs(pen, app, cols);
    let beside = !spans.is_empty();
    // A job keeps its place on a narrow window.
    if beside && cols < TWO_COLUMNS {
        return spans;
    }
    let room = usize::from(if beside { cols / 4 } else { cols / 3 });
    if let Some(text) = faults(pen, app, room) {
        if beside {
            spans.insert(0, ("  ".to_owned(), pen.role(Role::Muted)));
        }
        spans.insert(0, (text, pen.role(Role::Respond)));
    }
    spans
}

/// The faults in so many cells; where they do not all fit, the first and how many there are.
fn faults(pen: &Pen<'_>, app: &App, room: usize) -> Option<String> {
    // What keeps sessions from working comes before what is only not known.
    let (unread, others): (Vec<_>, Vec<_>) = app.faults.iter().partition(|(from, _)| *from == "gh");
    let texts: Vec<&str> =
        others.into_iter().chain(unread).map(|(_, text)| text.as_str()).collect();
    let first = texts.first()?;
    let all = texts.join(&format!(" {} ", pen.glyphs.dot));
    if texts.len() == 1 || width(&all) <= room {
        return Some(cut(&all, room, pen.glyphs.cut));
    }
    let count = format!(" 1 of {}", texts.len());
    Some(cut(first, room.saturating_sub(count.len()), pen.glyphs.cut) + &count)
}

/// The oldest running job, what one waits for, or that some are stuck.
fn jobs(pen: &Pen<'_>, app: &App, cols: u16) -> Vec<Span> {
    let accent = pen.role(Role::Accent);
    let mut jobs = app.jobs.notable();
    let (Some(job), more) = (jobs.next(), jobs.count()) else {
        if let Some(waiting) = app.jobs.waiting(app.now) {
            let room = usize::from(cols / 2);
            return vec![(cut(&waiting, room, pen.glyphs.cut), accent)];
        }
        if app.board.stuck > 0 {
            let text = format!("{} stuck", count(app.board.stuck as usize, "job"));
            return vec![
                (format!("{} ", pen.glyphs.needs_input), pen.bold(Role::Respond)),
                (text, pen.role(Role::Respond)),
            ];
        }
        return Vec::new();
    };
    let numbers = format!("{}/{}", job.done(), job.total);
    if cols < 60 {
        return vec![(numbers, accent)];
    }
    if more > 0 {
        return vec![(format!("{} jobs", more + 1), accent)];
    }
    let bar = match cols {
        160.. => 20,
        110..160 => 10,
        _ => 8,
    };
    if job.is_queued() {
        return vec![(format!("{} waits for a place", verb_word(job.verb)), accent)];
    }
    let mut spans = vec![(format!("{}  {numbers} ", verb_word(job.verb)), accent)];
    spans.extend(progress_bar(pen, (job.done(), job.total), bar));
    spans
}

/// What the operator calls a verb.
pub(super) fn verb_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Create => "spawn",
        other => other.as_str(),
    }
}

/// A bar of so many cells for what is done of a total.
pub(super) fn progress_bar(
    pen: &Pen<'_>,
    (done, total): (usize, usize),
    cells: usize,
) -> [Span; 2] {
    let done = (done.min(total) * cells).checked_div(total).unwrap_or(0);
    [
        (pen.glyphs.heavy.repeat(done), pen.role(Role::Accent)),
        (pen.glyphs.todo.repeat(cells - done), pen.role(Role::Border)),
    ]
}

/// The line above an agent that has the whole window.
fn zoomed(pen: &mut Pen<'_>, app: &App, id: &SessionId, y: u16, cols: u16) {
    let session = app.current_list().rows().iter().find(|row| row.id == *id);
    let mut spans: Vec<Span> = Vec::new();
    if let Some(session) = session {
        let status = session.condition.status;
        let (glyph, sign) = status_sign(pen, status);
        spans.push((format!("{glyph} "), sign));
        spans.push((session.id.to_string(), pen.role(Role::Title)));
        spans.push((format!(" {}", session.title), pen.role(Role::Text)));
        spans.push((
            format!("  {}", status_word(status)),
            pen.role(super::signs::status_role(status)),
        ));
    } else {
        spans.push((id.to_string(), pen.role(Role::Title)));
    }
    let others = app.waiting.iter().filter(|row| row.id != *id).count();
    let mut right: Vec<Span> = Vec::new();
    if others > 0 {
        let (glyph, sign) = zone_sign(pen, Zone::Respond);
        right.push((format!("{glyph} {others}"), sign));
        right.push((" more   ".to_owned(), pen.role(Role::Muted)));
    }
    right.extend(if app.is_copying() {
        super::reading::leave_hint(pen, app, "leave")
    } else {
        super::bottom::leave_hint(pen, app, "leave")
    });
    let right_cells = spans_width(&right);
    let room = cols.saturating_sub(right_cells + 4);
    pen.spans(1, y, room, &spans);
    pen.spans(cols.saturating_sub(right_cells + 1), y, right_cells, &right);
}
