//! The full-text search equals a naive one after any writes (Q1), and messages are bounded (Q2).

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::domain::hook::HookReport;
use crate::domain::plan::Conditions;
use crate::domain::query::{Filter, Order, Page, PageQuery};
use crate::domain::search::Search;
use crate::domain::trash::{TombstoneRow, Untombstone};
use crate::domain::worktree::Worktree;
use crate::os::random;

use super::super::connection::Durability;
use super::super::{StoreError, condition, index, messages};
use super::{Fixture, id, ids, name, seed};

fn query(text: &str) -> PageQuery {
    let filter = Filter { text: Some(text.to_owned()), ..Filter::default() };
    PageQuery { filter, order: Order::Found, ..PageQuery::default() }
}

/// Number of a document, its session, and the texts in it.
type Texts = (i64, String, String, Option<String>, Option<String>);

impl Fixture {
    async fn found(&self, text: &str) -> Vec<String> {
        ids(&self.store.page(&query(text)).await.unwrap())
    }

    /// A session with nothing but a title to be found by.
    async fn titled(&self, session: &str, title: &str) {
        let mut seed = seed(session, None);
        title.clone_into(&mut seed.title);
        seed.prompt = None;
        self.tick();
        self.store.insert_seed(&seed).await.unwrap();
    }

    async fn bury(&self, session: &str) {
        let requested = BTreeSet::from([id(session)]);
        let row =
            TombstoneRow { id: id(session), was_live: false, closed: false, trash_path: None };
        let (conditions, batch) = (Conditions::default(), random::operation());
        let _ = self.store.tombstone(&requested, &conditions, &[row], &batch).await.unwrap();
    }

    async fn branch(&self, session: &str, branch: &str) {
        let (path, base) = (format!("/worktrees/{session}").into(), "base".to_owned());
        let worktree = Worktree { path, branch: branch.to_owned(), base, new_branch: true };
        let _ = self.store.set_worktree(&id(session), &worktree).await;
    }

    /// FTS5's own check, ours, and one document for each session and message.
    fn check_index(&self) {
        let other = super::super::connection::open(&self.home.database()).unwrap();
        other
            .execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)", [])
            .unwrap();
        assert_eq!(index::faults(&other).unwrap(), [] as [String; 0]);
        let numbers = |sql: &str| -> Vec<i64> {
            let mut statement = other.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| row.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let expected =
            numbers("SELECT doc FROM details UNION ALL SELECT message FROM messages ORDER BY 1");
        assert_eq!(numbers("SELECT doc FROM documents ORDER BY doc"), expected);
        assert_eq!(numbers("SELECT id FROM search_docsize ORDER BY id"), expected);
    }

    /// Sessions by their newest document that has everything, read from the rows themselves.
    async fn naive(&self, text: &str, deleted: bool) -> Vec<String> {
        let search = Search::parse(text);
        let rows: Vec<Texts> = self
            .look(move |scope| {
                let mut statement = scope.conn.prepare(
                    "SELECT d.doc AS doc, s.id, s.title, d.prompt, s.branch
                     FROM sessions s JOIN details d USING (rid)
                     WHERE (s.deleted_at IS NOT NULL) = ?1
                     UNION ALL
                     SELECT m.message, s.id, m.text, NULL, NULL
                     FROM sessions s JOIN messages m USING (rid)
                     WHERE (s.deleted_at IS NOT NULL) = ?1
                     ORDER BY doc DESC",
                )?;
                let rows = statement.query_map([deleted], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
                })?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await;
        let mut found: Vec<String> = Vec::new();
        for (_, session, text, prompt, branch) in rows {
            let texts: Vec<&str> = [Some(text.as_str()), prompt.as_deref(), branch.as_deref()]
                .into_iter()
                .flatten()
                .collect();
            if search.find(&texts).is_some() && !found.contains(&session) {
                found.push(session);
            }
        }
        found
    }
}

/// One random write on one of some sessions.
#[derive(Debug, Clone)]
enum Act {
    Create(String, Option<String>),
    Rename(usize, String),
    Branch(usize, String),
    Prompt(usize, String),
    Answer(usize, String),
    Delete(usize),
    Restore(usize),
    Purge(usize),
    Rollback(usize),
}

/// Words that match each other or nearly so, and what could mean something to an index.
const WORDS: [&str; 39] = [
    "cart",
    "carts",
    "Mend",
    "mending",
    "CAFÉ",
    "cafe\u{301}",
    "日本",
    "日",
    "本日",
    "が",
    "か",
    "ship-it",
    "it-ship",
    "foo_bar",
    "🚀",
    "🚀🔥",
    "NEAR(cart)",
    "AND",
    "OR",
    "NOT",
    "\"cart",
    "*",
    "-",
    "title:",
    "^mend",
    "a",
    "an",
    "\0",
    "[",
    "{cart}",
    "' OR 1=1",
    "%",
    "_",
    "\u{200b}",
    "한국어",
    "हिन्दी",
    "carting",
    "carted",
    "cartel",
];

/// Texts of few words, so that they match, and of anything.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => prop::sample::select(&WORDS[..]).prop_map(|word| word.repeat(300)),
    ];
    let blank = prop::sample::select(&[" ", "  ", "-", "\n", ", ", ""][..]);
    prop::collection::vec((piece, blank), 0..5).prop_map(|parts| {
        parts.into_iter().flat_map(|(piece, blank)| [piece, blank.to_owned()]).collect()
    })
}

fn act() -> impl Strategy<Value = Act> {
    let one = || 0..6_usize;
    prop_oneof![
        4 => (text(), prop::option::of(text())).prop_map(|(title, prompt)| Act::Create(title, prompt)),
        3 => (one(), text()).prop_map(|(n, text)| Act::Rename(n, text)),
        2 => (one(), text()).prop_map(|(n, text)| Act::Branch(n, text)),
        5 => (one(), text()).prop_map(|(n, text)| Act::Prompt(n, text)),
        2 => (one(), text()).prop_map(|(n, text)| Act::Answer(n, text)),
        2 => one().prop_map(Act::Delete),
        1 => one().prop_map(Act::Restore),
        1 => one().prop_map(Act::Purge),
        1 => one().prop_map(Act::Rollback),
    ]
}

/// Performs one act; refusals of the store are part of the game.
async fn play(fixture: &Fixture, made: &mut usize, act: Act) {
    let store = &fixture.store;
    let session = |n: usize| format!("shop-{}", n + 1);
    fixture.tick();
    match act {
        Act::Create(title, prompt) => {
            let mut seed = seed(&session(*made), None);
            (seed.title, seed.prompt) = (title, prompt);
            *made += usize::from(store.insert_seed(&seed).await.is_ok());
        }
        Act::Rename(n, text) => drop(store.rename(&id(&session(n)), &text).await.unwrap()),
        Act::Branch(n, text) => fixture.branch(&session(n), &text).await,
        Act::Prompt(n, text) => {
            drop(store.prompted(&id(&session(n)), &text, "operator", fixture.clock.now()).await);
        }
        Act::Answer(n, text) => drop(store.answered(&id(&session(n)), &text, "agent").await),
        Act::Delete(n) => fixture.bury(&session(n)).await,
        Act::Restore(n) => {
            let row = Untombstone { id: id(&session(n)), folder: None };
            let _ = store.untombstone(&[row]).await;
        }
        Act::Purge(n) => drop(store.purge_rows(&[vec![id(&session(n))]]).await.unwrap()),
        Act::Rollback(n) => drop(store.rollback_seed(&id(&session(n))).await),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Q1: whatever is written and whatever is asked, the index finds what reading everything finds:
    /// no error, nothing wrong, nothing missing, newest first, with a snippet
    #[test]
    fn the_index_equals_a_naive_search(
        acts in prop::collection::vec(act(), 1..40),
        searches in prop::collection::vec(text(), 12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new();
            fixture.project("shop").await;
            let mut made = 0;
            for act in acts {
                play(&fixture, &mut made, act).await;
            }
            fixture.check_index();
            for text in searches.iter().map(String::as_str).chain(["cart", "carts", "mend", "日", "🚀"]) {
                for deleted in [false, true] {
                    let query = PageQuery { deleted, ..query(text) };
                    let page = fixture.store.page(&query).await.unwrap();
                    let expected = fixture.naive(text, deleted).await;
                    assert_eq!(ids(&page), expected, "{text:?}");
                    assert_eq!(page.total as usize, expected.len());
                    assert_eq!(page.snippets.len(), expected.len());
                    assert!(page.snippets.iter().all(|snippet| !snippet.hits.is_empty()));
                    let matching = fixture.store.matching(&query).await.unwrap();
                    let matching: BTreeSet<String> = matching.iter().map(ToString::to_string).collect();
                    assert_eq!(matching, expected.into_iter().collect());
                }
            }
        });
    }

    /// Q1: hostile text is never an error
    #[test]
    fn any_text_can_be_searched(texts in prop::collection::vec(any::<String>(), 8)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new();
            for (at, text) in texts.iter().enumerate() {
                fixture.titled(&format!("chat-{}", at + 1), text).await;
            }
            for text in &texts {
                assert_eq!(fixture.found(text).await, fixture.naive(text, false).await, "{text:?}");
            }
        });
    }
}

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
