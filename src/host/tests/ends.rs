use crate::domain::error::ErrorKind;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Conditions;
use crate::domain::session::{FolderKind, RuntimeFacts, Session};
use crate::domain::status::Status;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::{HostError, HostResult};
use crate::host::report::StopReport;

use super::{NOW, OPERATOR, Recorder, host, id, ids, running, seeded};

async fn kill(host: &Host<Recorder>, texts: &[&str]) -> HostResult<StopReport> {
    host.kill(&Context::new(), &ids(texts), &Conditions::default(), &OPERATOR).await
}

/// K1: stop ends the runtime; the row is killed, the folder stays.
#[tokio::test]
async fn stop_ends_each_runtime_and_keeps_the_folder_k1() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    recorder.fail("close b");
    let wanted = ids(&["b", "a", "none", "a"]);
    let report = host
        .stop(&Context::new(), &wanted, &Conditions::default(), false, &OPERATOR)
        .await
        .unwrap();
    let results: Vec<_> = report
        .results
        .iter()
        .map(|one| (one.id.as_str(), one.stopped, one.reason.clone().unwrap_or_default()))
        .collect();
    assert_eq!(
        results,
        [
            ("a", true, String::new()),
            ("b", false, "did_not_end: close b fails".into()),
            ("none", false, "not_found".into())
        ]
    );
    let a = recorder.session_now("a").unwrap().condition.lifecycle;
    assert_eq!(a.reason, Some(TerminationReason::ManuallyKilled));
    assert!(recorder.session_now("b").unwrap().is_live());
    assert!(!recorder.calls().contains(&"give_back".to_owned()));
    assert!(recorder.lanes().is_empty());
}

/// K1, S2: stop can say that the work is complete.
#[tokio::test]
async fn stop_can_say_that_the_work_is_done_k1() {
    let (host, recorder) = host(vec![running("a", None)]);
    host.stop(&Context::new(), &ids(&["a"]), &Conditions::default(), true, &OPERATOR)
        .await
        .unwrap();
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Done);
    let again = host
        .stop(&Context::new(), &ids(&["a"]), &Conditions::default(), true, &OPERATOR)
        .await
        .unwrap();
    assert_eq!(again.results[0].reason.as_deref(), Some("not running"));
}

/// K1, S2: it can be said of a session that ended before.
#[tokio::test]
async fn an_ended_session_can_be_declared_done_k1() {
    let (host, recorder) = host(vec![running("a", None)]);
    let stop = async |done| {
        let (ctx, wanted) = (Context::new(), ids(&["a"]));
        host.stop(&ctx, &wanted, &Conditions::default(), done, &OPERATOR).await.unwrap()
    };
    stop(false).await;
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Killed);
    let report = stop(true).await;
    assert_eq!(recorder.session_now("a").unwrap().condition.status, Status::Done);
    assert_eq!((report.results[0].stopped, &report.results[0].reason), (false, &None));
    assert_eq!(stop(true).await.results[0].reason.as_deref(), Some("not running"));
}

/// K2: kill is stop, then the worktree is given back where it is clean.
#[tokio::test]
async fn kill_gives_back_a_clean_worktree_k2() {
    let (host, recorder) = host(vec![running("a", None), running("b", None)]);
    let report =
        host.kill(&Context::new(), &ids(&["a"]), &Conditions::default(), &OPERATOR).await.unwrap();
    assert!(report.results[0].stopped && report.results[0].freed);
    let acts = recorder.acts();
    assert_eq!(acts, ["close a", "end a", "give_back", "clear_worktree a"]);
    recorder.change(|m| m.dirty = true);
    let report =
        host.kill(&Context::new(), &ids(&["b"]), &Conditions::default(), &OPERATOR).await.unwrap();
    assert!(!report.results[0].freed);
    assert_eq!(report.results[0].reason.as_deref(), Some("2 files changed"));
}

/// K2: a live row that does not say what to end or to give back is refused, and nothing torn down.
#[tokio::test]
async fn kill_refuses_an_incomplete_handle_k2() {
    let without_path = Session { folder: "".into(), ..running("a", None) };
    let without_runtime = Session { runtime: RuntimeFacts::default(), ..running("a", None) };
    for session in [without_path, without_runtime] {
        let (host, recorder) = host(vec![session]);
        let error = kill(&host, &["a"]).await.unwrap_err();
        assert!(matches!(error, HostError::IncompleteHandle(_)), "{error}");
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(recorder.acts().is_empty());
        assert!(recorder.read(|m| m.operations.is_empty() && m.keepers.contains("a")));
        assert!(recorder.session_now("a").unwrap().is_live());
    }
    // A session without worktree needs no path, and one that ended no runtime.
    let chat =
        Session { folder: "".into(), folder_kind: FolderKind::None, ..running("chat", None) };
    let condition = running("x", None).condition;
    let condition = condition.terminated(TerminationReason::RuntimeLost, &[], NOW);
    let lost = Session { condition, runtime: RuntimeFacts::default(), ..seeded("lost", None) };
    let (host, _) = host(vec![chat, lost]);
    let report = kill(&host, &["chat", "lost"]).await.unwrap();
    assert!(report.results.iter().all(|one| one.trouble.is_none()), "{report:?}");
    assert!(report.results[1].freed);
}

/// K2: an unknown id is a plain no.
#[tokio::test]
async fn kill_of_an_unknown_id_is_benign_k2() {
    let (host, recorder) = host(vec![super::restore::deleted("gone", None, "b1")]);
    let report = kill(&host, &["none", "gone"]).await.unwrap();
    let results: Vec<_> = report
        .results
        .iter()
        .map(|one| (one.id.as_str(), one.stopped, one.freed, one.reason.as_deref().unwrap()))
        .collect();
    assert_eq!(results, [("gone", false, false, "in_trash"), ("none", false, false, "not_found")]);
    let alone = kill(&host, &["none"]).await.unwrap();
    assert!(!alone.results[0].stopped);
    assert!(recorder.acts().is_empty());
}

/// K2, V1: the intent is written first and the row turns only after the runtime ended, so that a
/// failure can be retried.
#[tokio::test]
async fn a_kill_that_fails_can_be_retried_k2() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.fail("close a");
    recorder.at("close", |m| {
        assert_eq!(m.operations.len(), 1, "the intent is there");
        assert!(m.sessions[&id("a")].is_live());
    });
    let report = kill(&host, &["a"]).await.unwrap();
    assert_eq!(report.results[0].reason.as_deref(), Some("did_not_end: close a fails"));
    assert!(recorder.session_now("a").unwrap().is_live());
    assert!(recorder.read(|m| m.folders.contains(&m.sessions[&id("a")].folder)));
    recorder.heal("close a");
    let report = kill(&host, &["a"]).await.unwrap();
    assert!(report.results[0].stopped && report.results[0].freed);
    let session = recorder.session_now("a").unwrap();
    assert_eq!(session.condition.lifecycle.reason, Some(TerminationReason::ManuallyKilled));
    // The runtime is gone, but its worktree could not be given back: again.
    let (host, recorder) = super::host(vec![running("b", None)]);
    recorder.fail("give_back");
    let report = kill(&host, &["b"]).await.unwrap();
    assert!(report.results[0].stopped && !report.results[0].freed);
    recorder.heal("give_back");
    assert!(kill(&host, &["b"]).await.unwrap().results[0].freed);
}

/// K1, K2: the runtime has 10 s to end, whatever the caller does meanwhile.
#[tokio::test(start_paused = true)]
async fn a_runtime_has_ten_seconds_to_end_k1() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.hang("close");
    let caller = Context::new();
    let cancel = caller.cancel.clone();
    recorder.at("close", move |_| cancel.cancel());
    let begun = tokio::time::Instant::now();
    let wanted = ids(&["a"]);
    let report = host.stop(&caller, &wanted, &Conditions::default(), false, &OPERATOR).await;
    assert_eq!(begun.elapsed(), std::time::Duration::from_secs(10));
    assert_eq!(report.unwrap().results[0].trouble, Some(ErrorKind::TimedOut));
    assert!(recorder.session_now("a").unwrap().is_live());
}
