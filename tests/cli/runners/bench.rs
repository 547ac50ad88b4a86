//! Stand-ins of the engines, and an agent that tells what reached it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

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
cd "$here/home" || exit 255
exec env -i PATH="$PATH" HOME="$here/home" TERM="$TERM" sh -c "$*"
"#;

/// Variables are taken from here where they are only named; the rest of the environment does not go along. A
/// container of its own is ended by its name.
const CONTAINER: &str = r#"
verb=$1
shift
if [ "$verb" = stop ]; then
  name=$3
  pid=$(cat "$here/container.$name") || exit 1
  kill -TERM "$pid"
  round=0
  while kill -0 "$pid" && [ "$round" -lt 10 ]; do round=$((round + 1)); sleep 0.1; done
  kill -KILL "$pid"
  exit 0
fi
folder=/
set -- "$@" --end--
while :; do
  case $1 in
    --workdir) folder=$2; shift 2 ;;
    --name) echo $$ >"$here/container.$2"; shift 2 ;;
    --env)
      variable=$2
      shift 2
      case $variable in
        *=*) set -- "$@" "$variable" ;;
        *) set -- "$@" "$variable=$(printenv "$variable")" ;;
      esac ;;
    --user|--userns|--mount) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
shift
while [ "$1" != --end-- ]; do
  word=$1
  shift
  set -- "$@" "$word"
done
shift
cd "$folder" || exit 127
exec env -i PATH="$PATH" "$@"
"#;

const KUBECTL: &str = r#"
while [ "$1" != -- ]; do shift; done
shift
exec env -i PATH="$PATH" "$@"
"#;

/// Tells what reached it and waits, as an agent does; a resumed one too. Of its prompt it only knows how to end.
const AGENT: &str = r#"#!/bin/sh
here=$(dirname "$0")
for last; do :; done
case $last in
  'end with 7') exit 7 ;;
  'end of TERM') trap 'echo TERM >>"$here/signals"; kill $!; exit 3' TERM ;;
  'never end') trap '' TERM HUP INT ;;
esac
env >"$here/env"
pwd >"$here/pwd"
printf '%s\0' "$@" >"$here/argv.new"
mv "$here/argv.new" "$here/argv"
while :; do
  sleep 1000 &
  wait $!
done
"#;

/// A variable that is quoted wrongly by whoever does not quote it.
pub(super) const KEY: &str = "k 1'\"$HOME";

/// By every runner.
pub(super) const KINDS: [(&str, &str); 6] = [
    ("ssh", r#"{ ssh = { host = "me@box", folder = "THERE", options = ["-p", "22"] } }"#),
    ("docker", r#"{ docker-run = { image = "node:22" } }"#),
    ("docker", r#"{ docker-exec = { container = "dev", folder = "THERE" } }"#),
    ("podman", r#"{ podman-run = { image = "node:22" } }"#),
    ("podman", r#"{ podman-exec = { container = "dev", folder = "THERE" } }"#),
    ("kubectl", r#"{ kubectl-exec = { pod = "dev-0", folder = "THERE", namespace = "team" } }"#),
];

/// A home with a target `far`, whose agent runs by stand-ins.
pub(super) struct Bench {
    pub(super) home: TestHome,
    pub(super) folder: PathBuf,
}

impl Bench {
    pub(super) fn new(runner: &str) -> Self {
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
            folder.join("agent").to_string_lossy()
        );
        std::fs::write(config.join("agents/recorder.toml"), agent).unwrap();
        let runner = runner.replace("THERE", &there.to_string_lossy());
        let target = format!(
            "[targets.far]\nagent = \"recorder\"\nenv = {{ API_KEY = {KEY:?} }}\nrunner = {runner}\n"
        );
        std::fs::write(config.join("config.toml"), target).unwrap();
        Self { home, folder }
    }

    pub(super) fn run(&self, args: &[&str]) -> Answer {
        let path = std::env::var("PATH").unwrap();
        let mut command = self.home.command(args.iter().copied());
        command.env("PATH", format!("{}:{path}", self.folder.display()));
        command.env("OPERATORS_OWN", "stays here");
        Answer::of(&mut command, args)
    }

    pub(super) fn spawn(&self, prompt: &str) -> String {
        let args = ["spawn", "--chat", "--json", "--target", "far", "--prompt", prompt];
        self.run(&args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok()
    }

    /// What the agent was given, once it runs.
    pub(super) fn argv(&self) -> Vec<String> {
        let text = until("the agent's arguments", || self.read("argv"));
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    pub(super) fn env(&self) -> BTreeMap<String, String> {
        let text = self.read("env").unwrap();
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Calls of the stand-ins.
    pub(super) fn calls(&self) -> Vec<Vec<String>> {
        let text = self.read("calls").unwrap_or_default();
        let calls = text.split_terminator("\n\0");
        calls.map(|call| call.split_terminator('\0').map(str::to_owned).collect()).collect()
    }

    pub(super) fn show(&self, id: &str) -> Value {
        self.run(&["show", id, "--json"]).ok().json()
    }

    /// The name of the container of the first call.
    pub(super) fn container(&self) -> String {
        let call = self.calls().remove(0);
        let at = call.iter().position(|word| word == "--name").unwrap();
        call[at + 1].clone()
    }
}
