//! What the operator is told outside of the picture: bells, notifications, a program, the title.

use std::fs;

use crate::driver::Terminal;
use crate::support::{TestHome, until};

fn configure(home: &TestHome, text: &str) {
    fs::create_dir_all(home.path().join("config")).unwrap();
    fs::write(home.path().join("config/config.toml"), text).unwrap();
}

/// A session that enters attention while not on view; the terminal and the configured program are told.
#[test]
fn a_session_that_begins_to_ask_elsewhere_is_told_to_terminal_and_program() {
    let home = TestHome::new();
    let told = home.path().join("told");
    let command = format!(
        "command = [\"sh\", \"-c\", 'echo \"$CALLBOARD_SESSION_ID $CALLBOARD_ATTENTION $CALLBOARD_NOTICE\" >>{}']",
        told.display()
    );
    configure(&home, &format!("[notifications]\nbell = true\ndesktop = true\n{command}\n"));
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "working"]);
    console.see("ready");
    console.see_title("nobody waits", |title| title == "callboard");
    let asks = home.scripted("print ready;ask permission Run it? | Yes | No;wait");
    console.see_bytes(&format!("\x1b]9;{asks} asks"));
    console.see_title("one waits", |title| title == "? 1 callboard");
    let line = format!("{asks} permission {asks} asks");
    until("the program to be told", || {
        fs::read_to_string(&told).ok().filter(|text| text.starts_with(&line))
    });
    home.run(["stop", &asks, "--yes"]).ok();
    console.see_title("nobody waits any more", |title| title == "callboard");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// A program that fails shows as a fault of its own, and nothing else does.
#[test]
fn a_program_for_notices_that_cannot_be_started_is_a_fault() {
    let home = TestHome::new();
    configure(&home, "notifications.command = [\"no-such-program-here\"]\n");
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "working"]);
    console.see_title("the first look", |title| title == "callboard");
    home.scripted("ask permission Run it? | Yes | No;wait");
    console.see("no-such-program-here cannot");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// The title of the terminal is put aside and comes back, also around a session that has it all.
#[test]
fn the_title_is_given_back() {
    let home = TestHome::new();
    home.scripted("print ready;title of the agent;ask permission Run it? | Yes | No;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_title("ours", |title| title == "? 1 callboard");
    console.see_row(&["▐", "chat-1"]);
    console.press("Z");
    console.see_title("that of the attach", |title| title.contains("leaves"));
    console.press("C-]");
    console.see_title("ours again", |title| title == "? 1 callboard");
    console.press("q");
    assert!(console.exit().success());
    assert_eq!(console.title(), "", "as it was before");
    home.finish();
}

/// Nothing is written while an agent has the terminal; what is still so afterwards is told then.
#[test]
fn what_happens_while_an_agent_has_the_terminal_is_told_afterwards() {
    let home = TestHome::new();
    configure(&home, "notifications.desktop = true\n");
    home.scripted("print painted;forever;prompt;end");
    home.wait("chat-1", "idle");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["▐", "chat-1"]);
    console.see_title("the first look", |title| title == "callboard");
    console.press("Z");
    console.see_title("that of the attach", |title| title.contains("leaves"));
    let asks = home.scripted("ask permission Run it? | Yes | No;wait");
    home.wait(&asks, "attention");
    // What is typed later comes back after whatever the question led to.
    console.write(b"hello\r");
    console.see("You said: hello");
    let told = format!("\x1b]9;{asks} asks");
    assert!(!console.received(&told));
    console.press("C-]");
    console.see_bytes(&told);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
