use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::domain::forge::{PullRequest, Repository, Unread};
use crate::domain::pr::{Ci, Mergeability, PrState, Review};
use crate::domain::time::Timestamp;

const NOW: Timestamp = Timestamp(1_796_000_000_000);

fn shop() -> Repository {
    Repository::new("github.com", "acme", "shop").unwrap()
}

fn open() -> Value {
    json!({
        "number": 12, "url": "https://github.com/acme/shop/pull/12", "state": "OPEN", "isDraft": false,
        "headRefName": "callboard/shop-1", "isCrossRepository": false,
        "headRepository": {"nameWithOwner": "acme/shop"}, "mergedAt": null, "closedAt": null,
        "reviewDecision": null, "mergeable": "MERGEABLE", "mergeStateStatus": "BLOCKED",
        "reviewThreads": {"nodes": []},
        "commits": {"nodes": [{"commit": {"statusCheckRollup": {"state": "SUCCESS"}}}]}
    })
}

/// The open pull request with other values.
fn with(values: &Value) -> Value {
    let mut pull = open();
    pull.as_object_mut().unwrap().extend(values.as_object().unwrap().clone());
    pull
}

fn read_one(pull: &Value) -> PullRequest {
    let answer = json!({"data": {"repository": {"b0": {"nodes": [pull]}, "b1": {"nodes": []}}}});
    let mut found = read(answer.to_string().as_bytes(), &shop(), NOW).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

/// F1, F2: what is kept of a pull request.
#[test]
fn a_pull_request_is_read() {
    let pull = read_one(&open());
    assert_eq!((pull.branch.as_str(), pull.head), ("callboard/shop-1", Some(shop())));
    let facts = pull.facts;
    assert_eq!((facts.number, facts.state, facts.draft), (12, PrState::Open, false));
    assert_eq!((facts.ci, facts.review), (Ci::Passing, Review::None));
    assert_eq!((facts.mergeability, facts.unresolved), (Mergeability::Blocked, 0));
    assert_eq!((facts.url.as_str(), facts.read_at), ("https://github.com/acme/shop/pull/12", NOW));
    assert!(!facts.stale);
}

#[rstest]
#[case("SUCCESS", Ci::Passing)]
#[case("FAILURE", Ci::Failing)]
#[case("ERROR", Ci::Failing)]
#[case("PENDING", Ci::Pending)]
#[case("EXPECTED", Ci::Pending)]
#[case("WHATEVER", Ci::None)]
fn checks_are_read(#[case] word: &str, #[case] ci: Ci) {
    let rollup = json!({"nodes": [{"commit": {"statusCheckRollup": {"state": word}}}]});
    assert_eq!(read_one(&with(&json!({"commits": rollup}))).facts.ci, ci);
    let none = json!({"nodes": [{"commit": {"statusCheckRollup": null}}]});
    assert_eq!(read_one(&with(&json!({"commits": none}))).facts.ci, Ci::None);
}

#[rstest]
#[case("APPROVED", Review::Approved)]
#[case("CHANGES_REQUESTED", Review::ChangesRequested)]
#[case("REVIEW_REQUIRED", Review::Required)]
#[case("WHATEVER", Review::None)]
fn reviews_are_read(#[case] word: &str, #[case] review: Review) {
    assert_eq!(read_one(&with(&json!({"reviewDecision": word}))).facts.review, review);
}

#[rstest]
#[case("MERGEABLE", "CLEAN", "SUCCESS", Mergeability::Mergeable)]
#[case("MERGEABLE", "HAS_HOOKS", "SUCCESS", Mergeability::Mergeable)]
#[case("MERGEABLE", "UNSTABLE", "FAILURE", Mergeability::Mergeable)]
#[case("MERGEABLE", "UNSTABLE", "PENDING", Mergeability::Unknown)]
#[case("MERGEABLE", "BLOCKED", "SUCCESS", Mergeability::Blocked)]
#[case("MERGEABLE", "BEHIND", "SUCCESS", Mergeability::Blocked)]
#[case("CONFLICTING", "DIRTY", "SUCCESS", Mergeability::Blocked)]
#[case("UNKNOWN", "UNKNOWN", "SUCCESS", Mergeability::Unknown)]
fn mergeability_is_read(
    #[case] mergeable: &str,
    #[case] status: &str,
    #[case] checks: &str,
    #[case] is: Mergeability,
) {
    let rollup = json!({"nodes": [{"commit": {"statusCheckRollup": {"state": checks}}}]});
    let values = json!({"mergeable": mergeable, "mergeStateStatus": status, "commits": rollup});
    assert_eq!(read_one(&with(&values)).facts.mergeability, is);
}

#[test]
fn unresolved_comments_are_counted() {
    let threads = [json!({"isResolved": true}), json!({"isResolved": false}), json!(null)];
    let pull = read_one(&with(&json!({"reviewThreads": {"nodes": threads}})));
    assert_eq!(pull.facts.unresolved, 1);
}

/// F3: a merge and its time.
#[test]
fn a_merge_is_read() {
    let at = "2026-11-30T09:12:00Z";
    let pull = read_one(&with(&json!({"state": "MERGED", "mergedAt": at, "closedAt": at})));
    assert_eq!((pull.facts.state, pull.finished_at), (PrState::Merged, at.parse().ok()));
    let pull = read_one(&with(&json!({"state": "CLOSED", "closedAt": at})));
    assert_eq!((pull.facts.state, pull.finished_at), (PrState::Closed, at.parse().ok()));
}

/// F1: a head branch in a fork is of the fork; one of the repository itself stays so under a new name.
#[test]
fn heads_are_told_apart() {
    let head = json!({"nameWithOwner": "Me/shop"});
    let fork = read_one(&with(&json!({"isCrossRepository": true, "headRepository": head})));
    assert_eq!(fork.head, Repository::new("github.com", "me", "shop"));
    let gone = read_one(&with(&json!({"isCrossRepository": true, "headRepository": null})));
    assert_eq!(gone.head, None);
    let head = json!({"nameWithOwner": "acme/store"});
    assert_eq!(read_one(&with(&json!({"headRepository": head}))).head, Some(shop()));
}

/// F4: no text of a pull request brings a control character, another forge or another kind of address.
#[rstest]
#[case("https://github.com/acme/shop/pull/12\u{1b}[31m")]
#[case("https://github.com/acme/shop/pull/12\u{9b}2J")]
#[case("https://github.com/acme/shop/pull/12\r\nx")]
#[case("https://github.com/acme/shop/pull/\u{202e}21")]
#[case("https://github.com.evil.example/acme/shop/pull/12")]
#[case("https://evil.example/https://github.com/")]
#[case("javascript:alert(1)")]
#[case("file:///etc/passwd")]
#[case("--help")]
#[case("")]
fn hostile_addresses_are_not_kept(#[case] url: &str) {
    let facts = read_one(&with(&json!({"url": url}))).facts;
    assert_eq!(facts.url, "https://github.com/acme/shop/pull/12");
}

#[rstest]
#[case("")]
#[case("null")]
#[case("[]")]
#[case("not found")]
#[case("{\"data\": null}")]
#[case("{\"data\": {\"repository\": null}}")]
#[case("{\"data\": {\"repository\": {\"b0\": {\"nodes\": [{\"number\": \"12\"}]}}}}")]
#[case("<html>\u{1b}[2J</html>")]
fn what_is_no_answer_is_refused(#[case] output: &str) {
    let told = "gh gave no answer about github.com/acme/shop";
    assert_eq!(read(output.as_bytes(), &shop(), NOW), Err(Unread::Failed(told.to_owned())));
}

/// One branch that could not be told does not take the others with it.
#[test]
fn a_part_of_an_answer_is_read() {
    let odd = with(&json!({"state": "LOCKED"}));
    let answer = json!({
        "data": {"repository": {"b0": null, "b1": {"nodes": [open(), null, odd]}, "b2": {"nodes": null}}},
        "errors": [{"message": "Something went wrong"}]
    });
    assert_eq!(read(answer.to_string().as_bytes(), &shop(), NOW).unwrap().len(), 1);
}

#[test]
fn failures_are_told_apart() {
    let why = |code, stdout: &str, stderr: &str| {
        failure(&shop(), Some(code), stdout.as_bytes(), stderr.as_bytes())
    };
    let out = Unread::LoggedOut("github.com".to_owned());
    assert_eq!(why(4, "", "To get started with GitHub CLI, please run:  gh auth login\n"), out);
    assert_eq!(
        why(1, "{\"message\":\"Bad credentials\"}", "gh: Bad credentials (HTTP 401)\n"),
        out
    );
    let limited =
        "{\"errors\":[{\"type\":\"RATE_LIMITED\",\"message\":\"API rate limit exceeded\"}]}";
    assert_eq!(why(1, limited, "gh: API rate limit exceeded for user ID 1.\n"), Unread::Limited);
    let second = "gh: You have exceeded a secondary rate limit. (HTTP 403)\n";
    assert_eq!(why(1, "", second), Unread::Limited);
    let hostile =
        "gh: Could not resolve to a Repository\u{1b}]0;x\u{7} with the name 'acme/shop'.\n\n";
    let Unread::Failed(text) = why(1, "{\"data\":{\"repository\":null}}", hostile) else {
        panic!()
    };
    assert!(text.starts_with("github.com/acme/shop: Could not resolve to a Repository"), "{text}");
    assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
    let Unread::Failed(text) = why(1, "", &"x".repeat(5_000)) else { panic!() };
    assert!(text.len() < 250);
    let quiet = Unread::Failed("github.com/acme/shop: gh failed without a word".to_owned());
    assert_eq!(why(1, "", ""), quiet);
}

/// F2: one question for all branches; names are values, and no part of the question.
#[test]
fn one_question_asks_for_all_branches() {
    let odd = "x\") { evil }".to_owned();
    let question = question(&shop(), &["callboard/shop-1".to_owned(), odd.clone()]);
    assert_eq!(question[..4], ["api", "graphql", "--hostname", "github.com"]);
    let fields: Vec<&String> = question[4..].chunks(2).map(|pair| &pair[1]).collect();
    assert!(question[4..].chunks(2).all(|pair| pair[0] == "--raw-field"));
    assert_eq!(
        fields[1..],
        ["owner=acme", "name=shop", "b0=callboard/shop-1", &format!("b1={odd}")]
    );
    assert!(fields[0].starts_with("query=query($owner: String!, $name: String!, $b0: String!, "));
    assert!(
        fields[0].contains("b1: pullRequests(headRefName: $b1,") && !fields[0].contains("evil")
    );
    let depth = |c| fields[0].matches(c).count();
    assert_eq!((depth('{'), depth('(')), (depth('}'), depth(')')));
}

proptest! {
    /// F4: whatever the texts are, nothing that could act on a terminal is kept.
    #[test]
    fn kept_texts_are_clean(url in any::<String>(), said in any::<Vec<u8>>(), code in 0..5) {
        let kept = read_one(&with(&json!({"url": url}))).facts.url;
        prop_assert!(kept.is_ascii() && !kept.contains(|c: char| c.is_control()));
        let why = failure(&shop(), Some(code), &said, &said).to_string();
        prop_assert!(!why.contains(|c: char| c.is_control()), "{why:?}");
    }
}
