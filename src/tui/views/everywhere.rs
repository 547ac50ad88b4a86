//! What was found in all sections, messages and the trash: two lines for each place.

use ratatui::layout::Rect;

use super::bottom::find_pieces;
use super::dialog::{centred, cross, frame};
use super::list::matched;
use super::pen::{Pen, Span, spans_width};
use super::signs::status_sign;
use crate::domain::time::age;
use crate::tui::app::App;
use crate::tui::app::everywhere::{Finder, Hit};
use crate::tui::app::find;
use crate::tui::app::words::{row_since, status_word};
use crate::tui::theme::Role;

/// Lines of one place.
const LINES: u16 = 2;
/// Lines of the dialog that are none of a place: frame, what is typed, the rule below it.
const OTHERS: u16 = 4;
/// Cells of an id.
const ID: u16 = 14;

fn area(app: &App) -> Rect {
    centred(app, 104, 44, (4, 2))
}

/// Places that are on view, for the one who scrolls.
pub(in crate::tui) fn rows(app: &App) -> usize {
    usize::from(area(app).height.saturating_sub(OTHERS) / LINES).max(1)
}

/// Draws it; answers where the cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, finder: &Finder) -> (u16, u16) {
    let area = area(app);
    let mut pen = pen.within(area);
    let inner = frame(&mut pen, area, "Find everywhere");
    let found = &app.everywhere;
    let count = match found.answered {
        Some(_) => format!("{} found", found.count()),
        None => String::new(),
    };
    let style = if found.is_answered() { pen.role(Role::Muted) } else { pen.role(Role::Stale) };
    pen.right(inner.right(), inner.y, 10, &count, style);
    pen.text(inner.x, inner.y, 1, ">", pen.role(Role::Accent));
    let line = Rect { x: inner.x + 2, width: inner.width.saturating_sub(14), height: 1, ..inner };
    let cursor = find_pieces(&mut pen, &finder.editor, line);
    cross(&mut pen, area, inner.y + 1, &[], &[]);
    let list = Rect { y: inner.y + 2, height: area.height.saturating_sub(OTHERS), ..inner };
    if found.hits.is_empty() {
        let text = if found.is_slow(app.now) {
            "Looking"
        } else if found.is_answered() {
            "Nothing is found in any section, message or the trash."
        } else if found.text.is_empty() {
            "Titles, prompts, branches, messages, ids; also deleted ones."
        } else {
            ""
        };
        pen.text(list.x, list.y, list.width, text, pen.role(Role::Muted));
        return cursor;
    }
    let text = find::parse(found.answered.as_deref().unwrap_or_default()).filter.text;
    let shown = found.hits.iter().enumerate().skip(finder.top).take(rows(app));
    for (row, (at, hit)) in shown.enumerate() {
        let y = list.y + row as u16 * LINES;
        if y + LINES > list.bottom() {
            break;
        }
        let place = Rect::new(area.x + 1, y, area.width.saturating_sub(2), LINES);
        let mut pen = pen.within(place);
        if at == finder.index {
            let second = Rect { y: y + 1, height: 1, ..place };
            pen.select(second, true);
            pen.select(Rect { height: 1, ..place }, true);
        }
        draw_hit(&mut pen, app, hit, text.as_deref(), Rect { y, height: LINES, ..list });
    }
    cursor
}

fn draw_hit(pen: &mut Pen<'_>, app: &App, hit: &Hit, text: Option<&str>, at: Rect) {
    let session = &hit.session;
    let (x, y, muted) = (at.x, at.y, pen.role(Role::Muted));
    let (glyph, sign) = status_sign(pen, session.condition.status);
    pen.text(x, y, 1, glyph, sign);
    pen.text(x + 2, y, ID, session.id.as_str(), muted);
    let place: Span = match &session.deletion {
        Some(_) => ("Trash".to_owned(), pen.role(Role::Respond)),
        None => (section_name(app, hit), muted),
    };
    let cells = spans_width(std::slice::from_ref(&place)).min(20);
    pen.spans(at.right().saturating_sub(cells), y, cells, &[place]);
    let title_at = x + 2 + ID + 1;
    let room = at.right().saturating_sub(title_at + cells + 2);
    let style = if session.deletion.is_some() { muted } else { pen.role(Role::Text) };
    matched(pen, &session.title, text, (title_at, y), room, style);
    let second = if hit.snippet.text.is_empty() || hit.snippet.text == session.title {
        let since = row_since(session);
        let what = session.deletion.as_ref().map_or_else(
            || status_word(session.condition.status).to_owned(),
            |_| "deleted".to_owned(),
        );
        vec![(format!("{what}  {}", age(app.now, since)), muted)]
    } else {
        snippet(pen, hit)
    };
    pen.spans(title_at, y + 1, at.right().saturating_sub(title_at), &second);
}

/// The words around what was found, and whose they are.
fn snippet(pen: &Pen<'_>, hit: &Hit) -> Vec<Span> {
    let (muted, found) = (pen.role(Role::Muted), pen.role(Role::Match));
    let mut spans: Vec<Span> = Vec::new();
    if hit.snippet.in_message {
        spans.push(("message  ".to_owned(), pen.role(Role::Accent)));
    }
    let text = &hit.snippet.text;
    let mut at = 0;
    for range in &hit.snippet.hits {
        spans.push((text[at..range.start].to_owned(), muted));
        spans.push((text[range.clone()].to_owned(), found));
        at = range.end;
    }
    spans.push((text[at..].to_owned(), muted));
    spans
}

fn section_name(app: &App, hit: &Hit) -> String {
    let key = &hit.session.shown.section;
    let section = app.board.sections.iter().find(|section| section.key == *key);
    section.map_or_else(String::new, |section| section.name.clone())
}
