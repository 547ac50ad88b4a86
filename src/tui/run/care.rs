//! What a dashboard does for all sessions while it is open: the care that every program gives them that
//! stays open, and the end of what lay in the trash for long enough.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::host::care::{CALM, Care};
use crate::host::context::Context;
use crate::host::error::HostResult;
use crate::host::ports::Ports;
use crate::host::{Host, OnView};
use crate::tui::event::Event;

/// What failed is tried again after this time: its fault is shown until it went well.
const AGAIN: Duration = Duration::from_secs(5);
/// Time between two looks whether old sessions of the trash are to be purged.
const PURGE_EVERY: Duration = Duration::from_hours(1);

/// Cares for the sessions until it is dropped. The trash keeps them for `keep_days`; 0 is for ever.
pub(super) async fn care<P: Ports>(
    host: Host<P>,
    changes: watch::Receiver<u64>,
    out: mpsc::Sender<Event>,
    keep_days: u32,
    on_view: watch::Receiver<OnView>,
) {
    // A long purge keeps no timed rule waiting.
    tokio::join!(
        care_for_live(&host, changes, &out, on_view),
        care_for_trash(&host, &out, keep_days)
    );
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
        let pause = if purged.is_ok() { PURGE_EVERY } else { AGAIN };
        tell(out, "purge", purged).await;
        sleep(pause).await;
    }
}

async fn care_for_live<P: Ports>(
    host: &Host<P>,
    changes: watch::Receiver<u64>,
    out: &mpsc::Sender<Event>,
    on_view: watch::Receiver<OnView>,
) {
    let mut care = Care::new(host.clone(), Context::new(), changes, CALM, on_view);
    loop {
        for (source, result) in care.round().await.attempts {
            tell(out, source, result).await;
        }
        if !care.next().await {
            return;
        }
    }
}

/// A fault shows where faults are shown, and goes when it is over.
async fn tell(out: &mpsc::Sender<Event>, source: &str, result: HostResult<()>) {
    let text = result.err().map(|error| error.to_string());
    // A dashboard that is left does not hear it.
    let _ = out.send(Event::Fault { source: source.to_owned(), text }).await;
}
