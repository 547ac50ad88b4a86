//! Keys (`spec/runtime.md`), against xterm's control sequences and the kitty keyboard protocol.

use rstest::rstest;

use crate::domain::key::Key;
use crate::runtime::keys::*;
use crate::runtime::screen::InputModes;

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
#[case("F2", "\x1bOQ")]
#[case("C-F3", "\x1b[1;5R")]
#[case("M-F4", "\x1b[1;3S")]
#[case("F7", "\x1b[18~")]
#[case("F8", "\x1b[19~")]
#[case("F9", "\x1b[20~")]
#[case("F10", "\x1b[21~")]
#[case("F13", "\x1b[25~")]
#[case("F15", "\x1b[28~")]
#[case("F16", "\x1b[29~")]
#[case("F17", "\x1b[31~")]
#[case("M-PgUp", "\x1b[5;3~")]
#[case("C-Delete", "\x1b[3;5~")]
#[case("C-S-Insert", "\x1b[2;6~")]
#[case("M-Up", "\x1b[1;3A")]
#[case("C-Down", "\x1b[1;5B")]
#[case("C-S-Right", "\x1b[1;6C")]
#[case("C-M-S-Home", "\x1b[1;8H")]
#[case("S-Esc", "\x1b")]
#[case("C-Esc", "\x1b")]
#[case("C-Enter", "\r")]
#[case("C-M-Enter", "\x1b\r")]
#[case("C-Tab", "\t")]
#[case("C-S-Tab", "\x1b[Z")]
#[case("M-S-Tab", "\x1b\x1b[Z")]
#[case("S-Backspace", "\x7f")]
#[case("C-M-Backspace", "\x1b\x08")]
#[case("M-Space", "\x1b ")]
#[case("C-M-Space", "\x1b\0")]
#[case("C-0", "0")]
#[case("C-2", "\0")]
#[case("C-3", "\x1b")]
#[case("C-4", "\x1c")]
#[case("C-5", "\x1d")]
#[case("C-6", "\x1e")]
#[case("C-7", "\x1f")]
#[case("C-8", "\x7f")]
#[case("C-9", "9")]
#[case("C-~", "\x1e")]
#[case("C-`", "\0")]
#[case("C-a", "\x01")]
#[case("C-z", "\x1a")]
#[case("C-M-S-c", "\x1b\x03")]
#[case("é", "é")]
#[case("ф", "ф")]
#[case("S-ф", "Ф")]
#[case("M-ф", "\x1bф")]
#[case("C-ф", "ф")]
#[case("S-ß", "ß")]
fn legacy(#[case] key: &str, #[case] expected: &str) {
    assert_eq!(press(key, InputModes::default()), expected);
    assert_eq!(bytes(key, KeyKind::Repeat, InputModes::default()), expected);
    assert_eq!(bytes(key, KeyKind::Release, InputModes::default()), "");
}

#[rstest]
#[case("Up", "\x1bOA")]
#[case("Down", "\x1bOB")]
#[case("Right", "\x1bOC")]
#[case("Left", "\x1bOD")]
#[case("End", "\x1bOF")]
#[case("Home", "\x1bOH")]
#[case("M-Left", "\x1b[1;3D")]
#[case("F1", "\x1bOP")]
#[case("S-Up", "\x1b[1;2A")]
#[case("PgUp", "\x1b[5~")]
fn application_cursor(#[case] key: &str, #[case] expected: &str) {
    assert_eq!(press(key, InputModes { app_cursor: true, ..InputModes::default() }), expected);
}

/// DECCKM is of the old protocol: with kitty flags that change keys, arrows are `CSI`.
#[rstest]
#[case(0, "\x1bOA")]
#[case(1, "\x1b[A")]
#[case(2, "\x1b[A")]
#[case(4, "\x1bOA")]
#[case(8, "\x1b[A")]
#[case(16, "\x1bOA")]
fn application_cursor_under_kitty_flags(#[case] flags: u8, #[case] expected: &str) {
    assert_eq!(press("Up", InputModes { app_cursor: true, ..kitty(flags) }), expected);
}

/// A key of the keypad is the key that it shows, as with Num Lock, in application mode too.
#[rstest]
#[case("5", "5")]
#[case("Enter", "\r")]
#[case("+", "+")]
fn application_keypad(#[case] key: &str, #[case] expected: &str) {
    assert_eq!(press(key, InputModes { app_keypad: true, ..InputModes::default() }), expected);
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
#[case(1, "S-Tab", "\x1b[Z")]
#[case(1, "C-S-Tab", "\x1b[27;6;9~")]
#[case(1, "C-Backspace", "\x08")]
#[case(1, "M-Backspace", "\x1b\x7f")]
#[case(1, "S-Space", " ")]
#[case(1, "C-Space", "\0")]
#[case(1, "C-[", "\x1b")]
#[case(1, "C-2", "\0")]
#[case(1, "C-;", "\x1b[27;5;59~")]
#[case(1, "C-M-;", "\x1b[27;7;59~")]
#[case(1, "C-ф", "\x1b[27;5;1092~")]
#[case(1, "Esc", "\x1b")]
#[case(1, "Up", "\x1b[A")]
#[case(2, "S-Space", "\x1b[27;2;32~")]
#[case(2, "Space", " ")]
#[case(2, "C-Space", "\x1b[27;5;32~")]
#[case(2, "C-Backspace", "\x1b[27;5;127~")]
#[case(2, "Backspace", "\x7f")]
#[case(2, "Tab", "\t")]
#[case(2, "Enter", "\r")]
#[case(2, "C-M-x", "\x1b[27;7;120~")]
#[case(2, "M-ф", "\x1b[27;3;1092~")]
#[case(2, "F1", "\x1bOP")]
#[case(2, "C-F5", "\x1b[15;5~")]
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
#[case(1, "Space", " ")]
#[case(1, "S-Space", " ")]
#[case(1, "M-Space", "\x1b[32;3u")]
#[case(1, "C-M-S-x", "\x1b[120;8u")]
#[case(1, "C-M-D-x", "\x1b[120;15u")]
#[case(1, "C-[", "\x1b[91;5u")]
#[case(1, "C-i", "\x1b[105;5u")]
#[case(1, "C-m", "\x1b[109;5u")]
#[case(1, "C-S-2", "\x1b[50;6u")]
#[case(1, "M-Enter", "\x1b[13;3u")]
#[case(1, "M-Backspace", "\x1b[127;3u")]
#[case(1, "C-Tab", "\x1b[9;5u")]
#[case(1, "M-Esc", "\x1b[27;3u")]
#[case(1, "F2", "\x1b[Q")]
#[case(1, "F5", "\x1b[15~")]
#[case(1, "F12", "\x1b[24~")]
#[case(1, "S-F12", "\x1b[24;2~")]
#[case(1, "C-F1", "\x1b[1;5P")]
#[case(1, "F20", "\x1b[57383u")]
#[case(1, "Home", "\x1b[H")]
#[case(1, "Insert", "\x1b[2~")]
#[case(1, "D-Delete", "\x1b[3;9~")]
#[case(1, "ф", "ф")]
#[case(1, "S-ф", "Ф")]
#[case(1, "C-ф", "\x1b[1092;5u")]
#[case(1, "C-S-ф", "\x1b[1092;6u")]
#[case(5, "C-S-ф", "\x1b[1092:1060;6u")]
#[case(5, "M-X", "\x1b[120:88;4u")]
#[case(5, "C-c", "\x1b[99;5u")]
#[case(9, "Esc", "\x1b[27u")]
#[case(9, "S-Enter", "\x1b[13;2u")]
#[case(8, "Space", "\x1b[32u")]
#[case(8, "日", "\x1b[26085u")]
#[case(8, "ф", "\x1b[1092u")]
#[case(8, "F3", "\x1b[13~")]
#[case(8, "Up", "\x1b[A")]
#[case(12, "A", "\x1b[97:65;2u")]
#[case(12, "S-ф", "\x1b[1092:1060;2u")]
#[case(24, "Space", "\x1b[32;;32u")]
#[case(24, "S-ф", "\x1b[1092;2;1060u")]
#[case(24, "日", "\x1b[26085;;26085u")]
#[case(24, "M-a", "\x1b[97;3u")]
#[case(24, "Tab", "\x1b[9u")]
#[case(28, "A", "\x1b[97:65;2;65u")]
#[case(31, "a", "\x1b[97;;97u")]
#[case(31, "Esc", "\x1b[27u")]
#[case(31, "C-S-a", "\x1b[97:65;6u")]
#[case(4, "A", "A")]
#[case(4, "C-c", "\x03")]
#[case(20, "A", "A")]
#[case(17, "a", "a")]
#[case(17, "C-a", "\x1b[97;5u")]
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
#[case(3, "Tab", KeyKind::Repeat, "\t")]
#[case(3, "Backspace", KeyKind::Release, "")]
#[case(3, "F1", KeyKind::Repeat, "\x1b[1;1:2P")]
#[case(3, "F13", KeyKind::Release, "\x1b[57376;1:3u")]
#[case(3, "M-x", KeyKind::Repeat, "\x1b[120;3:2u")]
#[case(7, "C-S-a", KeyKind::Release, "\x1b[97:65;6:3u")]
#[case(11, "Space", KeyKind::Release, "\x1b[32;1:3u")]
#[case(15, "A", KeyKind::Release, "\x1b[97:65;2:3u")]
#[case(27, "A", KeyKind::Repeat, "\x1b[97;2:2;65u")]
#[case(31, "Enter", KeyKind::Repeat, "\x1b[13;1:2u")]
#[case(2, "Up", KeyKind::Release, "\x1b[1;1:3A")]
#[case(8, "a", KeyKind::Release, "")]
#[case(8, "a", KeyKind::Repeat, "\x1b[97u")]
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

/// Without the flag that asks for them, releases are not told and repeats are presses; and whatever is
/// written is one key: a text, a control character, or one sequence.
#[test]
fn every_key_under_every_flag() {
    let names = "a A Space 日 ф C-c C-S-c M-x C-1 Enter S-Enter Tab S-Tab Backspace C-Backspace Esc Up S-Up \
                 Home PgUp Delete F1 F3 F5 F13 D-k";
    let sequence = regex::Regex::new(
        "^\x1b(\\[[0-9:;]*[A-HPQRS~uZ]|O[A-HPQRS])$|^\x1b?[^\x1b]$|^\x1b?\x1b$|^$",
    )
    .unwrap();
    for name in names.split_whitespace() {
        for flags in 0..32 {
            let modes = kitty(flags);
            let [down, held, up] = [KeyKind::Press, KeyKind::Repeat, KeyKind::Release]
                .map(|kind| bytes(name, kind, modes));
            if flags & 2 == 0 {
                assert_eq!((held, up.as_str()), (down.clone(), ""), "{name} {flags}");
            } else if flags & 8 != 0 {
                assert!(held.contains(":2") && up.contains(":3"), "{name} {flags}");
            }
            assert!(sequence.is_match(&down), "{name} {flags} {down:?}");
            // What was asked for reads the same whatever else was asked for.
            if flags & 8 != 0 {
                assert!(down.starts_with('\x1b') && down.len() > 2, "{name} {flags}");
            }
        }
    }
}
