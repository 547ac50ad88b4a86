//! Time, so that tests can fix it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::domain::time::Timestamp;

/// Where the present time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A time that moves only when told, for tests and pictures.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `at`.
    pub fn fixed(at: Timestamp) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(at.0)))
    }

    /// The present time.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => Timestamp(jiff::Timestamp::now().as_millisecond()),
            Self::Fixed(at) => Timestamp(at.load(Ordering::SeqCst)),
        }
    }

    /// Moves a fixed clock forward; a system clock moves by itself.
    pub fn advance(&self, by: std::time::Duration) {
        if let Self::Fixed(at) = self {
            at.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}

/// A monotonic point in time, for deadlines.
pub fn monotonic() -> std::time::Instant {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
    std::time::Instant::now()
}
