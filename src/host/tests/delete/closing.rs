//! Closing runtimes, and what a delete tells while it runs.

use std::time::Duration;

use tokio::time::Instant;

use crate::domain::error::ErrorKind;
use crate::domain::operation::OperationState;
use crate::domain::session::{FolderKind, Session};
use crate::domain::status::Status;
use crate::host::context::{CLOSE, Context, TERM_AFTER};
use crate::host::error::HostError;
use crate::host::report::Progress;

use super::super::{OPERATOR, Recorder, host, id, ids, running, seeded};
use super::{delete, request, skipped, with_child};

fn closes(recorder: &Recorder) -> Vec<String> {
    let mut calls = recorder.calls();
    calls.retain(|call| call.starts_with("close "));
    calls
}

async fn a_while() {
    for _ in 0..300 {
        tokio::task::yield_now().await;
    }
}

/// D6: runtimes are closed in ascending order, up to 16 at a time.
#[tokio::test(start_paused = true)]
async fn sixteen_runtimes_close_at_a_time_in_ascending_order() {
    let names: Vec<String> = (10..40).map(|n| format!("s{n}")).collect();
    let (host, recorder) = host(names.iter().map(|name| running(name, None)).collect());
    recorder.hang("close");
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut deleting = Box::pin(delete(&host, request(&wanted)));
    tokio::select! {
        biased;
        () = a_while() => {}
        _ = &mut deleting => panic!("nothing has ended"),
    }
    let first: Vec<String> = names[..16].iter().map(|name| format!("close {name}")).collect();
    assert_eq!(closes(&recorder), first);
    let report = deleting.await.0.unwrap();
    assert_eq!(report.skipped.len(), 30);
    assert!(closes(&recorder).is_sorted());
}

/// D6: a delete waits for whoever holds a session's lane, and closes nothing meanwhile.
#[tokio::test]
async fn a_delete_waits_for_the_lane_of_every_session() {
    let (host, recorder) = host(vec![running("a", None), running("b", Some("a"))]);
    let lane = recorder.lanes().enter("b").await;
    let mut deleting = Box::pin(delete(&host, request(&["a"])));
    tokio::select! {
        biased;
        () = a_while() => {}
        _ = &mut deleting => panic!("the lane is held"),
    }
    assert_eq!(recorder.calls(), ["plan_rows", "own"], "admitted, nothing done");
    drop(lane);
    let (report, admitted) = deleting.await;
    assert_eq!(report.unwrap().removed_session_ids, ids(&["a", "b"]));
    assert_eq!(admitted.len(), 1);
}

/// D1, D12: clear goes the same way as a delete of a root alone: children are closed with it, all before the
/// one transaction.
#[tokio::test]
async fn children_are_closed_with_their_root_and_clear_goes_the_same_way() {
    let stage = || host(vec![running("a", None), running("b", Some("a")), running("c", Some("b"))]);
    let (one, first) = stage();
    let report = delete(&one, request(&["a"])).await.0.unwrap();
    assert_eq!(report.runtime_closed_ids, ids(&["a", "b", "c"]));
    assert_eq!(first.acts()[..4], ["close a", "close b", "close c", "tombstone"]);
    let (all, second) = stage();
    let clear = all.clear_request(OPERATOR).await.unwrap();
    let (cleared, admitted) = delete(&all, clear).await;
    assert_eq!(admitted, [ids(&["a", "b", "c"])]);
    assert_eq!(cleared.unwrap().removed_session_ids, report.removed_session_ids);
    assert_eq!(second.calls(), first.calls());
}

/// D8: a store that cannot delete a batch as one is refused before anything is done.
#[tokio::test]
async fn without_batches_nothing_is_closed() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|m| m.without_batches = true);
    let (report, admitted) = delete(&host, request(&["a"])).await;
    let error = report.unwrap_err();
    assert!(matches!(error, HostError::BatchUnavailable));
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(admitted.is_empty() && recorder.calls().is_empty());
    assert!(recorder.read(|m| m.keepers.contains("a")));
}

/// D8: deleting what is gone succeeds and does nothing.
#[tokio::test]
async fn a_replay_does_nothing() {
    let (host, recorder) = host(vec![running("a", None)]);
    delete(&host, request(&["a"])).await.0.unwrap();
    let before = recorder.read(|m| (m.sessions.clone(), m.operations.len(), m.events.len()));
    recorder.forget();
    let (report, admitted) = delete(&host, request(&["a"])).await;
    let report = report.unwrap();
    assert_eq!(skipped(&report), [("a", "in_trash")]);
    assert!(report.removed_session_ids.is_empty() && report.runtime_closed_ids.is_empty());
    assert!(report.cleanup_failed_ids.is_empty() && report.escalated_ids.is_empty());
    assert_eq!((report.batch, report.removed_messages), (None, 0));
    assert!(admitted.is_empty());
    assert_eq!(recorder.calls(), ["plan_rows"]);
    let after = recorder.read(|m| (m.sessions.clone(), m.operations.len(), m.events.len()));
    assert_eq!(after, before);
}

/// D6, D7: a runtime without a row that does not end is skipped, and no other is.
#[tokio::test(start_paused = true)]
async fn a_stubborn_runtime_without_a_row_is_skipped() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|m| m.keepers.extend(ids(&["lost", "more"])));
    recorder.hang("close lost");
    let report = delete(&host, request(&["a", "lost", "more"])).await.0.unwrap();
    assert_eq!(report.removed_session_ids, ids(&["a"]));
    assert_eq!(report.runtime_closed_ids, ids(&["a", "more"]));
    assert_eq!(skipped(&report), [("lost", "did_not_end")]);
    let (alone, _) = delete(&host, request(&["lost"])).await;
    assert_eq!(skipped(&alone.unwrap()), [("lost", "did_not_end")]);
}

/// D14: each session's way is told: waiting, closing, escalated, deleted, moved or done; skipped and failed.
/// That it takes more than the polite way is told when it does, and ten seconds are the end (section 4).
#[tokio::test(start_paused = true)]
async fn progress_is_told_for_each_session() {
    let sessions = vec![
        running("a", None),
        Session { folder_kind: FolderKind::None, ..seeded("chat", None) },
        running("slow", None),
        seeded("unmoved", None),
    ];
    let (host, recorder) = host(sessions);
    recorder.hang("close slow");
    recorder.fail("move_to_trash /worktrees/unmoved");
    let mut progress = host.subscribe();
    let began = Instant::now();
    let listener = tokio::spawn(async move {
        let mut told = Vec::new();
        while let Ok(event) = progress.recv().await {
            match event {
                Progress::Session { id, state, .. } => told.push((id, state, began.elapsed())),
                Progress::Ended { .. } => break,
                Progress::Began { total, .. } => assert_eq!(total, 4),
                Progress::Waits { .. } | Progress::Waited { .. } => {}
            }
        }
        told
    });
    let report = delete(&host, request(&["a", "chat", "slow", "unmoved"])).await.0.unwrap();
    let told = listener.await.unwrap();
    let way = |text: &str| -> Vec<&str> {
        told.iter().filter(|one| one.0 == id(text)).map(|one| one.1).collect()
    };
    assert_eq!(way("a"), ["waiting", "closing", "deleted", "moved"]);
    assert_eq!(way("chat"), ["deleted", "done"]);
    assert_eq!(way("slow"), ["waiting", "closing", "escalated", "failed", "skipped"]);
    assert_eq!(way("unmoved"), ["deleted", "failed"]);
    let at = |state| told.iter().find(|one| one.0 == id("slow") && one.1 == state).unwrap().2;
    let near = |time: Duration, expected| time >= expected && time < expected + TERM_AFTER / 10;
    assert!(near(at("escalated"), TERM_AFTER) && near(at("failed"), CLOSE), "{told:?}");
    assert_eq!(report.cleanup_failed_ids, ids(&["unmoved"]));
    assert!(recorder.session_now("slow").unwrap().is_live());
}

/// D14: it can be cancelled until the transaction starts, at every step before; after that it is done.
#[tokio::test]
async fn a_delete_can_be_cancelled_until_its_transaction() {
    for (at, deleted) in [
        ("begin", false),
        ("close a", false),
        ("step close", false),
        ("step tombstone", false),
        ("tombstone", true),
        ("move_to_trash /worktrees/a", true),
    ] {
        let (host, recorder) = host(vec![running("a", None), running("b", Some("a"))]);
        let caller = Context::new();
        let cancel = caller.cancel.clone();
        recorder.at(at, move |_| cancel.cancel());
        let ended = host.delete(&caller, request(&["a"]), &|_| true).await;
        assert_eq!(recorder.session_now("a").unwrap().deletion.is_some(), deleted, "{at}");
        if deleted {
            assert_eq!(ended.unwrap().removed_session_ids, ids(&["a", "b"]), "{at}");
            continue;
        }
        let error = ended.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{at}");
        let closed = recorder.read(|m| {
            let gone = ["a", "b"].into_iter().filter(|id| !m.keepers.contains(*id));
            gone.map(id).collect::<Vec<_>>()
        });
        assert_eq!(error.closed(), closed, "{at}: what was closed by then");
        for id in &closed {
            let status = recorder.session_now(id.as_str()).unwrap().condition.status;
            assert_eq!(status, Status::Killed, "{at}");
        }
        let state = recorder.read(|m| m.operations[0].state);
        assert_eq!(state, OperationState::Cancelled, "{at}");
        assert!(recorder.lanes().is_empty());
    }
}

/// D14, V2: what fails before the transaction leaves what was closed as killed, and names it.
#[tokio::test]
async fn a_failure_before_the_transaction_says_what_was_closed() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.fail("step tombstone");
    let error = delete(&host, request(&["a"])).await.0.unwrap_err();
    assert_eq!(error.closed(), ids(&["a"]));
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Killed);
    assert_eq!(recorder.read(|m| m.operations[0].state), OperationState::Failed);
}

/// D4: with a child that came in, only what still lives is closed at the next attempt.
#[tokio::test]
async fn what_was_closed_is_not_closed_again() {
    let (host, recorder) = host(vec![running("a", None), running("z", None)]);
    recorder.at("tombstone", |m| with_child(m, "b", "a"));
    let report = delete(&host, request(&["z", "a"])).await.0.unwrap();
    assert_eq!(closes(&recorder), ["close a", "close z", "close b"]);
    assert_eq!(report.runtime_closed_ids, ids(&["a", "b", "z"]));
}
