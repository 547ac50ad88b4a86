//! Which running operation can be cancelled how.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use crate::domain::ids::OperationId;
use crate::domain::operation::Verb;

/// Jobs of this dashboard. A coordinator chooses the ids of its operations itself and reports each
/// when it begins: its job is then the one with such a verb that has not seen all of its sessions
/// begin, best one of just that many. A job on many sessions may be one operation or one for each.
#[derive(Debug, Default)]
pub(super) struct JobTable {
    jobs: BTreeMap<u64, Job>,
    next: u64,
    running: BTreeMap<OperationId, CancellationToken>,
}

#[derive(Debug)]
struct Job {
    verbs: &'static [Verb],
    sessions: usize,
    begun: usize,
    token: CancellationToken,
}

impl JobTable {
    /// A job is about to begin; the token cancels it, the number ends it.
    pub(super) fn add(
        &mut self,
        verbs: &'static [Verb],
        sessions: usize,
    ) -> (u64, CancellationToken) {
        let token = CancellationToken::new();
        self.next += 1;
        self.jobs.insert(self.next, Job { verbs, sessions, begun: 0, token: token.clone() });
        (self.next, token)
    }

    /// A job has ended: none of its operations begins any more.
    pub(super) fn forget(&mut self, job: u64) {
        self.jobs.remove(&job);
    }

    /// An operation began.
    pub(super) fn began(&mut self, id: &OperationId, verb: Verb, total: usize) {
        // One that had to wait for its place has told so before.
        if self.running.contains_key(id) {
            return;
        }
        let candidates = self.jobs.values_mut().filter(|job| job.verbs.contains(&verb));
        let best = candidates.min_by_key(|job| (job.begun >= job.sessions, job.sessions != total));
        if let Some(job) = best {
            job.begun += total;
            self.running.insert(id.clone(), job.token.clone());
        }
    }

    /// It ended.
    pub(super) fn ended(&mut self, id: &OperationId) {
        self.running.remove(id);
    }

    /// Cancels what it has not done yet, with the rest of its job; an operation of another process
    /// cannot be reached.
    pub(super) fn cancel(&self, id: &OperationId) {
        if let Some(token) = self.running.get(id) {
            token.cancel();
        }
    }

    /// Cancels everything.
    pub(super) fn cancel_all(&self) {
        self.jobs.values().for_each(|job| job.token.cancel());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> OperationId {
        OperationId::new(text).unwrap()
    }

    #[test]
    fn an_operation_is_cancelled_by_the_id_that_it_chose() {
        let mut jobs = JobTable::default();
        let (_, small) = jobs.add(&[Verb::Delete], 2);
        let (_, stop) = jobs.add(&[Verb::Stop], 2);
        let (key, large) = jobs.add(&[Verb::Delete], 40);
        jobs.began(&id("a"), Verb::Delete, 40);
        jobs.began(&id("b"), Verb::Delete, 3);
        jobs.cancel(&id("b"));
        assert!(small.is_cancelled() && !large.is_cancelled() && !stop.is_cancelled());
        jobs.ended(&id("a"));
        jobs.forget(key);
        jobs.cancel(&id("a"));
        assert!(!large.is_cancelled());
    }

    #[test]
    fn every_operation_of_a_job_cancels_the_whole_job() {
        let mut jobs = JobTable::default();
        let (_, stop) = jobs.add(&[Verb::Stop], 3);
        for name in ["a", "b", "c"] {
            jobs.began(&id(name), Verb::Stop, 1);
        }
        jobs.cancel(&id("c"));
        assert!(stop.is_cancelled());
    }
}
