//! Facts about pull requests (`spec/lifecycle.md` F1, T2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::time::Timestamp;
use super::words::words;

words! {
    /// State of a pull request.
    PrState {
        /// Open.
        Open = "open",
        /// Merged.
        Merged = "merged",
        /// Closed without a merge.
        Closed = "closed",
    }
}

words! {
    /// What the checks of a pull request say.
    Ci {
        /// No checks, or not known.
        None = "none",
        /// Running.
        Pending = "pending",
        /// All passed.
        Passing = "passing",
        /// At least one failed.
        Failing = "failing",
    }
}

words! {
    /// What the reviewers say.
    Review {
        /// No decision, none asked for.
        None = "none",
        /// A review is required.
        Required = "required",
        /// Approved.
        Approved = "approved",
        /// Changes requested.
        ChangesRequested = "changes_requested",
    }
}

words! {
    /// Whether it can be merged.
    Mergeability {
        /// Not known.
        Unknown = "unknown",
        /// It can.
        Mergeable = "mergeable",
        /// It cannot: conflicts or missing conditions.
        Blocked = "blocked",
    }
}

/// What is known of one pull request of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PrFacts {
    /// Its page.
    pub url: String,
    /// Its number in the repository.
    pub number: u64,
    /// Open, merged, closed.
    pub state: PrState,
    /// Whether it is a draft.
    pub draft: bool,
    /// Checks.
    pub ci: Ci,
    /// Review decision.
    pub review: Review,
    /// Whether it can be merged.
    pub mergeability: Mergeability,
    /// Unresolved review comments.
    pub unresolved: u32,
    /// The last read failed; the values are older (T2).
    pub stale: bool,
    /// When it was read.
    #[serde(skip)]
    pub read_at: Timestamp,
}
