//! Whatever is fed: no fault, no bound crossed, and no difference by how the bytes were cut. `PROPTEST_CASES`
//! sets the number of rounds.

use proptest::prelude::*;
use rstest::rstest;

use super::grammar::{bytes, size, storm};
use super::normal::{heaviest, normal, weight};
use super::snapshots::play;
use crate::runtime::screen::*;

const HISTORY: usize = 12;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes split anywhere give the same screen, the same events and the same answers.
    #[test]
    fn splits_do_not_matter(
        first in size(),
        parts in prop::collection::vec(bytes(), 1..40),
        cuts in prop::collection::vec(1usize..9, 1..20),
    ) {
        let stream = parts.concat();
        let mut whole = Screen::new(first, HISTORY);
        let events = whole.feed(&stream);
        let mut split = Screen::new(first, HISTORY);
        let mut split_events = Vec::new();
        let mut rest = &stream[..];
        for cut in cuts.iter().cycle() {
            let (part, later) = rest.split_at((*cut).min(rest.len()));
            split_events.extend(split.feed(part));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(normal(&whole), normal(&split));
        prop_assert_eq!(events, split_events);
        prop_assert_eq!(whole.take_replies(), split.take_replies());
    }

    /// Noise, sequences and sizes of any kind: no fault, a cursor on the screen, a bounded weight.
    #[test]
    fn any_bytes_at_any_size(
        parts in prop::collection::vec((any::<[u8; 24]>(), bytes(), any::<(u16, u16)>()), 1..20),
        edge in prop::sample::select(vec![(0, 0), (1, 1), (65535, 1), (1, 65535), (2, 1)]),
    ) {
        let mut screen = Screen::new(Size { cols: edge.0, rows: edge.1 }, HISTORY);
        for (noise, sequence, (cols, rows)) in parts {
            for bytes in [&noise[..], &sequence[..]] {
                prop_assert!(!screen.feed(bytes).contains(&ScreenEvent::Faulted));
                prop_assert!(!screen.replay(bytes).contains(&ScreenEvent::Faulted));
            }
            screen.resize(Size { cols: cols % 40, rows: rows % 12 });
            let size = screen.size();
            let cursor = screen.cursor();
            prop_assert!(cursor.row < size.rows && cursor.col < size.cols);
            prop_assert_eq!(screen.lines().len(), usize::from(size.rows));
        }
        prop_assert!(screen.scrollback_len() <= HISTORY);
        prop_assert!(weight(&screen) <= heaviest(&screen, HISTORY));
        let _ = screen.snapshot(HISTORY);
    }

    /// Resize storms with wide characters at the edge: each row has exactly its columns, and no half
    /// of a wide character is left alone.
    #[test]
    fn storms_leave_whole_rows(first in size(), steps in storm()) {
        let mut screen = Screen::new(first, HISTORY);
        for step in steps {
            play(&mut screen, &[step]);
            let size = screen.size();
            for row in -(screen.scrollback_len() as i32)..i32::from(size.rows) {
                let mut columns = 0;
                screen.row(row, &mut |cell| {
                    assert_eq!(cell.col, columns);
                    columns += u16::from(cell.width);
                });
                prop_assert_eq!(columns, size.cols);
            }
        }
    }

    /// A string without an end is bounded, and what ends or cancels it brings the text back.
    #[test]
    fn strings_without_an_end_are_bounded(
        begin in prop::sample::select(vec!["\x1b]2;", "\x1b]52;c;", "\x1bP+q", "\x1bPq", "\x1b_G", "\x1b^", "\x1bX", "\x1b[", "\x1b("]),
        filling in "[0-9a-f;]{1,40}",
        rounds in 1usize..40,
        end in prop::sample::select(vec!["\x1b\\", "\x18", "\x1a", "\x1b[m"]),
    ) {
        let mut screen = Screen::new(Size { cols: 20, rows: 2 }, HISTORY);
        screen.feed(begin.as_bytes());
        let filling = match begin {
            "\x1b[" => "0".repeat(4000),
            "\x1b(" => " ".repeat(4000),
            _ => filling.repeat(100),
        };
        for _ in 0..rounds {
            screen.feed(filling.as_bytes());
        }
        prop_assert!(weight(&screen) <= heaviest(&screen, HISTORY));
        screen.feed(end.as_bytes());
        screen.feed(b"\x1b[H\x1b[2Jback");
        prop_assert_eq!(&screen.lines()[0], "back");
    }
}

/// Sizes 0x0, 1x1 and 65535 become the nearest that there is.
#[rstest]
#[case((0, 0), (2, 1))]
#[case((1, 1), (2, 1))]
#[case((1, 9), (2, 9))]
#[case((65535, 65535), (1000, 1000))]
fn sizes_are_clamped(#[case] (cols, rows): (u16, u16), #[case] expected: (u16, u16)) {
    let mut screen = Screen::new(Size { cols: 20, rows: 4 }, 5);
    screen.feed("日本語\x1b[4;20H日x\x1b[?1049h日本".as_bytes());
    screen.resize(Size { cols, rows });
    assert_eq!((screen.size().cols, screen.size().rows), expected);
    screen.feed("\x1b[?1049l日".as_bytes());
    assert_eq!(Screen::new(Size { cols, rows }, 5).size(), screen.size());
}

/// No function repeats itself without an end: with parameters as large as they get, each is done at once.
#[test]
fn large_parameters_are_done_at_once() {
    let mut screen = Screen::new(Size { cols: 200, rows: 50 }, 100);
    screen.feed("\x1b[3ge\u{301}".as_bytes());
    let mut stream = String::new();
    for end in ('@'..='~').filter(|end| !matches!(end, 'h' | 'l' | 't')) {
        for parameter in ["65535", "65535;65535", "65535:1", "4294967297", "0"] {
            stream.push_str("\x1b[");
            stream.push_str(parameter);
            stream.push(end);
        }
    }
    stream.push_str("日\x1b[65535b👍\x1b[65535b─\x1b[65535b#\x1b[65535;1b");
    for _ in 0..20 {
        assert!(!screen.feed(stream.as_bytes()).contains(&ScreenEvent::Faulted));
    }
    screen.feed(b"\x1b[m\x1b[r\x1b[H\x1b[2J\x1b[5GA\x1b[65535Zx");
    assert_eq!(screen.lines()[0], "x   A");
}

/// Marks and links beyond the engine's room are left out, not looked for in the whole history each
/// time; what room was given back is found again.
#[test]
fn marks_and_links_are_bounded() {
    let mut screen = Screen::new(Size { cols: 400, rows: 100 }, 400);
    let mark = |n: u32| char::from_u32(0x300 + n % 100).unwrap();
    let mut text = String::new();
    for n in 0..70_000 {
        text.extend(['a', mark(n), mark(n / 100), mark(n / 10_000)]);
    }
    screen.feed(text.as_bytes());
    assert!(weight(&screen) <= heaviest(&screen, 400));
    screen.feed("\r\ne\u{301}".as_bytes());
    let last = usize::from(screen.cursor().row);
    assert_eq!(screen.lines()[last], "e");
    screen.feed(b"\x1b[2J\x1b[3J");
    screen.feed("\x1b[He\u{301}\u{302}\u{303}".repeat(2000).as_bytes());
    screen.feed("\x1b[H\x1b[Ke\u{301}".as_bytes());
    assert_eq!(screen.lines()[0], "e\u{301}");

    let mut screen = Screen::new(Size { cols: 400, rows: 100 }, 400);
    for n in 0..6000 {
        screen.feed(format!("\x1b]8;;http://x/{n:02000}\x07a").as_bytes());
    }
    assert!(weight(&screen) <= heaviest(&screen, 400));
    let mut linked = 0;
    for row in 0..100 {
        screen.row(row, &mut |cell| linked += usize::from(cell.link.is_some()));
    }
    assert!((1000..6000).contains(&linked), "{linked}");

    // What is no longer shown makes room each time that it is full, also with what a hidden primary
    // screen has: nothing of this many screens of links is left out.
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 0);
    for round in 0..10 {
        screen.feed(if round % 2 == 0 { b"\x1b[?1049l" } else { b"\x1b[?1049h" });
        for n in 0..1500 {
            screen.feed(format!("\x1b[H\x1b]8;;http://x/{round}/{n:02000}\x07a").as_bytes());
            let mut linked = false;
            screen.row(0, &mut |cell| linked |= cell.link.is_some());
            assert!(linked, "round {round}, link {n}");
        }
    }
}

/// Answers that nobody takes and events that nobody reads do not pile up.
#[test]
fn answers_and_stacks_are_bounded() {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 5);
    let title = "t".repeat(5000);
    for _ in 0..3000 {
        screen.feed(b"\x1b[c\x1b[6n\x1b]11;?\x07\x1b]7501;?\x07\x1b[>1u");
        screen.feed(format!("\x1b]99;d=0;{title}\x07").as_bytes());
    }
    for _ in 0..40 {
        screen.feed(format!("\x1b]2;{title}\x07\x1b[22t").as_bytes());
    }
    assert!(weight(&screen) <= heaviest(&screen, 5));
    assert_eq!(screen.title().len(), 1024);
    assert!(screen.feed(&[7; 5000]).len() <= 1024);
}
