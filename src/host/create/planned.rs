//! The worktree of a create as its journal names it before it is made (`spec/lifecycle.md` V1): with
//! it recovery finds folder and branch, whether or not a row names them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::ids::SessionId;
use crate::domain::operation::{Operation, StepResult};

use super::super::journal::result;
use super::super::ports::Worktree;

/// State of its result in the journal.
const STATE: &str = "worktree";

/// A worktree that an operation makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::host) struct Planned {
    pub(in crate::host) repository: PathBuf,
    pub(in crate::host) worktree: Worktree,
}

impl Planned {
    /// As a result for the journal.
    pub(in crate::host) fn result(
        id: &SessionId,
        repository: &Path,
        worktree: &Worktree,
    ) -> StepResult {
        let planned = Self { repository: repository.to_owned(), worktree: worktree.clone() };
        // Text and paths always have a JSON form, but for paths that are no UTF-8.
        let detail = serde_json::to_string(&planned).ok();
        result(id, STATE, detail)
    }

    /// What the journal of an operation names; none where no worktree was begun.
    pub(in crate::host) fn of(operation: &Operation) -> Option<Self> {
        let mut results = operation.results.iter();
        let detail = results.find(|result| result.state == STATE)?.detail.as_deref()?;
        serde_json::from_str(detail).ok()
    }
}
