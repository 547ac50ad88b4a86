//! Agents that run elsewhere (`spec/agents.md` U1), with stand-ins of the engines that run the command here,
//! as the real ones do there.

mod bench;

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use self::bench::{Bench, KEY, KINDS};
use crate::support::{Answer, until};

const HOSTILE: &str = "-it's \"$(touch /tmp/callboard-no)\" `id` ${HOME}\n\\ ; exit 3 # && || *?[a]{b,c} ~ größer 🦀 --";

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

/// Tries something by every runner, side by side.
fn by_every_runner(trial: fn(&str, &str)) {
    std::thread::scope(|scope| {
        for (engine, runner) in KINDS {
            scope.spawn(move || trial(engine, runner));
        }
    });
}

/// U1: by every runner a hostile prompt arrives as it is, with the session's variables and the target's, in
/// the right folder; no value of the token is in any argument; a stop leaves nothing; a restore resumes.
#[cfg(target_os = "linux")]
#[test]
fn a_hostile_prompt_arrives_and_nothing_stays_u1() {
    by_every_runner(|engine, runner| {
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
        assert_eq!((env["API_KEY"].as_str(), env["COLORTERM"].as_str()), (KEY, "truecolor"));
        assert_eq!(env["TERM"], "xterm-256color");
        let mut wanted = vec!["API_KEY", "CALLBOARD_GENERATION"];
        let container = engine == "docker" || engine == "podman";
        wanted.extend(container.then_some("CALLBOARD_HOME"));
        wanted.extend((runner.contains("exec")).then_some("CALLBOARD_RUN"));
        wanted.push("CALLBOARD_SESSION_ID");
        wanted.extend(container.then_some("CALLBOARD_TOKEN"));
        wanted.extend(["CALLBOARD_WORKSPACE", "COLORTERM", "TERM"]);
        // The others are of the place itself.
        let mut got: Vec<&str> = env.keys().map(String::as_str).collect();
        got.retain(|name| !["HOME", "OLDPWD", "PATH", "PWD", "SHLVL", "_"].contains(name));
        assert_eq!(got, wanted, "{runner}");
        let pwd = bench.read("pwd").unwrap();
        let folder = bench.show(&id)["folder"].as_str().unwrap().to_owned();
        let there = if runner.contains("THERE") { "there it's" } else { folder.as_str() };
        assert!(pwd.trim_end().ends_with(there), "{runner}: {pwd}");
        if let Some(token) = env.get("CALLBOARD_TOKEN") {
            let told = bench.calls().concat();
            assert!(!told.iter().any(|word| word.contains(token.as_str())), "{runner}");
        }
        assert_eq!(bench.calls()[0][0], engine);
        assert!(bench.run(&["show", &id]).ok().stdout.contains(", without hooks"), "{runner}");

        bench.run(&["stop", &id, "--yes"]).ok();
        assert_eq!(bench.show(&id)["alive"], false, "{runner}");

        std::fs::remove_file(bench.folder.join("argv")).unwrap();
        bench.run(&["restore", &id, "--launch"]).ok();
        assert_eq!(bench.argv()[..2], ["--resume".to_owned(), conversation], "{runner}");
        bench.run(&["stop", &id, "--yes"]).ok();
        bench.home.finish();
    });
}

/// U1: a stop ends what the client here cannot reach: a container by its name, marked processes by a second
/// exec.
#[cfg(target_os = "linux")]
#[test]
fn a_stop_reaches_what_is_elsewhere_u1() {
    let bench = Bench::new(r#"{ podman-run = { image = "node:22" } }"#);
    let id = bench.spawn("go");
    bench.argv();
    let wanted = ["podman", "stop", "-t", "3", &bench.container()].map(str::to_owned);
    bench.run(&["stop", &id, "--yes"]).ok();
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

/// U1: an agent's exit status comes through every runner; one that follows TERM gets it, and one that follows
/// nothing is ended all the same, by stop and by kill.
#[cfg(target_os = "linux")]
#[test]
fn ends_come_through_every_runner_u1() {
    by_every_runner(|_, runner| {
        let bench = Bench::new(runner);
        let id = bench.spawn("end with 7");
        bench.run(&["wait", &id, "--for", "exit", "--timeout", "20s"]).ok();
        assert_eq!(bench.show(&id)["runtime"]["exit_code"], 7, "{runner}");

        let id = bench.spawn("end of TERM");
        bench.argv();
        bench.run(&["stop", &id, "--yes"]).ok();
        assert_eq!(bench.read("signals").as_deref(), Some("TERM\n"), "{runner}");
        assert_eq!(bench.show(&id)["runtime"]["exit_code"], 3, "{runner}");

        std::fs::remove_file(bench.folder.join("argv")).unwrap();
        let id = bench.spawn("never end");
        bench.argv();
        let killed = bench.run(&["kill", &id, "--yes", "--json"]).ok().json();
        assert_eq!(killed["results"][0]["stopped"], true, "{runner}");
        assert_eq!(bench.show(&id)["runtime"]["signal"], 9, "{runner}");
        bench.home.finish();
    });
}

/// U1: what a killed keeper left elsewhere is ended when its session is closed or launched again.
#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_keeper_left_is_ended_u1() {
    for verb in ["delete", "kill", "stop"] {
        let bench = Bench::new(r#"{ docker-run = { image = "node:22" } }"#);
        let id = bench.spawn("go");
        bench.argv();
        let keeper = bench.show(&id)["runtime"]["keeper_pid"].to_string();
        assert!(Command::new("kill").args(["-KILL", &keeper]).status().unwrap().success());
        let wanted = ["docker", "stop", "-t", "3", &bench.container()].map(str::to_owned);
        bench.run(&[verb, &id, "--yes"]).ok();
        assert!(bench.calls().contains(&wanted.to_vec()), "{verb}: {:?}", bench.calls());
        if verb == "stop" {
            // A launch does not trust that it did.
            bench.run(&["restore", &id, "--launch"]).ok();
            assert_eq!(bench.calls().iter().filter(|call| **call == wanted).count(), 2);
        }
        // It takes away the socket.
        bench.run(&["recover"]).ok();
        bench.home.finish();
    }
}

/// U1: a shell elsewhere is not called idle for what runs here.
#[cfg(target_os = "linux")]
#[test]
fn processes_here_tell_nothing_of_a_shell_there_u1() {
    let bench = Bench::new(r#"{ ssh = { host = "box", folder = "~" } }"#);
    let config = bench.home.path().join("config/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("\"recorder\"", "\"shell\"")).unwrap();
    let spawned = bench.run(&["spawn", "--chat", "--json", "--target", "far"]).ok().json();
    let id = spawned["id"].as_str().unwrap();
    bench.run(&["send", id, "echo there: $((40 + 2))"]).ok();
    bench.home.wait_screen(id, "there: 42");
    assert_eq!(bench.show(id)["activity"], "unknown");
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
    assert_eq!(far["found"], true);
    assert_eq!(far["elsewhere"]["place"], "ssh box");
    assert_eq!(far["elsewhere"]["missing"], serde_json::json!(["hooks", "process facts"]));
    let unknown = bench.run(&["spawn", "--chat", "--target", "fra"]);
    assert!(unknown.stderr.contains("targets are far"), "{}", unknown.stderr);

    let without_ssh = bench.home.command(["doctor", "--json"]).env("PATH", "/nowhere").output();
    let checks: Value = serde_json::from_slice(&without_ssh.unwrap().stdout).unwrap();
    let mut checks = checks["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["name"] == "target: far").unwrap();
    assert_eq!(check["ok"], false);
    assert!(check["detail"].as_str().unwrap().contains("\"ssh\""), "{check}");
    let doctor = bench.run(&["doctor"]).stdout;
    assert!(
        doctor.contains("target: far: recorder, ssh box, without hooks and process facts"),
        "{doctor}"
    );
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
