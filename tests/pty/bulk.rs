//! Bulk deletion with a pinned session, and everything back as it was.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::driver::Terminal;
use crate::question::define_asker;
use crate::support::{TestHome, until};

/// What must be the same after an undo. Agents that ran come back stopped.
fn rows(home: &TestHome) -> Vec<BTreeMap<&'static str, Value>> {
    const KEPT: [&str; 12] = [
        "id",
        "title",
        "prompt",
        "pinned",
        "section_key",
        "branch",
        "base",
        "folder",
        "turn",
        "created_at",
        "sorted_at",
        "parent",
    ];
    let list = home.run(["list", "--json"]).ok().json();
    let sessions = list["sessions"].as_array().unwrap().clone();
    sessions.iter().map(|s| KEPT.iter().map(|key| (*key, s[*key].clone())).collect()).collect()
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn three_marked_sessions_one_pinned_are_deleted_and_come_back_exactly() {
    let home = TestHome::new();
    define_asker(&home);
    let repository = home.project("shop");
    repository.write(".gitignore", "ignored.txt\n");
    repository.commit("ignore");
    for n in 1..=3 {
        let prompt = format!("Task number {n}");
        let spawn = ["spawn", "--project", "shop", "--agent", "asker", "--prompt", &prompt];
        home.run(spawn).ok();
    }
    for n in 1..=3 {
        home.wait(&format!("shop-{n}"), "needs_input");
    }
    home.run(["pin", "shop-2"]).ok();
    let worktrees = home.path().join("data/worktrees");
    let second = worktrees.join("default/shop/shop-2");
    std::fs::write(second.join("untracked.txt"), "not in git").unwrap();
    std::fs::write(second.join("ignored.txt"), "never in git").unwrap();
    let (rows_before, files_before) = (rows(&home), files(&worktrees));
    let branches = repository.git(&["branch", "--list"]);

    let mut console = Terminal::start(home.path(), repository.path(), &[], 120, 40);
    console.see_row(&["shop-2", "needs input"]);
    console.press("Space");
    console.see("1 marked");
    console.press("2");
    console.see_row(&["shop-3", "needs input"]);
    console.press("*");
    console.see("3 marked");
    console.press("d");
    console.see("Delete 3 sessions");
    console.see_row(&["skipped", "1 pinned"]);
    console.see("[ Delete 2 ]");
    console.press("p");
    console.see_row(&["pinned", "go too"]);
    console.see_row(&["uncommitted", "1 file, kept in the trash"]);
    console.see("[ Delete 3 ]");
    console.press("Tab");
    console.press("Enter");
    console.see("3 deleted");
    console.see_row(&["Trash", "3"]);
    assert!(files(&worktrees).is_empty());
    assert_eq!(home.run(["list", "--deleted", "--json"]).ok().json()["total"], 3);

    console.press("u");
    console.see("3 brought back");
    console.see("3 were running and are now marked: r launches them");
    console.see_row(&["Trash", "0"]);
    assert_eq!(rows(&home), rows_before);
    assert_eq!(files(&worktrees), files_before);
    let branches_now = repository.git(&["branch", "--list"]);
    assert_eq!(branches_now, branches, "the branches are attached as before");

    console.press("r");
    console.see_row(&["shop-3", "needs input"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn cancel_is_the_default_and_deletes_nothing() {
    let home = TestHome::new();
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 80, 24);
    console.see_row(&["chat-1"]);
    console.press("d");
    console.see("[ Cancel ]");
    console.press("Enter");
    console.see_no("[ Cancel ]");
    console.see_row(&["chat-1"]);
    console.press("q");
    assert!(console.exit().success());
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 1);
    home.finish();
}

/// D5, D7, D14: a delete that is handed over is done by its worker, though the terminal goes with the dashboard:
/// the pinned session too, as it was asked for, and it comes back marked as having run.
#[test]
fn a_delete_that_is_handed_over_is_done_when_the_terminal_is_gone() {
    let home = TestHome::new();
    let stubborn = "trap '' TERM HUP INT; echo ready; while :; do sleep 0.1; done";
    let spawn = ["spawn", "--chat", "--pin", "--agent", "command", "--", "sh", "-c", stubborn];
    let id = home.run(spawn).ok().stdout.trim().to_owned();
    home.wait_screen(&id, "ready");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.press("d");
    console.see("It is pinned.");
    console.press("p");
    console.see("go too, without the pin check");
    console.press("Tab");
    console.press("Enter");
    console.see_row(&[&id, "closing"]);
    console.press("q");
    console.see("Leave callboard");
    console.press("j");
    console.see("▐ Leave now");
    console.press("Enter");
    assert!(console.exit().success());
    drop(console);
    until("the session to be in the trash", || {
        let total = home.run(["list", "--json"]).ok().json()["total"].clone();
        (total == 0).then_some(())
    });
    let operations = home.run(["ops", "--json"]).ok().json();
    let deletes = operations["operations"].as_array().unwrap();
    let deletes = deletes.iter().filter(|operation| operation["kind"] == "delete");
    assert_eq!(deletes.count(), 2, "the dashboard's, and the worker's");
    let back = home.run(["restore", "--last", "--json"]).ok().json();
    assert_eq!(back["was_live_ids"], serde_json::json!([id]));
    home.finish();
}

#[test]
fn the_trash_view_brings_one_session_back() {
    let home = TestHome::new();
    for _ in 0..2 {
        home.scripted("print ready;wait");
    }
    home.run(["delete", "chat-1", "chat-2", "--yes"]).ok();
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["Trash", "2"]);
    console.press("t");
    console.see("deleted together");
    console.see_row(&["chat-1"]);
    console.press("r");
    console.see_row(&["Trash", "1"]);
    until("one session to be back", || {
        let total = home.run(["list", "--json"]).ok().json()["total"].clone();
        (total == 1).then_some(())
    });
    console.press("q");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// R5: with a filter in the trash, the child that it hides goes with its parent, counted and named before.
#[test]
fn a_purge_with_a_filter_takes_the_child_that_is_not_shown() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let spawn = |more: &[&str]| {
        let args =
            ["spawn", "--project", "shop", "--agent", "scripted", "--prompt", "print ready;wait"];
        let args = args.into_iter().chain(more.iter().copied());
        home.run(args).ok();
    };
    spawn(&["--title", "Parent"]);
    spawn(&["--title", "Hidden", "--parent", "shop-1"]);
    spawn(&["--title", "Another"]);
    let child = home.path().join("data/worktrees/default/shop/shop-2");
    std::fs::write(child.join("lost.txt"), "not in git").unwrap();
    home.run(["delete", "shop-1", "shop-3", "--yes"]).ok();
    let mut console = Terminal::start(home.path(), repository.path(), &[], 120, 40);
    console.see_row(&["Trash", "3"]);
    console.press("t");
    console.see("deleted together");
    console.press("/");
    console.paste("Parent");
    console.press("Enter");
    console.see_no("Another");
    console.press("P");
    console.see("Purge 2 sessions?");
    console.see("1 uncommitted file is lost for good.");
    console.see_row(&["shop-2", "child of shop-1"]);
    console.press("Tab");
    console.press("Enter");
    console.see("2 purged.");
    console.see_row(&["Trash", "1"]);
    console.press("Esc");
    console.press("Esc");
    // A place that is taken is told before anything is done.
    std::fs::create_dir_all(home.path().join("data/worktrees/default/shop/shop-3")).unwrap();
    console.see_row(&["shop-3", "Another"]);
    console.press("r");
    console.see_row(&["skipped", "1 cannot come back"]);
    console.press("Esc");
    std::fs::remove_dir(home.path().join("data/worktrees/default/shop/shop-3")).unwrap();
    console.press("r");
    console.see_row(&["Trash", "0"]);
    console.press("q");
    console.press("q");
    assert!(console.exit().success());
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 1);
    home.finish();
}
