use std::path::Path;

use crate::domain::activity::Question;
use crate::domain::error::ErrorKind;
use crate::domain::ids::ProjectName;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Conditions;
use crate::domain::rail::ProjectSetup;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::host::context::Context;
use crate::host::error::HostError;

use super::{OPERATOR, host, id, ids, running, seeded};

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

#[tokio::test]
async fn kill_refuses_a_live_row_without_handle_k2() {
    let (host, recorder) = host(vec![Session { folder: "".into(), ..running("a", None) }]);
    let error = host
        .kill(&Context::new(), &ids(&["a"]), &Conditions::default(), &OPERATOR)
        .await
        .unwrap_err();
    assert!(matches!(error, HostError::IncompleteHandle(_)));
    assert!(recorder.acts().is_empty());
}

#[tokio::test]
async fn send_looks_at_the_row_again_and_types_detached_k5() {
    let question = Question {
        id: "q1".into(),
        kind: "permission".into(),
        text: "Run it?".into(),
        options: vec![],
    };
    let mut asking = running("asks", None);
    asking.condition.question = Some(question);
    let (host, recorder) = host(vec![running("a", None), asking, seeded("ended", None)]);
    let caller = Context::new();
    let cancel = caller.cancel.clone();
    recorder.at("type Go on into a", move |_| cancel.cancel());
    let wanted = ids(&["a"]);
    let sent = host.send(&caller, &wanted, "Go\u{1b} on", true, &OPERATOR).await.unwrap();
    assert!(sent[0].sent);
    assert_eq!(recorder.acts(), ["type Go on into a", "prompted a"]);
    let typed = recorder.read(|m| m.calls[0].clone());
    assert!(typed.deadline && !typed.cancelled, "{typed:?}");

    recorder.forget();
    let wanted = ids(&["asks", "ended", "none"]);
    let sent = host.send(&Context::new(), &wanted, "Go", true, &OPERATOR).await.unwrap();
    let reasons: Vec<_> = sent.iter().map(|one| one.reason.clone().unwrap()).collect();
    assert_eq!(reasons, ["question_shown", "not running", "not_found"]);
    assert!(recorder.acts().is_empty());

    host.keys(&Context::new(), &id("asks"), vec!["Enter".into()], &OPERATOR).await.unwrap();
    assert_eq!(recorder.acts(), ["press Enter in asks"]);
    let text = host.send(&Context::new(), &ids(&["a"]), "x", false, &OPERATOR).await.unwrap();
    assert!(text[0].sent);
    assert_eq!(recorder.read(|m| m.messages.len()), 1, "without Enter it is no prompt");
    let empty = host.send(&Context::new(), &ids(&["a"]), "\u{7}", true, &OPERATOR).await;
    assert_eq!(empty.unwrap_err().kind(), ErrorKind::Usage);
}

#[tokio::test]
async fn small_edits_are_audited_w6() {
    let (host, recorder) = host(vec![seeded("a", None)]);
    assert_eq!(host.pin(&ids(&["a", "x"]), true, &OPERATOR).await.unwrap(), ids(&["a"]));
    host.rename(&id("a"), " New\ttitle\n", &OPERATOR).await.unwrap();
    assert_eq!(recorder.session_now("a").unwrap().title, "New title");
    assert!(host.rename(&id("a"), "\n", &OPERATOR).await.is_err());
    let error = host.rename(&id("x"), "y", &OPERATOR).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let verbs = recorder.read(|m| m.events.iter().map(|e| e.verb.clone()).collect::<Vec<_>>());
    assert_eq!(verbs, ["pin", "rename"]);
}

#[tokio::test]
async fn a_project_is_registered_under_its_canonical_path_p6() {
    let (host, _) = host(vec![]);
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("Shop");
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    std::os::unix::fs::symlink(&folder, root.path().join("link")).unwrap();
    let add = async |path: &Path, name: Option<&str>| {
        let name = name.map(|name| ProjectName::new(name).unwrap());
        host.add_project(path, name, ProjectSetup::default()).await
    };
    let project = add(&root.path().join("link"), None).await.unwrap();
    assert_eq!(project.path, folder.canonicalize().unwrap());
    assert!(project.git);
    assert!(!add(root.path(), Some("plain")).await.unwrap().git);
    assert_eq!(add(&folder.join("none"), None).await.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(add(&folder, Some("chat")).await.unwrap_err().kind(), ErrorKind::Usage);
    let nobody = ProjectName::new("nobody").unwrap();
    assert!(matches!(host.remove_project(&nobody).await, Err(HostError::NoProject(_))));
    host.move_project(&project.name, 0).await.unwrap();
    host.remove_project(&project.name).await.unwrap();
}
