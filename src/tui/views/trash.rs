//! Deleted sessions, by batch, newest first.

use std::time::Duration;

use ratatui::layout::Rect;

use super::pen::{Pen, Span};
use super::signs::status_sign;
use crate::domain::session::Session;
use crate::domain::text::width;
use crate::domain::time::age;
use crate::tui::action::{Action, Context};
use crate::tui::app::layout::Layout;
use crate::tui::app::list::{Line, List};
use crate::tui::app::words::{count, short_size};
use crate::tui::app::{App, Focus, LOADING_AFTER};
use crate::tui::theme::Role;

/// A component with this many days left or fewer warns.
const WARN_DAYS: u64 = 7;

/// One line of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// An empty line between batches.
    Gap,
    /// The heading of a batch: place among the batches.
    Batch(usize),
    /// A session: place among the lines of the list.
    Row(usize),
}

/// All lines, headings between sessions.
fn shown(list: &List) -> Vec<Shown> {
    let batches = list.batches();
    let mut shown = Vec::new();
    let mut next = 0;
    for at in 0..list.lines().len() {
        if batches.get(next).is_some_and(|(first, ..)| *first == at) {
            if next > 0 {
                shown.push(Shown::Gap);
            }
            shown.push(Shown::Batch(next));
            next += 1;
        }
        shown.push(Shown::Row(at));
    }
    shown
}

/// Line of the view that a line of the list is on.
pub(in crate::tui) fn line_of(list: &List, at: usize) -> usize {
    shown(list).iter().position(|shown| *shown == Shown::Row(at)).unwrap_or(0)
}

/// Line of the list that a line of the view shows.
pub(in crate::tui) fn row_at(list: &List, line: usize) -> Option<usize> {
    match shown(list).get(line) {
        Some(Shown::Row(at)) => Some(*at),
        _ => None,
    }
}

/// How many lines the view has.
pub(in crate::tui) fn height(list: &List) -> usize {
    shown(list).len()
}

/// Words on the rule.
pub(super) fn titles(pen: &Pen<'_>, app: &App, focused: bool) -> (Vec<Span>, Vec<Span>) {
    let title = format!("Trash {} {}", pen.glyphs.dot, app.board.trash);
    let right = match &app.crowded {
        Some((project, n)) => {
            (format!("{n} of {project} slow its git: purge the oldest"), pen.role(Role::Respond))
        }
        None => ("newest first".to_owned(), pen.role(Role::Muted)),
    };
    (vec![super::board::title_span(pen, &title, focused)], vec![right])
}

/// Where the columns begin: id, title, what is kept, its size, when deleted, days left.
struct Columns {
    title: u16,
    kept: Option<u16>,
    size: Option<u16>,
    deleted: Option<u16>,
    days: u16,
}

impl Columns {
    fn of(cells: u16, id: u16) -> Self {
        let title = super::columns::ID_AT + id + 2;
        let days = cells.saturating_sub(5);
        let deleted = (cells >= title + 30).then(|| cells.saturating_sub(18));
        let size = (cells >= title + 50).then(|| cells.saturating_sub(26));
        let kept = (cells >= title + 58).then(|| cells.saturating_sub(48));
        Self { title, kept, size, deleted, days }
    }

    /// Cells of the title.
    fn title_cells(&self) -> u16 {
        let end = self.kept.or(self.size).or(self.deleted).unwrap_or(self.days);
        end.saturating_sub(self.title + 2)
    }
}

/// Draws the view.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let list = &app.trash;
    let mut pen = pen.within(layout.list);
    let columns = Columns::of(layout.list.width, list.id_cells.max(6));
    if layout.has_header() {
        header(&mut pen, layout.list, &columns);
    }
    let area = layout.list_rows();
    if list.rows().is_empty() {
        let waiting = !list.loaded && app.now < list.asked_at.plus(LOADING_AFTER);
        let text = match list.loaded {
            false => "Loading".to_owned(),
            true if list.is_filtered() => {
                format!("Nothing matches. Esc shows all {}.", app.board.trash)
            }
            true => "The trash is empty.".to_owned(),
        };
        // Where there are some, their page is on its way.
        let coming =
            list.loaded && (!list.is_answered() || !list.is_filtered() && app.board.trash > 0);
        if !waiting && !coming {
            let text = text.as_str();
            pen.text(area.x + 3, area.y, area.width.saturating_sub(4), text, pen.role(Role::Muted));
        }
        if list.is_filtered() && list.is_answered() {
            super::list::elsewhere(&mut pen, app, area);
        }
        return;
    }
    let lines = list.lines();
    let batches = list.batches();
    let all = shown(list);
    for (row, shown) in all.iter().skip(list.top).take(usize::from(area.height)).enumerate() {
        let place = Rect { y: area.y + row as u16, height: 1, ..area };
        match shown {
            Shown::Gap => {}
            Shown::Batch(at) => heading(&mut pen, app, &batches[*at], *at == 0, lines, place),
            Shown::Row(at) => {
                let mut pen = pen.within(place);
                if *at == list.index {
                    pen.select(place, app.focus == Focus::List);
                }
                draw_row(&mut pen, app, lines[*at], *at, place, &columns);
            }
        }
    }
}

fn header(pen: &mut Pen<'_>, area: Rect, columns: &Columns) {
    let muted = pen.role(Role::Muted);
    let (x, y) = (area.x, area.y);
    pen.text(x + super::columns::ID_AT, y, 2, "id", muted);
    pen.text(x + columns.title, y, 5, "title", muted);
    if let Some(at) = columns.kept {
        pen.text(x + at, y, 4, "kept", muted);
    }
    if let Some(at) = columns.size {
        pen.right(x + at + 4, y, 4, "size", muted);
    }
    if let Some(at) = columns.deleted {
        pen.right(x + at + 5, y, 7, "deleted", muted);
    }
    pen.right(area.right().saturating_sub(1), y, 9, "days left", muted);
}

fn heading(
    pen: &mut Pen<'_>,
    app: &App,
    (first, batch, size): &(usize, crate::domain::ids::BatchId, usize),
    newest: bool,
    lines: &[Line],
    place: Rect,
) {
    let list = &app.trash;
    let at = lines.get(*first).and_then(|line| list.rows().get(line.row));
    let when = at.and_then(|session| session.deletion.as_ref()).map(|deletion| deletion.at);
    let when = when.map_or_else(String::new, |at| age(app.now, at));
    let together = if *size > 1 { "deleted together" } else { "deleted" };
    let ago = if when == "now" { "now".to_owned() } else { format!("{when} ago") };
    let muted = pen.role(Role::Muted);
    let mut spans: Vec<Span> = vec![
        (count(*size, "session"), pen.bold(Role::Text)),
        (format!("  {together} {ago}"), muted),
    ];
    let undoes = newest && app.board.last_batch.as_ref() == Some(batch);
    let key = app.setup.keymap.key_label(&[Context::Trash, Context::Global], Action::Undo);
    if let Some(key) = key.filter(|_| undoes) {
        spans.push((format!("   {key} brings all back"), muted));
    }
    pen.spans(place.x + 3, place.y, place.width.saturating_sub(4), &spans);
}

fn draw_row(pen: &mut Pen<'_>, app: &App, line: Line, at: usize, place: Rect, columns: &Columns) {
    let list = &app.trash;
    let session = &list.rows()[line.row];
    let (x, y, muted) = (place.x, place.y, pen.role(Role::Muted));
    if list.is_marked(session) || list.in_range(at) {
        pen.text(x + 1, y, 1, pen.glyphs.mark, pen.role(Role::Mark));
    }
    let busy = app.jobs.busy_word(&session.id);
    let (glyph, sign) = match busy {
        Some(_) => (pen.glyphs.detecting, pen.role(Role::Accent)),
        None => status_sign(pen, session.condition.status),
    };
    pen.text(x + 3, y, 1, glyph, sign);
    let id_room = columns.title.saturating_sub(super::columns::ID_AT + 2);
    pen.text(x + super::columns::ID_AT, y, id_room, session.id.as_str(), muted);
    let children = if line.hidden > 0 { format!(" +{}", line.hidden) } else { String::new() };
    let room = columns.title_cells();
    let tail = width(&children) as u16;
    let indent = if line.depth > 0 { format!("{} ", pen.glyphs.child) } else { String::new() };
    let used = pen.text(x + columns.title, y, room, &indent, pen.role(Role::Border));
    let title_role = if busy.is_some() { Role::Muted } else { Role::Text };
    let used = used
        + pen.text(
            x + columns.title + used,
            y,
            room.saturating_sub(tail + used),
            &session.title,
            pen.role(title_role),
        );
    pen.text(x + columns.title + used, y, tail, &children, muted);
    if let Some(at) = columns.kept {
        let (text, style) = match busy {
            Some(word) => (word.to_owned(), pen.role(Role::Busy)),
            None => (kept(app, session), muted),
        };
        pen.text(x + at, y, 20, &text, style);
    }
    let Some(deletion) = &session.deletion else {
        return;
    };
    let size = app.work.get(&session.id).and_then(|work| work.size);
    if let Some((at, size)) = columns.size.zip(size) {
        pen.right(x + at + 4, y, 5, &short_size(size), muted);
    }
    if let Some(at) = columns.deleted {
        pen.right(x + at + 5, y, 3, &age(app.now, deletion.at), muted);
    }
    let days = days_left(app, session);
    let right = place.right().saturating_sub(1);
    let style = if days <= WARN_DAYS { pen.bold(Role::Respond) } else { muted };
    pen.right(right, y, 3, &days.to_string(), style);
    if days <= WARN_DAYS {
        pen.text(right.saturating_sub(4), y, 1, pen.glyphs.stuck, style);
    }
}

/// Days until it is purged.
fn days_left(app: &App, session: &Session) -> u64 {
    const DAY: u64 = 86_400;
    let Some(deletion) = &session.deletion else {
        return 0;
    };
    let keep = Duration::from_secs(u64::from(app.setup.purge_days) * DAY);
    deletion.at.plus(keep).since(app.now).as_secs().div_ceil(DAY)
}

/// What of its work is kept.
fn kept(app: &App, session: &Session) -> String {
    let branch = session.branch.is_some().then_some("branch".to_owned());
    let dirty = app.dirty(session).filter(|n| *n > 0).map(|n| format!("{n} dirty"));
    let parts: Vec<String> = branch.into_iter().chain(dirty).collect();
    if parts.is_empty() { "messages".to_owned() } else { parts.join(", ") }
}
