//! The recorded transcript of protocol 1. It was written once by [`record`] with
//! `CALLBOARD_RECORD=1` and is not to be written again: what is recorded is what old keepers say.

use std::fmt::Write as _;
use std::path::PathBuf;

use callboard::runtime::client::{Input, Keeper, ScreenUpdate};
use callboard::runtime::wire::message::StopPace;
use callboard::runtime::wire::{self, Decoder, Frame};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

use super::support::{Bench, shows, within};

fn fixture() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire/protocol1.jsonl")
}

fn requests() -> [Value; 8] {
    [
        json!({"id": 1, "type": "hello", "protocol": 1, "features": ["facts"], "session": null, "generation": null}),
        json!({"id": 2, "type": "status"}),
        json!({"id": 3, "type": "text", "scrollback": 5}),
        json!({"id": 4, "type": "resize", "cols": 70, "rows": 20}),
        json!({"id": 5, "type": "keys", "generation": 1, "condition": "unless_question", "keys": ["h", "i"]}),
        json!({"id": 6, "type": "paste", "generation": 2, "condition": {"if_question": "0"}, "text": "late", "submit": true}),
        json!({"id": 7, "type": "input", "generation": 1, "condition": {"if_question": "0"}, "text": "y"}),
        json!({"id": 8, "type": "stop", "generation": 1, "pace": {"term_ms": 3_000, "kill_ms": 6_000, "give_up_ms": 10_000}}),
    ]
}

async fn next_frame(stream: &mut UnixStream, decoder: &mut Decoder) -> Option<Frame> {
    let mut buffer = [0; 4_096];
    loop {
        if let Some(frame) = decoder.next_frame().unwrap() {
            return Some(frame);
        }
        match within(stream.read(&mut buffer)).await.unwrap() {
            0 => return None,
            length => decoder.push(&buffer[..length]),
        }
    }
}

/// Does nothing unless asked to.
#[tokio::test]
async fn record() {
    if std::env::var_os("CALLBOARD_RECORD").is_none() {
        return;
    }
    let bench = Bench::new();
    let (mut keeper, process, agent) =
        bench.run(&bench.script("printf '\\033]2;title\\007$ '; exec cat >/dev/null")).await;
    shows(&mut keeper, "$").await;
    let mut stream = UnixStream::connect(bench.socket()).await.unwrap();
    let mut decoder = Decoder::default();
    let mut transcript = String::new();
    for request in requests() {
        let mut out = Vec::new();
        wire::put_control(&mut out, &request);
        stream.write_all(&out).await.unwrap();
        writeln!(transcript, "{}", json!({"from": "client", "control": request})).unwrap();
        let Some(Frame::Control(answer)) = next_frame(&mut stream, &mut decoder).await else {
            panic!()
        };
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        writeln!(transcript, "{}", json!({"from": "keeper", "control": answer})).unwrap();
    }
    std::fs::write(fixture(), transcript).unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// Wire protocol: an old keeper, played from the transcript, and today's client.
#[tokio::test]
async fn an_old_keeper_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("old.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let transcript = std::fs::read_to_string(fixture()).unwrap();
    let lines: Vec<Value> =
        transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let old = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut decoder = Decoder::default();
        let answers = lines.iter().filter(|line| line["from"] == "keeper");
        for answer in answers {
            let Some(Frame::Control(request)) = next_frame(&mut stream, &mut decoder).await else {
                panic!()
            };
            let request: Value = serde_json::from_slice(&request).unwrap();
            let asked = lines
                .iter()
                .find(|line| line["from"] == "client" && line["control"]["id"] == request["id"]);
            assert_eq!(
                asked.unwrap()["control"]["type"],
                request["type"],
                "asked in another order"
            );
            let mut out = Vec::new();
            wire::put_control(&mut out, &answer["control"]);
            stream.write_all(&out).await.unwrap();
        }
    });
    let mut keeper = within(Keeper::connect(&socket)).await.unwrap();
    assert_eq!(keeper.generation(), 1);
    let status = keeper.status().await.unwrap();
    assert_eq!((status.cols, status.rows, status.published), (80, 24, true));
    assert_eq!(status.facts.title.as_deref(), Some("title"));
    assert_eq!(keeper.text(5).await.unwrap().lines[0], "$");
    keeper.resize(70, 20).await.unwrap();
    let keys = Input::Keys(vec!["h".to_owned()]);
    assert_eq!(keeper.send(1, keys, None).await.unwrap(), None);
    let paste = Input::Paste { text: "late".to_owned(), submit: true };
    assert!(keeper.send(2, paste, None).await.is_err());
    assert!(keeper.send(1, Input::Text("y".to_owned()), None).await.is_err());
    let stopped = keeper.stop(None, StopPace::default()).await.unwrap();
    assert!(stopped.ended && !stopped.escalated && stopped.exit.is_some());
    old.await.unwrap();
}

/// Wire protocol: a new console meets messages that it does not know, and goes on.
#[tokio::test]
async fn what_a_newer_keeper_adds_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("new.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let new = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut out = Vec::new();
        wire::put_control(&mut out, &json!({"event": "eclipse"}));
        wire::put_control(&mut out, &json!({"neither": "answer", "nor": "event"}));
        wire::put_control(
            &mut out,
            &json!({"id": 1, "type": "hello", "protocol": 2, "session": "shop-1", "generation": 4, "mood": "good"}),
        );
        wire::put_control(
            &mut out,
            &json!({"event": "snapshot", "cols": 10, "rows": 2, "bytes": 3}),
        );
        wire::put_bytes(&mut out, b"ab");
        wire::put_bytes(&mut out, b"c");
        wire::put_bytes(&mut out, b"live");
        stream.write_all(&out).await.unwrap();
        stream.shutdown().await.unwrap();
        // the other side may still ask
        stream.read_to_end(&mut Vec::new()).await.unwrap();
    });
    let keeper = within(Keeper::connect(&socket)).await.unwrap();
    assert_eq!(keeper.generation(), 4);
    let (mut feed, typist) = keeper.subscribe_screen(0).await.unwrap();
    let snapshot = ScreenUpdate::Snapshot { cols: 10, rows: 2, bytes: b"abc".to_vec() };
    assert_eq!(within(feed.next()).await, snapshot);
    assert_eq!(within(feed.next()).await, ScreenUpdate::Bytes(b"live".to_vec()));
    assert_eq!(within(feed.next()).await, ScreenUpdate::Closed);
    drop((feed, typist));
    new.await.unwrap();
}

/// Wire protocol: an old client, played from the transcript, and today's keeper: each recorded request is answered with
/// all that the recorded answer has.
#[tokio::test]
async fn an_old_client_is_understood() {
    let transcript = std::fs::read_to_string(fixture()).unwrap();
    let lines: Vec<Value> =
        transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let bench = Bench::new();
    let (mut keeper, process, agent) =
        bench.run(&bench.script("printf '\\033]2;title\\007$ '; exec cat >/dev/null")).await;
    shows(&mut keeper, "$").await;
    let mut stream = UnixStream::connect(bench.socket()).await.unwrap();
    let mut decoder = Decoder::default();
    for pair in lines.chunks(2) {
        let [asked, recorded] = pair else { panic!("{pair:?}") };
        assert_eq!((&asked["from"], &recorded["from"]), (&json!("client"), &json!("keeper")));
        let mut out = Vec::new();
        wire::put_control(&mut out, &asked["control"]);
        stream.write_all(&out).await.unwrap();
        let answer = next_frame(&mut stream, &mut decoder).await;
        let Some(Frame::Control(answer)) = answer else { panic!("{answer:?}") };
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        covers("", &recorded["control"], &answer);
    }
    bench.left_nothing(&[process, agent]).await;
}

/// What changes from run to run.
const CHANGING: [&str; 9] = [
    "at",
    "keeper_pid",
    "last_sign_at",
    "output",
    "pid",
    "sequence",
    "since",
    "started_at",
    "witnesses",
];

/// `now` has every field that `old` has, of the same type, and of the same value where it is the same
/// in each run.
fn covers(name: &str, old: &Value, now: &Value) {
    match (old, now) {
        (Value::Object(old), Value::Object(now)) => {
            for (name, value) in old {
                covers(name, value, now.get(name).unwrap_or_else(|| panic!("{name} is missing")));
            }
        }
        (old, now) if CHANGING.contains(&name) => {
            assert_eq!(std::mem::discriminant(old), std::mem::discriminant(now), "{name}");
        }
        // nothing was said of it then
        (Value::Null, _) => {}
        (old, now) => assert_eq!(old, now, "{name}"),
    }
}
