//! The mouse: a click selects, the wheel scrolls (`spec/console.md`, Behaviour).

use callboard::tui::app::{Focus, View};
use callboard::tui::event::{Effect, Event, Tab};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::fixture::{Bench, id, page, project_key, trash};

/// Uses the mouse in the middle of the first place where `text` is drawn.
fn on(bench: &mut Bench, text: &str, kind: MouseEventKind) {
    let screen = bench.screen();
    let found = screen
        .lines()
        .enumerate()
        .find_map(|(row, line)| line.find(text).map(|at| (line[..at].chars().count(), row)));
    let (column, row) = found.unwrap_or_else(|| panic!("{text} is not in\n{screen}"));
    let (column, row) = ((column + text.chars().count() / 2) as u16, row as u16);
    bench.wait(100);
    bench.send(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

fn click(bench: &mut Bench, text: &str) {
    on(bench, text, MouseEventKind::Down(MouseButton::Left));
}

#[test]
fn a_click_selects_a_row_a_section_and_a_tab() {
    for (cols, rows) in [(80, 24), (120, 40)] {
        let mut bench = Bench::new(cols, rows);
        click(&mut bench, "shop-10");
        assert_eq!(bench.app.list.selected, Some(id("shop-10")), "{cols}x{rows}");
        click(&mut bench, "mobile");
        assert_eq!(bench.app.section, Some(project_key("mobile")));
        click(&mut bench, "Trash");
        assert_eq!(bench.app.view, View::Trash);
        bench.answer_page(page(trash()));
        click(&mut bench, "docs-4");
        assert_eq!(bench.app.trash.selected, Some(id("docs-4")));
    }
    let mut bench = Bench::new(120, 40);
    click(&mut bench, "Messages");
    assert_eq!((bench.app.tab, bench.app.focus), (Tab::Messages, Focus::Right));
}

#[test]
fn a_click_selects_an_operation() {
    let mut bench = crate::jobs::bench(120, 40);
    click(&mut bench, "partly done");
    assert_eq!(bench.app.jobs.index(), 2);
}

#[test]
fn the_wheel_scrolls_what_is_below_it() {
    let mut bench = Bench::new(120, 40);
    on(&mut bench, "shop-12", MouseEventKind::ScrollDown);
    assert_eq!(bench.app.list.selected, Some(id("shop-10")));
    let read = |bench: &mut Bench| bench.take().contains(&Effect::Read(id("shop-12")));
    let mut bench = Bench::new(120, 40);
    on(&mut bench, "cents everywhere", MouseEventKind::ScrollUp);
    assert!(read(&mut bench), "older rows of the agent's history");
    bench.keys("Tab PgUp");
    assert!(read(&mut bench));
    bench.keys("PgDn");
    assert!(!read(&mut bench), "nothing is below the live screen");
    let mut bench = Bench::new(80, 24);
    on(&mut bench, "Run this command", MouseEventKind::ScrollUp);
    assert!(read(&mut bench), "in the peek too");
}

/// A double click on a row, or on a tile, gives the keys to its agent.
#[test]
fn a_double_click_opens() {
    let mut bench = Bench::new(120, 40);
    click(&mut bench, "shop-15");
    assert!(bench.app.typing.is_none());
    bench.wait(1_000);
    click(&mut bench, "shop-15");
    assert!(bench.app.typing.is_none(), "two clicks with time between");
    click(&mut bench, "shop-15");
    assert_eq!(bench.app.typing.as_ref().map(|typing| &typing.id), Some(&id("shop-15")));
    let mut bench = Bench::new(120, 40);
    bench.keys("T");
    click(&mut bench, "chat-2");
    click(&mut bench, "chat-2");
    assert_eq!(bench.app.typing.as_ref().map(|typing| &typing.id), Some(&id("chat-2")));
}

/// The wheel scrolls the help and moves in dialogs; what lies below stays.
#[test]
fn the_wheel_scrolls_what_lies_above_the_view() {
    let mut bench = Bench::new(80, 24);
    bench.keys("?");
    let before = bench.screen();
    on(&mut bench, "Keys for the list", MouseEventKind::ScrollDown);
    assert_ne!(bench.screen(), before);
    on(&mut bench, "Keys for the list", MouseEventKind::ScrollUp);
    assert_eq!(bench.screen(), before);
    bench.keys("Esc a");
    on(&mut bench, "Answer shop-12", MouseEventKind::ScrollDown);
    bench.take();
    bench.keys("Enter");
    let third = Effect::Answer { id: id("shop-12"), question: "q1".to_owned(), option: Some(3) };
    assert!(bench.take().contains(&third));
    assert_eq!(bench.app.list.selected, Some(id("shop-12")));
}
