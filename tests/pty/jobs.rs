//! Background jobs by keys: cancelling, leaving while one runs, and what is stuck.

use crate::driver::Terminal;
use crate::support::{TestHome, until};

/// Two agents that end when asked, and one that has to be killed.
fn two_and_a_stubborn_one(home: &TestHome) {
    for script in ["print ready;wait", "print ready;wait", "ignore TERM;print ready;wait"] {
        let id = home.scripted(script);
        home.wait_screen(&id, "ready");
    }
}

/// Marks everything and begins to delete it; the two quick ones are closed when this returns.
fn begin_to_delete(home: &TestHome, cols: u16, rows: u16) -> Terminal {
    let console = Terminal::start(home.path(), home.path(), &[], cols, rows);
    console.see_row(&["chat-3", "working"]);
    console.press("*");
    console.see("3 marked");
    console.press("d");
    console.see("[ Delete 3 ]");
    console.press("Tab");
    console.press("Enter");
    console.see_row(&["delete", "0/3"]);
    console
}

fn deletes(home: &TestHome) -> serde_json::Value {
    let operations = home.run(["ops", "--json"]).ok().json()["operations"].clone();
    let deletes = operations.as_array().unwrap().iter().filter(|one| one["kind"] == "delete");
    deletes.cloned().collect()
}

/// D14: a bulk delete is cancelled by a key until its transaction; what was closed is reported.
#[test]
fn a_running_delete_is_cancelled_by_a_key_and_says_what_it_closed() {
    let home = TestHome::new();
    two_and_a_stubborn_one(&home);
    let mut console = begin_to_delete(&home, 120, 40);
    console.press("J");
    console.see("Jobs ∙");
    console.see_row(&["delete", "running"]);
    console.see_row(&["chat-3", "closing"]);
    console.press("Esc");
    console.see_row(&["delete", "cancelled"]);
    console.see("were not deleted");
    assert_eq!(home.run(["list", "--deleted", "--json"]).ok().json()["total"], 0);
    for id in ["chat-1", "chat-2", "chat-3"] {
        assert_eq!(home.show(id)["status"], "killed", "{id}");
        let events = home.run(["events", id]).ok().stdout;
        assert!(events.lines().any(|line| line.contains("operator") && line.contains("stop")));
    }
    let deletes = deletes(&home);
    assert_eq!(deletes[0]["state"], "cancelled");
    assert_eq!(deletes[0]["results"][0]["state"], "closed");
    console.press("q");
    console.see_row(&["chat-1", "killed"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn a_job_is_handed_over_to_a_worker_and_the_next_console_shows_its_result() {
    let home = TestHome::new();
    two_and_a_stubborn_one(&home);
    let mut console = begin_to_delete(&home, 80, 24);
    console.press("q");
    console.see("Leave callboard");
    console.see_row(&["delete of 3 sessions", "/3"]);
    // Two commands later the Enter that confirmed the delete is no longer the same key press.
    assert_eq!(home.show("chat-3")["deleted_at"], serde_json::Value::Null);
    assert_eq!(deletes(&home)[0]["state"], "running");
    console.press("j");
    console.press("Enter");
    assert!(console.exit().success());
    until("the worker to finish the delete", || {
        let deletes = deletes(&home);
        deletes.as_array().unwrap().iter().any(|one| one["state"] == "done").then_some(())
    });
    assert_eq!(home.run(["list", "--deleted", "--json"]).ok().json()["total"], 3);
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["Trash", "3"]);
    console.press("J");
    console.see_row(&["delete", "3 sessions", "done"]);
    console.see_row(&["chat-3", "done"]);
    console.press("u");
    console.see("3 brought back");
    console.see_row(&["Trash", "0"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// V3: what is stuck is shown with its reason, and the operator chooses by keys.
#[test]
fn stuck_operations_are_resumed_undone_and_abandoned_by_keys() {
    let home = TestHome::new();
    for _ in 0..3 {
        home.scripted("print ready;wait");
    }
    home.run(["delete", "--all", "--yes"]).ok();
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    for (n, verb) in [(1, "delete"), (2, "restore"), (3, "restore")] {
        let sql = "INSERT INTO operations (workspace, id, verb, state, started_at, sessions, error)
             VALUES ('default', 'stuck-' || ?1, ?2, 'stuck', 4000000000000 - ?1, ?3, ?4)";
        let error = format!("the old folder of chat-{n} is taken");
        let sessions = format!("[\"chat-{n}\"]");
        store.execute(sql, rusqlite::params![n, verb, sessions, error]).unwrap();
    }
    drop(store);
    let state = |n: u32| {
        let shown = home.run(["ops", "show", &format!("stuck-{n}"), "--json"]).ok().json();
        shown["operations"][0]["state"].as_str().unwrap().to_owned()
    };
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["Trash", "3"]);
    console.press("J");
    console.see_row(&["delete", "chat-1", "stuck"]);
    console.see("the old folder of chat-1 is taken");
    console.press("r");
    console.see("came to its end");
    until("the resumed operation to end", || (state(1) == "failed").then_some(()));
    console.press("j");
    console.see("the old folder of chat-2 is taken");
    console.press("u");
    console.see("is undone");
    until("the undone operation to end", || (state(2) == "failed").then_some(()));
    console.press("j");
    console.see("the old folder of chat-3 is taken");
    console.press("A");
    console.see("Abandon restore of chat-3");
    console.press("Tab");
    console.press("Enter");
    console.see("is abandoned");
    until("the abandoned operation to end", || (state(3) == "failed").then_some(()));
    for (n, verb) in [(1, "resume"), (3, "abandon")] {
        let events = home.run(["events", &format!("chat-{n}")]).ok().stdout;
        assert!(
            events.lines().any(|line| line.contains("operator") && line.contains(verb)),
            "{events}"
        );
    }
    console.press("q");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn a_store_that_was_moved_away_is_told_with_what_to_do() {
    let home = TestHome::new();
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "working"]);
    let store = home.path().join("data/callboard.db");
    let aside = home.path().join("data/aside.db");
    std::fs::rename(&store, &aside).unwrap();
    console.press("p");
    console.see("chat-1 was not pinned");
    console.see("data/callboard.db was moved");
    console.see("Put it back where it was");
    std::fs::rename(&aside, &store).unwrap();
    console.press("Esc");
    console.see_no("was not pinned");
    home.run(["pin", "chat-1"]).ok();
    console.see_row(&["Pinned", "1"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
