use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::domain::key::{Key, Modifiers};
use crate::runtime::screen::{InputModes, MouseEncoding, MouseProtocol};

fn press(key: &str, modes: InputModes) -> String {
    bytes(key, KeyKind::Press, modes)
}

fn bytes(key: &str, kind: KeyKind, modes: InputModes) -> String {
    let key: Key = key.parse().unwrap();
    String::from_utf8(encode_key(&key, kind, &modes)).unwrap()
}

fn kitty(flags: u8) -> InputModes {
    InputModes { kitty: flags, ..InputModes::default() }
}

// xterm's control sequences, "PC-Style Function Keys" and its default for Backspace.
#[rstest]
#[case("a", "a")]
#[case("G", "G")]
#[case("S-g", "G")]
#[case("日", "日")]
#[case("Space", " ")]
#[case("C-c", "\x03")]
#[case("C-S-c", "\x03")]
#[case("C-Space", "\0")]
#[case("C-@", "\0")]
#[case("C-[", "\x1b")]
#[case("C-\\", "\x1c")]
#[case("C-]", "\x1d")]
#[case("C-^", "\x1e")]
#[case("C-_", "\x1f")]
#[case("C-/", "\x1f")]
#[case("C-?", "\x7f")]
#[case("C-1", "1")]
#[case("M-x", "\x1bx")]
#[case("M-X", "\x1bX")]
#[case("C-M-x", "\x1b\x18")]
#[case("D-k", "")]
#[case("Enter", "\r")]
#[case("S-Enter", "\r")]
#[case("M-Enter", "\x1b\r")]
#[case("Tab", "\t")]
#[case("S-Tab", "\x1b[Z")]
#[case("M-Tab", "\x1b\t")]
#[case("Backspace", "\x7f")]
#[case("C-Backspace", "\x08")]
#[case("M-Backspace", "\x1b\x7f")]
#[case("Esc", "\x1b")]
#[case("M-Esc", "\x1b\x1b")]
#[case("Up", "\x1b[A")]
#[case("S-Up", "\x1b[1;2A")]
#[case("C-M-Left", "\x1b[1;7D")]
#[case("D-Right", "\x1b[1;9C")]
#[case("Home", "\x1b[H")]
#[case("C-End", "\x1b[1;5F")]
#[case("Insert", "\x1b[2~")]
#[case("Delete", "\x1b[3~")]
#[case("PgUp", "\x1b[5~")]
#[case("S-PgDn", "\x1b[6;2~")]
#[case("F1", "\x1bOP")]
#[case("F3", "\x1bOR")]
#[case("F4", "\x1bOS")]
#[case("S-F1", "\x1b[1;2P")]
#[case("F5", "\x1b[15~")]
#[case("F6", "\x1b[17~")]
#[case("C-F11", "\x1b[23;5~")]
#[case("F12", "\x1b[24~")]
#[case("F20", "\x1b[34~")]
#[case("F30", "")]
fn legacy(#[case] key: &str, #[case] expected: &str) {
    assert_eq!(press(key, InputModes::default()), expected);
    assert_eq!(bytes(key, KeyKind::Repeat, InputModes::default()), expected);
    assert_eq!(bytes(key, KeyKind::Release, InputModes::default()), "");
}

#[rstest]
#[case("Up", "\x1bOA")]
#[case("Home", "\x1bOH")]
#[case("S-Up", "\x1b[1;2A")]
#[case("PgUp", "\x1b[5~")]
fn application_cursor(#[case] key: &str, #[case] expected: &str) {
    assert_eq!(press(key, InputModes { app_cursor: true, ..InputModes::default() }), expected);
}

#[test]
fn enter_in_newline_mode() {
    assert_eq!(press("Enter", InputModes { newline: true, ..InputModes::default() }), "\r\n");
}

#[rstest]
#[case(1, "C-c", "\x03")]
#[case(1, "C-1", "\x1b[27;5;49~")]
#[case(1, "M-x", "\x1bx")]
#[case(1, "S-Enter", "\x1b[27;2;13~")]
#[case(1, "C-Enter", "\x1b[27;5;13~")]
#[case(1, "M-Enter", "\x1b\r")]
#[case(1, "Enter", "\r")]
#[case(1, "C-Tab", "\x1b[27;5;9~")]
#[case(1, "S-Tab", "\x1b[Z")]
#[case(2, "C-c", "\x1b[27;5;99~")]
#[case(2, "C-S-c", "\x1b[27;6;67~")]
#[case(2, "M-x", "\x1b[27;3;120~")]
#[case(2, "S-a", "A")]
#[case(2, "M-Enter", "\x1b[27;3;13~")]
#[case(2, "S-Tab", "\x1b[Z")]
#[case(2, "S-Up", "\x1b[1;2A")]
#[case(2, "a", "a")]
fn modify_other_keys(#[case] level: u8, #[case] key: &str, #[case] expected: &str) {
    assert_eq!(
        press(key, InputModes { modify_other_keys: level, ..InputModes::default() }),
        expected
    );
}

// The kitty keyboard protocol, "Progressive enhancement" and "Functional key definitions".
#[rstest]
#[case(1, "a", "a")]
#[case(1, "A", "A")]
#[case(1, "Enter", "\r")]
#[case(1, "Tab", "\t")]
#[case(1, "Backspace", "\x7f")]
#[case(1, "Esc", "\x1b[27u")]
#[case(1, "C-c", "\x1b[99;5u")]
#[case(1, "C-S-c", "\x1b[99;6u")]
#[case(1, "M-x", "\x1b[120;3u")]
#[case(1, "C-Space", "\x1b[32;5u")]
#[case(1, "D-k", "\x1b[107;9u")]
#[case(1, "S-Enter", "\x1b[13;2u")]
#[case(1, "C-Enter", "\x1b[13;5u")]
#[case(1, "S-Tab", "\x1b[9;2u")]
#[case(1, "C-Backspace", "\x1b[127;5u")]
#[case(1, "F1", "\x1b[P")]
#[case(1, "F3", "\x1b[13~")]
#[case(1, "S-F3", "\x1b[13;2~")]
#[case(1, "F4", "\x1b[S")]
#[case(1, "F13", "\x1b[57376u")]
#[case(1, "F35", "\x1b[57398u")]
#[case(1, "Up", "\x1b[A")]
#[case(5, "C-S-c", "\x1b[99:67;6u")]
#[case(5, "S-a", "A")]
#[case(8, "a", "\x1b[97u")]
#[case(8, "A", "\x1b[97;2u")]
#[case(8, "Enter", "\x1b[13u")]
#[case(8, "Tab", "\x1b[9u")]
#[case(8, "Backspace", "\x1b[127u")]
#[case(24, "a", "\x1b[97;;97u")]
#[case(24, "A", "\x1b[97;2;65u")]
#[case(24, "Enter", "\x1b[13u")]
#[case(24, "C-a", "\x1b[97;5u")]
#[case(31, "A", "\x1b[97:65;2;65u")]
#[case(16, "a", "a")]
#[case(2, "C-c", "\x03")]
#[case(2, "Esc", "\x1b")]
fn kitty_presses(#[case] flags: u8, #[case] key: &str, #[case] expected: &str) {
    assert_eq!(press(key, kitty(flags)), expected);
}

#[rstest]
#[case(1, "Up", KeyKind::Repeat, "\x1b[A")]
#[case(1, "Up", KeyKind::Release, "")]
#[case(3, "Up", KeyKind::Repeat, "\x1b[1;1:2A")]
#[case(3, "Up", KeyKind::Release, "\x1b[1;1:3A")]
#[case(3, "S-Up", KeyKind::Release, "\x1b[1;2:3A")]
#[case(3, "a", KeyKind::Repeat, "a")]
#[case(3, "a", KeyKind::Release, "")]
#[case(3, "C-a", KeyKind::Release, "\x1b[97;5:3u")]
#[case(3, "Enter", KeyKind::Release, "")]
#[case(3, "S-Enter", KeyKind::Release, "")]
#[case(3, "Esc", KeyKind::Release, "\x1b[27;1:3u")]
#[case(3, "PgUp", KeyKind::Release, "\x1b[5;1:3~")]
#[case(10, "Enter", KeyKind::Release, "\x1b[13;1:3u")]
#[case(10, "a", KeyKind::Repeat, "\x1b[97;1:2u")]
#[case(26, "a", KeyKind::Release, "\x1b[97;1:3u")]
#[case(26, "a", KeyKind::Repeat, "\x1b[97;1:2;97u")]
fn kitty_events(
    #[case] flags: u8,
    #[case] key: &str,
    #[case] kind: KeyKind,
    #[case] expected: &str,
) {
    assert_eq!(bytes(key, kind, kitty(flags)), expected);
}

#[test]
fn pastes() {
    let plain = InputModes::default();
    let bracketed = InputModes { bracketed_paste: true, ..plain };
    assert_eq!(encode_paste("a\nb\r\nc\td", &plain), b"a\rb\rc\td");
    assert_eq!(encode_paste("a\nb\r\nc", &bracketed), b"\x1b[200~a\nb\nc\x1b[201~");
    assert_eq!(encode_paste("x\x1b[201~rm\x07\u{9b}y", &bracketed), b"\x1b[200~xrmy\x1b[201~");
    assert_eq!(encode_paste("x\x1b[20\x1b[201~1~y\x03", &bracketed), b"\x1b[200~x[201~y\x1b[201~");
}

proptest! {
    #[test]
    fn a_paste_ends_once(text in "(\u{1b}|\\[201~|\\[20|1~|[a-c\n]|\u{1b}\\[201~){0,12}") {
        let modes = InputModes { bracketed_paste: true, ..InputModes::default() };
        let bytes = encode_paste(&text, &modes);
        prop_assert_eq!(String::from_utf8(bytes.clone()).unwrap().matches('\u{1b}').count(), 2);
        prop_assert!(bytes.ends_with(b"\x1b[201~"));
    }
}

#[test]
fn focus_only_where_asked_for() {
    let on = InputModes { focus: true, ..InputModes::default() };
    assert_eq!(encode_focus(true, &on), Some(b"\x1b[I".to_vec()));
    assert_eq!(encode_focus(false, &on), Some(b"\x1b[O".to_vec()));
    assert_eq!(encode_focus(true, &InputModes::default()), None);
}

fn mouse(kind: MouseKind, button: MouseButton, col: u16, mods: Modifiers) -> MouseEvent {
    MouseEvent { kind, button, col, row: 2, mods }
}

#[rstest]
#[case(MouseProtocol::Click, MouseKind::Press, MouseButton::Left, "\x1b[<0;5;3M")]
#[case(MouseProtocol::Click, MouseKind::Release, MouseButton::Right, "\x1b[<2;5;3m")]
#[case(MouseProtocol::Click, MouseKind::Press, MouseButton::WheelUp, "\x1b[<64;5;3M")]
#[case(MouseProtocol::Drag, MouseKind::Motion, MouseButton::Left, "\x1b[<32;5;3M")]
#[case(MouseProtocol::Motion, MouseKind::Motion, MouseButton::None, "\x1b[<35;5;3M")]
#[case(MouseProtocol::Click, MouseKind::Motion, MouseButton::Left, "")]
#[case(MouseProtocol::Drag, MouseKind::Motion, MouseButton::None, "")]
#[case(MouseProtocol::X10, MouseKind::Release, MouseButton::Left, "")]
#[case(MouseProtocol::Click, MouseKind::Release, MouseButton::WheelUp, "")]
#[case(MouseProtocol::Off, MouseKind::Press, MouseButton::Left, "")]
fn sgr_mouse(
    #[case] protocol: MouseProtocol,
    #[case] kind: MouseKind,
    #[case] button: MouseButton,
    #[case] expected: &str,
) {
    let modes =
        InputModes { mouse: protocol, mouse_encoding: MouseEncoding::Sgr, ..InputModes::default() };
    let bytes = encode_mouse(mouse(kind, button, 4, Modifiers::NONE), &modes).unwrap_or_default();
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn old_mouse_forms() {
    let legacy = InputModes { mouse: MouseProtocol::Click, ..InputModes::default() };
    let utf8 = InputModes { mouse_encoding: MouseEncoding::Utf8, ..legacy };
    let event = |col, kind| mouse(kind, MouseButton::Middle, col, Modifiers::CTRL);
    assert_eq!(
        encode_mouse(event(4, MouseKind::Press), &legacy),
        Some(b"\x1b[M\x31\x25\x23".to_vec())
    );
    assert_eq!(
        encode_mouse(event(4, MouseKind::Release), &legacy),
        Some(b"\x1b[M\x33\x25\x23".to_vec())
    );
    assert_eq!(encode_mouse(event(222, MouseKind::Press), &legacy).unwrap()[4], 255);
    assert_eq!(encode_mouse(event(223, MouseKind::Press), &legacy), None);
    let wide = encode_mouse(event(300, MouseKind::Press), &utf8).unwrap();
    assert_eq!(
        String::from_utf8(wide).unwrap(),
        format!("\x1b[M1{}#", char::from_u32(333).unwrap())
    );
    assert_eq!(encode_mouse(event(u16::MAX, MouseKind::Press), &utf8), None);
}

#[test]
fn the_wheel_moves_in_the_alternate_screen() {
    let up = mouse(MouseKind::Press, MouseButton::WheelUp, 0, Modifiers::NONE);
    let modes = InputModes { alternate: true, alternate_scroll: true, ..InputModes::default() };
    assert_eq!(encode_mouse(up, &modes), Some(b"\x1b[A\x1b[A\x1b[A".to_vec()));
    let application = InputModes { app_cursor: true, ..modes };
    assert_eq!(encode_mouse(up, &application), Some(b"\x1bOA\x1bOA\x1bOA".to_vec()));
    assert_eq!(encode_mouse(up, &InputModes { alternate: false, ..modes }), None);
}
