//! `diff` and `fork`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::TestHome;

/// Committed, uncommitted and new files against where the branch began; from the trash too; nothing of it
/// changes the worktree, and no program of the repository's is run (Z1).
#[test]
fn a_diff_has_all_that_a_session_changed() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let id = home.spawn(["--project", "shop"], "wait");
    let shown = home.show(&id);
    let folder = Path::new(shown["worktree"].as_str().unwrap());
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git").arg("-C").arg(folder).args(args).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let nothing = home.run(["diff", &id, "--json"]).ok().json();
    assert_eq!(nothing["files"], serde_json::json!([]));
    // A driver of the repository's own must not be started by a look.
    let driver = home.path().join("driver");
    std::fs::write(&driver, format!("#!/bin/sh\ntouch {}/started\n", home.path().display()))
        .unwrap();
    std::fs::set_permissions(&driver, std::fs::Permissions::from_mode(0o755)).unwrap();
    git(&["config", "diff.external", &driver.to_string_lossy()]);
    git(&["config", "diff.mine.textconv", &driver.to_string_lossy()]);
    std::fs::write(folder.join(".gitattributes"), "*.txt diff=mine\n").unwrap();
    std::fs::write(folder.join("committed.txt"), "committed\n").unwrap();
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "work"]);
    std::fs::write(folder.join("committed.txt"), "committed\nand more\n").unwrap();
    std::fs::create_dir(folder.join("new folder")).unwrap();
    std::fs::write(folder.join("new folder/ne\u{fc}.txt"), "new\n").unwrap();
    let before = git(&["status", "--porcelain"]);
    // The project goes on meanwhile: that is none of the session's.
    repository.write("other.txt", "other\n");
    repository.commit("other");

    let patch = home.run(["diff", &id]).ok().stdout;
    for line in ["+committed", "+and more", "+new", "+*.txt diff=mine"] {
        assert!(patch.lines().any(|found| found == line), "{line}: {patch}");
    }
    assert!(!patch.contains("other") && !patch.contains('\u{1b}'), "{patch}");
    let json = home.run(["diff", &id, "--json"]).ok().json();
    let paths: Vec<&str> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, [".gitattributes", "committed.txt", "new folder/ne\u{fc}.txt"]);
    assert_eq!((&json["added"], &json["removed"]), (&4.into(), &0.into()));
    assert_eq!(json["patch"], patch.as_str());
    let stat = home.run(["diff", &id, "--stat"]).ok().stdout;
    assert!(stat.contains("committed.txt") && stat.ends_with("3 files, +4 -0\n"), "{stat}");
    let stat = home.run(["diff", &id, "--stat", "--json"]).ok().json();
    assert_eq!((&stat["patch"], &stat["files"]), (&serde_json::Value::Null, &json["files"]));
    assert_eq!(git(&["status", "--porcelain"]), before);
    assert!(!home.path().join("started").exists());

    home.run(["delete", &id, "--yes"]).ok();
    assert_eq!(home.run(["diff", &id]).ok().stdout, patch);
    home.run(["diff", "shop-99"]).code(3);
    let chat = home.scripted("wait");
    let refused = home.run(["diff", &chat, "--json"]).code(4).error();
    assert_eq!(
        (&refused["id"], &refused["hint"]),
        (&chat.as_str().into(), &serde_json::Value::Null)
    );
    home.finish();
}

/// G2: a fork is a session of its own, from the other's branch, with the other's conversation.
#[test]
fn a_fork_goes_on_with_the_conversation_in_a_session_of_its_own() {
    let home = TestHome::new();
    home.project("shop");
    let args = ["spawn", "--project", "shop", "--agent", "scripted", "--json", "--title", "First"];
    let script = ["--", "-e", "forever;prompt;end"];
    let first = home.run(args.into_iter().chain(script)).ok().json();
    let id = first["id"].as_str().unwrap();
    let conversation = first["agent_session_id"].as_str().unwrap();
    let folder = Path::new(first["worktree"].as_str().unwrap());
    std::fs::write(folder.join("work.txt"), "work\n").unwrap();
    for args in [&["add", "."][..], &["commit", "-qm", "work"]] {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        assert!(git.output().unwrap().status.success());
    }
    home.run(["stop", id, "--yes"]).ok();
    let fork = home.run(["fork", id, "--prompt", "Go on", "--json"]).ok().json();
    let forked = fork["id"].as_str().unwrap();
    assert_eq!((&fork["parent"], &fork["project"]), (&serde_json::Value::Null, &"shop".into()));
    assert_eq!((&fork["title"], &fork["prompt"]), (&"Go on".into(), &"Go on".into()));
    assert_ne!(fork["agent_session_id"].as_str().unwrap(), conversation);
    home.wait_screen(forked, &format!("Forked conversation {conversation}"));
    let own = Path::new(fork["worktree"].as_str().unwrap());
    assert!(own != folder && own.join("work.txt").is_file());
    let events = home.run(["events", id, "--json"]).ok().json();
    assert_eq!(events["events"][0]["verb"], "fork");

    let chat = home.scripted("wait");
    let refused = home.run(["fork", &chat, "--json"]).code(4).error();
    assert!(refused["message"].as_str().unwrap().contains("cannot fork"), "{refused}");
    home.run(["fork", "shop-99"]).code(3);
    home.run(["delete", id, "--yes"]).ok();
    home.run(["fork", id]).code(4);
    home.finish();
}
