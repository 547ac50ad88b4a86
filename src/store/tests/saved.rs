//! Saved filters, and what they let through.

use crate::domain::activity::Activity;
use crate::domain::query::{Filter, Order, PageQuery};
use crate::domain::rail::{FilterCount, SavedFilter};
use crate::domain::status::Zone;

use super::super::connection;
use super::plans::{costly, steps};
use super::{Fixture, id, name, section};

fn saved(name: &str, words: &str) -> SavedFilter {
    SavedFilter { name: name.to_owned(), section: None, words: words.to_owned() }
}

/// They are there after a restart, in the order in which they were saved; a name is there once.
#[tokio::test]
async fn filters_are_kept_in_order_and_by_name() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    for (name, words) in [("b", "status:idle"), ("a", "agent:codex"), ("c", "dirty:yes")] {
        store.save_filter(&saved(name, words)).await.unwrap();
    }
    let in_shop = SavedFilter { section: Some(section("shop")), ..saved("b", "age:>7d") };
    store.save_filter(&in_shop).await.unwrap();
    assert!(store.rename_filter("c", "d").await.unwrap());
    assert!(!store.rename_filter("c", "e").await.unwrap(), "there is none");
    assert!(!store.rename_filter("d", "a").await.unwrap(), "the name is taken");
    assert!(store.remove_filter("a").await.unwrap());
    assert!(!store.remove_filter("a").await.unwrap());
    let kept = [in_shop, saved("d", "dirty:yes")];
    assert_eq!(store.filters().await.unwrap(), kept);
    let (home, _folder) = fixture.close();
    let connection = connection::open(&home.database()).unwrap();
    let names: Vec<String> = connection
        .prepare("SELECT name FROM filters ORDER BY position")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(names, ["b", "d"]);
}

/// P5: a count is the total of the page, whatever the filter, and those of it with attention.
#[tokio::test]
async fn a_count_is_the_total_of_the_page_p5() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for n in 1..=6 {
        fixture.live(&format!("shop-{n}"), None).await;
    }
    fixture.live("chat-1", None).await;
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    fixture.observe("shop-3", 1, 2, Activity::Blocked);
    fixture.observe("shop-4", 1, 2, Activity::Idle);
    fixture.store.rename(&id("shop-5"), "Mend the cart").await.unwrap();
    let filters = [
        Filter::default(),
        Filter { section: Some(section("shop")), ..Filter::default() },
        Filter { project: Some(name("shop")), ..Filter::default() },
        Filter { zones: vec![Zone::Respond], ..Filter::default() },
        Filter { text: Some("cart".to_owned()), ..Filter::default() },
        Filter { section: Some(section("nowhere")), ..Filter::default() },
    ];
    for filter in filters {
        for order in [Order::Recent, Order::Zone] {
            let query = PageQuery { filter: filter.clone(), order, ..PageQuery::default() };
            let page = fixture.store.page(&query).await.unwrap();
            let wants = |s: &&crate::domain::session::Session| s.condition.attention.is_some();
            let attention = page.sessions.iter().filter(wants).count() as u64;
            let counted = fixture.store.count(&filter).await.unwrap();
            assert_eq!(counted, FilterCount { total: page.total, attention }, "{filter:?}");
        }
    }
    let unknown = Filter { project: Some(name("nobody")), ..Filter::default() };
    assert!(fixture.store.count(&unknown).await.is_err());
}

/// What is awake is counted from the index that has nothing else.
#[tokio::test]
async fn what_is_awake_is_counted_without_looking_at_the_rest_p3() {
    let fixture = Fixture::new();
    let read = fixture.store.read("plan", |scope| {
        let filter = Filter { zones: vec![Zone::Respond, Zone::Working], ..Filter::default() };
        let query = PageQuery { filter, ..PageQuery::default() };
        let rows = super::super::page::Rows::of(scope, &query)?.unwrap();
        steps(scope, &format!("SELECT count(*), count(s.attention) {}", rows.source().0))
    });
    let steps = read.await.unwrap();
    assert!(costly(&steps).is_empty(), "{steps:?}");
    assert!(steps.iter().any(|step| step.contains("sessions_awake")), "{steps:?}");
}
