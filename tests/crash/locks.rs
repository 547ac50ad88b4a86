//! Locks between processes (`spec/lifecycle.md` section 3).

use std::fs::File;
use std::process::{Child, Stdio};

use crate::board::Board;
use crate::support::{TestHome, until};

fn start(home: &TestHome, args: &[&str]) -> Child {
    let mut command = home.command(args.iter().copied());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn fourteen_deletes_at_once_lose_nothing_l1() {
    let board = Board::new(14);
    let deletes: Vec<Child> =
        board.ids.iter().map(|id| start(&board.home, &["delete", id, "--yes"])).collect();
    for delete in deletes {
        let output = delete.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    }
    board.check();
    assert_eq!(board.rows(true).len(), 14);
    board.home.finish();
}

#[test]
fn delete_restore_and_spawn_of_one_session_never_mix_l1() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let binary = crate::support::binary();
    let spawn = [
        "spawn",
        "--project",
        "shop",
        "--id",
        "one",
        "--branch",
        "one",
        "--agent",
        "command",
        "--",
        binary,
        "scripted",
        "-e",
        "wait",
    ];
    let delete = ["delete", "one", "--yes"];
    let restore = ["restore", "one", "--launch"];
    home.run(spawn).ok();
    for _ in 0..3 {
        let all = [&spawn[..], &delete, &restore, &delete, &spawn, &restore]
            .map(|args| start(&home, args));
        for child in all {
            let output = child.wait_with_output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            // Done, in part (was deleted before it could be launched), not there, or refused.
            assert!(matches!(output.status.code(), Some(0 | 3 | 4 | 5)), "{output:?}: {error}");
        }
        let (rows, trash) = (list(&home, &[]), list(&home, &["--deleted"]));
        assert_eq!(rows.len() + trash.len(), 1, "{rows:?} {trash:?}");
        let there = home.path().join("data/worktrees/default/shop/one").is_dir();
        assert_eq!(there, trash.is_empty());
        let list = repository.git(&["worktree", "list"]);
        assert_eq!(list.lines().count(), 2, "{list}");
        let report = home.run(["recover", "--json"]).ok().json();
        for (field, list) in report.as_object().unwrap() {
            assert_eq!(list, &serde_json::json!([]), "{field} was left to recovery: {report}");
        }
    }
    home.finish();
}

fn list(home: &TestHome, more: &[&str]) -> Vec<serde_json::Value> {
    let args = [&["list", "--json"], more].concat();
    home.run(args).ok().json()["sessions"].as_array().unwrap().clone()
}

#[test]
fn a_killed_holder_frees_its_lock_at_once_l1() {
    let home = TestHome::new();
    let id = home.scripted("ignore TERM;print deaf;forever;sleep 1;end");
    home.wait_screen(&id, "deaf");
    let mut holder = start(&home, &["stop", &id, "--yes"]);
    let path = home.path().join(format!("state/locks/default@session@{id}.lock"));
    let is_free = || File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
    until("the lock to be taken", || (path.exists() && !is_free()).then_some(()));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(is_free());
    home.run(["recover"]).ok();
    // Killed before its first journal row the stop has not begun; after it recovery ends it.
    if home.show(&id)["alive"] == true {
        home.run(["stop", &id, "--yes"]).ok();
    }
    assert_eq!(home.show(&id)["status"], "killed");
    home.finish();
}

/// L4: neither keepers and their agents nor git, with its hooks, inherit a lock.
#[test]
fn no_child_inherits_a_lock_l4() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let seen = home.path().join("seen by a hook");
    let hook = repository.path().join(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = format!("#!/bin/sh\nls -l /proc/self/fd >> '{}'\n", seen.display());
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let id = home.spawn(["--project", "shop"], "wait");
    let hook_saw = std::fs::read_to_string(&seen).unwrap();
    assert!(!hook_saw.contains(".lock"), "{hook_saw}");
    let mut pids: Vec<u64> =
        crate::board::agents(home.path()).iter().map(|(pid, _)| (*pid).into()).collect();
    pids.push(home.show(&id)["runtime"]["keeper_pid"].as_u64().unwrap());
    assert!(pids.len() >= 2);
    for pid in pids {
        for file in std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten() {
            let path = std::fs::read_link(file.path()).unwrap_or_default();
            assert!(
                !path.starts_with(home.path().join("state/locks")),
                "{pid}: {}",
                path.display()
            );
        }
    }
    home.finish();
}

/// L5, V3: a command that waits says on standard error for which verb of which session, and since when.
#[test]
fn a_command_says_what_it_waits_for_l5() {
    let home = TestHome::new();
    let id = home.scripted("ignore TERM;print deaf;forever;sleep 1;end");
    home.wait_screen(&id, "deaf");
    let mut stop = start(&home, &["stop", &id, "--yes"]);
    until("the stop to begin", || {
        let operations = home.run(["ops", "--json"]).ok().json();
        let mut all = operations["operations"].as_array().unwrap().iter();
        all.any(|one| one["kind"] == "stop" && one["ended_at"].is_null()).then_some(())
    });
    let delete = home.run(["delete", &id, "--yes"]).ok();
    assert!(delete.stderr.contains(&format!("waiting for stop of {id}, ")), "{}", delete.stderr);
    assert!(stop.wait().unwrap().success());
    home.finish();
}
