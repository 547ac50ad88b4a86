//! Hooks as a step of create and launch (`spec/agents.md` H1).

use std::path::PathBuf;

use crate::domain::hook::{HookEntries, HookFile, HookPlan};
use crate::domain::session::Session;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::report::{CreateOutcome, CreateRequest, Place};

use super::create::{acts, request};
use super::restore::ended;
use super::{OPERATOR, Recorder, id, seeded};

fn hooked(sessions: Vec<Session>) -> (Host<Recorder>, Recorder) {
    let (host, recorder) = super::host(sessions);
    let file = HookFile { path: ".agent/hooks.json".into(), entries: HookEntries::default() };
    recorder.change(|m| m.hooks_plan = HookPlan::File(file));
    (host, recorder)
}

fn again() -> Vec<Session> {
    vec![ended(Session { prompt: Some("Go".into()), ..seeded("a", None) })]
}

fn said(recorder: &Recorder) -> Vec<String> {
    let hooks = |m: &super::fake_world::Model| {
        let events = m.events.iter().filter(|event| event.verb == "hooks");
        events.filter_map(|event| event.cause.clone()).collect()
    };
    recorder.read(hooks)
}

/// H1, C3, V1: hooks are journalled and installed after the set-up and before the start.
#[tokio::test]
async fn hooks_are_a_step_between_set_up_and_start_h1() {
    let (host, recorder) = hooked(vec![]);
    host.create(&Context::new(), request()).await.unwrap();
    let calls = recorder.calls();
    let from = calls.iter().position(|call| call == "prepare").unwrap();
    let wanted = ["prepare", "step hooks", "install_hooks", "step start", "start shop-1"];
    assert_eq!(calls[from..from + 5], wanted);
    assert_eq!(said(&recorder), [""; 0]);
}

/// H1, C5, C7: a failure takes them out again, before the preparation; nothing is launched without them.
#[tokio::test]
async fn a_failed_create_takes_its_hooks_out_h1() {
    for failing in ["install_hooks", "initialise", "publish_runtime", "publish"] {
        let (host, recorder) = hooked(vec![]);
        recorder.fail(failing);
        host.create(&Context::new(), request()).await.unwrap_err();
        let acts = acts(&recorder);
        let wanted = ["rollback_seed shop-1", "remove_hooks", "unprepare", "give_back"];
        assert!(acts.ends_with(&wanted.map(str::to_owned)), "{failing}: {acts:?}");
        let started = acts.iter().any(|call| call == "start shop-1");
        assert_eq!(started, failing != "install_hooks", "{acts:?}");
        assert!(recorder.read(|m| m.hooked.is_empty() && m.folders.is_empty()), "{failing}");
    }
    // Also where the row stays, parked.
    let (host, recorder) = hooked(vec![]);
    recorder.fail("start");
    let outcome = host.create(&Context::new(), request()).await.unwrap();
    assert!(matches!(outcome, CreateOutcome::Parked { .. }), "{outcome:?}");
    assert!(recorder.read(|m| m.hooked.is_empty()));
}

/// H1, B2: a launch puts them there again; one that fails leaves none.
#[tokio::test]
async fn a_launch_puts_hooks_there_again_h1() {
    let (host, recorder) = hooked(again());
    host.launch(&Context::new(), &id("a"), &OPERATOR).await.unwrap();
    let acts = recorder.acts();
    let from = acts.iter().position(|call| call == "ensure_worktree").unwrap();
    assert_eq!(acts[from..from + 3], ["ensure_worktree", "install_hooks", "start a"]);
    assert!(recorder.read(|m| m.hooked.contains(&PathBuf::from("/worktrees/a"))));
    for failing in ["start a", "publish_runtime a", "publish_launch a"] {
        let (host, recorder) = hooked(again());
        recorder.fail(failing);
        host.launch(&Context::new(), &id("a"), &OPERATOR).await.unwrap_err();
        assert!(recorder.calls().contains(&"remove_hooks".to_owned()), "{failing}");
        assert!(recorder.read(|m| m.hooked.is_empty()), "{failing}");
    }
}

/// H1: that hooks are off is an event of the session, and no failure.
#[tokio::test]
async fn that_hooks_are_off_is_said_h1() {
    let (host, recorder) = hooked(vec![]);
    recorder.change(|m| m.hooks_off = Some("git tracks it".into()));
    host.create(&Context::new(), request()).await.unwrap();
    assert_eq!(said(&recorder), ["hooks are off: git tracks it"]);

    let (host, recorder) = hooked(vec![]);
    recorder.change(|m| m.hooks_plan = HookPlan::Off("the arguments".into()));
    host.create(&Context::new(), request()).await.unwrap();
    assert_eq!(said(&recorder), ["hooks are off: the arguments"]);
    assert!(!recorder.calls().contains(&"install_hooks".to_owned()));
}

/// H1: no file is written in a folder that is not ours.
#[tokio::test]
async fn no_file_is_written_in_the_operators_folder_h1() {
    let folder = tempfile::tempdir().unwrap();
    let own = CreateRequest { in_place: true, ..request() };
    let chat = CreateRequest { place: Place::Chat(folder.path().to_owned()), ..request() };
    for request in [own, chat] {
        let (host, recorder) = hooked(vec![]);
        recorder.change(|m| folder.path().clone_into(&mut m.projects[0].path));
        let created = host.create(&Context::new(), request).await.unwrap();
        assert!(matches!(created, CreateOutcome::Created(_)), "{created:?}");
        let calls = recorder.calls();
        assert!(!calls.contains(&"install_hooks".to_owned()), "{calls:?}");
        let why = "hooks are off: .agent/hooks.json would be in a folder that is not its own";
        assert_eq!(said(&recorder), [why]);
    }
}
