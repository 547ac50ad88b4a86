use std::os::unix::fs::PermissionsExt;

use callboard::runtime::client::{Input, Keeper, ScreenUpdate};
use callboard::runtime::screen::{Screen, Size};
use callboard::runtime::wire::{self, Body, Decoder, Frame, Outgoing, Reason};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::support::{Bench, QUICK, shows, until, within};

async fn answers(stream: &mut UnixStream, count: usize) -> Vec<Outgoing> {
    let mut decoder = Decoder::default();
    let mut found = Vec::new();
    let mut buffer = [0; 4_096];
    while found.len() < count {
        let length = within(stream.read(&mut buffer)).await.unwrap();
        assert!(length > 0, "closed after {found:?}");
        decoder.push(&buffer[..length]);
        while let Some(Frame::Control(json)) = decoder.next_frame().unwrap() {
            found.push(Outgoing::read(&json).unwrap());
        }
    }
    found
}

/// Wire protocol: a client that sends garbage, half frames, or stops reading harms only itself.
#[tokio::test]
async fn bad_clients_harm_only_themselves() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exec cat")).await;
    let mode = std::fs::metadata(bench.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let connect = async || UnixStream::connect(bench.socket()).await.unwrap();
    // garbage and over-long frames are refused, and end the connection
    let long = [0, 0x40, 0, 1, 0, b'{'];
    for (bytes, why) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], Reason::TooLong),
        (&[0xff; 64], Reason::TooLong),
        (&long, Reason::TooLong),
        (&[0, 0, 0, 1, 9, 0], Reason::Illegal),
    ] {
        let mut stream = connect().await;
        stream.write_all(bytes).await.unwrap();
        let refused = &answers(&mut stream, 1).await[0];
        let Outgoing::Answer { id: 0, body: Body::Refused { reason, .. } } = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(*reason, why);
        assert_eq!(within(stream.read(&mut [0; 16])).await.unwrap_or(0), 0);
    }
    // half a frame, then nothing: it may wait for ever
    let mut half = connect().await;
    half.write_all(&[0, 0, 1, 0, 0, b'{']).await.unwrap();
    // one that asks much and never reads
    let mut deaf = connect().await;
    let mut asks = Vec::new();
    wire::put_control(&mut asks, &json!({"id": 1, "type": "subscribe_screen", "history": 100}));
    for id in 2..2_000 {
        wire::put_control(&mut asks, &json!({"id": id, "type": "text"}));
    }
    let flood = tokio::time::timeout(std::time::Duration::from_millis(200), deaf.write_all(&asks));
    // it is held back, or fits into the socket's buffer
    let _ = flood.await;
    for _ in 0..40 {
        keeper.send(1, Input::Text("x".repeat(60) + "\r"), None).await.unwrap();
    }
    keeper.send(1, Input::Text("still here\r".to_owned()), None).await.unwrap();
    shows(&mut keeper, "still here").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// Wire protocol: an unknown message gets a typed answer, and fields that are not known do no harm.
#[tokio::test]
async fn what_is_not_understood_is_answered_and_nothing_else() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exec cat")).await;
    let mut stream = UnixStream::connect(bench.socket()).await.unwrap();
    let mut out = Vec::new();
    wire::put_control(
        &mut out,
        &json!({"id": 1, "type": "hello", "protocol": 9, "generation": 1, "new": true}),
    );
    wire::put_control(&mut out, &json!({"id": 2, "type": "teleport"}));
    wire::put_control(&mut out, &json!({"id": 3, "type": "hello", "protocol": 1, "generation": 7}));
    wire::put_control(&mut out, &json!(["no", "object"]));
    stream.write_all(&out).await.unwrap();
    let answers = answers(&mut stream, 4).await;
    assert!(
        matches!(&answers[0], Outgoing::Answer { id: 1, body: Body::Hello(hello) } if hello.protocol == 1)
    );
    assert!(matches!(&answers[1], Outgoing::Answer { id: 2, body: Body::NotUnderstood { .. } }));
    assert!(matches!(&answers[2], Outgoing::Answer { id: 3, body: Body::Refused { .. } }));
    assert!(matches!(&answers[3], Outgoing::Answer { id: 0, body: Body::NotUnderstood { .. } }));
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// Wire protocol: the queue of a subscriber is bounded; a slow one gets a snapshot in place of what it
/// missed.
#[tokio::test]
async fn a_slow_subscriber_falls_back_to_a_snapshot_and_holds_up_nobody() {
    let bench = Bench::new();
    let (mut keeper, process, agent) =
        bench.run(&bench.script("read _; seq 1 600000; echo finished; exec cat")).await;
    let slow = within(Keeper::connect(&bench.socket())).await.unwrap();
    let (mut feed, mut typist) = slow.subscribe_screen(0).await.unwrap();
    typist.bytes(b"\r").await.unwrap();
    // nothing is read meanwhile
    shows(&mut keeper, "finished").await;
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 0);
    let mut snapshots = 0;
    let expected = keeper.text(0).await.unwrap().lines;
    until(async || {
        match within(feed.next()).await {
            ScreenUpdate::Snapshot { cols, rows, bytes } => {
                screen = Screen::new(Size { cols, rows }, 0);
                screen.replay(&bytes);
                snapshots += 1;
            }
            ScreenUpdate::Bytes(bytes) => drop(screen.feed(&bytes)),
            other => panic!("{other:?}"),
        }
        screen.lines() == expected
    })
    .await;
    assert!(snapshots >= 2, "{snapshots} snapshots");
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}
