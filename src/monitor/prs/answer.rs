//! What an answer means.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::domain::forge::{PullRequest, Repository, Unread};
use crate::domain::pr::{Ci, Mergeability, PrFacts, PrState, Review};
use crate::domain::text::{clean_line, cut};
use crate::domain::time::Timestamp;

/// Cells of a complaint that are kept.
const COMPLAINT: usize = 160;

#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    repository: Option<BTreeMap<String, Option<Nodes<Pull>>>>,
}

#[derive(Deserialize)]
struct Nodes<T> {
    nodes: Option<Vec<Option<T>>>,
}

impl<T> Nodes<T> {
    fn each(&self) -> impl Iterator<Item = &T> {
        self.nodes.iter().flatten().flatten()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pull {
    number: u64,
    #[serde(default)]
    url: String,
    state: String,
    #[serde(default)]
    is_draft: bool,
    head_ref_name: String,
    #[serde(default)]
    is_cross_repository: bool,
    head_repository: Option<Head>,
    merged_at: Option<String>,
    closed_at: Option<String>,
    review_decision: Option<String>,
    mergeable: Option<String>,
    merge_state_status: Option<String>,
    review_threads: Option<Nodes<Thread>>,
    commits: Option<Nodes<Last>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    name_with_owner: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    is_resolved: bool,
}

#[derive(Deserialize)]
struct Last {
    commit: Commit,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit {
    status_check_rollup: Option<Rollup>,
}

#[derive(Deserialize)]
struct Rollup {
    state: String,
}

/// The pull requests of an answer about `repository`, read at `now`. Ones in a state that is not known are
/// left out.
///
/// # Errors
/// It is no answer, or says nothing of the repository.
pub fn read(
    output: &[u8],
    repository: &Repository,
    now: Timestamp,
) -> Result<Vec<PullRequest>, Unread> {
    let answer: Option<Answer> = serde_json::from_slice(output).ok();
    let branches = answer.and_then(|answer| answer.data?.repository);
    let Some(branches) = branches else {
        return Err(Unread::Failed(format!("gh gave no answer about {repository}")));
    };
    let pulls = branches.values().flatten().flat_map(Nodes::each);
    Ok(pulls.filter_map(|pull| pull_request(pull, repository, now)).collect())
}

fn pull_request(pull: &Pull, repository: &Repository, now: Timestamp) -> Option<PullRequest> {
    let state = match pull.state.as_str() {
        "OPEN" => PrState::Open,
        "MERGED" => PrState::Merged,
        "CLOSED" => PrState::Closed,
        _ => return None,
    };
    let head = match &pull.head_repository {
        // Also under a name that it does not have any more.
        _ if !pull.is_cross_repository => Some(repository.clone()),
        Some(head) => head
            .name_with_owner
            .split_once('/')
            .and_then(|(owner, name)| Repository::new(&repository.host, owner, name)),
        None => None,
    };
    let finished = pull.merged_at.as_ref().or(pull.closed_at.as_ref());
    let ci = ci(pull);
    Some(PullRequest {
        branch: pull.head_ref_name.clone(),
        head,
        finished_at: finished.and_then(|at| at.parse().ok()),
        facts: PrFacts {
            url: page(&pull.url, repository, pull.number),
            number: pull.number,
            state,
            draft: pull.is_draft,
            ci,
            review: review(pull.review_decision.as_deref()),
            mergeability: mergeability(pull, ci),
            unresolved: unresolved(pull),
            stale: false,
            read_at: now,
        },
    })
}

/// Its page, which must be one of the forge that was asked: it is drawn, stored and opened (F4).
fn page(url: &str, repository: &Repository, number: u64) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
    let path = url.strip_prefix("https://").and_then(|rest| rest.strip_prefix(&repository.host));
    let plain = path.is_some_and(|path| path.starts_with('/') && path.chars().all(is_plain));
    if plain && url.len() <= 400 {
        return url.to_owned();
    }
    format!("https://{repository}/pull/{number}")
}

fn ci(pull: &Pull) -> Ci {
    let last = pull.commits.as_ref().and_then(|commits| commits.each().last());
    let rollup = last.and_then(|last| last.commit.status_check_rollup.as_ref());
    match rollup.map(|rollup| rollup.state.as_str()) {
        Some("SUCCESS") => Ci::Passing,
        Some("FAILURE" | "ERROR") => Ci::Failing,
        Some("PENDING" | "EXPECTED") => Ci::Pending,
        _ => Ci::None,
    }
}

fn review(decision: Option<&str>) -> Review {
    match decision {
        Some("APPROVED") => Review::Approved,
        Some("CHANGES_REQUESTED") => Review::ChangesRequested,
        Some("REVIEW_REQUIRED") => Review::Required,
        _ => Review::None,
    }
}

/// That there is no conflict is not enough: the conditions of the repository must be met. While checks
/// run that are no condition, it is too soon to say.
fn mergeability(pull: &Pull, ci: Ci) -> Mergeability {
    match (pull.mergeable.as_deref(), pull.merge_state_status.as_deref()) {
        (Some("CONFLICTING"), _) | (_, Some("BLOCKED" | "BEHIND" | "DIRTY" | "DRAFT")) => {
            Mergeability::Blocked
        }
        (_, Some("CLEAN" | "HAS_HOOKS")) => Mergeability::Mergeable,
        (_, Some("UNSTABLE")) if ci != Ci::Pending => Mergeability::Mergeable,
        _ => Mergeability::Unknown,
    }
}

fn unresolved(pull: &Pull) -> u32 {
    let threads = pull.review_threads.iter().flat_map(Nodes::each);
    u32::try_from(threads.filter(|thread| !thread.is_resolved).count()).unwrap_or(u32::MAX)
}

/// What it means that `gh` failed with this exit code and these outputs.
pub fn failure(repository: &Repository, code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Unread {
    let said = String::from_utf8_lossy(stderr);
    let has = |words: &[&str]| {
        let text = format!("{said}\n{}", String::from_utf8_lossy(stdout)).to_ascii_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    if code == Some(4) || has(&["http 401", "bad credentials", "gh auth login"]) {
        return Unread::LoggedOut(repository.host.clone());
    }
    if has(&["rate limit", "rate_limited", "http 429"]) {
        return Unread::Limited;
    }
    let last = said.lines().rev().map(clean_line).find(|line| !line.is_empty());
    let text = last.unwrap_or_else(|| "gh failed without a word".to_owned());
    let text = text.strip_prefix("gh: ").unwrap_or(&text);
    Unread::Failed(format!("{repository}: {}", cut(text, COMPLAINT, "...")))
}
