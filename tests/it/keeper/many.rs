//! Many keepers, and many rounds: what they cost whoever starts them.

use std::path::Path;

use callboard::os::proctree::{self, Process};
use callboard::runtime::client;

use super::support::{BINARY, Bench, QUICK, gone, within};

/// A number from the environment; a small one where none is given.
fn rounds(variable: &str, few: usize) -> usize {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(few)
}

/// What this process has open below `root`, and its children that are keepers of `root`.
fn held(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let files = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    let own = Process::own().unwrap();
    let files = files.filter(|to| to.starts_with(root)).map(|to| to.display().to_string());
    let children = proctree::descendants(own, &std::collections::BTreeSet::new());
    let children = children.into_iter().filter(|child| {
        let log = root.join("log/keeper.log");
        let open = std::fs::read_dir(format!("/proc/{}/fd", child.pid)).into_iter().flatten();
        open.flatten().any(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == log))
    });
    files.chain(children.map(|child| format!("process {}", child.pid))).collect()
}

/// Starting, publishing, talking, stopping, over and over, leaves the starter as it was. By default a few
/// rounds; `CALLBOARD_KEEPER_ROUNDS` says how many.
#[test]
fn rounds_of_starts_and_stops_leave_nothing() {
    // in a process of its own, where descriptors and threads can be counted
    let program = std::env::current_exe().unwrap();
    let ended = std::process::Command::new(program)
        .args(["--exact", "keeper::many::one_process_of_rounds", "--nocapture"])
        .env("CALLBOARD_TEST_ROUNDS", rounds("CALLBOARD_KEEPER_ROUNDS", 24).to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("left nothing"), "{ended:?}");
}

/// Does nothing unless it is run for the rounds.
#[tokio::test]
async fn one_process_of_rounds() {
    let rounds = rounds("CALLBOARD_TEST_ROUNDS", 0);
    let count = |of: &str| std::fs::read_dir(format!("/proc/self/{of}")).unwrap().count();
    let mut before = None;
    for round in 0..rounds {
        let bench = Bench::new();
        let script = if round % 3 == 0 { "exit 3" } else { "exec cat" };
        let spec = bench.script(script);
        if round % 4 == 1 {
            let launching = bench.start(&spec).await;
            let keeper = Process::of(launching.ready().keeper_pid).unwrap();
            within(launching.abandon()).await.unwrap();
            bench.left_nothing(&[keeper]).await;
        } else if round % 4 == 2 {
            let spec = bench.spec(&["no-such-program"]);
            within(client::start(&spec, Path::new(BINARY))).await.unwrap_err();
            bench.left_nothing(&[]).await;
        } else {
            let (mut keeper, process, agent) = bench.run(&spec).await;
            within(keeper.stop(None, QUICK)).await.unwrap();
            drop(keeper);
            gone(process).await;
            bench.left_nothing(&[process, agent]).await;
        }
        assert_eq!(held(&bench.path("")), [""; 0]);
        // the first ones start what the event loop keeps
        if round == 3 {
            before = Some((count("fd"), count("task")));
        }
    }
    if let Some((descriptors, threads)) = before {
        super::support::until(async || count("fd") <= descriptors && count("task") <= threads)
            .await;
        super::support::until(async || {
            proctree::descendants(Process::own().unwrap(), &std::collections::BTreeSet::new())
                .is_empty()
        })
        .await;
        println!("left nothing");
    }
}
