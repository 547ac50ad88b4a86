//! Saved filters: kept under a name, shown among the sections (`spec/console.md`).

use callboard::domain::query::{Filter, Page};
use callboard::domain::rail::{FilterCount, SavedFilter, SectionKey};
use callboard::domain::status::Status;
use callboard::tui::app::overlay::Overlay;
use callboard::tui::app::{Focus, View};
use callboard::tui::event::{Board, Effect, Event, Outcome};

use crate::fixture::{Bench, board, id, page, project_key, selected, session, shop};

fn saved(name: &str, section: Option<SectionKey>, words: &str) -> SavedFilter {
    SavedFilter { name: name.to_owned(), section, words: words.to_owned() }
}

fn with(filters: Vec<SavedFilter>) -> Event {
    Event::Board(Box::new(Board { filters, ..board() }))
}

fn both() -> Vec<SavedFilter> {
    vec![
        saved("left alone", None, "status:idle age:>7d"),
        saved("mine", Some(project_key("shop")), "agent:claude"),
    ]
}

/// The dashboard with two saved filters that were counted.
fn bench(cols: u16, rows: u16) -> Bench {
    let mut bench = Bench::new(cols, rows);
    bench.send(with(both()));
    let counts = [("left alone", 31, 0), ("mine", 8, 2)]
        .map(|(name, total, attention)| (name.to_owned(), FilterCount { total, attention }));
    bench.send(Event::FilterCounts(counts.to_vec()));
    bench.take();
    bench
}

fn asked(bench: &Bench) -> Filter {
    let asked = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::LoadPage { query, .. } => Some(query.filter.clone()),
        _ => None,
    });
    asked.expect("a page")
}

fn stale() -> Page {
    let rows = [("api-4", "Rate limits", 11_000), ("shop-2", "Search on names", 15_000)];
    page(rows.map(|(id, title, age)| session(id, title, "claude", Status::Idle, age)).to_vec())
}

#[test]
fn a_filter_in_force_is_saved_under_a_name_and_shown() {
    let mut bench = Bench::new(120, 40);
    bench.keys("F");
    assert!(bench.app.overlays.is_empty(), "there is none in force");
    bench.keys("/");
    bench.text("agent:claude");
    bench.answer_page(page(shop()));
    bench.keys("Enter F");
    bench.text("mine");
    insta::assert_snapshot!("filter_save_120x40", bench.screen());
    bench.take();
    bench.keys("Enter");
    let filter = saved("mine", Some(project_key("shop")), "agent:claude");
    assert!(bench.take().contains(&Effect::SaveFilter(filter.clone())));
    bench.send(Event::Ended(Outcome::FilterSaved("mine".to_owned())));
    assert!(bench.take().contains(&Effect::LoadBoard));
    bench.send(with(vec![filter]));
    assert_eq!(bench.app.filter.as_deref(), Some("mine"));
    assert!(bench.app.list.find.is_empty(), "its words are the filter's now");
    assert_eq!(asked(&bench).agents, ["claude"]);
}

#[test]
fn words_that_are_not_understood_are_no_filter() {
    let mut bench = Bench::new(120, 40);
    bench.keys("/");
    bench.text("status:needs");
    bench.keys("Enter F");
    assert_eq!(bench.app.overlays, []);
}

#[test]
fn it_looks_in_all_sections_where_that_is_chosen() {
    let mut bench = Bench::new(80, 24);
    bench.keys("/");
    bench.text("status:idle");
    bench.keys("Enter F");
    bench.text("idle");
    bench.keys("C-f");
    assert!(bench.screen().contains("in all sections"), "{}", bench.screen());
    bench.keys("C-f C-f");
    insta::assert_snapshot!("filter_save_80x24", bench.screen());
    bench.keys("Enter");
    assert!(bench.take().contains(&Effect::SaveFilter(saved("idle", None, "status:idle"))));
}

#[test]
fn saved_filters_are_lines_of_the_rail_with_their_counts() {
    for (cols, rows) in [(80, 24), (120, 40)] {
        let mut bench = bench(cols, rows);
        bench.keys("8");
        bench.answer_page(stale());
        insta::assert_snapshot!(format!("filter_{cols}x{rows}"), bench.screen());
    }
}

/// They stay on view above the trash, however many sections there are.
#[test]
fn they_are_on_view_below_many_sections() {
    let mut bench = bench(80, 24);
    let mut sections = board().sections;
    let chats = sections.pop().unwrap();
    for n in 0..200 {
        let key = project_key(&format!("more-{n}"));
        let name = format!("more-{n}");
        sections.push(callboard::domain::rail::Section { key, name, ..sections[2].clone() });
    }
    sections.push(chats);
    bench.send(Event::Board(Box::new(Board { sections, filters: both(), ..board() })));
    for keys in ["h", "G k", "k", "k"] {
        bench.keys(keys);
        let screen = bench.screen();
        assert!(screen.contains("/left alone") && screen.contains("/mine"), "{screen}");
        assert!(screen.contains("Trash"), "{screen}");
    }
    assert!(bench.screen().contains("▐Chats"), "{}", bench.screen());
}

#[test]
fn they_are_opened_as_sections_are() {
    let mut bench = bench(120, 40);
    bench.keys("9");
    assert_eq!((bench.app.filter.as_deref(), bench.app.focus), (Some("mine"), Focus::List));
    let filter = asked(&bench);
    assert_eq!(
        (filter.section, filter.agents),
        (Some(project_key("shop")), vec!["claude".to_owned()])
    );
    bench.keys("Tab Tab k");
    assert_eq!((bench.app.filter.as_deref(), bench.app.focus), (Some("left alone"), Focus::Rail));
    assert_eq!(asked(&bench).section, None);
    bench.keys("k");
    assert_eq!(
        (bench.app.filter.clone(), bench.app.section.clone()),
        (None, Some(SectionKey::conversations()))
    );
    bench.keys("j j j");
    assert_eq!(bench.app.view, View::Trash);
    bench.keys("k");
    assert_eq!((bench.app.view, bench.app.filter.as_deref()), (View::Sessions, Some("mine")));
}

#[test]
fn more_words_narrow_it_further_and_esc_takes_only_those_away() {
    let mut bench = bench(120, 40);
    bench.keys("8");
    bench.answer_page(stale());
    bench.keys("/");
    bench.text("rate");
    let filter = asked(&bench);
    assert_eq!((filter.statuses, filter.text.as_deref()), (vec![Status::Idle], Some("rate")));
    bench.answer_page(page(stale().sessions[..1].to_vec()));
    bench.keys("Enter");
    assert!(bench.screen().contains("left alone ∙ 1 of 31"), "{}", bench.screen());
    bench.keys("Esc");
    assert_eq!(asked(&bench).text, None);
    bench.answer_page(stale());
    assert_eq!(bench.app.filter.as_deref(), Some("left alone"));
    bench.take();
    bench.keys("Esc");
    assert!(
        !bench.take().iter().any(|effect| matches!(effect, Effect::LoadPage { .. })),
        "nothing to clear"
    );
}

/// D5: what is marked by a saved filter is deleted under its status and age words.
#[test]
fn everything_that_it_matches_is_marked_d5() {
    let mut bench = bench(120, 40);
    bench.keys("8");
    bench.answer_page(Page { total: 31, ..stale() });
    bench.keys("*");
    assert!(bench.screen().contains("31 marked"), "{}", bench.screen());
    bench.take();
    bench.keys("d");
    let filter = asked(&bench);
    assert_eq!(
        (filter.section.as_ref(), filter.statuses.as_slice()),
        (None, [Status::Idle].as_slice())
    );
    bench.answer_page(stale());
    let planned = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Plan { request, .. } => Some(request),
        _ => None,
    });
    let Some(callboard::tui::app::plan::PlanRequest::Delete(request)) = planned else { panic!() };
    assert_eq!(request.ids, [id("api-4"), id("shop-2")].into());
    assert_eq!(request.conditions.statuses, [Status::Idle]);
    assert_eq!(request.conditions.older_than.map(|age| age.as_secs()), Some(604_800));
}

#[test]
fn it_is_renamed_and_removed_in_the_rail() {
    let mut bench = bench(120, 40);
    bench.keys("h e");
    assert!(bench.app.overlays.is_empty(), "a section has no other name");
    bench.keys("l 8 h e");
    bench.text("!");
    bench.keys("Enter");
    let rename =
        Effect::RenameFilter { from: "left alone".to_owned(), to: "left alone!".to_owned() };
    assert!(bench.take().contains(&rename));
    bench.keys("d");
    assert!(matches!(bench.app.overlays.last(), Some(Overlay::Confirm(_))));
    bench.keys("Tab Enter");
    assert!(bench.take().contains(&Effect::RemoveFilter("left alone".to_owned())));
    // It is gone: the section before it is shown again.
    bench.send(with(vec![both()[1].clone()]));
    assert_eq!(
        (bench.app.filter.as_deref(), asked(&bench).section),
        (None, Some(project_key("shop")))
    );
}

#[test]
fn a_filter_that_another_console_changes_is_read_again() {
    let mut bench = bench(120, 40);
    bench.keys("8");
    bench.answer_page(stale());
    bench.take();
    bench.send(with(vec![saved("left alone", None, "status:done"), both()[1].clone()]));
    assert_eq!(asked(&bench).statuses, [Status::Done]);
}

/// P3: they are counted beside everything else, each by its own words.
#[test]
fn they_are_counted_after_the_board_was_read_p3() {
    let mut bench = Bench::new(120, 40);
    bench.send(with(both()));
    let counted = bench.take().into_iter().find_map(|effect| match effect {
        Effect::CountFilters(filters) => Some(filters),
        _ => None,
    });
    let counted = counted.expect("a count");
    assert_eq!(counted[0].1.statuses, [Status::Idle]);
    assert_eq!(counted[1].1.section, Some(project_key("shop")));
    assert!(bench.screen().contains("/mine"), "{}", bench.screen());
}

#[test]
fn whoever_waits_is_shown_where_the_filter_has_it() {
    let mut bench = bench(120, 40);
    bench.keys("9");
    bench.answer_page(page(shop()));
    bench.keys("G w");
    assert_eq!((selected(&bench).as_str(), bench.app.filter.as_deref()), ("shop-14", Some("mine")));
}
