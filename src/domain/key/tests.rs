use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case("g", "g")]
#[case("G", "G")]
#[case("?", "?")]
#[case("-", "-")]
#[case("C--", "C--")]
#[case("Ctrl++", "C-+")]
#[case("+", "+")]
#[case("C-c", "C-c")]
#[case("ctrl-c", "C-c")]
#[case("Ctrl+]", "C-]")]
#[case("M-x", "M-x")]
#[case("A-x", "M-x")]
#[case("M-C-left", "C-M-Left")]
#[case("Alt+Shift+Up", "M-S-Up")]
#[case("shift-tab", "S-Tab")]
#[case("cmd+k", "D-k")]
#[case("space", "Space")]
#[case("C-Space", "C-Space")]
#[case("return", "Enter")]
#[case("escape", "Esc")]
#[case("pagedown", "PgDn")]
#[case("PgUp", "PgUp")]
#[case("del", "Delete")]
#[case("f5", "F5")]
#[case("F35", "F35")]
#[case("日", "日")]
fn reads_and_prints(#[case] text: &str, #[case] printed: &str) {
    assert_eq!(text.parse::<Key>().unwrap().to_string(), printed);
}

#[rstest]
#[case("")]
#[case("C-")]
#[case("ab")]
#[case("F0")]
#[case("F36")]
#[case("F+5")]
#[case("Hyper+x")]
#[case("\u{1b}")]
fn refuses(#[case] text: &str) {
    assert!(text.parse::<Key>().is_err());
}

#[test]
fn a_chord_is_keys_with_spaces() {
    let chord: Chord = " g  C-x ".parse().unwrap();
    assert_eq!(chord.to_string(), "g C-x");
    assert_eq!(chord.0.len(), 2);
    assert_eq!("".parse::<Chord>(), Err(KeyError::Empty));
}

#[test]
fn serde_writes_strings() {
    let key: Key = serde_json::from_str("\"Ctrl+g\"").unwrap();
    assert_eq!(serde_json::to_string(&key).unwrap(), "\"C-g\"");
    assert!(serde_json::from_str::<Chord>("\"g nope\"").is_err());
}

#[test]
fn shift_folds_into_characters() {
    let key = |text: &str| text.parse::<Key>().unwrap();
    assert_eq!(key("S-g").canonical(), key("G"));
    assert_eq!(key("S-?").canonical(), key("?"));
    assert_eq!(key("C-S-p").canonical(), key("C-P"));
    assert_eq!(key("S-Tab").canonical(), key("S-Tab"));
}

fn any_key() -> impl Strategy<Value = Key> {
    let named = prop::sample::select(NAMES.map(|(_, code)| code).to_vec());
    let character = prop_oneof![any::<char>(), prop::char::range(' ', '~')]
        .prop_filter("no control characters", |c| !c.is_control())
        .prop_map(KeyCode::Char);
    let code = prop_oneof![named, character, (1..=LAST_FUNCTION_KEY).prop_map(KeyCode::F)];
    (code, any::<[bool; 4]>()).prop_map(|(code, [ctrl, alt, shift, sup])| {
        Key::new(code, Modifiers { ctrl, alt, shift, sup })
    })
}

proptest! {
    #[test]
    fn parse_undoes_print(key in any_key()) {
        prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
    }

    #[test]
    fn parse_undoes_print_of_chords(keys in prop::collection::vec(any_key(), 1..5)) {
        let chord = Chord(keys);
        prop_assert_eq!(chord.to_string().parse::<Chord>(), Ok(chord));
    }
}
