//! Which running operation can be cancelled how.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use crate::domain::ids::OperationId;
use crate::domain::operation::Verb;

/// Jobs of this dashboard. A coordinator chooses the id of its operation itself and reports it when it
/// begins: the job is then the oldest one that waits with that verb, and best with that many sessions.
#[derive(Debug, Default)]
pub(super) struct JobTable {
    waiting: Vec<(Verb, usize, CancellationToken)>,
    running: BTreeMap<OperationId, CancellationToken>,
}

impl JobTable {
    /// A job is about to begin; the token cancels it.
    pub(super) fn add(&mut self, verb: Verb, sessions: usize) -> CancellationToken {
        let token = CancellationToken::new();
        self.waiting.push((verb, sessions, token.clone()));
        token
    }

    /// An operation began.
    pub(super) fn began(&mut self, id: &OperationId, verb: Verb, total: usize) {
        let exact = self.waiting.iter().position(|job| job.0 == verb && job.1 == total);
        let found = exact.or_else(|| self.waiting.iter().position(|job| job.0 == verb));
        if let Some(index) = found {
            let (.., token) = self.waiting.remove(index);
            self.running.insert(id.clone(), token);
        }
    }

    /// It ended.
    pub(super) fn ended(&mut self, id: &OperationId) {
        self.running.remove(id);
    }

    /// Cancels what it has not done yet; an operation of another process cannot be reached.
    pub(super) fn cancel(&self, id: &OperationId) {
        if let Some(token) = self.running.get(id) {
            token.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_cancelled_by_the_id_that_it_chose() {
        let id = |text: &str| OperationId::new(text).unwrap();
        let mut jobs = JobTable::default();
        let small = jobs.add(Verb::Delete, 2);
        let stop = jobs.add(Verb::Stop, 2);
        let large = jobs.add(Verb::Delete, 40);
        jobs.began(&id("a"), Verb::Delete, 40);
        jobs.began(&id("b"), Verb::Delete, 3);
        jobs.cancel(&id("b"));
        assert!(small.is_cancelled() && !large.is_cancelled() && !stop.is_cancelled());
        jobs.ended(&id("a"));
        jobs.cancel(&id("a"));
        assert!(!large.is_cancelled());
    }
}
