//! What accumulates over the attempts of one delete (`spec/lifecycle.md` D4).

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::ids::SessionId;
use crate::domain::operation::StepResult;
use crate::domain::plan::{PlanItem, SkipReason, Skipped};

use super::super::error::HostError;
use super::super::journal::result;
use super::super::ports::TombstoneRow;
use super::super::report::{DeleteReport, DeleteRequest, SkippedRow};
use super::moves::Move;
use super::view::View;

/// Of one delete, over all its attempts.
#[derive(Default)]
pub(super) struct Run {
    pub(super) attempts: u32,
    /// Sessions whose runtimes were closed for it.
    pub(super) closed: BTreeSet<SessionId>,
    pub(super) escalated: BTreeSet<SessionId>,
}

impl Run {
    /// Before the first attempt.
    pub(super) fn of(request: &DeleteRequest) -> Self {
        Self { closed: request.closed.clone(), ..Self::default() }
    }

    pub(super) fn report(&self, request: &DeleteRequest, view: &View) -> DeleteReport {
        // That a runtime has no row is no news once it was closed as one without.
        let news = |skip: &&Skipped| {
            skip.reason != SkipReason::NotFound || !self.closed.contains(&skip.id)
        };
        DeleteReport {
            requested: request.ids.iter().cloned().collect(),
            runtime_closed_ids: self.closed.iter().cloned().collect(),
            skipped: view.plan.skipped.iter().filter(news).map(SkippedRow::from).collect(),
            escalated_ids: self.escalated.iter().cloned().collect(),
            attempts: self.attempts,
            ..DeleteReport::default()
        }
    }

    /// The error with what was closed by then (D4, D14).
    pub(super) fn stopped(self, cause: HostError) -> HostError {
        if self.closed.is_empty() {
            return cause;
        }
        let closed = self.closed.into_iter().collect();
        HostError::Stopped { cause: Box::new(cause), closed }
    }
}

/// Rows of the transaction.
impl View {
    pub(super) fn tombstones(&self, moves: &[Move], run: &Run) -> Vec<TombstoneRow> {
        let paths: BTreeMap<&SessionId, &Move> = moves.iter().map(|to| (&to.id, to)).collect();
        let row = |item: &PlanItem| {
            let closed = run.closed.contains(&item.row.id);
            TombstoneRow {
                id: item.row.id.clone(),
                was_live: item.row.live || closed,
                closed,
                trash_path: paths.get(&item.row.id).map(|found| found.to.clone()),
            }
        };
        self.plan.items.iter().map(row).collect()
    }

    pub(super) fn skipped_results(&self) -> Vec<StepResult> {
        let skip = |skip: &Skipped| result(&skip.id, "skipped", Some(skip.reason.to_string()));
        self.plan.skipped.iter().map(skip).collect()
    }
}
