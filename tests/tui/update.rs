//! What keys and events change, and what they ask for.

use std::time::Duration;

use callboard::domain::key::Key;
use callboard::domain::pr::{Ci, Review};
use callboard::domain::session::Usage;
use callboard::domain::status::Status;
use callboard::host::OnView;
use callboard::host::report::{RestoreReport, RestoreTarget, SendResult, StopReport, StopResult};
use callboard::tui::event::{Effect, Event, Failure, Outcome, StopHow};

use crate::fixture::{Bench, NOW, id, page, pr, selected, session, shop};

#[test]
fn typing_sends_every_key_but_the_one_that_leaves() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    assert!(bench.take().contains(&Effect::Size { id: id("shop-12"), cols: 82, rows: 34 }));
    let keys: Vec<Key> = ["q", "C-c", "Esc"].iter().map(|key| key.parse().unwrap()).collect();
    bench.send(Event::Keys(keys.clone()));
    assert_eq!(bench.take(), [Effect::Type { id: id("shop-12"), keys }]);
    bench.send(Event::Paste("a\nb".to_owned()));
    let pasted = Effect::PasteTo { id: id("shop-12"), text: "a\nb".to_owned() };
    assert_eq!(bench.take(), [pasted]);
    let mixed: Vec<Key> = ["x", "C-]", "j"].iter().map(|key| key.parse().unwrap()).collect();
    bench.send(Event::Keys(mixed));
    assert!(bench.app.typing.is_none());
    assert_eq!(selected(&bench), "shop-14", "what follows acts on the list");
}

/// What came with the key that gives the terminal away is the agent's and does nothing here.
#[test]
fn keys_behind_the_one_that_zooms_are_the_agents() {
    let mut bench = Bench::new(120, 40);
    let keys: Vec<Key> = ["Z", "j", "x", "q"].iter().map(|key| key.parse().unwrap()).collect();
    bench.send(Event::Keys(keys.clone()));
    let zoomed = Effect::PassThrough { id: id("shop-12"), ahead: keys[1..].to_vec() };
    assert_eq!(bench.take(), [zoomed]);
    assert_eq!(selected(&bench), "shop-12");
}

#[test]
fn what_does_not_run_cannot_be_typed_to() {
    let mut bench = Bench::new(120, 40);
    bench.keys("G Enter");
    assert!(bench.app.typing.is_none());
    assert!(bench.screen().contains("Not running. r launches it again."), "{}", bench.screen());
}

/// F2: the projects whose sessions are in the list are told when they change, and stay while another view is
/// shown.
#[test]
fn projects_on_view_are_told() {
    let mut bench = Bench::new(120, 40);
    let told = |bench: &mut Bench| {
        let effects = bench.take().into_iter();
        let told = effects.filter_map(|effect| match effect {
            Effect::OnView(projects) => Some(projects),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    bench.take();
    bench.keys("j t");
    bench.tick(5_000);
    assert_eq!(told(&mut bench), []);
    bench.keys("q");
    bench.tick(5_000);
    bench.send(Event::Changed);
    bench.answer_page(page(Vec::new()));
    assert_eq!(told(&mut bench), [OnView::new()]);
    bench.tick(5_000);
    bench.send(Event::Changed);
    bench.answer_page(page(shop()));
    let folder = shop()[0].placement.project_path().unwrap().to_owned();
    assert_eq!(told(&mut bench), [OnView::from([folder])]);
}

/// T2: the row names the pull request that its status speaks of.
#[test]
fn the_row_names_the_pull_request_that_counts() {
    let mut bench = Bench::new(200, 60);
    bench.tick(5_000);
    bench.send(Event::Changed);
    let one = session("shop-1", "Two of them", "claude", Status::ChangesRequested, 2);
    let one = pr(
        pr(one, 7, Ci::Passing, Review::Approved, false),
        9,
        Ci::None,
        Review::ChangesRequested,
        false,
    );
    bench.answer_page(page(vec![one]));
    assert!(bench.screen().contains("#9+"), "{}", bench.screen());
}

/// T4: what counts as seen
#[test]
fn a_screen_on_view_for_a_second_was_seen_once() {
    let mut bench = Bench::new(120, 40);
    let seen = |bench: &mut Bench| {
        bench.take().into_iter().filter(|effect| matches!(effect, Effect::Seen(_))).count()
    };
    bench.tick(900);
    assert_eq!(seen(&mut bench), 0);
    bench.tick(200);
    assert_eq!(seen(&mut bench), 1);
    bench.tick(5_000);
    assert_eq!(seen(&mut bench), 0);
    bench.keys("j");
    bench.send(Event::Focus(false));
    bench.tick(5_000);
    assert_eq!(seen(&mut bench), 0, "without the focus nothing is seen");
    bench.send(Event::Focus(true));
    bench.tick(1_000);
    assert_eq!(seen(&mut bench), 1);
}

#[test]
fn answers_name_the_question_that_was_shown() {
    let mut bench = Bench::new(120, 40);
    bench.take();
    bench.keys("y");
    let yes = Effect::Answer { id: id("shop-12"), question: "q1".to_owned(), option: None };
    assert!(bench.take().contains(&yes));
    bench.keys("a j j Enter");
    let third = Effect::Answer { id: id("shop-12"), question: "q1".to_owned(), option: Some(3) };
    assert!(bench.take().contains(&third));
    bench.keys("j y");
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Answer { .. })));
}

#[test]
fn one_is_stopped_at_once_and_several_are_asked_for() {
    let mut bench = Bench::new(120, 40);
    bench.keys("x");
    let ids = vec![id("shop-12")];
    assert!(bench.take().contains(&Effect::Stop { ids, how: StopHow::Stop }));
    bench.keys("Space Space x Enter");
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Stop { .. })));
    bench.keys("x Tab Enter");
    let ids = vec![id("shop-12"), id("shop-14")];
    assert!(bench.take().contains(&Effect::Stop { ids, how: StopHow::Stop }));
    let result = |name: &str, reason: Option<&str>| StopResult {
        id: id(name),
        stopped: reason.is_none(),
        freed: false,
        reason: reason.map(str::to_owned),
        escalated: false,
        trouble: None,
    };
    let results = vec![result("shop-12", None), result("shop-14", Some("it did not end"))];
    bench.send(Event::Ended(Outcome::Stopped(StopReport { results })));
    assert!(bench.screen().contains("1 stopped, 1 not."), "{}", bench.screen());
    assert!(bench.app.list.marks.ids.contains(&id("shop-14")), "the failed one stays marked");
}

#[test]
fn a_message_goes_to_the_marked() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Space Space m");
    bench.text("go on");
    bench.keys("Enter");
    bench.text("now");
    bench.keys("C-s");
    let ids = vec![id("shop-12"), id("shop-14")];
    assert!(bench.take().contains(&Effect::Message { ids, text: "go on\nnow".to_owned() }));
    let sent = |name: &str, reason: Option<&str>| SendResult {
        id: id(name),
        sent: reason.is_none(),
        reason: reason.map(str::to_owned),
    };
    let results =
        vec![sent("shop-12", Some("waits for a permission answer")), sent("shop-14", None)];
    bench.send(Event::Ended(Outcome::Sent(results)));
    assert!(
        bench.screen().contains("shop-12: waits for a permission answer"),
        "{}",
        bench.screen()
    );
}

#[test]
fn renaming_and_pinning() {
    let mut bench = Bench::new(120, 40);
    bench.keys("e C-u");
    bench.text("New title");
    bench.keys("Enter p");
    let effects = bench.take();
    assert!(effects.contains(&Effect::Rename { id: id("shop-12"), title: "New title".to_owned() }));
    assert!(effects.contains(&Effect::Pin { ids: vec![id("shop-12")], pinned: true }));
}

#[test]
fn undo_brings_back_and_marks_what_was_running() {
    let mut bench = Bench::new(120, 40);
    bench.keys("u");
    assert!(bench.take().contains(&Effect::Restore { target: RestoreTarget::Last, undo: true }));
    let report = RestoreReport {
        restored_session_ids: vec![id("shop-3"), id("shop-4"), id("shop-7")],
        was_live_ids: vec![id("shop-3"), id("shop-4")],
        ..RestoreReport::default()
    };
    bench.send(Event::Ended(Outcome::Restored { undo: true, report }));
    let screen = bench.screen();
    assert!(screen.contains("3 brought back."), "{screen}");
    assert!(screen.contains("2 were running and are now marked: r launches them."), "{screen}");
    bench.keys("r");
    let ids = vec![id("shop-3"), id("shop-4")];
    let launch = Effect::Restore { target: RestoreTarget::Ids(ids), undo: false };
    assert!(bench.take().contains(&launch));
}

#[test]
fn a_burst_without_markers_runs_nothing_and_single_keys_still_do() {
    let mut bench = Bench::new(120, 40);
    let keys: Vec<Key> =
        "dxGq".repeat(10).chars().map(|c| c.to_string().parse().unwrap()).collect();
    bench.wait(1_000);
    bench.send(Event::Keys(keys));
    assert!(bench.take().iter().all(|effect| !matches!(effect, Effect::Quit { .. })));
    assert!(bench.app.overlays.is_empty());
    assert!(bench.screen().contains("Pasted text ignored."), "{}", bench.screen());
    bench.wait(5);
    bench.send(Event::Keys(vec!["d".parse().unwrap()]));
    assert!(bench.app.overlays.is_empty(), "the rest of the paste");
    bench.keys("Esc d");
    assert_eq!(bench.app.overlays.len(), 1);
}

#[test]
fn a_paste_outside_of_text_is_ignored_with_a_word() {
    let mut bench = Bench::new(120, 40);
    bench.send(Event::Paste("dxq".to_owned()));
    assert!(bench.take().is_empty());
    let hint = "Enter types into the agent, m sends a message.";
    assert!(bench.screen().contains(hint), "{}", bench.screen());
}

#[test]
fn leaving_asks_nothing_and_says_how_many_go_on() {
    let mut bench = Bench::new(120, 40);
    bench.keys("q");
    let farewell = "15 agents go on. callboard brings them back on screen.".to_owned();
    assert_eq!(bench.take().last(), Some(&Effect::Quit { farewell, hand_over: vec![] }));
}

#[test]
fn an_error_stays_until_it_is_dismissed() {
    let mut bench = Bench::new(120, 40);
    let failure =
        callboard::tui::event::Failure { message: "no space left".to_owned(), hint: None };
    bench.send(Event::Trouble(failure));
    bench.keys("j j");
    bench.tick(60_000);
    assert!(bench.screen().contains("No space left"), "{}", bench.screen());
    bench.keys("Esc");
    assert!(!bench.screen().contains("No space left"));
}

#[test]
fn ages_turn_over_without_any_event() {
    let bench = Bench::new(120, 40);
    let wake = bench.app.wake().expect("an age turns over");
    assert!(wake > NOW && wake <= NOW.plus(Duration::from_mins(1)), "{wake}");
}

/// `spec/look.md` 5: only keys that act on what is selected or marked.
#[test]
fn what_has_ended_is_neither_messaged_nor_stopped() {
    use callboard::tui::action::Action;
    let mut bench = Bench::new(200, 60);
    bench.keys("G Space k Space");
    let marked: Vec<_> = bench.app.list.marks.ids.iter().map(ToString::to_string).collect();
    assert_eq!(marked, ["shop-3", "shop-4"]);
    assert!(!bench.app.is_legal(Action::Message) && !bench.app.is_legal(Action::Stop));
    bench.keys("Esc G v");
    assert!(!bench.app.is_legal(Action::Stop), "a range that is being drawn");
    bench.keys("k k k");
    assert!(bench.app.is_legal(Action::Stop));
}

#[test]
fn how_one_came_back_is_said_once() {
    use callboard::host::ports::LaunchedHow;
    let mut bench = Bench::new(120, 40);
    let note =
        |text: &str| callboard::host::report::Note { id: id("shop-3"), text: text.to_owned() };
    let report = RestoreReport {
        launched_ids: vec![id("shop-3")],
        how: vec![(id("shop-3"), LaunchedHow::PromptAgain)],
        notes: vec![note(LaunchedHow::PromptAgain.words()), note("left detached")],
        ..RestoreReport::default()
    };
    bench.send(Event::Ended(Outcome::Restored { undo: false, report }));
    let screen = bench.screen();
    assert!(screen.contains("shop-3 is back with its prompt"), "{screen}");
    assert!(!screen.contains("given its prompt again"), "{screen}");
    assert!(screen.contains("shop-3: left detached"), "{screen}");
}

#[test]
fn a_pin_that_failed_is_asked_for_again_by_the_next_press() {
    let mut bench = Bench::new(120, 40);
    let asked = |bench: &mut Bench| {
        bench.keys("p");
        bench.take().into_iter().find_map(|effect| match effect {
            Effect::Pin { ids, pinned } => Some((ids, pinned)),
            _ => None,
        })
    };
    let (ids, pinned) = asked(&mut bench).unwrap();
    let failure = Failure { message: "the store was moved away".to_owned(), hint: None };
    let what = "it was not pinned".to_owned();
    let failed = Outcome::NotPinned { ids: ids.clone(), pinned, what, failure };
    bench.send(Event::Ended(failed));
    assert_eq!(asked(&mut bench), Some((ids, pinned)));
}

/// B3: many are counted by the way they came back.
#[test]
fn how_many_came_back_is_counted() {
    use callboard::host::ports::LaunchedHow::{Fresh, Resumed};
    let mut bench = Bench::new(120, 40);
    let ids: Vec<_> = (1..=40).map(|n| id(&format!("shop-{n}"))).collect();
    let how: Vec<_> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (id.clone(), if at < 38 { Resumed } else { Fresh }))
        .collect();
    let notes = how
        .iter()
        .map(|(id, how)| callboard::host::report::Note {
            id: id.clone(),
            text: how.words().to_owned(),
        })
        .collect();
    let report = RestoreReport { launched_ids: ids, how, notes, ..RestoreReport::default() };
    bench.send(Event::Ended(Outcome::Restored { undo: false, report }));
    let screen = bench.screen();
    assert!(screen.contains("40 sessions are back."), "{screen}");
    assert!(screen.contains("38 resumed, 2 started fresh."), "{screen}");
}

#[test]
fn a_long_error_is_read_whole_in_the_details() {
    let mut bench = Bench::new(120, 40);
    let error = format!("it failed {}at the end", "once more ".repeat(9));
    bench.app.list.change(|rows| rows[0].error = Some(error));
    bench.keys("i");
    let screen = bench.screen();
    assert!(screen.contains("at the end") && !screen.contains("once m…"), "{screen}");
}

/// What a process tree takes is looked at every 5 s while its numbers can be seen, and else by nothing:
/// without details on view or focus of the window there is no timer but that of the ages.
#[test]
fn a_process_tree_is_looked_at_only_while_it_can_be_seen() {
    let looked = |bench: &mut Bench| {
        let effects = bench.take();
        effects.into_iter().any(|effect| effect == Effect::Measure(vec![id("shop-12")]))
    };
    let soon = |bench: &Bench| {
        bench.app.wake().is_some_and(|at| at <= bench.now.plus(Duration::from_secs(5)))
    };
    let mut bench = Bench::new(120, 40);
    bench.tick(2_000);
    assert!(!looked(&mut bench) && !soon(&bench), "at rest");
    bench.keys("i");
    assert!(looked(&mut bench) && soon(&bench));
    let usage = Usage { cpu_percent: Some(2.6), rss_bytes: 412 << 20 };
    bench.send(Event::Usage(vec![(id("shop-12"), usage)]));
    assert!(bench.screen().contains("48211, 3% CPU, 412M"), "{}", bench.screen());
    bench.tick(4_000);
    assert!(!looked(&mut bench));
    bench.tick(1_500);
    assert!(looked(&mut bench), "again after 5 s");
    bench.send(Event::Focus(false));
    assert!(!soon(&bench), "nobody looks");
    bench.tick(6_000);
    assert!(!looked(&mut bench));
    bench.send(Event::Focus(true));
    assert!(looked(&mut bench));
    bench.keys("D");
    assert!(!soon(&bench), "another tab");
}
