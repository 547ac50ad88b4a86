use callboard::domain::activity::Activity;
use callboard::os::signals::{self, Signal};
use callboard::runtime::client::ScreenUpdate;
use callboard::runtime::history::{Entry, Reader};
use callboard::runtime::launch::LaunchSpec;

use super::support::{Bench, QUICK, gone, shows, until, within};

/// X4, X5: what an agent that dies at once printed is told with its exit; the keeper stays until it is told
/// to go.
#[tokio::test]
async fn an_agent_that_dies_at_once_shows_why() {
    let bench = Bench::new();
    let (mut keeper, process, agent) =
        bench.run(&bench.script("echo 'no licence found' >&2; exit 9")).await;
    until(async || keeper.status().await.unwrap().facts.exit.is_some()).await;
    let facts = keeper.status().await.unwrap().facts;
    let exit = facts.exit.unwrap();
    assert_eq!((exit.code, exit.signal, exit.output.as_str()), (Some(9), None, "no licence found"));
    assert_eq!(facts.activity.value, Activity::Exited);
    // it lingers, reachable, until it is told to go
    shows(&mut keeper, "no licence found").await;
    let stopped = within(keeper.stop(None, QUICK)).await.unwrap();
    assert!(stopped.ended && !stopped.escalated);
    assert_eq!(stopped.exit.unwrap().code, Some(9));
    bench.left_nothing(&[process, agent]).await;
}

/// X4: after `linger` nothing is left of a keeper but the history.
#[tokio::test]
async fn a_keeper_leaves_by_itself_after_its_agent() {
    let bench = Bench::new();
    let spec = LaunchSpec { linger_ms: 30, ..bench.script("echo bye; kill -9 $$") };
    let (_, process, agent) = bench.run(&spec).await;
    bench.left_nothing(&[process, agent]).await;
    let entries: Vec<_> =
        Reader::open(&bench.path("history")).unwrap().map(|e| e.unwrap().1).collect();
    let output: Vec<u8> = entries
        .into_iter()
        .filter_map(|entry| if let Entry::Output(bytes) = entry { Some(bytes) } else { None })
        .flatten()
        .collect();
    assert_eq!(String::from_utf8_lossy(&output), "bye\r\n");
}

/// X4: a keeper goes once every subscriber has read the end.
#[tokio::test]
async fn a_subscriber_gets_all_output_then_the_end() {
    let bench = Bench::new();
    let (keeper, process, agent) = bench.run(&bench.script("read _; seq 1 20000; exit 3")).await;
    let (mut feed, mut typist) = keeper.subscribe_screen(0).await.unwrap();
    assert!(matches!(within(feed.next()).await, ScreenUpdate::Snapshot { cols: 80, rows: 24, .. }));
    typist.bytes(b"\r").await.unwrap();
    let mut output = Vec::new();
    let exit = loop {
        match within(feed.next()).await {
            ScreenUpdate::Bytes(bytes) => output.extend(bytes),
            ScreenUpdate::Exit(exit) => break exit,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(exit.code, Some(3));
    assert!(String::from_utf8_lossy(&output).ends_with("19999\r\n20000\r\n"));
    // everyone has read it, so it does not linger
    assert_eq!(within(feed.next()).await, ScreenUpdate::Closed);
    bench.left_nothing(&[process, agent]).await;
}

/// X6: an agent that closes its terminal and opens it again is still read, without being asked for it.
#[tokio::test]
async fn a_terminal_that_is_closed_and_opened_again_is_still_read() {
    let bench = Bench::new();
    let script = "terminal=$(tty); mkfifo gate; echo up; exec </dev/null >/dev/null 2>&1; \
        read _ <gate; echo again >\"$terminal\"; exec tail -f /dev/null";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "up").await;
    // the other end opens only once the agent has closed its terminal
    let gate = bench.path("gate");
    within(tokio::fs::write(gate, "\n")).await.unwrap();
    shows(&mut keeper, "again").await;
    assert!(signals::send(agent, Signal::KILL).unwrap());
    gone(agent).await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}
