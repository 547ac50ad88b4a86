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

/// Where the hints of the bottom line begin, each with the key that it begins with.
fn hints(screen: &str) -> Vec<(u16, String)> {
    let line: Vec<char> = screen.lines().last().unwrap().chars().collect();
    let starts = (1..line.len()).filter(|at| {
        line[*at] != ' ' && line[at.saturating_sub(2)..*at].iter().all(|before| *before == ' ')
    });
    starts
        .map(|at| {
            let word: String = line[at..].iter().take_while(|c| **c != ' ').collect();
            let key = match (word.as_str(), word.strip_prefix("Ctrl+")) {
                (_, Some(letter)) => format!("C-{}", letter.to_lowercase()),
                ("↑", _) => "Up".to_owned(),
                ("‹", _) => "Left".to_owned(),
                (other, _) => other.to_owned(),
            };
            (at as u16, key)
        })
        .collect()
}

/// A click on a key of the bottom line does what the key does, in every view and every dialog.
#[test]
fn a_click_on_a_hint_does_what_its_key_does() {
    let ways = ["g g", "S-Tab", "i", "D", "T", "J", "X", "?", "a", "Y", "n", "m", ":", "e", "* d"];
    for (way, cols) in ways.iter().flat_map(|way| [(way, 80), (way, 120)]) {
        let mut shown =
            if *way == "J" { crate::jobs::bench(cols, 40) } else { Bench::new(cols, 40) };
        if *way != "J" {
            shown.keys(way);
        }
        shown.take();
        let found = hints(&shown.screen());
        assert!(!found.is_empty(), "{way}");
        for (column, key) in found {
            let [mut clicked, mut pressed] =
                [(); 2].map(|()| Bench::of(shown.app.clone(), shown.now));
            clicked.wait(100);
            let kind = MouseEventKind::Down(MouseButton::Left);
            let mouse = MouseEvent { kind, column, row: 39, modifiers: KeyModifiers::NONE };
            clicked.send(Event::Mouse(mouse));
            pressed.keys(&key);
            assert_eq!(clicked.take(), pressed.take(), "{way}: {key}");
            assert_eq!(clicked.screen(), pressed.screen(), "{way}: {key}");
        }
    }
}

/// The keys beside a filter that is typed, and the one that leaves an agent.
#[test]
fn a_click_keeps_a_filter_and_leaves_an_agent() {
    let mut bench = Bench::new(120, 40);
    bench.keys("/");
    bench.text("fix");
    click(&mut bench, "Enter keep");
    assert!(bench.app.overlays.is_empty() && bench.app.list.find == "fix");
    bench.keys("/");
    click(&mut bench, "Esc clear");
    assert!(bench.app.overlays.is_empty() && bench.app.list.find.is_empty());
    bench.keys("Enter");
    assert!(bench.app.typing.is_some());
    click(&mut bench, "Ctrl+] leave  ");
    assert!(bench.app.typing.is_none());
}

/// Buttons are pressed by a click; a second one on the same place belongs to the first, as a second Enter does.
#[test]
fn a_click_presses_a_button_once() {
    let deletes = |bench: &mut Bench| {
        bench.take().iter().filter(|effect| matches!(effect, Effect::Delete { .. })).count()
    };
    let mut bench = crate::plan::ready(120, 40);
    click(&mut bench, "[ Cancel ]");
    assert!(bench.app.overlays.is_empty());
    assert_eq!(deletes(&mut bench), 0);

    let mut bench = crate::plan::ready(120, 40);
    click(&mut bench, "[ Delete");
    assert!(bench.app.overlays.is_empty());
    assert_eq!(deletes(&mut bench), 1);

    let mut bench = Bench::new(120, 40);
    bench.keys("d");
    click(&mut bench, "[ Delete ]");
    assert_eq!(bench.app.overlays.len(), 1, "nothing is planned yet");

    let mut bench = Bench::new(120, 40);
    bench.keys("X");
    let screen = bench.screen();
    click(&mut bench, "[ Kill ]");
    let row = screen.lines().position(|line| line.contains("[ Kill ]")).unwrap();
    let column = screen.lines().nth(row).unwrap().split_once("[ Kill ]").unwrap().0.chars().count();
    let (kind, modifiers) = (MouseEventKind::Down(MouseButton::Left), KeyModifiers::NONE);
    let again = MouseEvent { kind, column: column as u16 + 4, row: row as u16, modifiers };
    let before = (bench.app.focus, bench.app.list.selected.clone());
    bench.wait(50);
    bench.send(Event::Mouse(again));
    assert_eq!((bench.app.focus, bench.app.list.selected.clone()), before, "one click");
    let ended = bench.take();
    assert_eq!(ended.iter().filter(|it| matches!(it, Effect::Stop { .. })).count(), 1);

    let mut bench = Bench::new(120, 40);
    bench.keys("n");
    click(&mut bench, "[ Cancel ]");
    assert!(bench.app.overlays.is_empty());
}

/// A click selects what a dialog offers, a second one takes it.
#[test]
fn a_click_chooses_and_a_second_one_answers() {
    let mut bench = Bench::new(120, 40);
    bench.keys("a");
    bench.take();
    click(&mut bench, "2. Yes, and do not");
    assert_eq!(bench.app.overlays.len(), 1);
    click(&mut bench, "2. Yes, and do not");
    let second = Effect::Answer { id: id("shop-12"), question: "q1".to_owned(), option: Some(2) };
    assert!(bench.take().contains(&second));
}

/// The wheel that goes sideways scrolls what is cut.
#[test]
fn a_wheel_goes_sideways_in_texts() {
    let mut bench = crate::tabs::wide_diff();
    on(&mut bench, "0123456789", MouseEventKind::ScrollRight);
    assert_eq!(bench.app.tab_left, 8);
    on(&mut bench, "9abcdef", MouseEventKind::ScrollLeft);
    assert_eq!(bench.app.tab_left, 0);
}
