//! The full-text search equals a naive one after any writes (Q1), and messages are bounded (Q2).

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::domain::plan::Conditions;
use crate::domain::query::{Filter, Order, PageQuery};
use crate::domain::search::Search;
use crate::domain::trash::{TombstoneRow, Untombstone};
use crate::domain::worktree::Worktree;
use crate::os::random;

use super::super::index;
use super::{Fixture, id, ids, seed};

pub(super) fn query(text: &str) -> PageQuery {
    let filter = Filter { text: Some(text.to_owned()), ..Filter::default() };
    PageQuery { filter, order: Order::Found, ..PageQuery::default() }
}

/// Number of a document, its session, and the texts in it.
type Texts = (i64, String, String, Option<String>, Option<String>);

impl Fixture {
    pub(super) async fn found(&self, text: &str) -> Vec<String> {
        ids(&self.store.page(&query(text)).await.unwrap())
    }

    /// A session with nothing but a title to be found by.
    pub(super) async fn titled(&self, session: &str, title: &str) {
        let mut seed = seed(session, None);
        title.clone_into(&mut seed.title);
        seed.prompt = None;
        self.tick();
        self.store.insert_seed(&seed).await.unwrap();
    }

    pub(super) async fn bury(&self, session: &str) {
        let requested = BTreeSet::from([id(session)]);
        let row =
            TombstoneRow { id: id(session), was_live: false, closed: false, trash_path: None };
        let (conditions, batch) = (Conditions::default(), random::operation());
        let _ = self.store.tombstone(&requested, &conditions, &[row], &batch).await.unwrap();
    }

    pub(super) async fn branch(&self, session: &str, branch: &str) {
        let (path, base) = (format!("/worktrees/{session}").into(), "base".to_owned());
        let worktree = Worktree { path, branch: branch.to_owned(), base, new_branch: true };
        let _ = self.store.set_worktree(&id(session), &worktree).await;
    }

    /// FTS5's own check, ours, and one document for each session and message.
    pub(super) fn check_index(&self) {
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
