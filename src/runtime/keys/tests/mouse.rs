//! Mouse protocols and encodings, after xterm's control sequences.

use rstest::rstest;

use crate::domain::key::Modifiers;
use crate::runtime::keys::*;
use crate::runtime::screen::{InputModes, MouseEncoding, MouseProtocol};

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

/// Mode 1015: as numbers, without the button that was released, and with no highest column.
#[rstest]
#[case(MouseKind::Press, MouseButton::Left, 4, Modifiers::NONE, "\x1b[32;5;3M")]
#[case(MouseKind::Release, MouseButton::Right, 4, Modifiers::NONE, "\x1b[35;5;3M")]
#[case(MouseKind::Motion, MouseButton::Left, 4, Modifiers::SHIFT, "\x1b[68;5;3M")]
#[case(MouseKind::Press, MouseButton::WheelDown, 999, Modifiers::CTRL, "\x1b[113;1000;3M")]
fn urxvt_mouse(
    #[case] kind: MouseKind,
    #[case] button: MouseButton,
    #[case] col: u16,
    #[case] mods: Modifiers,
    #[case] expected: &str,
) {
    let modes = InputModes {
        mouse: MouseProtocol::Motion,
        mouse_encoding: MouseEncoding::Urxvt,
        ..InputModes::default()
    };
    assert_eq!(encode_mouse(mouse(kind, button, col, mods), &modes), Some(expected.into()));
}

/// Which events each protocol tells: presses, releases, motion with and without a button, the wheel.
#[rstest]
#[case(MouseProtocol::Off, "-----")]
#[case(MouseProtocol::X10, "p----")]
#[case(MouseProtocol::Click, "pr--w")]
#[case(MouseProtocol::Drag, "prd-w")]
#[case(MouseProtocol::Motion, "prdmw")]
fn what_a_protocol_tells(#[case] protocol: MouseProtocol, #[case] expected: &str) {
    let events = [
        ('p', MouseKind::Press, MouseButton::Left),
        ('r', MouseKind::Release, MouseButton::Left),
        ('d', MouseKind::Motion, MouseButton::Left),
        ('m', MouseKind::Motion, MouseButton::None),
        ('w', MouseKind::Press, MouseButton::WheelUp),
    ];
    for encoding in
        [MouseEncoding::Legacy, MouseEncoding::Utf8, MouseEncoding::Urxvt, MouseEncoding::Sgr]
    {
        let modes =
            InputModes { mouse: protocol, mouse_encoding: encoding, ..InputModes::default() };
        let told: String = events
            .iter()
            .map(|(letter, kind, button)| {
                let event = mouse(*kind, *button, 0, Modifiers::NONE);
                encode_mouse(event, &modes).map_or('-', |_| *letter)
            })
            .collect();
        assert_eq!(told, expected, "{encoding:?}");
    }
}

#[rstest]
#[case(MouseButton::Left, Modifiers::SHIFT, 4)]
#[case(MouseButton::Middle, Modifiers::ALT, 9)]
#[case(MouseButton::Right, Modifiers::CTRL, 18)]
#[case(MouseButton::WheelUp, Modifiers::NONE, 64)]
#[case(MouseButton::WheelDown, Modifiers::NONE, 65)]
#[case(MouseButton::WheelLeft, Modifiers::NONE, 66)]
#[case(MouseButton::WheelRight, Modifiers { ctrl: true, alt: true, shift: true, sup: false }, 95)]
fn buttons_and_modifiers(#[case] button: MouseButton, #[case] mods: Modifiers, #[case] code: u16) {
    let modes = InputModes { mouse: MouseProtocol::Click, ..InputModes::default() };
    let sgr = InputModes { mouse_encoding: MouseEncoding::Sgr, ..modes };
    let event = mouse(MouseKind::Press, button, 0, mods);
    assert_eq!(encode_mouse(event, &sgr), Some(format!("\x1b[<{code};1;3M").into_bytes()));
    let old = [b"\x1b[M".as_slice(), &[code as u8 + 32, 33, 35]].concat();
    assert_eq!(encode_mouse(event, &modes), Some(old));
    // Mode 9 has no modifiers.
    let plain = InputModes { mouse: MouseProtocol::X10, ..modes };
    let expected = (code < 64).then(|| vec![0x1b, b'[', b'M', (code & 3) as u8 + 32, 33, 35]);
    assert_eq!(encode_mouse(event, &plain), expected);
}
