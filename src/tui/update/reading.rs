//! Reading an agent's terminal: scrolling back, the cursor, searching, copying, links.

use std::sync::Arc;

use crate::domain::ids::SessionId;
use crate::domain::text::graphemes;
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::editor::Editor;
use crate::tui::app::overlay::{Overlay, Purpose};
use crate::tui::app::reading::{Begin, Document, Move, Older, Reading, Shape, Wanted, may_open};
use crate::tui::app::toast::ToastKind;
use crate::tui::app::words::count;
use crate::tui::event::{Effect, Signal};

use super::{keys, notify};

/// Begins to read what is on view, or goes on with it.
pub(super) fn begin(app: &mut App, begin: Begin, effects: &mut Vec<Effect>) {
    let id = app.in_focus().or(app.current_list().selected.as_ref());
    let Some(id) = id.cloned() else {
        return;
    };
    if app.reading_of(&id).is_some() {
        app.fit_reading();
        go_on(app, begin, effects);
    } else {
        app.wanted = Some(Wanted { id: id.clone(), begin, rest: Vec::new() });
        effects.push(Effect::Read(id));
    }
}

/// What is to be read is there, or not yet.
pub(super) fn arrived(
    app: &mut App,
    id: SessionId,
    document: Option<Arc<Document>>,
    effects: &mut Vec<Effect>,
) {
    let Some(wanted) = app.wanted.take_if(|wanted| wanted.id == id) else {
        return;
    };
    let Some(document) = document else {
        // A screen from the disk comes later; only copy mode is worth the wait.
        app.wanted = Some(wanted).filter(|wanted| wanted.begin == Begin::Copy);
        return;
    };
    let area = app.screen_area();
    let home = app.home(&document);
    app.reading = Some(Reading::new(id, document, home, (area.width, area.height)));
    go_on(app, wanted.begin, effects);
    if app.is_copying() && !wanted.rest.is_empty() {
        keys::pressed(app, &wanted.rest, effects);
    }
}

/// A screen is there; whoever wants to read it asks for it, or is told that there is none.
pub(super) fn shown(app: &mut App, id: &SessionId, there: bool, effects: &mut Vec<Effect>) {
    if let Some(reading) = app.reading.as_mut().filter(|reading| reading.id == *id) {
        reading.newer = true;
    }
    if app.wanted.as_ref().is_some_and(|wanted| wanted.id == *id) {
        if there {
            effects.push(Effect::Read(id.clone()));
        } else {
            app.wanted = None;
            notify(app, ToastKind::Result, format!("No screen of {id} was kept."), Vec::new());
        }
    }
}

fn go_on(app: &mut App, begin: Begin, effects: &mut Vec<Effect>) {
    match begin {
        Begin::Scroll(by) => {
            scroll(app, by);
            return ask_older(app, effects);
        }
        Begin::Copy => return copy_mode(app),
        Begin::Link(cell) => {
            let link = app.reading.as_ref().and_then(|reading| reading.link_at(cell));
            leave_unless_back(app);
            return open(app, link, effects);
        }
        Begin::Drag(..) | Begin::Word(_) | Begin::Line(_) => {}
    }
    let Some(reading) = &mut app.reading else {
        return;
    };
    match begin {
        Begin::Drag(from, to) => {
            let from = reading.selection.map_or_else(|| reading.pos(from), |it| it.anchor);
            reading.drag(from, to);
        }
        Begin::Word(cell) => reading.select_word(cell),
        Begin::Line(cell) => reading.select_line(cell),
        _ => {}
    }
}

fn scroll(app: &mut App, by: isize) {
    let Some(reading) = &mut app.reading else {
        return;
    };
    reading.scroll(by);
    if reading.home == 0 && by < 0 && reading.cursor.is_none() {
        let (id, alternate) = (reading.id.clone(), reading.document.alternate);
        app.reading = None;
        nothing_back(app, &id, alternate);
    } else {
        leave_unless_back(app);
    }
}

/// Says why there is nothing to scroll back to.
fn nothing_back(app: &mut App, id: &SessionId, alternate: bool) {
    let lines = if alternate {
        let key = app.setup.keymap.key_label(&[Context::List], Action::Open);
        let key = key.filter(|_| app.typing.is_none());
        let keys =
            key.map_or_else(String::new, |key| format!(" {key}, then its own keys scroll it."));
        vec![format!("Its program draws the whole screen itself.{keys}")]
    } else {
        vec!["Nothing scrolled out of its screen yet.".to_owned()]
    };
    notify(app, ToastKind::Result, format!("{id} has no scrollback"), lines);
}

/// Ends reading that is neither scrolled back nor has a cursor.
fn leave_unless_back(app: &mut App) {
    let over = |reading: &mut Reading| reading.cursor.is_none() && reading.is_home();
    app.reading.take_if(over);
}

fn copy_mode(app: &mut App) {
    let Some(reading) = &mut app.reading else {
        return;
    };
    reading.whole = true;
    app.fit_reading();
    let cells = app.reading.as_ref().and_then(|reading| app.screens.get(&reading.id));
    let cursor = cells.and_then(|cells| {
        let first = cells.first(app.screen_area().height, true);
        let (col, row) = cells.cursor.filter(|_| app.typing.is_some())?;
        Some((col, u16::try_from(usize::from(row).checked_sub(first)?).ok()?))
    });
    if let Some(reading) = &mut app.reading {
        let cursor = cursor.filter(|_| reading.is_home());
        reading.begin_copy(cursor);
    }
}

/// Scrolls what is on view, back where negative.
pub(super) fn scroll_by(app: &mut App, by: isize, effects: &mut Vec<Effect>) {
    // Down there is nothing below the live screen.
    if by < 0 || app.reading.is_some() {
        begin(app, Begin::Scroll(by), effects);
    }
}

/// Does an action of copy mode.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    let page = isize::try_from(app.screen_area().height).unwrap_or(0);
    let page = (page - 1).max(1);
    match action {
        Action::Help => app.overlays.push(Overlay::Help { context: Context::Copy, top: 0 }),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::SearchOn => search(app, false),
        Action::SearchBack => search(app, true),
        Action::CopyText => copy(app, effects),
        Action::LeaveCopy => leave(app),
        Action::OpenLink => {
            let link = app.reading.as_ref().and_then(Reading::link);
            open(app, link, effects);
        }
        _ => {}
    }
    let Some(reading) = &mut app.reading else {
        return;
    };
    match action {
        Action::Left => reading.go(Move::Cells(-1)),
        Action::Right => reading.go(Move::Cells(1)),
        Action::Down => reading.go(Move::Lines(1)),
        Action::Up => reading.go(Move::Lines(-1)),
        Action::HalfDown => reading.go(Move::Lines(page / 2)),
        Action::HalfUp => reading.go(Move::Lines(-(page / 2))),
        Action::PageDown => reading.go(Move::Lines(page)),
        Action::PageUp => reading.go(Move::Lines(-page)),
        Action::Top => reading.go(Move::First),
        Action::Bottom => reading.go(Move::Last),
        Action::NextWord => reading.go(Move::NextWord),
        Action::PreviousWord => reading.go(Move::PreviousWord),
        Action::WordEnd => reading.go(Move::WordEnd),
        Action::LineStart => reading.go(Move::Start),
        Action::LineText => reading.go(Move::Text),
        Action::LineEnd => reading.go(Move::End),
        Action::WindowTop => reading.go(Move::WindowTop),
        Action::WindowMiddle => reading.go(Move::WindowMiddle),
        Action::WindowBottom => reading.go(Move::WindowBottom),
        Action::NextHit => reading.find(true),
        Action::PreviousHit => reading.find(false),
        Action::SelectCharacters => reading.select(Shape::Characters),
        Action::SelectLines => reading.select(Shape::Lines),
        Action::SelectBlock => reading.select(Shape::Block),
        _ => {}
    }
    ask_older(app, effects);
}

/// Whoever comes to the first line wants to go on.
fn ask_older(app: &mut App, effects: &mut Vec<Effect>) {
    if let Some(reading) = app.reading.as_mut().filter(|reading| reading.wants_older()) {
        reading.older = Older::Asked(false);
        effects.push(read_older(reading));
    }
}

fn read_older(reading: &Reading) -> Effect {
    Effect::ReadOlder { id: reading.id.clone(), document: Arc::clone(&reading.document) }
}

/// What is read is there with older lines; none where there are none.
pub(super) fn older(
    app: &mut App,
    id: &SessionId,
    of: &Arc<Document>,
    whole: Option<Arc<Document>>,
) {
    let same = |reading: &&mut Reading| reading.id == *id && Arc::ptr_eq(&reading.document, of);
    let Some(reading) = app.reading.as_mut().filter(same) else {
        return;
    };
    let searches = reading.older == Older::Asked(true);
    reading.grow(whole);
    if searches {
        reading.find_from_start();
        end_search(app);
    }
    app.fit_reading();
}

fn search(app: &mut App, backwards: bool) {
    if let Some(reading) = &mut app.reading {
        reading.before_search = reading.cursor.map(|cursor| (cursor, reading.top));
        let editor = Editor::line("");
        app.overlays.push(Overlay::Line { purpose: Purpose::Search { backwards }, editor });
    }
}

/// The text to look for is typed.
pub(super) fn search_typed(app: &mut App, text: &str, backwards: bool) {
    if let Some(reading) = &mut app.reading {
        reading.look_for(text, backwards);
    }
}

/// The text to look for is whole, or given up. It is looked for in all that is kept.
pub(super) fn search_ended(app: &mut App, taken: bool, effects: &mut Vec<Effect>) {
    let Some(reading) = &mut app.reading else {
        return;
    };
    let asks = reading.search.as_ref().is_some_and(|search| taken && !search.text.is_empty());
    if !asks {
        reading.forget_search();
        return;
    }
    let waits = !reading.has_hits();
    if reading.older == Older::There {
        effects.push(read_older(reading));
    }
    if reading.older != Older::Nothing {
        reading.older = Older::Asked(waits);
    }
    if reading.older != Older::Asked(true) {
        end_search(app);
    }
}

/// All was looked through.
fn end_search(app: &mut App) {
    let Some(reading) = &mut app.reading else {
        return;
    };
    if reading.has_hits() {
        reading.before_search = None;
        return;
    }
    let text = reading.search.as_ref().map(|search| search.text.clone()).unwrap_or_default();
    reading.forget_search();
    if !text.is_empty() {
        notify(app, ToastKind::Result, format!("{text} is not in it"), Vec::new());
    }
}

/// Esc: the selection, then copy mode.
fn leave(app: &mut App) {
    if let Some(reading) = &mut app.reading
        && reading.selection.take().is_none()
    {
        app.reading = None;
    }
}

/// Copies what is selected, and leaves.
pub(super) fn copy(app: &mut App, effects: &mut Vec<Effect>) {
    let Some(reading) = &mut app.reading else {
        return;
    };
    let text = reading.text();
    if reading.whole {
        app.reading = None;
    } else {
        reading.end_copy();
        leave_unless_back(app);
    }
    if text.is_empty() {
        notify(app, ToastKind::Result, "Nothing to copy.".to_owned(), Vec::new());
        return;
    }
    let characters = count(graphemes(&text).count(), "character");
    notify(app, ToastKind::Result, format!("{characters} copied."), Vec::new());
    effects.push(Effect::Copy(text));
}

/// Opens a link, where its kind may be.
fn open(app: &mut App, link: Option<String>, effects: &mut Vec<Effect>) {
    match link {
        None => notify(app, ToastKind::Result, "No link here.".to_owned(), Vec::new()),
        Some(link) if may_open(&link) => {
            notify(app, ToastKind::Result, format!("Opening {link}"), Vec::new());
            effects.push(Effect::OpenLink(link));
        }
        Some(link) => {
            let lines = vec!["Only http, https, mailto and file are.".to_owned()];
            notify(app, ToastKind::Error, format!("{link} is not opened"), lines);
        }
    }
}

/// A program asks the terminal for something: only one that is typed to gets it, as far as the
/// configuration allows.
pub(super) fn signalled(app: &mut App, id: SessionId, signal: Signal, effects: &mut Vec<Effect>) {
    use crate::config::Clipboard;
    if app.typing.as_ref().is_none_or(|typing| typing.id != id) {
        return;
    }
    let passes = app.setup.passes;
    match signal {
        Signal::Bell if passes.bell => effects.push(Effect::Ring),
        Signal::Notification(text) if passes.desktop => effects.push(Effect::Notify(text)),
        Signal::Clipboard(text) => match passes.clipboard {
            Clipboard::On => effects.push(Effect::Copy(text)),
            Clipboard::Ask => {
                let characters = count(graphemes(&text).count(), "character");
                let key = app.setup.keymap.key_label(&[Context::Global], Action::TakeOffer);
                let title = format!("{id} offers {characters} to the clipboard");
                let lines = key.map(|key| format!("{key}, once you left it, takes them."));
                app.offer = Some((id, text));
                notify(app, ToastKind::Result, title, lines.into_iter().collect());
            }
            Clipboard::Off => {}
        },
        Signal::Bell | Signal::Notification(_) => {}
    }
}

/// Takes what an agent offered to the clipboard.
pub(super) fn take_offer(app: &mut App, effects: &mut Vec<Effect>) {
    if let Some((id, text)) = app.offer.take() {
        let characters = count(graphemes(&text).count(), "character");
        notify(app, ToastKind::Result, format!("{characters} of {id} copied."), Vec::new());
        effects.push(Effect::Copy(text));
    }
}

/// Ends what is no longer on view.
pub(super) fn settle(app: &mut App) {
    let here = app.in_focus().cloned();
    let on_view = |id: &SessionId| here.as_ref() == Some(id);
    app.reading.take_if(|reading| !on_view(&reading.id));
    app.wanted.take_if(|wanted| !on_view(&wanted.id));
    app.fit_reading();
}
