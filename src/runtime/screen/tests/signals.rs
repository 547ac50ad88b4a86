//! Events, replies, limits: what is neither picture nor snapshot.

use rstest::rstest;

use crate::runtime::screen::*;

const SIZE: Size = Size { cols: 20, rows: 4 };

fn fed(bytes: &[u8]) -> (Screen, Vec<ScreenEvent>) {
    let mut screen = Screen::new(SIZE, 10);
    let events = screen.feed(bytes);
    (screen, events)
}

fn replies(bytes: &str) -> String {
    String::from_utf8(fed(bytes.as_bytes()).0.take_replies()).unwrap()
}

fn note(title: Option<&str>, body: &str) -> ScreenEvent {
    ScreenEvent::Notification { title: title.map(str::to_owned), body: body.to_owned() }
}

fn status(state: &str) -> ProgramStatus {
    ProgramStatus {
        state: state.to_owned(),
        kind: None,
        title: None,
        msg: None,
        app: None,
        progress: None,
    }
}

#[rstest]
#[case("\x1b]2;a\x1b\\", ScreenEvent::Title("a".to_owned()))]
#[case("\x1b]0;a\u{9b}b\u{202e}\x07", ScreenEvent::Title("ab".to_owned()))]
#[case("\x07", ScreenEvent::Bell)]
#[case("\x1b]52;c;aGk\x07", ScreenEvent::Clipboard(b"hi".to_vec()))]
#[case("\x1b]9;done; really\x07", note(None, "done; really"))]
#[case("\x1b]777;notify;T;b;c\x07", note(Some("T"), "b;c"))]
#[case("\x1b]99;;hello\x1b\\", note(None, "hello"))]
#[case("\x1b]99;i=1:d=0;T\x1b\\\x1b]99;i=1:p=body:e=1;Ym9keQ==\x1b\\", note(Some("T"), "body"))]
#[case("\x1b]9;4;1;50\x07", ScreenEvent::Progress { state: 1, percent: 50 })]
#[case("\x1b]9;4;3\x07", ScreenEvent::Progress { state: 3, percent: 0 })]
#[case("\x1b]133;C;x=1\x07", ScreenEvent::PromptMark('C'))]
#[case("\x1b]7;file://host/a%20b\x07", ScreenEvent::Directory("/a b".to_owned()))]
#[case("\x1b]9;9;\"/w\"\x07", ScreenEvent::Directory("/w".to_owned()))]
#[case("\x1b]7501;state=working\x07", ScreenEvent::ProgramStatus(status("working")))]
fn one_event(#[case] bytes: &str, #[case] expected: ScreenEvent) {
    assert_eq!(fed(bytes.as_bytes()).1, [expected]);
}

#[rstest]
#[case("\x1b]52;c;?\x07")]
#[case("\x1b]52;c;***\x07")]
#[case("\x1b]9;4;9;1\x07")]
#[case("\x1b]9;2;text\x07")]
#[case("\x1b]7501;state=dancing\x07")]
#[case("\x1b]7501;app=x\x07")]
#[case("\x1b]7;http://x/y\x07")]
#[case("\x1b]2;kept\x18")]
#[case("\x1b]2;cut\x1b[m")]
#[case("\x1b_Gi=1;AAAA\x1b\\\x1bPq#0;2;0;0;0#0~~\x1b\\")]
fn no_event(#[case] bytes: &str) {
    let (screen, events) = fed(bytes.as_bytes());
    assert_eq!(events, []);
    assert_eq!(screen.lines(), [""; 4]);
}

#[test]
fn a_whole_program_status() {
    let (_, events) = fed(
        b"\x1b]7501;state=blocked:kind=permission:app=x\x1by:progress=140:title=UnVu:msg=UnVuIAphCWI\x1b\\",
    );
    // The escape cancels the string: it is no terminator.
    assert_eq!(events, []);
    let (_, events) =
        fed(b"\x1b]7501;state=blocked:kind=permission:app=x:progress=140:title=UnVu:msg=UnVuIAphCWI\x1b\\");
    let expected = ProgramStatus {
        kind: Some("permission".to_owned()),
        title: Some("Run".to_owned()),
        msg: Some("Run  a b".to_owned()),
        app: Some("x".to_owned()),
        progress: Some(100),
        ..status("blocked")
    };
    assert_eq!(events, [ScreenEvent::ProgramStatus(expected)]);
}

#[test]
fn a_program_status_is_bounded() {
    let message = "QUFB".repeat(1000);
    let (_, events) = fed(format!("\x1b]7501;state=idle:msg={message}\x07").as_bytes());
    let [ScreenEvent::ProgramStatus(status)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(status.msg.as_ref().map(String::len), Some(2048));
    let (_, events) = fed(format!("\x1b]7501;state=idle:msg={message}{message}\x07").as_bytes());
    assert_eq!(events, []);
}

#[test]
fn the_status_query_is_answered_before_the_device_query() {
    assert_eq!(
        replies("\x1b]7501;?\x07\x1b[c"),
        "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\\x1b[?62;22;52c"
    );
}

#[rstest]
#[case("\x1b[>0q", concat!("\x1bP>|callboard ", env!("CARGO_PKG_VERSION"), "\x1b\\"))]
#[case("\x1b[14t", "\x1b[4;64;160t")]
#[case("\x1b[16t", "\x1b[6;16;8t")]
#[case("\x1b[?2026$p\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;2$y\x1b[?2026;1$y")]
#[case("\x1b[?2027$p\x1b[?2031$p\x1b[?1016$p", "\x1b[?2027;1$y\x1b[?2031;0$y\x1b[?1016;0$y")]
#[case("\x1b[?1049h\x1b[?1049$p\x1b[?1049l\x1b[?1049$p", "\x1b[?1049;1$y\x1b[?1049;2$y")]
#[case(
    "\x1b]11;?\x07\x1b]10;?\x1b\\",
    "\x1b]11;rgb:0000/0000/0000\x07\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"
)]
#[case("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07")]
#[case("\x1b]4;1;#102030\x07\x1b]4;1;?\x07", "\x1b]4;1;rgb:1010/2020/3030\x07")]
#[case("\x1bP+q544E;58\x1b\\", "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\\x1bP0+r58\x1b\\")]
#[case("\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\")]
#[case("\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>8u\x1b[?u\x1b[?1049l\x1b[?u", "\x1b[?0u\x1b[?8u\x1b[?1u")]
fn answers(#[case] bytes: &str, #[case] expected: &str) {
    assert_eq!(replies(bytes), expected);
}

#[test]
fn colours_can_be_set() {
    let mut screen = Screen::new(SIZE, 0);
    screen.set_colors((1, 2, 3), (255, 255, 255));
    screen.feed(b"\x1b]11;?\x07\x1b]10;?\x07");
    assert_eq!(
        screen.take_replies(),
        b"\x1b]11;rgb:ffff/ffff/ffff\x07\x1b]10;rgb:0101/0202/0303\x07"
    );
    assert_eq!(screen.take_replies(), b"");
}

#[test]
fn titles_are_stacked() {
    let (screen, events) = fed(b"\x1b]2;a\x07\x1b[22;0;0t\x1b]2;b\x07\x1b[23;0;0t\x1b[23t");
    assert_eq!(screen.title(), "a");
    let titles = ["a", "b", "a"].map(|title| ScreenEvent::Title(title.to_owned()));
    assert_eq!(events, titles);
}

#[test]
fn an_endless_string_is_bounded_and_ends() {
    let mut screen = Screen::new(SIZE, 0);
    screen.feed(b"\x1b]2;");
    for _ in 0..40 {
        assert_eq!(screen.feed(&[b'x'; 8192]), []);
    }
    assert!(screen.snapshot(0).len() < 70_000);
    assert_eq!(screen.feed(b"\x07y"), []);
    assert_eq!(screen.lines()[0], "y");
}

#[test]
fn marks_on_one_cell_are_bounded() {
    let (screen, _) = fed("e\u{301}\x1b[65535bx".as_bytes());
    assert_eq!(screen.lines()[0].chars().count(), 26);
    let (screen, _) = fed(format!("\u{1f44d}{}x", "\u{1f3fd}".repeat(60)).as_bytes());
    assert!(screen.lines().concat().chars().count() <= 62);
}

#[test]
fn a_row_that_scrolls_in_has_only_the_background() {
    let (screen, _) = fed(b"\x1b[4;1H\x1b[4;7;41mx\r\n\x1b[my");
    let mut styles = Vec::new();
    screen.row(3, &mut |cell| styles.push(cell.style));
    assert_eq!(styles[5], Style { bg: Color::Indexed(1), ..Style::default() });
    assert_eq!(styles[0], Style::default());
}

#[test]
fn deleting_many_characters_keeps_those_before() {
    let (screen, _) = fed(b"abcdefgh\x1b[1;4H\x1b[19P");
    assert_eq!(screen.lines()[0], "abc");
}

#[test]
fn rows_that_do_not_exist_show_nothing() {
    let (screen, _) = fed(b"x");
    let mut seen = 0;
    for row in [-1, 4, i32::MIN, i32::MAX] {
        screen.row(row, &mut |_| seen += 1);
    }
    assert_eq!(seen, 0);
}

#[test]
fn the_revision_grows_with_what_is_fed() {
    let mut screen = Screen::new(SIZE, 0);
    let before = screen.revision();
    screen.feed(b"");
    screen.resize(SIZE);
    assert_eq!(screen.revision(), before);
    screen.feed(b"x");
    assert!(screen.revision() > before);
}

#[test]
fn a_fault_gives_an_empty_screen_of_the_same_size() {
    let mut screen = Screen::new(SIZE, 5);
    screen.feed(b"x");
    screen.engine.fault();
    assert_eq!(screen.feed(b""), [ScreenEvent::Faulted]);
    assert_eq!((screen.size(), screen.lines()[0].as_str()), (SIZE, ""));
}

#[test]
fn a_screen_can_be_sent() {
    fn is_send<T: Send>() {}
    is_send::<Screen>();
}
