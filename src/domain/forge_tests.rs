use rstest::rstest;

use super::*;
use crate::domain::pr::{Ci, Mergeability, Review};

const BEGAN: Timestamp = Timestamp(1_000);

fn shop() -> Repository {
    Repository::new("github.com", "acme", "shop").unwrap()
}

fn fork() -> Repository {
    Repository::new("github.com", "me", "shop").unwrap()
}

fn pull(number: u64, state: PrState) -> PullRequest {
    PullRequest {
        branch: "cart".into(),
        head: Some(shop()),
        finished_at: (state != PrState::Open).then_some(Timestamp(2_000)),
        facts: PrFacts {
            url: format!("https://github.com/acme/shop/pull/{number}"),
            number,
            state,
            draft: false,
            ci: Ci::None,
            review: Review::None,
            mergeability: Mergeability::Unknown,
            unresolved: 0,
            stale: false,
            read_at: BEGAN,
        },
    }
}

/// F1: a remote names its repository in each of the ways that git knows.
#[rstest]
#[case("https://github.com/Acme/Shop.git")]
#[case("https://github.com/acme/shop/")]
#[case("https://user:word@github.com/acme/shop")]
#[case("git@github.com:acme/shop.git")]
#[case("github.com:acme/shop")]
#[case("ssh://git@github.com:22/acme/shop.git")]
#[case("ssh://git@ssh.github.com:443/acme/shop.git")]
fn remotes_name_repositories(#[case] url: &str) {
    assert_eq!(Repository::of_remote(url), Some(shop()));
}

/// F1: what is on no forge has no pull requests, and nothing that is no name is asked for.
#[rstest]
#[case("/srv/git/shop.git")]
#[case("../shop")]
#[case("file:///srv/git/shop")]
#[case("C:\\git\\shop")]
#[case("https://gitlab.com/group/part/shop")]
#[case("https://github.com/shop")]
#[case("git@-oops:acme/shop")]
#[case("git@github.com:acme/$(id)")]
#[case("https://github.com/acme/..")]
#[case("")]
fn what_is_on_no_forge_names_none(#[case] url: &str) {
    assert_eq!(Repository::of_remote(url), None);
}

/// F1: the head branch is the session's, in one of its own remotes.
#[test]
fn a_pull_request_belongs_by_its_head_branch_in_an_own_remote() {
    let mine = pull(1, PrState::Open);
    assert!(mine.belongs("cart", &[shop(), fork()], BEGAN));
    assert!(!mine.belongs("other", &[shop()], BEGAN));
    let from_fork = PullRequest { head: Some(fork()), ..mine.clone() };
    assert!(from_fork.belongs("cart", &[shop(), fork()], BEGAN));
    assert!(!from_fork.belongs("cart", &[shop()], BEGAN), "a stranger's branch of the same name");
    let gone = PullRequest { head: None, ..mine };
    assert!(!gone.belongs("cart", &[shop()], BEGAN));
}

/// F1: one that was finished before the session began is of an earlier use of its branch.
#[test]
fn an_earlier_use_of_the_branch_does_not_count() {
    let merged = pull(1, PrState::Merged);
    assert!(merged.belongs("cart", &[shop()], BEGAN));
    assert!(!merged.belongs("cart", &[shop()], Timestamp(3_000)));
}

/// T2: what could not be read keeps its last known facts, marked stale; what was read is fresh, and
/// what is gone from there is gone.
#[test]
fn what_could_not_be_read_is_stale() {
    let upstream = pull(1, PrState::Open);
    let mut other = pull(7, PrState::Open);
    other.facts.url = "https://github.com/me/shop/pull/7".into();
    let before = [upstream.facts.clone(), pull(2, PrState::Open).facts, other.facts.clone()];
    let both = [(shop(), Some(vec![&upstream])), (fork(), None)];
    let stale = PrFacts { stale: true, ..other.facts };
    assert_eq!(known(&before, &both), [upstream.facts.clone(), stale]);
    let failed = known(&before, &[(shop(), None), (fork(), None)]);
    assert!(failed.len() == 3 && failed.iter().all(|pr| pr.stale));
    let again = known(&failed, &[(shop(), Some(vec![&upstream]))]);
    assert!(again.len() == 1 && again[0] == upstream.facts);
}

/// F3: a merge since the start counts once none is open, known ones that could not be read included.
#[test]
fn a_merge_counts_once_none_is_open() {
    let (merged, closed) = (pull(1, PrState::Merged), pull(3, PrState::Closed));
    let known = [merged.facts.clone()];
    let both = [merged.facts.clone(), pull(2, PrState::Open).facts];
    let reads = [(shop(), Some(vec![&merged]))];
    assert!(merged_since(BEGAN, &reads, &known));
    assert!(!merged_since(BEGAN, &reads, &both));
    assert!(!merged_since(Timestamp(2_000), &reads, &known), "launched again");
    let reads = [(shop(), Some(vec![&closed]))];
    assert!(!merged_since(BEGAN, &reads, &known));
}
