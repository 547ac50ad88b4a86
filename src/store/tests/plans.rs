//! What SQLite makes of the statements that a dashboard asks all the time: no table is read from end
//! to end, and nothing is sorted aside.

use rusqlite::params_from_iter;

use crate::domain::query::Order;

use super::super::{
    Outcome, Scope, condition, facts, first, lifecycle, projects, rail, sessions, shown, trash,
};
use super::Fixture;

/// The steps of a statement's plan.
pub(in super::super) fn steps(scope: &Scope<'_>, sql: &str) -> Outcome<Vec<String>> {
    let mut statement = scope.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let none = vec![0; statement.parameter_count()];
    let steps = statement.query_map(params_from_iter(none), |row| row.get::<_, String>(3))?;
    steps.collect::<rusqlite::Result<_>>().map_err(Into::into)
}

/// What in a plan grows with the number of sessions. Lists of parameters, what a recursion has found
/// so far, and the index of what waits to be folded are read whole, of course.
pub(in super::super) fn costly(steps: &[String]) -> Vec<&String> {
    const SHORT: [&str; 8] =
        ["json_each", "closure", "tree", "up", "down", "t", "(subquery", "CONSTANT"];
    let scans = |step: &&String| {
        let source = step.strip_prefix("SCAN ").and_then(|rest| rest.split([' ', '-']).next());
        source.is_some_and(|source| !SHORT.contains(&source)) && !step.contains("facts_pending")
    };
    steps.iter().filter(|step| scans(step) || step.contains("TEMP B-TREE")).collect()
}

/// P1 to P4, W5: rail, first pages, counts, due rows, children and trash come from their indexes
#[tokio::test]
async fn nothing_is_scanned_and_nothing_is_sorted_aside_p3_w5() {
    let fixture = Fixture::new();
    let of = |condition| sessions::sql(condition);
    let text = str::to_owned;
    let cases: Vec<(&str, String, &[&str])> = vec![
        ("rail", text(rail::SECTIONS), &["sections_1 (workspace=?)"]),
        ("counts", text(rail::AWAKE), &["COVERING INDEX sessions_awake (workspace=?)"]),
        ("first pages", first::sql(Order::Recent), &["INDEX sessions_recent", "sessions_pinned "]),
        ("by zone", first::sql(Order::Zone), &["INDEX sessions_zone", "sessions_pinned_zone"]),
        ("trash count", text(trash::COUNT), &["INDEX sessions_trash (workspace=?)"]),
        ("last batch", text(trash::NEWEST), &["INDEX sessions_trash (workspace=?)"]),
        ("component", text(trash::COMPONENT), &["sessions_children (workspace=? AND parent=?)"]),
        ("closure", text(trash::CLOSURE), &["sessions_children (workspace=? AND parent=?)"]),
        ("trees", text(shown::TREES), &["sessions_children (workspace=? AND parent=?)"]),
        ("below a head", text(condition::BELOW), &["sessions_below (workspace=? AND head=?)"]),
        ("due ids", text(lifecycle::DUE), &["sessions_due (workspace=? AND due_at<?)"]),
        ("due rows", of(sessions::DUE), &["sessions_due (workspace=? AND due_at<?)"]),
        ("pending", text(lifecycle::PENDING), &["INDEX facts_pending"]),
        ("to fold", text(facts::PENDING), &["INDEX facts_pending"]),
        ("live rows", of(sessions::LIVE), &["sessions_live (workspace=?)"]),
        ("live count", text(sessions::LIVE_COUNT), &["sessions_live (workspace=?)"]),
        ("one row", of(sessions::WITH_ID), &["sessions_id (workspace=? AND id=?)"]),
        ("rows", of(sessions::WITH_IDS), &["sessions_id (workspace=? AND id=?)"]),
        ("batch", of(sessions::OF_BATCH), &["sessions_batch (workspace=? AND batch=?)"]),
        ("by number", of(sessions::WITH_NUMBER), &["INTEGER PRIMARY KEY (rowid=?)"]),
    ];
    for (name, sql, indexes) in cases {
        let steps = fixture.look(move |scope| steps(scope, &sql)).await;
        let plan = steps.join("\n");
        for index in indexes {
            assert!(plan.contains(index), "{name} does not use {index}:\n{plan}");
        }
        let mut costly = costly(&steps);
        if plan.contains("RECURSIVE STEP") {
            // A tree that was found is put in order: it is as long as the answer.
            costly.retain(|step| step.starts_with("SCAN"));
        }
        assert!(costly.is_empty(), "{name}: {costly:?}\n{plan}");
    }
}

/// P1: projects are read by their index; the few are sorted
#[tokio::test]
async fn projects_are_not_scanned_p1() {
    let fixture = Fixture::new();
    let steps = fixture.look(|scope| steps(scope, projects::PROJECTS)).await;
    let costly = costly(&steps);
    assert_eq!(costly, ["USE TEMP B-TREE FOR ORDER BY"], "{steps:?}");
}
