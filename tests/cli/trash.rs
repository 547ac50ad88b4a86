//! `stop`, `delete`, `restore` beyond one session.

use serde_json::json;

use crate::support::{TestHome, texts};

/// D1, D8: ids are trimmed, blanks dropped, duplicates removed; what is gone is a success with every list
/// present and empty but `skipped`.
#[test]
fn what_is_gone_is_a_success_d8() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    home.run(["delete", &id, "--yes"]).ok();
    let report =
        home.run(["delete", "no-such-1", " ", &id, " no-such-1 ", &id, "--json"]).ok().json();
    assert_eq!(
        report["skipped"],
        json!([{ "id": id, "reason": "in_trash" }, { "id": "no-such-1", "reason": "not_found" }])
    );
    assert_eq!(texts(&report["requested"]), [id.as_str(), "no-such-1"]);
    assert_eq!(report["removed_messages"], 0);
    assert!(report["batch"].is_null());
    for list in [
        "notes",
        "removed_session_ids",
        "runtime_closed_ids",
        "cleanup_failed_ids",
        "escalated_ids",
    ] {
        assert_eq!(report[list], json!([]), "{list}");
    }
    home.run(["stop", "no-such-1", "--yes"]).code(3);
    home.run(["restore", "no-such-1"]).code(3);
    home.finish();
}

#[test]
fn nobody_to_ask_means_refused() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    for verb in ["delete", "stop"] {
        let error = home.run([verb, &id, "--json"]).code(4).error();
        assert!(error["hint"].as_str().unwrap().contains("--yes"), "{error}");
    }
    assert_eq!(home.show(&id)["alive"], true);
    home.finish();
}

/// D2: the plan of a dry run has for each session what is advised, null where unknown.
#[test]
fn a_dry_run_prints_the_plan_and_does_nothing() {
    let home = TestHome::new();
    home.project("shop");
    let id =
        home.spawn(["--project", "shop", "--pin"], "write draft.txt some text;print written;wait");
    home.wait_screen(&id, "written");
    let plan = home.run(["delete", &id, "no-such-1", "--dry-run", "--json"]).ok().json();
    let row = &plan["sessions"][0];
    assert_eq!(
        (&row["id"], &row["live"], &row["pinned"]),
        (&json!(id), &json!(true), &json!(true))
    );
    assert_eq!(row["dirty_files"], 1);
    for field in ["unpushed_commits", "open_pr", "pulled_in_by"] {
        assert!(row.get(field).is_some(), "{field}");
    }
    assert_eq!(plan["skipped"], json!([{ "id": "no-such-1", "reason": "not_found" }]));
    let plan = home.run(["stop", &id, "--dry-run", "--json"]).ok().json();
    assert_eq!(plan["sessions"][0]["live"], true);
    assert_eq!(home.show(&id)["alive"], true);
    home.finish();
}

/// D5: ids and filters choose once; conditions skip with the reason.
#[test]
fn filters_choose_and_conditions_skip_d5() {
    let home = TestHome::new();
    home.project("shop");
    let pinned = home.spawn(["--project", "shop", "--pin"], "wait");
    let plain = home.spawn(["--project", "shop"], "wait");
    let chat = home.scripted("wait");
    let report =
        home.run(["delete", &pinned, &plain, "--exclude-pinned", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["removed_session_ids"]), [plain.as_str()]);
    assert_eq!(report["skipped"], json!([{ "id": pinned, "reason": "pinned" }]));
    let report = home.run(["delete", "--project", "shop", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["removed_session_ids"]), [pinned.as_str()]);
    let more = format!("{chat}\n\n");
    let report = home.run_with(&more, ["delete", "-", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&report["requested"]), [chat.as_str()]);
    home.finish();
}

/// D11: undo restores exactly the last batch, and repeated undo walks back.
#[test]
fn undo_walks_back_batch_by_batch_d11() {
    let home = TestHome::new();
    let ids = [home.scripted("wait"), home.scripted("wait"), home.scripted("wait")];
    let first = home.run(["delete", &ids[0], &ids[1], "--yes", "--json"]).ok().json();
    home.run(["delete", &ids[2], "--yes"]).ok();
    let foreseen = home.run(["restore", "--last", "--dry-run", "--json"]).ok().json();
    assert_eq!(texts(&foreseen["restored_session_ids"]), [ids[2].as_str()]);
    let last = home.run(["restore", "--last", "--json"]).ok().json();
    assert_eq!(texts(&last["restored_session_ids"]), [ids[2].as_str()]);
    let batch = first["batch"].as_str().unwrap();
    let report = home.run(["restore", "--batch", batch, "--json"]).ok().json();
    assert_eq!(texts(&report["restored_session_ids"]), [ids[0].as_str(), ids[1].as_str()]);
    assert_eq!(texts(&report["was_live_ids"]), [ids[0].as_str(), ids[1].as_str()]);
    assert_eq!(report["launched_ids"], json!([]));
    home.finish();
}

/// D5, D7: the worker goes on under the conditions that were asked for, pinned sessions included, and what
/// was closed by then was live; of an operation that says nothing of them it takes no pinned one.
#[test]
fn a_worker_goes_on_with_what_was_asked_for() {
    let home = TestHome::new();
    let (pinned, plain) = (home.scripted("wait"), home.scripted("wait"));
    home.run(["pin", &pinned]).ok();
    let report = home.run(["delete", &pinned, &plain, "--yes", "--json"]).ok().json();
    let batch = report["batch"].as_str().unwrap();
    home.run(["restore", "--batch", batch]).ok();
    // As if it had been cancelled after it had closed both.
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    let left = |change: &str| {
        let sql = format!("UPDATE operations SET state = 'cancelled'{change} WHERE id = ?1");
        assert_eq!(store.execute(&sql, [batch]).unwrap(), 1);
        store.execute("UPDATE operation_results SET state = 'closed'", []).unwrap();
    };
    left("");
    home.run(["work", batch]).ok();
    let back = home.run(["restore", "--last", "--json"]).ok().json();
    let both = [pinned.as_str(), plain.as_str()];
    assert_eq!(texts(&back["restored_session_ids"]), both);
    assert_eq!(texts(&back["was_live_ids"]), both);
    left(", asked = NULL");
    home.run(["work", batch]).ok();
    let back = home.run(["restore", "--last", "--json"]).ok().json();
    assert_eq!(texts(&back["restored_session_ids"]), [plain.as_str()]);
    home.finish();
}

/// The worker of a dashboard that was left leaves alone what has come to its end already.
#[test]
fn a_worker_does_nothing_to_what_is_done() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    let report = home.run(["delete", &id, "--yes", "--json"]).ok().json();
    let batch = report["batch"].as_str().unwrap();
    home.run(["work", batch]).ok();
    let operations = home.run(["ops", "--json"]).ok().json();
    let deletes = operations["operations"].as_array().unwrap();
    let deletes = deletes.iter().filter(|operation| operation["kind"] == "delete");
    assert_eq!(deletes.count(), 1);
    home.run(["work", "no-such-operation"]).code(3);
    home.finish();
}
