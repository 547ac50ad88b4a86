use crate::domain::rail::{Placement, ProjectSetup};
use crate::domain::status::Zone;

use super::super::tests::{Fixture, id, path, section};
use super::*;

/// The plan of a page's statement, one step a line.
fn plan(scope: &Scope<'_>, query: &PageQuery, after_cursor: bool) -> Outcome<String> {
    let rows = Rows::of(scope, query)?.unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {}", rows.sql(after_cursor));
    let mut statement = scope.conn.prepare(&sql)?;
    let nothing = vec![Value::from(0); statement.parameter_count()];
    let steps = statement.query_map(params_from_iter(nothing), |row| row.get::<_, String>(3))?;
    Ok(steps.collect::<rusqlite::Result<Vec<_>>>()?.join("\n"))
}

#[tokio::test]
async fn pages_come_from_an_index_in_its_order_p4() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.project("api").await;
    fixture.store.remove_project(&"api".parse().unwrap()).await.unwrap();
    let place = |section, project: Option<&str>| Filter {
        section,
        project: project.map(|name| name.parse().unwrap()),
        ..Filter::default()
    };
    let cases = [
        (place(Some(section("shop")), None), false, ["sessions_recent", "sessions_zone"]),
        (place(None, Some("shop")), false, ["sessions_recent", "sessions_zone"]),
        (place(None, None), false, ["sessions_all_recent", "sessions_all_zone"]),
        (
            place(Some(SectionKey::pinned()), None),
            false,
            ["sessions_pinned", "sessions_pinned_zone"],
        ),
        (place(None, None), true, ["sessions_trash", "sessions_trash"]),
    ];
    for (filter, deleted, indexes) in cases {
        for (order, index) in [Order::Recent, Order::Zone].into_iter().zip(indexes) {
            for after_cursor in [false, true] {
                let filter = filter.clone();
                let query = PageQuery { filter, deleted, order, ..PageQuery::default() };
                let shown = format!("{query:?}");
                let plan = fixture.look(move |scope| plan(scope, &query, after_cursor)).await;
                assert!(plan.contains(&format!("INDEX {index} ")), "{shown}\n{plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{shown}\n{plan}");
                assert!(!plan.contains("SCAN s"), "{shown}\n{plan}");
                let key = if order == Order::Zone && !deleted { "head_zone" } else { "" };
                let resumes = plan.contains(&format!("({key}")) && plan.contains(")>(");
                assert!(!after_cursor || resumes, "{shown}\n{plan}");
            }
        }
    }
}

#[tokio::test]
async fn filters_that_few_rows_satisfy_use_their_own_index_p5() {
    let fixture = Fixture::new();
    let cases = [
        (Filter { ids: vec![id("a")], ..Filter::default() }, "sessions_id"),
        (Filter { parent: Some(id("a")), ..Filter::default() }, "sessions_children"),
        (Filter { batch: Some("b".parse().unwrap()), ..Filter::default() }, "sessions_batch"),
        (Filter { attention: true, ..Filter::default() }, "sessions_awake"),
        (Filter { zones: vec![Zone::Respond], ..Filter::default() }, "sessions_awake"),
    ];
    for (filter, index) in cases {
        let query = PageQuery { filter, ..PageQuery::default() };
        let plan = fixture.look(move |scope| plan(scope, &query, false)).await;
        assert!(plan.contains(index), "{plan}");
        assert!(!plan.contains("SCAN s"), "{plan}");
    }
}

/// S4: a row whose placement does not agree is not believed
#[tokio::test]
async fn a_stored_placement_whose_parts_disagree_is_refused_s4() {
    let fixture = Fixture::new();
    let added = fixture.store.add_project(&path("shop"), None, true, ProjectSetup::default()).await;
    assert!(added.is_ok());
    let session = fixture.seed("shop-1", None).await;
    assert_eq!(session.placement, Placement::in_project(path("shop")));
    let connection = super::super::connection::open(&fixture.home.database()).unwrap();
    connection.execute("UPDATE sessions SET placement = 2", []).unwrap();
    let error = fixture.store.session(&id("shop-1")).await.unwrap_err();
    assert!(error.to_string().contains("placement"), "{error}");
}
