//! Agents that run elsewhere (`spec/agents.md` U1), with stand-ins of the engines that run the command here,
//! as the real ones do there.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Answer, TestHome, until};

/// Each stand-in writes its arguments, ended by NUL, a call a line.
const RECORD: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\0' "$(basename "$0")" "$@" >>"$here/calls"
printf '\n\0' >>"$here/calls"
"#;

/// All words after the host, joined, go to a shell; the environment does not.
const SSH: &str = r#"
while :; do
  case $1 in
    -p) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
exec env -i PATH="$PATH" HOME="$here/home" TERM="$TERM" sh -c "$*"
"#;

/// Variables are taken from here where they are only named; the rest of the environment does not go along.
const CONTAINER: &str = r#"
verb=$1
shift
[ "$verb" = stop ] && exit 0
folder=/
set -- "$@" --end--
variables=
while :; do
  case $1 in
    --workdir) folder=$2; shift 2 ;;
    --env)
      case $2 in
        *=*) variables="$variables $2" ;;
        *) variables="$variables $2=$(printenv "$2" | tr -d ' ')" ;;
      esac
      shift 2 ;;
    --user|--userns|--name|--mount) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
shift
n=$#
while [ "$n" -gt 0 ]; do
  word=$1
  shift
  [ "$word" = --end-- ] || set -- "$@" "$word"
  n=$((n - 1))
done
cd "$folder" || exit 127
exec env -i PATH="$PATH" $variables "$@"
"#;

const KUBECTL: &str = r#"
while [ "$1" != -- ]; do shift; done
shift
exec env -i PATH="$PATH" "$@"
"#;

/// Records what reached it and waits, as an agent does; a resumed one too.
const AGENT: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\0' "$@" >"$here/argv.new"
env >"$here/env.new"
pwd >"$here/pwd"
mv "$here/env.new" "$here/env"
mv "$here/argv.new" "$here/argv"
exec sleep 1000
"#;

const HOSTILE: &str = "-it's \"$(touch /tmp/callboard-no)\" `id` ${HOME}\n\\ ; exit 3 # && || *?[a]{b,c} ~ größer 🦀 --";

struct Bench {
    home: TestHome,
    folder: PathBuf,
}

impl Bench {
    fn new(runner: &str) -> Self {
        let home = TestHome::new();
        let folder = home.folder("bin");
        std::fs::create_dir(folder.join("home")).unwrap();
        let program = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).unwrap();
            std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o755)).unwrap();
        };
        program("ssh", &format!("{RECORD}{SSH}"));
        program("docker", &format!("{RECORD}{CONTAINER}"));
        program("podman", &format!("{RECORD}{CONTAINER}"));
        program("kubectl", &format!("{RECORD}{KUBECTL}"));
        program("agent", AGENT);
        let there = home.folder("there it's");
        let config = home.path().join("config");
        std::fs::create_dir_all(config.join("agents")).unwrap();
        let agent = format!(
            "engine = 1\ntitle = \"Recorder\"\nprogram = {:?}\n[launch]\nsession_id = [\"--session-id\", \"{{session_id}}\"]\n\
             resume = [\"--resume\", \"{{session_id}}\"]\nprompt = [\"{{prompt}}\"]\ndash_prompt = [\"{{prompt}}\"]\n\
             [stop]\nsignal = \"TERM\"\ngroup = true\n",
            folder.join("agent")
        );
        std::fs::write(config.join("agents/recorder.toml"), agent).unwrap();
        let runner = runner.replace("THERE", &there.to_string_lossy());
        let target = format!(
            "[targets.far]\nagent = \"recorder\"\nenv = {{ API_KEY = \"k1\" }}\nrunner = {runner}\n"
        );
        std::fs::write(config.join("config.toml"), target).unwrap();
        Self { home, folder }
    }

    fn run(&self, args: &[&str]) -> Answer {
        let path = std::env::var("PATH").unwrap();
        let mut command = self.home.command(args.iter().copied());
        command.env("PATH", format!("{}:{path}", self.folder.display()));
        Answer::of(&mut command, args)
    }

    fn spawn(&self, prompt: &str) -> String {
        let args = ["spawn", "--chat", "--json", "--target", "far", "--prompt", prompt];
        self.run(&args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok()
    }

    /// What the agent was given, once it runs.
    fn argv(&self) -> Vec<String> {
        let text = until("the agent's arguments", || self.read("argv"));
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    fn env(&self) -> BTreeMap<String, String> {
        let text = self.read("env").unwrap();
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Calls of the stand-ins.
    fn calls(&self) -> Vec<Vec<String>> {
        let text = self.read("calls").unwrap_or_default();
        let calls = text.split_terminator("\n\0");
        calls.map(|call| call.split_terminator('\0').map(str::to_owned).collect()).collect()
    }

    fn show(&self, id: &str) -> Value {
        self.run(&["show", id, "--json"]).ok().json()
    }
}

/// A process that is in no tree of ours, with a variable.
struct Apart(Child);

impl Apart {
    fn new(name: &str, value: &str) -> Self {
        let mut command = Command::new("sleep");
        command.arg("1000").env_clear().env("PATH", "/usr/bin:/bin").env(name, value);
        Self(command.stdin(Stdio::null()).spawn().unwrap())
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

const KINDS: [(&str, &str); 6] = [
    ("ssh", r#"{ ssh = { host = "me@box", folder = "THERE", options = ["-p", "22"] } }"#),
    ("docker", r#"{ docker-run = { image = "node:22" } }"#),
    ("docker", r#"{ docker-exec = { container = "dev", folder = "THERE" } }"#),
    ("podman", r#"{ podman-run = { image = "node:22" } }"#),
    ("podman", r#"{ podman-exec = { container = "dev", folder = "THERE" } }"#),
    ("kubectl", r#"{ kubectl-exec = { pod = "dev-0", folder = "THERE", namespace = "team" } }"#),
];

/// U1: by every runner a hostile prompt arrives as it is, with the session's variables and the target's, in
/// the right folder; no value of the token is in any argument; a stop leaves nothing; a restore resumes.
#[cfg(target_os = "linux")]
#[test]
fn a_hostile_prompt_arrives_and_nothing_stays_u1() {
    for (engine, runner) in KINDS {
        let bench = Bench::new(runner);
        let id = bench.spawn(HOSTILE);
        let argv = bench.argv();
        assert_eq!(
            (argv[0].as_str(), argv.last().unwrap().as_str()),
            ("--session-id", HOSTILE),
            "{runner}"
        );
        let conversation = argv[1].clone();
        let env = bench.env();
        assert_eq!(env["CALLBOARD_SESSION_ID"], id, "{runner}");
        assert_eq!(env["CALLBOARD_GENERATION"], "1");
        assert_eq!((env["API_KEY"].as_str(), env["COLORTERM"].as_str()), ("k1", "truecolor"));
        assert_eq!(env["TERM"], "xterm-256color");
        let named = engine == "docker" || engine == "podman";
        assert_eq!(env.contains_key("CALLBOARD_TOKEN"), named, "{runner}");
        let pwd = bench.read("pwd").unwrap();
        let folder = bench.show(&id)["folder"].as_str().unwrap().to_owned();
        let there = if runner.contains("THERE") { "there it's" } else { folder.as_str() };
        assert!(pwd.trim_end().ends_with(there), "{runner}: {pwd}");
        if let Some(token) = env.get("CALLBOARD_TOKEN") {
            let told = bench.calls().concat();
            assert!(!told.iter().any(|word| word.contains(token.as_str())), "{runner}");
        }
        assert_eq!(bench.calls()[0][0], engine);
        assert!(bench.show(&id)["runs"].as_str().unwrap().contains("without hooks"), "{runner}");

        bench.run(&["stop", &id, "--yes"]).ok();
        assert_eq!(bench.show(&id)["alive"], false, "{runner}");

        std::fs::remove_file(bench.folder.join("argv")).unwrap();
        bench.run(&["restore", &id, "--launch"]).ok();
        assert_eq!(bench.argv()[..2], ["--resume".to_owned(), conversation], "{runner}");
        bench.run(&["stop", &id, "--yes"]).ok();
        bench.home.finish();
    }
}

/// U1: a stop ends what the client here cannot reach: a container by its name, marked processes by a second
/// exec.
#[cfg(target_os = "linux")]
#[test]
fn a_stop_reaches_what_is_elsewhere_u1() {
    let bench = Bench::new(r#"{ podman-run = { image = "node:22" } }"#);
    let id = bench.spawn("go");
    bench.argv();
    let calls = bench.calls();
    let name = calls[0].iter().position(|word| word == "--name").map(|at| calls[0][at + 1].clone());
    let name = name.unwrap();
    bench.run(&["stop", &id, "--yes"]).ok();
    let wanted = ["podman", "stop", "-t", "3", &name].map(str::to_owned);
    assert!(bench.calls().iter().any(|call| *call == wanted), "{:?}", bench.calls());
    bench.home.finish();

    let bench = Bench::new(r#"{ kubectl-exec = { pod = "dev-0", folder = "THERE" } }"#);
    let id = bench.spawn("go");
    bench.argv();
    let mut marked = Apart::new("CALLBOARD_RUN", &bench.env()["CALLBOARD_RUN"]);
    let mut other = Apart::new("CALLBOARD_RUN", "callboard-default-chat-1-1-of-another");
    bench.run(&["stop", &id, "--yes"]).ok();
    until("the marked process to end", || marked.has_ended().then_some(()));
    assert!(!other.has_ended(), "others go on");
    drop(other);
    bench.home.finish();
}

/// U1: what is wrong has its own message: the runner's program is not there, a host that ssh would take for an
/// option, no folder; a session whose target is gone is not run elsewhere than it was.
#[test]
fn mistakes_of_targets_are_told_u1() {
    let bench = Bench::new(r#"{ ssh = { host = "box", folder = "~" } }"#);
    let spawn = ["spawn", "--chat", "--json", "--target", "far"];
    let mut without = bench.home.command(spawn);
    without.env("PATH", "/nowhere");
    let refused = Answer::of(&mut without, &spawn).code(4);
    assert!(refused.stderr.contains("by which target far runs its agent"), "{}", refused.stderr);

    let listed = bench.run(&["agents", "list", "--json"]).ok().json();
    let far = &listed["targets"][0];
    assert_eq!(far["elsewhere"]["place"], "ssh box");
    assert_eq!(far["elsewhere"]["missing"], serde_json::json!(["hooks", "process facts"]));
    let text = bench.run(&["agents", "list"]).ok().stdout;
    assert!(text.contains("ssh box") && text.contains("hooks, process facts"), "{text}");

    let id = bench.spawn("go");
    bench.argv();
    bench.run(&["stop", &id, "--yes"]).ok();
    let config = bench.home.path().join("config/config.toml");
    std::fs::write(&config, "").unwrap();
    let refused = bench.run(&["restore", &id, "--launch", "--json"]);
    assert!(
        format!("{}{}", refused.stdout, refused.stderr).contains("any more"),
        "{}",
        refused.stderr
    );

    for (runner, told) in [
        ("{ ssh = { host = \"-oProxyCommand=x\", folder = \"/\" } }", "may not begin with `-`"),
        ("{ ssh = { host = \"box\" } }", "missing field `folder`"),
        ("{ ssh = { hots = \"box\", folder = \"/\" } }", "did you mean `host`?"),
    ] {
        std::fs::write(&config, format!("[targets.far]\nagent = \"shell\"\nrunner = {runner}\n"))
            .unwrap();
        let refused = bench.run(&spawn).code(2);
        assert!(
            refused.stderr.contains("line 3") && refused.stderr.contains(told),
            "{}",
            refused.stderr
        );
    }
    std::fs::write(&config, "").unwrap();
    bench.home.finish();
}
