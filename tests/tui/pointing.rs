//! The mouse in an agent's screen, and what its program asks of the terminal: clipboard, bell, notifications.

use std::sync::Arc;

use callboard::config::Clipboard;
use callboard::runtime::keys::{MouseButton as Button, MouseKind};
use callboard::tui::action::Context;
use callboard::tui::app::overlay::Overlay;
use callboard::tui::app::reading::{Cell, Document};
use callboard::tui::app::screen::Takes;
use callboard::tui::event::{Effect, Event, Signal};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::{Modifier, Style};

use crate::fixture::{Bench, agent_screen, id};
use crate::reading::{answer, copied, find, point};

#[test]
fn a_drag_copies_as_it_ends_a_double_click_a_word_a_third_the_line() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    let (x, y) = find(&bench, "cargo test");
    let left = MouseButton::Left;
    point(&mut bench, (x, y), MouseEventKind::Down(left), false);
    point(&mut bench, (x, y), MouseEventKind::Up(left), false);
    assert_eq!(copied(&mut bench), None, "a click copies nothing");
    bench.wait(1_000);
    point(&mut bench, (x, y), MouseEventKind::Down(left), false);
    point(&mut bench, (x + 3, y), MouseEventKind::Drag(left), false);
    answer(&mut bench);
    point(&mut bench, (x + 4, y), MouseEventKind::Drag(left), false);
    let style = bench.buffer()[(x + 4, y)].style();
    assert!(style.add_modifier.contains(Modifier::REVERSED));
    point(&mut bench, (x + 4, y), MouseEventKind::Up(left), false);
    assert_eq!(copied(&mut bench).as_deref(), Some("cargo"));
    assert!(bench.app.reading.is_none() && bench.app.typing.is_some());

    bench.wait(1_000);
    let clicks = |bench: &mut Bench, read: bool| {
        point(bench, (x + 1, y), MouseEventKind::Down(left), false);
        if read {
            answer(bench);
        }
        point(bench, (x + 1, y), MouseEventKind::Up(left), false);
        copied(bench)
    };
    assert_eq!(clicks(&mut bench, false), None);
    assert_eq!(clicks(&mut bench, true).as_deref(), Some("cargo"));
    assert_eq!(clicks(&mut bench, true).as_deref(), Some("    cargo test -p cart"));
}

#[test]
fn a_program_gets_the_mouse_it_asked_for_and_shift_takes_it_back() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    let at = find(&bench, "cargo test");
    let mut cells = agent_screen();
    cells.takes = Takes { clicks: true, wheel: true };
    bench.send(Event::Screen { id: id("shop-12"), cells: Some(Arc::new(cells)) });
    bench.take();
    point(&mut bench, at, MouseEventKind::Down(MouseButton::Left), false);
    point(&mut bench, (0, 0), MouseEventKind::Drag(MouseButton::Left), false);
    point(&mut bench, (0, 0), MouseEventKind::Up(MouseButton::Left), false);
    point(&mut bench, at, MouseEventKind::ScrollUp, false);
    point(&mut bench, at, MouseEventKind::ScrollLeft, false);
    point(&mut bench, at, MouseEventKind::Drag(MouseButton::Left), false);
    let sent: Vec<_> = bench
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::PointAt { mouse, .. } => Some((mouse.kind, mouse.button, mouse.col)),
            _ => None,
        })
        .collect();
    let col = at.0 - bench.app.screen_area().x;
    let expected = [
        (MouseKind::Press, Button::Left, col),
        (MouseKind::Motion, Button::Left, 0),
        (MouseKind::Release, Button::Left, 0),
        (MouseKind::Press, Button::WheelUp, col),
        (MouseKind::Press, Button::WheelLeft, col),
        (MouseKind::Motion, Button::Left, col),
    ];
    assert_eq!(sent, expected);
    assert!(bench.app.press.is_some_and(|press| !press.held), "a wheel is not held");
    let (column, row) = at;
    let (kind, modifiers) = (MouseEventKind::ScrollUp, KeyModifiers::SHIFT);
    bench.send(Event::Mouse(MouseEvent { kind, column, row, modifiers }));
    assert!(bench.take().contains(&Effect::Read(id("shop-12"))), "our own scrollback");
}

/// A button that was pressed in an agent's screen is let go there, whatever lies above it by then.
#[test]
fn a_button_is_let_go_also_under_a_dialog() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    let at = find(&bench, "cargo test");
    let mut cells = agent_screen();
    cells.takes = Takes { clicks: true, wheel: true };
    bench.send(Event::Screen { id: id("shop-12"), cells: Some(Arc::new(cells)) });
    point(&mut bench, at, MouseEventKind::Down(MouseButton::Left), false);
    bench.app.overlays.push(Overlay::Help { context: Context::List, top: 0 });
    bench.take();
    point(&mut bench, at, MouseEventKind::Drag(MouseButton::Left), false);
    point(&mut bench, at, MouseEventKind::Up(MouseButton::Left), false);
    point(&mut bench, at, MouseEventKind::Up(MouseButton::Left), false);
    let kinds: Vec<_> = bench
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::PointAt { mouse, .. } => Some(mouse.kind),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [MouseKind::Release]);
    assert!(bench.app.press.is_some_and(|press| !press.held));
}

#[test]
fn a_link_is_opened_by_key_and_by_click_and_only_where_its_kind_may_be() {
    let mut bench = Bench::new(120, 40);
    bench.keys("[");
    answer(&mut bench);
    bench.keys("g g j o");
    assert!(bench.take().contains(&Effect::OpenLink("https://a.example/1".to_owned())));
    let at = find(&bench, "a.example/5,");
    point(&mut bench, at, MouseEventKind::Down(MouseButton::Left), true);
    assert!(bench.take().contains(&Effect::OpenLink("https://a.example/5".to_owned())));
    bench.keys("G o");
    assert!(bench.screen().contains("No link here."), "{}", bench.screen());

    let mut bench = Bench::new(120, 40);
    bench.keys("[");
    let mut document = Document::new(80, false);
    document.begin(false);
    let link = Some("javascript:x");
    document.push(Cell { col: 0, width: 1, text: "x", style: Style::new(), link });
    document.end();
    bench.send(Event::Document { id: id("shop-12"), document: Some(Arc::new(document)) });
    bench.take();
    bench.keys("o");
    assert!(bench.screen().contains("javascript:x is not opened"), "{}", bench.screen());
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::OpenLink(_))));
}

/// The clipboard is for the agent that is typed to, as the configuration allows.
#[test]
fn the_clipboard_follows_its_policy() {
    let signal = |bench: &mut Bench, name: &str| {
        let signal = Signal::Clipboard("from the agent".to_owned());
        bench.send(Event::Signal { id: id(name), signal });
        copied(bench)
    };
    let mut bench = Bench::new(120, 40);
    assert_eq!(signal(&mut bench, "shop-12"), None, "nobody types to it");
    bench.keys("Enter");
    assert_eq!(signal(&mut bench, "shop-14"), None, "another one is typed to");
    assert_eq!(signal(&mut bench, "shop-12").as_deref(), Some("from the agent"));
    bench.app.setup.passes.clipboard = Clipboard::Off;
    assert_eq!(signal(&mut bench, "shop-12"), None);
    bench.app.setup.passes.clipboard = Clipboard::Ask;
    assert_eq!(signal(&mut bench, "shop-12"), None);
    let screen = bench.screen();
    assert!(screen.contains("shop-12 offers 14 characters to the clipboard"), "{screen}");
    bench.keys("C-]");
    bench.keys("C-y");
    assert_eq!(copied(&mut bench).as_deref(), Some("from the agent"));
    bench.keys("C-y");
    assert_eq!(copied(&mut bench), None, "once");
}

#[test]
fn bells_and_notifications_of_the_agent_that_is_typed_to_are_passed_on_where_wanted() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    let passed = |bench: &mut Bench, signal: &Signal| {
        bench.send(Event::Signal { id: id("shop-12"), signal: signal.clone() });
        let wanted = match signal {
            Signal::Notification(text) => Effect::Notify(text.clone()),
            _ => Effect::Ring,
        };
        bench.take().contains(&wanted)
    };
    let note = Signal::Notification("done".to_owned());
    assert!(!passed(&mut bench, &Signal::Bell) && !passed(&mut bench, &note));
    bench.app.setup.passes.bell = true;
    assert!(passed(&mut bench, &Signal::Bell) && !passed(&mut bench, &note));
    bench.app.setup.passes.desktop = true;
    assert!(passed(&mut bench, &note));
}
