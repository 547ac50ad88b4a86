//! Finding in all sections, messages and the trash (`spec/store.md` Q1).

use callboard::domain::event::Message;
use callboard::domain::query::Page;
use callboard::domain::search::Search;
use callboard::domain::session::Session;
use callboard::domain::status::Status;
use callboard::tui::app::overlay::Overlay;
use callboard::tui::app::{Focus, View};
use callboard::tui::event::{Effect, Event, Found, Tab, TabContent};

use crate::fixture::{Bench, NOW, id, page, project_key, selected, session, shop, trash};

fn found(sessions: Vec<Session>, text: &str, texts: &[(&str, bool)]) -> Page {
    let snippets = texts.iter().map(|(of, in_message)| {
        let snippet = Search::parse(text).find(&[of]).unwrap_or_default();
        callboard::domain::search::Snippet { in_message: *in_message, ..snippet }
    });
    Page { total: sessions.len() as u64, snippets: snippets.collect(), sessions, ..Page::default() }
}

/// What a search for "cart" comes to.
fn carts() -> Found {
    let api = session("api-3", "Health endpoint", "claude", Status::Idle, 5);
    let sessions = vec![api, shop()[0].clone(), shop()[8].clone()];
    let texts = [
        ("The new endpoint is asked by the cart as well, so its answer is kept", true),
        ("Fix cart rounding", false),
        ("Round every line of the cart, then compare with the old sums", false),
    ];
    Found {
        sessions: found(sessions, "cart", &texts),
        trash: found(trash()[..1].to_vec(), "cart", &[("Pictures of the cart go too", true)]),
    }
}

/// The ticket of the newest search, and the text that it is for.
fn searched(bench: &Bench) -> Option<(u64, Option<String>)> {
    bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Search { ticket, filter } => Some((*ticket, filter.text.clone())),
        _ => None,
    })
}

fn answer(bench: &mut Bench, found: Found) {
    let (ticket, _) = searched(bench).expect("a search");
    bench.send(Event::Found { ticket, found: Box::new(found) });
}

fn finder(cols: u16, rows: u16) -> Bench {
    let mut bench = Bench::new(cols, rows);
    bench.keys("C-f");
    bench.text("cart");
    bench.tick(100);
    answer(&mut bench, carts());
    bench
}

#[test]
fn what_is_found_says_where_with_the_words_marked() {
    insta::assert_snapshot!("everywhere_80x24", finder(80, 24).screen());
    insta::assert_snapshot!("everywhere_120x40", finder(120, 40).screen());
}

#[test]
fn the_store_is_asked_when_the_typing_pauses_and_a_late_answer_is_dropped() {
    let mut bench = Bench::new(120, 40);
    bench.keys("C-f");
    bench.take();
    bench.text("c");
    assert_eq!(searched(&bench), None, "a key asks for nothing");
    let wake = bench.app.wake().expect("a time to ask at");
    assert!(wake <= bench.now.plus(std::time::Duration::from_millis(100)), "{wake:?}");
    bench.tick(100);
    assert_eq!(searched(&bench).unwrap().1.as_deref(), Some("c"));
    let (late, _) = searched(&bench).unwrap();
    bench.text("art");
    bench.send(Event::Found { ticket: late, found: Box::new(carts()) });
    assert!(bench.app.everywhere.hits.is_empty(), "an answer to another text");
    bench.tick(100);
    assert_eq!(searched(&bench).unwrap().1.as_deref(), Some("cart"));
    answer(&mut bench, carts());
    assert_eq!(bench.app.everywhere.hits.len(), 4);
}

#[test]
fn esc_comes_back_to_where_one_was() {
    let mut bench = Bench::new(120, 40);
    bench.keys("j j");
    let before = (bench.app.section.clone(), selected(&bench), bench.app.view);
    bench.keys("/");
    bench.text("ca");
    bench.keys("C-f");
    assert!(
        matches!(bench.app.overlays.last(), Some(Overlay::Everywhere(it)) if it.editor.text() == "ca")
    );
    bench.keys("Esc");
    assert!(matches!(bench.app.overlays.last(), Some(Overlay::Line { .. })), "the find goes on");
    bench.keys("Esc");
    assert_eq!((bench.app.section.clone(), selected(&bench), bench.app.view), before);
}

#[test]
fn enter_goes_to_the_session_in_its_section() {
    let mut bench = finder(120, 40);
    bench.keys("Down Down Enter");
    assert!(bench.app.overlays.is_empty());
    assert_eq!((selected(&bench).as_str(), bench.app.focus), ("shop-15", Focus::List));

    let mut bench = finder(120, 40);
    let mut elsewhere = carts();
    elsewhere.sessions.snippets[0].in_message = false;
    bench.text("s");
    bench.tick(100);
    answer(&mut bench, elsewhere);
    bench.take();
    bench.keys("Enter");
    assert_eq!(bench.app.section, Some(project_key("api")));
    let asked = bench.take().into_iter().find_map(|effect| match effect {
        Effect::LoadPage { query, .. } => Some(query),
        _ => None,
    });
    let asked = asked.expect("its section");
    assert_eq!((asked.around, asked.filter.text), (Some(id("api-3")), None), "however deep it is");
}

#[test]
fn enter_opens_the_messages_where_the_words_are() {
    let mut bench = finder(120, 40);
    bench.keys("Enter");
    assert_eq!((bench.app.focus, bench.app.tab), (Focus::Right, Tab::Messages));
    let rows = vec![session("api-3", "Health endpoint", "claude", Status::Idle, 5)];
    bench.answer_page(page(rows));
    assert_eq!(selected(&bench), "api-3");
    let message = |text: &str| Message { at: NOW, source: "agent".into(), text: text.into() };
    let mut messages = vec![message("The cart once before")];
    messages.extend((0..60).map(|n| message(&format!("Step {n} is done"))));
    messages
        .push(message(&format!("{}is asked by the cart as well", "The new endpoint ".repeat(5))));
    messages.extend((60..120).map(|n| message(&format!("Step {n} is done"))));
    let shown = TabContent::Messages(messages.clone());
    bench.send(Event::Tab { id: id("api-3"), content: shown.clone() });
    assert!(bench.screen().contains("asked by the cart as well"), "{}", bench.screen());
    insta::assert_snapshot!("everywhere_message_120x40", bench.screen());
    // What the operator scrolled to stays when the messages are read again.
    bench.keys("g g");
    bench.send(Event::Tab { id: id("api-3"), content: shown });
    assert!(bench.screen().contains("The cart once before"), "{}", bench.screen());
    bench.keys("l");
    assert_eq!(bench.app.passage, None);
}

#[test]
fn enter_goes_to_the_trash() {
    let mut bench = finder(120, 40);
    bench.app.trash.find = "else".to_owned();
    bench.keys("Down Down Down Enter");
    assert_eq!((bench.app.view, bench.app.focus), (View::Trash, Focus::List));
    bench.answer_page(page(trash()));
    assert_eq!(bench.app.trash.selected, Some(id("shop-1")));
    assert!(bench.app.trash.find.is_empty(), "a filter would hide it");
}

#[test]
fn a_deleted_child_is_shown_below_its_parent() {
    let mut bench = finder(120, 40);
    bench.text("s");
    bench.tick(100);
    let only = Found { trash: page(vec![trash()[2].clone()]), ..Found::default() };
    answer(&mut bench, only);
    bench.keys("Enter");
    bench.answer_page(page(trash()));
    assert_eq!(bench.app.trash.selected, Some(id("shop-18")));
}

#[test]
fn what_nothing_here_matches_is_counted_elsewhere() {
    let mut bench = Bench::new(80, 24);
    bench.keys("/");
    bench.text("cart");
    bench.tick(100);
    bench.answer_page(page(Vec::new()));
    bench.tick(100);
    answer(&mut bench, carts());
    assert!(bench.screen().contains("4 elsewhere   Ctrl+F shows them"), "{}", bench.screen());
    insta::assert_snapshot!("find_elsewhere_80x24", bench.screen());
    bench.keys("Enter C-f");
    assert_eq!(bench.app.everywhere.hits.len(), 4, "they are known already");
    bench.keys("Esc Esc");
    bench.answer_page(page(shop()));
    assert!(!bench.screen().contains("elsewhere"), "{}", bench.screen());
}

#[test]
fn what_cannot_be_gone_to_is_not_listed() {
    let mut bench = finder(120, 40);
    bench.text("s");
    bench.tick(100);
    let gone =
        session("gone-1", "Of a project that is registered no more", "claude", Status::Idle, 5);
    answer(&mut bench, Found { sessions: page(vec![gone]), ..Found::default() });
    bench.keys("Enter");
    assert!(matches!(bench.app.overlays.last(), Some(Overlay::Everywhere(_))));
}
