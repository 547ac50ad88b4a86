//! The clock: times are written down and compared with later ones.

use std::time::{Duration, UNIX_EPOCH};

use crate::domain::check::Check;
use crate::domain::time::Timestamp;
use crate::host::ports::doctor::DoctorPort;

/// A difference that may come from the file system.
const SLACK: Duration = Duration::from_mins(1);
/// Before this program was made: 2026-01-01.
const EARLIEST: Timestamp = Timestamp(1_767_225_600_000);

/// The present must not lie before what was written.
pub(super) fn look(port: &impl DoctorPort) -> Check {
    let now = port.now();
    let hint = "set the system's clock; times that were written meanwhile stay as they are";
    if now < EARLIEST {
        return Check::bad("clock", format!("it says {now}"), hint);
    }
    let written = std::fs::metadata(port.home().database())
        .and_then(|found| found.modified())
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map(|since| Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)));
    match written {
        Some(written) if written > now.plus(SLACK) => {
            let text = format!("it says {now}, and the store was written at {written}");
            Check::bad("clock", text, hint)
        }
        _ => Check::good("clock", now.to_string()),
    }
}
