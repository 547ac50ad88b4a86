//! Filters, combined at random, against the same filters in memory (P5).

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::domain::activity::Activity;
use crate::domain::ids::SessionId;
use crate::domain::plan::Conditions;
use crate::domain::query::{Filter, Order, PageQuery};
use crate::domain::rail::SectionKey;
use crate::domain::session::Session;
use crate::domain::status::{Status, Zone};
use crate::domain::time::Timestamp;
use crate::domain::trash::TombstoneRow;
use crate::os::random;

use super::{Fixture, failing_pr, id, ids, name, path, section, seed};

/// Sessions of many kinds: in two projects, one that was unregistered, and none; children, pins, pull
/// requests, uncommitted files, some in the trash.
async fn mixed() -> Fixture {
    let fixture = Fixture::new();
    for project in ["shop", "api", "old"] {
        fixture.project(project).await;
    }
    for n in 0..32_usize {
        fixture.clock.advance(Duration::from_mins(10));
        let project = ["shop", "shop", "api", "old", "chat"][n % 5];
        let mut new = seed(&format!("{project}-{n}"), None);
        if n % 7 == 5 {
            new.parent = Some(id(&format!(
                "{}-{}",
                ["shop", "shop", "api", "old", "chat"][(n - 5) % 5],
                n - 5
            )));
        }
        if n % 3 == 1 {
            new.launch.agent = "codex".into();
        }
        if n % 4 == 2 {
            new.title = format!("Mend the cart {n}");
        }
        new.pinned = n % 11 == 3;
        let one = fixture.store.insert_seed(&new).await.unwrap().id;
        if n % 6 != 4 {
            fixture.launch(one.as_str(), 1).await;
            let activity = [Activity::Active, Activity::Idle, Activity::Blocked][n % 3];
            fixture.observe(one.as_str(), 1, 1, Activity::Active);
            fixture.observe(one.as_str(), 1, 2, activity);
        }
        if n % 5 == 2 {
            fixture.store.set_pr_facts(&one, vec![failing_pr(n as u64)]).await.unwrap();
        }
        let files = [None, Some(0), Some(3)][n % 3];
        fixture.store.set_dirty(&[(one, files)]).await.unwrap();
    }
    for gone in [["shop-0", "shop-1"], ["old-8", "api-12"]] {
        fixture.clock.advance(Duration::from_mins(10));
        let requested = gone.iter().map(|one| id(one)).collect();
        let plan = fixture.store.plan_rows(&requested).await.unwrap();
        let row = |id| TombstoneRow { id, was_live: false, closed: false, trash_path: None };
        let rows: Vec<TombstoneRow> = plan.rows.into_iter().map(|it| row(it.id)).collect();
        let (conditions, batch) = (Conditions::default(), random::operation());
        fixture.store.tombstone(&requested, &conditions, &rows, &batch).await.unwrap();
    }
    fixture.store.remove_project(&name("old")).await.unwrap();
    fixture
}

/// Whether a session is one of those that are asked for.
fn lets_through(query: &PageQuery, session: &Session, now: Timestamp) -> bool {
    let Filter {
        ids,
        section: key,
        project,
        agents,
        statuses,
        zones,
        text,
        older_than,
        younger_than,
        dirty,
        pr,
        parent,
        exclude_pinned,
        attention,
        batch,
    } = &query.filter;
    let condition = &session.condition;
    let pinned = session.shown.section == SectionKey::pinned();
    let since = match &session.deletion {
        Some(deletion) => deletion.at,
        None => condition.last_activity_at.unwrap_or(session.created_at),
    };
    let word = |word: &str| {
        let texts = [session.id.as_str(), &session.title, session.prompt.as_deref().unwrap_or("")];
        texts.iter().any(|text| text.to_lowercase().contains(&word.to_lowercase()))
    };
    let place = key.is_some() || project.is_some() || !ids.is_empty();
    let hidden = session.placement.key() == section("old");
    session.deletion.is_some() == query.deleted
        && (place || query.deleted || pinned || !hidden)
        && (ids.is_empty() || ids.contains(&session.id))
        && key.as_ref().is_none_or(|key| session.shown.section == *key)
        && project.as_ref().is_none_or(|project| {
            session.placement.project_path() == Some(path(project.as_str()).as_path())
        })
        && (agents.is_empty() || agents.contains(&session.launch.agent))
        && (statuses.is_empty() || statuses.contains(&condition.status))
        && (zones.is_empty() || zones.contains(&condition.zone()))
        && text.as_deref().is_none_or(word)
        && older_than.is_none_or(|age| since <= now.minus(age))
        && younger_than.is_none_or(|age| since >= now.minus(age))
        && dirty.is_none_or(|dirty| session.dirty.is_some_and(|files| (files > 0) == dirty))
        && pr.is_none_or(|pr| session.prs.is_empty() != pr)
        && parent.as_ref().is_none_or(|parent| session.parent.as_ref() == Some(parent))
        && (!exclude_pinned || !pinned)
        && (!attention || condition.attention.is_some())
        && batch.as_ref().is_none_or(|batch| {
            session.deletion.as_ref().is_some_and(|deletion| deletion.batch == *batch)
        })
}

/// A session's place in the order of a page (P2, R4).
fn place<'s>(
    query: &PageQuery,
    session: &'s Session,
    all: &BTreeMap<SessionId, Session>,
) -> (i64, i64, Option<&'s SessionId>, i64, &'s SessionId) {
    if let Some(deletion) = &session.deletion {
        return (0, -deletion.at.0, None, 0, &session.id);
    }
    let head = &all[&session.shown.root];
    let zone = if query.order == Order::Zone { head.condition.zone() as i64 } else { 0 };
    let by_pin = query.filter.section == Some(SectionKey::pinned());
    let time = head.pinned_at.filter(|_| by_pin).unwrap_or(head.condition.sorted_at);
    let own = if head.id == session.id { i64::MIN } else { -session.condition.sorted_at.0 };
    (zone, -time.0, Some(&session.shown.root), own, &session.id)
}

fn query() -> impl Strategy<Value = PageQuery> {
    fn rarely<T: Clone + std::fmt::Debug + 'static>(
        values: Vec<T>,
    ) -> impl Strategy<Value = Option<T>> {
        prop::option::weighted(0.2, prop::sample::select(values))
    }
    let hours = |hours: [u64; 2]| rarely(hours.map(Duration::from_hours).to_vec());
    let sections =
        vec![SectionKey::pinned(), section("shop"), section("old"), SectionKey::conversations()];
    let words = (
        rarely(vec!["claude", "codex"]),
        rarely(vec![Status::Idle, Status::CiFailed, Status::Spawning]),
        rarely(vec![vec![Zone::Review], vec![Zone::Resting, Zone::Respond]]),
        rarely(vec!["cart", "shop"]),
    );
    let places = (
        rarely(sections),
        rarely(vec![name("shop"), name("api")]),
        rarely(vec![id("shop-0"), id("shop-21")]),
        rarely(vec![vec![id("shop-5"), id("old-3"), id("shop-0"), id("none")]]),
    );
    let facts = (
        rarely(vec![true, false]),
        rarely(vec![true, false]),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
        hours([1, 3]),
        hours([1, 3]),
    );
    (words, places, facts, prop::bool::weighted(0.2), any::<bool>()).prop_map(
        |(words, places, facts, deleted, by_zone)| PageQuery {
            filter: Filter {
                agents: words.0.map(str::to_owned).into_iter().collect(),
                statuses: words.1.into_iter().collect(),
                zones: words.2.unwrap_or_default(),
                text: words.3.map(str::to_owned),
                section: places.0,
                project: places.1,
                parent: places.2,
                ids: places.3.unwrap_or_default(),
                dirty: facts.0,
                pr: facts.1,
                exclude_pinned: facts.2,
                attention: facts.3,
                older_than: facts.4,
                younger_than: facts.5,
                batch: None,
            },
            deleted,
            order: if by_zone { Order::Zone } else { Order::Recent },
            limit: 100,
            ..PageQuery::default()
        },
    )
}

/// P5: agent, status, zone, text, age, uncommitted files, pull requests and the rest, combined; P2:
/// their order
#[test]
fn filters_combined_are_the_same_as_in_memory_p5() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let fixture = runtime.block_on(mixed());
    let all: BTreeMap<SessionId, Session> = runtime.block_on(async {
        let mut known = fixture.store.all_ids().await.unwrap();
        known.extend(fixture.store.tombstones().await.unwrap().into_iter().map(|one| one.id));
        let sessions = fixture.store.sessions(&known).await.unwrap();
        sessions.into_iter().map(|session| (session.id.clone(), session)).collect()
    });
    assert_eq!(all.len(), 32);
    let now = fixture.clock.now();
    let mut runner = TestRunner::new(Config { cases: 400, ..Config::default() });
    let checked = runner.run(&query(), |query| {
        let mut expected: Vec<&Session> =
            all.values().filter(|session| lets_through(&query, session, now)).collect();
        expected.sort_by(|a, b| place(&query, a, &all).cmp(&place(&query, b, &all)));
        let expected: Vec<String> = expected.iter().map(|session| session.id.to_string()).collect();
        let page = runtime.block_on(fixture.store.page(&query)).unwrap();
        prop_assert_eq!(page.total as usize, expected.len());
        prop_assert_eq!(ids(&page), &expected[..]);
        // Before the limit, and by offset from either end.
        let part = PageQuery { offset: expected.len() / 2 + 1, limit: 2, ..query };
        let page = runtime.block_on(fixture.store.page(&part)).unwrap();
        let rest = expected.into_iter().skip(part.offset).take(2).collect::<Vec<_>>();
        prop_assert_eq!(ids(&page), rest);
        Ok(())
    });
    checked.unwrap();
}
