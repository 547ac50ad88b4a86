//! Admission, and what changes between the plan and the transaction.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::domain::ids::SessionId;
use crate::domain::operation::OperationState;
use crate::domain::plan::{Conditions, Plan};
use crate::domain::rail::SectionKey;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::{HostError, HostResult};
use crate::host::report::{DeleteReport, DeleteRequest, Progress};

use super::super::fake_world::Model;
use super::super::{NOW, Recorder, host, id, ids, running, seeded};
use super::{request, skipped, with_child};

/// Deletes with a guard that admits everything and is recorded like a call.
async fn delete(
    host: &Host<Recorder>,
    recorder: &Recorder,
    request: DeleteRequest,
) -> HostResult<DeleteReport> {
    let admit = |plan: &Plan| {
        let named: Vec<String> = plan.ids().iter().map(ToString::to_string).collect();
        recorder.call(&format!("admit {}", named.join(" ")), None, None).unwrap();
        true
    };
    host.delete(&Context::new(), request, &admit).await
}

/// What was admitted, closed, given to the transaction and reported, in order.
fn told(recorder: &Recorder) -> Vec<String> {
    let kinds = ["admit ", "close ", "tombstone", "finish "];
    let mut calls = recorder.calls();
    calls.retain(|call| kinds.iter().any(|kind| call.starts_with(kind)));
    calls
}

/// D3, D4, D6: a child that appears before the transaction makes it answer that the plan changed; the
/// locks are let go, the failure is reported, the new plan is admitted, and only then the child is closed.
#[tokio::test]
async fn a_child_that_appears_at_the_transaction_is_admitted_before_it_is_closed() {
    let (host, recorder) = host(vec![running("root", None)]);
    recorder.at("tombstone", |m| with_child(m, "child", "root"));
    for moment in ["finish failed", "admit child root"] {
        let lanes = recorder.lanes().clone();
        recorder.at(moment, move |_| assert!(lanes.is_empty(), "{moment}: the locks are free"));
    }
    let report = delete(&host, &recorder, request(&["root"])).await.unwrap();
    assert_eq!(
        told(&recorder),
        [
            "admit root",
            "close root",
            "tombstone",
            "finish failed",
            "admit child root",
            "close child",
            "tombstone",
            "finish done",
        ]
    );
    assert_eq!(report.runtime_closed_ids, ids(&["child", "root"]));
    assert_eq!(report.removed_session_ids, ids(&["child", "root"]));
    assert_eq!(report.attempts, 2);
    // The report of the failure: its plan, why, and what was closed so far.
    let [failed, done] = recorder.read(|m| [m.operations[0].clone(), m.operations[1].clone()]);
    assert_eq!(failed.session_ids, ids(&["root"]));
    assert_eq!(failed.error.as_deref(), Some("the plan changed: child came in"));
    assert_eq!(failed.in_state("closed"), [id("root")].into());
    assert_eq!((done.session_ids, done.state), (ids(&["child", "root"]), OperationState::Done));
    let deletion = recorder.session_now("root").unwrap().deletion.unwrap();
    assert!(deletion.was_live, "closed by the first attempt");
}

/// D4: under all locks the plan is computed again before any close; nothing is closed before the new one
/// was admitted.
#[tokio::test]
async fn a_plan_that_changed_before_the_locks_closes_nothing_until_it_is_admitted() {
    let (host, recorder) = host(vec![running("root", None)]);
    recorder.at("admit root", |m| with_child(m, "child", "root"));
    let report = delete(&host, &recorder, request(&["root"])).await.unwrap();
    assert_eq!(
        told(&recorder),
        [
            "admit root",
            "finish failed",
            "admit child root",
            "close child",
            "close root",
            "tombstone",
            "finish done",
        ]
    );
    assert_eq!(report.runtime_closed_ids, ids(&["child", "root"]));
    let failed = recorder.read(|m| m.operations[0].clone());
    assert_eq!(failed.error.as_deref(), Some("the plan changed: child came in"));
    assert!(failed.results.is_empty(), "nothing was closed so far");
}

/// D4: the second look is under all locks; the pause before the next attempt is short.
#[tokio::test(start_paused = true)]
async fn the_second_look_is_under_the_locks_and_a_pause_comes_before_the_next_attempt() {
    let (host, recorder) = host(vec![running("a", None), running("b", Some("a"))]);
    let admitted_at = std::sync::Mutex::new(Vec::new());
    let admit = |_: &Plan| {
        let mut admitted_at = admitted_at.lock().unwrap();
        admitted_at.push(tokio::time::Instant::now());
        let (lanes, first) = (recorder.lanes().clone(), admitted_at.len() == 1);
        recorder.at("plan_rows", move |m| {
            assert!(!lanes.is_empty(), "the locks are held");
            if first {
                with_child(m, "c", "b");
            }
        });
        true
    };
    host.delete(&Context::new(), request(&["a"]), &admit).await.unwrap();
    let [first, second] = admitted_at.into_inner().unwrap()[..] else { panic!("admitted twice") };
    assert!(second > first && second - first <= Duration::from_millis(60));
}

/// D4: five attempts at most, then an error that names the difference; closed ids accumulate, sorted and
/// unique; each is closed once.
#[tokio::test]
async fn a_plan_that_keeps_changing_is_given_up_naming_the_difference() {
    let (host, recorder) = host(vec![running("z", None)]);
    let count = AtomicUsize::new(0);
    let admit = |_: &Plan| {
        let child = format!("b{}", count.fetch_add(1, Ordering::SeqCst));
        recorder.at("step tombstone", move |m| with_child(m, &child, "z"));
        true
    };
    let error = host.delete(&Context::new(), request(&["z"]), &admit).await.unwrap_err();
    assert_eq!(count.into_inner(), 5);
    let HostError::Stopped { cause, closed } = &error else { panic!("{error}") };
    let HostError::PlanKeepsChanging { attempts: 5, difference } = &**cause else {
        panic!("{error}")
    };
    assert_eq!(difference, "b4 came in");
    assert_eq!(*closed, ids(&["b0", "b1", "b2", "b3", "z"]));
    let closes = recorder.acts().into_iter().filter(|call| call.starts_with("close"));
    assert_eq!(closes.collect::<BTreeSet<_>>().len(), 5);
    let z = recorder.session_now("z").unwrap();
    assert_eq!((z.condition.status, z.deletion), (Status::Killed, None));
    let reported = recorder.calls().iter().filter(|call| *call == "finish failed").count();
    assert_eq!(reported, 5, "one report for each attempt");
}

/// D3: the guard sees the exact plan before any effect; refused, no runtime is closed, no row is touched,
/// nothing is reported.
#[tokio::test]
async fn what_is_refused_has_no_effect() {
    let (host, recorder) = host(vec![running("a", None), running("b", Some("a"))]);
    let mut progress = host.subscribe();
    let before = recorder.read(|m| m.sessions.clone());
    let saw = std::sync::Mutex::new(Vec::new());
    let refuse = |plan: &Plan| {
        saw.lock().unwrap().extend(plan.ids());
        false
    };
    let error = host.delete(&Context::new(), request(&["a"]), &refuse).await.unwrap_err();
    assert!(matches!(error, HostError::NotAdmitted));
    assert_eq!(saw.into_inner().unwrap(), ids(&["a", "b"]));
    assert_eq!(recorder.calls(), ["plan_rows"]);
    recorder.read(|m| assert!(m.sessions == before && m.operations.is_empty()));
    assert!(recorder.read(|m| m.keepers.len() == 2 && m.events.is_empty()));
    assert!(progress.try_recv().is_err(), "no report");
}

/// D3, D4: a plan that is refused at a later attempt ends the delete; what was closed by then is named, and
/// asking again goes on from there (D5): it counts as live, and as it was when it was closed.
#[tokio::test]
async fn a_refusal_after_a_change_names_what_was_closed_and_can_be_granted_later() {
    let (host, recorder) = host(vec![running("a", None)]);
    let status = recorder.session_now("a").unwrap().condition.status;
    let conditions = Conditions { statuses: vec![status], ..Conditions::default() };
    let request = DeleteRequest { conditions, ..request(&["a"]) };
    recorder.at("tombstone", |m| with_child(m, "b", "a"));
    let only_a = |plan: &Plan| plan.ids() == ids(&["a"]);
    let error = host.delete(&Context::new(), request.clone(), &only_a).await.unwrap_err();
    assert!(error.is_not_admitted());
    assert_eq!(error.closed(), ids(&["a"]));
    assert!(recorder.read(|m| m.keepers.contains("b")), "the new one runs on");
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Killed);

    let again = DeleteRequest { closed: [id("a")].into(), ..request };
    let report = host.delete(&Context::new(), again, &|_| true).await.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a", "b"]));
    assert_eq!(report.runtime_closed_ids, ids(&["a", "b"]));
    assert!(recorder.session_now("a").unwrap().deletion.unwrap().was_live);
}

/// The reason that is told, the condition that notices, and what happens to the root.
type Loss = (&'static str, Conditions, fn(Session) -> Session);

/// What no longer holds.
fn losses() -> Vec<Loss> {
    let none = Conditions::default;
    let shop = seeded("x", None).shown.section;
    vec![
        ("pinned", Conditions { exclude_pinned: true, ..none() }, |s| Session {
            pinned_at: Some(NOW),
            ..s
        }),
        ("other_section", Conditions { section: Some(shop), ..none() }, |mut s| {
            s.shown.section = SectionKey::conversations();
            s
        }),
        ("other_status", Conditions { statuses: vec![Status::Spawning], ..none() }, |mut s| {
            s.condition.status = Status::Working;
            s
        }),
        (
            "too_young",
            Conditions { older_than: Some(Duration::from_secs(5)), ..none() },
            |mut s| {
                s.condition.last_activity_at = Some(NOW);
                s
            },
        ),
    ]
}

fn old(mut session: Session) -> Session {
    session.condition.status = Status::Spawning;
    session.condition.last_activity_at = Some(NOW.minus(Duration::from_hours(1)));
    session
}

fn lose(m: &mut Model, change: fn(Session) -> Session) {
    let root = m.sessions.remove("root").unwrap();
    m.sessions.insert(id("root"), change(root));
}

/// D4, D5: a root that no longer satisfies a condition under the locks is skipped with the reason; nothing is
/// closed, nothing deleted.
#[tokio::test]
async fn a_condition_that_no_longer_holds_under_the_locks_closes_nothing() {
    for (reason, conditions, change) in losses() {
        let root = old(running("root", None));
        let (host, recorder) = host(vec![root, running("child", Some("root"))]);
        recorder.at("admit child root", move |m| lose(m, change));
        let request = DeleteRequest { conditions, ..request(&["root"]) };
        let report = delete(&host, &recorder, request).await.unwrap();
        assert_eq!(told(&recorder), ["admit child root", "finish failed"], "{reason}");
        assert_eq!(skipped(&report), [("root", reason)]);
        assert!(report.removed_session_ids.is_empty() && report.runtime_closed_ids.is_empty());
        assert!(recorder.read(|m| m.keepers.len() == 2));
    }
}

/// D5: the transaction tests all conditions once more, on every session whose runtime was not closed for
/// this delete.
#[tokio::test]
async fn a_condition_that_no_longer_holds_at_the_transaction_deletes_nothing() {
    for (reason, conditions, change) in losses() {
        let ended = |text| Session { parent: None, ..old(seeded(text, None)) };
        let (host, recorder) = host(vec![ended("root"), old(running("live", None))]);
        recorder.at("tombstone", move |m| lose(m, change));
        let request = DeleteRequest { conditions, ..request(&["live", "root"]) };
        let report = delete(&host, &recorder, request).await.unwrap();
        assert_eq!(report.removed_session_ids, ids(&["live"]), "{reason}");
        assert_eq!(skipped(&report), [("root", reason)]);
        assert!(recorder.session_now("root").unwrap().deletion.is_none());
        assert!(recorder.session_now("live").unwrap().deletion.unwrap().was_live);
    }
}

/// D5: closing changes status and last activity, and that does not make a session fail its own condition.
#[tokio::test]
async fn what_closing_changes_is_not_held_against_a_session() {
    let (host, recorder) = host(vec![old(running("a", None))]);
    let older_than = Some(Duration::from_mins(5));
    let statuses = vec![Status::Spawning];
    let conditions = Conditions { statuses, older_than, ..Conditions::default() };
    // The keeper writes the end of the agent before the transaction; a child makes a second attempt.
    recorder.at("step close", |m| {
        let mut a = m.sessions.remove("a").unwrap();
        a.condition.status = Status::Killed;
        a.condition.last_activity_at = Some(NOW);
        m.sessions.insert(id("a"), a);
    });
    recorder.at("tombstone", |m| with_child(m, "b", "a"));
    let request = DeleteRequest { conditions, ..request(&["a"]) };
    let report = delete(&host, &recorder, request).await.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a", "b"]));
    assert_eq!(skipped(&report), []);
}

/// D3, D7: an admitted runtime without a row is part of the plan that the guard sees.
#[tokio::test]
async fn the_guard_sees_runtimes_without_a_row_too() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|m| m.keepers.insert(id("lost")));
    delete(&host, &recorder, request(&["a", "lost"])).await.unwrap();
    let close: Vec<SessionId> = ids(&["a", "lost"]);
    assert_eq!(
        told(&recorder)[..3],
        ["admit a lost".to_owned(), format!("close {}", close[0]), format!("close {}", close[1])]
    );
}

/// D14: what changed is told to whoever listens: the failed attempt ends, the next one begins.
#[tokio::test]
async fn every_attempt_is_told_to_its_end() {
    let (host, recorder) = host(vec![running("a", None)]);
    let mut progress = host.subscribe();
    recorder.at("tombstone", |m| with_child(m, "b", "a"));
    delete(&host, &recorder, request(&["a"])).await.unwrap();
    let mut told = Vec::new();
    while let Ok(event) = progress.try_recv() {
        match event {
            Progress::Began { total, .. } => told.push(format!("began {total}")),
            Progress::Ended { .. } => told.push("ended".to_owned()),
            Progress::Session { .. } | Progress::Waits { .. } | Progress::Waited { .. } => {}
        }
    }
    assert_eq!(told, ["began 1", "ended", "began 2", "ended"]);
}
