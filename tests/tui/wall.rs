//! The wall: tiles of live screens (`spec/console.md`, Views; `spec/look.md` section 8).

use std::sync::Arc;

use callboard::domain::ids::SessionId;
use callboard::domain::session::{Deletion, Session};
use callboard::domain::status::{Attention, Status};
use callboard::tui::action::{Action, Context};
use callboard::tui::app::View;
use callboard::tui::app::screen::ScreenCells;
use callboard::tui::event::{Effect, Event, Tab};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::fixture::{Bench, agent_screen, id, minutes_ago, session, shop, waiting};

/// A session that waits since so many minutes.
fn waits(name: &str, minutes: u64) -> Session {
    let mut session = session(name, "Waits for an answer", "claude", Status::NeedsInput, minutes);
    session.condition.attention = Some(Attention::Permission);
    session.condition.question.clone_from(&shop()[0].condition.question);
    session
}

/// The wall of the board of the drawings: four wait, two are marked.
pub(crate) fn wall(cols: u16, rows: u16) -> Bench {
    let mut bench = Bench::new(cols, rows);
    for name in ["shop-15", "shop-16"] {
        bench.app.list.marks.ids.insert(id(name));
    }
    bench.keys("T");
    let lines = ["$ cargo test -p checkout", "running 214 tests", "test cart::empty ... ok"];
    for name in ["shop-14", "shop-9", "shop-15"] {
        let cells = Some(Arc::new(ScreenCells::from_lines(82, &lines)));
        bench.send(Event::Screen { id: id(name), cells });
    }
    bench
}

fn tiles(bench: &Bench) -> Vec<String> {
    bench.app.wall.tiles.iter().map(ToString::to_string).collect()
}

fn focus(bench: &Bench) -> String {
    bench.app.wall_focus().map(ToString::to_string).unwrap_or_default()
}

fn last_watch(effects: &[Effect]) -> Option<Vec<SessionId>> {
    effects.iter().rev().find_map(|effect| match effect {
        Effect::Watch(ids) => Some(ids.clone()),
        _ => None,
    })
}

#[test]
fn the_wall_at_three_sizes() {
    for (cols, rows) in [(80, 24), (120, 40), (200, 60)] {
        insta::assert_snapshot!(format!("wall_{cols}x{rows}"), wall(cols, rows).screen());
    }
}

#[test]
fn typing_in_a_tile_and_an_empty_wall() {
    let mut bench = wall(120, 40);
    let mut cells = agent_screen();
    cells.cursor = Some((60, 21));
    bench.send(Event::Screen { id: id("shop-12"), cells: Some(Arc::new(cells)) });
    bench.keys("Enter");
    insta::assert_snapshot!("wall_typing_120x40", bench.screen());
    let mut bench = Bench::new(80, 24);
    bench.send(Event::Waiting(Vec::new()));
    bench.keys("T");
    let screen = bench.screen();
    assert!(screen.contains("Nobody needs you and nothing is marked."), "{screen}");
    assert!(!screen.contains("Enter type here"), "{screen}");
    bench.keys("Enter y a x + - h j k l w m i o Esc");
    assert_eq!(bench.app.view, View::Sessions);
}

/// Order: waiting first, then marked.
#[test]
fn who_waits_comes_first_and_the_marked_after() {
    let mut bench = wall(120, 40);
    let mut expected: Vec<String> =
        ["shop-14", "shop-12", "chat-2", "shop-9"].map(str::to_owned).into();
    expected.extend(["shop-15", "shop-16"].map(str::to_owned));
    assert_eq!(tiles(&bench), expected);
    assert_eq!(focus(&bench), "shop-12", "what was selected has the focus");
    let effects = bench.take();
    assert_eq!(last_watch(&effects), Some(bench.app.wall.tiles.clone()));
    assert!(effects.contains(&Effect::LoadTiles(bench.app.wall.tiles.clone())));
    let sized = |effect: &Effect| matches!(effect, Effect::Size { .. });
    assert!(!effects.iter().any(sized), "looking changes the size of nobody");
    bench.keys("l j h k");
    assert!(
        !bench
            .take()
            .iter()
            .any(|effect| sized(effect) || last_watch(std::slice::from_ref(effect)).is_some())
    );
}

/// A tile keeps its place while on view.
#[test]
fn tiles_stay_where_they_are_while_others_come_and_are_answered() {
    let mut bench = wall(120, 40);
    let before = tiles(&bench);
    let mut now = waiting();
    now.retain(|session| session.id != id("shop-14"));
    now.push(waits("api-1", 500));
    bench.send(Event::Waiting(now));
    assert_eq!(tiles(&bench), before);
    assert!(bench.screen().contains("6 of 7 waiting or marked"), "{}", bench.screen());
    bench.keys("Esc T");
    assert_eq!(tiles(&bench)[0], "api-1", "another look begins anew");
}

#[test]
fn a_deleted_session_gives_its_place_to_the_next() {
    let mut bench = wall(120, 40);
    let mut there: Vec<Session> = shop();
    there.extend(waiting());
    for session in there.iter_mut().filter(|session| session.id == id("shop-9")) {
        session.deletion = Some(Deletion {
            at: minutes_ago(0),
            batch: "0192-7c1e".parse().unwrap(),
            was_live: true,
            trash_path: None,
        });
    }
    let asked = bench.app.wall.asked.clone();
    bench.send(Event::Tiles { asked, sessions: there.clone() });
    assert_eq!(tiles(&bench)[3], "shop-9", "nobody else waits");
    assert!(bench.screen().contains("Deleted."), "{}", bench.screen());
    let mut now = waiting();
    now.push(waits("api-1", 1));
    bench.send(Event::Waiting(now));
    assert_eq!(tiles(&bench)[3], "api-1");
}

/// An answer to an older question says nothing of tiles that came since; who is typed to keeps the tile.
#[test]
fn a_late_answer_takes_no_tile_and_a_deleted_session_keeps_the_one_that_is_typed_to() {
    let mut bench = wall(120, 40);
    let mut there: Vec<Session> = shop();
    there.extend(waiting());
    bench.send(Event::Tiles { asked: vec![id("shop-14")], sessions: Vec::new() });
    assert!(bench.app.wall.gone.is_empty());
    bench.keys("Enter");
    let typed = focus(&bench);
    let asked = bench.app.wall.asked.clone();
    there.retain(|session| session.id.as_str() != typed);
    bench.send(Event::Tiles { asked, sessions: there });
    let mut now = waiting();
    now.push(waits("api-1", 1));
    bench.send(Event::Waiting(now));
    assert_eq!(focus(&bench), typed);
}

#[test]
fn the_focus_goes_by_keys_and_by_the_mouse() {
    let mut bench = wall(120, 40);
    bench.keys("g g");
    let mut seen = vec![focus(&bench)];
    for key in ["l", "j", "k", "h", "G", "Tab", "S-Tab", "PgUp"] {
        bench.keys(key);
        seen.push(focus(&bench));
    }
    let expected = [
        "shop-14", "shop-12", "shop-15", "shop-12", "shop-14", "shop-16", "shop-16", "shop-15",
        "shop-12",
    ];
    assert_eq!(seen, expected);
    let place = bench.app.wall_grid().places[3];
    let (kind, modifiers) = (MouseEventKind::Down(MouseButton::Left), KeyModifiers::NONE);
    let (column, row) = (place.x + 4, place.y + 3);
    bench.send(Event::Mouse(MouseEvent { kind, column, row, modifiers }));
    assert_eq!(focus(&bench), "shop-9");
}

#[test]
fn keys_act_on_the_tile_with_the_focus_and_not_on_the_marked() {
    let mut bench = wall(120, 40);
    bench.take();
    bench.keys("y");
    let yes = Effect::Answer { id: id("shop-12"), question: "q1".to_owned(), option: None };
    assert!(bench.take().contains(&yes));
    bench.keys("a j Enter");
    let second = Effect::Answer { id: id("shop-12"), question: "q1".to_owned(), option: Some(2) };
    assert!(bench.take().contains(&second));
    bench.keys("m");
    bench.text("go on");
    bench.keys("C-s");
    let ids = vec![id("shop-12")];
    assert!(bench.take().contains(&Effect::Message { ids, text: "go on".to_owned() }));
    bench.keys("Z");
    let whole = Effect::PassThrough { id: id("shop-12"), ahead: Vec::new() };
    assert!(bench.take().contains(&whole));
    bench.keys("h y");
    let refusal = bench.app.refusal(Action::AnswerYes, &[Context::Wall, Context::Global]);
    assert_eq!(refusal, Some("asks nothing"));
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Answer { .. })));
}

#[test]
fn typing_happens_in_the_tile_and_leaves_the_wall_as_it_is() {
    let mut bench = wall(120, 40);
    bench.take();
    bench.keys("Enter");
    let size = Effect::Size { id: id("shop-12"), cols: 82, rows: 34 };
    assert!(bench.take().contains(&size), "who types gives the size of the typing pane");
    bench.keys("q");
    assert!(bench.take().iter().any(|effect| matches!(effect, Effect::Type { .. })));
    bench.keys("C-]");
    assert_eq!((bench.app.view, bench.app.typing.is_none()), (View::Wall, true));
    bench.keys("i");
    assert_eq!((bench.app.view, bench.app.tab), (View::Sessions, Tab::Details));
    assert_eq!(bench.app.list.selected, Some(id("shop-12")));
}

#[test]
fn there_are_as_many_tiles_as_asked_for_and_fit() {
    let mut bench = wall(120, 40);
    let refusal = |bench: &Bench, action| bench.app.refusal(action, &[Context::Wall]);
    assert_eq!(refusal(&bench, Action::MoreTiles), Some("all are here"));
    bench.keys("- - - - -");
    assert_eq!(tiles(&bench).len(), 2);
    assert_eq!(refusal(&bench, Action::FewerTiles), Some("no fewer than 2"));
    assert_eq!(focus(&bench), "shop-12", "who is looked at stays");
    bench.keys("+ +");
    assert_eq!(tiles(&bench).len(), 4);
    bench.send(Event::Resize { cols: 80, rows: 24 });
    bench.keys("+");
    assert_eq!(tiles(&bench).len(), 4);
    assert_eq!(refusal(&bench, Action::MoreTiles), Some("no room for more"));
    assert!(bench.screen().contains("4 of 6 waiting or marked"), "{}", bench.screen());
}

/// `w` goes to whoever waits next, also to one that has no tile yet.
#[test]
fn next_waiting_goes_from_tile_to_tile() {
    let mut bench = wall(120, 40);
    bench.keys("w");
    assert_eq!((bench.app.view, focus(&bench)), (View::Wall, "chat-2".to_owned()));
    let mut now = waiting();
    now.retain(|session| session.id != id("chat-2"));
    now.push(waits("api-1", 3));
    bench.send(Event::Waiting(now));
    bench.keys("g g w");
    assert_eq!(focus(&bench), "api-1");
    assert_eq!(tiles(&bench)[2], "api-1", "in the place of one that no longer waits");
}

/// T4: only the tile with the focus is looked at.
#[test]
fn the_tile_with_the_focus_is_seen_after_a_second() {
    let mut bench = wall(120, 40);
    bench.take();
    bench.tick(1_100);
    let seen: Vec<_> =
        bench.take().into_iter().filter(|effect| matches!(effect, Effect::Seen(_))).collect();
    assert_eq!(seen, [Effect::Seen(vec![id("shop-12")])]);
}

#[test]
fn the_wall_is_left_by_esc_and_q_and_is_in_the_palette() {
    for key in ["Esc", "q"] {
        let mut bench = wall(120, 40);
        bench.take();
        bench.keys(key);
        assert_eq!(bench.app.view, View::Sessions);
        assert_eq!(last_watch(&bench.take()), Some(vec![id("shop-12")]));
    }
    let mut bench = Bench::new(120, 40);
    bench.keys(":");
    bench.text("show the wall");
    bench.keys("Enter");
    assert_eq!(bench.app.view, View::Wall);
    bench.keys("?");
    assert!(bench.screen().contains("Keys for the wall"), "{}", bench.screen());
}
