//! A way through the life of many sessions by the command line alone: filled, chosen, deleted, found in
//! the trash, restored, purged.

use serde_json::{Value, json};

use crate::support::{TestHome, texts};

/// Made-up sessions. `callboard demo --seed-only` takes any number.
const SESSIONS: &str = "240";
/// What is chosen.
const CHOICE: [&str; 6] = ["--agent", "claude", "--zone", "resting", "--older-than", "1h"];

fn sessions(home: &TestHome, options: &[&str]) -> Vec<Value> {
    let args = ["list", "--limit", "10000", "--json"].into_iter().chain(options.iter().copied());
    home.run(args).ok().json()["sessions"].as_array().unwrap().clone()
}

fn sorted_ids(sessions: &[Value]) -> Vec<&str> {
    let mut ids: Vec<&str> = sessions.iter().map(|one| one["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids
}

/// A session without what any write of its row changes.
fn lasting(session: &Value) -> Value {
    let mut session = session.clone();
    session["updated_at"] = Value::Null;
    session
}

#[test]
fn many_sessions_go_and_come_back_by_the_command_line_alone() {
    let home = TestHome::new();
    let folder = home.path().to_string_lossy().into_owned();
    home.run(["demo", "--seed-only", "--sessions", SESSIONS, "--home", &folder, "--json"]).ok();
    home.run(["purge", "--all", "--yes"]).ok();
    let before = sessions(&home, &[]);
    let counts = home.run(["sections", "--json"]).ok().json();

    // Chosen by a filter: what is listed, and what that pulls in.
    let chosen = sessions(&home, &CHOICE);
    assert!(chosen.len() > 5, "{}", chosen.len());
    let words = |options: &[&'static str]| -> Vec<&'static str> {
        ["delete"].into_iter().chain(CHOICE).chain(options.iter().copied()).collect()
    };
    let plan = home.run(words(&["--dry-run", "--json"])).ok().json();
    let planned = plan["sessions"].as_array().unwrap().clone();
    let asked: Vec<Value> =
        planned.iter().filter(|row| row["pulled_in_by"].is_null()).cloned().collect();
    assert_eq!(sorted_ids(&asked), sorted_ids(&chosen));
    assert_eq!(sessions(&home, &[]), before, "a dry run changes nothing");

    // Deleted: exactly the plan.
    let report = home.run(words(&["--yes", "--json"])).ok().json();
    let removed = texts(&report["removed_session_ids"]);
    assert_eq!(removed, sorted_ids(&planned));
    assert_eq!(sessions(&home, &[]).len(), before.len() - removed.len());
    let trash = sessions(&home, &["--deleted"]);
    assert_eq!(sorted_ids(&trash), removed);
    assert!(trash.iter().all(|one| one["batch"] == report["batch"]));
    assert_eq!(home.run(words(&["--yes", "--json"])).ok().json()["batch"], json!(null));

    // Found in the trash, and nowhere else.
    let title = trash[0]["title"].as_str().unwrap();
    let word = title.split(' ').max_by_key(|word| word.len()).unwrap();
    let found = sessions(&home, &["--deleted", "--search", word]);
    assert!(found.iter().any(|one| one["id"] == trash[0]["id"]), "{word}");
    let elsewhere = sessions(&home, &["--search", word]);
    assert!(elsewhere.iter().all(|one| one["deleted_at"].is_null()), "{word}");

    // Restored by the batch: as it was, in its order.
    let batch = report["batch"].as_str().unwrap();
    let restored = home.run(["restore", "--batch", batch, "--json"]).ok().json();
    assert_eq!(texts(&restored["restored_session_ids"]), removed);
    let after = sessions(&home, &[]);
    assert_eq!(
        after.iter().map(lasting).collect::<Vec<_>>(),
        before.iter().map(lasting).collect::<Vec<_>>()
    );
    assert_eq!(home.run(["sections", "--json"]).ok().json(), counts);
    home.run(["restore", "--batch", batch]).code(3);

    // Deleted by ids from the list, and purged by age: only what is older, for good.
    let ids = removed.join("\n");
    home.run_with(&ids, ["delete", "-", "--yes", "--quiet"]).ok();
    let young = home.run(["purge", "--older-than", "1h", "--yes", "--json"]).ok().json();
    assert_eq!(young["purged_session_ids"], json!([]));
    let plan = home.run(["purge", "--older-than", "0s", "--dry-run", "--json"]).ok().json();
    assert_eq!(sorted_ids(plan["sessions"].as_array().unwrap()), removed);
    let purged = home.run(["purge", "--older-than", "0s", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&purged["purged_session_ids"]), removed);
    assert_eq!(sessions(&home, &["--deleted"]), Vec::<Value>::new());
    home.run(["show", removed[0]]).code(3);
    let left = home.run(["list", "--limit", "1", "--json"]).ok().json()["total"].clone();
    assert_eq!(left, before.len() - removed.len());
    let report = home.run(["recover", "--json"]).ok().json();
    assert!(report.as_object().unwrap().values().all(|list| *list == json!([])), "{report}");
    home.finish();
}
