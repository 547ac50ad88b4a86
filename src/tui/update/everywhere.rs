//! Finding in all sections, messages and the trash.

use crate::domain::ids::SessionId;
use crate::domain::search::Search;
use crate::tui::app::editor::Editor;
use crate::tui::app::everywhere::{Finder, Passage};
use crate::tui::app::overlay::{Overlay, Purpose};
use crate::tui::app::{App, Focus, View, find};
use crate::tui::event::{Effect, Found, Tab, TabContent};
use crate::tui::views::{everywhere_rows, message_line};

use super::moving::Step;
use super::place;

/// Opens the finder with what the list is narrowed by, or is being typed to narrow it.
pub(super) fn open(app: &mut App) {
    let text = match app.overlays.last() {
        Some(Overlay::Line { purpose: Purpose::Find, editor }) => editor.text().to_owned(),
        _ if matches!(app.view, View::Sessions | View::Trash) => app.current_list().find.clone(),
        _ => String::new(),
    };
    let finder = Finder { editor: Editor::line(&text), ..Finder::default() };
    app.overlays.push(Overlay::Everywhere(finder));
}

/// What is looked for everywhere: what is typed into the finder, or what nothing in the list matches.
fn wanted(app: &App) -> &str {
    if let Some(Overlay::Everywhere(finder)) = app.overlays.last() {
        return finder.editor.text();
    }
    let list = app.current_list();
    let nothing = list.is_filtered() && list.is_answered() && list.rows().is_empty();
    let here = matches!(app.view, View::Sessions | View::Trash) && nothing;
    if here { &list.find } else { "" }
}

/// Asks for what is looked for, once it is time.
pub(super) fn settle(app: &mut App, effects: &mut Vec<Effect>) {
    let text = wanted(app).to_owned();
    app.everywhere.want(&text, app.now);
    let ticket = app.tickets + 1;
    if let Some(filter) = app.everywhere.ask(ticket, app.now) {
        app.tickets = ticket;
        effects.push(Effect::Search { ticket, filter });
    }
}

/// The text was changed.
pub(super) fn typed(app: &mut App) {
    if let Some(Overlay::Everywhere(finder)) = app.overlays.last_mut() {
        (finder.index, finder.top) = (0, 0);
    }
}

/// Something was found. What is in no section of the rail cannot be gone to.
pub(super) fn arrived(app: &mut App, ticket: u64, found: Found) {
    if !app.everywhere.arrive(ticket, found) {
        return;
    }
    let sections = &app.board.sections;
    app.everywhere.hits.retain(|hit| {
        let key = &hit.session.shown.section;
        hit.session.deletion.is_some() || sections.iter().any(|section| section.key == *key)
    });
    go(app, Step::By(0));
}

/// Moves the selection.
pub(super) fn go(app: &mut App, step: Step) {
    let (height, hits) = (everywhere_rows(app), app.everywhere.hits.len());
    if let Some(Overlay::Everywhere(finder)) = app.overlays.last_mut() {
        finder.index = step.from(finder.index, hits);
        finder.top = finder.top.min(finder.index).max((finder.index + 1).saturating_sub(height));
    }
}

/// Goes to the selected one: to its section, to the message, or to the trash.
pub(super) fn enter(app: &mut App, finder: Finder, effects: &mut Vec<Effect>) {
    let Some(hit) = app.everywhere.hits.get(finder.index).cloned() else {
        app.overlays.push(Overlay::Everywhere(finder));
        return;
    };
    app.confirmed_at = Some(app.now);
    app.overlays.clear();
    let session = hit.session;
    if session.deletion.is_some() {
        place::deleted(app, session.id, effects);
        return;
    }
    (app.typing, app.focus) = (None, Focus::List);
    place::session(app, &session, effects);
    if hit.snippet.in_message {
        (app.focus, app.tab) = (Focus::Right, Tab::Messages);
        let answered = app.everywhere.answered.as_deref().unwrap_or_default();
        let text = find::parse(answered).filter.text.unwrap_or_default();
        app.passage = Some(Passage { id: session.id, text, shown: false });
    }
}

/// Brings the newest message that has what was looked for on view, once they are there.
pub(super) fn show_passage(app: &mut App, id: &SessionId, content: &TabContent) {
    let (Some(passage), TabContent::Messages(messages)) = (&mut app.passage, content) else {
        return;
    };
    if passage.id != *id || std::mem::replace(&mut passage.shown, true) {
        return;
    }
    let search = Search::parse(&passage.text);
    let has = |text: &str| search.find(&[text]).is_some();
    if let Some(at) = messages.iter().rposition(|message| has(&message.text)) {
        app.tab_top = message_line(messages, at, &search);
    }
}

/// The words are shown until another session or tab is looked at.
pub(super) fn leave_passage(app: &mut App) {
    let (asked, list) = (&app.tab_asked, &app.list);
    app.passage.take_if(|passage| {
        // Until its list is there, nothing is asked for.
        let here = *asked == Some((passage.id.clone(), Tab::Messages));
        !here && (passage.shown || list.is_answered())
    });
}
