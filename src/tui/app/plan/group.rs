//! The groups in which a plan is shown.

use crate::domain::plan::{Back, PlanItem};

use super::request::PlanRequest;

/// Groups of a plan's sessions that can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Everything.
    All,
    /// Nothing to say about it.
    Safe,
    /// Comes back as it was.
    AsItWas,
    /// Comes back without its agent, which ran.
    WasLive,
    /// Agents that will be stopped.
    Live,
    /// With a worktree that git said nothing about in time.
    Unchecked,
    /// With uncommitted changes.
    Uncommitted,
    /// With commits that no remote has.
    Unpushed,
    /// With an open pull request.
    OpenPr,
    /// Pinned, where nothing is checked, or no more.
    Pinned,
    /// Comes back without its branch.
    Detached,
    /// Comes back with a worktree that is made again.
    MadeAgain,
    /// Pulled in by a session above.
    Children,
    /// Left alone, or dropped.
    Skipped,
}

impl Group {
    /// The groups of a plan, in the order of the counts.
    pub fn of(request: &PlanRequest) -> &'static [Self] {
        match request {
            PlanRequest::Delete(_) => &[
                Self::All,
                Self::Safe,
                Self::Live,
                Self::Unchecked,
                Self::Uncommitted,
                Self::Unpushed,
                Self::OpenPr,
                Self::Pinned,
                Self::Children,
                Self::Skipped,
            ],
            PlanRequest::Restore(_) => &[
                Self::All,
                Self::AsItWas,
                Self::WasLive,
                Self::Unchecked,
                Self::Detached,
                Self::MadeAgain,
                Self::Children,
                Self::Skipped,
            ],
            PlanRequest::Purge(_) => &[
                Self::All,
                Self::Safe,
                Self::Unchecked,
                Self::Uncommitted,
                Self::Unpushed,
                Self::Pinned,
                Self::Children,
                Self::Skipped,
            ],
        }
    }

    /// Whether it has a tab.
    pub(super) fn has_tab(self) -> bool {
        !matches!(self, Self::Safe | Self::AsItWas | Self::OpenPr | Self::Children)
    }

    /// The word in the counts.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Safe => "safe",
            Self::AsItWas => "as it was",
            Self::WasLive => "was live",
            Self::Live => "live",
            Self::Unchecked => "unchecked",
            Self::Uncommitted => "uncommitted",
            Self::Unpushed => "unpushed",
            Self::OpenPr => "open PR",
            Self::Pinned => "pinned",
            Self::Detached => "detached",
            Self::MadeAgain => "made again",
            Self::Children => "children",
            Self::Skipped => "skipped",
        }
    }

    /// Whether its line has a warning sign.
    pub fn warns(self) -> bool {
        matches!(
            self,
            Self::Live
                | Self::Unchecked
                | Self::Uncommitted
                | Self::Unpushed
                | Self::Pinned
                | Self::Detached
                | Self::MadeAgain
        )
    }

    pub(super) fn holds(self, item: &PlanItem) -> bool {
        match self {
            Self::All => true,
            Self::Live | Self::WasLive => item.row.live,
            Self::AsItWas => item.advice.back == Some(Back::AsItWas) && !item.row.live,
            Self::Detached => matches!(item.advice.back, Some(Back::Detached(_))),
            Self::MadeAgain => matches!(item.advice.back, Some(Back::MadeAgain(_))),
            Self::Unchecked => item.advice.unanswered,
            Self::Uncommitted => item.advice.dirty_files.unwrap_or(0) > 0,
            Self::Unpushed => item.advice.unpushed_commits.unwrap_or(0) > 0,
            Self::OpenPr => item.row.open_pr.is_some(),
            Self::Pinned => item.row.pinned,
            Self::Children => item.pulled_in_by.is_some(),
            Self::Skipped => false,
            Self::Safe => [
                Self::Live,
                Self::Unchecked,
                Self::Uncommitted,
                Self::Unpushed,
                Self::OpenPr,
                Self::Pinned,
            ]
            .iter()
            .all(|group| !group.holds(item)),
        }
    }
}
