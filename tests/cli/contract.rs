//! The JSON of each output, key for key, and the odd ways in which verbs are called
//! (`spec/cli.md`).

use serde_json::{Value, json};

use crate::support::{TestHome, texts};

/// `value` has exactly these keys, in words with blanks between.
#[track_caller]
fn keys(value: &Value, expected: &str) {
    let mut found: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

const SESSION: &str = "id workspace project kind parent root title agent target agent_session_id \
    section_key section_kind pinned status zone attention why state activity activity_since \
    question turn alive generation termination_reason error folder folder_kind worktree branch \
    base dirty prompt created_at updated_at sorted_at last_activity_at seen_at deleted_at batch \
    was_live pr runtime";
const DELETED: &str = "notes batch requested removed_session_ids removed_messages \
    runtime_closed_ids cleanup_failed_ids skipped escalated_ids attempts";
const PLANNED: &str = "id live dirty_files unpushed_commits open_pr pinned pulled_in_by";
const OPERATION: &str = "id kind state step started_at ended_at session_ids results error";

#[test]
fn every_output_has_exactly_the_fields_of_the_contract() {
    let home = TestHome::new();
    home.project("shop");
    let id = home.spawn(["--project", "shop"], "print ready;wait");
    let run = |line: &str| home.run(line.split(' ')).ok().json();
    keys(&run("show shop-1 --json"), SESSION);
    keys(
        &run("show shop-1 --json")["runtime"],
        "keeper_pid pid exit_code signal started_at cpu_percent rss_bytes",
    );
    let list = run("list --json");
    keys(&list, "sessions total next_cursor");
    keys(&list["sessions"][0], SESSION);
    let sections = run("sections --json");
    keys(&sections, "sections");
    keys(&sections["sections"][0], "key kind name path total attention zones");
    let projects = run("project list --json");
    keys(&projects, "projects");
    keys(&projects["projects"][0], "name path git sessions position");
    keys(&run("project move shop 0 --json"), "name path git sessions position");
    keys(&run("rename shop-1 Title --json"), SESSION);
    for line in ["stop", "kill", "delete", "clear"] {
        let line = if line == "clear" { line.to_owned() } else { format!("{line} shop-1") };
        let plan = run(&format!("{line} --dry-run --json"));
        keys(&plan, "sessions skipped");
        keys(&plan["sessions"][0], PLANNED);
    }
    keys(&run("stop no-such-1 --dry-run --json")["skipped"][0], "id reason");
    for line in ["stop shop-1 --yes --json", "kill shop-1 --yes --json", "cleanup --json"] {
        let report = run(line);
        keys(&report, "results");
        for result in report["results"].as_array().unwrap() {
            keys(result, "id stopped freed reason escalated");
        }
    }
    let deleted = run("delete shop-1 --yes --json");
    keys(&deleted, DELETED);
    let restored = "restored_session_ids launched_ids was_live_ids notes not_restored";
    keys(&run("restore --last --dry-run --json"), restored);
    keys(&run("restore --last --json"), restored);
    keys(&run("clear --yes --json"), DELETED);
    keys(&run("purge --all --dry-run --json"), "sessions skipped");
    keys(
        &run("purge --all --yes --json"),
        "purged_session_ids removed_messages freed_bytes skipped",
    );
    for line in ["ops --json", "ops list --json"] {
        let operations = run(line);
        keys(&operations, "operations");
        for operation in operations["operations"].as_array().unwrap() {
            keys(operation, OPERATION);
            assert!(operation["ended_at"].as_str().unwrap().ends_with('Z'));
        }
    }
    let batch = deleted["batch"].as_str().unwrap();
    let shown = run(&format!("ops show {batch} --json"));
    keys(&shown, "operations");
    assert_eq!(
        shown["operations"][0]["results"],
        json!([{ "id": id, "state": "done", "detail": null }])
    );
    keys(&run("recover --json"), "resumed undone stuck adopted ended_processes orphans");
    let events = run("events --json");
    keys(&events, "events");
    for event in events["events"].as_array().unwrap() {
        keys(event, "at session actor verb from to cause operation");
    }
    let error = home.run(["show", "no-such-1", "--json"]).code(3).error();
    keys(&error, "kind message hint id");
    home.finish();
}

/// P5: uncommitted files are counted when a filter asks by them.
#[test]
fn dirty_and_clean_are_what_the_folders_are_now() {
    let home = TestHome::new();
    home.project("shop");
    let one = home.spawn(["--project", "shop"], "print ready;wait");
    let two = home.spawn(["--project", "shop"], "print ready;wait");
    home.scripted("wait");
    let folder = home.show(&one)["worktree"].as_str().unwrap().to_owned();
    let listed = |filter: &str| {
        let list = home.run(["list", filter, "--json"]).ok().json();
        let ids = list["sessions"].as_array().unwrap().iter().map(|one| one["id"].clone());
        ids.collect::<Vec<Value>>()
    };
    assert_eq!(listed("--dirty"), Vec::<Value>::new());
    assert_eq!(listed("--clean"), [json!(two), json!(one)]);
    std::fs::write(format!("{folder}/draft.txt"), "text").unwrap();
    assert_eq!(home.show(&one)["dirty"], 1);
    assert_eq!(listed("--dirty"), [json!(one)]);
    assert_eq!(listed("--clean"), [json!(two)]);
    let report = home.run(["delete", "--dirty", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["removed_session_ids"]), [one.as_str()]);
    let plan = home.run(["purge", "--clean", "--dry-run", "--json"]).ok().json();
    assert_eq!(plan["sessions"], json!([]));
    let purged = home.run(["purge", "--dirty", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&purged["purged_session_ids"]), [one.as_str()]);
    home.finish();
}

#[test]
fn odd_ids_and_filters_that_match_nothing_do_nothing() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    for verb in ["stop", "kill"] {
        for args in [[verb, "--status", "merged", "--json"], [verb, "", " ", "--json"]] {
            assert_eq!(home.run(args).ok().json(), json!({ "results": [] }));
        }
    }
    let report = home.run(["delete", "", "--json"]).ok().json();
    assert_eq!((&report["requested"], &report["batch"]), (&json!([]), &json!(null)));
    let report = home.run(["delete", "--older-than", "7d", "--all", "--json"]).ok().json();
    assert_eq!(report["removed_session_ids"], json!([]));
    assert_eq!(home.run(["list", "", "--json"]).ok().json()["total"], 0);
    let twice = format!("{id}\n\n {id} \n");
    let pinned = home.run_with(&twice, ["pin", "-", &id, "--json"]).ok().json();
    assert_eq!(pinned, json!({ "ids": [id] }));
    let plan = home.run_with(&twice, ["delete", "-", &id, "--dry-run", "--json"]).ok().json();
    assert_eq!(plan["sessions"].as_array().unwrap().len(), 1);
    home.run_with("Not An Id\n", ["delete", "-", "--yes"]).code(2);
    home.run(["delete", "--project", "nobody", "--yes"]).code(3);
    home.run(["restore", "--batch", "none"]).code(3);
    home.run(["restore", "--batch", "none", "--dry-run"]).code(3);
    assert!(home.run(["stop", &id, "--yes", "--quiet"]).ok().stdout.is_empty());
    home.finish();
}

#[test]
fn what_was_typed_wrong_reaches_the_terminal_without_its_control_characters() {
    let home = TestHome::new();
    for args in [["list", "--\u{1b}[31mred"], ["list\u{9b}31m", "x"], ["show", "a\u{1b}]0;t\u{7}"]]
    {
        for json in [false, true] {
            let answer = home.run(args.into_iter().chain(json.then_some("--json"))).code(2);
            let printed = answer.stderr.trim_end();
            assert!(!printed.chars().any(|c| c.is_control() && c != '\n'), "{printed:?}");
        }
    }
    let error = home.run(["show", "--json"]).code(2).error();
    assert_eq!(error["message"], "the following required arguments were not provided: <ID>");
    assert!(error["hint"].as_str().unwrap().starts_with("usage: callboard show"), "{error}");
    let id = home.scripted("print ready;forever;prompt;end");
    home.wait(&id, "idle");
    let answer = home.run_with("a\0b", ["send", &id, "-"]).ok();
    assert!(answer.stderr.contains("1 control character was left out"), "{}", answer.stderr);
    home.wait_screen(&id, "You said: ab");
    home.finish();
}

/// W1: a lock that another process keeps ends the wait after 5 s, with its holder named.
#[test]
fn a_store_that_somebody_else_holds_is_told_with_the_holder() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = home.run(["pin", &id, "--json"]).code(6).error();
    let hint = error["hint"].as_str().unwrap();
    assert!(
        error["message"].as_str().unwrap().contains("callboard.db was busy for 5 s"),
        "{error}"
    );
    assert!(hint.contains(&format!("process {}", std::process::id())), "{error}");
    store.execute_batch("ROLLBACK").unwrap();
    home.run(["pin", &id]).ok();
    home.finish();
}

/// W6: each verb with who did it, from where to where, and why not.
#[test]
fn events_name_each_verb_its_actor_and_its_result() {
    let home = TestHome::new();
    home.project("shop");
    let id = home.spawn(["--project", "shop"], "print ready;forever;prompt;end");
    home.wait(&id, "idle");
    for line in [
        "pin shop-1",
        "unpin shop-1",
        "rename shop-1 Other",
        "send shop-1 hello",
        "keys shop-1 Enter",
        "stop shop-1 --yes",
        "restore shop-1",
        "kill shop-1 --yes",
        "delete shop-1 --yes",
        "restore shop-1",
        "delete shop-1 --yes",
        "purge shop-1 --yes",
    ] {
        home.run(line.split(' ')).ok();
    }
    let events = home.run(["events", &id, "--json"]).ok().json()["events"].clone();
    let by_command: Vec<&Value> =
        events.as_array().unwrap().iter().filter(|event| event["actor"] == "command").collect();
    let verbs: Vec<&str> =
        by_command.iter().rev().map(|event| event["verb"].as_str().unwrap()).collect();
    let expected = "spawn pin unpin rename send keys stop launch kill delete restore delete purge";
    assert_eq!(verbs.join(" "), expected);
    let event = |verb: &str| by_command.iter().find(|event| event["verb"] == verb).unwrap();
    assert_eq!(
        (&event("rename")["from"], &event("rename")["to"]),
        (&json!("shop-1"), &json!("Other"))
    );
    assert_eq!(event("stop")["to"], "killed");
    assert_eq!(event("launch")["from"], "killed");
    for verb in ["spawn", "stop", "launch", "kill", "delete", "restore", "purge"] {
        assert!(event(verb)["operation"].is_string(), "{verb}");
    }
    home.finish();
}

/// W6: what an agent does is told as its own.
#[test]
fn an_agent_is_named_as_the_actor() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    let mut command = home.command(["rename", &id, "By an agent"]);
    assert!(command.env("CALLBOARD_SESSION_ID", &id).output().unwrap().status.success());
    let events = home.run(["events", &id, "--json"]).ok().json();
    assert_eq!(events["events"][0]["actor"], format!("session:{id}"));
    home.finish();
}

/// The guide is there without a home, for the agents that read it.
#[test]
fn the_guide_is_printed() {
    let home = TestHome::new();
    let guide = home.run(["guide"]).ok().stdout;
    assert!(guide.contains("CALLBOARD_SESSION_ID"));
    assert!(!home.path().join("data").exists(), "a guide makes nothing");
    home.finish();
}
