//! Long texts: nothing is lost where the agent reads, and refused where it does not.

use callboard::runtime::client::{ClientError, Input, Keeper, ScreenUpdate};
use callboard::runtime::wire::{PAYLOAD_LIMIT, Reason};

use super::support::{Bench, QUICK, shows, until, within};

/// Bytes that are typed.
const TYPED: usize = 10 << 20;
/// An agent that counts what it reads, up to that much.
const COUNTS: &str = "stty raw -echo; echo ready; head -c 10485760 | cksum; exec cat";

/// The check sum of what is typed, as the agent will print it.
fn sum(bench: &Bench, text: &str) -> String {
    let file = bench.path("typed");
    std::fs::write(&file, text).unwrap();
    let input = std::fs::File::open(&file).unwrap();
    let sum = std::process::Command::new("cksum").stdin(input).output().unwrap();
    String::from_utf8(sum.stdout).unwrap().trim().to_owned()
}

fn text() -> String {
    let mut text: String = (0_u32..).map(|n| format!("{n} ")).take(TYPED / 4).collect();
    text.truncate(TYPED);
    text
}

/// Wire protocol, K5: 10 MB in pieces arrive whole, however slowly the agent reads, as raw bytes and as
/// pastes; others are served meanwhile.
#[tokio::test]
async fn a_paste_of_10_mb_arrives_whole() {
    let text = text();
    for raw in [true, false] {
        let bench = Bench::new();
        let (mut keeper, process, agent) = bench.run(&bench.script(COUNTS)).await;
        shows(&mut keeper, "ready").await;
        let (mut feed, mut typist) = within(Keeper::connect(&bench.socket()))
            .await
            .unwrap()
            .subscribe_screen(0)
            .await
            .unwrap();
        let typing = async {
            if raw {
                typist.bytes(text.as_bytes()).await.unwrap();
            } else {
                typist.paste(1, &text).await.unwrap();
            }
        };
        let watching = async {
            loop {
                let update = feed.next().await;
                assert!(!matches!(update, ScreenUpdate::Refused { .. }), "{update:?}");
            }
        };
        let sum = sum(&bench, &text);
        let typed = async {
            tokio::join!(typing, shows(&mut keeper, &sum));
        };
        tokio::select! {
            () = within(typed) => {}
            () = watching => {}
        }
        within(keeper.stop(None, QUICK)).await.unwrap();
        bench.left_nothing(&[process, agent]).await;
    }
}

/// Wire protocol: a message above the limit is refused with its reason, before or after it was sent, and
/// nobody is harmed.
#[tokio::test]
async fn a_message_above_the_limit_is_refused() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exec cat")).await;
    for length in [(1 << 20) + 1, PAYLOAD_LIMIT + 1] {
        for input in [
            Input::Text("x".repeat(length)),
            Input::Paste { text: "x".repeat(length), submit: true },
        ] {
            let refused = within(keeper.send(1, input, None)).await.unwrap_err();
            let long = matches!(refused, ClientError::Refused { reason: Reason::TooLong, .. });
            assert!(long, "{refused:?}");
        }
    }
    keeper.send(1, Input::Text("still here\r".to_owned()), None).await.unwrap();
    shows(&mut keeper, "still here").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X6: what waits for an agent that never reads is bounded, and only who types too much waits.
#[tokio::test]
async fn an_agent_that_never_reads_holds_up_nobody_else() {
    let bench = Bench::new();
    let script = "stty raw -echo; echo ready; exec tail -f /dev/null";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "ready").await;
    let (_feed, mut typist) =
        within(Keeper::connect(&bench.socket())).await.unwrap().subscribe_screen(0).await.unwrap();
    let text = text();
    let endless = tokio::spawn(async move { typist.bytes(text.as_bytes()).await });
    // what is typed beside it finds no room, at the latest after the keeper's patience
    until(async || {
        let sent = within(keeper.send(1, Input::Text("y".repeat(1 << 20)), None)).await;
        matches!(sent, Err(ClientError::Refused { reason: Reason::Full, .. }))
    })
    .await;
    within(keeper.resize(70, 20)).await.unwrap();
    assert_eq!(within(keeper.status()).await.unwrap().cols, 70);
    let stopped = within(keeper.stop(None, QUICK)).await.unwrap();
    assert!(stopped.ended);
    endless.abort();
    bench.left_nothing(&[process, agent]).await;
}
