//! The groups in which a plan is shown.

use crate::domain::plan::PlanItem;

/// Groups of a plan's sessions that can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Everything.
    All,
    /// Nothing to say about it.
    Safe,
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
    /// Pinned, where the pin check was dropped.
    Pinned,
    /// Pulled in by a session above.
    Children,
    /// Left alone, or dropped.
    Skipped,
}

impl Group {
    /// All groups, in the order of the counts.
    pub const ALL: [Self; 10] = [
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
    ];

    /// The groups that have a tab.
    pub(super) const TABS: [Self; 7] = [
        Self::All,
        Self::Live,
        Self::Unchecked,
        Self::Uncommitted,
        Self::Unpushed,
        Self::Pinned,
        Self::Skipped,
    ];

    /// The word in the counts.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Safe => "safe",
            Self::Live => "live",
            Self::Unchecked => "unchecked",
            Self::Uncommitted => "uncommitted",
            Self::Unpushed => "unpushed",
            Self::OpenPr => "open PR",
            Self::Pinned => "pinned",
            Self::Children => "children",
            Self::Skipped => "skipped",
        }
    }

    /// Whether its line has a warning sign.
    pub fn warns(self) -> bool {
        matches!(
            self,
            Self::Live | Self::Unchecked | Self::Uncommitted | Self::Unpushed | Self::Pinned
        )
    }

    pub(super) fn holds(self, item: &PlanItem) -> bool {
        match self {
            Self::All => true,
            Self::Live => item.row.live,
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
