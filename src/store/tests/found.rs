//! What the full-text search finds (Q1), and that messages are bounded (Q2).

use crate::domain::hook::HookReport;
use crate::domain::query::{Filter, Page, PageQuery};

use super::super::connection::Durability;
use super::super::{StoreError, condition, messages};
use super::search::query;
use super::{Fixture, id, ids, name};

/// Q1: one document a message and one a session; every word within one of them, prefix on the last
#[tokio::test]
async fn every_word_must_match_within_one_document() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.titled("shop-1", "Mend the cart").await;
    fixture.titled("shop-2", "Mend the totals").await;
    fixture.branch("shop-2", "operator/cart-17").await;
    fixture
        .store
        .prompted(&id("shop-1"), "Now the totals", "operator", fixture.clock.now())
        .await
        .unwrap();
    assert_eq!(fixture.found("cart").await, ["shop-2", "shop-1"]);
    assert_eq!(fixture.found("mend cart-1").await, ["shop-2"]);
    assert_eq!(fixture.found("totals").await, ["shop-1", "shop-2"], "newest document first");
    assert_eq!(fixture.found("the tot").await, ["shop-1", "shop-2"]);
    assert_eq!(fixture.found("cart totals").await, ["shop-2"], "not from two documents");
    assert_eq!(fixture.found("tot the").await, [] as [&str; 0], "the last word alone may go on");
    fixture.store.rename(&id("shop-1"), "Something else").await.unwrap();
    assert_eq!(fixture.found("cart").await, ["shop-2"]);
    for nothing in ["", " ", "***", "\"", "\0"] {
        assert_eq!(fixture.found(nothing).await, [] as [&str; 0], "{nothing:?}");
        let matching = fixture.store.matching(&query(nothing)).await.unwrap();
        assert_eq!(matching, [], "{nothing:?} chooses nothing");
    }
}

/// Q1: the snippet is of the document that was found
#[tokio::test]
async fn the_snippet_is_of_the_newest_document() {
    let fixture = Fixture::new();
    fixture.titled("chat-1", "Mend the cart").await;
    let snippets =
        |page: Page| page.snippets.iter().map(|it| it.marked("<", ">")).collect::<Vec<_>>();
    assert_eq!(snippets(fixture.store.page(&query("cart")).await.unwrap()), ["Mend the <cart>"]);
    fixture
        .store
        .prompted(&id("chat-1"), "The cart\nagain", "operator", fixture.clock.now())
        .await
        .unwrap();
    assert_eq!(snippets(fixture.store.page(&query("cart")).await.unwrap()), ["The <cart> again"]);
}

/// Q1: trash is a filter over the same index; other filters apply before limit and count (P5)
#[tokio::test]
async fn filters_narrow_what_is_found() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.project("api").await;
    for session in ["shop-1", "api-1", "chat-1", "shop-2"] {
        fixture.titled(session, "Mend the cart").await;
    }
    fixture.bury("shop-2").await;
    assert_eq!(fixture.found("cart").await, ["chat-1", "api-1", "shop-1"]);
    let trash = PageQuery { deleted: true, ..query("cart") };
    assert_eq!(ids(&fixture.store.page(&trash).await.unwrap()), ["shop-2"]);
    let mut shop = query("cart");
    shop.filter.project = Some(name("shop"));
    assert_eq!(ids(&fixture.store.page(&shop).await.unwrap()), ["shop-1"]);
    let mut few = query("cart");
    few.filter.ids = vec![id("api-1"), id("shop-2")];
    assert_eq!(ids(&fixture.store.page(&few).await.unwrap()), ["api-1"]);
    fixture.store.remove_project(&name("api")).await.unwrap();
    assert_eq!(
        fixture.found("cart").await,
        ["chat-1", "shop-1"],
        "as every list without a section"
    );
    let other = super::super::Store::open(
        &fixture.home,
        crate::domain::ids::WorkspaceName::new("other").unwrap(),
        fixture.clock.clone(),
    );
    assert_eq!(ids(&other.unwrap().page(&query("cart")).await.unwrap()), [] as [&str; 0]);
}

/// Q1: beyond 50 the total is not counted; pages by cursor and by offset give the whole
#[tokio::test]
async fn beyond_fifty_nothing_is_counted() {
    let fixture = Fixture::new();
    let mut expected = Vec::new();
    for n in 1..=60 {
        fixture.titled(&format!("chat-{n}"), &format!("Mend cart {n}")).await;
        expected.insert(0, format!("chat-{n}"));
        if n == 50 {
            assert_eq!(fixture.store.page(&query("cart")).await.unwrap().total, 50);
        }
    }
    for n in [3, 40] {
        fixture
            .store
            .prompted(&id(&format!("chat-{n}")), "The cart", "operator", fixture.clock.now())
            .await
            .unwrap();
        expected.retain(|one| *one != format!("chat-{n}"));
        expected.insert(0, format!("chat-{n}"));
    }
    let (mut by_cursor, mut by_offset) = (Vec::new(), Vec::new());
    let mut query = PageQuery { limit: 7, ..query("cart") };
    loop {
        let skipping = PageQuery { cursor: None, offset: by_offset.len(), ..query.clone() };
        by_offset.extend(ids(&fixture.store.page(&skipping).await.unwrap()));
        let page = fixture.store.page(&query).await.unwrap();
        assert_eq!(page.total, 51);
        by_cursor.extend(ids(&page));
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            break;
        }
    }
    assert_eq!((by_cursor, by_offset), (expected.clone(), expected));
    let foreign = PageQuery { cursor: Some("t:1:shop-1".into()), ..query };
    assert!(matches!(fixture.store.page(&foreign).await, Err(StoreError::Cursor { .. })));
    assert_eq!(fixture.store.matching(&foreign).await.unwrap().len(), 60, "a selector takes all");
}

/// Q1, P5: in the orders of the rail the words narrow too, and what is seen is found letter by letter
#[tokio::test]
async fn the_rail_is_narrowed_by_the_same_words() {
    let fixture = Fixture::new();
    for (session, title) in [("chat-1", "Mend the cart"), ("chat-2", "Totals"), ("chat-3", "Other")]
    {
        fixture.titled(session, title).await;
    }
    fixture
        .store
        .prompted(&id("chat-2"), "The cart's totals", "operator", fixture.clock.now())
        .await
        .unwrap();
    let listed = async |text: &str| {
        let filter = Filter { text: Some(text.to_owned()), ..Filter::default() };
        let page = fixture.store.page(&PageQuery { filter, ..PageQuery::default() }).await.unwrap();
        assert_eq!(page.total as usize, page.sessions.len());
        ids(&page)
    };
    assert_eq!(listed("cart").await, ["chat-2", "chat-1"]);
    assert_eq!(listed("ther").await, ["chat-3"]);
    assert_eq!(listed("chat-3").await, ["chat-3"]);
    assert_eq!(listed("50%").await, [] as [&str; 0]);
}

/// Q1: a beginning that many words share is found, few or many
#[tokio::test]
async fn a_beginning_of_many_words_is_found() {
    let fixture = Fixture::new();
    for n in 100..=180 {
        fixture.titled(&format!("chat-{n}"), &format!("cart{n}")).await;
    }
    assert_eq!(fixture.store.matching(&query("cart")).await.unwrap().len(), 81);
    assert_eq!(fixture.found("cart10").await.len(), 10);
    assert_eq!(fixture.found("cart101").await, ["chat-101"]);
    assert_eq!(fixture.found("cart9").await, [] as [&str; 0]);
    assert_eq!(fixture.store.matching(&query("ca")).await.unwrap().len(), 81);
}

/// Q2: bounded for each session, oldest dropped, also from the index; gone with a purge
#[tokio::test]
async fn messages_are_bounded_and_go_with_their_session() {
    let fixture = Fixture::new();
    fixture.titled("chat-1", "One").await;
    fixture.titled("chat-2", "Two").await;
    let one = id("chat-1");
    let store = &fixture.store;
    store.prompted(&one, "the oldest", "operator", fixture.clock.now()).await.unwrap();
    store.answered(&one, "the second", "agent").await.unwrap();
    store.answered(&id("chat-2"), "the oldest elsewhere", "agent").await.unwrap();
    let long = format!("long {}", " ".repeat((4 << 20) - 20));
    store.answered(&one, &long, "agent").await.unwrap();
    let kept = store.messages(&one, usize::MAX).await.unwrap();
    assert_eq!(kept.iter().map(|it| &it.text[..3]).collect::<Vec<_>>(), ["the", "lon"]);
    assert_eq!(fixture.found("oldest").await, ["chat-2"]);
    assert_eq!(fixture.found("second").await, ["chat-1"]);
    fixture.check_index();

    let many = store.write(Durability::Normal, "write many".into(), |scope| {
        let row = condition::find_present(scope, &id("chat-2"))?;
        (0..10_002)
            .try_for_each(|n| messages::append(scope, row.rid, &format!("number {n}"), "agent"))
    });
    many.await.unwrap();
    let kept = store.messages(&id("chat-2"), usize::MAX).await.unwrap();
    assert_eq!((kept.len(), kept[0].text.as_str()), (10_000, "number 2"));
    let newest = store.messages(&id("chat-2"), 2).await.unwrap();
    assert_eq!(
        newest.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(),
        ["number 10000", "number 10001"]
    );
    assert_eq!(fixture.found("number 1").await, ["chat-2"]);
    assert_eq!(fixture.found("elsewhere").await, [] as [&str; 0]);

    fixture.bury("chat-2").await;
    assert_eq!(store.messages(&id("chat-2"), usize::MAX).await.unwrap().len(), 10_000);
    let purged = store.purge_rows(&[vec![id("chat-2")]]).await.unwrap();
    assert_eq!(purged.messages, 10_000);
    fixture.check_index();
    assert_eq!(store.messages(&id("chat-2"), usize::MAX).await.unwrap().len(), 0);
}

/// Q2, K6: an answer has its time and source and begins no turn; in the trash nothing is written
#[tokio::test]
async fn an_answer_is_a_message() {
    let fixture = Fixture::new();
    fixture.live("chat-1", None).await;
    let (one, before) = (id("chat-1"), fixture.get("chat-1").await);
    fixture.tick();
    for _ in 0..2 {
        fixture.store.answered(&one, "Yes", "session:chat-2").await.unwrap();
    }
    let messages = fixture.store.messages(&one, usize::MAX).await.unwrap();
    assert_eq!(messages.len(), 2);
    let told = (messages[1].at, messages[1].source.as_str(), messages[1].text.as_str());
    assert_eq!(told, (fixture.clock.now(), "session:chat-2", "Yes"));
    assert_eq!(fixture.get("chat-1").await.condition.turn, before.condition.turn);
    fixture.bury("chat-1").await;
    let refused = fixture.store.answered(&one, "Late", "operator").await;
    assert!(matches!(refused, Err(StoreError::InTrash { .. })), "{refused:?}");
}

/// Q2, Q1: what an agent reports through a hook is a message, and found
#[tokio::test]
async fn a_report_is_found() {
    let fixture = Fixture::new();
    fixture.live("chat-1", None).await;
    let report = HookReport {
        event: "Stop".to_owned(),
        at: fixture.tick(),
        activity: None,
        tool: None,
        before_tool: false,
        question: None,
        agent_session_id: None,
        message: Some("Mended the cart".to_owned()),
    };
    assert!(fixture.writer("chat-1").report(1, &report, fixture.tick()).unwrap());
    let messages = fixture.store.messages(&id("chat-1"), usize::MAX).await.unwrap();
    assert_eq!((messages[0].at, messages[0].source.as_str()), (report.at, "agent"));
    assert_eq!(fixture.found("cart mend").await, ["chat-1"]);
    fixture.check_index();
}
