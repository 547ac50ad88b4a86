//! Probing what is believed to run (A4 to A6).

use crate::domain::ids::SessionId;
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::operation::Verb;
use crate::domain::session::Session;
use crate::host::Host;
use crate::host::context::Context;

use super::{Recorder, host, id, ids, running, seeded};

fn many(count: usize) -> (Host<Recorder>, Recorder, Vec<Session>) {
    let sessions: Vec<Session> = (0..count).map(|n| running(&format!("s{n}"), None)).collect();
    let (host, recorder) = host(sessions.clone());
    (host, recorder, sessions)
}

fn state(recorder: &Recorder, name: &str) -> State {
    recorder.session_now(name).unwrap().condition.lifecycle.state
}

fn reason(recorder: &Recorder, name: &str) -> Option<TerminationReason> {
    recorder.session_now(name).unwrap().condition.lifecycle.reason
}

/// A4, A6: one that is gone is lost; most of them gone at once is a failed round, never a death
#[tokio::test]
async fn probing_finds_the_lost_but_believes_no_massacre() {
    let (host, recorder, _) = many(6);
    recorder.change(|m| m.keepers.remove("s3"));
    assert_eq!(host.reconcile().await.unwrap(), ids(&["s3"]));
    assert_eq!(reason(&recorder, "s3"), Some(TerminationReason::RuntimeLost));
    recorder.change(|m| m.keepers.clear());
    assert_eq!(host.reconcile().await.unwrap().len(), 5);
    assert_eq!(state(&recorder, "s0"), State::Detecting);
    host.settle_due().await.unwrap();
    assert_eq!(recorder.calls().last().unwrap(), "settle_due");
}

/// A4: a reading verb asks after the live ones it answers for, and no others
#[tokio::test]
async fn only_what_is_answered_for_is_probed() {
    let (host, recorder, mut sessions) = many(6);
    recorder.change(|m| m.keepers.clear());
    sessions.truncate(2);
    sessions.push(seeded("never-ran", None));
    assert_eq!(host.probe(&sessions).await.unwrap(), ids(&["s0", "s1"]));
    let mut probes = recorder.calls();
    probes.retain(|call| call.starts_with("probe "));
    assert_eq!(probes, ["probe s0", "probe s1"]);
    assert_eq!(state(&recorder, "s2"), State::NotStarted, "as it was");

    recorder.forget();
    assert_eq!(host.probe(&sessions[2..]).await.unwrap(), []);
    assert!(recorder.calls().is_empty(), "nothing live costs nothing");
}

/// A6: a round is what was asked: four gone of four are dead, five of five are not believed
#[tokio::test]
async fn a_small_round_breaks_from_five_on() {
    let (host, recorder, sessions) = many(9);
    recorder.change(|m| m.keepers.clear());
    host.probe(&sessions[..4]).await.unwrap();
    assert_eq!(state(&recorder, "s3"), State::Terminated);
    host.probe(&sessions[4..]).await.unwrap();
    assert_eq!(state(&recorder, "s4"), State::Detecting);
}

/// A4: a probe that fails is never a death
#[tokio::test]
async fn a_failed_probe_is_a_doubt() {
    let (host, recorder, sessions) = many(1);
    recorder.change(|m| m.keepers.clear());
    recorder.fail("probe s0");
    host.probe(&sessions).await.unwrap();
    assert_eq!(state(&recorder, "s0"), State::Detecting);
}

/// A4, A6: gone because an operation that is under way asks for it
#[tokio::test]
async fn an_end_that_was_asked_for_is_believed() {
    for verb in [Verb::Stop, Verb::Kill, Verb::Delete] {
        let (host, recorder, sessions) = many(6);
        let asked: Vec<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
        let operation = host.operation(verb, asked);
        host.begin(&Context::new(), &operation).await.unwrap();
        recorder.change(|m| m.keepers.clear());
        assert_eq!(host.reconcile().await.unwrap().len(), 6);
        assert_eq!(reason(&recorder, "s0"), Some(TerminationReason::ManuallyKilled), "{verb}");
    }
    let (host, recorder, _) = many(1);
    let operation = host.operation(Verb::Send, vec![id("s0")]);
    host.begin(&Context::new(), &operation).await.unwrap();
    recorder.change(|m| m.keepers.clear());
    host.reconcile().await.unwrap();
    assert_eq!(reason(&recorder, "s0"), Some(TerminationReason::RuntimeLost));
}

/// A5: what has ended is not even asked
#[tokio::test]
async fn terminal_sessions_are_not_probed() {
    let (host, recorder, _) = many(1);
    recorder.change(|m| {
        let session = m.sessions.get_mut(&id("s0")).unwrap();
        session.condition = session.condition.clone().done(&[], super::NOW);
    });
    assert_eq!(host.reconcile().await.unwrap(), []);
    assert_eq!(state(&recorder, "s0"), State::Done);
}
