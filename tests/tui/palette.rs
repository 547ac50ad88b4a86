//! The palette: every action by name, ranked.

use std::collections::BTreeSet;

use callboard::domain::query::Order;
use callboard::tui::action::{Action, ActionSpec, Context};
use callboard::tui::app::overlay::Overlay;

use crate::fixture::Bench;

#[test]
fn the_palette_runs_what_matches() {
    let mut bench = Bench::new(120, 40);
    bench.keys(":");
    bench.text("chorder");
    bench.keys("Enter");
    assert_eq!(bench.app.order, Order::Recent);
    assert!(bench.app.overlays.is_empty());
}

fn palette(bench: &Bench) -> Vec<(Action, String)> {
    match bench.app.overlays.last() {
        Some(Overlay::Palette(palette)) => {
            palette.matches.iter().map(|found| (found.action, found.title.clone())).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// `spec/look.md`: every action is there, each once and under a name of its own; one that is not legal says why.
#[test]
fn the_palette_has_every_action_once() {
    let mut bench = Bench::new(120, 40);
    bench.keys(":");
    let listed = palette(&bench);
    let actions: BTreeSet<Action> = listed.iter().map(|(action, _)| *action).collect();
    let all: BTreeSet<Action> = ActionSpec::all().map(|spec| spec.action).collect();
    assert_eq!(all.difference(&actions).copied().collect::<Vec<_>>(), [Action::Palette]);
    let titles: BTreeSet<&String> = listed.iter().map(|(_, title)| title).collect();
    assert_eq!(titles.len(), listed.len(), "rows that look the same");
    assert!(listed.contains(&(Action::Section(3), "Go to section 3, api".to_owned())));
    let contexts = bench.app.contexts();
    assert_eq!(contexts, [Context::Text]);
    bench.text("delete");
    assert!(bench.screen().contains("Delete"), "{}", bench.screen());
    bench.keys("Esc t :");
    bench.text("delete");
    assert!(
        bench.screen().lines().any(|line| line.contains("Delete") && line.contains("not here"))
    );
}

/// The beginning of a title comes before beginnings of words, those before letters inside of words.
#[test]
fn the_palette_ranks_what_matches() {
    let mut bench = Bench::new(120, 40);
    bench.keys(":");
    bench.text("re");
    let titles: Vec<String> = palette(&bench).into_iter().map(|(_, title)| title).collect();
    let first =
        |part: &str| titles.iter().position(|title| title.to_lowercase().contains(part)).unwrap();
    let begins = titles.iter().take_while(|title| title.starts_with("Re")).count();
    assert!(begins >= 5, "{titles:?}");
    assert!(first("mark a range") > first("open the pull request"), "{titles:?}");
    assert!(first("previous match") > first("open the pull request"), "{titles:?}");
    bench.keys("Esc :");
    bench.text("go sec");
    assert_eq!(palette(&bench)[0].0, Action::Section(1));
    bench.keys("Esc :");
    bench.text("api");
    assert_eq!(palette(&bench)[0].0, Action::Section(3));
}

/// Where nothing is typed, what was run last comes first.
#[test]
fn the_palette_begins_with_what_was_run_last() {
    let mut bench = Bench::new(120, 40);
    for text in ["chorder", "show the keys"] {
        bench.keys(":");
        bench.text(text);
        bench.keys("Enter");
    }
    bench.keys("Esc :");
    let listed: Vec<Action> = palette(&bench).into_iter().map(|(action, _)| action).collect();
    assert_eq!(listed[..2], [Action::Help, Action::Sort]);
    assert_eq!(listed.iter().filter(|action| **action == Action::Sort).count(), 1);
}
