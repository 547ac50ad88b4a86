//! From seed to end: ids, facts, publish, and what the session shows of it.

use crate::domain::activity::{Activity, Question};
use crate::domain::error::ErrorKind;
use crate::domain::ids::ProjectName;
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::probe::{Answer, Evidence};
use crate::domain::status::{Attention, Status};

use super::super::StoreError;
use super::{Fixture, exit, facts, failing_pr, id, seed};
use crate::domain::worktree::Worktree;

/// S3: numbers come from a counter that passes over ids in use.
#[tokio::test]
async fn a_number_is_never_given_twice_s3() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let shop = ProjectName::new("shop").unwrap();
    assert_eq!(store.reserve_id(Some(&shop)).await.unwrap(), id("shop-1"));
    fixture.seed("shop-1", None).await;
    store.rollback_seed(&id("shop-1")).await.unwrap();
    store.rollback_seed(&id("shop-1")).await.unwrap();
    assert_eq!(store.reserve_id(Some(&shop)).await.unwrap(), id("shop-2"));
    fixture.seed("shop-3", None).await;
    assert_eq!(fixture.second().reserve_id(Some(&shop)).await.unwrap(), id("shop-4"));
    assert_eq!(store.reserve_id(None).await.unwrap(), id("chat-1"));
}

/// C9, S3, S1, S4: the id and the parent are looked at in the transaction that writes the seed row.
#[tokio::test]
async fn a_seed_needs_a_free_id_and_its_parent_c9() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let again = fixture.store.insert_seed(&seed("shop-1", None)).await;
    assert_eq!(again, Err(StoreError::IdInUse { id: id("shop-1") }));
    let orphan = fixture.store.insert_seed(&seed("shop-2", Some("shop-9"))).await;
    assert!(matches!(orphan, Err(StoreError::NoParent { .. })), "{orphan:?}");
    let itself = fixture.store.insert_seed(&seed("shop-2", Some("shop-2"))).await;
    assert!(matches!(itself, Err(StoreError::NoParent { .. })), "{itself:?}");
    fixture.live("shop-3", Some("shop-1")).await;
    let grandchild = fixture.seed("api-1", Some("shop-3")).await;
    assert_eq!(grandchild.root, id("shop-1"));
}

/// C4, S5: facts are stored before publish and folded by it; a published row is not rolled back.
#[tokio::test]
async fn facts_count_from_publish_on_c4() {
    let fixture = Fixture::new();
    let session = fixture.seed("shop-1", None).await;
    assert_eq!(session.condition.status, Status::Spawning);
    let tree = Worktree {
        path: "/w/shop-1".into(),
        branch: "b".into(),
        base: "c0ffee".into(),
        new_branch: true,
    };
    fixture.store.set_worktree(&id("shop-1"), &tree).await.unwrap();
    fixture.observe("shop-1", 1, 1, Activity::Blocked);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Spawning);

    fixture.launch("shop-1", 1).await;
    let session = fixture.get("shop-1").await;
    assert_eq!(session.condition.status, Status::NeedsInput);
    assert_eq!(session.condition.attention, Some(Attention::Permission));
    assert_eq!(session.branch.as_deref(), Some("b"));
    assert_eq!(session.base.as_deref(), Some("c0ffee"));
    assert_eq!(session.launch.agent_session_id.as_deref(), Some("conversation"));
    assert_eq!(session.runtime.pid, Some(11));
    assert!(session.is_live());
    let wrong = fixture.store.publish(&id("shop-1"), 2).await;
    assert!(matches!(wrong, Err(StoreError::OtherGeneration { wanted: 2, found: 1, .. })));
    let rolled = fixture.store.rollback_seed(&id("shop-1")).await.unwrap_err();
    assert_eq!(rolled.kind(), ErrorKind::Refused);
}

/// W5, S5, D13: compare-and-set on (generation, sequence): older facts are dropped, those of a newer
/// launch wait for its publish.
#[tokio::test]
async fn older_facts_never_replace_newer_ones_w5() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.observe("shop-1", 1, 5, Activity::Idle);
    fixture.observe("shop-1", 1, 5, Activity::Active);
    fixture.observe("shop-1", 1, 4, Activity::Active);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Idle);

    fixture.store.end(&id("shop-1"), Some(TerminationReason::ManuallyKilled)).await.unwrap();
    fixture.observe("shop-1", 1, 6, Activity::Active);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Killed);
    fixture.observe("shop-1", 2, 1, Activity::WaitingInput);
    fixture.launch("shop-1", 2).await;
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::NeedsInput);
    fixture.observe("shop-1", 1, 9, Activity::Active);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::NeedsInput);
}

/// A4: the exit that a keeper saw, with its code
#[tokio::test]
async fn an_exit_ends_the_session_with_its_code_a4() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let now = fixture.tick();
    let mut last = facts(1, 2, Activity::Exited, now);
    last.exit = Some(exit(now));
    last.question = Some(Question {
        id: "q".into(),
        kind: "question".into(),
        text: "Go?".into(),
        options: vec!["yes".into()],
        selected: None,
        unnumbered: false,
    });
    fixture.writer("shop-1").write(&last, now).unwrap();
    let session = fixture.get("shop-1").await;
    assert_eq!(session.condition.lifecycle.reason, Some(TerminationReason::AgentProcessExited));
    assert_eq!(session.runtime.exit_code, Some(3));
    assert_eq!(session.condition.question, None);
    let events = fixture.store.events(Some(&id("shop-1")), 10).await.unwrap();
    assert_eq!(events[0].to.as_deref(), Some("killed"));
    assert_eq!(events[0].from.as_deref(), Some("working"));
    assert_eq!(events[0].cause.as_deref(), Some("title"));

    // The stop that made it exit has the last word.
    fixture.store.end(&id("shop-1"), None).await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.lifecycle.state, State::Done);
}

/// C6, S2, A5: an end is final; a parked session is errored with the text.
#[tokio::test]
async fn an_end_is_final_and_a_parked_session_says_why_c6() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.store.end(&id("shop-1"), None).await.unwrap();
    fixture.store.end(&id("shop-1"), Some(TerminationReason::PrMerged)).await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.lifecycle.state, State::Done);
    let missing = fixture.store.end(&id("shop-9"), None).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);

    fixture.seed("shop-2", None).await;
    fixture.store.park(&id("shop-2"), "no such program").await.unwrap();
    let parked = fixture.get("shop-2").await;
    assert_eq!(parked.condition.status, Status::Errored);
    assert_eq!(parked.error.as_deref(), Some("no such program"));
    fixture.store.set_error(&id("shop-2"), None).await.unwrap();
    assert_eq!(fixture.get("shop-2").await.error, None);
}

/// A4, S5: a probe is of one launch
#[tokio::test]
async fn probes_of_older_launches_are_dropped_a4() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.clock.advance(std::time::Duration::from_mins(5));
    let dead = Evidence { keeper: Answer::No, process: Answer::No, kill_requested: None };
    let stale = [(id("shop-1"), 0, dead.clone()), (id("shop-9"), 1, dead.clone())];
    assert_eq!(fixture.store.probed(&stale).await.unwrap(), []);
    let changed = fixture.store.probed(&[(id("shop-1"), 1, dead)]).await.unwrap();
    assert_eq!(changed, [id("shop-1")]);
    assert!(fixture.store.live().await.unwrap().is_empty());
}

/// T4: `retrying` after 2 minutes, by time alone
#[tokio::test]
async fn timed_rules_are_applied_when_due_t4() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.observe("shop-1", 1, 2, Activity::Retrying);
    fixture.store.settle_due().await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.attention, None);
    fixture.clock.advance(std::time::Duration::from_mins(3));
    assert_eq!(fixture.store.due(fixture.clock.now()).await.unwrap().len(), 1);
    fixture.store.settle_due().await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.attention, Some(Attention::Retrying));
    assert!(fixture.store.due(fixture.clock.now()).await.unwrap().is_empty());
}

/// W5: a newer binary derives again; an older keeper then writes facts only, and an older console
/// leaves what was derived alone
#[tokio::test]
async fn newer_rules_derive_again_and_take_in_what_an_older_keeper_only_stored_w5() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    fixture.observe("shop-2", 1, 2, Activity::Retrying);
    let set = |value: i64| {
        let connection = super::super::connection::open(&fixture.home.database()).unwrap();
        connection.execute("UPDATE meta SET value = ?1", [value]).unwrap();
    };
    set(2);
    fixture.observe("shop-1", 1, 2, Activity::Idle);
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Working);
    fixture.clock.advance(std::time::Duration::from_mins(3));
    fixture.store.settle_due().await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Working);
    assert_eq!(fixture.get("shop-2").await.condition.attention, None);
    set(0);
    fixture.second();
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Idle);
    assert_eq!(fixture.get("shop-2").await.condition.attention, Some(Attention::Retrying));
}

/// S1: a prompt starts a turn, and its start is the sort time
#[tokio::test]
async fn a_prompt_starts_a_turn_and_is_kept_q2() {
    let fixture = Fixture::new();
    let before = fixture.live("shop-1", None).await;
    fixture.tick();
    fixture.store.prompted(&id("shop-1"), "Go on", "operator", fixture.clock.now()).await.unwrap();
    let after = fixture.get("shop-1").await;
    assert_eq!(after.condition.turn, before.condition.turn + 1);
    assert_eq!(after.condition.sorted_at, fixture.clock.now());
    let messages = fixture.store.messages(&id("shop-1"), usize::MAX).await.unwrap();
    assert_eq!((messages[0].text.as_str(), messages[0].source.as_str()), ("Go on", "operator"));

    let long = "x".repeat(3 << 20);
    fixture.store.prompted(&id("shop-1"), &long, "agent", fixture.clock.now()).await.unwrap();
    fixture.store.prompted(&id("shop-1"), &long, "agent", fixture.clock.now()).await.unwrap();
    assert_eq!(fixture.store.messages(&id("shop-1"), usize::MAX).await.unwrap().len(), 1);
}

/// T1, T4: seen is stored
#[tokio::test]
async fn pull_requests_change_status_and_attention_until_seen_t4() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.tick();
    let prs = vec![failing_pr(7), failing_pr(4)];
    fixture.store.set_pr_facts(&id("shop-1"), prs).await.unwrap();
    let session = fixture.get("shop-1").await;
    assert_eq!(session.condition.attention, Some(Attention::CiFailed));
    assert_eq!(session.prs, [failing_pr(4), failing_pr(7)]);
    fixture.store.seen(&[id("shop-1"), id("shop-9")]).await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.attention, None);
    fixture.store.set_pr_facts(&id("shop-1"), Vec::new()).await.unwrap();
    assert_eq!(fixture.get("shop-1").await.condition.status, Status::Working);
}

/// W1: many write at once, and none is refused
#[tokio::test]
async fn keepers_and_the_store_write_at_once_w1() {
    let fixture = Fixture::new();
    let names: Vec<String> = (1..=6).map(|n| format!("shop-{n}")).collect();
    for name in &names {
        fixture.live(name, None).await;
    }
    let now = fixture.tick();
    let keepers: Vec<_> = names
        .iter()
        .map(|name| {
            let mut writer = fixture.writer(name);
            std::thread::spawn(move || {
                for sequence in 2..80 {
                    let even = sequence % 2 == 0;
                    let value = if even { Activity::Idle } else { Activity::Blocked };
                    writer.write(&facts(1, sequence, value, now), now).unwrap();
                }
            })
        })
        .collect();
    for n in 0..40 {
        let title = format!("Title {n}");
        assert!(fixture.store.rename(&id("shop-1"), &title).await.unwrap());
        let rail = fixture.store.sections().await.unwrap();
        assert!(rail.iter().all(|section| section.attention <= section.total));
    }
    for keeper in keepers {
        keeper.join().unwrap();
    }
    for name in &names {
        assert_eq!(fixture.get(name).await.condition.attention, Some(Attention::Permission));
    }
}

#[tokio::test]
async fn a_keeper_follows_the_database_when_it_is_replaced() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    let mut writer = fixture.writer("shop-1");
    let database = fixture.home.database();
    let copy = database.with_extension("copy");
    let connection = super::super::connection::open(&database).unwrap();
    connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let moved = database.with_extension("moved");
    std::fs::rename(&database, &moved).unwrap();
    let now = fixture.tick();
    let gone = writer.write(&facts(1, 2, Activity::Idle, now), now);
    assert!(matches!(gone, Err(StoreError::Open { .. })), "{gone:?}");

    std::fs::rename(&copy, &database).unwrap();
    for suffix in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{}{suffix}", database.display())).unwrap();
    }
    writer.write(&facts(1, 2, Activity::Idle, now), now).unwrap();
    let activity: String = super::super::connection::open(&database)
        .unwrap()
        .query_row("SELECT activity FROM facts", [], |row| row.get(0))
        .unwrap();
    assert_eq!(activity, "idle");
}
