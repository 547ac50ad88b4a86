//! Operations: what runs in this process by its progress reports, and what the store remembers.

use std::collections::BTreeMap;

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::time::Timestamp;
use crate::host::report::{Progress, QUEUED, waiting_for};

/// An operation that reports to this dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: OperationId,
    /// What it does.
    pub verb: Verb,
    /// How many sessions.
    pub total: usize,
    /// When it began.
    pub began: Timestamp,
    /// How far each session is, with the time of the step.
    pub states: BTreeMap<SessionId, (String, Timestamp)>,
}

impl Job {
    /// Sessions that are at their end.
    pub fn done(&self) -> usize {
        self.states.values().filter(|(state, _)| is_final(self.verb, state)).count()
    }

    /// The word on the row of a session while this job acts on it (`spec/look.md` section 2).
    fn busy_word(&self, id: &SessionId) -> Option<&'static str> {
        let (state, _) = self.states.get(id)?;
        if is_final(self.verb, state) {
            return None;
        }
        let word = match (self.verb, state.as_str()) {
            (Verb::Create | Verb::Send, _) => return None,
            (_, "waiting" | QUEUED) => "waiting",
            (Verb::Delete, "closing" | "escalated" | "closed") | (Verb::Cleanup, _) => "closing",
            (Verb::Delete | Verb::Purge, _) => "deleting",
            (Verb::Restore, _) => "restoring",
            (Verb::Launch, _) => "starting",
            (Verb::Stop | Verb::Kill, _) => "stopping",
        };
        Some(word)
    }

    /// Whether it waits for a place to start (`spec/lifecycle.md` C10).
    pub fn is_queued(&self) -> bool {
        self.states.values().any(|(state, _)| state == QUEUED)
    }

    /// Whether it is long enough to be shown at the top: a single start is seen on its row, once
    /// there is one.
    fn is_notable(&self) -> bool {
        let single = matches!(self.verb, Verb::Create | Verb::Launch | Verb::Send);
        !single || self.total > 1 || self.is_queued()
    }
}

/// What an operation waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// The session that it cannot have yet.
    pub id: SessionId,
    /// What another operation does to it.
    pub behind: Verb,
    /// Since when.
    pub since: Timestamp,
}

/// Whether a step is the last of its session.
pub fn is_final(verb: Verb, state: &str) -> bool {
    match state {
        "moved" | "skipped" | "failed" | "done" | "restored" | "launched" | "stopped" | "freed"
        | "purged" | "created" => true,
        "closed" => matches!(verb, Verb::Stop | Verb::Kill | Verb::Cleanup),
        _ => false,
    }
}

/// All operations the dashboard knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Jobs {
    /// Running in this process, oldest first.
    pub running: Vec<Job>,
    /// Operations of this process that wait for another one.
    pub waits: BTreeMap<OperationId, Wait>,
    /// As journalled, newest first.
    pub operations: Vec<Operation>,
    /// The selected one.
    pub selected: Option<OperationId>,
    /// First line of the results on view.
    pub scroll: usize,
}

impl Jobs {
    /// Takes in a report.
    pub fn report(&mut self, progress: &Progress, now: Timestamp) {
        match progress {
            // One that had to wait for its place has told so before.
            Progress::Began { operation, .. } if self.job(operation).is_some() => {}
            Progress::Began { operation, verb, total } => self.running.push(Job {
                id: operation.clone(),
                verb: *verb,
                total: *total,
                began: now,
                states: BTreeMap::new(),
            }),
            Progress::Session { operation, id, state } => {
                if let Some(job) = self.running.iter_mut().find(|job| job.id == *operation) {
                    job.states.insert(id.clone(), ((*state).to_owned(), now));
                }
            }
            Progress::Ended { operation } => self.running.retain(|job| job.id != *operation),
            Progress::Waits { operation, id, behind, since } => {
                let wait = Wait { id: id.clone(), behind: *behind, since: *since };
                self.waits.insert(operation.clone(), wait);
            }
            Progress::Waited { operation } => {
                self.waits.remove(operation);
            }
        }
    }

    /// Takes in the journal.
    pub fn load(&mut self, operations: Vec<Operation>) {
        self.operations = operations;
        let gone = |id: &OperationId| self.operations.iter().all(|operation| operation.id != *id);
        if self.selected.as_ref().is_none_or(gone) {
            self.selected = self.operations.first().map(|operation| operation.id.clone());
        }
    }

    /// The word of the job that acts on a session.
    pub fn busy_word(&self, id: &SessionId) -> Option<&'static str> {
        let busy = self.running.iter().find_map(|job| job.busy_word(id));
        busy.or_else(|| self.waits.values().any(|wait| wait.id == *id).then_some("waiting"))
    }

    /// The longest wait for another operation, in words (`spec/lifecycle.md` L5).
    pub fn waiting(&self, now: Timestamp) -> Option<String> {
        let wait = self.waits.values().min_by_key(|wait| wait.since)?;
        Some(waiting_for(wait.behind, &wait.id, now.since(wait.since)))
    }

    /// Running jobs for the top line, oldest first.
    pub fn notable(&self) -> impl Iterator<Item = &Job> {
        self.running.iter().filter(|job| job.is_notable())
    }

    /// The running job of an operation.
    pub fn job(&self, id: &OperationId) -> Option<&Job> {
        self.running.iter().find(|job| job.id == *id)
    }

    /// Place of the selected operation.
    pub fn index(&self) -> usize {
        let is_it = |operation: &Operation| Some(&operation.id) == self.selected.as_ref();
        self.operations.iter().position(is_it).unwrap_or(0)
    }

    /// The selected operation.
    pub fn current(&self) -> Option<&Operation> {
        self.operations.get(self.index())
    }

    /// Selects by place, clamped.
    pub fn select(&mut self, index: usize) {
        let index = index.min(self.operations.len().saturating_sub(1));
        self.selected = self.operations.get(index).map(|operation| operation.id.clone());
        self.scroll = 0;
    }

    /// Sessions of an operation with how far each is and why, in the order failed, escalated, in
    /// hand, skipped, done, waiting.
    pub fn results(&self, operation: &Operation) -> Vec<JobRow> {
        let job = self.job(&operation.id);
        let mut rows: Vec<JobRow> = operation
            .session_ids
            .iter()
            .map(|id| {
                let stored = operation.results.iter().rev().find(|result| result.id == *id);
                let live = job.and_then(|job| job.states.get(id));
                // What is intended is written before anything is done.
                let intended = |state: &str| matches!(state, "intended" | "live");
                let stored = stored.filter(|result| !intended(&result.state));
                let otherwise = match operation.state {
                    OperationState::Done | OperationState::Partly => "done",
                    OperationState::Running | OperationState::Stuck => "waiting",
                    OperationState::Failed | OperationState::Cancelled => "not done",
                };
                // Closing is no end of a delete.
                let unfinished = operation.kind == Verb::Delete
                    && matches!(
                        operation.state,
                        OperationState::Failed | OperationState::Cancelled
                    );
                let stored = stored.filter(|result| !(unfinished && result.state == "closed"));
                let state = live
                    .map(|(state, _)| state.clone())
                    .or_else(|| stored.map(|result| result.state.replace('_', " ")))
                    .unwrap_or_else(|| otherwise.to_owned());
                JobRow {
                    id: id.clone(),
                    rank: rank(operation, &state),
                    state,
                    detail: stored.and_then(|result| result.detail.clone()),
                    since: live.map(|(_, since)| *since),
                }
            })
            .collect();
        rows.sort_by(|a, b| (a.rank, &a.id).cmp(&(b.rank, &b.id)));
        rows
    }

    /// How far a running operation is, of this process or of another: sessions at their end, sessions
    /// in all, and its begin.
    pub fn progress(&self, operation: &Operation) -> Option<(usize, usize, Timestamp)> {
        if operation.state != OperationState::Running {
            return None;
        }
        if let Some(job) = self.job(&operation.id) {
            return Some((job.done(), job.total, job.began));
        }
        let at_end = |row: &JobRow| matches!(row.rank, Rank::Failed | Rank::Skipped | Rank::Done);
        let done = self.results(operation).iter().filter(|row| at_end(row)).count();
        Some((done, operation.session_ids.len(), operation.started_at))
    }

    /// What an operation that has ended did not do.
    pub fn not_done(&self, operation: &Operation) -> Vec<SessionId> {
        if operation.state == OperationState::Running {
            return Vec::new();
        }
        let failed = |row: &JobRow| {
            let stubborn = row.detail.as_deref().is_some_and(|why| why.contains("did_not_end"));
            row.rank == Rank::Failed || row.state == "not done" || stubborn
        };
        let rows = self.results(operation).into_iter().filter(failed);
        rows.map(|row| row.id).collect()
    }
}

/// Whether an operation is stuck, or a delete whose batch may be brought back.
pub fn can_be_undone(operation: &Operation) -> bool {
    match operation.state {
        OperationState::Stuck => true,
        OperationState::Done | OperationState::Partly => operation.kind == Verb::Delete,
        OperationState::Running | OperationState::Failed | OperationState::Cancelled => false,
    }
}

/// One session of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Which.
    pub id: SessionId,
    /// Place in the order of the list.
    pub rank: Rank,
    /// How far it is.
    pub state: String,
    /// Why.
    pub detail: Option<String>,
    /// Since when, while it runs here.
    pub since: Option<Timestamp>,
}

/// Groups of an operation's sessions, in the order they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// It failed.
    Failed,
    /// The polite way was not enough.
    Escalated,
    /// Being worked on.
    InHand,
    /// Left alone.
    Skipped,
    /// At its end.
    Done,
    /// Not begun.
    Waiting,
}

fn rank(operation: &Operation, state: &str) -> Rank {
    let ended = matches!(operation.state, OperationState::Done | OperationState::Partly);
    match state {
        "failed" => Rank::Failed,
        "escalated" => Rank::Escalated,
        "skipped" => Rank::Skipped,
        "waiting" | "not done" => Rank::Waiting,
        state if ended || is_final(operation.kind, state) => Rank::Done,
        _ => Rank::InHand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_busy_until_its_session_is_at_its_end() {
        let (operation, id) = ("op".parse::<OperationId>().unwrap(), "shop-4".parse().unwrap());
        let mut jobs = Jobs::default();
        let session = |state| Progress::Session {
            operation: operation.clone(),
            id: "shop-4".parse().unwrap(),
            state,
        };
        let began = Progress::Began { operation: operation.clone(), verb: Verb::Delete, total: 2 };
        jobs.report(&began, Timestamp(0));
        for (state, word) in [
            ("waiting", Some("waiting")),
            ("closing", Some("closing")),
            ("escalated", Some("closing")),
            ("deleted", Some("deleting")),
            ("moved", None),
        ] {
            jobs.report(&session(state), Timestamp(1));
            assert_eq!(jobs.busy_word(&id), word, "{state}");
        }
        assert_eq!(jobs.notable().next().map(Job::done), Some(1));
        jobs.report(&Progress::Ended { operation }, Timestamp(2));
        assert_eq!(jobs.notable().count(), 0);
    }

    /// L5: the row and the words say what is waited for, as long as it is.
    #[test]
    fn who_waits_for_another_operation_says_so() {
        let operation = "op".parse::<OperationId>().unwrap();
        let id: SessionId = "shop-4".parse().unwrap();
        let mut jobs = Jobs::default();
        let (operation, since) = (operation, Timestamp(1_000));
        let waits = Progress::Waits {
            operation: operation.clone(),
            id: id.clone(),
            behind: Verb::Delete,
            since,
        };
        jobs.report(&waits, Timestamp(4_000));
        assert_eq!(jobs.busy_word(&id), Some("waiting"));
        let words = jobs.waiting(Timestamp(4_500));
        assert_eq!(words.as_deref(), Some("waiting for delete of shop-4, 3 s"));
        jobs.report(&Progress::Waited { operation }, Timestamp(5_000));
        assert_eq!((jobs.busy_word(&id), jobs.waiting(Timestamp(5_000))), (None, None));
    }
}
