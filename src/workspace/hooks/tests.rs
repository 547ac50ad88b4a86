//! Merging with what is there.

use proptest::prelude::*;

use super::merge::{Unfit, install, remove};
use crate::domain::hook::{HOOK_MARK, HookEntries};

fn entries(events: &[&str], base: &str) -> HookEntries {
    let entry = |event: &&str| {
        let command = format!("'/opt/call board' hook gemini {event} {HOOK_MARK} 1");
        let entry = serde_json::json!({ "hooks": [{ "type": "command", "command": command }] });
        ((*event).to_owned(), entry.to_string())
    };
    HookEntries { events: events.iter().map(entry).collect(), base: base.to_owned() }
}

fn two() -> HookEntries {
    entries(&["SessionStart", "AfterAgent"], "{}")
}

/// H1: a file that is not there is made, and gone again afterwards; what an agent wants at least is in it.
#[test]
fn a_file_is_made_and_gone_again_h1() {
    for base in ["{}", "{ \"version\": 1 }"] {
        let entries = entries(&["SessionStart", "AfterAgent"], base);
        let made = install(None, &entries).unwrap();
        let read: serde_json::Value = serde_json::from_str(&made).unwrap();
        let events = read["hooks"].as_object().unwrap();
        assert_eq!(events.len(), 2, "{made}");
        assert_eq!(read.get("version").is_some(), base.contains("version"), "{made}");
        assert_eq!(remove(&made, base).unwrap(), None, "{made}");
        assert_eq!(install(Some(&made), &entries).unwrap(), made);
    }
}

/// H1: comments, order, blanks and other hooks stay as they are.
#[test]
fn comments_and_order_stay_h1() {
    let text = "// mine\n{\n  \"z\": 1, // last first\n  \"hooks\": {\n    /* own */ \"AfterAgent\": [ {\"hooks\": \
                []}, ],\n  },\n  \"a\": \"# no comment\",\n}\n";
    let merged = install(Some(text), &two()).unwrap();
    assert_eq!(merged.matches(HOOK_MARK).count(), 2, "{merged}");
    assert!(merged.contains("// last first") && merged.contains("/* own */"), "{merged}");
    assert_eq!(install(Some(&merged), &two()).unwrap(), merged);
    assert_eq!(remove(&merged, "{}").unwrap().as_deref(), Some(text));
}

/// H1: what came into a file while ours was in it stays.
#[test]
fn what_others_add_meanwhile_stays_h1() {
    let made = install(None, &two()).unwrap();
    let theme = made.replacen('{', "{\n  \"theme\": \"dark\",", 1);
    assert_eq!(remove(&theme, "{}").unwrap().as_deref(), Some("{\n  \"theme\": \"dark\"\n}\n"));

    let behind = made.replace("\n}\n", ",\n  \"theme\": \"dark\"\n}\n");
    assert_eq!(remove(&behind, "{}").unwrap().as_deref(), Some("{\n  \"theme\": \"dark\"\n}\n"));

    // Qwen notes the version of its settings in them, which is nobody's wish.
    let noted = made.replacen('{', "{\n  \"$version\": 4,", 1);
    assert_eq!(remove(&noted, "{}").unwrap(), None);

    // An agent that writes its settings anew.
    let mut value: serde_json::Value = serde_json::from_str(&made).unwrap();
    value["hooks"]["Mine"] = serde_json::json!([1]);
    value["hooks"]["AfterAgent"].as_array_mut().unwrap().insert(0, serde_json::json!({ "own": 2 }));
    let text = serde_json::to_string_pretty(&value).unwrap();
    let rest = remove(&text, "{}").unwrap().unwrap();
    let rest: serde_json::Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(rest, serde_json::json!({ "hooks": { "AfterAgent": [{ "own": 2 }], "Mine": [1] } }));
}

/// H1: hooks of an older version are replaced, and events that are no longer wanted go.
#[test]
fn another_version_replaces_h1() {
    let text = "{ \"a\": 1 }";
    let old = install(Some(text), &two()).unwrap().replace("hook gemini", "report gemini");
    let new = install(Some(&old), &entries(&["BeforeAgent"], "{}")).unwrap();
    assert_eq!(new.matches(HOOK_MARK).count(), 1, "{new}");
    assert!(!new.contains("report gemini"), "{new}");
    assert_eq!(remove(&new, "{}").unwrap().as_deref(), Some(text));
}

/// H1: what cannot be kept is not written.
#[test]
fn what_cannot_be_kept_is_refused_h1() {
    for (text, unfit) in [
        ("", Unfit::NoObject),
        ("[]", Unfit::NoObject),
        ("{", Unfit::NoObject),
        ("{} x", Unfit::NoObject),
        ("{'a': 1}", Unfit::NoObject),
        ("{\"a\": 'b,c'}", Unfit::NoObject),
        ("{\"a\": 1 \"b\": 2}", Unfit::NoObject),
        ("{\"hooks\": {}, \"hooks\": {}}", Unfit::NoObject),
        ("\u{feff}{}", Unfit::NoObject),
        ("{\"hooks\": []}", Unfit::HooksNoObject),
        ("{\"hooks\": {\"AfterAgent\": {}}}", Unfit::EventNoList),
    ] {
        assert_eq!(install(Some(text), &two()), Err(unfit), "{text}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(install(Some(&deep), &two()), Err(Unfit::NoObject));
}

/// A blank or a comment.
fn trivia() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => Just(" ".to_owned()),
        2 => Just("\n\t".to_owned()),
        1 => Just("// ]}, \" no end\n".to_owned()),
        1 => Just("/* {[, \" */".to_owned()),
    ]
}

fn container(open: char, close: char, items: &[(String, String)], end: &str, last: bool) -> String {
    let mut text = String::from(open);
    for (index, (before, item)) in items.iter().enumerate() {
        let comma = if index + 1 < items.len() || last { "," } else { "" };
        text = format!("{text}{before}{item}{before}{comma}");
    }
    format!("{text}{end}{close}")
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("1".to_owned()),
        Just("null".to_owned()),
        Just("\"}, # \\\" \\\\\"".to_owned()),
        Just("\"ü\"".to_owned()),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        let items = prop::collection::vec((trivia(), inner), 0..3);
        (items, trivia(), any::<bool>(), any::<bool>()).prop_map(|(items, end, last, named)| {
            if !named {
                return container('[', ']', &items, &end, last);
            }
            let name = |(n, (t, v)): (usize, (String, String))| (t, format!("\"k{n}\":{v}"));
            let items: Vec<_> = items.into_iter().enumerate().map(name).collect();
            container('{', '}', &items, &end, last)
        })
    })
}

/// Members by name, in any order.
fn members(
    names: &'static [&'static str],
    inner: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    let items = prop::collection::vec((trivia(), inner), 0..=names.len());
    let order = Just(names.to_vec()).prop_shuffle();
    (items, order, trivia(), any::<bool>()).prop_map(|(items, order, end, last)| {
        let items = items.into_iter().zip(order);
        let items = items.map(|((t, v), name)| (t, format!("\"{name}\": {v}")));
        container('{', '}', &items.collect::<Vec<_>>(), &end, last)
    })
}

fn list() -> impl Strategy<Value = String> {
    let items = prop::collection::vec((trivia(), value()), 0..3);
    (items, trivia(), any::<bool>())
        .prop_map(|(items, end, last)| container('[', ']', &items, &end, last))
}

fn document() -> impl Strategy<Value = String> {
    let hooks = members(&["SessionStart", "AfterAgent", "Other"], list());
    let with = (hooks, value(), trivia(), trivia(), trivia(), any::<bool>());
    let with = with.prop_map(|(hooks, value, a, b, c, first)| {
        let (hooks, other) = (format!("\"hooks\":{hooks}"), format!("\"x\":{a}{value}"));
        let items = if first {
            vec![(b, hooks), (c.clone(), other)]
        } else {
            vec![(b, other), (c.clone(), hooks)]
        };
        format!("{a}{}{c}", container('{', '}', &items, &a, first))
    });
    prop_oneof![with, members(&["a", "b"], value())]
}

proptest! {
    /// H1: taken out again, a text is what it was to the byte; put in twice is put in once.
    #[test]
    fn taken_out_a_text_is_what_it_was_h1(text in document()) {
        let merged = install(Some(&text), &two()).unwrap();
        prop_assert_eq!(merged.matches(HOOK_MARK).count(), 2);
        prop_assert_eq!(&install(Some(&merged), &two()).unwrap(), &merged);
        prop_assert_eq!(remove(&merged, "{}").unwrap(), Some(text.clone()));
        // Nothing of ours is in it: nothing is taken out.
        prop_assert_eq!(remove(&text, "{}").unwrap(), Some(text));
    }

    /// No text makes it stumble.
    #[test]
    fn any_text_is_read_or_refused(text in "[{}\\[\\],:\"\\\\/* a1\n#ü]{0,40}") {
        if let Ok(merged) = install(Some(&text), &two()) {
            prop_assert_eq!(remove(&merged, "{}").unwrap(), Some(text));
        }
    }
}
