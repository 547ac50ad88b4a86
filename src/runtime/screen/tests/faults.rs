//! What the engine gets wrong by itself, and what it does not know, repaired around it: one case for
//! each of its measured faults.

use rstest::rstest;

use crate::runtime::screen::*;

const SIZE: Size = Size { cols: 20, rows: 4 };

fn fed(bytes: &str) -> Screen {
    let mut screen = Screen::new(SIZE, 10);
    screen.feed(bytes.as_bytes());
    screen
}

fn cells(screen: &Screen) -> Vec<(String, Style, Option<String>)> {
    let mut cells = Vec::new();
    screen.row(0, &mut |cell| {
        cells.push((cell.text.to_owned(), cell.style, cell.link.map(str::to_owned)));
    });
    cells
}

#[rstest]
#[case::ed_1_clears_the_first_row("aaa\r\nbbb\r\nccc\x1b[2;2H\x1b[1J", "|  b|ccc|")]
#[case::lnm_returns("\x1b[20hab\ncd\x1b[20l\nef", "ab|cd|  ef|")]
#[case::tab_leaves_blanks("a\tb\rc", "c       b|||")]
#[case::tab_keeps_what_it_passes("a234\r\tb", "a234    b|||")]
#[case::back_tab_without_stops_goes_to_the_first_column("\x1b[3gabc\x1b[Zx", "xbc|||")]
#[case::tab_without_stops_goes_to_the_last_column("\x1b[3g\tx", "                   x|||")]
#[case::decst8c_sets_stops_again("\x1b[3g\x1b[?5W\tx\x1b[2Zy", "y       x|||")]
#[case::british_pound("\x1b(A#a\x1b(B#", "£a#|||")]
#[case::british_in_g1("\x1b)A#\x0e#\x0f#", "#£#|||")]
#[case::british_ends_with_line_drawing("\x1b(A#\x1b(0q", "£─|||")]
#[case::british_is_saved("\x1b(A\x1b7\x1b(B#\x1b8#", "£|||")]
#[case::british_ends_with_a_soft_reset("\x1b(A\x1b[!p#", "#|||")]
#[case::british_stays_with_its_screen("\x1b(A\x1b[?1049h\x1b(B#\x1b[?1049l#", "£|||")]
#[case::british_in_other_text("\x1b(Aé#é", "é£é|||")]
#[case::british_is_repeated("\x1b(A#\x1b[2b", "£££|||")]
#[case::repeat_wraps("\x1b[1;19H=\x1b[3b", "                  ==|==||")]
#[case::repeat_of_drawing("\x1b(0q\x1b[2b", "───|||")]
#[case::repeat_of_wide("日\x1b[2b", "日日日|||")]
#[case::repeat_in_insert_mode("ab\x1b[4h\rx\x1b[2b", "xxxab|||")]
#[case::repeat_of_nothing("\x1b[5bx", "x|||")]
#[case::repeat_with_more_parameters("a\x1b[2;7bx", "aaax|||")]
#[case::controls_inside_act_at_once("a\x1b[3\nb", "a| aaa||")]
#[case::saved_charset_in_use("\x1b)0\x0e\x1b7\x0f\x1b8q", "─|||")]
#[case::saved_origin_mode("\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[Hx", "|x||")]
#[case::a_soft_reset_moves_nothing("ab\x1b[4h\x1b[!pc\rx", "xbc|||")]
#[case::screen_47("ab\x1b[?47hX\x1b[?47lc", "abc|||")]
#[case::screen_1047("ab\x1b[?1047hX\x1b[?1047lc", "abc|||")]
#[case::screen_1049_restores_the_cursor("ab\x1b[?1049h\x1b[3;3HX\x1b[?1049lc", "abc|||")]
fn shown(#[case] bytes: &str, #[case] expected: &str) {
    assert_eq!(fed(bytes).lines().join("|"), expected);
}

#[rstest]
#[case::up_stops_at_the_margin("\x1b[2;3r\x1b[3;1H\x1b[9A", (1, 0))]
#[case::down_stops_at_the_margin("\x1b[2;3r\x1b[2;1H\x1b[9B", (2, 0))]
#[case::up_above_the_region("\x1b[3;4r\x1b[2;5H\x1b[9A", (0, 4))]
#[case::down_below_the_region("\x1b[1;2r\x1b[3;5H\x1b[9B", (3, 4))]
#[case::next_line_stops_at_the_margin("\x1b[2;3r\x1b[2;5H\x1b[9E", (2, 0))]
#[case::previous_line_stops_at_the_margin("\x1b[2;3r\x1b[3;5H\x1b[9F", (1, 0))]
#[case::column_in_origin_mode("\x1b[2;3r\x1b[?6h\x1b[2;1H\x1b[5G", (2, 4))]
#[case::screen_1047_keeps_the_cursor("ab\x1b[?1047h", (0, 2))]
fn placed(#[case] bytes: &str, #[case] (row, col): (u16, u16)) {
    let cursor = fed(bytes).cursor();
    assert_eq!((cursor.row, cursor.col), (row, col));
}

#[rstest]
#[case::position_in_origin_mode("\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R")]
#[case::position_with_a_pending_wrap("\x1b[2;20Hx\x1b[6n", "\x1b[2;20R")]
#[case::extended_position("\x1b[3;5H\x1b[?6n", "\x1b[?3;5R")]
#[case::setting_pen("\x1b[1;38;5;9;4:3m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;91m\x1b\\")]
#[case::setting_region("\x1b[2;3r\x1bP$qr\x1b\\", "\x1bP1$r2;3r\x1b\\")]
#[case::setting_unknown("\x1bP$qx\x1b\\", "\x1bP0$r\x1b\\")]
#[case::cursor_colour("\x1b]12;#102030\x07\x1b]12;?\x1b\\", "\x1b]12;rgb:1010/2020/3030\x1b\\")]
#[case::colours_in_one(
    "\x1b]10;?;?\x07",
    "\x1b]10;rgb:d0d0/d0d0/d0d0\x07\x1b]11;rgb:0000/0000/0000\x07"
)]
#[case::palette_reset(
    "\x1b]4;1;#102030\x07\x1b]104;1\x07\x1b]4;1;?\x07",
    "\x1b]4;1;rgb:cdcd/0000/0000\x07"
)]
#[case::kitty_flags(
    "\x1b[=5u\x1b[?u\x1b[=2;2u\x1b[?u\x1b[=1;3u\x1b[?u",
    "\x1b[?5u\x1b[?7u\x1b[?6u"
)]
#[case::kitty_flags_are_five("\x1b[>255u\x1b[?u", "\x1b[?31u")]
#[case::kitty_pops_no_more_than_there_is(
    "\x1b[>1u\x1b[>3u\x1b[<u\x1b[?u\x1b[<9u\x1b[?u",
    "\x1b[?1u\x1b[?0u"
)]
#[case::kitty_stack_of_the_alternate_screen(
    "\x1b[?1049h\x1b[>9u\x1b[?1049l\x1b[?1049h\x1b[?u",
    "\x1b[?0u"
)]
#[case::other_keys("\x1b[>4;2m\x1b[?4m\x1b[>4m\x1b[?4m", "\x1b[>4;2m\x1b[>4;0m")]
#[case::other_keys_off("\x1b[>4;1m\x1b[>4n\x1b[?4m", "\x1b[>4;0m")]
#[case::other_resources("\x1b[>4;1m\x1b[>1;2m\x1b[>4;9m\x1b[?4m", "\x1b[>4;1m")]
#[case::all_resources("\x1b[>4;1m\x1b[>m\x1b[?4m", "\x1b[>4;0m")]
#[case::dark("\x1b[?996n", "\x1b[?997;1n")]
#[case::light("\x1b]11;#eee\x07\x1b[?996n", "\x1b[?997;2n")]
#[case::sync_by_dcs(
    "\x1bP=1s\x1b\\\x1b[?2026$p\x1bP=2s\x1b\\\x1b[?2026$p",
    "\x1b[?2026;1$y\x1b[?2026;2$y"
)]
#[case::ansi_modes(
    "\x1b[4$p\x1b[4h\x1b[4$p\x1b[20$p\x1b[2$p",
    "\x1b[4;2$y\x1b[4;1$y\x1b[20;2$y\x1b[2;0$y"
)]
#[case::clipboard_reads_are_not_answered("\x1b]52;c;?\x07", "")]
#[case::titles_are_not_told("\x1b]2;x\x07\x1b[21t", "")]
#[case::images_are_not_offered("\x1b_Gi=1,a=q;AAAA\x1b\\\x1b[?1;1;0S", "")]
fn answered(#[case] bytes: &str, #[case] expected: &str) {
    assert_eq!(String::from_utf8(fed(bytes).take_replies()).unwrap(), expected);
}

/// DECRQM: 1 set, 2 reset, 4 never set, 0 unknown. What is not offered is said to be unknown: pixels
/// (1016), news of the colour scheme (2031) and of the size (2048).
#[rstest]
fn modes_are_told(
    #[values(1, 6, 9, 12, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004, 2026)]
    mode: u16,
) {
    let asked = format!("\x1b[?{mode}$p\x1b[?{mode}h\x1b[?{mode}$p\x1b[?{mode}l\x1b[?{mode}$p");
    let told = [2, 1, 2].map(|state| format!("\x1b[?{mode};{state}$y")).concat();
    assert_eq!(String::from_utf8(fed(&asked).take_replies()).unwrap(), told);
}

#[rstest]
#[case(7, 1)]
#[case(25, 1)]
#[case(1007, 1)]
#[case(2027, 1)]
#[case(3, 4)]
#[case(80, 0)]
#[case(1016, 0)]
#[case(2031, 0)]
#[case(2048, 0)]
fn modes_are_told_at_the_start(#[case] mode: u16, #[case] state: u8) {
    let reply = fed(&format!("\x1b[?{mode}$p")).take_replies();
    assert_eq!(String::from_utf8(reply).unwrap(), format!("\x1b[?{mode};{state}$y"));
}

#[test]
fn sgr_21_is_a_double_underline_and_keeps_bold() {
    let (_, style, _) = cells(&fed("\x1b[1;21mx")).swap_remove(0);
    assert_eq!(style, Style { bold: true, underline: Underline::Double, ..Style::default() });
}

#[test]
fn a_link_may_hold_semicolons() {
    let (_, _, link) = cells(&fed("\x1b]8;id=a;http://e/x;y;z\x1b\\t")).swap_remove(0);
    assert_eq!(link.as_deref(), Some("http://e/x;y;z"));
}

#[test]
fn a_link_that_is_too_long_links_nothing() {
    let long = "x".repeat(3000);
    let screen = fed(&format!("\x1b]8;;http://e/\x07a\x1b]8;;http://e/{long}\x07b\x1b]8;;\x07"));
    let links: Vec<_> = cells(&screen).into_iter().map(|cell| cell.2).take(2).collect();
    assert_eq!(links, [Some("http://e/".to_owned()), None]);
}

#[test]
fn a_tab_is_drawn_as_blanks() {
    let screen = fed("a\tb");
    assert!(cells(&screen).iter().all(|(text, _, _)| text != "\t"));
}

/// DECSTR.
#[test]
fn a_soft_reset_resets_what_it_should() {
    let screen = fed(
        "\x1b[2;3r\x1b[?6h\x1b[?1h\x1b=\x1b[?25l\x1b[?7l\x1b[4h\x1b[1m\x1b(0\x1b[!p\x1b[4;20Hqq\x1b8x",
    );
    let modes = screen.modes();
    assert!(!modes.app_cursor && !modes.app_keypad && screen.cursor().visible);
    // Region, origin, wrap, insertion, charset, pen and saved cursor are as at the start.
    assert_eq!(screen.lines(), ["x", "", "                   q", "q"]);
    assert_eq!(cells(&screen)[0].1, Style::default());
}

#[rstest]
#[case("", CursorShape::Block, "2")]
#[case("\x1b[0 q", CursorShape::Block, "2")]
#[case("\x1b[1 q", CursorShape::Block, "1")]
#[case("\x1b[2 q", CursorShape::Block, "2")]
#[case("\x1b[3 q", CursorShape::Underline, "3")]
#[case("\x1b[4 q", CursorShape::Underline, "4")]
#[case("\x1b[5 q", CursorShape::Bar, "5")]
#[case("\x1b[6 q", CursorShape::Bar, "6")]
#[case("\x1b[4 q\x1b[9 q", CursorShape::Underline, "4")]
#[case("\x1b[?12h", CursorShape::Block, "1")]
fn cursor_shapes(#[case] bytes: &str, #[case] shape: CursorShape, #[case] told: &str) {
    let mut screen = fed(&format!("{bytes}\x1bP$q q\x1b\\"));
    assert_eq!(screen.cursor().shape, shape);
    assert_eq!(screen.take_replies(), format!("\x1bP1$r{told} q\x1b\\").into_bytes());
}

#[rstest]
#[case("9", MouseProtocol::X10)]
#[case("1000", MouseProtocol::Click)]
#[case("1002", MouseProtocol::Drag)]
#[case("1003", MouseProtocol::Motion)]
#[case("1000;1002;1003", MouseProtocol::Motion)]
fn mouse_protocols(#[case] mode: &str, #[case] protocol: MouseProtocol) {
    let mut screen = fed(&format!("\x1b[?{mode}h"));
    assert_eq!(screen.modes().mouse, protocol);
    screen.feed(format!("\x1b[?{mode}l").as_bytes());
    assert_eq!(screen.modes().mouse, MouseProtocol::Off);
}

#[rstest]
#[case("1005", MouseEncoding::Utf8)]
#[case("1015", MouseEncoding::Urxvt)]
#[case("1006", MouseEncoding::Sgr)]
#[case("1006;1015", MouseEncoding::Sgr)]
#[case("1015;1006", MouseEncoding::Sgr)]
#[case("1016", MouseEncoding::Legacy)]
fn mouse_encodings(#[case] mode: &str, #[case] encoding: MouseEncoding) {
    let mut screen = fed(&format!("\x1b[?{mode}h"));
    assert_eq!(screen.modes().mouse_encoding, encoding);
    screen.feed(format!("\x1b[?{mode}l").as_bytes());
    assert_eq!(screen.modes().mouse_encoding, MouseEncoding::Legacy);
}

#[test]
fn input_modes() {
    let start = fed("").modes();
    assert_eq!(start, InputModes { alternate_scroll: true, ..InputModes::default() });
    let on = fed("\x1b[?1;1004;2004;1049h\x1b[?1007l\x1b[20h\x1b=\x1b[>5u\x1b[>4;2m").modes();
    let expected = InputModes {
        app_cursor: true,
        app_keypad: true,
        newline: true,
        bracketed_paste: true,
        focus: true,
        alternate: true,
        alternate_scroll: false,
        kitty: 5,
        modify_other_keys: 2,
        ..InputModes::default()
    };
    assert_eq!(on, expected);
    assert_eq!(
        fed("\x1b[?1;1004;2004;1015h\x1b[?1007l\x1b[20h\x1b=\x1b[>5u\x1b[>4;2m\x1bc").modes(),
        start
    );
}

/// Mode 2026: a program that never lets go is let go of by a new size and a full reset, and otherwise by
/// whoever holds the frame.
#[test]
fn a_held_frame_is_let_go_of() {
    let mut screen = fed("\x1b[?2026h");
    assert!(screen.synchronized());
    screen.feed(b"\x1b[?2026l");
    assert!(!screen.synchronized());
    screen.feed(b"\x1b[?2026h\x1bc");
    assert!(!screen.synchronized());
    screen.feed(b"\x1b[?2026h");
    screen.resize(Size { cols: 30, rows: 4 });
    assert!(!screen.synchronized());
}

#[rstest]
#[case("\x1b]9;4;1;250\x07", 1, 100)]
#[case("\x1b]9;4;1;999\x07", 1, 100)]
#[case("\x1b]9;4;0;0\x07", 0, 0)]
#[case("\x1b]9;4;2\x07", 2, 0)]
#[case("\x1b]9;4;4;x\x07", 4, 0)]
fn progress(#[case] bytes: &str, #[case] state: u8, #[case] percent: u8) {
    let events = Screen::new(SIZE, 0).feed(bytes.as_bytes());
    assert_eq!(events, [ScreenEvent::Progress { state, percent }]);
}

/// A row that scrolled in has the pen in its blanks: they are nothing that a new width could wrap.
#[test]
fn blanks_do_not_become_rows() {
    let mut screen = Screen::new(SIZE, 50);
    screen.feed(b"\x1b[1ma\r\nb\r\nc\r\nd\r\ne\r\nf");
    screen.resize(Size { cols: 3, rows: 4 });
    assert_eq!(screen.lines(), ["c", "d", "e", "f"]);
    assert_eq!(screen.scrollback(9), ["a", "b"]);
}

/// What is cut off is replaced, however many are cut off one after the other.
#[test]
fn cut_characters_are_replaced() {
    let mut screen = Screen::new(SIZE, 0);
    screen.feed(b"\xc2\xc2\xe2\x82\xc2");
    screen.feed(b"x");
    assert_eq!(screen.lines()[0], "\u{fffd}\u{fffd}\u{fffd}\u{fffd}x");
    let text = "日本".repeat(20);
    let mut screen = Screen::new(Size { cols: 90, rows: 1 }, 0);
    screen.feed(&[text.as_bytes(), b"\xc0\x1b[m"].concat());
    assert_eq!(screen.lines()[0], format!("{text}\u{fffd}"));
}
