use std::path::Path;

use crate::domain::error::ErrorKind;
use crate::domain::ids::ProjectName;
use crate::domain::rail::{ProjectSetup, SavedFilter};
use crate::host::error::HostError;

use super::{OPERATOR, host, id, ids, seeded};

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
async fn saved_filters_are_checked_and_audited_w6() {
    let (host, recorder) = host(vec![]);
    let saved = |name: &str, words: &str| SavedFilter {
        name: name.to_owned(),
        section: None,
        words: words.to_owned(),
    };
    host.save_filter(saved(" left\talone\n", "age:>7d"), &OPERATOR).await.unwrap();
    host.save_filter(saved("idle", "status:idle"), &OPERATOR).await.unwrap();
    for (name, words) in [("\n", "status:idle"), ("empty", "  "), (&"x".repeat(41), "status:idle")]
    {
        let refused = host.save_filter(saved(name, words), &OPERATOR).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Usage, "{name}");
    }
    let taken = host.rename_filter("idle", "left alone", &OPERATOR).await.unwrap_err();
    assert_eq!(taken.to_string(), "there is a filter left alone already");
    host.rename_filter("idle", "resting", &OPERATOR).await.unwrap();
    assert!(host.rename_filter("idle", "other", &OPERATOR).await.is_err());
    host.remove_filter("resting", &OPERATOR).await.unwrap();
    assert!(host.remove_filter("resting", &OPERATOR).await.is_err());
    assert_eq!(recorder.read(|m| m.filters.clone()), [saved("left alone", "age:>7d")]);
    let events = recorder.read(|m| {
        m.events
            .iter()
            .map(|e| format!("{} {}", e.verb, e.cause.clone().unwrap()))
            .collect::<Vec<_>>()
    });
    assert_eq!(
        events,
        [
            "filter_save left alone: age:>7d",
            "filter_save idle: status:idle",
            "filter_rename idle to resting",
            "filter_remove resting",
        ]
    );
}

#[tokio::test]
async fn a_project_is_registered_under_its_canonical_path_p6() {
    let (host, recorder) = host(vec![]);
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("Shop");
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    std::os::unix::fs::symlink(&folder, root.path().join("link")).unwrap();
    let add = async |path: &Path, name: Option<&str>| {
        let name = name.map(|name| ProjectName::new(name).unwrap());
        host.add_project(path, name, ProjectSetup::default(), &OPERATOR).await
    };
    let project = add(&root.path().join("link"), None).await.unwrap();
    assert_eq!(project.path, folder.canonicalize().unwrap());
    assert!(project.git);
    assert!(!add(root.path(), Some("plain")).await.unwrap().git);
    assert_eq!(add(&folder.join("none"), None).await.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(add(&folder, Some("chat")).await.unwrap_err().kind(), ErrorKind::Usage);
    let nobody = ProjectName::new("nobody").unwrap();
    assert!(matches!(host.remove_project(&nobody, &OPERATOR).await, Err(HostError::NoProject(_))));
    host.move_project(&project.name, 0, &OPERATOR).await.unwrap();
    host.remove_project(&project.name, &OPERATOR).await.unwrap();
    // All of it is in the audit, and nothing that was refused.
    let events = recorder.read(|m| {
        m.events.iter().map(|e| (e.verb.clone(), e.cause.clone().unwrap())).collect::<Vec<_>>()
    });
    let at = |folder: &Path| folder.canonicalize().unwrap().display().to_string();
    let event = |verb: &str, cause: &str| (verb.to_owned(), cause.to_owned());
    assert_eq!(
        events,
        [
            event("project_add", &format!("shop at {}", at(&folder))),
            event("project_add", &format!("plain at {}", at(root.path()))),
            event("project_move", "shop to place 0"),
            event("project_remove", "shop"),
        ]
    );
    assert!(recorder.read(|m| m.events.iter().all(|event| event.actor == "operator")));
}
