use std::path::PathBuf;

use crate::domain::error::ErrorKind;
use crate::domain::ids::ProjectName;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::rail::{Placement, Project};
use crate::domain::session::{Kind, Session};
use crate::domain::status::Status;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::report::{CreateOutcome, CreateRequest, Place};

use super::{OPERATOR, Recorder, host, id, launch_facts, running, seeded, shop};

fn request() -> CreateRequest {
    CreateRequest {
        place: Place::Project(shop().name),
        launch: launch_facts(),
        id: None,
        title: None,
        prompt: Some("Round VAT per line.".into()),
        goal: None,
        branch: None,
        base: None,
        in_place: false,
        size: (120, 40),
        kind: Kind::Worker,
        parent: None,
        pin: false,
        actor: OPERATOR,
    }
}

fn created(outcome: CreateOutcome) -> Session {
    match outcome {
        CreateOutcome::Created(session) => *session,
        other => panic!("{other:?}"),
    }
}

/// The calls after validation.
fn acts(recorder: &Recorder) -> Vec<String> {
    let acts = recorder.acts();
    acts.into_iter().skip_while(|call| call != "acquire_start").skip(1).collect()
}

fn call(recorder: &Recorder, what: &str) -> super::fake_world::Call {
    recorder.read(|m| m.calls.iter().rfind(|call| call.what == what).cloned()).unwrap()
}

#[tokio::test]
async fn a_create_goes_through_its_steps_in_order_each_journalled_first_c3() {
    let (host, recorder) = host(vec![]);
    let goal = CreateRequest { goal: Some("Ship it".into()), ..request() };
    let session = created(host.create(&Context::new(), goal).await.unwrap());
    assert_eq!((session.id.as_str(), session.title.as_str()), ("shop-1", "Round VAT per line"));
    assert!(session.is_live());
    let calls = recorder.calls();
    let from = calls.iter().position(|call| call == "reserve_id").unwrap();
    assert_eq!(
        calls[from..],
        [
            "reserve_id",
            "acquire_start",
            "begin",
            "step seed",
            "insert_seed shop-1",
            "check_worktree shop-1",
            "step worktree",
            "create_worktree shop-1",
            "set_worktree shop-1",
            "step prepare",
            "prepare",
            "step start",
            "start shop-1",
            "step initialise",
            "initialise shop-1",
            "step publish",
            "publish_runtime shop-1",
            "publish shop-1",
            "step prompt",
            "type Round VAT per line. into shop-1",
            "prompted shop-1",
            "step prompt",
            "type Ship it into shop-1",
            "prompted shop-1",
            "finish done",
        ]
    );
    assert!(recorder.lanes().is_empty());
    assert!(recorder.read(|m| m.held.is_empty()));
    let events = recorder.read(|m| m.events.clone());
    assert_eq!((events[0].verb.as_str(), events[0].actor.as_str()), ("spawn", "operator"));
}

#[tokio::test]
async fn a_prompt_that_goes_along_is_not_typed() {
    let (host, recorder) = host(vec![]);
    recorder.change(|m| m.prompt_in_argv = true);
    created(host.create(&Context::new(), request()).await.unwrap());
    let acts = acts(&recorder);
    assert_eq!(acts.last().unwrap(), "prompted shop-1");
    assert!(!acts.iter().any(|call| call.starts_with("type")), "{acts:?}");
}

#[tokio::test]
async fn what_is_not_right_is_refused_before_any_effect_c1() {
    let chat = PathBuf::from("/nowhere/at/all");
    let notes = Project { name: ProjectName::new("notes").unwrap(), git: false, ..shop() };
    let cases: Vec<(&str, CreateRequest, ErrorKind)> = vec![
        ("a NUL", CreateRequest { prompt: Some("a\0b".into()), ..request() }, ErrorKind::Usage),
        (
            "a long prompt",
            CreateRequest { prompt: Some("x".repeat(1_048_577)), ..request() },
            ErrorKind::Usage,
        ),
        (
            "no project",
            CreateRequest { place: Place::Project(ProjectName::new("api").unwrap()), ..request() },
            ErrorKind::NotFound,
        ),
        (
            "no git",
            CreateRequest { place: Place::Project(notes.name.clone()), ..request() },
            ErrorKind::Refused,
        ),
        ("no folder", CreateRequest { place: Place::Chat(chat), ..request() }, ErrorKind::Refused),
        (
            "no parent",
            CreateRequest { parent: Some(id("shop-9")), ..request() },
            ErrorKind::NotFound,
        ),
        (
            "an id in the trash",
            CreateRequest { id: Some(id("gone")), ..request() },
            ErrorKind::Refused,
        ),
        ("an ended id", CreateRequest { id: Some(id("ended")), ..request() }, ErrorKind::Refused),
    ];
    for (what, request, kind) in cases {
        let (host, recorder) = host(vec![super::restore::deleted("gone", None, "b1")]);
        recorder.change(|m| {
            m.projects.push(notes.clone());
            let ended = running("ended", None);
            let condition =
                ended.condition.terminated(TerminationReason::ManuallyKilled, &[], super::NOW);
            m.sessions.insert(id("ended"), Session { condition, ..seeded("ended", None) });
        });
        let error = host.create(&Context::new(), request).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{what}: {error}");
        let acts = recorder.acts();
        assert!(acts.iter().all(|call| call.starts_with("check_")), "{what}: {acts:?}");
    }
    for failing in ["check_agent", "check_worktree shop-0", "projects"] {
        let (host, recorder) = host(vec![]);
        recorder.fail(failing);
        host.create(&Context::new(), request()).await.unwrap_err();
        assert!(recorder.acts().iter().all(|call| call.starts_with("check_")), "{failing}");
    }
}

#[tokio::test]
async fn without_a_place_nothing_starts_c1() {
    let (host, recorder) = host(vec![]);
    recorder.fail("projects");
    let error = host.create(&Context::new(), request()).await.unwrap_err();
    assert!(matches!(error, HostError::RailPlacementUnavailable(_)), "{error}");
}

#[tokio::test]
async fn another_placement_is_a_conflict_and_touches_nothing_c1() {
    let elsewhere = Placement::in_project("/src/api".into());
    let (host, recorder) = host(vec![Session { placement: elsewhere, ..running("mine", None) }]);
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    let error = host.create(&Context::new(), mine).await.unwrap_err();
    assert!(matches!(error, HostError::RailPlacementConflict(_)), "{error}");
    assert_eq!(recorder.acts(), ["check_agent"]);
}

#[tokio::test]
async fn a_retry_reuses_the_runtime_and_sends_nothing_twice_c2() {
    let (host, recorder) = host(vec![]);
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    created(host.create(&Context::new(), mine.clone()).await.unwrap());
    recorder.forget();
    let again = created(host.create(&Context::new(), mine.clone()).await.unwrap());
    assert_eq!(again.id, id("mine"));
    assert_eq!(acts(&recorder), ["start mine"]);

    recorder.forget();
    recorder.fail("start");
    host.create(&Context::new(), mine).await.unwrap_err();
    assert_eq!(acts(&recorder), ["start mine"], "nothing is closed or rolled back");
    assert!(recorder.session_now("mine").unwrap().is_live());

    let other = CreateRequest { id: Some(id("mine")), prompt: None, ..request() };
    let error = host.create(&Context::new(), other).await.unwrap_err();
    assert!(matches!(error, HostError::IdInUse(_)), "{error}");
}

/// S3: the id of a tombstone, and that of a session that ended, with what to do
#[tokio::test]
async fn an_id_that_is_taken_says_by_what() {
    let deletion = crate::domain::session::Deletion {
        at: super::NOW,
        batch: "batch".parse().unwrap(),
        was_live: false,
        trash_path: None,
    };
    let buried = Session { deletion: Some(deletion), ..seeded("buried", None) };
    let mut ended = running("ended", None);
    ended.condition = ended.condition.done(&[], super::NOW);
    let (host, recorder) = host(vec![buried, ended]);
    for (name, hint) in [("buried", "restore buried"), ("ended", "restore ended")] {
        let wanted = CreateRequest { id: Some(id(name)), ..request() };
        let error = host.create(&Context::new(), wanted).await.unwrap_err();
        match error {
            HostError::IdInTrash(_) => assert_eq!(name, "buried"),
            HostError::IdInUse(_) => assert_eq!(name, "ended"),
            ref other => panic!("{other}"),
        }
        assert!(error.hint().unwrap().contains(hint), "{error:?}");
    }
    assert_eq!(acts(&recorder), [""; 0]);
}

#[tokio::test]
async fn a_worktree_that_cannot_be_made_leaves_nothing_c7() {
    let (host, recorder) = host(vec![]);
    recorder.fail("create_worktree");
    let error = host.create(&Context::new(), request()).await.unwrap_err();
    assert_eq!(error.to_string(), "create_worktree shop-1 fails");
    let expected = [
        "insert_seed shop-1",
        "check_worktree shop-1",
        "create_worktree shop-1",
        "rollback_seed shop-1",
    ];
    assert_eq!(acts(&recorder), expected);
    assert!(recorder.session_now("shop-1").is_none());
}

#[tokio::test]
async fn a_runtime_that_does_not_start_parks_the_session_c7() {
    let (host, recorder) = host(vec![]);
    recorder.fail("start");
    let outcome = host.create(&Context::new(), request()).await.unwrap();
    let CreateOutcome::Parked { session, error } = outcome else { panic!("{outcome:?}") };
    assert_eq!(session.condition.status, Status::Errored);
    assert_eq!(error, "start shop-1 fails");
    let acts = acts(&recorder);
    assert_eq!(acts[5..], ["start shop-1", "unprepare", "give_back", "park shop-1"]);
}

#[tokio::test]
async fn a_failed_publish_is_taken_back_in_reverse_order_c5() {
    for failing in ["initialise", "publish_runtime", "publish"] {
        let (host, recorder) = host(vec![]);
        recorder.fail(failing);
        let caller = Context::new();
        let cancel = caller.cancel.clone();
        recorder.at(failing, move |_| cancel.cancel());
        host.create(&caller, request()).await.unwrap_err();
        let acts = acts(&recorder);
        let undone = ["close shop-1", "rollback_seed shop-1", "unprepare", "give_back"];
        assert!(acts.ends_with(&undone.map(str::to_owned)), "{failing}: {acts:?}");
        for call in ["close shop-1", "unprepare", "give_back"].map(|what| call(&recorder, what)) {
            assert!(call.deadline && !call.cancelled, "{failing}: {call:?}");
        }
        assert!(recorder.session_now("shop-1").is_none());
        assert!(recorder.lanes().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn no_compensation_keeps_the_next_from_running_c5() {
    let (host, recorder) = host(vec![]);
    recorder.fail("publish shop-1");
    recorder.hang("close");
    recorder.fail("rollback_seed");
    recorder.fail("unprepare");
    recorder.fail("give_back");
    let error = host.create(&Context::new(), request()).await.unwrap_err();
    let HostError::NotUndone { troubles, .. } = &error else { panic!("{error}") };
    assert_eq!(
        troubles[..],
        [
            "closing the runtime: timed out",
            "rollback_seed shop-1 fails",
            "unprepare fails",
            "give_back fails",
        ]
    );
    assert!(!recorder.calls().iter().any(|call| call.starts_with("finish")), "left to recovery");
}

#[tokio::test]
async fn work_of_an_agent_that_had_its_prompt_is_parked_c7() {
    let (host, recorder) = host(vec![]);
    recorder.change(|m| (m.prompt_in_argv, m.dirty) = (true, true));
    recorder.fail("publish shop-1");
    let outcome = host.create(&Context::new(), request()).await.unwrap();
    assert!(matches!(outcome, CreateOutcome::Parked { .. }), "{outcome:?}");
    let acts = acts(&recorder);
    assert_eq!(acts[acts.len() - 2..], ["close shop-1", "park shop-1"]);
}

#[tokio::test]
async fn a_cancelled_create_leaves_nothing_and_sends_nothing_c8() {
    for at in ["insert_seed", "create_worktree", "prepare", "start"] {
        let (host, recorder) = host(vec![]);
        let caller = Context::new();
        let cancel = caller.cancel.clone();
        recorder.at(at, move |_| cancel.cancel());
        let error = host.create(&caller, request()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{at}: {error}");
        assert!(recorder.read(|m| m.sessions.is_empty() && m.keepers.is_empty()), "{at}");
        assert!(recorder.read(|m| m.messages.is_empty()), "{at}");
    }
}

#[tokio::test]
async fn after_initialise_the_callers_cancellation_no_longer_counts_c5() {
    let (host, recorder) = host(vec![]);
    let caller = Context::new();
    let cancel = caller.cancel.clone();
    recorder.at("initialise", move |_| cancel.cancel());
    created(host.create(&caller, request()).await.unwrap());
    assert!(!call(&recorder, "publish_runtime shop-1").cancelled);
}

#[tokio::test]
async fn a_prompt_that_may_be_lost_deletes_nothing_c6() {
    let (host, recorder) = host(vec![]);
    recorder.fail("type Round VAT per line. into");
    let outcome = host.create(&Context::new(), request()).await.unwrap();
    let CreateOutcome::CreatedWithError { session, error } = outcome else { panic!("{outcome:?}") };
    assert!(session.is_live());
    assert!(error.contains("fails"), "{error}");
    assert!(session.error.unwrap().starts_with("the prompt may not have arrived"));
    assert!(recorder.read(|m| m.keepers.contains("shop-1")));
}

#[tokio::test]
async fn a_child_goes_where_its_parent_is_c9() {
    let (host, _) = host(vec![running("boss", None)]);
    let child =
        CreateRequest { place: Place::Folder("/".into()), parent: Some(id("boss")), ..request() };
    let session = created(host.create(&Context::new(), child).await.unwrap());
    assert_eq!(session.placement, Placement::in_project(shop().path));
    assert_eq!(session.parent, Some(id("boss")));
    let alone = CreateRequest { place: Place::Folder("/".into()), ..request() };
    let session = created(host.create(&Context::new(), alone).await.unwrap());
    assert_eq!(session.placement, Placement::conversations());
    assert_eq!(session.folder, PathBuf::from("/"));
}
