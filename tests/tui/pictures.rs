//! The pictures of the README: drawn by the views themselves, so that they cannot lag behind.

use std::path::Path;

use callboard::tui::event::{Event, WorkFacts};

use crate::fixture::{Bench, id, page, trash};
use crate::svg::picture;

/// Compares a picture with its file; `CALLBOARD_RENEW=1 cargo test --test tui pictures` writes it.
fn check(name: &str, bench: &Bench, title: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/screens/{name}.svg"));
    let drawn = picture(&bench.buffer(), title);
    if std::env::var_os("CALLBOARD_RENEW").is_some() {
        std::fs::write(&file, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    // The whole of both would fill pages.
    let differs = kept.lines().zip(drawn.lines()).find(|(kept, drawn)| kept != drawn);
    let told = "is old: CALLBOARD_RENEW=1 cargo test --test tui pictures renews it";
    assert!(kept == drawn, "{} {told}: {differs:?}", file.display());
}

#[test]
fn sessions() {
    let mut bench = Bench::new(120, 32).with_job();
    bench.keys("j j j j j j j j Space Space g g");
    check("sessions", &bench, "Sessions of a project, the screen of the one that asks");
}

#[test]
fn plan() {
    let bench = crate::plan::ready(120, 34);
    check("plan", &bench, "The plan of a delete, in groups, before anything is done");
}

#[test]
fn the_wall() {
    let bench = crate::wall::wall(120, 32);
    check("wall", &bench, "The wall: live screens of who waits, and of the marked, side by side");
}

#[test]
fn the_trash() {
    let mut bench = Bench::new(120, 24);
    bench.keys("t");
    bench.answer_page(page(trash()));
    let size = |name: &str, megabytes: u64, dirty, unpushed| {
        let facts =
            WorkFacts { size: Some(megabytes << 20), dirty, unpushed, ..WorkFacts::default() };
        (id(name), facts)
    };
    bench.send(Event::Work(vec![
        size("shop-1", 48, Some(12), None),
        size("shop-8", 9, None, None),
        size("shop-18", 3, None, None),
        size("api-31", 21, None, Some(2)),
        size("docs-4", 3, Some(1), None),
        size("infra-2", 1_230, Some(140), None),
    ]));
    bench.keys("j Space");
    check("trash", &bench, "The trash: what was deleted together, and how long it is kept");
}
