//! From an empty board to an answered question, by keys alone.

use crate::driver::Terminal;
use crate::support::{Repository, TestHome};

/// An agent that works a moment, asks for a permission, then waits for prompts.
pub(crate) fn define_asker(home: &TestHome) {
    let folder = home.path().join("config/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let definition = r#"
engine = 1
title = "Asker"
program = "callboard:self"
[launch]
args = ["scripted", "-e", "print Task: {prompt};ask permission Run the tests? | Yes | No;forever;prompt;end"]
prompt = ["--prompt", "{prompt}"]
[stop]
signal = "TERM"
"#;
    std::fs::write(folder.join("asker.toml"), definition).unwrap();
}

/// K6, W6, C3: by keys alone; what was done is in the events.
#[test]
fn a_session_is_started_from_the_form_watched_and_answered() {
    let home = TestHome::new();
    define_asker(&home);
    let repository = Repository::new(&home.folder("shop"));
    let mut console = Terminal::start(home.path(), repository.path(), &[], 120, 40);
    console.see("No project yet");
    console.press("A");
    console.see_row(&["1 shop", "0"]);

    console.press("n");
    console.see("New session");
    console.see_row(&["agent", "asker"]);
    console.paste("Fix the rounding in cart totals. Use cents.");
    console.see("Fix the rounding in cart totals. Use cents.");
    console.press("C-s");
    console.see_row(&["shop-1", "Fix the rounding in", "needs input"]);
    console.see_row(&["1 shop", "? 1"]);
    console.see("Run the tests?");

    console.press("y");
    console.see("Answer: Yes");
    console.see_row(&["shop-1", "idle"]);
    console.press("q");
    assert!(console.exit().success());
    let events = home.run(["events", "--json"]).ok().json();
    let who = |verb: &str| {
        let mut events = events["events"].as_array().unwrap().iter();
        let event = events.find(|event| event["verb"] == verb).unwrap().clone();
        (event["actor"].clone(), event["session"].clone(), event["cause"].clone())
    };
    let shop = format!("shop at {}", repository.path().display());
    assert_eq!(who("answer"), ("operator".into(), "shop-1".into(), "Run the tests? y".into()));
    assert_eq!(who("project_add"), ("operator".into(), serde_json::Value::Null, shop.into()));
    home.finish();
}

#[test]
fn typing_in_place_reaches_the_agent_and_the_leave_key_comes_back() {
    let home = TestHome::new();
    home.scripted("print ready;forever;prompt;end");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "idle"]);
    console.press("Enter");
    console.see("typing to chat-1");
    console.write(b"hello there\r");
    console.see("You said: hello there");
    console.press("C-]");
    console.see_no("typing to chat-1");
    console.press("Z");
    console.see_title("the agent's title", |title| title.contains("Ctrl+] leaves"));
    console.write(b"whole screen\r");
    console.see("You said: whole screen");
    assert!(!console.alternate(), "the terminal is the agent's");
    console.press("C-]");
    console.see_row(&["chat-1", "idle"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
