//! What moves the selection and the window, and what narrows them.

use std::time::Duration;

use callboard::domain::activity::Activity;
use callboard::domain::query::Page;
use callboard::domain::status::Status;
use callboard::host::report::DeleteReport;
use callboard::runtime::client::WitnessReport;
use callboard::tui::app::{Focus, View};
use callboard::tui::event::{Effect, Event, Outcome, Tab, TabContent};

use crate::fixture::{Bench, board, id, page, project_key, selected, session, shop};

#[test]
fn it_begins_in_the_first_section_with_attention() {
    let mut bench = Bench::blank(80, 24);
    bench.send(Event::Changed);
    assert_eq!(bench.take(), [Effect::LoadBoard, Effect::Title("callboard".to_owned())]);
    bench.send(Event::Board(Box::new(board())));
    assert_eq!(bench.app.section, Some(project_key("shop")));
    assert!(matches!(bench.take().first(), Some(Effect::LoadPage { .. })));
}

#[test]
fn the_selection_stays_on_its_session_while_the_list_reorders() {
    let mut bench = Bench::new(120, 40);
    bench.keys("j j j j j");
    assert_eq!(selected(&bench), "shop-6");
    bench.tick(2_000);
    bench.send(Event::Changed);
    let mut reordered = shop();
    reordered.rotate_right(1);
    bench.answer_page(page(reordered));
    assert_eq!(selected(&bench), "shop-6");
    assert_eq!(bench.app.list.index, 6);
}

#[test]
fn rows_keep_their_order_for_a_second_after_a_key_and_get_new_values_at_once() {
    let mut bench = Bench::new(120, 40);
    bench.tick(5_000);
    bench.keys("j");
    bench.wait(100);
    bench.send(Event::Changed);
    let mut changed = shop();
    changed[1].title = "Changed".to_owned();
    changed.reverse();
    bench.answer_page(page(changed));
    assert_eq!(bench.app.list.rows()[0].id, id("shop-12"));
    assert_eq!(bench.app.list.rows()[1].title, "Changed");
    let wake = bench.app.wake().expect("a time to wake at");
    assert!(wake <= bench.now.plus(Duration::from_secs(1)));
    bench.tick(1_000);
    assert_eq!(bench.app.list.rows()[0].id, id("shop-3"));
    assert_eq!(selected(&bench), "shop-14");
}

#[test]
fn a_deleted_selection_gives_way_to_the_row_that_takes_its_place() {
    let mut bench = Bench::new(120, 40);
    bench.keys("j j");
    bench.tick(2_000);
    bench.send(Event::Changed);
    bench.answer_page(page(shop().into_iter().filter(|s| s.id != id("shop-9")).collect()));
    assert_eq!(selected(&bench), "shop-10");
}

#[test]
fn an_older_answer_is_dropped() {
    let mut bench = Bench::new(120, 40);
    bench.send(Event::Page { ticket: 0, offset: 0, page: page(vec![]) });
    assert_eq!(bench.app.list.rows().len(), 14);
}

#[test]
fn sections_by_number_and_by_moving() {
    let mut bench = Bench::new(120, 40);
    bench.keys("3");
    assert_eq!(bench.app.section, Some(project_key("api")));
    bench.answer_page(page(vec![session("api-1", "Health endpoint", "claude", Status::Idle, 5)]));
    assert_eq!(selected(&bench), "api-1");
    bench.keys("h");
    assert_eq!(bench.app.focus, Focus::Rail);
    bench.keys("j");
    assert_eq!(bench.app.section, Some(project_key("docs")));
    bench.keys("G");
    assert_eq!(bench.app.view, View::Trash);
}

#[test]
fn children_are_folded_and_unfolded() {
    let mut bench = Bench::new(120, 40);
    bench.keys("j j h");
    assert_eq!(bench.app.list.lines().len(), 12);
    assert!(bench.screen().contains("+2"), "{}", bench.screen());
    bench.keys("l");
    assert_eq!(bench.app.list.lines().len(), 14);
    bench.keys("l");
    assert_eq!(bench.app.focus, Focus::Right);
}

/// P2: 20 children of a root are shown, the rest as "n more", however many they are; what comes after
/// them is reached in both directions
#[test]
fn a_family_larger_than_the_window_is_passed_p2() {
    let mut all = vec![session("shop-0", "Before", "claude", Status::Working, 1)];
    all.push(session("shop-1", "Many below", "claude", Status::Working, 2));
    for n in 0..1_000 {
        let mut child = session(&format!("shop-c{n}"), "Below", "claude", Status::Working, 3);
        child.parent = Some(id("shop-1"));
        child.shown.root = id("shop-1");
        child.root = id("shop-1");
        all.push(child);
    }
    for n in 2..300 {
        all.push(session(&format!("shop-{n}"), "After", "claude", Status::Working, 4));
    }
    let mut bench = Bench::new(120, 40);
    bench.keys("4");
    // The store answers each question for a part of the list.
    let serve = |bench: &mut Bench| {
        for round in 0.. {
            assert!(round < 12, "it keeps asking");
            let mut asked = bench.take().into_iter().filter_map(|effect| match effect {
                Effect::LoadPage { ticket, query } => Some((ticket, query)),
                _ => None,
            });
            let Some((ticket, query)) = asked.next_back() else { return };
            let end = (query.offset + query.limit).min(all.len());
            let sessions = all[query.offset.min(end)..end].to_vec();
            let page = Page { sessions, total: all.len() as u64, ..Page::default() };
            bench.send(Event::Page { ticket, offset: query.offset, page });
        }
    };
    serve(&mut bench);
    assert_eq!(selected(&bench), "shop-0");
    for _ in 0..21 {
        bench.keys("j");
        serve(&mut bench);
    }
    assert_eq!(selected(&bench), "shop-c19");
    let hidden =
        |bench: &Bench| bench.app.list.lines().iter().map(|line| line.hidden).sum::<usize>();
    assert_eq!(hidden(&bench), 980);
    bench.keys("j");
    serve(&mut bench);
    assert_eq!(selected(&bench), "shop-2");
    bench.keys("G");
    serve(&mut bench);
    assert_eq!(selected(&bench), "shop-299");
    assert_eq!(bench.app.list.place(), all.len());
    for _ in 0..298 {
        bench.keys("k");
        serve(&mut bench);
    }
    assert_eq!(selected(&bench), "shop-c19");
    assert_eq!(hidden(&bench), 980);
}

#[test]
fn marks_ranges_and_inversion() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Space j v j j v");
    let marked = |bench: &Bench| bench.app.list.marks.count();
    assert_eq!(marked(&bench), 4);
    bench.keys("!");
    assert_eq!(marked(&bench), 10);
    bench.keys("Esc");
    assert_eq!(marked(&bench), 0);
    bench.keys("*");
    assert_eq!(marked(&bench), 14);
}

/// T4: the order of next-waiting
#[test]
fn next_waiting_goes_through_all_sections_the_longest_waiting_first() {
    let mut bench = Bench::new(120, 40);
    bench.keys("w");
    assert_eq!(bench.app.section, Some(callboard::domain::rail::SectionKey::conversations()));
    bench.answer_page(page(vec![session("chat-2", "Notes", "claude", Status::NeedsInput, 1)]));
    assert_eq!(selected(&bench), "chat-2");
    bench.keys("w");
    bench.answer_page(page(shop()));
    assert_eq!(selected(&bench), "shop-9", "review comes after respond");
    bench.keys("w");
    assert_eq!(selected(&bench), "shop-14", "then the longest waiting of respond again");
    bench.keys("W");
    assert_eq!(selected(&bench), "shop-9");
}

/// Z6: folders on view are looked at again where an agent worked since; time alone is no reason.
#[test]
fn folders_on_view_are_looked_at_again_where_an_agent_worked_z6() {
    let mut bench = Bench::new(120, 40);
    let looked =
        |bench: &mut Bench| bench.take().iter().any(|effect| matches!(effect, Effect::LoadWork(_)));
    bench.tick(1_000);
    looked(&mut bench);
    bench.tick(3_600_000);
    assert!(!looked(&mut bench), "nobody worked");
    let now = bench.now;
    bench.app.list.change(|rows| {
        let row = rows.iter_mut().find(|row| row.worktree().is_some()).unwrap();
        row.condition.last_activity_at = Some(now);
    });
    bench.tick(1_000);
    assert!(looked(&mut bench));
    bench.tick(1_000);
    assert!(!looked(&mut bench), "once");
}

#[test]
fn finding_narrows_as_typed_enter_keeps_and_esc_clears() {
    let mut bench = Bench::new(120, 40);
    bench.keys("/");
    bench.text("status:idle up");
    let query = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::LoadPage { query, .. } => Some(query.clone()),
        _ => None,
    });
    let filter = query.unwrap().filter;
    assert_eq!(filter.statuses, [Status::Idle]);
    assert_eq!(filter.text.as_deref(), Some("up"));
    let found = shop().into_iter().filter(|s| s.id == id("shop-7")).collect();
    bench.answer_page(page(found));
    bench.keys("Enter");
    assert!(bench.screen().contains("shop ∙ 1 of 14"), "{}", bench.screen());
    bench.keys("Esc");
    assert!(bench.app.list.find.is_empty());
    assert!(matches!(bench.take().last(), Some(Effect::LoadWork(_) | Effect::LoadPage { .. })));
}

/// What left the filter stays while it is selected; what was deleted does not.
#[test]
fn the_only_match_goes_when_it_is_deleted() {
    let mut bench = Bench::new(120, 40);
    bench.keys("/");
    bench.text("upgrade");
    let found = shop().into_iter().filter(|s| s.id == id("shop-7")).collect();
    bench.answer_page(page(found));
    bench.keys("Enter");
    bench.take();
    // The store tells of it before the job ends.
    bench.wait(5_000);
    bench.send(Event::Changed);
    bench.answer_page(page(Vec::new()));
    assert!(bench.app.list.current().is_some(), "it left the filter");
    let report =
        DeleteReport { removed_session_ids: vec![id("shop-7")], ..DeleteReport::default() };
    bench.send(Event::Ended(Outcome::Deleted(report)));
    bench.wait(5_000);
    bench.answer_page(page(Vec::new()));
    assert_eq!((bench.app.list.selected.clone(), bench.app.list.rows().len()), (None, 0));
    assert!(!bench.screen().contains("Upgrade dependencies"), "{}", bench.screen());
}

#[test]
fn tabs_ask_for_what_they_show() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Tab l l l");
    assert_eq!(bench.app.tab, Tab::Messages);
    let asked = Effect::LoadTab { id: id("shop-12"), tab: Tab::Messages };
    assert_eq!(bench.take().iter().filter(|effect| **effect == asked).count(), 1);
    bench.keys("Esc");
    assert_eq!(bench.app.focus, Focus::List);
}

/// `spec/agents.md` G8: what every witness says, with age, rule and text; what contradicts is not hidden.
#[test]
fn details_tell_what_every_witness_says_g8() {
    let mut bench = Bench::new(200, 60);
    bench.keys("i");
    assert_eq!(bench.app.tab, Tab::Details);
    let asked = Effect::LoadTab { id: id("shop-12"), tab: Tab::Details };
    assert_eq!(bench.take().iter().filter(|effect| **effect == asked).count(), 1);
    let report = |witness: &str, says, rule: Option<&str>, text: Option<&str>| WitnessReport {
        witness: witness.to_owned(),
        says,
        since: Some(bench.app.now),
        rule: rule.map(str::to_owned),
        text: text.map(str::to_owned),
    };
    let reports = vec![
        report("osc7501", None, None, None),
        report(
            "screen",
            Some(Activity::Retrying),
            Some("retrying"),
            Some("retrying in 1s\u{1b}[m"),
        ),
    ];
    let content = TabContent::Witnesses(reports);
    bench.send(Event::Tab { id: id("shop-12"), content });
    let screen = bench.screen();
    for shown in ["osc7501", "silent", "retrying, says something else", "rule retrying"] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert!(!screen.contains('\u{1b}'));
}

#[test]
fn a_long_list_is_read_in_windows() {
    let mut bench = Bench::new(120, 40);
    let many = |from: usize| {
        let rows = (from..from + 200)
            .map(|n| session(&format!("shop-{n}"), "Many", "claude", Status::Idle, 5))
            .collect();
        callboard::domain::query::Page { sessions: rows, total: 1_000, ..Default::default() }
    };
    bench.tick(2_000);
    bench.send(Event::Changed);
    bench.answer_page(many(0));
    bench.take();
    bench.keys("G");
    let offset = bench.effects.iter().find_map(|effect| match effect {
        Effect::LoadPage { query, .. } => Some(query.offset),
        _ => None,
    });
    assert_eq!(offset, Some(800));
    bench.answer_page(many(800));
    assert_eq!(selected(&bench), "shop-999");
    assert!(bench.screen().contains("1000 of 1000"), "{}", bench.screen());
    bench.take();
    bench.keys("PgUp PgUp PgUp PgUp PgUp PgUp");
    assert!(bench.effects.iter().any(|effect| matches!(effect, Effect::LoadPage { .. })));
    let before = selected(&bench);
    let offset = bench.app.list.offset - 100;
    let wanted = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::LoadPage { query, .. } => Some(query.offset),
        _ => None,
    });
    bench.answer_page(many(wanted.unwrap_or(offset)));
    assert_eq!(selected(&bench), before, "the selection stays while the window moves");
}

#[test]
fn nothing_wrong_is_said_while_a_page_is_on_its_way() {
    let mut bench = Bench::new(80, 24);
    bench.keys("4");
    bench.answer_page(page(vec![]));
    assert!(bench.screen().contains("No sessions here."), "{}", bench.screen());
    let mut more = board();
    more.sections[3].total = 2;
    bench.send(Event::Board(Box::new(more)));
    assert!(!bench.screen().contains("No sessions here."), "{}", bench.screen());
}
