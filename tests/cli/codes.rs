//! Exit codes (`spec/cli.md`, exit codes): a line for each way in which a command can end.

use std::process::Stdio;

use crate::support::{TestHome, until};

/// Situation, command line, exit code, kind of the error; no kind where a report says it.
type Case = (&'static str, &'static str, i32, Option<&'static str>);

const CASES: &[Case] = &[
    ("a query", "list", 0, None),
    ("no session", "list --status merged", 0, None),
    ("what is to be done is done", "delete gone-1 --yes", 0, None),
    ("unknown ids of delete", "delete no-1 no-2 --yes", 0, None),
    ("unknown ids of kill", "kill no-1 no-2 --yes", 0, None),
    ("delete in a dry run", "delete no-1 --dry-run", 0, None),
    ("nothing to purge", "purge --older-than 9d --yes", 0, None),
    ("nothing to clean up", "cleanup --project shop", 0, None),
    ("nothing left half done", "recover", 0, None),
    ("seen twice", "seen idle-1", 0, None),
    ("the last event", "events --limit 1", 0, None),
    (
        "a prompt that is not there",
        "spawn --chat --agent command --prompt-file no/file -- true",
        1,
        Some("failed"),
    ),
    ("an unknown command", "nonsense", 2, Some("usage")),
    ("an unknown option", "list --nonsense", 2, Some("usage")),
    ("an unknown value", "list --zone nowhere", 2, Some("usage")),
    ("a number that is none", "list --limit x", 2, Some("usage")),
    ("an illegal id", "show Not/Legal", 2, Some("usage")),
    ("an illegal workspace", "list --workspace Not/Legal", 2, Some("usage")),
    ("no session named", "delete --yes", 2, Some("usage")),
    ("a key that is none", "keys idle-1 NoSuchKey", 2, Some("usage")),
    ("ids and text from one input", "send - -", 2, Some("usage")),
    ("filters that exclude each other", "list --dirty --clean", 2, Some("usage")),
    ("history as JSON", "log idle-1", 2, Some("usage")),
    ("a recording as JSON", "log idle-1 --cast -", 2, Some("usage")),
    ("an unknown output", "schema nonsense", 2, Some("usage")),
    ("a place that is none", "restore gone-1 gone-2 --to /tmp/x", 2, Some("usage")),
    ("show", "show no-1", 3, Some("not_found")),
    ("screen", "screen no-1", 3, Some("not_found")),
    ("keys", "keys no-1 Enter", 3, Some("not_found")),
    ("attach", "attach no-1", 3, Some("not_found")),
    ("messages", "messages no-1", 3, Some("not_found")),
    ("events", "events no-1", 3, Some("not_found")),
    ("wait", "wait no-1 --for idle", 3, Some("not_found")),
    ("pin, all or nothing", "pin idle-1 no-1", 3, Some("not_found")),
    ("unpin", "unpin no-1", 3, Some("not_found")),
    ("seen", "seen no-1", 3, Some("not_found")),
    ("rename", "rename no-1 Title", 3, Some("not_found")),
    ("restore", "restore no-1", 3, Some("not_found")),
    ("restore of a batch", "restore --batch nothing", 3, Some("not_found")),
    ("send", "send no-1 text", 3, None),
    ("stop", "stop no-1 --yes", 3, None),
    ("purge", "purge no-1 --yes", 3, None),
    ("a project to remove", "project remove nobody", 3, Some("not_found")),
    ("a project to move", "project move nobody 0", 3, Some("not_found")),
    ("a project to clean up", "cleanup --project nobody", 3, Some("not_found")),
    ("a project to filter by", "list --project nobody", 3, Some("not_found")),
    ("a project to delete in", "delete --project nobody --yes", 3, Some("not_found")),
    (
        "a project to spawn in",
        "spawn --project nobody --agent command -- true",
        3,
        Some("not_found"),
    ),
    ("a parent", "spawn --chat --parent no-1 --agent command -- true", 3, Some("not_found")),
    ("an agent", "spawn --chat --agent nobody", 3, Some("not_found")),
    ("an operation", "ops show nothing", 3, Some("not_found")),
    ("an operation to resume", "ops resume nothing", 3, Some("not_found")),
    ("an operation to undo", "ops undo nothing", 3, Some("not_found")),
    ("an operation to abandon", "ops abandon nothing", 3, Some("not_found")),
    ("nobody to ask", "delete idle-1", 4, Some("refused")),
    ("nobody to ask of clear", "clear", 4, Some("refused")),
    ("what runs is not restored", "restore idle-1", 4, Some("refused")),
    ("an id in the trash", "spawn --chat --id gone-1 --agent command -- true", 4, Some("refused")),
    (
        "another session's id",
        "spawn --chat --id idle-1 --agent command -- true",
        4,
        Some("refused"),
    ),
    ("a question is shown", "send asks-1 text", 4, None),
    ("no screen of what ended", "screen stopped-1", 4, Some("refused")),
    ("no keys for what ended", "keys stopped-1 Enter", 4, Some("refused")),
    ("no text for what ended", "send stopped-1 text", 4, None),
    ("no attach to what ended", "attach stopped-1", 4, Some("refused")),
    ("the end comes first", "wait ended-1 --for idle", 4, Some("refused")),
    ("a deleted one never gets there", "wait gone-1 --for idle", 4, Some("refused")),
    ("what is not in the trash", "purge idle-1 --yes", 4, None),
    ("a folder that is not there", "project add no/such/folder", 4, Some("refused")),
    ("send to one of two", "send idle-1 no-1 text", 5, None),
    ("stop of one of two", "stop extra-1 no-1 --yes", 5, None),
    ("restore of one of two", "restore gone-1 idle-1", 5, None),
    ("purge of one of two", "purge gone-2 no-1 --yes", 5, None),
    ("wait", "wait idle-1 --for needs_input --timeout 50ms", 6, Some("timed_out")),
    ("send and wait", "send idle-1 x --wait needs_input --timeout 50ms", 6, Some("timed_out")),
];

#[test]
fn every_way_to_end_has_its_code() {
    let home = TestHome::new();
    home.project("shop");
    for (id, script) in [
        ("idle-1", "print ready;forever;prompt;end"),
        ("extra-1", "print ready;wait"),
        ("ended-1", "exit 3"),
        ("stopped-1", "print ready;wait"),
        ("asks-1", "ask permission Run it? | Yes | No;wait"),
        ("gone-1", "wait"),
        ("gone-2", "wait"),
    ] {
        home.spawn(["--chat", "--id", id], script);
    }
    home.wait("idle-1", "idle");
    home.wait("asks-1", "needs_input");
    home.wait("ended-1", "exit");
    home.run(["stop", "stopped-1", "--yes"]).ok();
    for id in ["gone-1", "gone-2"] {
        home.run(["delete", id, "--yes"]).ok();
    }
    for (situation, line, code, kind) in CASES {
        // What follows two dashes belongs to the agent.
        let (own, program) = line.split_once(" -- ").unwrap_or((line, ""));
        let mut args: Vec<&str> = own.split(' ').chain(["--json"]).collect();
        if !program.is_empty() {
            args.extend(["--", program]);
        }
        let answer = home.run(args);
        let said = format!("{situation}: {line}\n{}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.code, *code, "{said}");
        match kind {
            Some(kind) => {
                assert!(answer.stdout.is_empty(), "{said}");
                assert_eq!(answer.error()["kind"], *kind, "{said}");
            }
            None => assert!(answer.json().is_object(), "{said}"),
        }
    }
    home.finish();
}

/// Wrong configuration is wrong use, for every command that reads it.
#[test]
fn a_wrong_configuration_ends_with_2() {
    let home = TestHome::new();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "nonsense = 1\n").unwrap();
    for line in ["list", "config", "agents list", "spawn --chat -- true", "recover", "show a-1"] {
        let (own, program) = line.split_once(" -- ").unwrap_or((line, ""));
        let args = own.split(' ').chain(
            ["--json", "--", program].into_iter().take(if program.is_empty() { 1 } else { 3 }),
        );
        assert_eq!(home.run(args).code(2).error()["kind"], "usage", "{line}");
    }
    for line in ["schema", "man", "completions bash", "--version", "--help"] {
        home.run(line.split(' ')).ok();
    }
    home.finish();
}

/// D6: a session that does not end leaves the plan, and the rest is done.
#[test]
fn what_does_not_end_is_partly_done() {
    let home = TestHome::new();
    let (stays, goes) = (home.scripted("wait"), home.scripted("wait"));
    let pid = home.show(&stays)["runtime"]["keeper_pid"].as_i64().unwrap();
    let keeper = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    // A keeper that is stopped answers nobody, and its agent is not ended.
    rustix::process::kill_process(keeper, rustix::process::Signal::STOP).unwrap();
    let answer = home.run(["delete", &stays, &goes, "--yes", "--json"]);
    rustix::process::kill_process(keeper, rustix::process::Signal::CONT).unwrap();
    let report = answer.code(5).json();
    assert_eq!(report["removed_session_ids"], serde_json::json!([goes]));
    let reason = report["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("did_not_end"), "{report}");
    home.finish();
}

/// A reader that leaves early is no failure, whatever prints.
#[test]
fn a_closed_pipe_is_a_success_for_every_command() {
    let home = TestHome::new();
    home.project("shop");
    let id = home.scripted("print ready;forever;prompt;end");
    home.wait(&id, "idle");
    let ended = home.scripted("exit 0");
    home.wait(&ended, "exit");
    let lines = [
        "list",
        "list --json",
        "sections",
        "show ID",
        "show ID --json",
        "screen ID",
        "screen ID --ansi",
        "messages ID",
        "events",
        "ops",
        "recover",
        "agents list",
        "config",
        "schema",
        "man",
        "completions bash",
        "project list",
        "wait ID --for idle",
        "pin ID",
        "unpin ID",
        "seen ID",
        "rename ID Title",
        "send ID text",
        "keys ID x",
        "stop no-1 --dry-run",
        "delete ID --dry-run",
        "clear --dry-run",
        "cleanup --dry-run",
        "purge --all --dry-run",
        "restore --last --dry-run",
        "kill no-1 --yes",
        "cleanup",
        "--help",
        "--version",
        "spawn --help",
        "spawn --chat --agent command -- true",
    ];
    for line in lines {
        let line = line.replace("ID", &id);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.command(line.split(' ')).stdout(writer).stderr(Stdio::piped()).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{line}: {said}");
        assert!(said.is_empty(), "{line}: {said}");
    }
    home.finish();
}

/// Ctrl-C and the request to end give 130 wherever a command waits.
#[test]
fn an_interrupted_command_ends_with_130() {
    let home = TestHome::new();
    let id = home.scripted("print ready;forever;prompt;sleep 60;end");
    home.wait(&id, "idle");
    for (line, signal) in [
        (format!("wait {id} --for stuck --json"), rustix::process::Signal::INT),
        (format!("wait {id} --for stuck --json"), rustix::process::Signal::TERM),
        (format!("send {id} hello --wait stuck --json"), rustix::process::Signal::INT),
    ] {
        let mut command = home.command(line.split(' '));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        until("the command to listen to signals", || catches(pid, signal).then_some(()));
        rustix::process::kill_process(pid, signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{line} {output:?}");
        // A text that was not sent by then is in the report.
        if output.stdout.is_empty() {
            let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
            assert_eq!(error["error"]["kind"], "interrupted");
        }
    }
    home.finish();
}

/// Whether a process has a handler for a signal.
fn catches(pid: rustix::process::Pid, signal: rustix::process::Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero()));
    let status = status.unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.unwrap_or("0").trim(), 16).unwrap();
    caught & (1 << (signal.as_raw() - 1)) != 0
}
