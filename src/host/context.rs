//! Deadline and cancellation that every port call carries (`spec/lifecycle.md` section 4).

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::error::{HostError, HostResult};
use super::faults::{Faults, When};
use super::ports::PortResult;

/// Publish of a launch.
pub const PUBLISH: Duration = Duration::from_secs(5);
/// Closing the runtime of a failed create.
pub const FAILED_CREATE_CLOSE: Duration = Duration::from_secs(10);
/// Rolling back the row of a failed create.
pub const FAILED_CREATE_ROLLBACK: Duration = Duration::from_secs(5);
/// Cleaning the preparation of a failed create.
pub const FAILED_CREATE_CLEAN: Duration = Duration::from_secs(10);
/// Closing one runtime.
pub const CLOSE: Duration = Duration::from_secs(10);
/// From the polite way to TERM, while closing.
pub const TERM_AFTER: Duration = Duration::from_secs(3);
/// From the polite way to KILL of the whole tree, while closing.
pub const KILL_AFTER: Duration = Duration::from_secs(6);
/// Clean-up after the commit of a delete.
pub const CLEAN_UP: Duration = Duration::from_secs(30);
/// Gathering advice for a plan (D2).
pub const ADVICE: Duration = Duration::from_secs(3);
/// Waiting for locks.
pub const LOCK_WAIT: Duration = Duration::from_mins(1);
/// Starting a keeper until it is ready.
pub const START: Duration = Duration::from_secs(20);

/// The present of the timers that end a step, so that both stand still together in tests.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// What a step may take, and what ends it.
#[derive(Debug, Clone)]
pub struct Context {
    /// When to give up; none means never.
    pub deadline: Option<Instant>,
    /// Cancelled by the caller.
    pub cancel: CancellationToken,
    /// Planned faults, in tests (V5).
    faults: Option<Arc<Faults>>,
}

impl Context {
    /// No deadline, cancelled by nobody.
    pub fn new() -> Self {
        Self::cancelled_by(CancellationToken::new())
    }

    /// Cancelled with `cancel`.
    pub fn cancelled_by(cancel: CancellationToken) -> Self {
        Self { deadline: None, cancel, faults: None }
    }

    /// The same with a plan of faults (V5).
    pub fn with_faults(self, faults: Arc<Faults>) -> Self {
        Self { faults: Some(faults), ..self }
    }

    /// For a *detached* step: its own deadline, not cancelled by the caller.
    pub fn detached(&self, limit: Duration) -> Self {
        Self { deadline: Some(now() + limit), ..self.whole() }
    }

    /// For a step that is never cut short: no deadline, not cancelled by the caller.
    pub fn whole(&self) -> Self {
        Self { deadline: None, cancel: CancellationToken::new(), faults: self.faults.clone() }
    }

    /// The same cancellation, with at most `limit` from now.
    pub fn within(&self, limit: Duration) -> Self {
        let deadline = now() + limit;
        let deadline = self.deadline.map_or(deadline, |old| old.min(deadline));
        Self { deadline: Some(deadline), ..self.clone() }
    }

    /// Runs one port call; `what` names the attempt where it is ended from outside.
    ///
    /// # Errors
    /// The port's own, or [`HostError::Ended`].
    pub async fn step<T>(
        &self,
        what: &str,
        work: impl Future<Output = PortResult<T>>,
    ) -> HostResult<T> {
        if let Some(faults) = &self.faults {
            let limit = self.deadline.map(|at| at.saturating_duration_since(now()));
            faults.note(what, limit, self.cancel.is_cancelled());
        }
        self.point(When::Before, what).await?;
        match self.run(work).await {
            Ok(result) => {
                let value = result?;
                self.point(When::After, what).await?;
                Ok(value)
            }
            Err(ended) => Err(HostError::Ended { what: what.to_owned(), ended }),
        }
    }

    /// Runs one write of the store: never cut short, as it might be committed meanwhile.
    ///
    /// # Errors
    /// The port's own.
    pub async fn write<T>(
        &self,
        what: &str,
        work: impl Future<Output = PortResult<T>>,
    ) -> HostResult<T> {
        self.whole().step(what, work).await
    }

    async fn point(&self, when: When, what: &str) -> PortResult<()> {
        match &self.faults {
            None => Ok(()),
            Some(faults) => faults.point(when, what).await,
        }
    }

    /// Looks at the cancellation (C5, L2).
    ///
    /// # Errors
    /// [`HostError::Ended`] where the caller cancelled.
    pub fn check(&self, what: &str) -> HostResult<()> {
        if self.cancel.is_cancelled() {
            return Err(HostError::Ended { what: what.to_owned(), ended: Ended::Cancelled });
        }
        Ok(())
    }

    /// Runs `work` until it ends, the deadline passes, or the caller cancels.
    ///
    /// # Errors
    /// [`Ended::Cancelled`] or [`Ended::TimedOut`]; the work is dropped then.
    pub async fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, Ended> {
        let deadline = async {
            match self.deadline {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Ended::Cancelled),
            result = work => Ok(result),
            () = deadline => Err(Ended::TimedOut),
        }
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a step was ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The deadline passed.
    #[error("timed out")]
    TimedOut,
}
