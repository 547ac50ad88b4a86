//! Pages and filters (P4, P5).

use std::collections::BTreeSet;

use crate::domain::activity::Activity;
use crate::domain::query::{Filter, Glance, Order, PageQuery};
use crate::domain::rail::SectionKey;
use crate::domain::session::Session;
use crate::domain::status::{Status, Zone};

use super::super::StoreError;
use super::{Fixture, failing_pr, id, ids, name, section};

/// P4: keyset pages and jumps to an offset cut the same order
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
        // From wherever the offset is counted, it is the same part.
        for (offset, limit) in (0..=10).flat_map(|offset| [(offset, 1), (offset, 4)]) {
            let part = PageQuery { cursor: None, offset, limit, ..query.clone() };
            let page = fixture.store.page(&part).await.unwrap();
            let (all, from) = (&whole.sessions, offset.min(whole.sessions.len()));
            assert_eq!(page.sessions, all[from..(from + limit).min(all.len())], "{offset}");
            assert_eq!(page.next_cursor.is_some(), from + limit < all.len(), "{offset} {limit}");
        }
    }
    let foreign = PageQuery { cursor: Some("t:1:shop-1".into()), ..PageQuery::default() };
    assert!(matches!(fixture.store.page(&foreign).await, Err(StoreError::Cursor { .. })));
}

/// P4: the page around a session begins half a page before it, in every order, and at the start where it is
/// not among them.
#[tokio::test]
async fn a_page_around_a_session_has_it_in_its_middle_p4() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    for n in 1..=12 {
        let parent = (n % 4 == 0).then(|| format!("shop-{}", n - 1));
        fixture.live(&format!("shop-{n}"), parent.as_deref()).await;
    }
    fixture.store.pin(&[id("shop-3"), id("shop-5")], true).await.unwrap();
    fixture.observe("shop-7", 1, 2, Activity::Idle);
    let sections = [None, Some(SectionKey::pinned()), Some(section("shop"))];
    for (section, order) in
        sections.iter().flat_map(|key| [(key, Order::Recent), (key, Order::Zone)])
    {
        let filter = Filter { section: section.clone(), ..Filter::default() };
        let query = PageQuery { filter, order, ..PageQuery::default() };
        let whole = fixture.store.page(&query).await.unwrap().sessions;
        for (at, session) in whole.iter().enumerate() {
            let around = Some(session.id.clone());
            let part = PageQuery { around, limit: 4, ..query.clone() };
            let page = fixture.store.page(&part).await.unwrap();
            assert_eq!(page.offset, at.saturating_sub(2));
            assert_eq!(page.sessions, whole[page.offset..(page.offset + 4).min(whole.len())]);
        }
        let around = Some(id("chat-9"));
        let part = PageQuery { around, limit: 2, offset: 3, ..query };
        let page = fixture.store.page(&part).await.unwrap();
        assert_eq!((page.offset, page.sessions), (0, whole[..2].to_vec()));
    }
    let trash = PageQuery { deleted: true, around: Some(id("shop-1")), ..PageQuery::default() };
    assert_eq!(fixture.store.page(&trash).await.unwrap().offset, 0);
}

/// P5, P2: each filter, before limit and count; `--project` includes pinned ones
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

/// P4: the first page of the sections near the viewport, or of all, 600 too, is what each page begins
/// with
#[tokio::test]
async fn first_pages_are_what_each_page_begins_with_p4() {
    let fixture = Fixture::new();
    for n in 0..600 {
        fixture.project(&format!("p{n}")).await;
    }
    for n in 0..24 {
        // Every fourth is the child of the one before, in the same project.
        let (project, parent) = match n % 4 {
            3 => ((n - 1) % 5, Some(format!("p{}-{}", (n - 1) % 5, n - 1))),
            _ => (n % 5, None),
        };
        fixture.live(&format!("p{project}-{n}"), parent.as_deref()).await;
    }
    fixture.live("chat-1", None).await;
    fixture.live("p599-1", None).await;
    fixture.observe("p0-5", 1, 2, Activity::Idle);
    fixture.observe("p1-6", 1, 2, Activity::Blocked);
    fixture.store.pin(&[id("p2-2"), id("chat-1")], true).await.unwrap();
    fixture.tick();
    fixture.store.pin(&[id("p0-10")], true).await.unwrap();
    fixture.store.remove_project(&name("p4")).await.unwrap();
    for order in [Order::Recent, Order::Zone] {
        let pages = fixture.store.first_pages(None, order, 3).await.unwrap();
        let shown: BTreeSet<String> = pages.iter().map(|(key, _)| key.to_string()).collect();
        assert_eq!(pages.len(), shown.len(), "each section comes once");
        let sections = fixture.store.sections().await.unwrap();
        assert_eq!(sections.len(), 601);
        for section in sections {
            let rows = pages.iter().find(|(key, _)| *key == section.key);
            let glances = rows.map(|(_, glances)| glances.clone()).unwrap_or_default();
            let filter = Filter { section: Some(section.key.clone()), ..Filter::default() };
            let query = PageQuery { filter, order, limit: 3, ..PageQuery::default() };
            let page = fixture.store.page(&query).await.unwrap().sessions;
            let expected: Vec<Glance> = page.into_iter().map(glance).collect();
            assert_eq!(glances, expected, "{} {order:?}", section.key);
        }
        assert!(!shown.contains(section("p4").as_str()), "it is hidden");
        let near = [SectionKey::pinned(), section("p0"), section("p4"), section("p7")];
        let pages = fixture.store.first_pages(Some(&near), order, 3).await.unwrap();
        let mut keys: Vec<SectionKey> = pages.into_iter().map(|(key, _)| key).collect();
        keys.sort();
        assert_eq!(keys, [SectionKey::pinned(), section("p0")]);
    }
}

fn glance(session: Session) -> Glance {
    Glance {
        id: session.id,
        root: session.shown.root,
        title: session.title,
        agent: session.launch.agent,
        status: session.condition.status,
        attention: session.condition.attention,
        sorted_at: session.condition.sorted_at,
    }
}
