//! `kill`, `cleanup`, `clear`, `purge` and `ops`, with real agents and real git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Repository, TestHome, texts, until};

/// A home with a project whose ignore file knows `target`.
fn shop() -> (TestHome, Repository) {
    let home = TestHome::new();
    let repository = home.project("shop");
    repository.write(".gitignore", "/target/\n");
    repository.commit("ignore what is built");
    (home, repository)
}

/// Spawns an agent in the project, plays the script to its `ready`, and answers its id.
fn work(home: &TestHome, script: &str) -> String {
    let id = home.spawn(["--project", "shop"], &format!("{script}print ready;prompt;wait"));
    home.wait_screen(&id, "ready");
    id
}

fn folder(home: &TestHome, id: &str) -> PathBuf {
    PathBuf::from(home.show(id)["worktree"].as_str().unwrap())
}

fn only(report: &Value) -> &Value {
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{report}");
    for field in ["id", "stopped", "freed", "reason", "escalated"] {
        assert!(results[0].get(field).is_some(), "{field} in {report}");
    }
    &results[0]
}

/// The trash folders of the home.
fn in_trash(home: &TestHome) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for batch in fs::read_dir(home.path().join("data/trash/default")).into_iter().flatten() {
        let entries = fs::read_dir(batch.unwrap().path()).unwrap().map(|one| one.unwrap().path());
        found.extend(entries.filter(|path| path.is_dir()));
    }
    found
}

/// K2, B2: a clean worktree goes with its session, and a launch makes it again on its branch.
#[test]
fn kill_gives_back_a_clean_worktree_and_a_launch_makes_it_again_k2_b2() {
    let (home, repository) = shop();
    let id = work(&home, "");
    let place = folder(&home, &id);
    home.run(["kill", &id]).code(4);
    let plan = home.run(["kill", &id, "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&plan["sessions"][0]["live"], &plan["sessions"][0]["dirty_files"]),
        (&json!(true), &json!(0))
    );
    let report = home.run(["kill", &id, "--yes", "--json"]).ok().json();
    let one = only(&report);
    assert_eq!(
        (&one["stopped"], &one["freed"], &one["reason"]),
        (&json!(true), &json!(true), &json!(null))
    );
    assert!(!place.exists());
    assert!(!repository.git(&["worktree", "list"]).contains("shop-1"));
    let shown = home.show(&id);
    assert_eq!((&shown["worktree"], &shown["branch"]), (&json!(null), &json!("callboard/shop-1")));
    assert_eq!(shown["termination_reason"], "manually_killed");
    assert!(repository.git(&["branch"]).contains("callboard/shop-1"), "the branch stays");

    let report = home.run(["kill", &id, "--yes", "--json"]).ok().json();
    assert_eq!(only(&report)["freed"], false, "each at most once");
    home.run(["restore", &id]).ok();
    assert_eq!(folder(&home, &id), place);
    assert!(place.join("README.md").exists());
    home.finish();
}

#[test]
fn kill_keeps_work_and_moves_ignored_files_to_the_trash_k3() {
    let (home, _) = shop();
    let dirty = work(&home, "write draft.txt some text;");
    let ignored = work(&home, "");
    let (kept, moved) = (folder(&home, &dirty), folder(&home, &ignored));
    fs::create_dir(moved.join("target")).unwrap();
    fs::write(moved.join("target/out"), "built").unwrap();
    let report = home.run(["kill", &dirty, &ignored, "--yes", "--json"]).ok().json();
    let results = report["results"].as_array().unwrap();
    assert_eq!((&results[0]["stopped"], &results[0]["freed"]), (&json!(true), &json!(false)));
    assert!(results[0]["reason"].as_str().unwrap().contains("draft.txt"));
    assert!(kept.join("draft.txt").exists());
    assert_eq!(results[1]["freed"], true);
    let trash = in_trash(&home);
    assert_eq!(trash.len(), 1);
    assert!(results[1]["reason"].as_str().unwrap().contains(trash[0].to_str().unwrap()));
    assert_eq!(fs::read_to_string(trash[0].join("target/out")).unwrap(), "built");
    assert!(!moved.exists() && home.show(&ignored)["worktree"].is_null());

    // What was moved aside goes with the session's purge.
    home.run(["restore", &ignored]).ok();
    home.run(["delete", &ignored, "--yes"]).ok();
    assert_eq!(in_trash(&home).len(), 2);
    home.run(["purge", &ignored, "--yes"]).ok();
    assert_eq!(in_trash(&home), Vec::<PathBuf>::new());
    assert!(kept.join("draft.txt").exists());
    home.finish();
}

/// K2: an unknown id is no failure.
#[test]
fn kill_of_what_is_not_there_is_benign_k2() {
    let home = TestHome::new();
    let report = home.run(["kill", "no-such-1", "--yes", "--json"]).ok().json();
    let one = only(&report);
    assert_eq!((&one["reason"], &one["stopped"]), (&json!("not_found"), &json!(false)));
    home.finish();
}

/// K2: an incomplete handle is refused.
#[test]
fn kill_refuses_a_live_session_that_does_not_say_where_it_works_k2() {
    let (home, _) = shop();
    let id = work(&home, "");
    let place = folder(&home, &id);
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    store.execute("UPDATE sessions SET folder = '' WHERE id = ?1", [&id]).unwrap();
    let error = home.run(["kill", &id, "--yes", "--json"]).code(4).error();
    assert_eq!(error["kind"], "refused");
    assert!(home.show(&id)["alive"] == true && place.exists(), "nothing is torn down");
    home.finish();
}

#[test]
fn cleanup_gives_back_worktrees_of_ended_sessions_of_a_project_k4() {
    let (home, _) = shop();
    home.project("other");
    let (live, clean, dirty) =
        (work(&home, ""), work(&home, ""), work(&home, "write draft.txt text;"));
    let elsewhere = home.spawn(["--project", "other"], "wait");
    home.run(["stop", &clean, &dirty, &elsewhere, "--yes"]).ok();
    home.run(["cleanup", "--project", "nobody"]).code(3);
    let plan = home.run(["cleanup", "--project", "shop", "--dry-run", "--json"]).ok().json();
    let planned: Vec<&str> = plan["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert_eq!(planned, [clean.as_str(), dirty.as_str()]);
    let report = home.run(["cleanup", "--project", "shop", "--json"]).ok().json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "running ones never");
    assert_eq!((&results[0]["id"], &results[0]["freed"]), (&json!(clean), &json!(true)));
    assert_eq!((&results[1]["id"], &results[1]["freed"]), (&json!(dirty), &json!(false)));
    assert!(home.show(&live)["alive"] == true && folder(&home, &live).exists());
    assert!(folder(&home, &dirty).join("draft.txt").exists());
    let again = home.run(["cleanup", "--project", "shop", "--json"]).ok().json();
    assert_eq!(only(&again)["id"], json!(dirty), "what was given back is not looked at again");
    let rest = home.run(["cleanup", "--json"]).ok().json();
    assert_eq!(rest["results"].as_array().unwrap().len(), 2, "of all projects");
    home.finish();
}

/// D7, D12: clear deletes all sessions, and closes runtimes without a row.
#[test]
fn clear_deletes_everything_runtimes_without_a_row_too_d12() {
    let (home, _) = shop();
    let (first, chat) = (work(&home, ""), home.scripted("print ready;wait"));
    let rowless = home.scripted("print ready;wait");
    home.wait_screen(&rowless, "ready");
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    store.execute("PRAGMA foreign_keys = ON", []).unwrap_or_default();
    store.execute("DELETE FROM sessions WHERE id = ?1", [&rowless]).unwrap();
    home.run(["clear"]).code(4);
    let plan = home.run(["clear", "--dry-run", "--json"]).ok().json();
    let mut all = vec![first, chat, rowless.clone()];
    all.sort();
    let planned: Vec<&str> = plan["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert_eq!(planned, all);
    let report = home.run(["clear", "--yes", "--json"]).ok().json();
    let removed = texts(&report["removed_session_ids"]);
    assert_eq!(removed.len(), 2);
    assert!(!removed.contains(&rowless.as_str()));
    assert_eq!(texts(&report["runtime_closed_ids"]), all);
    assert_eq!(home.run(["list", "--json"]).ok().json()["sessions"], json!([]));
    let nothing = home.run(["clear", "--json"]).ok().json();
    assert!(nothing["batch"].is_null(), "nothing to do, nobody to ask");
    home.run(["restore", "--last"]).ok();
    let back = home.run(["list", "--json"]).ok().json();
    assert_eq!(back["sessions"].as_array().unwrap().len(), 2);
    home.finish();
}

#[test]
fn purge_removes_a_read_only_tree_for_good_and_nothing_else_r5() {
    let (home, repository) = shop();
    let (id, other) = (work(&home, ""), work(&home, ""));
    let deep = folder(&home, &id).join("target/deep");
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("file"), "0123456789").unwrap();
    let outside = home.folder("outside");
    fs::write(outside.join("kept"), "kept").unwrap();
    std::os::unix::fs::symlink(&outside, deep.join("link")).unwrap();
    for path in [deep.as_path(), deep.parent().unwrap()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    home.run(["send", &id, "hello"]).ok();
    home.run(["delete", &id, "--yes"]).ok();
    let history = home.path().join("state/history/default").join(&id);
    until("the history of the session", || history.exists().then_some(()));

    home.run(["purge", &id]).code(4);
    home.run(["purge"]).code(2);
    let plan = home.run(["purge", &id, "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&plan["sessions"][0]["id"], &plan["sessions"][0]["live"]),
        (&json!(id), &json!(false))
    );
    let report = home.run(["purge", &id, &other, "no-such-1", "--yes", "--json"]).code(5).json();
    assert_eq!(texts(&report["purged_session_ids"]), [id.as_str()]);
    assert_eq!(report["removed_messages"], 1);
    assert!(report["freed_bytes"].as_u64().unwrap() > 10);
    assert_eq!(
        report["skipped"],
        json!([
            { "id": "no-such-1", "reason": "not_found" },
            { "id": other, "reason": "not_in_trash" },
        ])
    );
    assert_eq!(in_trash(&home), Vec::<PathBuf>::new());
    assert!(!history.exists() && outside.join("kept").exists());
    assert!(folder(&home, &other).join("README.md").exists() && home.show(&other)["alive"] == true);
    assert!(!repository.git(&["worktree", "list"]).contains(&format!("/{id} ")));
    home.run(["show", &id]).code(3);
    home.run(["restore", &id]).code(3);
    home.run(["purge", &id, "--yes"]).code(3);
    let events = home.run(["events", &id, "--json"]).ok().json();
    assert!(events["events"].as_array().unwrap().iter().any(|event| event["verb"] == "purge"));
    assert_eq!(work(&home, ""), "shop-3", "a number is never used twice");
    home.finish();
}

#[test]
fn purge_deletes_a_branch_only_merged_or_by_name_r5() {
    let (home, repository) = shop();
    let commit = |id: &str| {
        let place = folder(&home, id);
        let tree = Repository::at(&place);
        tree.write("work.txt", id);
        tree.commit("work");
    };
    let ids = [work(&home, ""), work(&home, ""), work(&home, ""), work(&home, "")];
    let [merged, unmerged, named, idle] = &ids;
    for id in [merged, unmerged, named] {
        commit(id);
    }
    repository.git(&["merge", "--quiet", "--no-edit", &format!("callboard/{merged}")]);
    home.run(["delete", merged, unmerged, named, idle, "--yes"]).ok();
    let branch = format!("callboard/{named}");
    home.run(["purge", "--all", "--branch", &branch, "--yes"]).ok();
    let branches =
        repository.git(&["branch", "--list", "callboard/*", "--format=%(refname:short)"]);
    assert_eq!(branches, format!("callboard/{unmerged}"));
    home.finish();
}

#[test]
fn purge_by_age_and_filter_never_splits_a_tree_r5() {
    let (home, _) = shop();
    let parent = work(&home, "");
    let child = home.spawn(["--project", "shop", "--parent", &parent], "wait");
    let other = home.scripted("wait");
    home.run(["delete", &child, "--yes"]).ok();
    home.run(["delete", &parent, &other, "--yes"]).ok();
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    let age = |id: &str, days: i64| {
        let sql = "UPDATE sessions SET deleted_at = deleted_at - ?2 WHERE id = ?1";
        store.execute(sql, rusqlite::params![id, days * 86_400_000]).unwrap();
    };
    age(&child, 40);
    age(&other, 40);
    let report = home.run(["purge", &child, "--older-than", "30d", "--yes", "--json"]).ok().json();
    assert_eq!(report["skipped"], json!([{ "id": child, "reason": "too_young" }]));
    let plan = home.run(["purge", "--older-than", "30d", "--dry-run", "--json"]).ok().json();
    assert_eq!(plan["sessions"].as_array().unwrap().len(), 1);
    let report = home.run(["purge", "--older-than", "30d", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["purged_session_ids"]), [other.as_str()]);
    let plan = home.run(["purge", &child, "--dry-run", "--json"]).ok().json();
    let pulled: Vec<(&str, &Value)> = plan["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["id"].as_str().unwrap(), &row["pulled_in_by"]))
        .collect();
    assert_eq!(pulled, [(parent.as_str(), &json!(child)), (child.as_str(), &json!(null))]);
    let report = home.run(["purge", "--project", "shop", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["purged_session_ids"]), [parent.as_str(), child.as_str()]);
    let empty = home.run(["purge", "--all", "--json"]).ok().json();
    assert_eq!(empty["purged_session_ids"], json!([]), "nothing to do, nobody to ask");
    home.finish();
}

#[test]
fn operations_are_undone_resumed_and_abandoned_v3() {
    let (home, _) = shop();
    let (first, second) = (work(&home, ""), home.scripted("wait"));
    let one = home.run(["delete", &first, "--yes", "--json"]).ok().json();
    home.run(["delete", &second, "--yes"]).ok();
    let batch = one["batch"].as_str().unwrap();
    let answer = home.run(["ops", "undo", batch, "--json"]).ok().json();
    assert_eq!(answer["operations"][0]["id"], batch);
    assert!(folder(&home, &first).exists(), "exactly its batch is back");
    assert!(home.show(&second)["deleted_at"].is_string());
    home.run(["ops", "undo", batch]).code(4);
    for verb in ["undo", "resume", "abandon"] {
        home.run(["ops", verb, "no-such-operation"]).code(3);
    }
    home.run(["ops", "resume", batch]).code(4);
    home.run(["purge", &second, "--yes"]).ok();
    let purge = home.run(["ops", "--json"]).ok().json()["operations"][0].clone();
    assert_eq!((&purge["kind"], &purge["state"]), (&json!("purge"), &json!("done")));
    home.run(["ops", "undo", purge["id"].as_str().unwrap()]).code(4);
    home.finish();
}

#[test]
fn files_that_could_not_be_purged_are_tried_again_r5() {
    let (home, _) = shop();
    let id = work(&home, "");
    home.run(["delete", &id, "--yes"]).ok();
    // What lies in the way is no folder of ours any more: it stays until it is put right.
    let place = in_trash(&home).remove(0);
    let aside = home.path().join("aside");
    fs::rename(&place, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &place).unwrap();
    home.run(["purge", &id, "--yes", "--json"]).ok();
    home.run(["show", &id]).code(3);
    let operation = home.run(["ops", "--json"]).ok().json()["operations"][0].clone();
    assert_eq!((&operation["kind"], &operation["state"]), (&json!("purge"), &json!("running")));
    assert!(aside.join("README.md").exists(), "links are not followed");
    let op = operation["id"].as_str().unwrap();
    home.run(["ops", "resume", op]).code(5);
    fs::remove_file(&place).unwrap();
    fs::rename(&aside, &place).unwrap();
    let answer = home.run(["ops", "resume", op, "--json"]).ok().json();
    assert_eq!(answer["operations"][0]["state"], "done");
    assert!(!place.exists());
    home.finish();
}
