//! Pull requests as a forge tells them, and whose they are (`spec/lifecycle.md` F1, F3, T2).

use std::fmt;

use super::pr::{PrFacts, PrState};
use super::time::Timestamp;

/// A repository on a forge. Forges do not tell upper from lower case in names: all of it is in lower
/// case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repository {
    /// Host name.
    pub host: String,
    /// User or organisation.
    pub owner: String,
    /// Its name there.
    pub name: String,
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.owner, self.name)
    }
}

impl Repository {
    /// The repository that the address of a remote names; none for a folder, and for what no forge has.
    pub fn of_remote(url: &str) -> Option<Self> {
        let (host, path) = match url.split_once("://") {
            Some(("https" | "http" | "ssh" | "git" | "git+ssh" | "ssh+git", rest)) => {
                let (server, path) = rest.split_once('/')?;
                (server.rsplit('@').next()?.split(':').next()?, path)
            }
            Some(_) => return None,
            // As scp has it; a slash before the colon makes it a path.
            None => {
                let (server, path) = url.split_once(':')?;
                (server.rsplit('@').next()?, path)
            }
        };
        let path = path.trim_matches('/');
        let (owner, name) = path.strip_suffix(".git").unwrap_or(path).split_once('/')?;
        // Its port 443 has another name.
        let host = if host == "ssh.github.com" { "github.com" } else { host };
        Self::new(host, owner, name)
    }

    /// A repository by its parts; none where they are no names.
    pub fn new(host: &str, owner: &str, name: &str) -> Option<Self> {
        let is_name = |text: &&str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !text.is_empty() && !text.starts_with(['-', '.']) && text.chars().all(plain)
        };
        let lower = |text: &str| text.to_ascii_lowercase();
        [host, owner, name].iter().all(is_name).then(|| Self {
            host: lower(host),
            owner: lower(owner),
            name: lower(name),
        })
    }

    /// Whether a page is one of this repository.
    fn holds(&self, url: &str) -> bool {
        let page = url.to_ascii_lowercase();
        page.split_once("://").is_some_and(|(_, page)| page.starts_with(&format!("{self}/")))
    }
}

/// A pull request as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// Its head branch.
    pub branch: String,
    /// The repository that the head branch is in; none where it is gone.
    pub head: Option<Repository>,
    /// When it was merged or closed.
    pub finished_at: Option<Timestamp>,
    /// What is kept of it.
    pub facts: PrFacts,
}

impl PullRequest {
    /// F1: whether it is one of a session that was created at `since`: its head branch is the session's,
    /// in one of the session's own remotes. One that was finished before the session began is of an
    /// earlier use of the branch.
    pub fn belongs(&self, branch: &str, remotes: &[Repository], since: Timestamp) -> bool {
        self.branch == branch
            && self.head.as_ref().is_some_and(|head| remotes.contains(head))
            && self.finished_at.is_none_or(|at| at >= since)
    }
}

/// What was read of the repositories of a session: its pull requests in each, none where that failed.
pub type Reads<'a> = [(Repository, Option<Vec<&'a PullRequest>>)];

/// What is known of a session's pull requests after its repositories were read. What could not be read
/// keeps its last known facts, marked stale (T2).
pub fn known(before: &[PrFacts], reads: &Reads<'_>) -> Vec<PrFacts> {
    let read = reads.iter().filter_map(|(_, prs)| prs.as_ref()).flatten();
    let mut facts: Vec<PrFacts> = read.map(|pr| pr.facts.clone()).collect();
    if reads.iter().any(|(_, prs)| prs.is_none()) {
        let well = |url: &str| reads.iter().any(|(of, prs)| prs.is_some() && of.holds(url));
        let old = before.iter().filter(|pr| !well(&pr.url));
        facts.extend(old.map(|pr| PrFacts { stale: true, ..pr.clone() }));
    }
    facts.sort_by(|a, b| (a.number, &a.url).cmp(&(b.number, &b.url)));
    facts.dedup_by(|a, b| a.url == b.url);
    facts
}

/// F3: whether a pull request of a session was merged since its agent started, and none is open. An
/// agent that was launched again after the merge has a reason to be there.
pub fn merged_since(started: Timestamp, reads: &Reads<'_>, known: &[PrFacts]) -> bool {
    let mut read = reads.iter().filter_map(|(_, prs)| prs.as_ref()).flatten();
    let merged = read.any(|pr| {
        pr.facts.state == PrState::Merged && pr.finished_at.is_some_and(|at| at > started)
    });
    merged && known.iter().all(|pr| pr.state != PrState::Open)
}

/// Why pull requests could not be read, the more general reason first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unread {
    /// There is no `gh`.
    #[error("gh not found")]
    Missing,
    /// The operator is not logged in.
    #[error("gh is not logged in to {0}")]
    LoggedOut(String),
    /// Too much was asked.
    #[error("the limit of requests by gh is reached")]
    Limited,
    /// Anything else, in words.
    #[error("{0}")]
    Failed(String),
    /// The host may be anything: `gh` was never told of it.
    #[error("gh does not know {0}")]
    NoForge(String),
}

impl Unread {
    /// Whether it is no use to ask for another repository either.
    pub fn is_general(&self) -> bool {
        !matches!(self, Self::Failed(_) | Self::NoForge(_))
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing => Some("install it from https://cli.github.com".to_owned()),
            Self::LoggedOut(host) => Some(format!("run `gh auth login --hostname {host}`")),
            Self::Limited | Self::Failed(_) | Self::NoForge(_) => None,
        }
    }
}

#[cfg(test)]
#[path = "forge_tests.rs"]
mod tests;
