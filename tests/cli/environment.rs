//! What an agent has of its operator's environment, and what many agents need of the system
//! (`spec/runtime.md`, Environment of an agent, X8).

use std::collections::BTreeMap;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::support::{Answer, TestHome, binary};

/// Variables of other terminals, git, callboard and agents, each of which would mislead an agent.
const HOSTILE: &[&str] = &[
    "ALACRITTY_WINDOW_ID",
    "CALLBOARD_ATTENTION",
    "CALLBOARD_GENERATION",
    "CALLBOARD_LOG",
    "CALLBOARD_NOTICE",
    "CALLBOARD_TOKEN",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "COLORFGBG",
    "COLUMNS",
    "GEMINI_CLI",
    "GHOSTTY_RESOURCES_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_WORK_TREE",
    "GNOME_TERMINAL_SCREEN",
    "GPG_TTY",
    "INSIDE_EMACS",
    "ITERM_SESSION_ID",
    "KITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "LC_TERMINAL",
    "LINES",
    "NVIM",
    "OLDPWD",
    "SHLVL",
    "SSH_TTY",
    "STY",
    "TERMCAP",
    "TERMINFO",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TMUX",
    "TMUX_PANE",
    "TMUX_TMPDIR",
    "VSCODE_PID",
    "VTE_VERSION",
    "WARP_HONOR_PS1",
    "WEZTERM_PANE",
    "WINDOW",
    "WINDOWID",
    "WT_SESSION",
    "XTERM_VERSION",
    "ZELLIJ",
    "ZELLIJ_SESSION_NAME",
    "_",
];

fn environ(pid: u64) -> BTreeMap<String, String> {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let entries = text.split_terminator('\0').map(|entry| entry.split_once('=').unwrap());
    entries.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Environment of an agent: nothing of the outer terminal, of git or of callboard reaches the agent; the
/// key agent is known by a link that stays; the token is in no log.
#[cfg(target_os = "linux")]
#[test]
fn nothing_hostile_reaches_the_agent() {
    let home = TestHome::new();
    let key_agent = home.path().join("key-agent");
    let _listening = UnixListener::bind(&key_agent).unwrap();
    let kept = [
        ("EDITOR", "vi"),
        ("HOME", "/nowhere"),
        ("LANG", "C.UTF-8"),
        ("PATH", "/usr/bin:/bin"),
        ("SHELL", "/bin/sh"),
        ("SSH_CONNECTION", "here there"),
    ];
    let mut spawn = home.command(["spawn", "--chat", "--json", "--agent", "command", "--", "cat"]);
    spawn.env_clear().envs(HOSTILE.iter().map(|name| (name, "trace"))).envs(kept);
    spawn
        .env("CALLBOARD_HOME", home.path())
        .env("TERM", "screen")
        .env("COLORTERM", "no")
        .env("PWD", "/elsewhere");
    spawn.env("SSH_AUTH_SOCK", &key_agent);
    let spawned = Answer::of(&mut spawn, &["spawn", "--json"]).ok().json();
    let id = spawned["id"].as_str().unwrap();
    let shown = home.show(id);
    let mut seen = environ(shown["runtime"]["pid"].as_u64().unwrap());
    let token = seen.remove("CALLBOARD_TOKEN").unwrap();
    assert!(token.len() >= 32 && token != "trace", "unguessable");
    let link = home.path().join("run/ssh-agent");
    assert_eq!(std::fs::read_link(&link).unwrap(), key_agent);
    let mut expected: BTreeMap<&str, String> =
        kept.map(|(name, value)| (name, value.to_owned())).into();
    expected.extend([
        ("CALLBOARD_GENERATION", "1".to_owned()),
        ("CALLBOARD_HOME", home.path().to_str().unwrap().to_owned()),
        ("CALLBOARD_SESSION_ID", id.to_owned()),
        ("CALLBOARD_WORKSPACE", "default".to_owned()),
        ("COLORTERM", "truecolor".to_owned()),
        ("PWD", seen["PWD"].clone()),
        ("SSH_AUTH_SOCK", link.to_str().unwrap().to_owned()),
        ("TERM", "xterm-256color".to_owned()),
    ]);
    assert_ne!(seen["PWD"], "/elsewhere");
    let seen: BTreeMap<&str, String> =
        seen.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    assert_eq!(seen, expected);
    let keeper = shown["runtime"]["keeper_pid"].as_u64().unwrap();
    let own: Vec<String> = environ(keeper).into_keys().collect();
    assert_eq!(own, ["MALLOC_ARENA_MAX"], "a keeper's own says how it uses memory");
    for log in std::fs::read_dir(home.path().join("state/log")).unwrap() {
        let log = std::fs::read_to_string(log.unwrap().path()).unwrap();
        assert!(!log.contains(&token), "{log}");
    }
    home.finish();
}

/// Runs a command with so many descriptors.
#[track_caller]
fn limited(home: &TestHome, limit: usize, args: &[&str]) -> Answer {
    let inner = home.command(args.iter().copied());
    let mut outer = Command::new("/bin/sh");
    outer.args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &limit.to_string(), binary()]).args(args);
    outer.current_dir(home.path());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    Answer::of(&mut outer, args)
}

/// X8: one process starts, lists and stops many sessions with few descriptors: what it has open does not
/// grow with them. By default with some sessions; `CALLBOARD_KEEPERS=500` takes the whole number, with the
/// usual limit of 1,024.
#[test]
fn many_sessions_need_few_descriptors() {
    let many: usize =
        std::env::var("CALLBOARD_KEEPERS").ok().and_then(|many| many.parse().ok()).unwrap_or(20);
    let limit = if many < 100 { 100 } else { 1_024 };
    let home = TestHome::new();
    let ids: Vec<String> = (0..many)
        .map(|_| {
            home.run(["spawn", "--chat", "--json", "--agent", "command", "--", "cat"])
                    .ok()
                    .json()["id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
        })
        .collect();
    let all = |verb: &[&'static str]| -> Vec<String> {
        verb.iter().map(|word| (*word).to_owned()).chain(ids.iter().cloned()).collect()
    };
    let run = |args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        limited(&home, limit, &args).ok()
    };
    run(all(&["stop", "--yes", "--quiet"]));
    run(all(&["restore", "--launch", "--quiet"]));
    let live = limited(&home, limit, &["list", "--json"]).ok().json();
    assert_eq!(live["total"], many);
    for id in [ids.first(), ids.last()].into_iter().flatten() {
        assert_eq!(home.show(id)["alive"], true, "{id}");
    }
    run(all(&["stop", "--yes", "--quiet"]));
    home.finish();
}

/// X8: where they do not suffice, that is the reason that is given, and nothing is started.
#[test]
fn too_few_descriptors_are_said_to_be_the_reason() {
    let home = TestHome::new();
    home.run(["list"]).ok();
    let spawn = ["spawn", "--chat", "--agent", "command", "--", "cat"];
    let refused = limited(&home, 24, &spawn).code(1);
    assert!(refused.stderr.contains("Too many open files"), "{}", refused.stderr);
    assert!(refused.stderr.contains("ulimit -n"), "{}", refused.stderr);
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 0);
    home.finish();
}
