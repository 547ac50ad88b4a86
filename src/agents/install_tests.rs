//! Hooks by arguments and by files (`spec/agents.md` H1).

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde_json::Value;

use super::files;
use super::install::{Called, Install, place};
use crate::domain::hook::{HookPlan, OwnFile};

fn install(agent: &str) -> Install {
    files::hooks(Path::new("/nowhere"), agent).unwrap().install
}

fn called<'a>(install: &'a Install, agent: &'a str) -> Called<'a> {
    let program = Path::new("/opt/call board/callboard");
    Called { install, agent, program, folders: Path::new("/home/op erator/hooks") }
}

fn args(agent: &str) -> Vec<String> {
    let install = install(agent);
    assert_eq!(called(&install, agent).plan([].iter(), |_| None), HookPlan::Nothing);
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
    let values: Vec<&String> = args.iter().skip(1).step_by(2).collect();
    assert!(args.iter().step_by(2).all(|word| word == "-c"));
    assert_eq!(values.len(), install("codex").events.len() + 1);
    let stop = values.iter().find(|value| value.starts_with("hooks.Stop=")).unwrap();
    let read: toml::Table = toml::from_str(stop).unwrap();
    let hook = &read["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(hook["command"].as_str(), Some("'/opt/call board/callboard' hook codex Stop"));
    assert_eq!(hook["timeout"].as_integer(), Some(3));
}

/// H1: codex is told of our hooks alone that they were looked at, by the hash that it kept of this one.
#[test]
fn codex_trusts_our_hooks_and_no_others_h1() {
    let entry =
        r#"{"hooks":[{"type":"command","command":"{command}","timeout":10,"async":false}]}"#;
    let (stop, start) = ("Stop".to_owned(), "SessionStart".to_owned());
    let install =
        Install { events: vec![stop, start], entry: entry.to_owned(), ..install("codex") };
    let called = called(&install, "codex");
    let read: toml::Table = toml::from_str(&called.args()[1]).unwrap();
    let state = read["hooks"]["state"].as_table().unwrap();
    let keys: Vec<&String> = state.keys().collect();
    let key = |event: &str| format!("/<session-flags>/config.toml:{event}:0:0");
    assert_eq!(keys, [&key("session_start"), &key("stop")]);
    let json = r#"{"event_name":"stop","hooks":[{"async":false,"command":"'/opt/call board/callboard' hook codex Stop","timeout":10,"type":"command"}]}"#;
    let hash = format!("sha256:{}", crate::os::random::sha256(json));
    assert_eq!(state[&key("stop")]["trusted_hash"].as_str(), Some(hash.as_str()));
}

/// H1: an option of the operator's is not put out of force; hooks are off then.
#[test]
fn settings_of_the_operators_own_win_h1() {
    let install = install("claude");
    for word in ["--settings", "--settings=/x.json"] {
        let plan = called(&install, "claude").plan([word.to_owned()].iter(), |_| None);
        assert!(matches!(plan, HookPlan::Off(why) if why.contains("--settings")), "{word}");
    }
    let plan = called(&install, "claude").plan(["--setting-sources".to_owned()].iter(), |_| None);
    assert_eq!(plan, HookPlan::Nothing);
    let install = self::install("codex");
    for (word, off) in [
        ("hooks.Stop=[]", true),
        ("--config=hooks.state={}", true),
        ("-chooks={}", true),
        ("hooksy.a=1", false),
        ("model=x", false),
        ("hooks", false),
    ] {
        let plan = called(&install, "codex").plan([word.to_owned()].iter(), |_| None);
        assert_eq!(matches!(plan, HookPlan::Off(_)), off, "{word}");
    }
}

/// H1: the others are given theirs by a file with an id and a version in it, and no arguments.
#[test]
fn others_are_given_hooks_by_a_file_h1() {
    for (agent, path) in [
        ("gemini", ".gemini/settings.json"),
        ("qwen", ".qwen/settings.json"),
        ("copilot", ".github/hooks/callboard.json"),
    ] {
        let install = install(agent);
        install.check().unwrap();
        let called = called(&install, agent);
        assert_eq!(called.args(), [""; 0], "{agent}");
        let HookPlan::File(file) = called.plan([].iter(), |_| None) else { panic!("{agent}") };
        assert_eq!(file.path, Path::new(path));
        let (event, entry) = &file.entries.events[1];
        let wanted = format!("hook {agent} {event} # callboard-hooks 1\"");
        assert!(entry.contains(&wanted), "{entry}");
        serde_json::from_str::<Value>(entry).unwrap();
    }
}

/// H1: opencode is named a plugin of ours by a variable; one of the operator's stays as it is. The plugin is one of
/// its terminal part: with one of its server, or with any other of these variables, its start would wait until it
/// has installed packages for the operator's own settings, or it would not read those as it does.
#[test]
fn opencode_is_named_a_plugin_h1() {
    let install = install("opencode");
    install.check().unwrap();
    let called = called(&install, "opencode");
    let name = "OPENCODE_TUI_CONFIG";
    let env: Vec<_> = called.env().collect();
    let value = "/home/op erator/hooks/opencode/tui.json";
    assert_eq!(env, [(name.to_owned(), value.to_owned())]);
    // One that runs in a session of ours has the same.
    for set in [None, Some(value)] {
        let plan = called.plan([].iter(), |_| set.map(str::to_owned));
        let HookPlan::Own(files) = plan else { panic!("{plan:?}") };
        let folder = Path::new("/home/op erator/hooks/opencode");
        let paths: Vec<&Path> = files.iter().map(|file| &*file.path).collect();
        assert_eq!(paths, [folder.join("callboard.js"), folder.join("tui.json")]);
        let named: Value = serde_json::from_str(&files[1].content).unwrap();
        assert_eq!(named, serde_json::json!({ "plugin": ["./callboard.js"] }));
        let content = &files[0].content;
        assert!(content.contains("version 2,") && content.contains("  tui: async"), "{content}");
        assert!(!content.contains("@opencode-ai"), "{content}");
        let call = "spawn(\"/opt/call board/callboard\", [\"hook\", \"opencode\"";
        assert!(content.contains(call), "{content}");
        assert!(!content.contains("{program}") && !content.contains("{events}"));
    }
    let plan = called.plan([].iter(), |_| Some("{}".to_owned()));
    assert!(matches!(&plan, HookPlan::Off(why) if why.contains(name)), "{plan:?}");
}

/// H1: a file of ours is private, and written anew only where it is another.
#[test]
fn a_file_of_ours_is_placed_once_h1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks/opencode/callboard.js");
    let inode = || path.metadata().unwrap().ino();
    let plugin = |content: &str| OwnFile { path: path.clone(), content: content.to_owned() };
    place(&plugin("1")).unwrap();
    let first = inode();
    place(&plugin("1")).unwrap();
    assert_eq!((inode(), path.metadata().unwrap().mode() & 0o077), (first, 0));
    place(&plugin("2")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "2");
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
    let stray = [("x.js".to_owned(), String::new())].into();
    let cases: [(&str, Install); 6] = [
        ("files", Install { files: stray, ..right.clone() }),
        ("file", Install { file: "settings.json".into(), ..right.clone() }),
        ("file", Install { file: "../x/settings.json".into(), ..right.clone() }),
        ("entry", Install { entry: "{}".into(), ..right.clone() }),
        ("base", Install { base: "[]".into(), ..right.clone() }),
        ("events", Install { file: String::new(), ..right.clone() }),
    ];
    for (key, install) in cases {
        assert_eq!(install.check().unwrap_err().0, key, "{install:?}");
    }
    let plugin = install("opencode");
    let named = |name: &str| [(name.to_owned(), String::new())].into();
    for (key, install) in [
        ("files", Install { files: named("../x.js"), ..plugin.clone() }),
        ("files", Install { files: named(""), ..plugin.clone() }),
        ("env", Install { files: [].into(), ..plugin }),
    ] {
        assert_eq!(install.check().unwrap_err().0, key, "{install:?}");
    }
    assert_eq!(Install { events: Vec::new(), file: "x".into(), ..right }.check(), Ok(()));
}

/// G1: hooks that would come in two ways come in one only, which is told and not passed over.
#[test]
fn two_ways_are_a_mistake_g1() {
    let (file, args, env) = (install("gemini"), install("claude"), install("opencode"));
    let words = vec!["--x".to_owned()];
    for (one, other, install) in [
        ("args", "env", Install { args: words.clone(), ..env.clone() }),
        ("event_args", "env", Install { event_args: words, ..env.clone() }),
        ("args", "file", Install { file: file.file.clone(), ..args }),
        ("env", "file", Install { env: env.env, files: env.files, ..file }),
    ] {
        let (at, what) = install.check().unwrap_err();
        assert_eq!(at, "[hooks.install]");
        assert!(what.starts_with(&format!("`{other}` would do nothing beside `{one}`")), "{what}");
    }
}
