//! replay(snapshot(s)) equals s, and nothing panics.

use proptest::prelude::*;

use super::normal::normal;
use crate::runtime::screen::*;

/// History kept in these tests: small, so that it overflows.
const HISTORY: usize = 12;

#[derive(Debug, Clone)]
enum Step {
    Bytes(Vec<u8>),
    Resize(Size),
}

fn number(max: u16) -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..max).prop_map(|n| n.to_string()),
        1 => Just(String::new()),
        1 => Just("999".to_owned()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z #~q_]{1,14}",
        2 => prop::collection::vec(
            prop::sample::select(vec![
                "日", "本", "é", "e\u{301}", "─", "👩\u{200d}💻", "👍🏽", "❤\u{fe0f}", "🇫🇷", "1\u{fe0f}\u{20e3}",
                "\u{301}", "\u{1112}\u{1161}", "🚀", "각",
            ]),
            1..6,
        )
        .prop_map(|parts| parts.concat()),
    ]
}

fn sgr() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "0",
        "",
        "1",
        "2",
        "3",
        "4",
        "4:3",
        "21",
        "5",
        "7",
        "8",
        "9",
        "22",
        "24",
        "27",
        "31",
        "92",
        "44",
        "103",
        "38;5;200",
        "48;5;17",
        "38;2;1;2;3",
        "48:2::4:5:6",
        "58:5:9",
        "58:2::1:2:3",
        "59",
        "39",
        "49",
        "1;31;42",
    ])
    .prop_map(|p| format!("\x1b[{p}m"))
}

fn csi() -> impl Strategy<Value = String> {
    let finals: Vec<char> = "ABCDEFGHIJKLMPSTXZ@`abdefgr".chars().collect();
    (number(14), number(30), prop::sample::select(finals)).prop_map(|(a, b, end)| match end {
        // Two parameters only where they are positions.
        'H' | 'f' | 'r' => format!("\x1b[{a};{b}{end}"),
        'J' | 'K' => format!("\x1b[{}{end}", a.len().min(2)),
        'g' => format!("\x1b[{}g", if a.len() == 1 { 3 } else { 0 }),
        'b' => format!("\x1b[{}b", a.len() * 2),
        _ => format!("\x1b[{a}{end}"),
    })
}

fn fixed() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "\r\n",
        "\r\n",
        "\n",
        "\r",
        "\t",
        "\x08",
        "\x0e",
        "\x0f",
        "\x07",
        "\x1b7",
        "\x1b8",
        "\x1bM",
        "\x1bD",
        "\x1bE",
        "\x1bH",
        "\x1b(0",
        "\x1b(B",
        "\x1b)0",
        "\x1b)B",
        "\x1b=",
        "\x1b>",
        "\x1b#8",
        "\x1b[!p",
        "\x1b[s",
        "\x1b[u",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[?1047h",
        "\x1b[?1047l",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[20h",
        "\x1b[20l",
        "\x1b[?25l",
        "\x1b[?25h",
        "\x1b[?1h",
        "\x1b[?1000h",
        "\x1b[?1002h",
        "\x1b[?1003l",
        "\x1b[?1006h",
        "\x1b[?1005h",
        "\x1b[?1004h",
        "\x1b[?2004h",
        "\x1b[?2026h",
        "\x1b[?2026l",
        "\x1b[?1007l",
        "\x1b[?12h",
        "\x1b[2 q",
        "\x1b[5 q",
        "\x1b[>1u",
        "\x1b[>5u",
        "\x1b[<u",
        "\x1b[=3;2u",
        "\x1b[>4;2m",
        "\x1b[>4m",
        "\x1b[22t",
        "\x1b[23t",
        "\x1b]2;one\x07",
        "\x1b]0;two; 2\x1b\\",
        "\x1b]8;;http://e.x/a;b\x07",
        "\x1b]8;id=7;http://e.x\x1b\\",
        "\x1b]8;;\x07",
        "\x1b]4;3;#102030\x07",
        "\x1b]11;rgb:10/20/30\x07",
        "\x1b]104\x07",
        "\x1b]111\x07",
        "\x1bc",
        "\x1b[2J",
        "\x1b[3J",
        "\x1b[c",
        "\x1b[6n",
        "\x1b[41m\x1b[K",
        "\x1b[?2027l",
        "\x1b[?2027h",
        "\x1b[1;31",
        "\x1b]2;unfinish",
        "\x1b",
        "\x1bP$q",
    ])
    .prop_map(str::to_owned)
}

/// Our own private sequence, where only a snapshot would not write it.
fn private() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![
        "c=1,99,1;g=1",
        "c=99,0,1",
        "m=301,fe0f",
        "m=1f1eb",
        "g=1",
        "v=1;w=1",
        "c=,;m=;l=",
    ])
    .prop_map(|state| format!("\x1b]88187;{state}\x07").into_bytes())
}

fn size() -> impl Strategy<Value = Size> {
    (2u16..30, 1u16..9).prop_map(|(cols, rows)| Size { cols, rows })
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        5 => text().prop_map(String::into_bytes),
        2 => sgr().prop_map(String::into_bytes),
        3 => csi().prop_map(String::into_bytes),
        3 => fixed().prop_map(String::into_bytes),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        20 => bytes().prop_map(Step::Bytes),
        1 => size().prop_map(Step::Resize),
    ];
    prop::collection::vec(step, 1..60)
}

fn play(screen: &mut Screen, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Bytes(bytes) => {
                let events = screen.feed(bytes);
                assert!(
                    !events.contains(&ScreenEvent::Faulted),
                    "fault at {:?}",
                    String::from_utf8_lossy(bytes)
                );
            }
            Step::Resize(size) => screen.resize(*size),
        }
    }
}

fn replayed(screen: &mut Screen) -> (Screen, Vec<u8>) {
    let snapshot = screen.snapshot(HISTORY);
    let mut copy = Screen::new(screen.size(), HISTORY);
    let events = copy.feed(&snapshot);
    assert!(!events.contains(&ScreenEvent::Faulted));
    (copy, snapshot)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replayed_snapshot_is_the_screen(first in size(), steps in steps(), tail in prop::collection::vec(bytes(), 0..12)) {
        let mut screen = Screen::new(first, HISTORY);
        play(&mut screen, &steps);
        let (mut copy, snapshot) = replayed(&mut screen);
        let (was, is) = (normal(&screen), normal(&copy));
        prop_assert!(was == is, "was:\n{was}\nis:\n{is}\nby {:?}", String::from_utf8_lossy(&snapshot));
        // What cannot be read shows in what follows.
        for bytes in tail {
            screen.feed(&bytes);
            copy.feed(&bytes);
        }
        let (was, is) = (normal(&screen), normal(&copy));
        prop_assert!(was == is, "after the tail, was:\n{was}\nis:\n{is}\nby {:?}", String::from_utf8_lossy(&snapshot));
    }

    #[test]
    fn splits_do_not_matter(first in size(), parts in prop::collection::vec(bytes(), 1..40), cut in 1usize..7) {
        let stream = parts.concat();
        let mut whole = Screen::new(first, HISTORY);
        let events = whole.feed(&stream);
        let mut split = Screen::new(first, HISTORY);
        let split_events: Vec<_> = stream.chunks(cut).flat_map(|part| split.feed(part)).collect();
        prop_assert_eq!(normal(&whole), normal(&split));
        prop_assert_eq!(events, split_events);
        prop_assert_eq!(whole.take_replies(), split.take_replies());
    }

    #[test]
    fn any_bytes_at_any_size(
        parts in prop::collection::vec((any::<[u8; 24]>(), prop_oneof![3 => bytes(), 1 => private()], any::<(u16, u16)>()), 1..20),
        edge in prop::sample::select(vec![(0, 0), (1, 1), (65535, 1), (1, 65535), (2, 1)]),
    ) {
        let mut screen = Screen::new(Size { cols: edge.0, rows: edge.1 }, HISTORY);
        for (noise, sequence, (cols, rows)) in parts {
            for bytes in [&noise[..], &sequence[..]] {
                prop_assert!(!screen.feed(bytes).contains(&ScreenEvent::Faulted));
            }
            screen.resize(Size { cols: cols % 40, rows: rows % 12 });
            let size = screen.size();
            let cursor = screen.cursor();
            prop_assert!(cursor.row < size.rows && cursor.col < size.cols);
            prop_assert_eq!(screen.lines().len(), usize::from(size.rows));
        }
        let _ = screen.snapshot(HISTORY);
    }
}
