//! Pages and filters (P4, P5).

use std::collections::BTreeSet;

use crate::domain::activity::Activity;
use crate::domain::query::{Filter, Order, PageQuery};
use crate::domain::rail::SectionKey;
use crate::domain::status::{Status, Zone};

use super::super::StoreError;
use super::{Fixture, failing_pr, id, ids, name, section};

#[tokio::test]
async fn pages_by_cursor_and_by_offset_give_the_whole_p4() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for n in 1..=9 {
        let parent = (n % 3 == 0).then(|| format!("shop-{}", n - 1));
        fixture.live(&format!("shop-{n}"), parent.as_deref()).await;
    }
    fixture.store.pin(&[id("shop-2"), id("shop-4")], true).await.unwrap();
    fixture.observe("shop-7", 1, 2, Activity::Idle);
    let sections = [None, Some(SectionKey::pinned()), Some(section("shop"))];
    for (section, order) in
        sections.iter().flat_map(|key| [(key, Order::Recent), (key, Order::Zone)])
    {
        let filter = Filter { section: section.clone(), ..Filter::default() };
        let mut query = PageQuery { filter, order, ..PageQuery::default() };
        let whole = fixture.store.page(&query).await.unwrap();
        assert_eq!(whole.total as usize, whole.sessions.len());
        assert_eq!(whole.next_cursor, None);
        query.limit = 2;
        let mut by_cursor = Vec::new();
        let mut by_offset = Vec::new();
        loop {
            let mut skipping = PageQuery { cursor: None, offset: by_cursor.len(), ..query.clone() };
            skipping.limit = 2;
            by_offset.extend(fixture.store.page(&skipping).await.unwrap().sessions);
            let page = fixture.store.page(&query).await.unwrap();
            assert_eq!(page.total, whole.total);
            by_cursor.extend(page.sessions);
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(by_cursor, whole.sessions);
        assert_eq!(by_offset, whole.sessions);
    }
    let foreign = PageQuery { cursor: Some("t:1:shop-1".into()), ..PageQuery::default() };
    assert!(matches!(fixture.store.page(&foreign).await, Err(StoreError::Cursor { .. })));
}

#[tokio::test]
async fn filters_apply_before_limit_and_count_p5() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.live("shop-3", None).await;
    fixture.live("chat-1", None).await;
    fixture.observe("shop-3", 1, 2, Activity::Idle);
    fixture.store.pin(&[id("shop-3")], true).await.unwrap();
    fixture.store.rename(&id("chat-1"), "Give 100% of_it").await.unwrap();
    let counts = [(id("shop-1"), Some(2)), (id("shop-2"), Some(0))];
    fixture.store.set_dirty(&counts).await.unwrap();
    fixture.store.set_pr_facts(&id("shop-2"), vec![failing_pr(1)]).await.unwrap();
    let cases: Vec<(Filter, &[&str])> = vec![
        (
            Filter { project: Some(name("shop")), ..Filter::default() },
            &["shop-1", "shop-2", "shop-3"],
        ),
        (Filter { ids: vec![id("chat-1"), id("x")], ..Filter::default() }, &["chat-1"]),
        (Filter { agents: vec!["codex".into()], ..Filter::default() }, &[]),
        (
            Filter { agents: vec!["claude".into()], exclude_pinned: true, ..Filter::default() },
            &["chat-1", "shop-1", "shop-2"],
        ),
        (Filter { statuses: vec![Status::Idle], ..Filter::default() }, &["shop-3"]),
        (Filter { statuses: vec![Status::CiFailed], ..Filter::default() }, &["shop-2"]),
        (
            Filter { zones: vec![Zone::Review, Zone::Resting], ..Filter::default() },
            &["shop-2", "shop-3"],
        ),
        (Filter { zones: vec![Zone::Working], ..Filter::default() }, &["chat-1", "shop-1"]),
        (Filter { attention: true, ..Filter::default() }, &["shop-2", "shop-3"]),
        (Filter { text: Some("100% OF_".into()), ..Filter::default() }, &["chat-1"]),
        (
            Filter { text: Some("do shop".into()), ..Filter::default() },
            &["shop-1", "shop-2", "shop-3"],
        ),
        (Filter { text: Some("%".into()), parent: Some(id("shop-1")), ..Filter::default() }, &[]),
        (Filter { parent: Some(id("shop-1")), ..Filter::default() }, &["shop-2"]),
        (Filter { dirty: Some(true), ..Filter::default() }, &["shop-1"]),
        (Filter { dirty: Some(false), ..Filter::default() }, &["shop-2"]),
        (
            Filter { older_than: Some(std::time::Duration::from_secs(4)), ..Filter::default() },
            &["shop-1", "shop-2"],
        ),
        (Filter { section: Some(section("none")), ..Filter::default() }, &[]),
        (
            Filter {
                section: Some(SectionKey::pinned()),
                project: Some(name("shop")),
                ..Filter::default()
            },
            &["shop-3"],
        ),
    ];
    for (filter, expected) in cases {
        let query = PageQuery { filter: filter.clone(), ..PageQuery::default() };
        let page = fixture.store.page(&query).await.unwrap();
        let found: BTreeSet<String> = ids(&page).into_iter().collect();
        let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{filter:?}");
        assert_eq!(page.total as usize, expected.len(), "{filter:?}");
        let one = PageQuery { limit: 0, ..query };
        assert_eq!(fixture.store.page(&one).await.unwrap().total as usize, expected.len());
    }
    let unknown = Filter { project: Some(name("none")), ..Filter::default() };
    let unknown = fixture.store.page(&PageQuery { filter: unknown, ..PageQuery::default() }).await;
    assert!(matches!(unknown, Err(StoreError::NoProject { .. })));
}
