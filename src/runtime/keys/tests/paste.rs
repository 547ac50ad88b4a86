//! Pastes and focus changes.

use proptest::prelude::*;

use crate::runtime::keys::*;
use crate::runtime::screen::InputModes;

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

/// Bracketed paste: what xterm cleans is cleaned: no control character but tab and line end is left,
/// bracketed or not.
#[test]
fn control_characters_are_not_pasted() {
    let all: String = (0..0xa0).filter_map(char::from_u32).collect();
    for bracketed_paste in [false, true] {
        let modes = InputModes { bracketed_paste, ..InputModes::default() };
        let pasted = String::from_utf8(encode_paste(&all, &modes)).unwrap();
        let body = pasted.strip_prefix("\x1b[200~").unwrap_or(&pasted);
        let body = body.strip_suffix("\x1b[201~").unwrap_or(body);
        let end = if bracketed_paste { '\n' } else { '\r' };
        let controls: Vec<char> = body.chars().filter(|c| c.is_control()).collect();
        assert_eq!(controls, ['\t', end, end]);
        assert_eq!(body.chars().filter(|c| !c.is_control()).count(), 95);
    }
}
