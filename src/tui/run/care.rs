//! What a dashboard does for all sessions while it is open: recovery first, then timed rules as they
//! fall due, and now and then a probe of everything that should run.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::domain::session::Session;
use crate::domain::time::Timestamp;
use crate::host::context::Context;
use crate::host::error::HostResult;
use crate::host::ports::Ports;
use crate::host::{Host, Keepers};
use crate::tui::event::Event;

/// Time between two looks at what is due while much changes.
const CALM: Duration = Duration::from_secs(1);
/// Keepers that go within this time of each other are probed together.
const TOGETHER: Duration = Duration::from_millis(100);
/// Time between two probes of everything.
const PROBE_EVERY: Duration = Duration::from_mins(1);

/// Time between two looks whether old sessions of the trash are to be purged.
const PURGE_EVERY: Duration = Duration::from_hours(1);

/// Cares for the sessions until it is dropped. The trash keeps them for `keep_days`; 0 is for ever.
pub(super) async fn care<P: Ports>(
    host: Host<P>,
    changes: watch::Receiver<u64>,
    out: mpsc::Sender<Event>,
    keep_days: u32,
) {
    let recovered = host.recover_operations(&Context::new()).await.map(|_| ());
    tell(&out, "recovery", recovered).await;
    // A long purge keeps no timed rule waiting.
    tokio::join!(care_for_live(&host, changes, &out), care_for_trash(&host, &out, keep_days));
}

/// Purges what lay in the trash for long enough (`spec/lifecycle.md` R5).
async fn care_for_trash<P: Ports>(host: &Host<P>, out: &mpsc::Sender<Event>, keep_days: u32) {
    if keep_days == 0 {
        return;
    }
    let keep = Duration::from_hours(24).saturating_mul(keep_days);
    loop {
        let purged = host.purge_expired(&Context::new(), keep).await.map(|_| ());
        // What kept it from looking is not said for an hour after it is over.
        let pause = if purged.is_ok() { PURGE_EVERY } else { PROBE_EVERY };
        tell(out, "purge", purged).await;
        sleep(pause).await;
    }
}

async fn care_for_live<P: Ports>(
    host: &Host<P>,
    mut changes: watch::Receiver<u64>,
    out: &mpsc::Sender<Event>,
) {
    let mut probe_at = Instant::now();
    let mut keepers = Keepers::new(host.clone());
    loop {
        if Instant::now() >= probe_at {
            let probed = host.reconcile().await.map(|_| ());
            tell(out, "probe", probed).await;
            probe_at = Instant::now() + PROBE_EVERY;
        }
        let live = host.ports().live().await.unwrap_or_default();
        keepers.follow(&live);
        let due = next_due(&live, host.ports().now());
        let wake = due.map_or(probe_at, |wait| probe_at.min(Instant::now() + wait));
        tokio::select! {
            () = sleep_until(wake) => {
                if due.is_some() {
                    let settled = host.settle_due().await.map(|_| ());
                    tell(out, "timed rules", settled).await;
                }
            }
            () = keepers.one_gone() => {
                // Several that go at once are one round (A6).
                sleep(TOGETHER).await;
                probe_at = Instant::now();
            }
            noticed = changes.changed() => {
                if noticed.is_err() {
                    return;
                }
                // Said at once, not only when something is to be written (W3).
                let usable = host.ports().usable().await.map_err(Into::into);
                tell(out, "store", usable).await;
                sleep(CALM).await;
            }
        }
    }
}

/// How long until a timed rule is due; never less than a second, so that one which cannot be settled
/// does not keep us busy.
fn next_due(live: &[Session], now: Timestamp) -> Option<Duration> {
    let due = live.iter().filter_map(|session| session.condition.due_at).min()?;
    Some(due.since(now).max(CALM))
}

/// A fault shows where faults are shown, and goes when it is over.
async fn tell(out: &mpsc::Sender<Event>, source: &str, result: HostResult<()>) {
    let text = result.err().map(|error| error.to_string());
    // A dashboard that is left does not hear it.
    let _ = out.send(Event::Fault { source: source.to_owned(), text }).await;
}
