//! When facts are told, and the thread that stores them (`spec/runtime.md` X7).

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::domain::facts::Facts;
use crate::domain::hook::HookReport;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::time::Timestamp;
use crate::os::clock::Clock;
use crate::os::memory;
use crate::store::facts::FactsWriter;

/// Least time between two tellings: transitions at most four times a second.
const FASTEST: Duration = Duration::from_millis(250);
/// Longest time that other changes wait.
const RELAXED: Duration = Duration::from_secs(5);
/// The store stays open between the facts of a busy session, and no longer.
const QUIET: Duration = Duration::from_secs(6);
/// Pauses of the thread while the store is busy or gone.
const RETRY: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// Decides when changed facts are told.
#[derive(Debug, Default)]
pub(super) struct Gate {
    last: Option<Timestamp>,
    urgent: bool,
    changed: bool,
}

impl Gate {
    /// A transition: activity, question, exit.
    pub(super) fn transition(&mut self) {
        self.urgent = true;
    }

    /// Anything else.
    pub(super) fn change(&mut self) {
        self.changed = true;
    }

    /// When the facts are to be told next, if something changed.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let pause = match (self.urgent, self.changed) {
            (true, _) => FASTEST,
            (false, true) => RELAXED,
            (false, false) => return None,
        };
        Some(self.last.map_or(Timestamp(0), |last| last.plus(pause)))
    }

    /// They were told.
    pub(super) fn told(&mut self, now: Timestamp) {
        *self = Self { last: Some(now), urgent: false, changed: false };
    }
}

/// Reports of hooks that wait for the store.
const NOTES: usize = 256;

#[derive(Debug, Default)]
struct State {
    next: Option<Facts>,
    /// What else the store has to keep, with its launch; the oldest first.
    notes: VecDeque<(u32, HookReport)>,
    closing: bool,
}

#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    wake: Condvar,
}

impl Slot {
    /// A panic while this is held leaves whole values behind.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that stores facts; only the newest ones wait for it.
#[derive(Debug)]
pub(super) struct Storing {
    slot: Arc<Slot>,
    finished: oneshot::Receiver<()>,
}

impl Storing {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no more threads.
    pub(super) fn start(
        database: PathBuf,
        workspace: WorkspaceName,
        session: SessionId,
    ) -> std::io::Result<Self> {
        let slot = Arc::new(Slot::default());
        let (done, finished) = oneshot::channel();
        let own = Arc::clone(&slot);
        std::thread::Builder::new().name("facts".to_owned()).stack_size(256 << 10).spawn(
            move || {
                store(&own, || FactsWriter::open(&database, &workspace, &session));
                // nobody listens where the keeper gave up waiting
                let _ = done.send(());
            },
        )?;
        Ok(Self { slot, finished })
    }

    /// Hands facts over, in place of older ones that still wait.
    pub(super) fn put(&self, facts: Facts) {
        self.slot.lock().next = Some(facts);
        self.slot.wake.notify_one();
    }

    /// Hands over what a hook reported; beyond [`NOTES`] the oldest are dropped.
    pub(super) fn note(&self, generation: u32, report: HookReport) {
        let mut state = self.slot.lock();
        if state.notes.len() >= NOTES {
            state.notes.pop_front();
            tracing::warn!("the store is away for too long: a report of a hook is lost");
        }
        state.notes.push_back((generation, report));
        drop(state);
        self.slot.wake.notify_one();
    }

    /// Waits until what was handed over is stored; false where that takes longer than `limit`.
    pub(super) async fn finish(self, limit: Duration) -> bool {
        self.slot.lock().closing = true;
        self.slot.wake.notify_one();
        tokio::time::timeout(limit, self.finished).await.is_ok()
    }
}

/// What is stored next.
#[derive(Debug)]
enum Work {
    Facts(Facts),
    Note(u32, HookReport),
}

fn store<E: std::fmt::Display>(slot: &Slot, open: impl Fn() -> Result<FactsWriter, E>) {
    let mut writer: Option<FactsWriter> = None;
    let mut failures = 0;
    // Notes wait until the launch is published; facts do not (C4).
    let mut early = false;
    while let Some(work) = next(slot, early, &mut writer) {
        if writer.is_none() {
            writer = open().inspect_err(|error| warn(failures, error)).ok();
        }
        let stored = writer.as_mut().is_some_and(|writer| {
            let now = Clock::System.now();
            let written = match &work {
                Work::Facts(facts) => writer.write(facts, now).map(|()| true),
                Work::Note(generation, report) => writer.report(*generation, report, now),
            };
            if let Ok(taken) = written {
                early = !taken;
            }
            written.inspect_err(|error| warn(failures, error)).is_ok()
        });
        if stored {
            failures = 0;
            if let (true, Work::Note(generation, report)) = (early, work) {
                slot.lock().notes.push_front((generation, report));
            }
            if let Some(writer) = writer.as_ref().filter(|_| slot.lock().next.is_none()) {
                writer.tidy();
            }
            continue;
        }
        writer = None;
        let pause = RETRY[failures.min(RETRY.len() - 1)];
        failures += 1;
        let mut state = slot.lock();
        match work {
            Work::Facts(facts) => drop(state.next.get_or_insert(facts)),
            Work::Note(generation, report) => state.notes.push_front((generation, report)),
        }
        // newer facts do not shorten the pause; the end of the keeper does
        let waited = slot.wake.wait_timeout_while(state, pause, |state| !state.closing);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closing && failures > 1 {
            tracing::warn!("the last facts could not be stored");
            return;
        }
    }
}

fn warn(failures: usize, error: &dyn std::fmt::Display) {
    if failures == 0 {
        tracing::warn!(%error, "facts cannot be stored now; the newest are kept");
    }
}

/// Waits for something to store; none once the keeper ends and everything is stored. Notes that came
/// too `early` wait a moment, and are dropped at the end. Where nothing comes for a while, the `writer`
/// is put away: it holds a seventh of an idle keeper's memory.
fn next(slot: &Slot, early: bool, writer: &mut Option<FactsWriter>) -> Option<Work> {
    let mut state = slot.lock();
    let mut waited = !early;
    loop {
        if let Some(facts) = state.next.take() {
            return Some(Work::Facts(facts));
        }
        if waited && let Some((generation, report)) = state.notes.pop_front() {
            return Some(Work::Note(generation, report));
        }
        if state.closing {
            return None;
        }
        if state.notes.is_empty() && writer.is_none() {
            state = slot.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        } else if state.notes.is_empty() {
            let quiet =
                slot.wake.wait_timeout(state, QUIET).unwrap_or_else(PoisonError::into_inner);
            state = quiet.0;
            if quiet.1.timed_out() {
                drop(state);
                *writer = None;
                memory::give_back();
                state = slot.lock();
            }
        } else {
            let pause = slot.wake.wait_timeout(state, RETRY[0]);
            let (held, timeout) = pause.unwrap_or_else(PoisonError::into_inner);
            (state, waited) = (held, timeout.timed_out());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W5: transitions at once, other fields at most every 5 s
    #[test]
    fn transitions_are_told_at_once_but_four_times_a_second() {
        let mut gate = Gate::default();
        assert_eq!(gate.due(), None);
        gate.transition();
        assert!(gate.due().unwrap() <= Timestamp(0));
        gate.told(Timestamp(1_000));
        assert_eq!(gate.due(), None);
        gate.change();
        assert_eq!(gate.due(), Some(Timestamp(6_000)));
        gate.transition();
        assert_eq!(gate.due(), Some(Timestamp(1_250)));
    }
}
