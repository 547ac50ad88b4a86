use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::domain::key::{KeyCode, Modifiers};
use crate::tui::action::ActionSpec;

/// Actions that are run by name alone.
const PALETTE_ONLY: [Action; 0] = [];

/// Contexts as the dashboard stacks them.
const STACKS: [&[Context]; 12] = [
    &[Context::Rail, Context::Global],
    &[Context::List, Context::Global],
    &[Context::Details, Context::Global],
    &[Context::Trash, Context::Global],
    &[Context::Jobs, Context::Global],
    &[Context::Empty, Context::Global],
    &[Context::Terminal],
    &[Context::Copy],
    &[Context::Dialog],
    &[Context::Form],
    &[Context::Text],
    &[Context::Wall, Context::Global],
];

fn key(text: &str) -> Key {
    text.parse().unwrap()
}

#[test]
fn the_shipped_file_is_read() {
    let mut keymap = Keymap::default();
    keymap.overlay(Path::new("keymap.toml"), SHIPPED).unwrap();
    assert_eq!(keymap, Keymap::shipped());
}

#[test]
fn every_action_is_bound_or_run_by_name() {
    let keymap = Keymap::shipped();
    for spec in ActionSpec::all() {
        let bound = Context::ALL
            .iter()
            .any(|context| keymap.bindings(*context).iter().any(|b| b.action == spec.action));
        assert_ne!(bound, PALETTE_ONLY.contains(&spec.action), "{}", spec.id);
    }
}

#[test]
fn every_line_of_the_shipped_file_has_a_comment() {
    for line in SHIPPED.lines().filter(|line| line.starts_with('"')) {
        assert!(line.contains("  # "), "{line}");
    }
}

#[test]
fn no_chord_is_shadowed() {
    let keymap = Keymap::shipped();
    for stack in STACKS {
        for (depth, context) in stack.iter().enumerate() {
            for binding in keymap.bindings(*context).iter().filter(|b| b.chord.0.len() > 1) {
                assert!(keymap.is_free(&stack[..depth], &binding.chord), "{}", binding.chord);
            }
        }
    }
}

#[test]
fn the_nearest_context_decides() {
    let keymap = Keymap::shipped();
    let resolve = |stack: &[Context], text: &str| keymap.resolve(stack, &[], key(text));
    assert_eq!(resolve(STACKS[1], "Enter"), Outcome::Action(Action::Open));
    assert_eq!(resolve(STACKS[0], "Enter"), Outcome::Action(Action::NextColumn));
    assert_eq!(resolve(STACKS[1], "q"), Outcome::Action(Action::Quit));
    assert_eq!(resolve(STACKS[3], "q"), Outcome::Action(Action::Back));
    assert_eq!(resolve(STACKS[5], "A"), Outcome::Action(Action::AddThisFolder));
    assert_eq!(resolve(STACKS[6], "q"), Outcome::None);
    assert_eq!(resolve(STACKS[6], "C-]"), Outcome::Action(Action::LeaveAgent));
}

#[test]
fn another_key_leaves_an_agent_and_the_others_stay() {
    let keymap = Keymap::shipped().leaving_by(&"F12".parse().unwrap());
    let typing: &[Context] = &[Context::Terminal];
    assert_eq!(keymap.resolve(typing, &[], key("F12")), Outcome::Action(Action::LeaveAgent));
    assert_eq!(keymap.resolve(typing, &[], key("C-]")), Outcome::None);
    assert_eq!(keymap.resolve(typing, &[], key("S-PgUp")), Outcome::Action(Action::ScrollBack));
}

#[test]
fn a_chord_waits_for_its_second_key() {
    let keymap = Keymap::shipped();
    let list = STACKS[1];
    assert_eq!(keymap.resolve(list, &[], key("g")), Outcome::Pending);
    assert_eq!(keymap.resolve(list, &[key("g")], key("g")), Outcome::Action(Action::Top));
    assert_eq!(keymap.resolve(list, &[key("g")], key("d")), Outcome::None);
}

#[test]
fn shift_and_the_upper_case_letter_are_one_key() {
    let keymap = Keymap::shipped();
    let shifted = Key::new(KeyCode::Char('g'), Modifiers::SHIFT);
    assert_eq!(keymap.resolve(STACKS[1], &[], shifted), Outcome::Action(Action::Bottom));
    let written = Key::new(KeyCode::Char('G'), Modifiers::SHIFT);
    assert_eq!(keymap.resolve(STACKS[1], &[], written), Outcome::Action(Action::Bottom));
}

#[test]
fn a_users_file_changes_one_context_only() {
    let mut keymap = Keymap::shipped();
    let text = "[list]\n\"C-d\" = \"delete\"\n\"d\" = \"unbound\"\n";
    keymap.overlay(Path::new("mine.toml"), text).unwrap();
    let list = STACKS[1];
    assert_eq!(keymap.resolve(list, &[], key("C-d")), Outcome::Action(Action::Delete));
    assert_eq!(keymap.resolve(list, &[], key("d")), Outcome::None);
    assert_eq!(keymap.resolve(STACKS[3], &[], key("C-d")), Outcome::Action(Action::HalfDown));
    assert_eq!(keymap.key_label(list, Action::Delete).as_deref(), Some("Ctrl+D"));
    assert_eq!(keymap.key_label(list, Action::HalfDown), None);
}

#[rstest]
#[case("[list]\n\n\"x\" = \"markk\"", 3, "x", "no action \"markk\". Did you mean mark?")]
#[case("[lsit]\n\"x\" = \"mark\"", 1, "", "no section \"lsit\". Did you mean list?")]
#[case("[list]\n\"x\" = 5", 2, "x", "x needs the name of an action in quotes")]
#[case("[list]\n\"x\" = \"submit\"", 2, "x", "submit does not act in [list], only in form")]
#[case("[global]\n\"g\" = \"down\"", 2, "g", "g g can never be reached, since g is bound")]
#[case("[global]\n\"j j\" = \"down\"", 2, "j j", "j j can never be reached, since j is bound")]
#[case(
    "[list]\n\"g\" = \"mark\"",
    2,
    "g",
    "g g of [global] can never be reached in [list], since g is bound there"
)]
#[case(
    "[list]\n\"w x\" = \"mark\"",
    2,
    "w x",
    "w of [global] can never be reached in [list], since w x is bound there"
)]
#[case(
    "[global]\n\"d d\" = \"down\"",
    2,
    "d d",
    "d d of [global] can never be reached in [rail], since d is bound there"
)]
#[case("[list]\n\"G\" = \"mark\"\n\"S-g\" = \"mark\"", 3, "S-g", "S-g is bound twice in [list]")]
fn a_mistake_names_line_key_and_nearest_action_and_changes_nothing(
    #[case] text: &str,
    #[case] line: usize,
    #[case] key: &str,
    #[case] message: &str,
) {
    let mut keymap = Keymap::shipped();
    let error = keymap.overlay(Path::new("config/keymap.toml"), text).unwrap_err();
    assert_eq!((error.line, error.key.as_str(), error.message.as_str()), (line, key, message));
    assert_eq!(error.file, "keymap.toml");
    assert_eq!(keymap, Keymap::shipped());
}

/// What another line of the file makes room for is no mistake, whichever comes first.
#[test]
fn a_chord_may_give_way_to_one_of_another_context() {
    for text in [
        "[list]\n\"g\" = \"mark\"\n[global]\n\"g g\" = \"unbound\"\n",
        "[global]\n\"g g\" = \"unbound\"\n[list]\n\"g\" = \"mark\"\n",
    ] {
        let mut keymap = Keymap::shipped();
        keymap.overlay(Path::new("mine.toml"), text).unwrap();
        assert_eq!(keymap.resolve(STACKS[1], &[], key("g")), Outcome::Action(Action::Mark));
    }
}

/// The stacks of these tests are those that the check knows.
#[test]
fn contexts_fall_back_as_the_dashboard_stacks_them() {
    for stack in STACKS {
        assert_eq!(stack[0].falls_back(), stack.len() > 1, "{:?}", stack[0]);
    }
}

#[test]
fn an_unknown_key_is_explained() {
    let error =
        Keymap::shipped().overlay(Path::new("k"), "[list]\n\"Foo\" = \"mark\"").unwrap_err();
    assert!(error.message.starts_with("unknown key `Foo`; write a key as"), "{error}");
}

#[test]
fn printing_and_reading_are_inverse() {
    let keymap = Keymap::shipped();
    let mut again = Keymap::default();
    again.overlay(Path::new("printed"), &keymap.to_toml()).unwrap();
    assert_eq!(again, keymap);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}|(\\[list\\]\n(\"[a-zA-Z -]{0,6}\" = \"[a-z-]{0,8}\"\n){0,3})") {
        let mut keymap = Keymap::shipped();
        let _ = keymap.overlay(Path::new("any"), &text);
    }

    #[test]
    fn any_binding_is_printed_and_read_back(
        chord in prop::collection::vec((any::<char>(), any::<[bool; 4]>()), 1..3),
    ) {
        let key = |(c, [ctrl, alt, shift, sup]): (char, [bool; 4])| {
            let mods = Modifiers { ctrl, alt, shift, sup };
            Key::new(KeyCode::Char(if c.is_control() { 'c' } else { c }), mods).canonical()
        };
        let chord = Chord(chord.into_iter().map(key).collect());
        let mut keymap = Keymap::default();
        keymap.bindings.insert(Context::List, vec![Binding { chord, action: Action::Mark }]);
        let mut again = Keymap::default();
        again.overlay(Path::new("printed"), &keymap.to_toml()).unwrap();
        prop_assert_eq!(again, keymap);
    }
}

#[test]
fn the_help_of_the_list_is_short_and_whole() {
    let keymap = Keymap::shipped();
    let groups = keymap.help(STACKS[1]);
    let lines: Vec<_> = groups.iter().flat_map(|group| &group.lines).collect();
    let find = |action| lines.iter().find(|line| line.actions.contains(&action)).unwrap();
    let line = find(Action::Down);
    assert_eq!((line.keys.as_str(), line.text.as_str()), ("j k", "down, up"));
    let line = find(Action::Section(4));
    assert_eq!((line.keys.as_str(), line.text.as_str()), ("1..9", "section by number"));
    assert_eq!(find(Action::Top).keys, "g g G");
    assert!(lines.iter().all(|line| !line.actions.contains(&Action::Submit)));
}

#[test]
fn the_readme_table_has_every_binding() {
    let table = Keymap::shipped().readme_table();
    assert!(table.contains("| every view | `j Down k Up` | down, up |"), "{table}");
    assert!(table.contains("|  | `d` | delete, plan first |"), "{table}");
    assert!(table.contains("| typing to an agent | `Ctrl+]` | leave the agent |"), "{table}");
}

#[test]
fn the_readme_shows_the_shipped_keys() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, rest) = readme.split_once("<!-- keys: generated -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- keys: end -->").unwrap();
    let generated = Keymap::shipped().readme_table();
    assert!(table == generated, "put this between the marks of README.md:\n{generated}");
}
