//! One session from start to end, and its JSON.

use serde_json::Value;

use crate::support::{TestHome, until};

/// Every field that `spec/cli.md` names for a session.
const FIELDS: [&str; 45] = [
    "id",
    "workspace",
    "project",
    "kind",
    "parent",
    "root",
    "title",
    "agent",
    "target",
    "agent_session_id",
    "section_key",
    "section_kind",
    "pinned",
    "status",
    "zone",
    "attention",
    "why",
    "state",
    "activity",
    "activity_since",
    "question",
    "turn",
    "alive",
    "generation",
    "termination_reason",
    "error",
    "folder",
    "folder_kind",
    "worktree",
    "branch",
    "base",
    "dirty",
    "prompt",
    "created_at",
    "updated_at",
    "sorted_at",
    "last_activity_at",
    "seen_at",
    "deleted_at",
    "batch",
    "was_live",
    "pr",
    "runtime",
    "runtime.keeper_pid",
    "runtime.pid",
];

fn assert_complete(session: &Value) {
    for field in FIELDS {
        let value = field.split('.').try_fold(session, |value, name| value.get(name));
        assert!(value.is_some(), "{field} is missing in {session}");
    }
    assert!(session["pr"].is_array());
    for field in ["exit_code", "signal", "started_at", "cpu_percent", "rss_bytes"] {
        assert!(session["runtime"].get(field).is_some(), "{field}");
    }
    for field in ["created_at", "updated_at", "sorted_at", "activity_since"] {
        let time = session[field].as_str().unwrap();
        assert!(time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(), "{field} {time}");
    }
}

#[test]
fn a_session_lives_from_spawn_to_delete_and_comes_back() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let id = home.spawn(
        ["--project", "shop", "--title", "Round VAT", "--pin"],
        "title at work;print ready;prompt;forever;prompt;end",
    );
    assert_eq!(id, "shop-1");

    let idle = home.wait(&id, "idle");
    assert_eq!((idle["id"].as_str(), idle["activity"].as_str()), (Some("shop-1"), Some("idle")));
    let shown = home.show(&id);
    assert_complete(&shown);
    assert_eq!(shown["title"], "Round VAT");
    assert_eq!(shown["agent"], "command");
    assert_eq!(shown["branch"], "callboard/shop-1");
    assert_eq!(shown["pinned"], true);
    assert_eq!(shown["alive"], true);
    assert_eq!(shown["folder_kind"], "worktree");
    assert_eq!(shown["worktree"], shown["folder"]);
    let key = format!("project:{}", repository.path().display());
    assert_eq!(shown["section_key"], key.as_str());

    let list = home.run(["list", "--project", "shop", "--json"]).ok().json();
    assert_eq!((list["total"].as_u64(), list["next_cursor"].is_null()), (Some(1), true));
    assert_complete(&list["sessions"][0]);
    let empty = home.run(["list", "--section", &key, "--json"]).ok().json();
    assert_eq!(empty["sessions"].as_array().unwrap().len(), 0, "pinned ones show in pinned only");
    let sections = home.run(["sections", "--json"]).ok().json();
    let pinned = &sections["sections"][0];
    assert_eq!((pinned["key"].as_str(), pinned["total"].as_u64()), (Some("pinned"), Some(1)));
    assert_eq!(pinned["zones"]["resting"], 1);

    let screen = home.run(["screen", &id, "--json"]).ok().json();
    assert_eq!((screen["cols"].as_u64(), screen["rows"].as_u64()), (Some(120), Some(40)));
    assert_eq!(screen["title"], "at work");
    assert_eq!(screen["lines"][0], "ready");
    assert!(screen["cursor"]["row"].is_u64() && screen["alternate"] == false);

    let coloured = home.run(["screen", &id, "--ansi"]).ok().stdout;
    assert!(coloured.starts_with("ready\n"), "{coloured:?}");

    home.run(["stop", &id, "--yes"]).ok();
    let stopped = home.show(&id);
    assert_eq!(stopped["status"], "killed");
    assert_eq!(stopped["termination_reason"], "manually_killed");
    assert_eq!(stopped["alive"], false);

    let report = home.run(["delete", &id, "--yes", "--json"]).ok().json();
    assert_eq!(report["removed_session_ids"], serde_json::json!(["shop-1"]));
    assert_eq!(report["skipped"], serde_json::json!([]));
    let folder = stopped["folder"].as_str().unwrap();
    assert!(!std::path::Path::new(folder).exists());
    let trash = home.run(["list", "--deleted", "--json"]).ok().json();
    assert_eq!(trash["sessions"][0]["id"], "shop-1");
    assert_eq!(trash["sessions"][0]["batch"], report["batch"]);

    let restored = home.run(["restore", "--last", "--json"]).ok().json();
    assert_eq!(restored["restored_session_ids"], serde_json::json!(["shop-1"]));
    let back = home.show(&id);
    assert!(back["deleted_at"].is_null() && std::path::Path::new(folder).is_dir());
    assert_eq!((&back["title"], &back["pinned"]), (&stopped["title"], &stopped["pinned"]));
    home.finish();
}

#[test]
fn a_stopped_session_is_launched_again() {
    let home = TestHome::new();
    let id = home.scripted("print hello;wait");
    home.wait_screen(&id, "hello");
    home.run(["stop", &id, "--done", "--yes"]).ok();
    assert_eq!(home.show(&id)["status"], "done");
    let report = home.run(["restore", &id, "--json"]).ok().json();
    assert_eq!(report["launched_ids"], serde_json::json!([id]));
    let shown = home.show(&id);
    assert_eq!((shown["alive"].as_bool(), shown["generation"].as_u64()), (Some(true), Some(2)));
    let answer = home.run(["restore", &id, "--json"]);
    assert_eq!(answer.code, 4, "{}{}", answer.stdout, answer.stderr);
    home.finish();
}

/// T4: `seen` is a look
#[test]
fn what_was_done_can_be_read() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    home.run(["rename", &id, "Another title", "--json"]).ok();
    home.run(["pin", &id]).ok();
    assert_eq!(home.show(&id)["pinned"], true);
    home.run(["unpin", &id]).ok();
    home.run(["seen", &id]).ok();
    let shown = home.show(&id);
    assert_eq!(
        (shown["title"].as_str(), shown["pinned"].as_bool()),
        (Some("Another title"), Some(false))
    );
    assert!(shown["seen_at"].is_string());
    let events = home.run(["events", &id, "--json"]).ok().json();
    let verbs: Vec<&str> = events["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["verb"].as_str())
        .collect();
    for verb in ["rename", "pin", "unpin"] {
        assert!(verbs.contains(&verb), "{verb} in {verbs:?}");
    }
    let operations = home.run(["ops", "--json"]).ok().json();
    let operation = &operations["operations"][0];
    assert_eq!(
        (operation["kind"].as_str(), operation["state"].as_str()),
        (Some("create"), Some("done"))
    );
    let one = home.run(["ops", "show", operation["id"].as_str().unwrap(), "--json"]).ok().json();
    assert_eq!(one["operations"][0]["session_ids"], serde_json::json!([id]));
    home.run(["ops", "show", "no-such-operation"]).code(3);
    for command in ["show", "rename", "pin", "unpin", "seen", "messages", "events", "screen"] {
        let args = ["chat-99", "title"];
        let args = if command == "rename" { &args[..] } else { &args[..1] };
        home.run([command].into_iter().chain(args.iter().copied())).code(3);
    }
    home.finish();
}

#[test]
fn recover_reports_what_it_did() {
    let home = TestHome::new();
    let report = home.run(["recover", "--json"]).ok().json();
    for field in ["resumed", "undone", "stuck", "adopted", "ended_processes", "orphans"] {
        assert_eq!(report[field], serde_json::json!([]), "{field}");
    }
    home.finish();
}

/// What a session takes is that of its whole process tree: here of a child that spins.
#[test]
fn the_process_tree_of_a_session_is_measured() {
    let home = TestHome::new();
    let script = "echo ready; (while :; do :; done) & exec cat";
    let spawn = ["spawn", "--chat", "--agent", "command", "--", "sh", "-c", script];
    let id = home.run(spawn).ok().stdout.trim().to_owned();
    let runtime = until("the child to be seen at work", || {
        let runtime = home.show(&id)["runtime"].clone();
        (runtime["cpu_percent"].as_f64().unwrap_or(0.0) > 0.0).then_some(runtime)
    });
    assert!(runtime["rss_bytes"].as_u64().unwrap() > 100_000, "{runtime}");
    let listed = home.run(["list", "--json"]).ok().json()["sessions"][0]["runtime"].clone();
    assert!(listed["rss_bytes"].as_u64().unwrap() > 100_000, "{listed}");
    assert!(listed["cpu_percent"].as_f64().unwrap() > 0.0, "{listed}");
    home.run(["stop", &id, "--yes"]).ok();
    assert_eq!(home.show(&id)["runtime"]["rss_bytes"], Value::Null);
    home.finish();
}
