//! `stop`, `delete`, `restore` beyond one session.

use serde_json::json;

use crate::support::{TestHome, texts};

#[test]
fn what_is_gone_is_a_success_d8() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    home.run(["delete", &id, "--yes"]).ok();
    let report = home.run(["delete", &id, "no-such-1", "--json"]).ok().json();
    assert_eq!(
        report["skipped"],
        json!([{ "id": id, "reason": "in_trash" }, { "id": "no-such-1", "reason": "not_found" }])
    );
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
