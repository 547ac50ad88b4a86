//! What a keeper and its agent have of whoever started them: nothing but what was given.

use std::os::fd::AsRawFd;

use callboard::os::proctree::Process;
use callboard::runtime::client::Keeper;

use super::support::{BINARY, Bench, QUICK, shows, within};

/// Open descriptors above the standard streams, and where they go.
fn descriptors(process: Process) -> Vec<String> {
    let entries = std::fs::read_dir(format!("/proc/{}/fd", process.pid)).unwrap();
    entries
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let number: u32 = path.file_name()?.to_str()?.parse().ok()?;
            let to = std::fs::read_link(&path).ok()?;
            (number > 2).then(|| format!("{number} {}", to.display()))
        })
        .collect()
}

/// A line of `/proc/PID/status`.
fn status(process: Process, name: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"));
    line.unwrap().to_owned()
}

/// X1: a keeper holds nothing that its starter had open, and its agent nothing of either; signals are as
/// a program expects them, even under `nohup`.
#[tokio::test]
async fn nothing_is_inherited_but_what_was_given() {
    let bench = Bench::new();
    let spec = bench.script("echo here; exec cat");
    let json = serde_json::to_string(&spec).unwrap();
    let held = bench.path("held");
    let file = std::fs::File::create(&held).unwrap();
    let creator = "trap '' HUP PIPE QUIT; mkfifo in out && { \"$0\" keeper <in >out 8>&7 & } && exec 3>in 4<out \
        && printf '%s\\n' \"$1\" >&3 && read -r ready <&4 && echo publish >&3 \
        && read -r published <&4";
    // without the flag that closes it in the shell
    let creator =
        format!("exec 7<>/proc/{}/fd/{}; {creator}", std::process::id(), file.as_raw_fd());
    let mut child = tokio::process::Command::new("/bin/sh")
        .args(["-c", &creator, BINARY, &json])
        .current_dir(bench.path(""))
        .spawn()
        .unwrap();
    assert!(within(child.wait()).await.unwrap().success());
    let mut keeper = within(Keeper::connect(&bench.socket())).await.unwrap();
    shows(&mut keeper, "here").await;
    let facts = keeper.status().await.unwrap().facts;
    let (process, agent) =
        (Process::of(facts.keeper_pid).unwrap(), Process::of(facts.pid).unwrap());
    let open = descriptors(process);
    let given = |to: &String| !to.contains("/held") && !to.contains("/in") && !to.contains("/out");
    assert!(open.iter().all(given), "{open:?}");
    assert_eq!(descriptors(agent), [""; 0]);
    for streams in [0, 1, 2] {
        let to = std::fs::read_link(format!("/proc/{}/fd/{streams}", agent.pid)).unwrap();
        assert!(to.starts_with("/dev/pts"), "{to:?}");
    }
    for signals in ["SigIgn", "SigBlk"] {
        // beyond 31 are those of the C library
        let set = u64::from_str_radix(&status(agent, signals), 16).unwrap();
        assert_eq!(set & 0x7fff_ffff, 0, "{signals}");
    }
    assert_eq!(status(process, "Name"), "callboard");
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X1, X3: keeper and agent are each leader of a session; a keeper has no controlling terminal.
#[tokio::test]
async fn keeper_and_agent_have_sessions_of_their_own() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("echo up; exec cat")).await;
    shows(&mut keeper, "up").await;
    for (of, has_terminal) in [(process, false), (agent, true)] {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", of.pid)).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_ascii_whitespace().collect();
        // state, parent, group, session, terminal
        assert_eq!((fields[2], fields[3]), (&*of.pid.to_string(), &*of.pid.to_string()));
        assert_eq!(fields[4] != "0", has_terminal, "{stat}");
    }
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}
