//! Snapshots of the views at the sizes of the drawings.

use callboard::domain::operation::{Operation, OperationState, StepResult, Verb};
use callboard::domain::query::Page;
use callboard::tui::event::{Effect, Event, Failure, Outcome};
use callboard::tui::glyph::Glyphs;
use callboard::tui::theme::Theme;

use crate::fixture::{Bench, id, minutes_ago, page, trash};

fn marked(cols: u16, rows: u16) -> Bench {
    let mut bench = Bench::new(cols, rows).with_job();
    bench.keys("j j j j j j j j Space Space g g");
    bench
}

#[test]
fn sessions_at_four_sizes() {
    for (cols, rows) in [(80, 24), (120, 40), (200, 60), (50, 20)] {
        let bench = marked(cols, rows);
        insta::assert_snapshot!(format!("sessions_{cols}x{rows}"), bench.screen());
    }
}

#[test]
fn the_smallest_window_shows_state_id_and_title() {
    insta::assert_snapshot!(Bench::new(20, 5).screen());
}

#[test]
fn ascii_without_colours() {
    let mut bench = marked(80, 24);
    bench.app.setup.glyphs = Glyphs::ASCII;
    bench.app.setup.theme = Theme::mono();
    bench.send(Event::Screen { id: id("shop-12"), cells: None });
    let screen = bench.screen();
    assert!(screen.chars().all(|c| c == '\n' || (' '..='~').contains(&c)), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn the_sections_have_the_focus() {
    let mut bench = Bench::new(120, 40);
    bench.keys("S-Tab");
    insta::assert_snapshot!("rail_120x40", bench.screen());
    bench.app.setup.size = (50, 20);
    insta::assert_snapshot!("rail_50x20", bench.screen());
}

#[test]
fn typing_in_place_and_over_the_whole_window() {
    let mut bench = Bench::new(120, 40);
    bench.keys("Enter");
    insta::assert_snapshot!("typing_120x40", bench.screen());
    bench.send(Event::Resize { cols: 80, rows: 24 });
    insta::assert_snapshot!("typing_80x24", bench.screen());
}

#[test]
fn details_say_why() {
    let mut bench = Bench::new(120, 40);
    bench.keys("j j i");
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn trash_by_batch() {
    let mut bench = Bench::new(120, 40);
    bench.keys("t");
    bench.answer_page(page(trash()));
    bench.keys("j Space");
    insta::assert_snapshot!("trash_120x40", bench.screen());
    bench.send(Event::Resize { cols: 80, rows: 24 });
    insta::assert_snapshot!("trash_80x24", bench.screen());
}

/// R5: the trash says where too many worktrees slow git down.
#[test]
fn a_crowded_trash_is_told_on_its_rule() {
    let mut bench = Bench::new(120, 40);
    bench.keys("t");
    bench.answer_page(page(trash()));
    assert!(bench.take().contains(&Effect::LoadCrowded));
    bench.send(Event::Crowded(Some(("shop".to_owned(), 612))));
    let screen = bench.screen();
    assert!(screen.contains("612 of shop slow its git: purge the oldest"), "{screen}");
}

#[test]
fn jobs_with_their_sessions() {
    let operation = |name: &str, kind, state, ids: &[&str]| Operation {
        id: name.parse().unwrap(),
        kind,
        state,
        step: None,
        started_at: minutes_ago(12),
        ended_at: (state != OperationState::Running).then(|| minutes_ago(11)),
        session_ids: ids.iter().map(|name| id(name)).collect(),
        results: Vec::new(),
        error: None,
        asked: None,
    };
    let mut running = operation(
        "0192-aaaa",
        Verb::Delete,
        OperationState::Running,
        &["shop-4", "shop-3", "api-1"],
    );
    running.results = vec![StepResult {
        id: id("api-1"),
        state: "moved".to_owned(),
        detail: Some("7 dirty kept".to_owned()),
    }];
    let mut bench = Bench::new(120, 40).with_job();
    bench.keys("J");
    bench.send(Event::Operations(vec![
        running,
        operation("0192-bbbb", Verb::Restore, OperationState::Stuck, &["docs-4", "docs-5"]),
        operation("0192-cccc", Verb::Delete, OperationState::Partly, &["api-9", "api-8"]),
        operation("0192-dddd", Verb::Create, OperationState::Done, &["api-33"]),
        operation("0192-eeee", Verb::Delete, OperationState::Cancelled, &["api-5", "api-6"]),
    ]));
    insta::assert_snapshot!(bench.screen());
    bench.send(Event::Resize { cols: 80, rows: 24 });
    insta::assert_snapshot!("jobs_80x24", bench.screen());
    bench.keys("l");
    insta::assert_snapshot!("job_80x24", bench.screen());
}

#[test]
fn an_empty_board() {
    let mut bench = Bench::blank(80, 24);
    bench.send(Event::Board(Box::default()));
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn an_empty_section_and_an_empty_filter() {
    let mut bench = Bench::new(80, 24);
    bench.keys("4");
    bench.answer_page(Page::default());
    assert!(bench.screen().contains("No sessions here. n starts one."), "{}", bench.screen());
    bench.keys("2 /");
    bench.text("zz");
    bench.answer_page(Page::default());
    assert!(bench.screen().contains("Nothing matches. Esc shows all 14."), "{}", bench.screen());
}

#[test]
fn an_error_stays_beside_the_selection() {
    let mut bench = Bench::new(80, 24);
    let failure = Failure {
        message: "its agent (pid 48211) did not end after KILL".to_owned(),
        hint: Some("Nothing was removed. End it, then resume the job.".to_owned()),
    };
    let failed = Outcome::Failed { what: "api-9 was not deleted".to_owned(), failure };
    bench.send(Event::Ended(failed.clone()));
    bench.send(Event::Ended(failed));
    insta::assert_snapshot!("toast_80x24", bench.screen());
    bench.app.setup.theme = Theme::mono();
    insta::assert_snapshot!("toast_mono_80x24", bench.screen());
}

#[test]
fn forms_and_lines_of_text() {
    let mut bench = Bench::new(80, 24);
    bench.keys("n");
    bench.text("Round VAT per line, not per cart, and add a test for the half cent.");
    insta::assert_snapshot!("new_session_80x24", bench.screen());
    bench.keys("Esc m");
    bench.text("Please go on");
    insta::assert_snapshot!("message_80x24", bench.screen());
    bench.keys("Esc A");
    bench.text("~/src/other");
    insta::assert_snapshot!("add_project_80x24", bench.screen());
    bench.keys("Esc a");
    insta::assert_snapshot!("answer_80x24", bench.screen());
}

#[test]
fn find_palette_and_help() {
    let mut bench = Bench::new(80, 24);
    bench.keys("/");
    bench.text("agent:claude stat:x check");
    let found = crate::fixture::shop().into_iter().filter(|s| s.title.contains("heck")).collect();
    bench.answer_page(page(found));
    insta::assert_snapshot!("find_80x24", bench.screen());
    bench.keys("Esc :");
    bench.text("rest");
    insta::assert_snapshot!("palette_80x24", bench.screen());
    bench.keys("Esc ?");
    insta::assert_snapshot!("help_80x24", bench.screen());
    bench.keys("Esc");
    bench.send(Event::Resize { cols: 120, rows: 40 });
    bench.keys("?");
    insta::assert_snapshot!("help_120x40", bench.screen());
}

#[test]
fn a_confirmation_begins_at_cancel() {
    let mut bench = Bench::new(80, 24);
    bench.keys("Space Space x");
    insta::assert_snapshot!(bench.screen());
}
