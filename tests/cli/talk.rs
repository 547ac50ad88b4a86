//! `send`, `keys`, `wait`, `screen`.

use crate::support::TestHome;

/// K5, W6: a text reaches the agent, is kept, and shows in the events.
#[test]
fn a_text_reaches_the_agent_and_the_answer_is_waited_for() {
    let home = TestHome::new();
    let id = home.scripted("forever;prompt;sleep 0.2;end");
    home.wait(&id, "idle");
    let turn = home.show(&id)["turn"].as_u64().unwrap();
    let sent = home
        .run(["send", &id, "hello there", "--wait", "idle", "--timeout", "20s", "--json"])
        .ok()
        .json();
    assert_eq!(sent["results"][0]["sent"], true);
    assert!(home.run(["screen", &id]).ok().stdout.contains("You said: hello there"));
    assert!(home.show(&id)["turn"].as_u64().unwrap() > turn);
    let messages = home.run(["messages", &id, "--json"]).ok().json();
    assert_eq!(messages["messages"][0]["text"], "hello there");
    let events = home.run(["events", &id, "--json"]).ok().json();
    let sent = |event: &serde_json::Value| event["verb"] == "send" && event["actor"] == "command";
    assert!(events["events"].as_array().unwrap().iter().any(sent), "{events}");

    home.run_with("from input\n", ["send", &id, "-"]).ok();
    home.wait_screen(&id, "You said: from input");
    let more = format!("{id}\n");
    home.run_with(&more, ["send", "-", "ids from input"]).ok();
    home.wait_screen(&id, "You said: ids from input");
    home.finish();
}

#[test]
fn a_text_without_enter_waits_in_the_line() {
    let home = TestHome::new();
    let id = home.scripted("forever;prompt;end");
    home.wait(&id, "idle");
    home.run(["send", &id, "half", "--no-enter"]).ok();
    home.wait_screen(&id, "> half");
    home.run(["keys", &id, "Space", "x", "Enter"]).ok();
    home.wait_screen(&id, "You said: half x");
    home.run(["keys", &id, "NoSuchKey"]).code(2);
    home.finish();
}

#[test]
fn a_question_keeps_texts_out_until_it_is_answered_k5() {
    let home = TestHome::new();
    let id =
        home.scripted("print start;ask permission Run the tests? | Yes | No;forever;prompt;end");
    home.wait(&id, "needs_input");
    let shown = home.show(&id);
    assert_eq!(
        (shown["activity"].as_str(), shown["attention"].as_str()),
        (Some("blocked"), Some("permission"))
    );
    assert_eq!(home.wait(&id, "attention")["status"], "needs_input");
    let refused = home.run(["send", &id, "text", "--json"]).code(4).json();
    assert_eq!(refused["results"][0]["sent"], false);
    assert!(refused["results"][0]["reason"].is_string());
    home.run(["keys", &id, "y"]).ok();
    home.wait_screen(&id, "Answer: Yes");
    home.wait(&id, "idle");
    home.finish();
}

#[test]
fn sends_to_those_who_cannot_hear_are_reported() {
    let home = TestHome::new();
    let id = home.scripted("forever;prompt;end");
    home.wait(&id, "idle");
    let partly = home.run(["send", &id, "chat-99", "text", "--json"]).code(5).json();
    let results = partly["results"].as_array().unwrap();
    assert_eq!(results.iter().filter(|result| result["sent"] == true).count(), 1);
    home.run(["stop", &id, "--yes"]).ok();
    home.run(["send", &id, "text"]).code(4);
    home.run(["screen", &id]).code(4);
    home.run(["keys", &id, "Enter"]).code(4);
    home.run(["send", "chat-99", "text"]).code(3);
    home.finish();
}

#[test]
fn waiting_ends_with_the_code_of_what_happened() {
    let home = TestHome::new();
    let id = home.scripted("status idle;wait;exit 3");
    home.wait(&id, "idle");
    home.run(["wait", &id, "--for", "needs_input", "--timeout", "100ms"]).code(6);
    home.run(["wait", "chat-99", "--for", "idle"]).code(3);
    home.run(["keys", &id, "x"]).ok();
    let ended = home.wait(&id, "exit");
    assert_eq!(ended["activity"], "exited");
    let shown = home.show(&id);
    assert_eq!(shown["termination_reason"], "agent_process_exited");
    assert_eq!(shown["runtime"]["exit_code"], 3);
    let answer = home.run(["wait", &id, "--for", "idle", "--json"]).code(4);
    assert_eq!(answer.error()["id"], id.as_str());
    home.wait(&id, "killed");
    home.finish();
}

/// K6: a question is answered by its own option; another one, or none, is refused, and a guess too.
#[test]
fn a_question_is_answered_from_the_command_line_k6() {
    let home = TestHome::new();
    let script = "ask permission Run the tests? | Yes | Yes, always | No;\
                  ask permission Push it? | Yes | No;forever;prompt;end";
    let args = ["spawn", "--chat", "--json", "--agent", "scripted", "--", "-e", script];
    let id = home.run(args).ok().json()["id"].as_str().unwrap().to_owned();
    home.wait(&id, "needs_input");
    let question = home.show(&id)["question"].clone();
    assert_eq!(question["options"].as_array().unwrap().len(), 3);
    let qid = question["id"].as_str().unwrap();
    let refused = home.run(["send", &id, "--answer", "no", "--question", "another", "--json"]);
    assert!(refused.code(4).error()["message"].as_str().unwrap().contains("changed"));
    home.run(["send", &id, "--answer", "4"]).code(4);
    home.run(["send", &id, "text", "--answer", "yes"]).code(2);
    home.run(["send", &id]).code(2);
    let sent = home.run(["send", &id, "--answer", "2", "--question", qid, "--json"]).ok().json();
    assert_eq!(
        (&sent["results"][0]["id"], &sent["results"][0]["sent"]),
        (&id.as_str().into(), &true.into())
    );
    home.wait_screen(&id, "Answer: Yes, always");
    crate::support::until("the second question", || {
        (home.show(&id)["question"]["text"] == "Push it?").then_some(())
    });
    home.run(["send", &id, "--answer", "yes", "--question", qid]).code(4);
    let answered = ["send", &id, "--answer", "no", "--wait", "idle", "--timeout", "20s"];
    home.run(answered).ok();
    home.wait_screen(&id, "Answer: No");
    home.run(["send", &id, "--answer", "yes"]).code(4);
    home.run(["send", "chat-99", "--answer", "yes"]).code(3);
    let events = home.run(["events", &id, "--json"]).ok().json();
    let cause = |event: &serde_json::Value| {
        (event["verb"] == "answer").then(|| event["cause"].as_str().unwrap().to_owned())
    };
    let causes: Vec<String> =
        events["events"].as_array().unwrap().iter().filter_map(cause).collect();
    assert_eq!(causes, ["Push it? No", "Run the tests? Yes, always"]);
    home.finish();
}

/// T4: who only watches has seen nothing; without a terminal nothing is attached to.
#[test]
fn to_watch_only_is_not_to_have_seen() {
    let home = TestHome::new();
    let id = home.scripted("print ready;wait");
    let seen = || {
        let events = home.run(["events", &id, "--json"]).ok().json();
        let events = events["events"].as_array().unwrap().clone();
        events.iter().filter(|event| event["verb"] == "seen").count()
    };
    let refused = home.run(["attach", &id, "--read-only", "--json"]);
    assert_ne!(refused.code, 0, "{}", refused.stdout);
    assert_eq!((refused.error()["id"].as_str(), seen()), (Some(id.as_str()), 0));
    home.run(["seen", &id]).ok();
    assert_eq!(seen(), 1);
    home.finish();
}

/// A text of exactly 1 MiB arrives, and a longer one is wrong use before anything is typed.
#[test]
fn a_text_may_have_a_mebibyte() {
    let home = TestHome::new();
    let args =
        ["spawn", "--chat", "--json", "--agent", "command", "--", "sh", "-c", "stty raw; wc -c"];
    let id = home.run(args).ok().json()["id"].as_str().unwrap().to_owned();
    let most = "x".repeat(1 << 20);
    let longer = format!("{most}y");
    let refused = home.run_with(&longer, ["send", &id, "-", "--json"]).code(2).error();
    assert_eq!(refused["kind"], "usage");
    let sent = home.run_with(&most, ["send", &id, "-", "--json"]).ok().json();
    assert_eq!(sent["results"][0]["sent"], true);
    let messages = home.run(["messages", &id, "--json"]).ok().json();
    assert_eq!(messages["messages"][0]["text"], most.as_str());
    assert_eq!(messages["messages"].as_array().unwrap().len(), 1);
    home.finish();
}

/// What is in the trash is neither pinned nor seen.
#[test]
fn what_is_in_the_trash_is_not_pinned_seen_or_renamed() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    home.run(["delete", &id, "--yes"]).ok();
    let verbs: [&[&str]; 4] =
        [&["pin", &id], &["unpin", &id], &["seen", &id], &["rename", &id, "Other"]];
    for verb in verbs {
        let error = home.run(verb.iter().chain(&["--json"]).copied()).code(4).error();
        assert_eq!(error["id"], id.as_str(), "{verb:?}");
    }
    home.finish();
}

/// K5, W4: a text that was typed and cannot be kept was sent all the same, and it is said.
#[test]
fn a_text_that_cannot_be_kept_was_sent() {
    let home = TestHome::new();
    let id = home.scripted("forever;prompt;end");
    home.wait(&id, "idle");
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON messages \
                  BEGIN SELECT RAISE(ABORT, 'no room for it'); END";
    store.execute_batch(refuse).unwrap();
    let report = home.run(["send", &id, "hello there", "--json"]).code(5).json();
    let result = &report["results"][0];
    assert_eq!(result["sent"], true);
    assert!(result["reason"].as_str().unwrap().contains("no room for it"), "{report}");
    home.wait_screen(&id, "You said: hello there");
    store.execute_batch("DROP TRIGGER refuse").unwrap();
    home.finish();
}

/// A text that begins with a dash is one after two dashes; a title and the value of an option are as they
/// are. A misspelt option is never typed into an agent.
#[test]
fn a_text_may_begin_with_a_dash() {
    let home = TestHome::new();
    let id = home.scripted("forever;prompt;end");
    home.wait(&id, "idle");
    home.run(["send", &id, "--", "-v is on"]).ok();
    home.wait_screen(&id, "You said: -v is on");
    home.run(["send", &id, "text", "--no-entr"]).code(2);
    home.run(["rename", &id, "- tidy up", "--json"]).ok();
    assert_eq!(home.show(&id)["title"], "- tidy up");
    home.run(["rename", &id, "--json"]).code(2);
    assert_eq!(home.run(["list", "--search=- tidy", "--json"]).ok().json()["total"], 1);
    home.finish();
}
