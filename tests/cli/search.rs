//! Full-text search and messages from the command line (`spec/store.md` Q1, Q2).

use serde_json::{Value, json};

use crate::support::{TestHome, texts};

fn listed(home: &TestHome, words: &[&str]) -> Value {
    let line = [&["list", "--json"], words].concat();
    home.run(line).ok().json()
}

fn ids(list: &Value) -> Vec<&str> {
    list["sessions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

/// Q1: `list --search` is newest first with the snippet; the same words choose for every verb, in the
/// trash too; text that means something to an index is literal.
/// Q2: what was sent has time and source, goes to the trash and is gone with a purge.
#[test]
fn messages_are_found_and_go_with_their_session() {
    let home = TestHome::new();
    home.project("shop");
    let script = "print ready;prompt;prompt;forever;prompt;end";
    let one = home.spawn(["--project", "shop", "--title", "Round VAT"], script);
    let two = home.spawn(["--project", "shop", "--title", "Ship coupons"], script);
    home.wait_screen(&one, "ready");
    home.run(["send", &one, "Look at the coupon codes, please"]).ok();
    home.run(["send", &one, "and \"round\" the rest"]).ok();

    let found = listed(&home, &["--search", "coup"]);
    assert_eq!((ids(&found), &found["total"]), (vec![one.as_str(), &two], &json!(2)));
    assert_eq!(found["sessions"][0]["snippet"], "Look at the coupon codes, please");
    assert_eq!(found["sessions"][1]["snippet"], "Ship coupons");
    let text = home.run(["list", "--search", "coup"]).ok().stdout;
    assert!(text.contains("Look at the [coupon] codes, please"), "{text}");
    assert!(listed(&home, &[])["sessions"][0].get("snippet").is_none());
    assert_eq!(ids(&listed(&home, &["--search", "coupon vat"])), [] as [&str; 0]);
    for (text, matches) in [("\"round\"", true), ("NEAR(round)", false), ("*", false), ("", false)]
    {
        let found = listed(&home, &["--search", text]);
        assert_eq!(!ids(&found).is_empty(), matches, "{text}");
    }
    home.run(["rename", &two, "Ship vouchers"]).ok();
    assert_eq!(ids(&listed(&home, &["--search", "coupons"])), [] as [&str; 0]);
    assert_eq!(ids(&listed(&home, &["--search", &format!("callboard/{two}")])), [two.as_str()]);

    let messages = home.run(["messages", &one, "--json"]).ok().json();
    let messages = messages["messages"].as_array().unwrap();
    let said: Vec<&str> = messages.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["Look at the coupon codes, please", "and \"round\" the rest"]);
    for message in messages {
        assert_eq!(message["source"], "operator");
        assert!(message["at"].as_str().unwrap().ends_with('Z'));
    }
    let last = home.run(["messages", &one, "--limit", "1"]).ok().stdout;
    assert!(last.contains("the rest") && !last.contains("codes"), "{last}");

    let nothing = home.run(["delete", "--search", "***", "--yes", "--json"]).ok().json();
    assert_eq!(nothing["removed_session_ids"], json!([]));
    let deleted = home.run(["delete", "--search", "coupon", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&deleted["removed_session_ids"]), [one.as_str()]);
    assert_eq!(deleted["removed_messages"], 2);
    assert_eq!(ids(&listed(&home, &["--search", "coupon"])), [] as [&str; 0]);
    assert_eq!(ids(&listed(&home, &["--search", "coupon", "--deleted"])), [one.as_str()]);
    home.run(["messages", &one]).ok();
    let purged = home.run(["purge", "--search", "coupon", "--yes", "--json"]).ok().json();
    assert_eq!(texts(&purged["purged_session_ids"]), [one.as_str()]);
    assert_eq!(purged["removed_messages"], 2);
    assert_eq!(ids(&listed(&home, &["--search", "coupon", "--deleted"])), [] as [&str; 0]);
    home.run(["messages", &one]).code(3);
    home.finish();
}

/// Q1: beyond 50 the total is null, and a selector still takes all of them
#[test]
fn many_matches_are_not_counted() {
    let home = TestHome::new();
    let fill =
        ["demo", "--seed-only", "--sessions", "300", "--home", home.path().to_str().unwrap()];
    home.run(fill).ok();
    let found = listed(&home, &["--search", "the", "--limit", "10"]);
    assert_eq!((ids(&found).len(), &found["total"]), (10, &Value::Null));
    assert!(found["next_cursor"].is_string());
    let text = home.run(["list", "--search", "the", "--limit", "10"]).ok().stdout;
    assert!(text.contains("50+ found"), "{text}");
    let all = listed(&home, &["--search", "the", "--limit", "1000"]);
    let plan = home.run(["delete", "--search", "the", "--dry-run", "--json"]).ok().json();
    let planned = plan["sessions"].as_array().unwrap();
    let asked = planned.iter().filter(|row| row["pulled_in_by"].is_null()).count();
    assert_eq!(asked, ids(&all).len());
    assert!(asked > 50);
    home.finish();
}
