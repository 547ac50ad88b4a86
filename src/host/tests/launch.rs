use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::session::{Kind, LaunchFacts, Session};
use crate::domain::status::Status;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::ports::LaunchedHow;
use crate::host::report::{RestoreRequest, RestoreTarget};

use super::restore::ended;
use super::{NOW, OPERATOR, host, id, ids, launch_facts, running, seeded};

fn by_id(text: &str) -> RestoreRequest {
    let target = RestoreTarget::Ids(ids(&[text]));
    RestoreRequest { target, launch: false, to: None, actor: OPERATOR }
}

fn conversing(text: &str) -> Session {
    let launch = LaunchFacts { agent_session_id: Some("c-1".into()), ..launch_facts() };
    ended(Session { launch, prompt: Some("Hi".into()), ..seeded(text, None) })
}

/// B2, B3, C4: all fallible work comes before the row changes, in one write that publishes it.
#[tokio::test]
async fn an_ended_session_is_launched_in_its_next_generation_b2() {
    let (host, recorder) = host(vec![conversing("a")]);
    recorder.change(|m| m.can_resume = true);
    for at in ["ensure_worktree", "start", "publish_runtime"] {
        recorder.at(at, move |m| {
            let session = &m.sessions[&id("a")];
            assert_eq!(session.condition.status, Status::Killed, "{at}");
            assert_eq!(session.condition.lifecycle.generation, 1, "{at}");
        });
    }
    let report = host.restore(&Context::new(), by_id("a")).await.unwrap();
    assert_eq!(report.launched_ids, ids(&["a"]));
    assert_eq!(report.how, [(id("a"), LaunchedHow::Resumed)]);
    assert_eq!(report.notes[0].text, "resumed its conversation");
    assert_eq!(
        recorder.acts()[2..],
        ["check_agent", "ensure_worktree", "start a", "publish_runtime a", "publish_launch a"]
    );
    let session = recorder.session_now("a").unwrap();
    let lifecycle = &session.condition.lifecycle;
    assert_eq!((lifecycle.generation, lifecycle.published, lifecycle.alive), (2, 2, true));
    assert_eq!((lifecycle.reason, session.condition.status), (None, Status::Spawning));
}

/// B2, B3: a conversation that is resumed has had its prompt: only a fresh one is given it again.
#[tokio::test]
async fn what_was_asked_for_is_not_asked_for_again_on_resume_b3() {
    for (can_resume, again) in [(true, ids(&[])), (false, ids(&["a"]))] {
        let session = Session { prompt: Some("mend it".to_owned()), ..conversing("a") };
        let (host, recorder) = host(vec![session]);
        recorder.change(|m| {
            m.can_resume = can_resume;
            m.prompt_in_argv = true;
        });
        host.restore(&Context::new(), by_id("a")).await.unwrap();
        assert_eq!(recorder.change(|m| m.started_with_prompt.clone()), again);
    }
}

/// B2: a failure leaves the row terminal and the worktree untouched.
#[tokio::test]
async fn a_launch_that_fails_leaves_the_row_as_it_was_b2() {
    for failing in ["ensure_worktree", "start a", "publish_runtime a", "publish_launch a"] {
        let (host, recorder) =
            host(vec![ended(Session { prompt: Some("Hi".into()), ..seeded("a", None) })]);
        recorder.fail(failing);
        host.restore(&Context::new(), by_id("a")).await.unwrap_err();
        let session = recorder.session_now("a").unwrap();
        let lifecycle = &session.condition.lifecycle;
        assert_eq!(lifecycle.reason, Some(TerminationReason::ManuallyKilled), "{failing}");
        assert!(!session.is_live() && session.error.is_some(), "{failing}");
        assert!(recorder.read(|m| m.keepers.is_empty()), "{failing}");
        let touched = recorder.acts().iter().any(|call| call == "give_back");
        assert!(!touched, "{failing}: the worktree stays");
        assert!(recorder.read(|m| m.folders.contains(&session.folder)), "{failing}");
        assert!(recorder.read(|m| m.messages.is_empty()), "{failing}");
    }
}

/// B2, C5: the caller's cancellation counts until the runtime is told, and leaves nothing running.
#[tokio::test]
async fn a_cancelled_launch_leaves_the_row_as_it_was_b2() {
    for (at, launched) in [("ensure_worktree", false), ("start", false), ("publish_runtime", true)]
    {
        let (host, recorder) =
            host(vec![ended(Session { prompt: Some("Hi".into()), ..seeded("a", None) })]);
        let caller = Context::new();
        let cancel = caller.cancel.clone();
        recorder.at(at, move |_| cancel.cancel());
        let result = host.launch(&caller, &id("a"), &OPERATOR).await;
        assert_eq!(result.is_ok(), launched, "{at}");
        assert_eq!(recorder.session_now("a").unwrap().is_live(), launched, "{at}");
        assert_eq!(recorder.read(|m| m.keepers.contains("a")), launched, "{at}");
    }
}

/// B1: what is live, unknown or in the trash is not launched.
#[tokio::test]
async fn a_live_session_is_not_launched_again_b1() {
    let mut lost = running("lost", None);
    lost.condition.lifecycle.state = State::Detecting;
    let (host, recorder) =
        host(vec![running("live", None), lost, super::restore::deleted("gone", None, "b1")]);
    let launch = async |text: &str| host.launch(&Context::new(), &id(text), &OPERATOR).await;
    assert!(matches!(launch("live").await, Err(HostError::NotRestorable(_))));
    assert!(matches!(launch("lost").await, Err(HostError::Detecting(_))));
    assert!(matches!(launch("none").await, Err(HostError::NotFound(_))));
    assert!(matches!(launch("gone").await, Err(HostError::IdInTrash(_))));
    assert_eq!(recorder.acts(), [""; 0]);
    assert!(recorder.session_now("live").unwrap().is_live());
}

/// B1, B3: nothing to resume from is refused for a worker of an agent that resumes, unless parked;
/// every other one is launched, and says how it came back.
#[tokio::test]
async fn what_may_be_launched_again_b1() {
    let parked = seeded("parked", None);
    let condition = parked.condition.terminated(TerminationReason::ErrorInProcess, &[], NOW);
    let parked = Session { condition, ..seeded("parked", None) };
    let orchestrator = Session { kind: Kind::Orchestrator, ..seeded("orchestrator", None) };
    let again = Session { prompt: Some("Hi".into()), ..seeded("again", None) };
    let sessions = vec![ended(seeded("fresh", None)), parked, ended(orchestrator), ended(again)];
    let (host, recorder) = host(sessions);
    recorder.change(|m| m.can_resume = true);
    let launch = async |text: &str| host.launch(&Context::new(), &id(text), &OPERATOR).await;
    assert!(matches!(launch("fresh").await, Err(HostError::NothingToResume(_))));
    assert_eq!(launch("parked").await.unwrap().1, LaunchedHow::Fresh);
    assert_eq!(launch("orchestrator").await.unwrap().1, LaunchedHow::Fresh);
    assert_eq!(launch("again").await.unwrap().1, LaunchedHow::PromptAgain);
    assert!(recorder.calls().contains(&"type Hi into again".to_owned()));
    recorder.change(|m| m.can_resume = false);
    assert_eq!(launch("fresh").await.unwrap().1, LaunchedHow::Fresh);
}

/// B2: a worktree that was given back is made again on its branch; a failure gives it back again.
#[tokio::test]
async fn a_worktree_that_was_given_back_is_made_again_b2() {
    for failing in ["nothing", "start", "publish_launch"] {
        let (host, recorder) =
            host(vec![ended(Session { folder: "".into(), ..seeded("a", None) })]);
        recorder.change(|m| m.folders.clear());
        recorder.fail(failing);
        let launched = host.launch(&Context::new(), &id("a"), &OPERATOR).await;
        assert_eq!(launched.is_ok(), failing == "nothing");
        let made = recorder.calls().contains(&"create_worktree a".to_owned());
        let kept = recorder.read(|m| m.folders.len() == 1);
        assert!(made && kept == launched.is_ok(), "{failing}");
        let folder = recorder.session_now("a").unwrap().folder;
        assert_eq!(folder.as_os_str().is_empty(), launched.is_err(), "{failing}");
    }
}
