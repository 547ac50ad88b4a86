//! What the operator is told outside of the picture (`spec/console.md`, Behaviour): notifications and the title.

use std::num::NonZeroU32;

use callboard::config::Notifications;
use callboard::domain::session::Session;
use callboard::domain::status::{Attention, Status};
use callboard::tui::event::{Effect, Event};

use crate::fixture::{Bench, id, session, waiting};

/// A session that asks since now.
fn asks(bench: &Bench, name: &str) -> Session {
    let mut session = session(name, "Notes", "claude", Status::NeedsInput, 0);
    session.condition.attention = Some(Attention::NeedsInput);
    session.condition.status_since = bench.now;
    session
}

fn bench() -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.app.setup.notifications = Notifications { bell: true, ..Notifications::default() };
    bench
}

/// What is told once these wait beside those of the board.
fn told(bench: &mut Bench, more: &[Session]) -> Vec<String> {
    let all = waiting().into_iter().chain(more.iter().cloned()).collect();
    bench.take();
    bench.send(Event::Waiting(all));
    notices(bench)
}

fn notices(bench: &mut Bench) -> Vec<String> {
    let effects = bench.take().into_iter();
    let texts = effects.filter_map(|effect| match effect {
        Effect::Tell(notice) => Some(notice.text),
        _ => None,
    });
    texts.collect()
}

/// A session enters attention while not on view.
#[test]
fn a_session_that_begins_to_wait_elsewhere_is_told_once() {
    let mut bench = bench();
    assert!(told(&mut bench, &[]).is_empty(), "these waited already");
    let new = asks(&bench, "chat-7");
    assert_eq!(told(&mut bench, std::slice::from_ref(&new)), ["chat-7 asks a question ∙ Notes"]);
    assert!(told(&mut bench, std::slice::from_ref(&new)).is_empty(), "once");
    assert!(told(&mut bench, &[]).is_empty());
    bench.wait(5_000);
    let again = asks(&bench, "chat-7");
    assert_eq!(told(&mut bench, &[again]).len(), 1, "it waits anew");
}

#[test]
fn what_is_on_view_of_an_operator_who_looks_is_not_told() {
    let begins = |bench: &mut Bench| {
        bench.wait(2_000);
        let mut anew = waiting();
        let on_view = bench.app.on_view().cloned();
        let first = anew.iter_mut().find(|session| Some(&session.id) == on_view.as_ref()).unwrap();
        first.condition.status_since = bench.now;
        bench.take();
        bench.send(Event::Waiting(anew));
        notices(bench).len()
    };
    let mut bench = bench();
    assert_eq!(bench.app.on_view(), Some(&id("shop-12")));
    assert_eq!(begins(&mut bench), 0);
    bench.send(Event::Focus(false));
    assert_eq!(begins(&mut bench), 1, "the window has not the focus");
    bench.send(Event::Focus(true));
    assert_eq!(begins(&mut bench), 0);
}

#[test]
fn it_is_off_unless_configured_and_held_to_its_reasons() {
    let mut bench = bench();
    bench.app.setup.notifications = Notifications::default();
    let one = asks(&bench, "chat-7");
    assert!(told(&mut bench, &[one]).is_empty());
    let reasons = vec![Attention::Stuck];
    bench.app.setup.notifications =
        Notifications { bell: true, reasons, ..Notifications::default() };
    let more = [asks(&bench, "chat-7"), asks(&bench, "chat-8")];
    assert!(told(&mut bench, &more).is_empty());
}

/// Rate-limited: what is held back is told as one, by time alone.
#[test]
fn a_flood_is_told_as_one_when_its_time_comes() {
    let mut bench = bench();
    bench.app.setup.notifications.limit = NonZeroU32::MIN;
    let mut more = Vec::new();
    let mut texts = Vec::new();
    for n in 11..=16 {
        more.push(asks(&bench, &format!("chat-{n}")));
        texts.extend(told(&mut bench, &more));
        bench.wait(10);
    }
    assert_eq!(texts, ["chat-11 asks a question ∙ Notes"]);
    let wake = bench.app.wake().unwrap();
    assert!(wake <= bench.now.plus(std::time::Duration::from_mins(1)));
    bench.tick(60_000);
    assert_eq!(notices(&mut bench), ["5 sessions need you: chat-12, chat-13 and 3 more"]);
    bench.tick(60_000);
    assert!(notices(&mut bench).is_empty());
}

#[test]
fn the_title_says_how_many_wait_and_is_sent_when_that_changes() {
    let titles = |bench: &mut Bench| -> Vec<String> {
        let effects = bench.take().into_iter();
        let titles = effects.filter_map(|effect| match effect {
            Effect::Title(title) => Some(title),
            _ => None,
        });
        titles.collect()
    };
    let mut bench = Bench::blank(120, 40);
    bench.send(Event::Changed);
    assert_eq!(titles(&mut bench), ["callboard"]);
    bench.send(Event::Waiting(waiting()));
    assert_eq!(titles(&mut bench), ["? 4 callboard"]);
    bench.send(Event::Waiting(waiting()));
    assert!(titles(&mut bench).is_empty());
    bench.send(Event::Waiting(Vec::new()));
    assert_eq!(titles(&mut bench), ["callboard"]);
}
