//! `spawn`: what it makes, and what it refuses before any effect.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::{TestHome, binary, texts, until};

/// S3: ids are counted; a caller may choose one.
#[test]
fn ids_are_counted_and_never_used_twice() {
    let home = TestHome::new();
    home.project("shop");
    let first = home.spawn(["--project", "shop"], "wait");
    home.run(["delete", &first, "--yes"]).ok();
    let second = home.spawn(["--project", "shop"], "wait");
    assert_eq!((first.as_str(), second.as_str()), ("shop-1", "shop-2"));
    let chosen = home.spawn(["--chat", "--id", "my.own_id"], "wait");
    assert_eq!(chosen, "my.own_id");
    home.finish();
}

/// S3, C1: an id in use or in the trash is refused, with the way back.
#[test]
fn an_id_in_use_or_in_the_trash_is_refused() {
    let home = TestHome::new();
    let id = home.spawn(["--chat", "--id", "mine"], "wait");
    let again = ["spawn", "--chat", "--id", "mine", "--agent", "shell", "--json"];
    let error = home.run(again).code(4).error();
    assert_eq!(error["id"], "mine");
    home.run(["delete", &id, "--yes"]).ok();
    let error = home.run(again).code(4).error();
    assert!(error["hint"].as_str().unwrap().contains("restore mine"), "{error}");
    home.finish();
}

/// C2: a retry finds the session that is there.
#[test]
fn a_retry_finds_the_session_that_is_there_c2() {
    let home = TestHome::new();
    let spawn = || home.spawn(["--chat", "--id", "mine"], "wait");
    assert_eq!(spawn(), spawn());
    assert_eq!(home.show("mine")["generation"], 1);
    let other = ["spawn", "--chat", "--id", "mine", "--agent", "command", "--", "true"];
    home.run(other).code(4);
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 1);
    home.finish();
}

/// C1: an unknown agent or missing program is refused before any effect.
#[test]
fn a_missing_program_leaves_nothing() {
    let home = TestHome::new();
    home.project("shop");
    for program in ["/no/such/program", "no-such-program-anywhere"] {
        let args = ["spawn", "--project", "shop", "--agent", "command", "--json", "--", program];
        let answer = home.run(args);
        assert!(matches!(answer.code, 1..=4), "{} {}", answer.code, answer.stderr);
        assert!(answer.error()["message"].as_str().unwrap().contains(program));
    }
    home.run(["spawn", "--chat", "--agent", "no-such-agent"]).code(3);
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 0);
    home.finish();
}

/// C1, C9: places and parents that are not there are refused.
#[test]
fn places_that_cannot_be_are_refused() {
    let home = TestHome::new();
    home.run(["spawn", "--project", "nowhere", "--agent", "shell"]).code(3);
    home.run(["spawn", "--chat", "--parent", "chat-9", "--agent", "command", "--", "true"]).code(3);
    home.run(["project", "add", "no/such/folder"]).code(4);
    let plain = home.folder("plain");
    home.run(["project", "add", &plain.to_string_lossy()]).ok();
    let error =
        home.run(["spawn", "--project", "plain", "--agent", "shell", "--json"]).code(4).error();
    assert!(error["hint"].as_str().unwrap().contains("--in-place"), "{error}");
    let id = home.spawn(["--project", "plain", "--in-place"], "wait");
    let shown = home.show(&id);
    assert_eq!(
        (&shown["folder_kind"], &shown["worktree"]),
        (&"in_place".into(), &serde_json::Value::Null)
    );
    assert_eq!(shown["folder"], plain.to_string_lossy().as_ref());
    home.finish();
}

/// C1: the branch name is looked at before any effect.
#[test]
fn a_branch_that_is_there_is_used_or_refused_by_where_it_is() {
    let home = TestHome::new();
    let repository = home.project("shop");
    repository.git(&["branch", "ready"]);
    let id = home.spawn(["--project", "shop", "--branch", "ready"], "wait");
    assert_eq!(home.show(&id)["branch"], "ready");
    let taken = ["spawn", "--project", "shop", "--branch", "main", "--agent", "shell", "--json"];
    let error = home.run(taken).code(4).error();
    assert!(error["message"].as_str().unwrap().contains("main"), "{error}");
    let bad = ["spawn", "--project", "shop", "--branch", "a..b", "--agent", "shell"];
    let answer = home.run(bad);
    assert!(matches!(answer.code, 2 | 4), "{}", answer.stderr);
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 1);
    home.finish();
}

/// C9: the environment of an agent makes its spawn a child.
#[test]
fn an_agent_that_spawns_makes_a_child_c9() {
    let home = TestHome::new();
    home.project("shop");
    let parent = home.spawn(["--project", "shop"], "wait");
    let program =
        ["spawn", "--agent", "command", "--json", "--", binary(), "scripted", "-e", "wait"];
    let output = home.command(program).env("CALLBOARD_SESSION_ID", &parent).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let child: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&child["parent"], &child["root"]),
        (&parent.as_str().into(), &parent.as_str().into())
    );
    assert_eq!(child["project"], "shop");
    let id = child["id"].as_str().unwrap();
    let plan = home.run(["delete", &parent, "--dry-run", "--json"]).ok().json();
    let pulled: Vec<_> =
        plan["sessions"].as_array().unwrap().iter().map(|row| &row["pulled_in_by"]).collect();
    assert_eq!(pulled, [&serde_json::Value::Null, &parent.as_str().into()]);
    let report = home.run(["delete", &parent, "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["removed_session_ids"]), [parent.as_str(), id]);
    assert_eq!(texts(&report["runtime_closed_ids"]), [parent.as_str(), id]);
    let back = home.run(["restore", "--last", "--json"]).ok().json();
    assert_eq!(texts(&back["was_live_ids"]), [parent.as_str(), id]);
    home.finish();
}

#[test]
fn a_prompt_comes_from_a_file_or_standard_input() {
    let home = TestHome::new();
    let program = [
        "--agent",
        "command",
        "--json",
        "--",
        binary(),
        "scripted",
        "-e",
        "print got it;prompt;wait",
    ];
    let args: Vec<&str> =
        ["spawn", "--chat", "--prompt-file", "-"].into_iter().chain(program).collect();
    let spawned = home.run_with("Say this.\nAnd more.", args).ok().json();
    assert_eq!(spawned["prompt"], "Say this.\nAnd more.");
    assert_eq!(spawned["title"], "Say this");
    let answer =
        home.run(["spawn", "--chat", "--prompt-file", "no-such-file", "--agent", "shell"]).code(1);
    assert!(answer.stderr.contains("no-such-file"), "{}", answer.stderr);
    home.finish();
}

#[test]
fn any_text_is_a_prompt_and_a_title() {
    let home = TestHome::new();
    let texts = ["--json", "-x", "- a list\n- of lines", "\"both\" 'quotes' $HOME `no`", "--"];
    for text in texts {
        let args = ["spawn", "--chat", "--agent", "command", "--prompt", text, "--title", text];
        let program = ["--json", "--", binary(), "scripted", "-e", "forever;prompt;end"];
        let spawned = home.run(args.into_iter().chain(program)).ok().json();
        assert_eq!(spawned["prompt"], text);
        assert_eq!(spawned["title"], text.replace('\n', " "));
    }
    home.finish();
}

/// C10: a start that has to wait for its place says so, and goes on once there is one.
#[test]
fn a_start_that_waits_for_its_place_says_so_c10() {
    let home = TestHome::new();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "max_starting = 1\n").unwrap();
    let repository = home.project("slow");
    let wait = "while [ ! -e go ]; do sleep 0.02; done; rm go";
    let path = repository.path().to_string_lossy().into_owned();
    home.run(["project", "remove", "slow"]).ok();
    home.run(["project", "add", &path, "--name", "held", "--setup", wait]).ok();
    let spawn = |project: &[&'static str]| {
        let program = ["--agent", "command", "--", binary(), "scripted", "-e", "wait"];
        let mut command = home.command(["spawn"].iter().chain(project).chain(&program).copied());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut first = spawn(&["--project", "held", "--id", "first"]);
    let worktree = home.path().join("data/worktrees/default/held/first");
    until("the first to hold the place", || worktree.join("README.md").exists().then_some(()));
    let mut second = spawn(&["--chat", "--id", "second"]);
    let mut said = String::new();
    BufReader::new(second.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("second waits for a place"), "{said}");
    assert_eq!(home.show("first")["status"], "spawning");
    assert_eq!(home.show("first")["alive"], false);
    home.run(["show", "second"]).code(3);
    std::fs::write(worktree.join("go"), "").unwrap();
    assert!(first.wait().unwrap().success() && second.wait().unwrap().success());
    home.finish();
}
