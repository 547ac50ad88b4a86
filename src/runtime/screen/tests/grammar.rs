//! What programs write: real control functions with real and unreal parameters, text of every
//! width, and noise.

use proptest::prelude::*;

use crate::runtime::screen::Size;

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

fn number(max: u16) -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..max).prop_map(|n| n.to_string()),
        2 => Just(String::new()),
        2 => Just("999".to_owned()),
        1 => Just("65535".to_owned()),
        1 => Just("99999999999".to_owned()),
    ]
}

fn csi() -> impl Strategy<Value = String> {
    let finals: Vec<char> = "ABCDEFGHIJKLMPSTXZ@`abdefgr".chars().collect();
    (number(14), number(30), prop::sample::select(finals)).prop_map(|(a, b, end)| match end {
        // Two parameters only where they are positions.
        'H' | 'f' | 'r' => format!("\x1b[{a};{b}{end}"),
        'J' | 'K' => format!("\x1b[{}{end}", a.len().min(2)),
        'g' => format!("\x1b[{}g", if a.len() == 1 { 3 } else { 0 }),
        _ => format!("\x1b[{a}{end}"),
    })
}

/// Sequences that are well formed, whatever they mean.
fn any_sequence() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "\x1b\\[[?><=!]{0,1}([0-9]{0,3}[;:]){0,3}[0-9]{0,5}[ $'\"*]{0,1}[@-~]",
        1 => "\x1b[ -/]{0,2}[0-OQ-WYZ`-~]",
    ]
}

/// Strings of every kind, whole, cancelled or without an end.
fn string() -> impl Strategy<Value = String> {
    let begin = prop::sample::select(vec!["]", "P", "_", "^", "X"]);
    let number = prop::sample::select(vec![
        "0", "1", "2", "4", "7", "8", "9", "10", "11", "12", "22", "50", "52", "99", "104", "133",
        "777", "1337", "7501", "88187", "$q", "+q", "G", "",
    ]);
    let end = prop::sample::select(vec!["\x07", "\x1b\\", "\x18", "\x1b\\", "\x07", ""]);
    (begin, number, "[;:=?a-z0-9é日 ]{0,12}", end)
        .prop_map(|(begin, number, body, end)| format!("\x1b{begin}{number};{body}{end}"))
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
        "\x1b(A",
        "\x1b)A",
        "\x1b[?5W",
        "\x1b[?1048h",
        "\x1b[?1048l",
        "\x1b[?1015h",
        "\x1b[?1015l",
        "\x1b[?9h",
        "\x1b[?1003h",
        "\x1b[?1006l",
        "\x1b[?1042l",
        "\x1b[>4;1m",
        "\x1b[>4n",
        "\x1b[=1u",
        "\x1b[=2;3u",
        "\x1b[<3u",
        "\x1b[3g",
        "\x1b[0 q",
        "\x1b[3 q",
        "\x1b]50;CursorShape=1\x07",
        "\x1b]12;#ff0000\x07",
        "\x1b]112\x07",
        "\x1b]8;;http://e.x/other\x07",
        "\x1b]133;A\x07",
        "\x1b]9;4;1;5\x07",
        "\x1b]52;c;aGk=\x07",
        "\x1b]7501;state=idle\x07",
        "\x1bP=1s\x1b\\",
        "\x1bP=2s\x1b\\",
        "\x1b_Ga=t\x1b\\",
        "\x1b^pm\x1b\\",
        "\x1bXsos\x1b\\",
        "\x1b[3\x0a;4H",
        "\x1b[2\x18",
        "\x1b]2;lost\x1a",
    ])
    .prop_map(str::to_owned)
}

/// Our own private sequence, which only a snapshot may write.
fn private() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "c=1,99,1;g=1",
        "c=99,0,1",
        "m=301,fe0f",
        "m=1f1eb",
        "g=1",
        "v=1;w=1",
        "l=7",
        "c=,;m=;l=",
    ])
    .prop_map(|state| format!("\x1b]88187;{state}\x07"))
}

/// A size that screens are given, most of them small, so that everything meets an edge.
pub(super) fn size() -> impl Strategy<Value = Size> {
    prop_oneof![
        8 => (2u16..30, 1u16..9),
        1 => prop::sample::select(vec![(0, 0), (1, 1), (1, 9), (2, 1), (0, 65535)]),
    ]
    // What is larger than a screen of these tests is clamped elsewhere.
    .prop_map(|(cols, rows)| Size { cols, rows: rows.min(300) })
}

/// A piece of output.
pub(super) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        40 => text().prop_map(String::into_bytes),
        16 => sgr().prop_map(String::into_bytes),
        24 => csi().prop_map(String::into_bytes),
        30 => fixed().prop_map(String::into_bytes),
        4 => any_sequence().prop_map(String::into_bytes),
        2 => string().prop_map(String::into_bytes),
        1 => private().prop_map(String::into_bytes),
        2 => prop::collection::vec(any::<u8>(), 1..12),
    ]
}

/// Text of wide and joined characters, which no edge may cut.
pub(super) fn wide_text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(text(), 1..8).prop_map(|parts| parts.concat().into_bytes())
}

/// What happens to a screen.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Bytes(Vec<u8>),
    Resize(Size),
}

/// A session.
pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        20 => bytes().prop_map(Step::Bytes),
        1 => size().prop_map(Step::Resize),
    ];
    prop::collection::vec(step, 1..60)
}

/// A storm of resizes with little between them.
pub(super) fn storm() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => wide_text().prop_map(Step::Bytes),
        1 => bytes().prop_map(Step::Bytes),
        4 => size().prop_map(Step::Resize),
    ];
    prop::collection::vec(step, 1..40)
}
