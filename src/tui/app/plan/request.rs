//! What a plan is made for.

use crate::domain::ids::SessionId;
use crate::host::report::DeleteRequest;

/// A verb whose plan is shown before it is done, with what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanRequest {
    /// Into the trash.
    Delete(DeleteRequest),
    /// Out of the trash.
    Restore(Vec<SessionId>),
    /// For good.
    Purge(Vec<SessionId>),
}

impl PlanRequest {
    /// How many sessions were named.
    pub fn named(&self) -> usize {
        match self {
            Self::Delete(request) => request.ids.len(),
            Self::Restore(ids) | Self::Purge(ids) => ids.len(),
        }
    }

    /// The verb, at the beginning of a title.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Delete(_) => "Delete",
            Self::Restore(_) => "Restore",
            Self::Purge(_) => "Purge",
        }
    }

    /// Trees of the trash come back, or go, whole (R1, R5); of a tree that is deleted, its lower parts may
    /// go alone (D1).
    pub fn is_whole_trees(&self) -> bool {
        !matches!(self, Self::Delete(_))
    }

    /// Whether pinned sessions are left alone.
    pub fn excludes_pinned(&self) -> bool {
        matches!(self, Self::Delete(request) if request.conditions.exclude_pinned)
    }
}
