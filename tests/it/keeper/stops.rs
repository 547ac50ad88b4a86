use callboard::domain::agent::StopWay;
use callboard::os::proctree::Process;
use callboard::os::signals::{self, Signal};
use callboard::runtime::client::Keeper;
use callboard::runtime::launch::LaunchSpec;
use callboard::runtime::wire::message::StopPace;

use super::support::{BINARY, Bench, QUICK, gone, shows, until, within};

/// X3, X4: an agent that obeys TERM is not killed; the answer has its exit.
#[tokio::test]
async fn an_agent_that_obeys_ends_without_escalation() {
    let bench = Bench::new();
    let (mut keeper, process, agent) =
        bench.run(&bench.script("trap 'exit 7' TERM; echo up; while :; do read _; done")).await;
    shows(&mut keeper, "up").await;
    let stopped = within(keeper.stop(Some(1), QUICK)).await.unwrap();
    assert!(stopped.ended && !stopped.escalated, "{stopped:?}");
    assert_eq!(stopped.exit.unwrap().code, Some(7));
    assert!(!bench.socket().exists(), "the socket goes before the answer");
    bench.left_nothing(&[process, agent]).await;
}

/// X3: the signal of the agent's definition comes before TERM.
#[tokio::test]
async fn the_polite_way_comes_first() {
    let bench = Bench::new();
    let way = StopWay { signal: Some("HUP".to_owned()), ..StopWay::default() };
    let script = "trap 'exit 5' HUP; echo up; while :; do read _; done";
    let spec = LaunchSpec { stop: way, ..bench.script(script) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    shows(&mut keeper, "up").await;
    let pace = StopPace { term_ms: 10_000, kill_ms: 11_000, give_up_ms: 12_000 };
    let stopped = within(keeper.stop(None, pace)).await.unwrap();
    assert!(!stopped.escalated);
    assert_eq!(stopped.exit.unwrap().code, Some(5));
    bench.left_nothing(&[process, agent]).await;
}

/// X3: so do its keys.
#[tokio::test]
async fn keys_can_be_the_polite_way() {
    let bench = Bench::new();
    let way = StopWay { keys: vec!["C-d".to_owned()], ..StopWay::default() };
    let spec = LaunchSpec { stop: way, ..bench.script("echo up; cat; exit 4") };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    shows(&mut keeper, "up").await;
    let pace = StopPace { term_ms: 10_000, kill_ms: 11_000, give_up_ms: 12_000 };
    let stopped = within(keeper.stop(None, pace)).await.unwrap();
    assert!(!stopped.escalated);
    assert_eq!(stopped.exit.unwrap().code, Some(4));
    bench.left_nothing(&[process, agent]).await;
}

/// X3: what ignores TERM and HUP is killed, daemonised grandchildren are found.
#[tokio::test]
async fn nothing_of_a_stubborn_tree_is_left() {
    let bench = Bench::new();
    // one that ignores what it is asked by, one in a session of its own, and a daemon that was forked twice
    let script = "trap '' TERM HUP; \
        setsid sh -c 'trap \"\" TERM HUP; echo $$ > session; while :; do sleep 1000; done' & \
        (setsid sh -c 'echo $$ > daemon; exec tail -f /dev/null' & ) ; \
        echo up; while :; do sleep 1000; done";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "up").await;
    let session = bench.pid_in("session").await;
    let daemon = bench.pid_in("daemon").await;
    let stopped = within(keeper.stop(None, QUICK)).await.unwrap();
    assert!(stopped.ended && stopped.escalated, "{stopped:?}");
    assert_eq!(stopped.exit.unwrap().signal, Some(9));
    bench.left_nothing(&[process, agent, session, daemon]).await;
}

/// X3: what is given to the keeper when it ends is reaped.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn zombies_are_reaped() {
    let bench = Bench::new();
    // orphans that end, each a child of the keeper by then
    let script = "for n in 1 2 3 4 5 6 7 8; do (setsid true &); done; echo up; exec cat";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "up").await;
    until(async || children(process.pid) == [agent.pid]).await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// The children of a process, zombies too.
#[cfg(target_os = "linux")]
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().map(Result::unwrap);
    let lists = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap());
    lists.flat_map(|list| numbers(&list)).collect()
}

#[cfg(target_os = "linux")]
fn numbers(list: &str) -> Vec<u32> {
    list.split_ascii_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// X3, X4: what is left below an agent that ended goes with its keeper.
#[tokio::test]
async fn what_an_obedient_agent_leaves_behind_is_ended_too() {
    let bench = Bench::new();
    let script = "setsid sh -c 'echo $$ > below; exec tail -f /dev/null' & echo up; read _";
    let (mut keeper, process, agent) =
        bench.run(&LaunchSpec { linger_ms: 50, ..bench.script(script) }).await;
    let below = bench.pid_in("below").await;
    shows(&mut keeper, "up").await;
    keeper.send(1, callboard::runtime::client::Input::Text("\r".to_owned()), None).await.unwrap();
    gone(agent).await;
    bench.left_nothing(&[process, agent, below]).await;
}

/// Wire protocol: a stop is for the launch that it names.
#[tokio::test]
async fn a_stop_of_another_launch_is_refused() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exec cat")).await;
    assert!(keeper.stop(Some(2), QUICK).await.is_err());
    assert!(agent.is_alive());
    within(keeper.stop(Some(1), QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X3: a walk stops at other keepers and leaves alone what is below them.
#[tokio::test]
async fn a_keeper_below_another_survives_the_stop_of_the_outer_one() {
    let bench = Bench::new();
    let inner = Bench::new();
    // same runtime folder, as in one installation; started from inside the outer session and left
    let mut spec = inner.script("exec cat");
    spec.socket = bench.path("run/shop-2.sock");
    spec.session = "shop-2".parse().unwrap();
    std::fs::write(bench.path("inner.json"), serde_json::to_string(&spec).unwrap()).unwrap();
    let starter = "mkfifo in out && { \"$0\" keeper <in >out & } && exec 3>in 4<out \
        && cat inner.json >&3 && echo >&3 && read -r ready <&4 && echo publish >&3 \
        && read -r published <&4";
    std::fs::write(bench.path("starter"), starter).unwrap();
    let outer = bench.spec(&[
        "/bin/sh",
        "-c",
        "sh -c \"$(cat starter)\" \"$0\"; echo started; exec cat",
        BINARY,
    ]);
    let (mut outer, outer_process, outer_agent) = bench.run(&outer).await;
    shows(&mut outer, "started").await;
    let mut nested = within(Keeper::connect(&spec.socket)).await.unwrap();
    let facts = nested.status().await.unwrap().facts;
    let nested_process = Process::of(facts.keeper_pid).unwrap();
    let nested_agent = Process::of(facts.pid).unwrap();
    assert!(callboard::os::proctree::is_below(nested_process, outer_process));
    let stopped = within(outer.stop(None, QUICK)).await.unwrap();
    assert!(stopped.ended && !stopped.escalated, "{stopped:?}");
    gone(outer_process).await;
    gone(outer_agent).await;
    assert!(nested_process.is_alive() && nested_agent.is_alive());
    within(nested.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[nested_process, nested_agent]).await;
    inner.left_nothing(&[]).await;
}

/// X1, X3: a hang-up does nothing to a keeper, TERM ends its whole tree.
#[tokio::test]
async fn a_keeper_that_is_asked_to_end_ends_its_agent_first() {
    let bench = Bench::new();
    let script = "setsid sh -c 'echo $$ > below; exec tail -f /dev/null' & exec cat";
    let (_, process, agent) = bench.run(&bench.script(script)).await;
    let below = bench.pid_in("below").await;
    // a hang-up is no such request
    assert!(signals::send(process, Signal::HUP).unwrap());
    assert!(signals::send(process, Signal::TERM).unwrap());
    bench.left_nothing(&[process, agent, below]).await;
}

/// X3: descendants are looked for again until there is none.
#[tokio::test]
async fn a_tree_that_grows_while_it_is_ended_does_not_outrun_the_end() {
    let bench = Bench::new();
    let script = "trap '' TERM; grow() { while :; do setsid sleep 0.2 & sleep 0.005; done; }; \
        grow & grow & echo up; wait";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "up").await;
    let pace = StopPace { term_ms: 0, kill_ms: 100, give_up_ms: 10_000 };
    let stopped = within(keeper.stop(None, pace)).await.unwrap();
    assert!(stopped.ended && stopped.escalated, "{stopped:?}");
    bench.left_nothing(&[process, agent]).await;
}
