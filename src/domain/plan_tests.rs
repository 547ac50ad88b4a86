use super::*;

const NOW: Timestamp = Timestamp(1_000_000_000);
const DAY: Duration = Duration::from_hours(24);

fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

fn ids(names: &[&str]) -> BTreeSet<SessionId> {
    names.iter().map(|name| id(name)).collect()
}

fn shop() -> SectionKey {
    SectionKey::parse("project:/src/shop").unwrap()
}

fn row(name: &str, parent: Option<&str>) -> PlanRow {
    PlanRow {
        id: id(name),
        parent: parent.map(id),
        title: name.to_owned(),
        agent: "claude".to_owned(),
        status: Status::Idle,
        section: shop(),
        pinned: false,
        live: true,
        last_activity_at: NOW,
        open_pr: None,
    }
}

/// A tree `a` over `b` and `c`, `c` over `d`; and `e` alone. `d` is pinned, `b` works, `e` is old.
fn rows() -> Vec<PlanRow> {
    let pinned = SectionKey::pinned();
    vec![
        row("e", None),
        PlanRow { pinned: true, section: pinned, ..row("d", Some("c")) },
        row("c", Some("a")),
        PlanRow { status: Status::Working, ..row("b", Some("a")) },
        row("a", None),
    ]
    .into_iter()
    .map(|row| match row.id.as_str() {
        "e" => PlanRow { last_activity_at: NOW.minus(DAY), ..row },
        _ => row,
    })
    .collect()
}

fn planned(requested: &[&str], conditions: &Conditions) -> Plan {
    plan(&ids(requested), rows(), Vec::new(), conditions, &ids(&[]), NOW)
}

/// Items as `id<puller`, skipped ones as `id: reason`.
fn told(plan: &Plan) -> (Vec<String>, Vec<String>) {
    let items = plan.items.iter().map(|item| match &item.pulled_in_by {
        Some(puller) => format!("{}<{puller}", item.row.id),
        None => item.row.id.to_string(),
    });
    let skipped = plan.skipped.iter().map(|skip| format!("{}: {}", skip.id, skip.reason));
    (items.collect(), skipped.collect())
}

/// D1, D2: requested sessions and all their descendants, sorted, each once.
#[test]
fn the_plan_is_the_sorted_closure_and_says_who_pulled_in_whom_d2() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&["e"], &["e"]),
        (&["a"], &["a", "b<a", "c<a", "d<a"]),
        (&["c", "e"], &["c", "d<c", "e"]),
        (&["d", "a"], &["a", "b<a", "c<a", "d"]),
        (&["c", "a"], &["a", "b<a", "c", "d<a"]),
        (&[], &[]),
    ];
    for (requested, expected) in cases {
        let plan = planned(requested, &Conditions::default());
        let (items, skipped) = told(&plan);
        assert_eq!(items, expected, "{requested:?}");
        assert!(skipped.is_empty(), "{skipped:?}");
        assert_eq!(plan.is_empty(), requested.is_empty());
        assert!(plan.ids().is_sorted());
    }
}

/// What is tried, conditions, requested, planned, skipped.
type Case<'c> = (&'c str, Conditions, &'c [&'c str], &'c [&'c str], &'c [&'c str]);

/// D5: conditions test the requested; descendants follow; a pinned one skips what pulls it in.
#[test]
fn conditions_test_the_requested_and_descendants_follow_d5() {
    let section = |key| Conditions { section: Some(key), ..Conditions::default() };
    let idle = Conditions { statuses: vec![Status::Idle], ..Conditions::default() };
    let old = Conditions { older_than: Some(DAY), ..Conditions::default() };
    let unpinned = Conditions { exclude_pinned: true, ..Conditions::default() };
    let cases: [Case<'_>; 7] = [
        ("no child is tested", idle.clone(), &["a"], &["a", "b<a", "c<a", "d<a"], &[]),
        ("status", idle, &["b", "e"], &["e"], &["b: other_status"]),
        ("section", section(shop()), &["c", "d"], &["c", "d<c"], &[]),
        (
            "other section",
            section(SectionKey::pinned()),
            &["a", "d"],
            &["d"],
            &["a: other_section"],
        ),
        ("age", old, &["a", "e"], &["e"], &["a: too_young"]),
        ("pinned", unpinned.clone(), &["d", "e"], &["e"], &["d: pinned"]),
        (
            "a pinned descendant keeps those above it",
            unpinned,
            &["a", "b", "c"],
            &["b"],
            &["a: pinned_descendant: d", "c: pinned_descendant: d"],
        ),
    ];
    for (what, conditions, requested, expected, skipped) in cases {
        let (items, left) = told(&planned(requested, &conditions));
        assert_eq!(items, expected, "{what}");
        assert_eq!(left, skipped, "{what}");
    }
}

/// D5: closing changes status and last activity, so these are not tested again on what was closed for
/// the plan; everything else is.
#[test]
fn what_was_closed_for_the_plan_need_not_be_as_it_was() {
    let conditions = Conditions {
        statuses: vec![Status::Stuck],
        older_than: Some(DAY),
        exclude_pinned: true,
        ..Conditions::default()
    };
    let requested = ids(&["b", "d", "e"]);
    let closed = ids(&["b", "d"]);
    let (items, skipped) = told(&plan(&requested, rows(), Vec::new(), &conditions, &closed, NOW));
    assert_eq!(items, ["b"]);
    assert_eq!(skipped, ["d: pinned", "e: other_status"]);
}

/// D8: what never existed and what is in the trash are named apart.
#[test]
fn what_does_not_exist_is_named_d8() {
    let missing = |name: &str, reason| Skipped { id: id(name), reason };
    let gone = vec![missing("z", SkipReason::NotFound), missing("f", SkipReason::InTrash)];
    let requested = ids(&["e", "f", "z"]);
    let plan = plan(&requested, rows(), gone, &Conditions::default(), &ids(&[]), NOW);
    let (items, skipped) = told(&plan);
    assert_eq!(items, ["e"]);
    assert_eq!(skipped, ["f: in_trash", "z: not_found"]);
}

#[test]
fn a_row_that_satisfies_nothing_is_not_planned_by_itself() {
    let conditions = Conditions { statuses: vec![Status::Stuck], ..Conditions::default() };
    assert!(!conditions.is_empty());
    assert!(Conditions::default().is_empty());
    assert!(planned(&["a", "e"], &conditions).is_empty());
}
