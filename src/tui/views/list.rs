//! The rows of sessions.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::columns::{Column, Columns, ID_AT};
use super::pen::{Pen, Span};
use super::signs::{is_active_beside, status_role, status_sign};
use crate::domain::query::Filter;
use crate::domain::search::Search;
use crate::domain::session::Session;
use crate::domain::status::{Zone, worst_open};
use crate::domain::text::width;
use crate::domain::time::age;
use crate::tui::action::{Action, Context};
use crate::tui::app::layout::Layout;
use crate::tui::app::list::{Line, List};
use crate::tui::app::words::{is_stale, is_unseen, row_since, status_word};
use crate::tui::app::{App, Focus, LOADING_AFTER};
use crate::tui::theme::Role;

/// Draws the list.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let list = &app.list;
    let columns = Columns::of(layout.list.width, list.id_cells.max(6));
    let mut pen = pen.within(layout.list);
    if layout.has_header() {
        header(&mut pen, layout.list, &columns);
    }
    let area = layout.list_rows();
    if list.rows().is_empty() {
        empty(&mut pen, app, area);
        return;
    }
    let focused = app.focus == Focus::List && app.typing.is_none();
    let lines = list.lines();
    let shown = lines.iter().enumerate().skip(list.top).take(usize::from(area.height));
    for (row, (at, line)) in shown.enumerate() {
        let place = Rect { y: area.y + row as u16, height: 1, ..area };
        let mut pen = pen.within(place);
        if at == list.index {
            pen.select(place, focused);
        }
        let marked = list.is_marked(&list.rows()[line.row]) || list.in_range(at);
        draw_row(&mut pen, app, list, *line, place, &columns, marked);
    }
}

fn header(pen: &mut Pen<'_>, area: Rect, columns: &Columns) {
    let muted = pen.role(Role::Muted);
    let mut put = |at: u16, cells: u16, name: &str, right: bool| {
        if right {
            pen.right(area.x + at + cells, area.y, cells, name, muted);
        } else {
            pen.text(area.x + at, area.y, cells, name, muted);
        }
    };
    put(ID_AT, columns.id, "id", false);
    put(columns.title_at, columns.title, "title", false);
    for (column, at) in &columns.shown {
        put(*at, column.cells(), column.name(), column.is_right());
    }
}

/// What stands in place of rows.
fn empty(pen: &mut Pen<'_>, app: &App, area: Rect) {
    let list = &app.list;
    let filter = app.current_filter().filter(|_| list.find.is_empty());
    let total = whole(app).map_or(0, |(_, total)| total);
    let text = if !list.loaded {
        if app.now < list.asked_at.plus(LOADING_AFTER) {
            return;
        }
        "Loading".to_owned()
    } else if !list.is_answered() {
        return;
    } else if filter.is_some() {
        "Nothing matches this filter.".to_owned()
    } else if list.is_filtered() {
        format!("Nothing matches. Esc shows all {total}.")
    } else if total > 0 {
        // They came since; their page is on its way.
        return;
    } else {
        "No sessions here. n starts one.".to_owned()
    };
    pen.text(area.x + 3, area.y, area.width.saturating_sub(4), &text, pen.role(Role::Muted));
    if list.is_answered() {
        elsewhere(pen, app, area);
    }
}

/// Below what says that nothing matches here: how much does elsewhere, and the key that shows it.
pub(super) fn elsewhere(pen: &mut Pen<'_>, app: &App, area: Rect) {
    let found = &app.everywhere;
    let shown = found.is_answered() && found.total > 0 && found.text == app.current_list().find;
    if !shown || area.height < 2 {
        return;
    }
    let key = app.setup.keymap.key_label(&[Context::Global], Action::Everywhere);
    let mut spans: Vec<Span> = vec![(format!("{} elsewhere", found.count()), pen.role(Role::Text))];
    if let Some(key) = key {
        spans.push((format!("   {key}"), pen.role(Role::Key)));
        spans.push((" shows them".to_owned(), pen.role(Role::Muted)));
    }
    pen.spans(area.x + 3, area.y + 1, area.width.saturating_sub(4), &spans);
}

fn draw_row(
    pen: &mut Pen<'_>,
    app: &App,
    list: &List,
    line: Line,
    place: Rect,
    columns: &Columns,
    marked: bool,
) {
    let session = &list.rows()[line.row];
    let condition = &session.condition;
    let busy = app.jobs.busy_word(&session.id);
    let (x, y) = (place.x, place.y);
    let muted = pen.role(Role::Muted);
    if marked {
        pen.text(x + 1, y, 1, pen.glyphs.mark, pen.role(Role::Mark));
    }
    let (glyph, sign) = match busy {
        Some(_) => (pen.glyphs.detecting, pen.role(Role::Accent)),
        None => status_sign(pen, condition.status),
    };
    pen.text(x + 3, y, 1, glyph, sign);
    if busy.is_none() && is_active_beside(session) {
        pen.text(x + 4, y, 1, pen.glyphs.working, pen.role(Role::Working));
    }
    pen.text(x + ID_AT, y, columns.id, session.id.as_str(), muted);
    let leaving = list.leaving.as_ref() == Some(&session.id);
    let quiet = busy.is_some() || leaving;
    title(pen, session, &list.query.filter, line, (x + columns.title_at, y), columns.title, quiet);
    for (column, at) in &columns.shown {
        column_cells(pen, app, session, busy, *column, (x + at, y));
    }
}

fn title(
    pen: &mut Pen<'_>,
    session: &Session,
    filter: &Filter,
    line: Line,
    (mut x, y): (u16, u16),
    mut room: u16,
    quiet: bool,
) {
    let condition = &session.condition;
    let style = if quiet {
        pen.role(Role::Muted)
    } else if is_unseen(condition) {
        pen.role(Role::Attention)
    } else if condition.zone() == Zone::Resting {
        pen.role(Role::Muted)
    } else {
        pen.role(Role::Text)
    };
    let folded = if line.hidden > 0 { format!(" +{}", line.hidden) } else { String::new() };
    let tail = width(&folded) as u16;
    if line.depth > 0 {
        // Deep families do not push their titles out of the column.
        let indent = ((line.depth as u16 - 1) * 2).min(room / 3);
        let branch = format!("{} ", pen.glyphs.child);
        let used = indent + pen.text(x + indent, y, room, &branch, pen.role(Role::Border));
        x += used;
        room = room.saturating_sub(used);
    }
    let find = filter.text.as_deref();
    let used = matched(pen, &session.title, find, (x, y), room.saturating_sub(tail), style);
    pen.text(x + used, y, tail, &folded, pen.role(Role::Muted));
}

/// Writes a title with the letters that a find matches.
pub(super) fn matched(
    pen: &mut Pen<'_>,
    text: &str,
    find: Option<&str>,
    (x, y): (u16, u16),
    room: u16,
    style: Style,
) -> u16 {
    let text = crate::domain::text::cut(text, usize::from(room), pen.glyphs.cut);
    let hits = find.map(|find| hits(&text, find)).unwrap_or_default();
    let found = style.patch(pen.role(Role::Match));
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    for hit in hits {
        spans.push((text[at..hit.start].to_owned(), style));
        spans.push((text[hit.clone()].to_owned(), found));
        at = hit.end;
    }
    spans.push((text[at..].to_owned(), style));
    pen.spans(x, y, room, &spans)
}

/// Where a title has what is looked for: the letters as they were typed, else its words.
fn hits(text: &str, find: &str) -> Vec<Range<usize>> {
    let (lower, typed) = (text.to_lowercase(), find.to_lowercase());
    // Offsets in the lower-case text are those of the text only where their lengths agree.
    let at = if lower.len() == text.len() { lower.find(&typed) } else { None };
    let letters = at.map(|at| at..at + typed.len()).filter(|hit| !hit.is_empty());
    match letters.filter(|hit| text.get(hit.clone()).is_some()) {
        Some(letters) => vec![letters],
        None => Search::parse(find).hits(text),
    }
}

fn column_cells(
    pen: &mut Pen<'_>,
    app: &App,
    session: &Session,
    busy: Option<&'static str>,
    column: Column,
    (x, y): (u16, u16),
) {
    let cells = column.cells();
    let muted = pen.role(Role::Muted);
    match column {
        Column::Agent => {
            pen.text(x, y, cells, &session.launch.agent, muted);
        }
        Column::Branch => {
            pen.text(x, y, cells, session.branch.as_deref().unwrap_or(""), muted);
        }
        Column::Diff => {
            if let Some(work) = app.work.get(&session.id) {
                if work.added > 0 {
                    pen.right(x + 5, y, 5, &format!("+{}", work.added), muted);
                }
                if work.removed > 0 {
                    let text = format!("{}{}", pen.glyphs.minus, work.removed);
                    pen.right(x + cells, y, 4, &text, muted);
                }
            }
        }
        Column::Pr => pen.right(x + cells, y, cells, &pr_cell(session), muted),
        Column::Status => {
            let (text, style) = status_cell(pen, session, busy);
            pen.text(x, y, cells, &text, style);
        }
        Column::Age => pen.right(x + cells, y, cells, &age(app.now, row_since(session)), muted),
    }
}

/// The worst open pull request, with `+` when there are more.
fn pr_cell(session: &Session) -> String {
    let open = session.prs.iter().filter(|pr| pr.state == crate::domain::pr::PrState::Open).count();
    match (worst_open(&session.prs), open) {
        (Some(pr), 1) => format!("#{}", pr.number),
        (Some(pr), _) => format!("#{}+", pr.number),
        (None, _) => String::new(),
    }
}

/// The status word, or what a job does to the session.
fn status_cell(pen: &Pen<'_>, session: &Session, busy: Option<&'static str>) -> Span {
    if let Some(word) = busy {
        return (word.to_owned(), pen.role(Role::Busy));
    }
    let status = session.condition.status;
    let word = status_word(status);
    if is_stale(session) {
        return (format!("{}{word}", pen.glyphs.stale), pen.role(Role::Stale));
    }
    (word.to_owned(), pen.role(status_role(status)))
}

/// Name and size of the section or saved filter on view.
fn whole(app: &App) -> Option<(&str, u64)> {
    if let Some(filter) = app.current_filter() {
        let count = app.filter_counts.get(&filter.name);
        return Some((&filter.name, count.map_or(app.list.total, |count| count.total)));
    }
    app.current_section().map(|section| (section.name.as_str(), section.total))
}

/// Title of the list on its rule, and its order.
pub(super) fn titles(pen: &Pen<'_>, app: &App, focused: bool) -> (Vec<Span>, Vec<Span>) {
    let list = &app.list;
    let dot = pen.glyphs.dot;
    // The words of a saved filter are all of it, until more are typed.
    let narrowed = list.is_filtered() && (app.filter.is_none() || !list.find.is_empty());
    let text = match (whole(app), narrowed && list.loaded) {
        (None, _) => "Sessions".to_owned(),
        (Some((name, total)), true) => format!("{name} {dot} {} of {total}", list.total),
        (Some((name, _)), false) if app.filter.is_some() => {
            let total = if list.loaded { list.total.to_string() } else { String::new() };
            format!("{name} {dot} {total}")
        }
        (Some((name, total)), false) => format!("{name} {dot} {total}"),
    };
    let style = if focused { pen.role(Role::Title) } else { pen.role(Role::Muted) };
    let order = match app.order {
        crate::domain::query::Order::Zone => "by zone",
        crate::domain::query::Order::Recent | crate::domain::query::Order::Found => "newest first",
    };
    (vec![(text, style)], vec![(order.to_owned(), pen.role(Role::Muted))])
}

/// What the closing rule says below a list: marks, and the place of the selection.
pub(super) fn footer(pen: &Pen<'_>, list: &List) -> (Vec<Span>, Vec<Span>) {
    let range = list.range().map_or(0, |(from, to)| (to - from + 1) as u64);
    let marked = list.marks.count();
    let text = match (marked, range) {
        (0, 0) => String::new(),
        (n, 0) => format!("{n} marked"),
        (0, n) => format!("range of {n}"),
        (n, range) => format!("{n} marked, range of {range}"),
    };
    let left = (text, pen.role(Role::Accent).add_modifier(Modifier::BOLD));
    let place = (format!("{} of {}", list.place(), list.total), pen.role(Role::Muted));
    let left = if left.0.is_empty() { Vec::new() } else { vec![left] };
    let right = if list.rows().is_empty() { Vec::new() } else { vec![place] };
    (left, right)
}
