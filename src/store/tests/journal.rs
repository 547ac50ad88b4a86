//! Operations and the audit (V1, W6).

use std::time::Duration;

use crate::domain::event::{Actor, Event};
use crate::domain::ids::OperationId;
use crate::domain::operation::{Asked, Operation, OperationState, StepResult, Verb};
use crate::domain::plan::Conditions;
use crate::domain::status::Status;
use crate::os::random;

use super::{Fixture, id};

/// V1, D5: an operation keeps what it was asked for, to the condition.
#[tokio::test]
async fn operations_are_found_until_they_are_finished_v1() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let asked = Asked {
        by: Actor::Operator.to_string(),
        pulled_in: vec![id("shop-2")],
        conditions: Conditions {
            section: Some(super::section("shop")),
            exclude_pinned: true,
            statuses: vec![Status::Idle],
            older_than: Some(Duration::from_hours(2)),
        },
        with_rowless: true,
        done: true,
        reason: Some(crate::domain::lifecycle::TerminationReason::PrMerged),
    };
    let mut operation = Operation {
        id: random::operation(),
        kind: Verb::Delete,
        state: OperationState::Running,
        step: None,
        started_at: fixture.clock.now(),
        ended_at: None,
        session_ids: vec![id("shop-1"), id("shop-2")],
        results: Vec::new(),
        error: None,
        asked: Some(asked.clone()),
    };
    store.begin(&operation).await.unwrap();
    let result = |state: &str| StepResult { id: id("shop-1"), state: state.into(), detail: None };
    store.step(&operation.id, "close", &[result("closed")]).await.unwrap();
    store.step(&operation.id, "move", &[result("moved")]).await.unwrap();
    operation.step = Some("move".into());
    operation.results = vec![result("moved")];
    assert_eq!(fixture.second().unfinished().await.unwrap(), [operation.clone()]);
    operation.state = OperationState::Stuck;
    store.finish(&operation).await.unwrap();
    assert_eq!(store.unfinished().await.unwrap().len(), 1);
    operation.state = OperationState::Done;
    operation.ended_at = Some(fixture.tick());
    store.finish(&operation).await.unwrap();
    assert_eq!(store.unfinished().await.unwrap(), []);
    let [kept] = &store.operations(5).await.unwrap()[..] else { panic!("one operation") };
    assert_eq!(kept, &operation);
    assert_eq!(kept.requested(), [id("shop-1")].into());
    assert_eq!(store.operation(&operation.id).await.unwrap(), Some(operation));
    assert_eq!(store.operation(&OperationId::new("other").unwrap()).await.unwrap(), None);
}

#[tokio::test]
async fn the_audit_is_newest_first_w6() {
    let fixture = Fixture::new();
    let event = |verb: &str, session: Option<&str>| Event {
        at: fixture.tick(),
        session: session.map(id),
        actor: Actor::Operator.to_string(),
        verb: verb.into(),
        from: None,
        to: None,
        cause: Some("asked".into()),
        operation: Some(random::operation()),
    };
    let events = [event("spawn", Some("shop-1")), event("open", None)];
    fixture.store.record(&events).await.unwrap();
    let [first, second] = events;
    assert_eq!(fixture.store.events(None, 9).await.unwrap(), [second, first.clone()]);
    assert_eq!(fixture.store.events(Some(&id("shop-1")), 9).await.unwrap(), [first]);
}

/// W6: 100,000 are kept, of every workspace together; the oldest goes with each that comes.
#[tokio::test]
async fn the_audit_is_bounded_and_drops_the_oldest() {
    let fixture = Fixture::new();
    let connection = super::super::connection::open(&fixture.home.database()).unwrap();
    connection
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100000)
             INSERT INTO events (workspace, at, actor, verb) SELECT 'other', n, 'x', 'old' FROM n",
        )
        .unwrap();
    let event = Event {
        at: fixture.tick(),
        session: None,
        actor: Actor::Operator.to_string(),
        verb: "new".into(),
        from: None,
        to: None,
        cause: None,
        operation: None,
    };
    fixture.store.record(&[event.clone(), event]).await.unwrap();
    let kept: (i64, i64, i64) = connection
        .query_row("SELECT count(*), min(at), sum(verb = 'new') FROM events", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!(kept, (100_000, 3, 2));
}
