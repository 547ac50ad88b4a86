//! Runners (`spec/agents.md` U1): what each engine is called with.

use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::config;

const USER: (u32, u32) = (1000, 100);
const NAME: &str = "callboard-default-shop-1-2-00";

fn runner(text: &str) -> Target {
    let text = format!("[targets.far]\nagent = \"claude\"\nrunner = {text}\n");
    config::parse(Path::new("config.toml"), &text).unwrap().targets["far"].clone()
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The words that start `argv` by the runner of `text`, in a folder that is no worktree.
fn started(text: &str, argv: &[String]) -> Vec<String> {
    let target = runner(text);
    let env = pairs(&[
        ("API_KEY", "k e'y"),
        ("CALLBOARD_GENERATION", "2"),
        ("CALLBOARD_HOME", "/board"),
        ("CALLBOARD_SESSION_ID", "shop-1"),
        ("CALLBOARD_TOKEN", "secret"),
        ("CALLBOARD_WORKSPACE", "default"),
        ("COLORTERM", "truecolor"),
        ("EDITOR", "vi"),
        ("TERM", "xterm-256color"),
    ]);
    let launch = Launching {
        argv,
        env: &env,
        set: &pairs(&[("API_KEY", "k e'y")]),
        folder: Path::new("/no/such/tree"),
        name: NAME,
        user: USER,
    };
    let words = start(&target.runner, program(&target.runner).unwrap(), &launch);
    assert!(
        !words.iter().any(|word| word.contains("secret")),
        "the token is in no argument: {words:?}"
    );
    words
}

/// U1: over ssh everything is quoted for a POSIX shell, in the folder of the target.
#[test]
fn ssh_gets_one_quoted_line_u1() {
    let argv = owned(&["claude", "it's $HOME"]);
    let words = started(
        r#"{ ssh = { host = "me@box", folder = "/srv/a b", options = ["-p", "22"] } }"#,
        &argv,
    );
    assert_eq!(words[..5], ["ssh", "-tt", "-p", "22", "me@box"]);
    assert_eq!(
        words[5],
        "cd '/srv/a b' && exec env 'API_KEY=k e'\\''y' 'CALLBOARD_GENERATION=2' \
         'CALLBOARD_SESSION_ID=shop-1' 'CALLBOARD_WORKSPACE=default' 'COLORTERM=truecolor' \
         'TERM=xterm-256color' claude 'it'\\''s $HOME'"
    );
    assert_eq!(words.len(), 6);
    let words = started(r#"{ ssh = { host = "box", folder = "~/src" } }"#, &argv);
    assert!(words[3].starts_with("cd ./src && exec env "), "{words:?}");
    assert!(
        end(&runner(r#"{ ssh = { host = "box", folder = "~" } }"#).runner, "ssh", NAME, USER)
            .is_empty()
    );
}

const NAMED: &str = "--env API_KEY --env CALLBOARD_GENERATION --env CALLBOARD_HOME --env CALLBOARD_SESSION_ID \
                     --env CALLBOARD_TOKEN --env CALLBOARD_WORKSPACE --env COLORTERM --env TERM";

/// U1: a container of its own has the worktree at the same path, the operator's user, and a name by which it
/// is stopped; its variables are only named.
#[test]
fn a_container_is_run_with_the_worktree_u1() {
    let argv = owned(&["claude", "-p"]);
    let run = "run --interactive --tty --rm --init --name callboard-default-shop-1-2-00 --workdir /no/such/tree \
               --mount type=bind,source=/no/such/tree,target=/no/such/tree";
    for (engine, user) in [("docker", "--user 1000:100"), ("podman", "--userns keep-id")] {
        let text = format!(
            "{{ {engine}-run = {{ image = \"node:22\", options = [\"--network=none\"] }} }}"
        );
        assert_eq!(
            started(&text, &argv).join(" "),
            format!("{engine} {run} {user} {NAMED} --network=none node:22 claude -p")
        );
        let ended = end(&runner(&text).runner, engine, NAME, USER);
        assert_eq!(ended.join(" "), format!("{engine} stop -t 3 {NAME}"));
    }
    assert!(words::podman_user((0, 0)).is_empty(), "root has no namespace to keep its id in");
}

/// U1: in a container that runs, a folder of the target's or the worktree's, and a mark by which a second
/// exec finds what to end.
#[test]
fn a_running_container_is_entered_u1() {
    let argv = owned(&["claude"]);
    let exec = "exec --interactive --tty --workdir";
    let mark = format!("--env CALLBOARD_RUN={NAME}");
    for (text, wanted) in [
        (
            r#"{ docker-exec = { container = "dev" } }"#,
            format!("docker {exec} /no/such/tree --user 1000:100 {NAMED} {mark} dev claude"),
        ),
        (
            r#"{ docker-exec = { container = "dev", folder = "/src" } }"#,
            format!("docker {exec} /src {NAMED} {mark} dev claude"),
        ),
        (
            r#"{ podman-exec = { container = "dev", options = ["--privileged"] } }"#,
            format!("podman {exec} /no/such/tree {NAMED} {mark} --privileged dev claude"),
        ),
    ] {
        assert_eq!(started(text, &argv).join(" "), wanted);
    }
    let text = r#"{ docker-exec = { container = "dev" } }"#;
    let ended = end(&runner(text).runner, "docker", NAME, USER);
    assert_eq!(ended[..7], ["docker", "exec", "--user", "1000:100", "dev", "sh", "-c"]);
    assert_eq!(ended[8..], ["sh", NAME]);
}

/// U1: in a pod a shell goes to the folder, as nothing else can.
#[test]
fn a_pod_is_entered_u1() {
    let text = r#"{ kubectl-exec = { pod = "dev-0", folder = "/src", namespace = "team", container = "main", context = "lab" } }"#;
    let words = started(text, &owned(&["claude", "-p"]));
    let at =
        "kubectl exec --stdin --tty --context lab --namespace team --container main dev-0 -- sh -c";
    assert_eq!(words[..14].join(" "), at);
    assert_eq!(
        words[15..].join(" "),
        format!(
            "sh /src env API_KEY=k e'y CALLBOARD_GENERATION=2 CALLBOARD_SESSION_ID=shop-1 \
             CALLBOARD_WORKSPACE=default COLORTERM=truecolor TERM=xterm-256color CALLBOARD_RUN={NAME} claude -p"
        )
    );
    let ended = end(&runner(text).runner, "kubectl", NAME, USER);
    assert_eq!(ended[..12].join(" "), at.replace("--stdin --tty ", ""));
    assert_eq!(ended[13..], ["sh", NAME]);
}

/// U1: for each runner it is said where it runs and what is missing; nothing for an agent that runs here.
#[test]
fn what_a_runner_means_is_told_u1() {
    assert_eq!(elsewhere(&runner("\"direct\"")), None);
    let ssh = elsewhere(&runner(r#"{ ssh = { host = "box", folder = "~/src" } }"#)).unwrap();
    assert_eq!(ssh.folder, "~/src");
    assert_eq!(ssh.line(), "ssh box, without hooks and process facts");
    let run = elsewhere(&runner(r#"{ podman-run = { image = "node:22" } }"#)).unwrap();
    assert_eq!(run.folder, "the session's folder, at the same path");
    assert!(run.stop.contains("stopped by its name"));
}

/// U1: git in a container needs the repository of its worktree.
#[test]
fn the_repository_of_a_worktree_comes_along_u1() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(repository(folder.path()), None);
    std::fs::write(folder.path().join(".git"), "gitdir: /src/a,b/.git/worktrees/shop-1\n").unwrap();
    assert_eq!(repository(folder.path()), Some("/src/a,b/.git".into()));
    let target = runner(r#"{ docker-run = { image = "node:22" } }"#);
    let argv = owned(&["claude"]);
    let launch = Launching {
        argv: &argv,
        env: &[],
        set: &[],
        folder: folder.path(),
        name: NAME,
        user: USER,
    };
    let words = start(&target.runner, "docker", &launch);
    assert!(
        words.contains(&"type=bind,\"source=/src/a,b/.git\",\"target=/src/a,b/.git\"".to_owned()),
        "{words:?}"
    );
}

/// A prompt, as hostile as it comes.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("'".to_owned()),
        Just("\"".to_owned()),
        Just("$(touch /tmp/no)".to_owned()),
        Just("`id`".to_owned()),
        Just("${HOME}".to_owned()),
        Just("\n".to_owned()),
        Just("\r\t".to_owned()),
        Just("\\".to_owned()),
        Just("; exit 3 #".to_owned()),
        Just("!! ~ * ? [a] {b,c} && || > x < y".to_owned()),
        Just("--".to_owned()),
        "[^\0]{0,12}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// What a program gets from a POSIX shell for `line`, its arguments each ended by NUL.
fn split_by_shell(line: &str) -> Vec<u8> {
    Command::new("sh").args(["-c", line]).env_clear().output().unwrap().stdout
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// U1: a prompt of any text arrives unchanged: as the words that it is, over ssh through a shell.
    #[test]
    fn any_prompt_arrives_unchanged_u1(prompt in hostile(), second in hostile()) {
        let argv = vec!["printf".to_owned(), r"%s\0".to_owned(), prompt, second];
        for kind in [
            r#"{ docker-run = { image = "i" } }"#,
            r#"{ podman-run = { image = "i" } }"#,
            r#"{ docker-exec = { container = "c" } }"#,
            r#"{ podman-exec = { container = "c" } }"#,
            r#"{ kubectl-exec = { pod = "p", folder = "/" } }"#,
        ] {
            prop_assert!(started(kind, &argv).ends_with(&argv));
        }
        let ssh = started(r#"{ ssh = { host = "h", folder = "/" } }"#, &argv);
        let wanted: Vec<u8> = argv[2..].iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
        prop_assert_eq!(split_by_shell(&ssh[3]), wanted);
    }
}
