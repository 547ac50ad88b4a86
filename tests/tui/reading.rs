//! Reading an agent's terminal: scrolled back, copy mode (`spec/console.md`, Behaviour: scrollback of the
//! agent).

use std::sync::Arc;

use callboard::domain::status::Status;
use callboard::tui::app::reading::{Cell, Document};
use callboard::tui::app::screen::ScreenCells;
use callboard::tui::event::{Effect, Event};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::{Modifier, Style};
use rstest::rstest;

use crate::fixture::{Bench, agent_screen, id, page, selected, session, trash};

/// The screen of shop-12 with 100 rows that scrolled out of it.
fn document(bench: &Bench) -> Arc<Document> {
    let cells = bench.app.screens.get(&id("shop-12")).cloned().unwrap_or_default();
    let mut document = Document::new(cells.size.0, false);
    document.screen = 100;
    let history = (0..100).map(|n| format!("history {n} of https://a.example/{n}, as it was"));
    let screen = cells.rows.iter().map(|row| {
        let mut text = String::new();
        for cell in row {
            while text.chars().count() < usize::from(cell.col) {
                text.push(' ');
            }
            text.push_str(&cell.text);
        }
        text
    });
    for line in history.chain(screen) {
        document.begin(false);
        for (col, c) in line.chars().enumerate() {
            let (text, style, link) = (c.to_string(), Style::new(), None);
            document.push(Cell { col: col as u16, width: 1, text: &text, style, link });
        }
        document.end();
    }
    Arc::new(document)
}

/// Answers what was asked for, as the runner does.
pub(crate) fn answer(bench: &mut Bench) {
    let asked = bench.effects.iter().any(|effect| matches!(effect, Effect::Read(_)));
    assert!(asked, "{:?}", bench.effects);
    let document = Some(document(bench));
    bench.effects.retain(|effect| !matches!(effect, Effect::Read(_)));
    bench.send(Event::Document { id: id("shop-12"), document });
}

pub(crate) fn point(
    bench: &mut Bench,
    (column, row): (u16, u16),
    kind: MouseEventKind,
    ctrl: bool,
) {
    let modifiers = if ctrl { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
    bench.send(Event::Mouse(MouseEvent { kind, column, row, modifiers }));
}

/// Where a text is drawn.
pub(crate) fn find(bench: &Bench, text: &str) -> (u16, u16) {
    let screen = bench.screen();
    let found = screen
        .lines()
        .enumerate()
        .find_map(|(row, line)| line.find(text).map(|at| (line[..at].chars().count(), row)));
    let (column, row) = found.unwrap_or_else(|| panic!("{text} is not in\n{screen}"));
    (column as u16, row as u16)
}

pub(crate) fn copied(bench: &mut Bench) -> Option<String> {
    bench.take().into_iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text),
        _ => None,
    })
}

/// A visible mark how far back one is; what is read stays while the agent goes on; typing returns.
#[test]
fn scrolled_back_nothing_moves_and_typing_returns() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter S-PgUp");
    answer(&mut bench);
    let before = bench.screen();
    insta::assert_snapshot!("scrolled_120x40", before);
    assert!(before.contains("33 of 100 back"), "{before}");
    let cells = Arc::new(ScreenCells::from_lines(82, &["all is new"; 34]));
    bench.send(Event::Screen { id: id("shop-12"), cells: Some(cells) });
    let after = bench.screen();
    assert!(after.contains("new below") && !after.contains("all is new"), "{after}");
    let text = |screen: &str| screen.lines().skip(3).collect::<Vec<_>>().join("\n");
    assert_eq!(text(&before), text(&after), "what is read does not move");
    bench.keys("S-PgUp");
    assert!(bench.screen().contains("66 of 100 back"), "{}", bench.screen());
    bench.keys("S-PgDn S-PgDn S-PgDn");
    assert!(bench.screen().contains("all is new"), "down to the live screen");

    bench.keys("S-PgUp");
    answer(&mut bench);
    bench.take();
    bench.keys("x");
    assert!(matches!(bench.take().as_slice(), [Effect::Type { keys, .. }] if keys.len() == 1));
    assert!(bench.app.reading.is_none() && bench.screen().contains("all is new"));
}

#[test]
fn the_pane_and_the_peek_scroll_by_the_wheel_and_by_keys() {
    for (cols, rows, live) in [(120, 40, "cents everywhere"), (80, 24, "Run this command")] {
        let mut bench = Bench::new(cols, rows);
        let at = find(&bench, live);
        point(&mut bench, at, MouseEventKind::ScrollUp, false);
        answer(&mut bench);
        assert!(bench.screen().contains("3 of "), "{}", bench.screen());
        insta::assert_snapshot!(format!("wheel_{cols}x{rows}"), bench.screen());
        point(&mut bench, at, MouseEventKind::ScrollDown, false);
        assert!(bench.app.reading.is_none(), "the end is the live screen");
        bench.keys("S-PgUp");
        answer(&mut bench);
        assert!(bench.app.reading.is_some(), "from the list too");
        bench.keys("j");
        assert_eq!(selected(&bench), "shop-14");
        assert!(bench.app.reading.is_none(), "another session has its own screen");
    }
    let mut bench = Bench::new(120, 40);
    bench.keys("Tab g g");
    answer(&mut bench);
    assert!(bench.screen().contains("history 0 of"), "{}", bench.screen());
    bench.keys("End");
    assert!(bench.app.reading.is_none());
}

/// Where there is nothing to scroll back to, that is said.
#[rstest]
#[case(true, "Its program draws the whole screen itself.")]
#[case(false, "Nothing scrolled out of its screen yet.")]
fn what_keeps_no_scrollback_is_told(#[case] alternate: bool, #[case] why: &str) {
    let mut bench = Bench::new(120, 40);
    bench.keys("S-PgUp");
    let mut document = Document::new(82, alternate);
    document.begin(false);
    document.end();
    bench.send(Event::Document { id: id("shop-12"), document: Some(Arc::new(document)) });
    let screen = bench.screen();
    assert!(screen.contains("shop-12 has no scrollback") && screen.contains(why), "{screen}");
    assert!(bench.app.reading.is_none());
}

#[test]
fn copy_mode_at_two_sizes() {
    for (cols, rows) in [(80, 24), (120, 40)] {
        let mut bench = Bench::new(cols, rows);
        bench.keys("[");
        answer(&mut bench);
        bench.keys("k k V k");
        insta::assert_snapshot!(format!("copy_{cols}x{rows}"), bench.screen());
        bench.keys("? o f");
        insta::assert_snapshot!(format!("copy_search_{cols}x{rows}"), bench.screen());
    }
}

#[test]
fn copy_mode_searches_the_whole_history_selects_and_copies() {
    let mut bench = Bench::new(120, 40);
    bench.keys("[");
    answer(&mut bench);
    bench.keys("? H I S T O R Y Space 7 Space");
    assert!(bench.screen().contains("0 found"), "capitals count where there are some");
    bench.keys("Esc ? h i s t o r y Space 7 Enter");
    let screen = bench.screen();
    assert!(screen.contains("11 of 11"), "history 7 and 70 to 79:\n{screen}");
    assert!(screen.contains("history 79 of"), "{screen}");
    bench.keys("n");
    assert!(bench.screen().contains("10 of 11"));
    bench.keys("N N");
    assert!(bench.screen().contains("1 of 11") && bench.screen().contains("history 7 of"));
    let (x, y) = find(&bench, "history 7 of");
    let style = |bench: &Bench, x: u16| bench.buffer()[(x, y)].style();
    assert!(style(&bench, x).add_modifier.contains(Modifier::UNDERLINED), "matches are marked");
    assert!(!style(&bench, x + 10).add_modifier.contains(Modifier::UNDERLINED));
    bench.keys("v e");
    assert!(style(&bench, x + 6).add_modifier.contains(Modifier::REVERSED));
    assert!(!style(&bench, x + 7).add_modifier.contains(Modifier::REVERSED));
    bench.keys("y");
    assert_eq!(copied(&mut bench).as_deref(), Some("history"));
    assert!(bench.screen().contains("7 characters copied."), "{}", bench.screen());
    assert!(bench.app.reading.is_none());
}

/// In windows of any size nothing panics and nothing is drawn outside of the pane.
#[test]
fn reading_fits_into_any_window() {
    for size in [(20, 5), (24, 8), (40, 12), (79, 18), (80, 24), (119, 9), (300, 100), (2, 1)] {
        let mut bench = Bench::new(size.0, size.1);
        bench.keys("[");
        answer(&mut bench);
        for keys in ["g g $ V", "G ^ v b", "PgUp C-d w e H M L", "? h i", "Enter n N o C-v l l"] {
            bench.keys(keys);
            bench.screen();
        }
        bench.send(Event::Resize { cols: 33, rows: 7 });
        bench.screen();
        point(&mut bench, (5, 4), MouseEventKind::ScrollUp, false);
        point(&mut bench, (5, 4), MouseEventKind::Down(MouseButton::Left), false);
        point(&mut bench, (32, 0), MouseEventKind::Drag(MouseButton::Left), false);
        bench.screen();
        point(&mut bench, (32, 0), MouseEventKind::Up(MouseButton::Left), false);
        bench.keys("Esc Esc");
        bench.screen();
    }
}

#[rstest]
#[case(
    "g g V j Enter",
    "history 0 of https://a.example/0, as it was\nhistory 1 of https://a.example/1, as it was"
)]
#[case("g g w w C-v j l y", "of\nof")]
#[case("g g $ b b v $ y", "it was")]
#[case("g g j ^ e v y", "y")]
#[case("g g l l y", "history 0 of https://a.example/0, as it was")]
#[case("g g L H M 0 v l l l y", "hist")]
fn keys_select_as_in_editors(#[case] keys: &str, #[case] text: &str) {
    let mut bench = Bench::new(120, 40);
    bench.keys("[");
    answer(&mut bench);
    bench.keys(keys);
    assert_eq!(copied(&mut bench).as_deref(), Some(text));
}

#[test]
fn keys_that_come_with_the_one_for_copy_mode_are_for_it() {
    let mut bench = Bench::new(120, 40);
    let keys = ["[", "g", "g", "V", "y"].iter().map(|key| key.parse().unwrap()).collect();
    bench.send(Event::Keys(keys));
    answer(&mut bench);
    let first = "history 0 of https://a.example/0, as it was";
    assert_eq!(copied(&mut bench).as_deref(), Some(first));
    assert_eq!(selected(&bench), "shop-12", "none of them acted on the list");
}

#[test]
fn escape_ends_the_selection_then_copy_mode_and_no_key_reaches_the_agent() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    bench.send(Event::Keys(Vec::new()));
    bench.app.setup.keymap.overlay("k".as_ref(), "[terminal]\n\"F2\" = \"copy-mode\"").unwrap();
    bench.keys("F2");
    answer(&mut bench);
    bench.take();
    bench.keys("v k z Esc");
    assert!(bench.app.is_copying() && bench.app.typing.is_some());
    bench.keys("Esc");
    assert!(bench.app.reading.is_none() && bench.app.typing.is_some(), "back to typing");
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Type { .. })));
}

/// A session whose keeper died while shown says so in place, with the last screen kept.
#[test]
fn a_last_screen_stays_and_says_so() {
    let mut bench = Bench::new(120, 40);
    let cells = Arc::new(ScreenCells { ended: true, ..agent_screen() });
    bench.send(Event::Screen { id: id("shop-12"), cells: Some(cells) });
    let screen = bench.screen();
    assert!(screen.contains("cargo test -p cart"), "{screen}");
    assert!(screen.contains("Its keeper is gone. This is its last"), "{screen}");
    insta::assert_snapshot!("gone_120x40", screen);
    bench.wait(1_000);
    bench.send(Event::Changed);
    let ended = session("shop-12", "Fix cart rounding", "claude", Status::Errored, 2);
    bench.answer_page(page(vec![ended]));
    let screen = bench.screen();
    assert!(screen.contains("cargo test -p cart"), "{screen}");
    assert!(screen.contains("Not running. r launches it again."), "{screen}");
}

#[test]
fn a_deleted_session_is_read_over_the_whole_window() {
    let mut bench = Bench::new(80, 24);
    bench.keys("t");
    bench.answer_page(page(trash()));
    let name = selected(&bench);
    let first = bench.app.trash.selected.clone().unwrap();
    bench.take();
    bench.keys("[");
    let effects = bench.take();
    assert!(effects.contains(&Effect::Watch(vec![first.clone()])), "{name}: {effects:?}");
    bench.send(Event::Document { id: first.clone(), document: None });
    let cells = Some(Arc::new(ScreenCells::from_lines(80, &["its last words"])));
    bench.send(Event::Screen { id: first.clone(), cells });
    assert!(bench.take().contains(&Effect::Read(first.clone())));
    let document = Some(document(&bench));
    bench.send(Event::Document { id: first.clone(), document });
    let screen = bench.screen();
    assert!(screen.contains("cents everywhere"), "{screen}");
    insta::assert_snapshot!("trash_copy_80x24", screen);
    bench.keys("Esc");
    assert!(bench.screen().contains("Trash") && bench.app.reading.is_none());
    bench.keys("[");
    bench.send(Event::Document { id: first.clone(), document: None });
    bench.send(Event::Screen { id: first, cells: None });
    assert!(bench.screen().contains("was kept."), "{}", bench.screen());
}

/// What was asked for of older lines.
fn asked_older(bench: &mut Bench) -> Option<Arc<Document>> {
    bench.take().into_iter().find_map(|effect| match effect {
        Effect::ReadOlder { document, .. } => Some(document),
        _ => None,
    })
}

/// A document like this one, with 50 lines before it.
fn with_older(document: &Document) -> Arc<Document> {
    let mut deeper = Document::new(document.cols, false);
    deeper.screen = document.screen + 50;
    let older = (0..50).map(|n| format!("ancient {n}"));
    let known = (0..document.len()).map(|line| document.text(line).to_owned());
    for line in older.chain(known) {
        deeper.begin(false);
        for (col, c) in line.chars().enumerate() {
            let (text, style, link) = (c.to_string(), Style::new(), None);
            deeper.push(Cell { col: col as u16, width: 1, text: &text, style, link });
        }
        deeper.end();
    }
    Arc::new(document.with_older(&deeper).unwrap())
}

/// Begins copy mode on a document of which more scrolled out.
fn copy_cut(bench: &mut Bench) {
    bench.keys("[");
    let mut cut = document(bench).as_ref().clone();
    cut.cut = true;
    bench.take();
    bench.send(Event::Document { id: id("shop-12"), document: Some(Arc::new(cut)) });
}

/// Scrollback: at its first line a document is asked for older ones, once; nothing moves when they come, and
/// who went to the first line goes on to the first.
#[test]
fn older_lines_are_asked_for_at_the_first_line() {
    let mut bench = Bench::new(120, 40);
    copy_cut(&mut bench);
    bench.keys("PgUp");
    assert!(asked_older(&mut bench).is_none(), "it is not there yet");
    bench.keys("v g g");
    let of = asked_older(&mut bench).expect("it is at the first line");
    assert!(bench.screen().contains("reading older lines"));
    bench.keys("k");
    assert!(asked_older(&mut bench).is_none(), "once");
    let before = bench.screen();
    let whole = Some(with_older(&of));
    bench.send(Event::Older { id: id("shop-12"), of: Arc::clone(&of), whole: whole.clone() });
    let rows = |screen: &str| -> Vec<String> {
        screen.lines().filter(|line| line.contains("history")).map(str::to_owned).skip(1).collect()
    };
    assert_eq!(rows(&bench.screen()), rows(&before));
    bench.keys("PgUp");
    assert!(bench.screen().contains("ancient 49") && !bench.screen().contains("ancient 0 "));
    bench.send(Event::Older { id: id("shop-12"), of, whole });
    assert_eq!(
        bench.app.reading.as_ref().map(|reading| reading.document.screen),
        Some(150),
        "late"
    );

    bench.keys("Esc Esc");
    copy_cut(&mut bench);
    bench.keys("g g");
    let of = asked_older(&mut bench).unwrap();
    let whole = Some(with_older(&of));
    bench.send(Event::Older { id: id("shop-12"), of, whole });
    assert!(bench.screen().contains("ancient 0"));
}

/// A search that finds nothing looks on in what is older before it says so.
#[test]
fn a_search_looks_through_older_lines_too() {
    let mut bench = Bench::new(120, 40);
    copy_cut(&mut bench);
    bench.keys("? a n c i e n t Space 7 Enter");
    let of = asked_older(&mut bench).expect("all is looked through");
    assert!(!bench.screen().contains("is not in it"));
    let whole = Some(with_older(&of));
    bench.send(Event::Older { id: id("shop-12"), of, whole });
    assert!(bench.screen().contains("1 of 1") && bench.screen().contains("ancient 7"));
    bench.keys("Esc");

    copy_cut(&mut bench);
    bench.keys("? a b s e n t Enter");
    let of = asked_older(&mut bench).unwrap();
    bench.send(Event::Older { id: id("shop-12"), of, whole: None });
    assert!(bench.screen().contains("absent is not in it"));
    bench.keys("? a b s e n t Enter");
    assert!(asked_older(&mut bench).is_none(), "there is nothing more");
}
