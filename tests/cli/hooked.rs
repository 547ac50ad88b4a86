//! Hooks that callboard installs: an agent that calls what its own settings say.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Repository, TestHome, until};

/// An agent that runs the first command that its settings name at its start, as a shell's line.
const AGENT: &str = r#"
engine = 1
title = "Probe"
program = "sh"

[launch]
args = ["-c", '''sed -n 's/.*"command":"\(.*\)".*/\1/p' .probe/settings.json >"$CALLBOARD_HOME/line"; echo '{"id":"probe-1"}' | sh "$CALLBOARD_HOME/line"; exec cat''']

[hooks]
session_id = "id"

[[hooks.event]]
name = "Start"
activity = "idle"

[hooks.install]
version = 1
events = ["Start"]
entry = '{"command":"{command}"}'
file = ".probe/settings.json"
"#;

struct Bench {
    home: TestHome,
    shop: Repository,
}

fn bench() -> Bench {
    let home = TestHome::new();
    let folder = home.path().join("config/agents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("probe.toml"), AGENT).unwrap();
    let shop = home.project("shop");
    Bench { home, shop }
}

impl Bench {
    fn spawn(&self, options: &[&str]) -> (String, PathBuf) {
        let args = [&["spawn", "--json", "--project", "shop", "--agent", "probe"], options];
        let made = self.home.run(args.concat()).ok().json();
        let id = made["id"].as_str().unwrap().to_owned();
        let folder = PathBuf::from(self.home.show(&id)["folder"].as_str().unwrap());
        (id, folder)
    }

    fn until(&self, id: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        until(what, || Some(self.home.show(id)).filter(|shown| holds(shown)))
    }
}

/// H1, H3: the agent calls the hook that its settings name; the file is in no status, no work, and gone with
/// the worktree.
#[test]
fn an_agent_calls_the_hooks_of_its_own_settings_h1() {
    let bench = bench();
    let (id, folder) = bench.spawn(&[]);
    let shown = bench.until(&id, "the hook's report", |shown| shown["activity"] == "idle");
    assert!(shown["why"].as_str().unwrap().contains("hook: Start"), "{}", shown["why"]);
    assert!(folder.join(".probe/settings.json").is_file());
    let worktree = Repository::at(&folder);
    assert_eq!(worktree.git(&["status", "--porcelain", "--untracked-files=all"]), "");

    bench.home.run(["stop", &id, "--yes"]).ok();
    bench.home.run(["restore", &id]).ok();
    bench.until(&id, "the report of the next launch", |shown| shown["activity"] == "idle");
    let killed = bench.home.run(["kill", &id, "--yes", "--json"]).ok().json();
    assert_eq!(killed["results"][0]["freed"], true, "{killed}");
    assert!(!folder.exists());
    assert_eq!(bench.shop.git(&["status", "--porcelain"]), "");
    bench.home.finish();
}

/// H1: settings that git tracks are not written, which its events say; nor is anything in a folder of the
/// operator's.
#[test]
fn nothing_of_the_operators_is_written_h1() {
    let bench = bench();
    let (_, folder) = bench.spawn(&["--in-place"]);
    assert_eq!(folder.canonicalize().unwrap(), bench.shop.path().canonicalize().unwrap());
    assert!(!bench.shop.path().join(".probe").exists());

    std::fs::create_dir(bench.shop.path().join(".probe")).unwrap();
    bench.shop.write(".probe/settings.json", "{}\n");
    bench.shop.commit("settings");
    let (id, folder) = bench.spawn(&[]);
    let settings = std::fs::read_to_string(folder.join(".probe/settings.json")).unwrap();
    assert_eq!(settings, "{}\n");
    let log = bench.home.run(["events", &id]).ok().stdout;
    assert_eq!(log.matches("hooks are off: git tracks .probe/settings.json").count(), 1, "{log}");
    bench.home.run(["stop", &id, "--yes"]).ok();
    bench.home.run(["restore", &id]).ok();
    let log = bench.home.run(["events", &id]).ok().stdout;
    assert_eq!(log.matches("hooks are off").count(), 1, "said once: {log}");
    bench.home.finish();
}
