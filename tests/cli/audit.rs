//! The audit of every action (`spec/store.md` W6).

use serde_json::{Value, json};

use crate::support::TestHome;

/// An action, and the event that it leaves.
struct Case {
    /// The command.
    line: &'static str,
    /// Verb of the event.
    verb: &'static str,
    /// Its session.
    session: Option<&'static str>,
    /// Status or value before and after.
    change: (Option<&'static str>, Option<&'static str>),
    /// A part of what it says of the cause.
    cause: Option<&'static str>,
    /// Whether it is part of an operation.
    operation: bool,
}

const fn case(line: &'static str, verb: &'static str, session: &'static str) -> Case {
    let session = Some(session);
    Case { line, verb, session, change: (None, None), cause: None, operation: false }
}

impl Case {
    const fn change(mut self, from: Option<&'static str>, to: Option<&'static str>) -> Self {
        self.change = (from, to);
        self
    }
    const fn cause(mut self, cause: &'static str) -> Self {
        self.cause = Some(cause);
        self
    }
    const fn operation(mut self) -> Self {
        self.operation = true;
        self
    }
    const fn nowhere(mut self) -> Self {
        self.session = None;
        self
    }
}

/// Every verb that changes something, in an order in which each has something to do.
const CASES: [Case; 20] = [
    case("project add work/other --name other", "project_add", "").nowhere().cause("other at "),
    case("project move other 0", "project_move", "").nowhere().cause("other to place 0"),
    case("spawn --project shop --id shop-1", "spawn", "shop-1")
        .change(None, Some("working"))
        .operation(),
    case("rename shop-1 Another", "rename", "shop-1").change(Some("shop-1"), Some("Another")),
    case("pin shop-1", "pin", "shop-1"),
    case("unpin shop-1", "unpin", "shop-1"),
    case("seen shop-1", "seen", "shop-1"),
    case("send shop-1 hello", "send", "shop-1"),
    case("keys shop-1 Enter", "keys", "shop-1"),
    case("stop shop-1 --yes", "stop", "shop-1").change(Some("working"), Some("killed")).operation(),
    case("restore shop-1", "launch", "shop-1").change(Some("killed"), Some("working")).operation(),
    case("kill shop-1 --yes", "kill", "shop-1").change(Some("working"), Some("killed")).operation(),
    case("spawn --project shop --id shop-2", "spawn", "shop-2")
        .change(None, Some("working"))
        .operation(),
    case("stop shop-2 --yes --done", "stop", "shop-2")
        .change(Some("working"), Some("done"))
        .operation(),
    case("cleanup", "cleanup", "shop-2").change(Some("done"), Some("done")).operation(),
    case("delete shop-2 --yes", "delete", "shop-2").change(Some("done"), None).operation(),
    case("restore --last", "restore", "shop-2").change(None, Some("done")).operation(),
    case("clear --yes", "delete", "shop-2").change(Some("done"), None).operation(),
    case("purge shop-2 --yes", "purge", "shop-2").operation(),
    case("project remove other", "project_remove", "").nowhere().cause("other"),
];

fn events(home: &TestHome) -> Vec<Value> {
    let answer = home.run(["events", "--limit", "1000", "--json"]).ok().json();
    answer["events"].as_array().unwrap().clone()
}

/// W6: each leaves one event with time, actor, what changed, cause and operation.
#[test]
fn every_action_leaves_its_event() {
    let home = TestHome::new();
    home.project("shop");
    home.folder("other");
    for case in CASES {
        let before = events(&home).len();
        let mut words: Vec<&str> = case.line.split(' ').collect();
        if case.verb == "spawn" {
            words.extend(["--agent", "command", "--", "cat"]);
        }
        home.run(words).ok();
        let all = events(&home);
        let new = &all[..all.len() - before];
        let told: Vec<&Value> = new
            .iter()
            .filter(|it| it["verb"] == case.verb && it["session"] == json!(case.session))
            .collect();
        assert_eq!(told.len(), 1, "{}: {new:?}", case.line);
        let event = told[0];
        assert_eq!(event["actor"], "command", "{}", case.line);
        assert!(event["at"].as_str().unwrap().ends_with('Z'));
        // A launch is told as soon as it is published: its program may have done nothing yet.
        let to = if event["to"] == "spawning" { &json!("working") } else { &event["to"] };
        let change = (&event["from"], to);
        assert_eq!(change, (&json!(case.change.0), &json!(case.change.1)), "{}", case.line);
        if let (Some(id), Some("working")) = (case.session, case.change.1) {
            home.run(["wait", id, "--for", "working"]).ok();
        }
        let cause = event["cause"].as_str().unwrap_or_default();
        assert!(cause.contains(case.cause.unwrap_or_default()), "{}: {event}", case.line);
        if case.operation {
            let operation = event["operation"].as_str().unwrap();
            home.run(["ops", "show", operation]).ok();
        }
    }
    let of_one = home.run(["events", "shop-1", "--json"]).ok().json();
    for event in of_one["events"].as_array().unwrap() {
        assert_eq!(event["session"], "shop-1");
    }
    let limited = home.run(["events", "--limit", "2", "--json"]).ok().json();
    assert_eq!(limited["events"].as_array().unwrap()[..], events(&home)[..2]);
    home.finish();
}

/// W6: what an agent does is told with its session.
#[test]
fn an_agent_is_the_actor_of_what_it_does() {
    let home = TestHome::new();
    let id = home.scripted("print ready;wait");
    let pid = home.show(&id)["runtime"]["pid"].as_u64().unwrap();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let entries = String::from_utf8_lossy(&environment).into_owned();
    let mut command = home.command(["rename", &id, "by itself"]);
    for (name, value) in entries.split('\0').filter_map(|entry| entry.split_once('=')) {
        if name.starts_with("CALLBOARD_") {
            command.env(name, value);
        }
    }
    assert!(command.output().unwrap().status.success());
    assert_eq!(events(&home)[0]["actor"], format!("session:{id}"));
    home.finish();
}
