//! What the system allows, and what is kept without end otherwise.

use crate::domain::check::Check;
use crate::host::ports::doctor::DoctorPort;
use crate::os::limits;

use super::Mending;

/// Least number of open files: a dashboard has a connection to each keeper that it shows.
const DESCRIPTORS: u64 = 1_024;
/// Least number of watched folders, and of watchers.
const WATCHES: (u64, u64) = (1_024, 64);

pub(super) fn look() -> Vec<Check> {
    vec![
        descriptors(limits::descriptors()),
        watches(limits::watches()),
        logout(limits::lingering()),
    ]
}

pub(super) fn descriptors(allowed: Option<u64>) -> Check {
    let name = "limits: open files";
    match allowed {
        Some(few) if few < DESCRIPTORS => Check::bad(
            name,
            format!("a process may have {few} open, {DESCRIPTORS} are needed with many sessions"),
            format!("raise it for the shell: ulimit -n {DESCRIPTORS}"),
        ),
        Some(many) => Check::good(name, many.to_string()),
        None => Check::good(name, "no limit"),
    }
}

pub(super) fn watches(allowed: Option<(u64, u64)>) -> Check {
    let name = "limits: watches";
    match allowed {
        Some((paths, by)) if paths < WATCHES.0 || by < WATCHES.1 => Check::bad(
            name,
            format!(
                "{paths} watches by {by} watchers; without them changes of others show after 2 s"
            ),
            "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl",
        ),
        Some((paths, by)) => Check::good(name, format!("{paths} watches by {by} watchers")),
        None => Check::good(name, "the system does not say"),
    }
}

/// What becomes of agents after a logout (`spec/runtime.md` X1). No fault: whoever stays logged in, or has
/// agents on a machine that leaves processes alone, wants nothing else.
pub(super) fn logout(lingering: Option<bool>) -> Check {
    let text = match lingering {
        Some(true) => "lingering is on: agents outlive it",
        Some(false) => {
            "lingering is off: agents may not outlive it; `loginctl enable-linger` changes that"
        }
        None => "the system keeps no account of it: agents outlive it",
    };
    Check::good("limits: logout", text)
}

/// Terminal history of all sessions together (`spec/store.md` W7).
pub(super) async fn history(port: &impl DoctorPort) -> Vec<Check> {
    let (bytes, most) = port.history().await;
    let text = format!("{} of at most {} MiB", bytes >> 20, most >> 20);
    vec![if bytes > most {
        let hint = "`callboard doctor --repair` drops the oldest, as does every launch";
        Check::bad("limits: terminal history", text, hint)
    } else {
        Check::good("limits: terminal history", text)
    }]
}

/// Drops the oldest.
pub(super) async fn trim(port: &impl DoctorPort) -> Vec<Mending> {
    let done = |freed: u64| format!("dropped {} MiB of the oldest terminal history", freed >> 20);
    let trimmed = port.trim_history().await;
    vec![trimmed.map(done).map_err(|error| format!("not mended: {error}"))]
}
