//! Every JSON output of the contract as it is (`spec/cli.md`, JSON).
//! `INSTA_UPDATE=always cargo test --test cli golden` takes what is printed now.

use crate::support::{TestHome, transcript::Transcript};

/// What moves on by itself right after a start.
const MOVING: &[&str] = &[
    "activity",
    "status",
    "state",
    "zone",
    "why",
    "turn",
    "pid",
    "signal",
    "cpu_percent",
    "rss_bytes",
    "started_at",
    "keeper_pid",
    "last_activity_at",
];

/// A session that is idle and stays so.
fn idle(home: &TestHome, options: &[&str]) -> String {
    let mut args = vec!["spawn", "--json"];
    args.extend(options);
    args.extend(["--agent", "command", "--"]);
    args.extend([crate::support::binary(), "scripted", "-e", "print ready;forever;prompt;end"]);
    let id = home.run(args).ok().json()["id"].as_str().unwrap().to_owned();
    home.wait(&id, "idle");
    id
}

#[test]
fn projects_and_sessions() {
    let home = TestHome::new();
    let mut said = Transcript::new(&home);
    home.project("api");
    let shop = crate::support::Repository::new(&home.folder("shop"));
    let path = shop.path().to_string_lossy().into_owned();
    said.run(0, &format!("project add {path} --name shop --setup true --copy .env"));
    said.run(0, "project move shop 0");
    said.run(0, "project list");
    home.project("gone");
    said.run(0, "project remove gone");
    idle(&home, &["--project", "shop", "--title", "One", "--prompt", "Hello"]);
    home.run(["stop", "shop-1", "--yes"]).ok();
    said.run_without(0, "show shop-1", &["signal"]);
    idle(&home, &["--project", "shop", "--pin", "--parent", "shop-1"]);
    idle(&home, &["--chat", "--kind", "orchestrator"]);
    said.run_without(0, "list --all", MOVING);
    said.run(0, "list --status merged");
    said.run(0, "sections");
    said.run(3, "show shop-9");
    insta::assert_snapshot!("projects_and_sessions", said.text());
    home.finish();
}

#[test]
fn words_to_and_from_agents() {
    let home = TestHome::new();
    let mut said = Transcript::new(&home);
    let id = idle(&home, &["--chat", "--size", "40x6"]);
    said.run(0, &format!("send {id} hello"));
    home.wait_screen(&id, "You said: hello");
    said.run(0, &format!("wait {id} --for idle,exit"));
    said.run(0, &format!("keys {id} x Enter"));
    home.wait_screen(&id, "You said: x\n>");
    said.run(0, &format!("screen {id}"));
    said.run(5, &format!("send {id} chat-9 hello"));
    said.run(3, "send chat-9 hello");
    said.run(6, &format!("wait {id} --for needs_input --timeout 50ms"));
    said.run(3, "wait chat-9 --for idle");
    said.run(0, &format!("messages {id}"));
    said.run(0, &format!("pin {id}"));
    said.run(0, &format!("unpin {id}"));
    said.run(0, &format!("seen {id}"));
    said.run_without(0, &format!("rename {id} Another"), MOVING);
    home.run(["stop", &id, "--yes"]).ok();
    said.run(4, &format!("wait {id} --for idle"));
    said.run(4, &format!("send {id} hello"));
    said.run(4, &format!("screen {id}"));
    insta::assert_snapshot!("words_to_and_from_agents", said.text());
    home.finish();
}

#[test]
fn ends_and_the_trash() {
    let home = TestHome::new();
    let mut said = Transcript::new(&home);
    home.project("shop");
    for _ in 0..3 {
        idle(&home, &["--project", "shop"]);
    }
    idle(&home, &["--project", "shop", "--parent", "shop-1"]);
    said.run(0, "stop shop-2 --dry-run");
    said.run(4, "stop shop-2");
    said.run(5, "stop shop-2 shop-9 --yes");
    said.run(0, "kill shop-3 shop-9 --yes");
    said.run(0, "cleanup --dry-run");
    said.run(0, "cleanup --project shop");
    said.run(0, "delete shop-1 shop-9 --dry-run");
    let batch = said.run(0, "delete shop-1 shop-9 --yes")["batch"].as_str().unwrap().to_owned();
    said.run(0, "delete shop-1 shop-9 --yes");
    said.run(0, &format!("restore --batch {batch} --dry-run"));
    said.run(0, &format!("restore --batch {batch}"));
    said.run(0, "restore shop-1");
    home.wait("shop-1", "idle");
    said.run(4, "restore shop-1");
    said.run(3, "restore shop-9");
    said.run(0, "clear --dry-run");
    said.run(0, "clear --yes");
    said.run(0, "list");
    said.run(0, "purge shop-2 --dry-run");
    said.run(5, "purge shop-2 shop-9 --yes");
    said.run(0, "purge --all --yes");
    said.run(0, "restore --last");
    insta::assert_snapshot!("ends_and_the_trash", said.text());
    home.finish();
}

#[test]
fn records_and_settings() {
    let home = TestHome::new();
    let mut said = Transcript::new(&home);
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    let text =
        "max_starting = 2\n[notifications]\nbell = true\n[targets.fast]\nagent = \"claude\"\n";
    std::fs::write(folder.join("config.toml"), text).unwrap();
    let id = idle(&home, &["--chat"]);
    home.run(["rename", &id, "Another"]).ok();
    let batch = home.run(["delete", &id, "--yes", "--json"]).ok().json()["batch"].clone();
    said.run(0, &format!("ops show {}", batch.as_str().unwrap()));
    said.run(0, "ops");
    said.run(0, &format!("ops undo {}", batch.as_str().unwrap()));
    said.run(3, "ops show nothing");
    said.run(0, &format!("events {id} --limit 1"));
    said.run(0, "recover");
    said.run(0, "config");
    said.run_without(0, "agents list", &["program", "version", "found", "verified"]);
    said.run(2, "list --status nonsense");
    said.run(2, "delete");
    insta::assert_snapshot!("records_and_settings", said.text());
    home.finish();
}

#[test]
fn what_was_changed_and_said() {
    let home = TestHome::new();
    let mut said = Transcript::new(&home);
    home.project("shop");
    let id = idle(&home, &["--project", "shop", "--title", "Round the totals"]);
    home.run(["send", &id, "use integer cents"]).ok();
    let worktree = home.run(["show", &id, "--json"]).ok().json()["worktree"].clone();
    std::fs::write(std::path::Path::new(worktree.as_str().unwrap()).join("new"), "one\n").unwrap();
    home.run(["stop", &id, "--yes"]).ok();
    said.run(0, &format!("diff {id}"));
    said.run(0, &format!("diff {id} --stat"));
    said.run(3, "diff shop-9");
    let passing = [MOVING, &["dirty"]].concat();
    said.run_without(0, "list --search integer", &passing);
    said.run(4, &format!("send {id} --answer yes"));
    said.run(4, &format!("fork {id}"));
    insta::assert_snapshot!("what_was_changed_and_said", said.text());
    home.finish();
}
