//! Hooks by arguments and by files (`spec/agents.md` H1).

use std::path::Path;

use serde_json::Value;

use super::files;
use super::install::{Called, Install};
use crate::domain::hook::{HookBody, HookPlan};

fn install(agent: &str) -> Install {
    files::hooks(Path::new("/nowhere"), agent).unwrap().install
}

fn called<'a>(install: &'a Install, agent: &'a str) -> Called<'a> {
    Called { install, agent, program: Path::new("/opt/call board/callboard") }
}

fn args(agent: &str) -> Vec<String> {
    let install = install(agent);
    assert_eq!(called(&install, agent).plan([].iter()), HookPlan::Nothing);
    called(&install, agent).args()
}

/// H1: claude is given its hooks as settings, each event once, by our program's path.
#[test]
fn claude_is_given_hooks_as_settings_h1() {
    let args = args("claude");
    assert_eq!((args.len(), args[0].as_str()), (2, "--settings"));
    let settings: Value = serde_json::from_str(&args[1]).unwrap();
    let command = |event: &str| settings["hooks"][event][0]["hooks"][0]["command"].clone();
    assert_eq!(command("Stop"), "'/opt/call board/callboard' hook claude Stop");
    assert_eq!(settings["hooks"].as_object().unwrap().len(), install("claude").events.len());
    assert_eq!(settings.as_object().unwrap().len(), 1, "nothing else is set");
}

/// H1: codex is given each event as a value of its configuration, which is TOML.
#[test]
fn codex_is_given_hooks_as_configuration_h1() {
    let args = args("codex");
    assert_eq!(args[0], "--dangerously-bypass-hook-trust");
    let values: Vec<&String> = args.iter().skip(2).step_by(2).collect();
    assert!(args.iter().skip(1).step_by(2).all(|word| word == "-c"));
    assert_eq!(values.len(), install("codex").events.len());
    let stop = values.iter().find(|value| value.starts_with("hooks.Stop=")).unwrap();
    let read: toml::Table = toml::from_str(stop).unwrap();
    let hook = &read["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(hook["command"].as_str(), Some("'/opt/call board/callboard' hook codex Stop"));
    assert_eq!(hook["timeout"].as_integer(), Some(10));
}

/// H1: an option of the operator's is not put out of force; hooks are off then.
#[test]
fn settings_of_the_operators_own_win_h1() {
    let install = install("claude");
    for word in ["--settings", "--settings=/x.json"] {
        let plan = called(&install, "claude").plan([word.to_owned()].iter());
        assert!(matches!(plan, HookPlan::Off(why) if why.contains("--settings")), "{word}");
    }
    let plan = called(&install, "claude").plan(["--setting-sources".to_owned()].iter());
    assert_eq!(plan, HookPlan::Nothing);
}

/// H1: the others are given theirs by a file with an id and a version in it, and no arguments.
#[test]
fn others_are_given_hooks_by_a_file_h1() {
    for (agent, path) in [
        ("gemini", ".gemini/settings.json"),
        ("qwen", ".qwen/settings.json"),
        ("copilot", ".github/hooks/callboard.json"),
        ("opencode", ".opencode/plugin/callboard.js"),
    ] {
        let install = install(agent);
        install.check().unwrap();
        let called = called(&install, agent);
        assert_eq!(called.args(), [""; 0], "{agent}");
        let HookPlan::File(file) = called.plan([].iter()) else { panic!("{agent}") };
        assert_eq!(file.path, Path::new(path));
        match file.body {
            HookBody::Whole(content) => {
                assert!(content.starts_with("// callboard-hooks 1\n"), "{content}");
                assert!(
                    content
                        .contains("spawn(\"/opt/call board/callboard\", [\"hook\", \"opencode\"")
                );
                assert!(!content.contains("{program}") && !content.contains("{events}"));
            }
            HookBody::Entries(entries) => {
                let (event, entry) = &entries.events[1];
                let wanted = format!("hook {agent} {event} # callboard-hooks 1\"");
                assert!(entry.contains(&wanted), "{entry}");
                serde_json::from_str::<Value>(entry).unwrap();
            }
        }
    }
}

/// H1: every event that is asked for means something, or tells the conversation.
#[test]
fn what_is_installed_is_understood_h1() {
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "opencode"] {
        let hooks = files::hooks(Path::new("/nowhere"), agent).unwrap();
        let plain = |name: &str| name.to_lowercase();
        for event in hooks.install.events.iter().skip(1) {
            let known = hooks.event.iter().any(|rule| plain(&rule.name) == plain(event));
            assert!(known, "{agent}: {event}");
        }
    }
}

/// G1: a mistake is found when the file is read.
#[test]
fn mistakes_are_found_g1() {
    let right = install("gemini");
    let cases: [(&str, Install); 5] = [
        ("file", Install { file: "settings.json".into(), ..right.clone() }),
        ("file", Install { file: "../x/settings.json".into(), ..right.clone() }),
        ("entry", Install { entry: "{}".into(), ..right.clone() }),
        ("base", Install { base: "[]".into(), ..right.clone() }),
        ("events", Install { file: String::new(), ..right.clone() }),
    ];
    for (key, install) in cases {
        assert_eq!(install.check().unwrap_err().0, key, "{install:?}");
    }
    assert_eq!(Install { events: Vec::new(), file: "x".into(), ..right }.check(), Ok(()));
}
