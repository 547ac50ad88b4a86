//! Planned faults (`spec/lifecycle.md` V5): a value in the context that fails or cuts short a
//! coordinator at a chosen point, so that a test can go through all of them.
//!
//! A point lies before and after every step and every write of the journal. In production no context
//! has a plan, and a point costs one look at an `Option`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::domain::error::ErrorKind;

use super::ports::PortError;

/// What happens at the chosen point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The step fails without effect; a point after a step lets it be.
    Fail,
    /// The coordinator goes no further, and compensates nothing: as `kill -9` would have it. Whoever
    /// waits for it hears of it by [`Faults::crashed`] and drops it, which frees its locks.
    Crash,
}

/// A step, and its context when it began (`spec/lifecycle.md` section 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The step.
    pub what: String,
    /// What it may take; none means for ever.
    pub limit: Option<Duration>,
    /// The caller had cancelled, and that counts for it.
    pub cancelled: bool,
}

/// A plan for one run of a coordinator.
#[derive(Debug)]
pub struct Faults {
    /// Points, counted from 0, and what happens there.
    at: Vec<(usize, Fault)>,
    /// Names of the points that were passed.
    passed: Mutex<Vec<String>>,
    /// Steps that began.
    seen: Mutex<Vec<Seen>>,
    dead: CancellationToken,
}

impl Faults {
    /// No fault: only counts the points.
    pub fn none() -> Self {
        Self {
            at: Vec::new(),
            passed: Mutex::default(),
            seen: Mutex::default(),
            dead: CancellationToken::new(),
        }
    }

    /// A fault at the point `index`, beside those planned already.
    #[must_use]
    pub fn and(mut self, index: usize, fault: Fault) -> Self {
        self.at.push((index, fault));
        self
    }

    /// Whether a step fails by this plan.
    pub fn fails(&self) -> bool {
        self.at.iter().any(|(_, fault)| *fault == Fault::Fail)
    }

    /// The points that were passed, in order.
    pub fn passed(&self) -> Vec<String> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The steps that began, in order, each with its context.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes a step that begins.
    pub(super) fn note(&self, what: &str, limit: Option<Duration>, cancelled: bool) {
        let seen = Seen { what: what.to_owned(), limit, cancelled };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    }

    /// Waits for the crash; for ever where none is planned.
    pub async fn crashed(&self) {
        self.dead.cancelled().await;
    }

    /// One point. Never returns from a crash, nor after one: all work of a process ends together.
    pub(super) async fn point(&self, when: When, what: &str) -> Result<(), PortError> {
        if self.dead.is_cancelled() {
            return std::future::pending().await;
        }
        let index = {
            let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
            passed
                .push(format!("{} {what}", if when == When::Before { "before" } else { "after" }));
            passed.len() - 1
        };
        match self.at.iter().find(|(at, _)| *at == index).map(|(_, fault)| fault) {
            Some(Fault::Crash) => {
                self.dead.cancel();
                std::future::pending().await
            }
            Some(Fault::Fail) if when == When::Before => Err(PortError {
                kind: ErrorKind::Failed,
                message: format!("{what}: a planned fault"),
                hint: None,
            }),
            _ => Ok(()),
        }
    }
}

/// On which side of a step a point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Before,
    After,
}
