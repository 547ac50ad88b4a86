use crate::domain::rail::{Placement, ProjectSetup};
use crate::domain::status::Zone;

use super::super::tests::plans::{costly, steps};
use super::super::tests::{Fixture, id, path, section};
use super::*;

/// The plan of a page's statement, one step a line.
fn plan(scope: &Scope<'_>, query: &PageQuery, part: Part) -> Outcome<Vec<String>> {
    steps(scope, &Rows::of(scope, query)?.unwrap().sql(part))
}

/// P2, P4: pages of a section, all, the pinned, a project and the trash, in both orders, by cursor
/// and by offset from either end, come from a covering index in its order
#[tokio::test]
async fn pages_come_from_an_index_in_its_order_p4() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    let place = |section, project: Option<&str>| Filter {
        section,
        project: project.map(|name| name.parse().unwrap()),
        ..Filter::default()
    };
    let (pinned, all) = (Some(SectionKey::pinned()), place(None, None));
    let cases = [
        (place(Some(section("shop")), None), false, ["sessions_recent", "sessions_zone"]),
        (place(None, Some("shop")), false, ["sessions_recent", "sessions_zone"]),
        (all.clone(), false, ["sessions_all_recent", "sessions_all_zone"]),
        (place(pinned, None), false, ["sessions_pinned", "sessions_pinned_zone"]),
        (all, true, ["sessions_trash", "sessions_trash"]),
    ];
    for hidden in [false, true] {
        if hidden {
            fixture.project("api").await;
            fixture.store.remove_project(&"api".parse().unwrap()).await.unwrap();
        }
        for (filter, deleted, indexes) in &cases {
            for (order, index) in [Order::Recent, Order::Zone].into_iter().zip(indexes) {
                for part in [Part::FromStart, Part::FromEnd, Part::After] {
                    let (filter, deleted) = (filter.clone(), *deleted);
                    let query = PageQuery { filter, deleted, order, ..PageQuery::default() };
                    let shown = format!("{query:?} {part:?}");
                    let steps = fixture.look(move |scope| plan(scope, &query, part)).await;
                    let plan = steps.join("\n");
                    assert!(plan.contains(&format!("INDEX {index} ")), "{shown}\n{plan}");
                    assert!(costly(&steps).is_empty(), "{shown}\n{plan}");
                    let key = if order == Order::Zone && !deleted { "head_zone" } else { "" };
                    let resumes = plan.contains(&format!("({key}")) && plan.contains(")>(");
                    assert!(part != Part::After || resumes, "{shown}\n{plan}");
                }
            }
        }
    }
}

/// P5: a filter that few rows satisfy reads only those
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
        let steps = fixture.look(move |scope| plan(scope, &query, Part::FromStart)).await;
        assert!(steps.join("\n").contains(index), "{steps:?}");
        assert!(steps.iter().all(|step| !step.starts_with("SCAN s")), "{steps:?}");
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
