//! Going on with what was handed over, or with what a crash left.

use crate::domain::lifecycle::State;
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::plan::Conditions;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::faults::{Fault, Faults};
use crate::host::report::{DeleteRequest, RestoreRequest, RestoreTarget};

use super::super::{NOW, OPERATOR, Recorder, host, id, ids, running};
use super::{request, with_child};

fn last(recorder: &Recorder) -> Operation {
    recorder.read(|m| m.operations.last().unwrap().clone())
}

fn deleted(recorder: &Recorder) -> Vec<&'static str> {
    let gone =
        |text: &&str| recorder.session_now(text).is_some_and(|session| session.deletion.is_some());
    ["a", "b", "c", "d"].into_iter().filter(gone).collect()
}

/// Deletes, and cancels when `at` is called, as a dashboard does that hands its jobs over.
async fn left(host: &Host<Recorder>, recorder: &Recorder, request: DeleteRequest, at: &str) {
    let caller = Context::new();
    let cancel = caller.cancel.clone();
    recorder.at(at, move |_| cancel.cancel());
    host.delete(&caller, request, &|_| true).await.unwrap_err();
    assert_eq!(last(recorder).state, OperationState::Cancelled);
}

fn pin(recorder: &Recorder, text: &str) {
    recorder.change(|m| m.sessions.get_mut(text).unwrap().pinned_at = Some(NOW));
}

/// D5: a delete that is gone on with has the conditions that it was asked for: pinned sessions go where
/// they were not excluded.
#[tokio::test]
async fn pinned_sessions_go_where_they_were_asked_for() {
    let pinned = Session { pinned_at: Some(NOW), ..running("a", None) };
    let (host, recorder) = host(vec![pinned, running("b", None)]);
    left(&host, &recorder, request(&["a", "b"]), "close a").await;
    host.again(&Context::new(), &last(&recorder)).await.unwrap();
    assert_eq!(deleted(&recorder), ["a", "b"]);
}

/// D5: every condition is tested again by whoever goes on with it, but not on what was closed for it what
/// closing changed.
#[tokio::test]
async fn conditions_hold_for_who_goes_on() {
    let status = running("a", None).condition.status;
    let conditions = || Conditions {
        section: Some(running("a", None).shown.section),
        exclude_pinned: true,
        statuses: vec![status],
        older_than: None,
    };
    let stage = || host(vec![running("a", None), running("b", None), running("c", None)]);
    let (host, recorder) = stage();
    let asked = DeleteRequest { conditions: conditions(), ..request(&["a", "b", "c"]) };
    left(&host, &recorder, asked.clone(), "begin").await;
    assert_eq!(last(&recorder).asked.unwrap().conditions, conditions());
    pin(&recorder, "b");
    recorder.change(|m| m.sessions.get_mut("c").unwrap().condition.status = Status::NeedsInput);
    host.again(&Context::new(), &last(&recorder)).await.unwrap();
    assert_eq!(deleted(&recorder), ["a"]);

    let (host, recorder) = stage();
    left(&host, &recorder, asked, "step close").await;
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Killed);
    pin(&recorder, "b");
    host.again(&Context::new(), &last(&recorder)).await.unwrap();
    assert_eq!(deleted(&recorder), ["a", "c"], "pinned is pinned, closed or not");
}

/// D2, D5: those that were pulled in are not tested by themselves, and do not go without what pulled them.
#[tokio::test]
async fn what_was_pulled_in_goes_only_with_what_pulled_it_in() {
    let (host, recorder) =
        host(vec![running("a", None), running("b", Some("a")), running("c", None)]);
    let conditions = Conditions { exclude_pinned: true, ..Conditions::default() };
    let asked = DeleteRequest { conditions, ..request(&["a", "c"]) };
    left(&host, &recorder, asked, "begin").await;
    assert_eq!(last(&recorder).requested(), ids(&["a", "c"]).into_iter().collect());
    pin(&recorder, "a");
    host.again(&Context::new(), &last(&recorder)).await.unwrap();
    assert_eq!(deleted(&recorder), ["c"]);
}

/// D3: who goes on admits what was admitted and no more.
#[tokio::test]
async fn who_goes_on_admits_nothing_new() {
    let (host, recorder) = host(vec![running("a", None)]);
    left(&host, &recorder, request(&["a"]), "begin").await;
    recorder.change(|m| with_child(m, "b", "a"));
    let error = host.again(&Context::new(), &last(&recorder)).await.unwrap_err();
    assert!(matches!(error, HostError::NotAdmitted));
    assert!(deleted(&recorder).is_empty() && recorder.read(|m| m.keepers.contains("b")));
}

/// D7: a runtime without a row is closed by who goes on, too.
#[tokio::test]
async fn runtimes_without_a_row_are_closed_by_who_goes_on() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|m| m.keepers.insert(id("lost")));
    left(&host, &recorder, request(&["a", "lost"]), "begin").await;
    host.again(&Context::new(), &last(&recorder)).await.unwrap();
    assert_eq!(deleted(&recorder), ["a"]);
    assert!(recorder.read(|m| m.keepers.is_empty()));
}

/// D7, R1: what was closed before a hand-over was live when it was deleted, and comes back marked so.
#[tokio::test]
async fn what_was_closed_before_a_hand_over_was_live() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    left(&host, &recorder, request(&["a", "b"]), "close b").await;
    assert!(recorder.read(|m| m.keepers.is_empty()));
    host.again(&Context::new(), &last(&recorder)).await.unwrap();
    for text in ["a", "b"] {
        assert!(recorder.session_now(text).unwrap().deletion.unwrap().was_live, "{text}");
    }
    let target = RestoreTarget::Last;
    let request = RestoreRequest { target, launch: false, to: None, actor: OPERATOR };
    let back = host.restore(&Context::new(), request).await.unwrap();
    assert_eq!(back.was_live_ids, ids(&["a", "b"]));
}

/// D7, V2: the same after a crash anywhere before the transaction, and after a second hand-over.
#[tokio::test]
async fn what_was_closed_before_a_crash_was_live() {
    for own_end in [false, true] {
        let points = std::sync::Arc::new(Faults::none());
        let (one, _) = host(vec![running("a", None), running("b", None)]);
        let ctx = Context::new().with_faults(points.clone());
        one.delete(&ctx, request(&["a", "b"]), &|_| true).await.unwrap();
        let passed = points.passed();
        let first = passed.iter().position(|point| point == "after closing the runtime").unwrap();
        let last_one = passed.iter().position(|p| p == "before writing the tombstones").unwrap();
        for (at, point) in passed.iter().enumerate().take(last_one + 1).skip(first) {
            let (host, recorder) = host(vec![running("a", None), running("b", None)]);
            let faults = std::sync::Arc::new(Faults::none().and(at, Fault::Crash));
            let ctx = Context::new().with_faults(faults.clone());
            tokio::select! {
                biased;
                () = faults.crashed() => {}
                _ = host.delete(&ctx, request(&["a", "b"]), &|_| true) => panic!("no crash at {at}"),
            }
            let ran: Vec<bool> =
                recorder.read(|m| ["a", "b"].map(|text| m.keepers.contains(text)).to_vec());
            assert!(ran.contains(&false), "{at}");
            if own_end {
                // The keeper of a wrote the end of its agent before it went.
                let a = recorder.session_now("a").unwrap();
                let killed = crate::domain::lifecycle::TerminationReason::ManuallyKilled;
                let condition = a.condition.clone().terminated(killed, &[], NOW);
                recorder.change(|m| m.sessions.insert(id("a"), Session { condition, ..a }));
                recorder.change(|m| m.keepers.remove("a"));
            }
            let operation = last(&recorder);
            host.resume(&Context::new(), &operation.id, &OPERATOR).await.unwrap();
            assert!(deleted(&recorder).is_empty());
            // Handed over twice: the second worker is stopped before it did anything.
            let stopped = Context::new();
            let cancel = stopped.cancel.clone();
            recorder.at("begin", move |_| cancel.cancel());
            host.again(&stopped, &last(&recorder)).await.unwrap_err();
            assert_ne!(last(&recorder).id, operation.id);
            host.again(&Context::new(), &last(&recorder)).await.unwrap();
            for text in ["a", "b"] {
                let deletion = recorder.session_now(text).unwrap().deletion;
                assert!(deletion.unwrap().was_live, "{text}, crash {point}");
            }
        }
    }
}

/// D5: of an operation that an older callboard began no conditions are known, so pinned sessions stay.
#[tokio::test]
async fn of_an_unknown_request_pinned_sessions_stay() {
    let pinned = Session { pinned_at: Some(NOW), ..running("a", None) };
    let (host, recorder) = host(vec![pinned, running("b", None)]);
    let operation = host.operation(Verb::Delete, ids(&["a", "b"]));
    assert_eq!(operation.asked, None);
    host.again(&Context::new(), &operation).await.unwrap();
    assert_eq!(deleted(&recorder), ["b"]);
}

/// K1: work that was being declared complete is complete when the stop is finished by another.
#[tokio::test]
async fn a_handed_over_done_is_done() {
    for crash in ["before closing the runtime", "before ending the row"] {
        let points = std::sync::Arc::new(Faults::none());
        let stop = async |host: &Host<Recorder>, ctx: &Context| {
            host.stop(ctx, &ids(&["a"]), &Conditions::default(), true, &OPERATOR).await
        };
        let (one, _) = host(vec![running("a", None)]);
        stop(&one, &Context::new().with_faults(points.clone())).await.unwrap();
        let at = points.passed().iter().position(|point| point == crash).unwrap();
        let (host, recorder) = host(vec![running("a", None)]);
        let faults = std::sync::Arc::new(Faults::none().and(at, Fault::Crash));
        let ctx = Context::new().with_faults(faults.clone());
        tokio::select! {
            biased;
            () = faults.crashed() => {}
            _ = stop(&host, &ctx) => panic!("no crash {crash}"),
        }
        host.resume(&Context::new(), &last(&recorder).id, &OPERATOR).await.unwrap();
        let state = recorder.session_now("a").unwrap().condition.lifecycle.state;
        assert_eq!(state, State::Done, "{crash}");
    }
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    let operation = host.operation(Verb::Stop, ids(&["a", "b"]));
    let asked = crate::domain::operation::Asked {
        done: true,
        conditions: Conditions { exclude_pinned: true, ..Conditions::default() },
        ..Default::default()
    };
    pin(&recorder, "b");
    let operation = Operation { asked: Some(asked), ..operation };
    host.again(&Context::new(), &operation).await.unwrap();
    let state = |text: &str| recorder.session_now(text).unwrap().condition.lifecycle.state;
    assert_eq!(state("a"), State::Done);
    assert_ne!(state("b"), State::Done);
}
