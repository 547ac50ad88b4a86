//! What holds at every size: nothing panics, columns stay where they are, states differ without
//! colour.

use std::sync::OnceLock;

use callboard::domain::status::Status;
use callboard::tui::action::Action;
use callboard::tui::event::{Effect, Event, Failure};
use callboard::tui::theme::{Role, Theme};
use proptest::prelude::*;
use ratatui::style::Style;

use crate::fixture::{Bench, minutes_ago, page, session, shop, trash};

/// Key sequences that lead to every view and every layer.
const WAYS: [&str; 19] = [
    "j", "S-Tab", "Enter", "Z", "j j i", "t", "J", "d", "n", "m", ":", "?", "a", "/", "q", "X",
    "T", "T Enter", "Y",
];

fn bench(way: usize) -> Bench {
    static MADE: OnceLock<Vec<callboard::tui::app::App>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        WAYS.iter()
            .map(|keys| {
                let mut bench = Bench::new(120, 40).with_job();
                bench.keys(keys);
                if *keys == "t" {
                    bench.answer_page(page(trash()));
                }
                if let Some(Effect::Plan { ticket, .. }) = bench.take().last() {
                    bench.send(Event::Planning { ticket: *ticket, done: 1, total: 2 });
                }
                let failure = Failure { message: "x ".repeat(200), hint: None };
                bench.send(Event::Trouble(failure));
                bench.app
            })
            .collect()
    });
    let mut bench = Bench::blank(120, 40);
    bench.app = made[way].clone();
    bench
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn no_size_panics(way in 0..WAYS.len(), cols in 1_u16..300, rows in 1_u16..100) {
        let mut bench = bench(way);
        bench.send(Event::Resize { cols, rows });
        let screen = bench.screen();
        prop_assert_eq!(screen.lines().count(), usize::from(rows));
        bench.keys("j");
    }

    #[test]
    fn no_keys_panic(
        way in 0..WAYS.len(),
        cols in 1_u16..200,
        rows in 1_u16..60,
        keys in prop::collection::vec("[a-zA-Z0-9*!/:?]|Enter|Esc|Tab|Space|Up|Down|Left|Right|S-Tab|PgDn|C-s", 0..40),
    ) {
        let mut bench = bench(way);
        bench.send(Event::Resize { cols, rows });
        for key in keys {
            bench.keys(&key);
            bench.screen();
        }
    }

    #[test]
    fn counts_and_ages_move_nothing(cols in 60_u16..300, minutes in 0_u64..4_000_000, n in 0_u64..99) {
        let mut bench = bench(0);
        bench.send(Event::Resize { cols, rows: 40 });
        bench.app.toasts.dismiss();
        let before = places(&bench);
        bench.app.list.change(|rows| {
            for row in rows {
                row.condition.status_since = minutes_ago(minutes);
                row.condition.last_activity_at = Some(minutes_ago(minutes));
            }
        });
        for section in &mut bench.app.board.sections {
            section.total = n;
            section.zones.0 = [n.min(3), 0, 1, 0, 2, 5];
        }
        prop_assert_eq!(before, places(&bench));
    }
}

/// Where words stand that are beside numbers.
fn places(bench: &Bench) -> Vec<Option<usize>> {
    let screen = bench.screen();
    let words = ["«", "»", "◦", "Pinned", "mobile", "shop-14", "stuck", "in review", "├"];
    words
        .iter()
        .map(|word| {
            screen.lines().find_map(|line| line.find(word).map(|at| line[..at].chars().count()))
        })
        .collect()
}

#[test]
fn rows_differ_without_colour_in_sign_or_type() {
    let mut bench = Bench::new(80, 24);
    bench.app.setup.theme = Theme::mono();
    let statuses = [
        Status::NeedsInput,
        Status::Stuck,
        Status::Errored,
        Status::Detecting,
        Status::CiFailed,
        Status::Approved,
        Status::PrOpen,
        Status::Working,
        Status::Spawning,
        Status::Idle,
        Status::Merged,
        Status::Killed,
    ];
    let rows: Vec<_> = statuses
        .iter()
        .map(|status| session("shop-1", "Same title", "claude", *status, 1))
        .collect();
    bench.app.list.change(|shown| *shown = rows);
    let buffer = bench.buffer();
    let mut seen: Vec<Vec<(String, Style)>> = Vec::new();
    for y in 2..2 + statuses.len() as u16 {
        // The sign alone tells the states apart.
        let row = (19..23).map(|x| (buffer[(x, y)].symbol().to_owned(), buffer[(x, y)].style()));
        seen.push(row.collect());
    }
    for (at, row) in seen.iter().enumerate() {
        assert!(!seen[at + 1..].contains(row), "{:?}", statuses[at]);
    }
}

/// One letter for the role that a cell's colour belongs to.
#[test]
fn every_cell_has_the_role_of_the_drawings() {
    let mut bench = Bench::new(80, 24).with_job();
    bench.keys("j j j j j j j j Space Space g g");
    let letters = "tmbadrvgpwVAKkTMBSnFx";
    let theme = &bench.app.setup.theme;
    let buffer = bench.buffer();
    let mut map = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let fits = |role: &Role| theme.style(*role).fg == Some(cell.fg);
            let letter = match Role::ALL.iter().position(fits) {
                _ if cell.symbol() == " " => ' ',
                Some(at) => letters.chars().nth(at).unwrap_or('?'),
                None => '.',
            };
            line.push(letter);
        }
        map.push_str(line.trim_end());
        map.push('\n');
    }
    insta::assert_snapshot!(map);
}

#[test]
fn every_key_of_the_bottom_line_acts() {
    let bench = Bench::new(200, 60);
    assert!(bench.app.is_legal(Action::Open) && bench.app.is_legal(Action::AnswerYes));
    let quiet = shop().into_iter().filter(|s| s.condition.status == Status::Killed).collect();
    let mut bench = Bench::blank(200, 60);
    bench.send(Event::Changed);
    bench.send(Event::Board(Box::new(crate::fixture::board())));
    bench.answer_page(page(quiet));
    let screen = bench.screen();
    let last = screen.lines().last().unwrap_or("");
    assert!(!last.contains("y yes") && !last.contains("Enter open"), "{last}");
    assert!(last.contains("r launch") && last.contains("? help"), "{last}");
}
