//! `hook`, as an agent's hooks call it.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{TestHome, until};

/// An agent that says nothing by itself, and the environment of its hooks.
struct Agent {
    home: TestHome,
    id: String,
    env: Vec<(String, String)>,
}

impl Agent {
    fn new() -> Self {
        let home = TestHome::new();
        let script = "cd \"$CALLBOARD_HOME\"; env >vars; mv vars env; exec cat";
        let args = ["spawn", "--chat", "--json", "--agent", "command", "--", "sh", "-c", script];
        let id = home.run(args).ok().json()["id"].as_str().unwrap().to_owned();
        let vars = until("the agent's environment", || {
            std::fs::read_to_string(home.path().join("env")).ok()
        });
        let ours = vars.lines().filter(|line| line.starts_with("CALLBOARD_"));
        let env = ours.map(|line| line.split_once('=').unwrap());
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { home, id, env }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args.iter().copied());
        command.envs(self.env.iter().cloned());
        command
    }

    /// Calls a hook; it must end well and say nothing.
    #[track_caller]
    fn hook(&self, args: &[&str], input: &[u8]) {
        call(self.command(&[&["hook"], args].concat()), input);
    }

    fn report(&self, event: &str, said: &Value) {
        self.hook(&["command", event], said.to_string().as_bytes());
    }

    /// Waits until the session is as it should be.
    fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        until(what, || Some(self.home.show(&self.id)).filter(|shown| holds(shown)))
    }
}

#[track_caller]
fn call(mut command: Command, input: &[u8]) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may be gone before it has read all of it.
    let _gone = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
}

/// H2, H3, Q2, A1, A2: activity, question, message and the agent's own id are stored.
#[test]
fn what_an_agent_reports_is_stored_h2() {
    let agent = Agent::new();
    agent.report("active", &json!({ "session_id": "conversation-1" }));
    let shown = agent.until("active", |shown| shown["activity"] == "active");
    assert!(shown["why"].as_str().unwrap().contains("hook: active"), "{}", shown["why"]);
    agent.until("its own id", |shown| shown["agent_session_id"] == "conversation-1");
    agent.report("blocked", &json!({ "message": "May I push?\u{1b}[31m" }));
    let shown = agent.until("a question", |shown| shown["question"]["text"] == "May I push?[31m");
    assert_eq!(
        (&shown["status"], &shown["attention"]),
        (&json!("needs_input"), &json!("permission"))
    );
    agent.report("idle", &json!({ "message": "Pushed it." }));
    let shown = agent.until("idle", |shown| shown["activity"] == "idle");
    assert_eq!(shown["question"], Value::Null);
    // An event without an id leaves what is known.
    assert_eq!(shown["agent_session_id"], "conversation-1");
    let messages = || agent.home.run(["messages", &agent.id, "--json"]).ok().json();
    let message = until("the message", || messages()["messages"].get(0).cloned());
    assert_eq!((&message["source"], &message["text"]), (&json!("agent"), &json!("Pushed it.")));
    agent.home.finish();
}

/// H2: another token or launch tells nothing; whatever it is called with, it ends well and says nothing.
#[test]
fn a_hook_never_makes_an_agent_stumble_h2() {
    let agent = Agent::new();
    let before = agent.home.show(&agent.id)["activity"].clone();
    for (name, value) in [
        ("CALLBOARD_TOKEN", "guessed"),
        ("CALLBOARD_GENERATION", "7"),
        ("CALLBOARD_SESSION_ID", "chat-99"),
        ("CALLBOARD_SESSION_ID", "NO ID"),
        ("CALLBOARD_WORKSPACE", "NO NAME"),
        ("CALLBOARD_HOME", "/nowhere"),
    ] {
        let mut command = agent.command(&["hook", "command", "blocked"]);
        command.env(name, value);
        call(command, b"{}");
    }
    for args in [
        &[][..],
        &["command"],
        &["command", "--nonsense"],
        &["no-such-agent", "idle"],
        &["../../etc/passwd", "idle"],
        &["command", "no-such-event"],
    ] {
        agent.hook(args, b"{}");
    }
    assert_eq!(agent.home.show(&agent.id)["activity"], before);
    // What is no JSON, or more than 1 MiB of it, still tells that the event came.
    for (event, activity, input) in [
        ("active", "active", b"no json".to_vec()),
        ("idle", "idle", Vec::new()),
        ("active", "active", [b"{\"message\":\"".to_vec(), vec![b'x'; 2 << 20]].concat()),
    ] {
        agent.hook(&["command", event], &input);
        agent.until(activity, |shown| shown["activity"] == activity);
    }
    agent.home.finish();
}

/// H2: wrong use of every sort ends with 0 and says nothing, on neither stream.
#[test]
fn wrong_use_of_a_hook_ends_well_and_says_nothing_h2() {
    let home = TestHome::new();
    let not_utf8 = OsStr::from_bytes(b"\xff\xfe");
    for line in [
        "hook",
        "hook command",
        "hook command idle more",
        "hook --nonsense",
        "hook command idle --nonsense",
        "hook command idle --json",
        "hook --workspace",
        "hook --workspace NO/NAME command idle",
        "--workspace NO/NAME hook command idle",
        "--nonsense hook command idle",
        "--json hook",
        "--section pinned hook command idle",
        "--select shop-1 hook command idle",
        "--workspace NOT_UTF8 hook command idle",
        "hook NOT_UTF8 idle",
        "hook command NOT_UTF8",
    ] {
        let mut command = home.command([""; 0]);
        let word = |word| if word == "NOT_UTF8" { not_utf8 } else { OsStr::new(word) };
        command.args(line.split(' ').map(word));
        call(command, b"{}");
    }
    for name in ["CALLBOARD_WORKSPACE", "CALLBOARD_SESSION_ID", "CALLBOARD_GENERATION"] {
        for value in [not_utf8, OsStr::new(""), OsStr::new("NO/NAME")] {
            let mut command = home.command(["hook", "command", "idle"]);
            command.env(name, value);
            call(command, b"{}");
        }
    }
    assert!(!home.path().join("data").exists(), "a hook makes nothing");
}

/// H2: neither a store that is busy nor a keeper that is held up holds up the agent; both hear of it later.
#[test]
fn a_busy_store_or_keeper_holds_up_no_agent_h2() {
    let agent = Agent::new();
    agent.report("active", &json!({}));
    agent.until("active", |shown| shown["activity"] == "active");
    let store = rusqlite::Connection::open(agent.home.path().join("data/callboard.db")).unwrap();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test measures real time")]
    let begun = Instant::now();
    agent.report("idle", &json!({ "message": "while busy", "session_id": "c-2" }));
    // One that waits for the store does so until the store's patience is at its end.
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    store.execute_batch("COMMIT").unwrap();
    drop(store);
    agent.until("what came while the store was busy", |shown| {
        shown["activity"] == "idle" && shown["agent_session_id"] == "c-2"
    });
    let pid = agent.home.show(&agent.id)["runtime"]["keeper_pid"].as_u64().unwrap().to_string();
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    signal("-STOP");
    agent.report("blocked", &json!({ "message": "held up" }));
    signal("-CONT");
    agent.until("what came while the keeper was held up", |shown| {
        shown["question"]["text"] == "held up"
    });
    agent.home.finish();
}
