use std::path::PathBuf;

use crate::domain::error::ErrorKind;
use crate::domain::ids::ProjectName;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::rail::{Placement, Project, ProjectSetup};
use crate::domain::session::{Kind, Session};
use crate::domain::status::Status;
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::report::{CreateOutcome, CreateRequest, Place};

use super::{OPERATOR, Recorder, host, id, launch_facts, running, seeded, shop};

pub(super) fn request() -> CreateRequest {
    CreateRequest {
        place: Place::Project(shop().name),
        fork: None,
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

/// The calls after validation.
pub(super) fn acts(recorder: &Recorder) -> Vec<String> {
    let acts = recorder.acts();
    acts.into_iter().skip_while(|call| call != "acquire_start").skip(1).collect()
}

pub(super) fn created(outcome: CreateOutcome) -> Session {
    match outcome {
        CreateOutcome::Created(session) => *session,
        other => panic!("{other:?}"),
    }
}

/// C3, V1: every step is journalled before it acts, from the reserved id to the goal.
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
            "own",
            "acquire_start",
            "lock shop-1",
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

/// C3: a prompt that went with the arguments is only recorded.
#[tokio::test]
async fn a_prompt_that_goes_along_is_not_typed() {
    let (host, recorder) = host(vec![]);
    recorder.change(|m| m.prompt_in_argv = true);
    created(host.create(&Context::new(), request()).await.unwrap());
    let acts = acts(&recorder);
    assert_eq!(acts.last().unwrap(), "prompted shop-1");
    assert!(!acts.iter().any(|call| call.starts_with("type")), "{acts:?}");
}

/// C1, S3: whatever is wrong is refused before any effect.
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

/// C1: a place that cannot be resolved fails closed.
#[tokio::test]
async fn without_a_place_nothing_starts_c1() {
    let gone = Placement::in_project("/src/gone".into());
    let orphan = || Session { placement: gone.clone(), ..running("orphan", None) };
    let of_parent = |parent: &str| CreateRequest {
        place: Place::Folder("/".into()),
        parent: Some(id(parent)),
        ..request()
    };
    for (failing, wanted) in [
        ("projects", request()),
        ("session", of_parent("orphan")),
        // Its parent's project is not registered any more: nothing says where it belongs.
        ("nothing", of_parent("orphan")),
    ] {
        let (host, recorder) = host(vec![orphan()]);
        recorder.fail(failing);
        let error = host.create(&Context::new(), wanted).await.unwrap_err();
        assert!(matches!(error, HostError::RailPlacementUnavailable(_)), "{failing}: {error}");
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert_eq!(recorder.acts(), ["check_agent"], "{failing}");
        assert!(recorder.read(|m| m.operations.is_empty()));
    }
}

/// L6, L3, C10: the id first, then the place, then lane and lock, then the row; all freed once.
#[tokio::test]
async fn a_create_reserves_its_id_then_locks_then_seeds_l6() {
    let (host, recorder) = host(vec![]);
    created(host.create(&Context::new(), request()).await.unwrap());
    let calls = recorder.calls();
    let at = |call: &str| calls.iter().position(|one| one == call).unwrap();
    let locks = recorder.read(|m| m.locks.clone());
    let names: Vec<&str> = locks.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(names, ["take a start", "take shop-1", "free a start", "free shop-1"]);
    assert!(at("reserve_id") < locks[0].1);
    assert!(locks[1].1 <= at("begin") && at("begin") < at("insert_seed shop-1"));
    assert_eq!(locks[2].1, at("publish shop-1") + 1, "the place is free at publish");
    assert_eq!(locks[3].1, calls.len());
}

/// C3, C4: from the seed row to the first fact it shows as spawning; live from publish on.
#[tokio::test]
async fn a_session_shows_as_spawning_until_facts_arrive_c3() {
    let (host, recorder) = host(vec![]);
    for (at, live) in [("create_worktree", false), ("publish_runtime", false), ("type", true)] {
        let spawns = move |m: &mut super::fake_world::Model| {
            let session = &m.sessions[&id("shop-1")];
            assert_eq!(session.condition.status, Status::Spawning, "{at}");
            assert_eq!(session.is_live(), live, "{at}");
        };
        let at = if at == "type" { "type Round VAT per line. into" } else { at };
        recorder.at(at, spawns);
    }
    let session = created(host.create(&Context::new(), request()).await.unwrap());
    assert_eq!(session.condition.status, Status::Spawning);
}

/// C9: a child takes the section of its parent.
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

/// P6: what is named wins; else the longest registered path that holds the folder, both with links
/// resolved and folder by folder; else conversations.
#[tokio::test]
async fn a_new_session_goes_into_the_innermost_project_that_holds_its_folder() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    for folder in ["shop/.git", "shop/cart/.git", "shop/cart/src", "shop-old"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(root.join("shop"), root.join("link")).unwrap();
    let (host, _) = host(vec![]);
    for (name, path) in [("outer", "link"), ("inner", "link/cart")] {
        let name = ProjectName::new(name).ok();
        let path = root.join(path);
        host.add_project(&path, name, ProjectSetup::default(), &OPERATOR).await.unwrap();
    }
    let placed = async |place: Place| {
        let request = CreateRequest { place, ..request() };
        created(host.create(&Context::new(), request).await.unwrap()).placement
    };
    let project = |path: &str| Placement::in_project(root.join(path));
    for (folder, expected) in [
        ("shop", project("shop")),
        ("link", project("shop")),
        ("shop/cart/src", project("shop/cart")),
        ("link/cart", project("shop/cart")),
        ("shop-old", Placement::conversations()),
        (".", Placement::conversations()),
    ] {
        assert_eq!(placed(Place::Folder(root.join(folder))).await, expected, "{folder}");
    }
    assert_eq!(placed(Place::Project(shop().name)).await, Placement::in_project(shop().path));
    assert_eq!(placed(Place::Chat(root.join("shop"))).await, Placement::conversations());
    std::fs::remove_file(root.join("link")).unwrap();
    std::os::unix::fs::symlink(root.join("shop-old"), root.join("link")).unwrap();
    let moved = placed(Place::Folder(root.join("link"))).await;
    assert_eq!(moved, Placement::conversations(), "resolved when it was registered");
    assert_eq!(placed(Place::Folder(root.join("shop"))).await, project("shop"));
}

/// C9: a child goes elsewhere where a project is named, and is never its own ancestor.
#[tokio::test]
async fn a_child_can_be_put_elsewhere_and_is_never_its_own_ancestor_c9() {
    let elsewhere = Placement::in_project("/src/api".into());
    let boss = Session { placement: elsewhere, ..running("boss", None) };
    let (host, recorder) = host(vec![boss, super::restore::deleted("gone", None, "b1")]);
    let child = CreateRequest { parent: Some(id("boss")), ..request() };
    let session = created(host.create(&Context::new(), child.clone()).await.unwrap());
    assert_eq!(session.placement, Placement::in_project(shop().path));
    assert_eq!(session.parent, Some(id("boss")));
    for parent in ["gone", "self"] {
        let own = CreateRequest { id: Some(id("self")), parent: Some(id(parent)), ..request() };
        let error = host.create(&Context::new(), own).await.unwrap_err();
        assert!(matches!(error, HostError::NoParent(_)), "{parent}: {error}");
    }
    assert!(recorder.session_now("self").is_none());
}
