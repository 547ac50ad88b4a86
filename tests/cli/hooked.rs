//! Hooks that callboard installs: an agent that calls what its own settings say.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Repository, TestHome, until};

/// A shell that calls the hook of its start, as it finds it in its own way, and then reads on.
struct Probe {
    name: &'static str,
    /// Calls the hook with the line of JSON that comes from the pipe.
    calls: &'static str,
    /// How it is told of the hook: lines of `[hooks.install]`.
    told: &'static str,
}

/// By a file of its settings.
const BY_FILE: Probe = Probe {
    name: "probe",
    calls: r#"sed -n 's/.*"command":"\(.*\)".*/\1/p' .probe/settings.json >"$CALLBOARD_HOME/line"; sh "$CALLBOARD_HOME/line""#,
    told: r#"
entry = '{"command":"{command}"}'
file = ".probe/settings.json"
"#,
};

/// By its first argument.
const BY_ARGUMENTS: Probe = Probe {
    name: "argued",
    calls: r#"echo "$1" | sed 's/.*"command":"\([^"]*\)".*/\1/' >"$CALLBOARD_HOME/said"; sh "$CALLBOARD_HOME/said""#,
    told: r#"
entry = '{"command":"{command}"}'
args = ["{settings}"]
"#,
};

/// By a file of ours that its environment names, which it runs.
const BY_ENVIRONMENT: Probe = Probe {
    name: "plugged",
    calls: r#"sh "$PROBE_PLUGIN""#,
    told: r#"
env = { PROBE_PLUGIN = "{folder}/plugged.sh" }
files = { "plugged.sh" = "{program} hook {agent} Start" }
"#,
};

impl Probe {
    /// Its definition.
    fn definition(&self) -> String {
        let Self { name, calls, told } = self;
        format!(
            r#"
engine = 1
program = "sh"

[launch]
args = ["-c", '''echo '{{"id":"{name}-1"}}' | {{ {calls}; }} 2>/dev/null; exec cat''', "sh"]

[hooks]
session_id = "id"

[[hooks.event]]
name = "Start"
activity = "idle"

[hooks.install]
version = 1
events = ["Start"]
{told}"#
        )
    }
}

struct Bench {
    home: TestHome,
    shop: Repository,
}

fn bench() -> Bench {
    let home = TestHome::new();
    let folder = home.path().join("config/agents");
    std::fs::create_dir_all(&folder).unwrap();
    for probe in [BY_FILE, BY_ARGUMENTS, BY_ENVIRONMENT] {
        let file = folder.join(format!("{}.toml", probe.name));
        std::fs::write(file, probe.definition()).unwrap();
    }
    let shop = home.project("shop");
    Bench { home, shop }
}

impl Bench {
    fn spawn(&self, options: &[&str]) -> (String, PathBuf) {
        self.spawn_agent("probe", options)
    }

    fn spawn_agent(&self, agent: &str, options: &[&str]) -> (String, PathBuf) {
        let args = [&["spawn", "--json", "--project", "shop", "--agent", agent], options];
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
    let (id, folder) = bench.spawn(&["--in-place"]);
    assert_eq!(folder.canonicalize().unwrap(), bench.shop.path().canonicalize().unwrap());
    assert!(!bench.shop.path().join(".probe").exists());
    let log = bench.home.run(["events", &id]).ok().stdout;
    let why = "hooks are off: .probe/settings.json would be in a folder that is not its own";
    assert_eq!(log.matches(why).count(), 1, "{log}");

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

/// H1, H3: hooks by arguments and by the environment reach the keeper at every start, in a folder of the operator's
/// too, and leave nothing in any folder.
#[test]
fn hooks_by_arguments_and_by_the_environment_touch_no_file_h1() {
    let bench = bench();
    for agent in ["argued", "plugged"] {
        for options in [[].as_slice(), &["--in-place"]] {
            let (id, folder) = bench.spawn_agent(agent, options);
            let told = |shown: &Value| {
                shown["activity"] == "idle"
                    && shown["agent_session_id"] == format!("{agent}-1")
                    && shown["why"].as_str().is_some_and(|why| why.contains("hook: Start"))
            };
            bench.until(&id, "the hook's report", told);
            let worktree = Repository::at(&folder);
            let status = ["status", "--porcelain", "--untracked-files=all", "--ignored"];
            assert_eq!(worktree.git(&status), "");
            bench.home.run(["stop", &id, "--yes"]).ok();
            bench.home.run(["restore", &id]).ok();
            bench.until(&id, "the report of the next launch", told);
            bench.home.run(["stop", &id, "--yes"]).ok();
            let log = bench.home.run(["events", &id]).ok().stdout;
            assert!(!log.contains("hooks are off"), "{log}");
        }
    }
    let listed = bench.home.run(["agents", "list", "--json"]).ok().json();
    let way = |name: &str| {
        let agents = listed["agents"].as_array().unwrap().iter();
        agents.filter(|it| it["name"] == name).map(|it| it["hooks"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(way("argued"), ["arguments"]);
    assert_eq!(way("plugged"), ["environment"]);
    assert_eq!(way("probe"), [".probe/settings.json"]);
    assert_eq!(way("shell"), [Value::Null]);
    bench.home.finish();
}

/// H1, D9, R5: a deleted worktree keeps its hooks out of sight, comes back with them, and a purge leaves nothing.
#[test]
fn hooks_go_through_the_trash_and_end_with_purge_h1() {
    let bench = bench();
    let (id, folder) = bench.spawn(&[]);
    bench.until(&id, "the hook's report", |shown| shown["activity"] == "idle");
    bench.home.run(["delete", &id, "--yes"]).ok();
    assert!(!folder.exists());
    bench.home.run(["restore", "--last"]).ok();
    let worktree = Repository::at(&folder);
    assert_eq!(worktree.git(&["status", "--porcelain", "--untracked-files=all"]), "");
    assert!(folder.join(".probe/settings.json").is_file());
    bench.home.run(["delete", &id, "--yes"]).ok();
    bench.home.run(["purge", &id, "--yes"]).ok();
    let left = |root: &str| walk(&bench.home.path().join(root));
    let named = |path: &&PathBuf| path.ends_with("settings.json") || path.ends_with(".gitignore");
    let found = [left("worktrees"), left("trash"), walk(bench.shop.path())].concat();
    assert_eq!(found.iter().find(named), None);
    bench.home.finish();
}

/// H1: settings that cannot be read stay to the byte as they are, which is said once; once they can be read,
/// hooks are merged with them, and kill leaves them without.
#[test]
fn settings_that_cannot_be_read_are_left_alone_h1() {
    let bench = bench();
    let (id, folder) = bench.spawn(&[]);
    bench.until(&id, "the hook's report", |shown| shown["activity"] == "idle");
    bench.home.run(["stop", &id, "--yes"]).ok();
    let file = folder.join(".probe/settings.json");
    std::fs::write(&file, "theme = dark\n").unwrap();
    for _ in 0..2 {
        bench.home.run(["restore", &id]).ok();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "theme = dark\n");
        bench.home.run(["stop", &id, "--yes"]).ok();
    }
    let log = bench.home.run(["events", &id]).ok().stdout;
    assert_eq!(log.matches("hooks are off: .probe/settings.json").count(), 1, "{log}");

    let own = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
    std::fs::write(&file, own).unwrap();
    bench.home.run(["restore", &id]).ok();
    bench.until(&id, "the report again", |shown| shown["activity"] == "idle");
    let merged = std::fs::read_to_string(&file).unwrap();
    assert!(merged.contains("// mine") && merged.contains("callboard-hooks"), "{merged}");
    let killed = bench.home.run(["kill", &id, "--yes", "--json"]).ok().json();
    assert_eq!(killed["results"][0]["freed"], false, "{killed}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), own);
    bench.home.finish();
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
