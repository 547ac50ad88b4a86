//! What is kept beside the sessions always equals what can be counted from them (P2, P3).

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::domain::activity::Activity;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Conditions;
use crate::domain::query::PageQuery;
use crate::domain::rail::{ProjectSetup, SectionKey, Shown, ZoneCounts, shown};
use crate::domain::session::Session;
use crate::os::random;

use super::super::columns::Columns;
use super::super::shown::Head;
use super::{Fixture, failing_pr, id, name, path, section, seed};
use crate::domain::trash::{TombstoneRow, Untombstone};

/// One random act on one of a dozen sessions.
#[derive(Debug, Clone)]
enum Act {
    Seed { project: usize, parent: Option<usize>, pinned: bool },
    Launch(usize),
    Observe(usize, Activity),
    Prompt(usize),
    Pin(usize, bool),
    Prs(usize, bool),
    Seen(usize),
    End(usize),
    Delete(Vec<usize>),
    RestoreLast,
    RestoreComponent(usize),
    Rollback(usize),
    Purge(usize),
    Hide(usize),
    Register(usize),
    Touch(usize),
}

const PROJECTS: [&str; 2] = ["shop", "api"];

fn act() -> impl Strategy<Value = Act> {
    let one = || 0..12_usize;
    let activity = prop::sample::select(Activity::ALL);
    prop_oneof![
        6 => (0..3_usize, prop::option::of(one()), prop::bool::weighted(0.1))
            .prop_map(|(project, parent, pinned)| Act::Seed { project, parent, pinned }),
        4 => one().prop_map(Act::Launch),
        4 => (one(), activity).prop_map(|(n, activity)| Act::Observe(n, activity)),
        2 => one().prop_map(Act::Prompt),
        3 => (one(), any::<bool>()).prop_map(|(n, pinned)| Act::Pin(n, pinned)),
        1 => (one(), any::<bool>()).prop_map(|(n, some)| Act::Prs(n, some)),
        1 => one().prop_map(Act::Seen),
        1 => one().prop_map(Act::End),
        2 => prop::collection::vec(one(), 1..4).prop_map(Act::Delete),
        1 => Just(Act::RestoreLast),
        1 => one().prop_map(Act::RestoreComponent),
        1 => one().prop_map(Act::Rollback),
        1 => one().prop_map(Act::Purge),
        1 => (0..2_usize).prop_map(Act::Hide),
        1 => (0..2_usize).prop_map(Act::Register),
        1 => one().prop_map(Act::Touch),
    ]
}

/// Performs acts; refusals of the store are part of the game.
struct Player {
    fixture: Fixture,
    ids: Vec<String>,
    sequence: u64,
}

impl Player {
    async fn play(&mut self, act: Act) {
        self.fixture.tick();
        let pick = |n: usize| self.ids.get(n % self.ids.len().max(1)).map(|text| id(text));
        let store = &self.fixture.store;
        match act {
            Act::Seed { project, parent, pinned } => {
                let project = ["shop", "api", "chat"][project];
                let session = format!("{project}-{}", self.ids.len() + 1);
                let mut seed = seed(&session, None);
                seed.parent = parent.and_then(pick);
                seed.pinned = pinned;
                if store.insert_seed(&seed).await.is_ok() {
                    self.ids.push(session);
                }
            }
            Act::Launch(n) => {
                let Some(session) = pick(n) else { return };
                let row = store.session(&session).await.unwrap();
                if let Some(row) = row.filter(|row| row.deletion.is_none()) {
                    let generation = row.condition.lifecycle.generation + 1;
                    self.fixture.launch(session.as_str(), generation).await;
                }
            }
            Act::Observe(n, activity) => {
                let Some(session) = pick(n) else { return };
                if let Some(row) = store.session(&session).await.unwrap() {
                    self.sequence += 1;
                    let generation = row.condition.lifecycle.published;
                    self.fixture.observe(session.as_str(), generation, self.sequence, activity);
                }
            }
            Act::Prompt(n) => {
                if let Some(session) = pick(n) {
                    let _ =
                        store.prompted(&session, "go", "operator", self.fixture.clock.now()).await;
                }
            }
            Act::Pin(n, pinned) => {
                store.pin(&pick(n).into_iter().collect::<Vec<_>>(), pinned).await.unwrap();
            }
            Act::Prs(n, some) => {
                if let Some(session) = pick(n) {
                    let prs = some.then(|| failing_pr(1)).into_iter().collect();
                    let _ = store.set_pr_facts(&session, prs).await;
                }
            }
            Act::Seen(n) => store.seen(&pick(n).into_iter().collect::<Vec<_>>()).await.unwrap(),
            Act::End(n) => {
                if let Some(session) = pick(n) {
                    let _ = store.end(&session, Some(TerminationReason::ManuallyKilled)).await;
                }
            }
            Act::Delete(numbers) => {
                let requested = numbers.into_iter().filter_map(pick).collect();
                let plan = store.plan_rows(&requested).await.unwrap();
                let rows: Vec<TombstoneRow> = plan
                    .rows
                    .into_iter()
                    .map(|row| TombstoneRow {
                        id: row.id,
                        was_live: row.live,
                        closed: false,
                        trash_path: None,
                    })
                    .collect();
                let conditions = Conditions::default();
                let batch = random::operation();
                store.tombstone(&requested, &conditions, &rows, &batch).await.unwrap();
            }
            Act::RestoreLast => {
                if let Some(batch) = store.last_batch().await.unwrap() {
                    let rows = store.batch(&batch).await.unwrap();
                    let _ = store.untombstone(&untombstones(&rows)).await;
                }
            }
            Act::RestoreComponent(n) => {
                if let Some(session) = pick(n) {
                    let rows = store.component(&session).await.unwrap();
                    store.untombstone(&untombstones(&rows)).await.unwrap();
                }
            }
            Act::Purge(n) => {
                if let Some(session) = pick(n) {
                    let tree = store.component(&session).await.unwrap();
                    let tree = tree.into_iter().map(|row| row.id).collect();
                    store.purge_rows(&[tree]).await.unwrap();
                }
            }
            Act::Hide(n) => drop(store.remove_project(&name(PROJECTS[n])).await),
            Act::Register(n) => {
                let (at, name) = (path(PROJECTS[n]), name(PROJECTS[n]));
                drop(store.add_project(&at, Some(name), true, ProjectSetup::default()).await);
            }
            Act::Touch(n) => {
                if let Some(session) = pick(n) {
                    store.rename(&session, "Another").await.unwrap();
                    store.set_dirty(&[(session.clone(), Some(2))]).await.unwrap();
                    let _ = store.clear_worktree(&session).await;
                    self.fixture.clock.advance(std::time::Duration::from_mins(11));
                    store.settle_due().await.unwrap();
                }
            }
            Act::Rollback(n) => {
                // A seed that was never published has no children in practice (C5), in the trash neither.
                let Some(session) = pick(n) else { return };
                let others: Vec<_> = self.ids.iter().map(|text| id(text)).collect();
                let rows = store.sessions(&others).await.unwrap();
                if rows.iter().all(|row| row.parent.as_ref() != Some(&session)) {
                    let _ = store.rollback_seed(&session).await;
                }
            }
        }
    }
}

fn untombstones(rows: &[Session]) -> Vec<Untombstone> {
    rows.iter().map(|row| Untombstone { id: row.id.clone(), folder: None }).collect()
}

/// Counts everything again from the sessions and compares.
async fn check(fixture: &Fixture) {
    let all = fixture.store.all_ids().await.unwrap();
    let sessions: BTreeMap<_, _> = fixture
        .store
        .sessions(&all)
        .await
        .unwrap()
        .into_iter()
        .map(|session| (session.id.clone(), session))
        .collect();
    let mut counts: BTreeMap<String, (u64, u64, ZoneCounts)> = BTreeMap::new();
    let mut placed: BTreeMap<String, u64> = BTreeMap::new();
    for session in sessions.values() {
        let expected = expected_shown(session, &sessions);
        assert_eq!(session.shown, expected, "{}", session.id);
        check_head(fixture, session, &sessions[&expected.root]).await;
        let entry = counts.entry(expected.section.to_string()).or_default();
        entry.0 += 1;
        entry.1 += u64::from(session.condition.attention.is_some());
        entry.2.add(session.condition.zone(), 1);
        *placed.entry(session.placement.key().to_string()).or_default() += 1;
    }
    let rail = fixture.store.sections().await.unwrap();
    for section in &rail {
        let counted = counts.remove(section.key.as_str()).unwrap_or_default();
        let kept = (section.total, section.attention, section.zones);
        assert_eq!(kept, counted, "{}", section.key);
        let pinned_shows = section.key != SectionKey::pinned() || section.total > 0;
        assert!(pinned_shows, "an empty pinned section is not listed");
    }
    // Those of a hidden project are counted nowhere (P1).
    let projects = fixture.store.projects().await.unwrap();
    let mut hidden = 0;
    for name in PROJECTS {
        if !projects.iter().any(|project| project.name.as_str() == name) {
            hidden += counts.remove(section(name).as_str()).map_or(0, |(total, ..)| total as usize);
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
    for project in projects {
        let counted = placed.get(section(project.name.as_str()).as_str()).copied();
        assert_eq!(project.sessions, counted.unwrap_or(0));
    }
    let page = fixture.store.page(&PageQuery::default()).await.unwrap();
    let shown = sessions.len() - hidden;
    assert_eq!((page.total as usize, page.sessions.len()), (shown, shown));
}

fn expected_shown(
    session: &Session,
    all: &BTreeMap<crate::domain::ids::SessionId, Session>,
) -> Shown<crate::domain::ids::SessionId> {
    let parent = session.parent.as_ref().and_then(|parent| all.get(parent));
    let parent = parent.map(|parent| (expected_shown(parent, all), parent.placement.key()));
    let parent = parent.as_ref().map(|(shown, key)| (shown, key));
    shown(&session.id, &session.placement, session.pinned_at.is_some(), parent)
}

/// The columns of a session's head are those of the head itself.
async fn check_head(fixture: &Fixture, session: &Session, head: &Session) {
    let session = session.id.clone();
    let kept = fixture
        .look(move |scope| {
            let sql = "SELECT head, head_zone, head_sort, head_pin FROM sessions WHERE id = ?1";
            let row = scope.conn.query_row(sql, [session.as_str()], |row| {
                let mut columns = Columns::of(row);
                Ok(Head {
                    id: columns.word()?,
                    zone: columns.get()?,
                    sort: columns.get()?,
                    pin: columns.get()?,
                })
            })?;
            Ok(row)
        })
        .await;
    let expected = Head {
        id: head.id.clone(),
        zone: head.condition.zone() as i64,
        sort: -head.condition.sorted_at.0,
        pin: head.pinned_at.map(|at| -at.0),
    };
    assert_eq!(kept, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// P1 to P3: totals, counts, and what is shown where equal a recount after any writes
    #[test]
    fn totals_equal_a_recount_after_any_acts(acts in prop::collection::vec(act(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new();
            for project in PROJECTS {
                fixture.project(project).await;
            }
            let mut player = Player { fixture, ids: Vec::new(), sequence: 0 };
            for act in acts {
                player.play(act).await;
            }
            check(&player.fixture).await;
        });
    }
}
