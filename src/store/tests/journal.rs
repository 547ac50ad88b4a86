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
