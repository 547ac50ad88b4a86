mod told;

use std::path::Path;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

use super::*;
use crate::os::clock;
use crate::runtime::wire::{
    Body, Decoder, Event, Frame, Hello, Incoming, Outgoing, Request, put_bytes, put_control,
};

/// A keeper that is played by the test.
struct Played {
    stream: UnixStream,
    decoder: Decoder,
}

impl Played {
    /// Accepts, greets, and waits until the screen is asked for.
    async fn accept(listener: &UnixListener) -> Self {
        let mut played =
            Self { stream: listener.accept().await.unwrap().0, decoder: Decoder::default() };
        assert!(matches!(played.request().await, Request::Hello(_)));
        let id = SessionId::new("shop-1").unwrap();
        let hello = Body::Hello(Hello::new(Some(id), Some(7)));
        played.send(&Outgoing::Answer { id: 1, body: hello }).await;
        loop {
            if let Request::SubscribeScreen { .. } = played.request().await {
                return played;
            }
        }
    }

    async fn send(&mut self, message: &Outgoing) {
        let mut out = Vec::new();
        put_control(&mut out, message);
        self.stream.write_all(&out).await.unwrap();
    }

    async fn frame(&mut self) -> Frame {
        let mut buffer = [0; 4_096];
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                return frame;
            }
            let read = self.stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "the dashboard hung up");
            self.decoder.push(&buffer[..read]);
        }
    }

    async fn request(&mut self) -> Request {
        match self.frame().await {
            Frame::Control(json) => Incoming::read(&json).unwrap().request,
            Frame::Bytes(bytes) => panic!("bytes: {bytes:?}"),
        }
    }

    async fn show(&mut self, text: &str) {
        let snapshot = Event::Snapshot { cols: 20, rows: 3, bytes: text.len() };
        self.send(&Outgoing::Event(snapshot)).await;
        self.bytes(text).await;
    }

    async fn bytes(&mut self, text: &str) {
        let mut out = Vec::new();
        put_bytes(&mut out, text.as_bytes());
        self.stream.write_all(&out).await.unwrap();
    }
}

struct Bench {
    live: Live,
    id: SessionId,
    listener: UnixListener,
    _root: tempfile::TempDir,
}

fn bench() -> Bench {
    let root = tempfile::tempdir().unwrap();
    let home = Home::at(root.path()).unwrap();
    home.create().unwrap();
    let id = SessionId::new("shop-1").unwrap();
    let workspace = WorkspaceName::default();
    let socket = home.socket(&workspace, &id);
    std::fs::create_dir_all(socket.parent().unwrap_or(Path::new("/"))).unwrap();
    let listener = UnixListener::bind(socket).unwrap();
    Bench { live: Live::new(home, workspace, Depth::Rgb, 5_000), id, listener, _root: root }
}

/// No picture waits.
fn at_once(_: &SessionId) -> Duration {
    Duration::ZERO
}

/// Waits for the next picture of the one watched session.
async fn picture(live: &mut Live) -> Option<Arc<ScreenCells>> {
    loop {
        let (mut pictures, _) = live.take(clock::monotonic(), at_once);
        if let Some((_, cells)) = pictures.pop() {
            return cells;
        }
        live.changed().await;
    }
}

fn text(cells: &ScreenCells, row: usize) -> String {
    cells.rows[row].iter().map(|cell| cell.text.as_str()).collect()
}

#[tokio::test]
async fn a_watched_screen_is_drawn_and_typed_to() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("\x1b[?1hhello").await;
    let cells = picture(&mut live).await.unwrap();
    assert_eq!((cells.size, text(&cells, 0).as_str()), ((20, 3), "hello"));
    assert_eq!(cells.cursor, Some((5, 0)));

    let keys: Vec<Key> = ["a", "Up"].iter().map(|key| key.parse().unwrap()).collect();
    assert!(live.type_keys(&id, &keys));
    assert_eq!(keeper.frame().await, Frame::Bytes(b"a\x1bOA".to_vec()), "application cursor keys");
    assert!(live.paste(&id, "two\nlines".to_owned()));
    assert!(
        matches!(keeper.request().await, Request::Paste { text, generation: 7, .. } if text == "two\nlines")
    );
    live.resize(&id, 83, 34);
    assert!(matches!(keeper.request().await, Request::Resize { cols: 83, rows: 34, yields: true }));

    keeper.bytes("\r\nmore").await;
    let cells = picture(&mut live).await.unwrap();
    assert_eq!(text(&cells, 1), "more");
}

#[tokio::test]
async fn a_frame_that_is_held_is_shown_when_it_is_whole_or_late() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("old").await;
    picture(&mut live).await.unwrap();
    keeper.bytes("\x1b[?2026h\rnew").await;
    live.changed().await;
    let now = clock::monotonic();
    let (pictures, wait) = live.take(now, at_once);
    assert!(pictures.is_empty() && wait == Some(HELD_AT_MOST) && !live.is_due(&id));
    let (pictures, _) = live.take(now + HELD_AT_MOST, at_once);
    assert_eq!(text(pictures[0].1.as_ref().unwrap(), 0), "new");
}

/// `spec/look.md` section 7: tiles without the focus get a new picture ten times a second.
#[tokio::test]
async fn a_picture_that_is_to_wait_is_taken_later_and_is_not_lost() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("first").await;
    live.changed().await;
    let later = Duration::from_millis(70);
    let (pictures, wait) = live.take(clock::monotonic(), |_| later);
    assert_eq!((pictures.len(), wait), (0, Some(later)));
    assert_eq!(text(&picture(&mut live).await.unwrap(), 0), "first");
}

#[tokio::test]
async fn a_keeper_that_is_gone_is_found_again_when_it_is_back() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("first").await;
    picture(&mut live).await.unwrap();
    drop(keeper);
    let last = picture(&mut live).await.unwrap();
    assert_eq!((text(&last, 0).as_str(), last.ended), ("first", true), "the last screen stays");
    live.retry();
    let mut keeper = Played::accept(&listener).await;
    keeper.show("second").await;
    let cells = picture(&mut live).await.unwrap();
    assert_eq!((text(&cells, 0).as_str(), cells.ended), ("second", false));
}

/// A keeper that is stuck: the pane says so, and shows its screen once it answers.
#[tokio::test]
async fn a_keeper_that_does_not_answer_is_told_of_until_it_does() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let cells = picture(&mut live).await.unwrap();
    assert!(cells.silent && !cells.ended && cells.rows.is_empty());
    assert!(!live.type_keys(&id, &["a".parse().unwrap()]), "nothing typed is kept for later");
    let mut keeper = Played::accept(&listener).await;
    keeper.show("back").await;
    let cells = picture(&mut live).await.unwrap();
    assert_eq!((text(&cells, 0).as_str(), cells.silent), ("back", false));
    assert!(live.type_keys(&id, &["a".parse().unwrap()]));
}

/// Kinds of records of a history.
const OUTPUT: u8 = 0;
const SIZE: u8 = 1;
const SNAPSHOT: u8 = 2;

/// What keepers write down, as in `runtime::history`: kind, time, length, payload.
fn record(folder: &Path, name: &str, records: &[(u8, &[u8])]) {
    std::fs::create_dir_all(folder).unwrap();
    let mut bytes = Vec::new();
    for (kind, payload) in records {
        bytes.push(*kind);
        bytes.extend(0_i64.to_be_bytes());
        bytes.extend((payload.len() as u32).to_be_bytes());
        bytes.extend(*payload);
    }
    std::fs::write(folder.join(name), bytes).unwrap();
}

/// A session that ended shows its last screen, with what scrolled out of it, from the disk.
#[tokio::test]
async fn without_a_keeper_the_last_screen_is_read_from_the_history() {
    let Bench { mut live, id, listener, _root } = bench();
    drop(listener);
    let folder = live.home.history(&live.workspace, &id);
    live.watch(std::slice::from_ref(&id));
    assert_eq!(picture(&mut live).await, None, "nothing was written down");
    live.watch(&[]);

    let size: &[u8] = &[0, 20, 0, 2];
    record(&folder, "00000001-00000001.seg", &[(SIZE, size), (OUTPUT, b"an earlier launch")]);
    let output: &[u8] = b"one\r\ntwo\r\nthree";
    record(&folder, "00000002-00000001.seg", &[(SIZE, size), (SNAPSHOT, b""), (OUTPUT, output)]);
    live.watch(std::slice::from_ref(&id));
    let cells = picture(&mut live).await.unwrap();
    assert_eq!((text(&cells, 0).as_str(), text(&cells, 1).as_str()), ("two", "three"));
    assert!(cells.ended && cells.cursor.is_none());
    let document = live.document(&id).unwrap();
    let lines: Vec<_> = (0..document.len()).map(|line| document.text(line)).collect();
    assert_eq!((lines, document.screen), (vec!["one", "two", "three"], 1));

    // It is kept for a while, and read again once there is more.
    for n in 2..8 {
        live.watch(&[SessionId::new(format!("shop-{n}")).unwrap()]);
        picture(&mut live).await;
    }
    assert!(live.kept.len() <= KEPT);
    record(&folder, "00000002-00000002.seg", &[(SIZE, size), (OUTPUT, b"\r\nfour")]);
    live.watch(std::slice::from_ref(&id));
    let cells = picture(&mut live).await.unwrap();
    assert_eq!(text(&cells, 1), "four");
}

/// The mouse reaches the program as it asked for it; what it asks of its terminal is told.
#[tokio::test]
async fn the_mouse_and_signals_pass_between_program_and_operator() {
    use crate::runtime::keys::{MouseButton, MouseKind};
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("x\x1b]52;c;b2xk\x07").await;
    picture(&mut live).await.unwrap();
    assert!(live.signals().is_empty(), "what a snapshot brings is old");
    let mods = crate::domain::key::Modifiers::NONE;
    let (kind, button) = (MouseKind::Press, MouseButton::WheelUp);
    let wheel = MouseEvent { kind, button, col: 4, row: 1, mods };
    live.point_at(&id, wheel);
    keeper.bytes("\x1b[?1000h\x1b[?1006h\x07\x1b]52;c;bmV3\x07\x1b]9;done\x07").await;
    let cells = picture(&mut live).await.unwrap();
    assert!(cells.takes.clicks && cells.takes.wheel);
    live.point_at(&id, wheel);
    assert_eq!(keeper.frame().await, Frame::Bytes(b"\x1b[<64;5;2M".to_vec()), "the first was ours");
    let expected = [
        Signal::Bell,
        Signal::Clipboard("new".to_owned()),
        Signal::Notification("done".to_owned()),
    ];
    let signals = live.signals().into_iter().map(|(from, signal)| (from == id, signal));
    assert_eq!(signals.collect::<Vec<_>>(), expected.map(|signal| (true, signal)));
    assert!(live.signals().is_empty());
}

#[tokio::test]
async fn who_is_not_on_view_is_not_connected_to() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    live.watch(&[]);
    let mut rest = Vec::new();
    keeper.stream.read_to_end(&mut rest).await.unwrap();
    assert!(!live.type_keys(&id, &["a".parse().unwrap()]));
    live.resize(&id, 83, 34);
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    assert!(matches!(keeper.request().await, Request::Resize { cols: 83, rows: 34, yields: true }));
}

/// What was typed before a session went out of view is its agent's all the same.
#[tokio::test]
async fn what_was_typed_last_arrives_also_where_nobody_looks_any_more() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    assert!(live.type_keys(&id, &["a".parse().unwrap()]));
    assert!(live.paste(&id, "b".to_owned()));
    live.watch(&[]);
    let heard = async {
        let mut keeper = Played::accept(&listener).await;
        let keys = keeper.frame().await;
        (keys, keeper.request().await)
    };
    let (keys, paste) = tokio::time::timeout(PATIENCE, heard).await.unwrap();
    assert_eq!(keys, Frame::Bytes(b"a".to_vec()));
    assert!(matches!(paste, Request::Paste { text, .. } if text == "b"));
}

/// The size of the pane that types is known to a keeper that comes later.
#[tokio::test]
async fn a_keeper_that_comes_later_has_the_newest_size() {
    let Bench { mut live, id, listener, _root } = bench();
    drop(listener);
    live.watch(std::slice::from_ref(&id));
    picture(&mut live).await;
    assert!(!live.type_keys(&id, &["a".parse().unwrap()]), "nobody is there");
    assert!(!live.paste(&id, "text".to_owned()), "nobody is there");
    live.resize(&id, 70, 30);
    live.resize(&id, 83, 34);
    while live.feeds[&id].orders.capacity() < ORDERS {
        tokio::task::yield_now().await;
    }
    let socket = live.home.socket(&live.workspace, &id);
    std::fs::remove_file(&socket).unwrap();
    let listener = UnixListener::bind(socket).unwrap();
    live.retry();
    let mut keeper = Played::accept(&listener).await;
    let request = tokio::time::timeout(PATIENCE, keeper.request()).await.unwrap();
    assert!(matches!(request, Request::Resize { cols: 83, rows: 34, yields: true }));
}

/// A change of the store is no reason to draw a last screen again; to come on view again is one.
#[tokio::test]
async fn a_last_screen_is_taken_once_and_when_it_is_on_view_again() {
    let Bench { mut live, id, listener, _root } = bench();
    let folder = live.home.history(&live.workspace, &id);
    let size: &[u8] = &[0, 20, 0, 2];
    record(&folder, "00000001-00000001.seg", &[(SIZE, size), (OUTPUT, b"last")]);
    live.watch(std::slice::from_ref(&id));
    let go_away = async || drop(listener.accept().await.unwrap());
    go_away().await;
    assert_eq!(text(&picture(&mut live).await.unwrap(), 0), "last");
    live.retry();
    go_away().await;
    live.retry();
    // It looks for a keeper anew once it is done with the history.
    go_away().await;
    assert_eq!(live.take(clock::monotonic(), at_once).0, []);
    live.watch(&[]);
    live.watch(std::slice::from_ref(&id));
    assert_eq!(text(&live.take(clock::monotonic(), at_once).0[0].1.clone().unwrap(), 0), "last");
}

/// A snapshot in a history is one: what only snapshots may say holds.
#[tokio::test]
async fn a_snapshot_of_a_history_is_replayed() {
    let Bench { mut live, id, listener, _root } = bench();
    drop(listener);
    let mut before = Screen::new(Size { cols: 20, rows: 3 }, 0);
    before.feed(b"\x1b[3;1Hz\x1b[1;1Hx");
    let (size, snapshot): (&[u8], _) = (&[0, 20, 0, 3], before.snapshot(0));
    let folder = live.home.history(&live.workspace, &id);
    let repeat: &[u8] = b"\x1b[2b";
    let records = [(SIZE, size), (SNAPSHOT, &snapshot[..]), (OUTPUT, repeat)];
    record(&folder, "00000001-00000001.seg", &records);
    live.watch(std::slice::from_ref(&id));
    assert_eq!(text(&picture(&mut live).await.unwrap(), 0), "xxx", "the last character repeated");
}
