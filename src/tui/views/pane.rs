//! The right pane with its tabs, the peek below the list, and the agent's screen in both.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::pen::{Pen, Span, spans_width};
use super::signs::{status_role, status_sign};
use super::{bottom, details, reading};
use crate::domain::search::Search;
use crate::domain::session::Session;
use crate::domain::status::{Status, Zone, worst_open};
use crate::domain::text;
use crate::domain::time::age;
use crate::monitor::notice::reason;
use crate::tui::action::{Action, Context};
use crate::tui::app::layout::{Layout, inset};
use crate::tui::app::screen::ScreenCells;
use crate::tui::app::words::{row_since, sentence, status_word};
use crate::tui::app::{App, View};
use crate::tui::event::{Tab, TabContent};
use crate::tui::theme::Role;

/// What was found beyond so many bytes of a line is brought nearer to its start.
const FAR: usize = 30;
/// Characters of such a line that stay before it.
const BEFORE: usize = 12;

/// The session that the pane is about.
fn session(app: &App) -> Option<&Session> {
    let whole = app.reading.as_ref().filter(|reading| reading.whole).map(|reading| &reading.id);
    match app.typing.as_ref().map(|typing| &typing.id).or(whole) {
        Some(id) => app.current_list().rows().iter().find(|row| row.id == *id),
        None => app.selected(),
    }
}

/// Words on the pane's rule: tabs, or who gets the keys.
pub(super) fn titles(pen: &Pen<'_>, app: &App, focused: bool) -> (Vec<Span>, Vec<Span>) {
    let alone = app.typing.is_some() || app.reads_whole();
    if alone && app.layout().list.width == 0 {
        return (Vec::new(), Vec::new());
    }
    let agent = session(app).map_or("", |session| session.launch.agent.as_str());
    if let Some(reading) = app.reading.as_ref().filter(|_| app.is_copying() && alone) {
        return reading::titles(pen, app, reading, agent);
    }
    if let Some(typing) = &app.typing {
        let left = vec![
            (format!("typing to {}", typing.id), pen.role(Role::Title)),
            (format!("  {agent}"), pen.role(Role::Muted)),
        ];
        return (left, bottom::leave_hint(pen, app, "leaves"));
    }
    let mut spans: Vec<Span> = Vec::new();
    for tab in Tab::ALL {
        if !spans.is_empty() {
            spans.push(("  ".to_owned(), pen.role(Role::Muted)));
        }
        let style = match tab == app.tab {
            true if focused => pen.role(Role::Title).add_modifier(Modifier::UNDERLINED),
            true => pen.bold(Role::Text).add_modifier(Modifier::UNDERLINED),
            false => pen.role(Role::Muted),
        };
        spans.push((tab.title().to_owned(), style));
    }
    (spans, Vec::new())
}

/// Draws the pane; answers where the agent's cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let session = session(app);
    let area = layout.right;
    if layout.strip.height > 0 {
        pen.rule(
            layout.strip_rule.x,
            layout.strip_rule.y,
            layout.strip_rule.width,
            false,
            &[],
            &[],
        );
        if let Some(session) = session {
            strip(&mut pen.within(layout.strip), app, session, layout.strip);
        }
    }
    let mut pen = pen.within(area);
    let inner = inset(area);
    if session.is_none() && app.typing.is_none() && app.list.is_answered() {
        pen.text(inner.x, inner.y, inner.width, "Nothing selected.", pen.role(Role::Muted));
    }
    if app.typing.is_some() || app.reads_whole() || app.tab == Tab::Screen {
        return screen(&mut pen, app, session, area);
    }
    let session = session?;
    match app.tab {
        Tab::Details => details::draw(&mut pen, app, session, inner),
        tab => content(&mut pen, app, session, tab, inner),
    }
    None
}

/// The live screen, or why there is none.
fn screen(
    pen: &mut Pen<'_>,
    app: &App,
    session: Option<&Session>,
    area: Rect,
) -> Option<(u16, u16)> {
    let id = app.in_focus().or(session.map(|session| &session.id))?;
    let mut inner = inset(area);
    if let Some(reading) = app.reading_of(id) {
        return reading::draw(pen, reading, inner);
    }
    let Some(cells) = app.screens.get(id) else {
        let text = no_screen(app, session?)?;
        pen.text(inner.x, inner.y, inner.width, &text, pen.role(Role::Muted));
        return None;
    };
    if let Some(text) = below(app, session, cells) {
        inner.height = inner.height.saturating_sub(1);
        pen.text(inner.x, inner.bottom(), inner.width, &text, pen.role(Role::Muted));
    }
    let typing = app.typing.is_some();
    let first = cells.first(inner.height, typing);
    crop(pen, cells, inner, (0, first), typing);
    let (col, row) = cells.cursor.filter(|_| app.typing.is_some())?;
    let y = usize::from(row).checked_sub(first)? as u16;
    (col < inner.width && y < inner.height).then_some((inner.x + col, inner.y + y))
}

/// What is said below the last screen of one that ended, which stays.
pub(super) fn below(app: &App, session: Option<&Session>, cells: &ScreenCells) -> Option<String> {
    let ended = session.filter(|session| !session.is_live()).and_then(|it| no_screen(app, it));
    let gone = cells.ended.then(|| "Its keeper is gone. This is its last screen.".to_owned());
    let silent = cells.silent.then(|| silent(cells));
    let refused = || cells.refused.map(|why| format!("What was typed was not taken: {why}."));
    ended.or(gone).or(silent).or_else(refused)
}

/// What is said of a keeper that does not answer.
fn silent(cells: &ScreenCells) -> String {
    let shown = if cells.used() > 0 { " This is the last screen known." } else { "" };
    format!("Its keeper does not answer.{shown}")
}

/// What stands in place of a screen.
pub(super) fn no_screen(app: &App, session: &Session) -> Option<String> {
    if session.condition.status == Status::Spawning {
        return Some("Starting".to_owned());
    }
    if session.is_live() {
        return None;
    }
    let key = app.setup.keymap.key_label(&[Context::List, Context::Global], Action::Restore);
    Some(match key {
        Some(key) => format!("Not running. {key} launches it again."),
        None => "Not running.".to_owned(),
    })
}

/// Draws a crop of a screen, from this column and row on. Rows that go on have a sign in the last cell,
/// except where the agent has all of this pane.
pub(super) fn crop(
    pen: &mut Pen<'_>,
    cells: &ScreenCells,
    area: Rect,
    (left, first): (u16, usize),
    whole: bool,
) {
    // Beside others one empty cell stays at the right, for the sign.
    let room = if whole { area.width } else { area.width.saturating_sub(1) };
    for (row, line) in cells.rows.iter().skip(first).take(usize::from(area.height)).enumerate() {
        let y = area.y + row as u16;
        for cell in line {
            if cell.col >= left && cell.col - left + cell.width <= room {
                let x = area.x + cell.col - left;
                pen.raw(x, y, cell.width, &cell.text, cell.style);
                if let Some(link) = &cell.link {
                    pen.link(x, y, link);
                }
            }
        }
        if line.last().is_some_and(|cell| cell.col + cell.width > left + room) {
            pen.text(area.right().saturating_sub(1), y, 1, pen.glyphs.more, pen.role(Role::Muted));
        }
    }
}

/// What a session wants, with the words that say so in the colour of its zone.
fn reason_spans(pen: &Pen<'_>, app: &App, session: &Session, capital: bool) -> Vec<Span> {
    let status = session.condition.status;
    let text = reason(session, app.now);
    let role = if text.is_some() { status_role(status) } else { Role::Muted };
    let text = text.unwrap_or_else(|| status_word(status).to_owned());
    let text = if capital { sentence(&text) } else { text };
    let style = if capital { pen.bold(role) } else { pen.role(role) };
    let plain = |text: &str| (text.to_owned(), pen.role(Role::Text));
    for head in ["asks to run ", "Asks to run ", "asks: ", "Asks: "] {
        if let Some(rest) = text.strip_prefix(head) {
            return vec![(head.to_owned(), style), plain(rest)];
        }
    }
    if !capital && status == Status::Stuck {
        return vec![("stuck ".to_owned(), style), plain(&text)];
    }
    vec![(text, if role == Role::Muted { pen.role(role) } else { style })]
}

/// The two lines under the screen: what the session wants, and where its work is.
fn strip(pen: &mut Pen<'_>, app: &App, session: &Session, area: Rect) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let mut y = inner.y;
    if area.height > 1 {
        let (glyph, sign) = status_sign(pen, session.condition.status);
        let mut spans: Vec<Span> = vec![(format!("{glyph} "), sign)];
        spans.extend(reason_spans(pen, app, session, true));
        let keys = if inner.width >= 60 { answer_keys(pen, app, session) } else { Vec::new() };
        let right = spans_width(&keys);
        pen.spans(inner.x, y, inner.width.saturating_sub(right + 2 * u16::from(right > 0)), &spans);
        pen.spans(inner.right().saturating_sub(right), y, right, &keys);
        y += 1;
    }
    let when = when(app, session);
    let right = when.len() as u16;
    pen.spans(inner.x, y, inner.width.saturating_sub(right + 2), &work_spans(pen, app, session));
    pen.right(inner.right(), y, inner.width, &when, pen.role(Role::Muted));
}

fn answer_keys(pen: &Pen<'_>, app: &App, session: &Session) -> Vec<Span> {
    if session.condition.question.is_none() {
        return Vec::new();
    }
    let mut spans: Vec<Span> = Vec::new();
    for (action, word) in [(Action::AnswerYes, "yes"), (Action::AnswerChoose, "choose")] {
        if let Some(key) = app.setup.keymap.key_label(&[Context::List], action) {
            let gap = if spans.is_empty() { "" } else { "  " };
            spans.push((format!("{gap}{key}"), pen.role(Role::Key)));
            spans.push((format!(" {word}"), pen.role(Role::Muted)));
        }
    }
    spans
}

/// Branch, changes, dirty files, pull request.
fn work_spans(pen: &Pen<'_>, app: &App, session: &Session) -> Vec<Span> {
    let muted = pen.role(Role::Muted);
    let text = pen.role(Role::Text);
    let mut spans: Vec<Span> = vec![(session.branch.clone().unwrap_or_default(), text)];
    let work = app.work.get(&session.id);
    if let Some(work) = work.filter(|work| work.added + work.removed > 0) {
        spans.push((format!("  +{}", work.added), pen.role(Role::Add)));
        spans.push((format!(" {}{}", pen.glyphs.minus, work.removed), pen.role(Role::Del)));
    }
    let dirty = work.and_then(|work| work.dirty).or(session.dirty).unwrap_or(0);
    if dirty > 0 {
        spans.push((format!("  {dirty} dirty"), text));
    }
    let pr = worst_open(&session.prs);
    spans.push((pr.map_or_else(|| "  no PR".to_owned(), |pr| format!("  #{}", pr.number)), muted));
    spans
}

fn when(app: &App, session: &Session) -> String {
    let verb = match session.condition.zone() {
        Zone::Respond if session.condition.question.is_some() => "asked",
        Zone::Working | Zone::Resting => "active",
        _ => "since",
    };
    match age(app.now, row_since(session)).as_str() {
        "now" => format!("{verb} now"),
        age if verb == "since" => format!("since {age}"),
        age => format!("{verb} {age} ago"),
    }
}

/// How many lines a tab with text has.
pub(super) fn content_height(app: &App, session: &Session, tab: Tab) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    content_lines(&Pen::new(&mut buffer, app), app, session, tab).map_or(0, |lines| lines.len())
}

/// Columns of a tab with text beyond those on view.
pub(super) fn content_beyond(app: &App, session: &Session, tab: Tab) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    let lines = content_lines(&Pen::new(&mut buffer, app), app, session, tab).unwrap_or_default();
    let widest = lines.iter().map(|line| usize::from(spans_width(line))).max().unwrap_or(0);
    widest.saturating_sub(usize::from(inset(app.layout().right).width.saturating_sub(1)))
}

/// A line without its first cells.
fn skipped(line: &[Span], mut left: usize) -> Vec<Span> {
    let mut rest = Vec::with_capacity(line.len());
    for (text, style) in line {
        let (shown, gone) = text::skip(text, left);
        // A blank stands for half of a wide character.
        let blank = " ".repeat(gone.saturating_sub(left));
        left = left.saturating_sub(gone);
        rest.push((blank + shown, *style));
    }
    rest
}

/// Messages, events and the diff.
fn content(pen: &mut Pen<'_>, app: &App, session: &Session, tab: Tab, area: Rect) {
    let room = area.width.saturating_sub(1);
    let Some(lines) = content_lines(pen, app, session, tab) else {
        return;
    };
    if lines.is_empty() {
        let text = match tab {
            Tab::Diff => "No changes.",
            Tab::Messages => "No messages yet.",
            _ => "Nothing was done yet.",
        };
        pen.text(area.x, area.y, room, text, pen.role(Role::Muted));
    }
    let top = app.tab_top.min(lines.len().saturating_sub(1));
    for (row, line) in lines.iter().skip(top).take(usize::from(area.height)).enumerate() {
        pen.spans(area.x, area.y + row as u16, room, &skipped(line, app.tab_left));
    }
}

fn content_lines(pen: &Pen<'_>, app: &App, session: &Session, tab: Tab) -> Option<Vec<Vec<Span>>> {
    let muted = pen.role(Role::Muted);
    let passage = app.passage.as_ref().filter(|passage| passage.id == session.id);
    let search = passage.map(|passage| Search::parse(&passage.text));
    let content = app.tabs.get(&(session.id.clone(), tab))?;
    Some(match content {
        TabContent::Diff(lines) => lines
            .iter()
            .map(|line| {
                let role = match line.as_bytes().first() {
                    Some(b'+') => Role::Add,
                    Some(b'-') => Role::Del,
                    Some(b'@') => Role::Muted,
                    _ => Role::Text,
                };
                vec![(line.clone(), pen.role(role))]
            })
            .collect(),
        // Drawn among the details.
        TabContent::Witnesses(_) => return None,
        TabContent::Messages(messages) => messages
            .iter()
            .flat_map(|message| {
                let head = format!("{}  {}", message.source, age(app.now, message.at));
                let text =
                    message.text.lines().map(|line| message_spans(pen, line, search.as_ref()));
                std::iter::once(vec![(head, muted)]).chain(text).chain([Vec::new()])
            })
            .collect(),
        TabContent::Events(events) => events
            .iter()
            .map(|event| {
                let change = match (&event.from, &event.to) {
                    (Some(from), Some(to)) => format!("  {from} to {to}"),
                    (None, Some(to)) => format!("  {to}"),
                    _ => String::new(),
                };
                let cause = event.cause.as_ref().map(|cause| format!("  {cause}"));
                vec![
                    (format!("{:>3}  ", age(app.now, event.at)), muted),
                    (event.verb.clone(), pen.role(Role::Text)),
                    (change, pen.role(Role::Text)),
                    (cause.unwrap_or_default(), muted),
                    (format!("  {}", event.actor), muted),
                ]
            })
            .collect(),
    })
}

/// A line of a message, with what was found in it; one that has it far to the right begins shortly
/// before it.
fn message_spans(pen: &Pen<'_>, line: &str, search: Option<&Search>) -> Vec<Span> {
    let text = pen.role(Role::Text);
    let hits = search.map(|search| search.hits(line)).unwrap_or_default();
    let first = hits.first().map_or(0, |hit| hit.start);
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    if first > FAR {
        at = line[..first].char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at);
        spans.push((pen.glyphs.cut.to_owned(), pen.role(Role::Muted)));
    }
    for hit in hits {
        spans.push((line[at..hit.start].to_owned(), text));
        spans.push((line[hit.clone()].to_owned(), pen.role(Role::Match)));
        at = hit.end;
    }
    spans.push((line[at..].to_owned(), text));
    spans
}

/// The last lines of the selected session's screen, under a rule that says what it wants.
pub(super) fn peek(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let rule = layout.peek_rule;
    let session = app.selected().filter(|_| app.view == View::Sessions);
    let Some(session) = session else {
        pen.rule(rule.x, rule.y, rule.width, false, &[], &[]);
        return;
    };
    let mut left: Vec<Span> = vec![(format!("{} ", session.id), pen.role(Role::Text))];
    left.extend(reason_spans(pen, app, session, false));
    let agent: Span = (session.launch.agent.clone(), pen.role(Role::Muted));
    pen.rule(rule.x, rule.y, rule.width, false, &left, &[agent]);
    screen(&mut pen.within(layout.peek), app, Some(session), layout.peek);
}
