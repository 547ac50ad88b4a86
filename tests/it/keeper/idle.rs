//! What an idle keeper does: nothing (`spec/runtime.md` X6).

use callboard::domain::lifecycle::State;
use callboard::os::proctree::Process;

use super::support::{Bench, QUICK, shows, until, within};

/// How long a thread of a process still waits for a time to come: the arguments of its system call
/// show one. Empty where every thread waits for events alone.
fn timed(process: Process) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.pid)).unwrap();
    let calls = tasks.map(|task| {
        let path = task.unwrap().path();
        let call = std::fs::read_to_string(path.join("syscall")).unwrap_or_default();
        let name = std::fs::read_to_string(path.join("comm")).unwrap_or_default();
        format!("{} {}", name.trim(), call.trim())
    });
    calls.filter(|call| !waits_for_events(call)).collect()
}

/// A wait in a system call that has no end of its own: number and arguments as `/proc` shows them.
fn waits_for_events(call: &str) -> bool {
    let words: Vec<&str> = call.split(' ').collect();
    let [_, number, arguments @ ..] = &words[..] else { return false };
    let argument = |at: usize| arguments.get(at).copied().unwrap_or("");
    match *number {
        // epoll_wait, its fourth argument is the time: -1
        "232" => argument(3).ends_with("ffffffff"),
        // futex, its fourth argument is where the time stands
        "202" => argument(3) == "0x0",
        // wait4 and waitid have none
        "61" | "247" => true,
        _ => false,
    }
}

/// The files that a process holds open.
fn opens(process: Process) -> Vec<String> {
    let files = std::fs::read_dir(format!("/proc/{}/fd", process.pid)).unwrap();
    let paths = files.map(|file| std::fs::read_link(file.unwrap().path()).unwrap_or_default());
    paths.map(|path| path.to_string_lossy().into_owned()).collect()
}

/// X6: no timers when idle, and no wake-ups: every thread of an idle keeper comes to wait for events
/// alone.
#[tokio::test]
async fn an_idle_keeper_waits_for_events_alone() {
    if std::fs::read_to_string("/proc/self/syscall").is_err() {
        eprintln!("SKIPPED: this system does not show what a process waits for");
        return;
    }
    let bench = Bench::new();
    // one that writes, and one that closed its terminal
    for script in
        ["echo up; exec cat", "echo up; exec tail -f /dev/null </dev/null >/dev/null 2>&1"]
    {
        let (store, id) = super::facts::store(&bench).await;
        let spec = bench.script(script);
        let launching = bench.start(&spec).await;
        let ready = launching.ready();
        let (process, agent) =
            (Process::of(ready.keeper_pid).unwrap(), Process::of(ready.pid).unwrap());
        store.initialise(&id, &super::facts::launch(process.pid, agent.pid)).await.unwrap();
        within(launching.publish()).await.unwrap();
        store.publish(&id, 1).await.unwrap();
        let mut keeper =
            within(callboard::runtime::client::Keeper::connect(&bench.socket())).await.unwrap();
        shows(&mut keeper, "up").await;
        drop(keeper);
        until(async || timed(process).is_empty()).await;
        let threads = std::fs::read_dir(format!("/proc/{}/task", process.pid)).unwrap();
        assert!(threads.count() >= 4, "what waits is a whole keeper");
        assert!(
            !opens(process).iter().any(|path| path.contains("callboard.db")),
            "the store is put away"
        );
        let mut keeper =
            within(callboard::runtime::client::Keeper::connect(&bench.socket())).await.unwrap();
        within(keeper.stop(None, QUICK)).await.unwrap();
        bench.left_nothing(&[process, agent]).await;
        let stored = store.session(&id).await.unwrap().unwrap();
        assert_eq!(stored.condition.lifecycle.state, State::Terminated, "the last facts arrive");
        drop(store);
        std::fs::remove_dir_all(bench.path("data")).unwrap();
    }
}

/// The terminals and sockets of a process whose room for more is watched: it is woken each time that
/// the other end has read.
fn watched_for_room(process: Process) -> Vec<String> {
    let folder = format!("/proc/{}", process.pid);
    let opens = |fd: &str| std::fs::read_link(format!("{folder}/fd/{fd}")).unwrap_or_default();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(format!("{folder}/fdinfo")).unwrap() {
        let info = std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
        for line in info.lines().filter_map(|line| line.strip_prefix("tfd:")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let events = u32::from_str_radix(words[2], 16).unwrap();
            // EPOLLOUT
            if events & 4 != 0 {
                found.push(opens(words[0]).to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// Figures: a key and its echo wake the keeper once each, not again when they have been read.
#[tokio::test]
async fn who_reads_does_not_wake_a_keeper() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("echo up; exec cat")).await;
    shows(&mut keeper, "up").await;
    let before = watched_for_room(process);
    let viewer =
        within(callboard::runtime::client::Keeper::connect(&bench.socket())).await.unwrap();
    let (mut feed, mut typist) = viewer.subscribe_screen(0).await.unwrap();
    within(feed.next()).await;
    typist.bytes(b"key").await.unwrap();
    shows(&mut keeper, "key").await;
    assert_eq!(watched_for_room(process), before);
    assert!(before.iter().all(|watched| !watched.contains("pt")), "{before:?}");
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}
