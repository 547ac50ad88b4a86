//! Status, zone and attention: derived by one total function (`spec/lifecycle.md` section 2).

use super::activity::{Activity, ActivityFact};
use super::lifecycle::{Lifecycle, State, TerminationReason};
use super::pr::{Ci, Mergeability, PrFacts, PrState, Review};
use super::words::words;

words! {
    /// The status of a session.
    Status {
        /// The work is complete.
        Done = "done",
        /// Ended by hand, by itself, or lost.
        Killed = "killed",
        /// Reclaimed.
        Cleanup = "cleanup",
        /// Could not be started or probed.
        Errored = "errored",
        /// Ended, reason unknown.
        Terminated = "terminated",
        /// Waits for the operator.
        NeedsInput = "needs_input",
        /// Its condition could not be found out.
        Stuck = "stuck",
        /// Its condition is being found out.
        Detecting = "detecting",
        /// Being created, or no fact yet.
        Spawning = "spawning",
        /// A pull request was merged, none is open.
        Merged = "merged",
        /// An open pull request fails its checks.
        CiFailed = "ci_failed",
        /// An open pull request is a draft.
        Draft = "draft",
        /// Reviewers want changes.
        ChangesRequested = "changes_requested",
        /// Can be merged.
        Mergeable = "mergeable",
        /// Approved.
        Approved = "approved",
        /// Waits for a review.
        ReviewPending = "review_pending",
        /// Any other open pull request.
        PrOpen = "pr_open",
        /// Waits for a prompt.
        Idle = "idle",
        /// Works.
        Working = "working",
    }
}

words! {
    /// Groups of statuses in the order in which the operator looks at them (T3).
    Zone {
        /// Waits for the operator's answer.
        Respond = "respond",
        /// Goes back to the agent.
        Review = "review",
        /// Ready to go on.
        Merge = "merge",
        /// Waits for others.
        Pending = "pending",
        /// At work.
        Working = "working",
        /// Nothing to do.
        Resting = "resting",
    }
}

impl Status {
    /// The zone of a status (T3).
    pub fn zone(self) -> Zone {
        match self {
            Self::NeedsInput | Self::Stuck | Self::Errored | Self::Detecting => Zone::Respond,
            Self::CiFailed | Self::ChangesRequested => Zone::Review,
            Self::Mergeable | Self::Approved => Zone::Merge,
            Self::PrOpen | Self::Draft | Self::ReviewPending => Zone::Pending,
            Self::Working | Self::Spawning => Zone::Working,
            Self::Idle
            | Self::Done
            | Self::Merged
            | Self::Killed
            | Self::Cleanup
            | Self::Terminated => Zone::Resting,
        }
    }
}

/// A status with the rule that gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// The result.
    pub status: Status,
    /// Row of the table in `spec/lifecycle.md` section 2, 1 to 17.
    pub rule: u8,
    /// The facts the rule used, in words.
    pub because: String,
}

/// The status of a session: the first row of the table that matches. Total and pure.
pub fn derive(lifecycle: &Lifecycle, activity: &ActivityFact, prs: &[PrFacts]) -> Derivation {
    let found = |rule, status, because: String| Derivation { status, rule, because };
    match lifecycle.state {
        State::Done => found(1, Status::Done, "declared done".to_owned()),
        State::Terminated => {
            let (rule, status) = terminated(lifecycle.reason);
            let because = lifecycle
                .reason
                .map_or_else(|| "ended, no reason known".to_owned(), |reason| reason.to_string());
            found(rule, status, because)
        }
        State::NeedsInput => found(6, Status::NeedsInput, needs_input_because(activity)),
        State::Stuck => found(6, Status::Stuck, "its condition could not be found out".to_owned()),
        State::Detecting => found(6, Status::Detecting, "witnesses disagree".to_owned()),
        State::NotStarted => {
            found(7, Status::Spawning, format!("launch {}, no fact yet", lifecycle.generation))
        }
        State::Working | State::Idle => from_prs(prs).unwrap_or_else(|| {
            let because = format!("activity {}", activity.value);
            if lifecycle.state == State::Idle {
                found(16, Status::Idle, because)
            } else {
                found(17, Status::Working, because)
            }
        }),
    }
}

fn needs_input_because(activity: &ActivityFact) -> String {
    match activity.value {
        Activity::Blocked => "permission".to_owned(),
        Activity::Error => format!("the agent reported an error: {}", activity.witness),
        _ => "asks for input".to_owned(),
    }
}

fn terminated(reason: Option<TerminationReason>) -> (u8, Status) {
    use TerminationReason as R;
    match reason {
        Some(R::ManuallyKilled | R::RuntimeLost | R::AgentProcessExited) => (2, Status::Killed),
        Some(R::AutoCleanup | R::PrMerged) => (3, Status::Cleanup),
        Some(R::ErrorInProcess | R::ProbeFailure) => (4, Status::Errored),
        None => (5, Status::Terminated),
    }
}

/// The open pull request that counts: the worst one by the table's order (T2), of equal ones that
/// with the lowest number.
pub fn worst_open(prs: &[PrFacts]) -> Option<&PrFacts> {
    let open = prs.iter().filter(|pr| pr.state == PrState::Open);
    open.min_by_key(|pr| (open_rule(pr).0, pr.number))
}

/// Rows 8 to 15.
fn from_prs(prs: &[PrFacts]) -> Option<Derivation> {
    if let Some(pr) = worst_open(prs) {
        let (rule, status) = open_rule(pr);
        return Some(Derivation { status, rule, because: format!("PR #{}", pr.number) });
    }
    let merged = prs.iter().find(|pr| pr.state == PrState::Merged)?;
    Some(Derivation { status: Status::Merged, rule: 8, because: format!("PR #{}", merged.number) })
}

fn open_rule(pr: &PrFacts) -> (u8, Status) {
    if pr.ci == Ci::Failing {
        (9, Status::CiFailed)
    } else if pr.draft {
        (10, Status::Draft)
    } else if pr.review == Review::ChangesRequested || pr.unresolved > 0 {
        (11, Status::ChangesRequested)
    } else if pr.mergeability == Mergeability::Mergeable {
        (12, Status::Mergeable)
    } else {
        match pr.review {
            Review::Approved => (13, Status::Approved),
            Review::Required => (14, Status::ReviewPending),
            _ => (15, Status::PrOpen),
        }
    }
}

words! {
    /// Why a session wants the operator (T4).
    Attention {
        /// Asks a question.
        NeedsInput = "needs_input",
        /// Asks for a permission.
        Permission = "permission",
        /// Its condition could not be found out.
        Stuck = "stuck",
        /// Could not be started or probed.
        Errored = "errored",
        /// Checks fail.
        CiFailed = "ci_failed",
        /// Reviewers want changes.
        ChangesRequested = "changes_requested",
        /// Can be merged.
        Mergeable = "mergeable",
        /// Approved.
        Approved = "approved",
        /// Finished and not looked at.
        FinishedUnseen = "finished_unseen",
        /// Refused by its service for two minutes.
        Retrying = "retrying",
        /// Active without any sign (G5).
        Stalled = "stalled",
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
