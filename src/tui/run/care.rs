//! What a dashboard does for all sessions while it is open: the care that every program gives them that
//! stays open, and the end of what lay in the trash for long enough.

use std::collections::BTreeMap;
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
    let faults = || Faults { out: out.clone(), shown: BTreeMap::new() };
    // A long purge keeps no timed rule waiting.
    let trash = care_for_trash(&host, faults(), keep_days);
    tokio::join!(care_for_live(&host, changes, faults(), on_view), trash);
}

/// Purges what lay in the trash for long enough (`spec/lifecycle.md` R5).
async fn care_for_trash<P: Ports>(host: &Host<P>, mut faults: Faults, keep_days: u32) {
    if keep_days == 0 {
        return;
    }
    let keep = Duration::from_hours(24).saturating_mul(keep_days);
    loop {
        let purged = host.purge_expired(&Context::new(), keep).await.map(|_| ());
        // What kept it from looking is not said for an hour after it is over.
        let pause = if purged.is_ok() { PURGE_EVERY } else { AGAIN };
        faults.tell("purge", purged).await;
        sleep(pause).await;
    }
}

async fn care_for_live<P: Ports>(
    host: &Host<P>,
    changes: watch::Receiver<u64>,
    mut faults: Faults,
    on_view: watch::Receiver<OnView>,
) {
    let mut care = Care::new(host.clone(), Context::new(), changes, CALM, on_view);
    loop {
        for (source, result) in care.round().await.attempts {
            faults.tell(source, result).await;
        }
        if !care.next().await {
            return;
        }
    }
}

/// Faults of some sources, which show where faults are shown until they are over.
struct Faults {
    out: mpsc::Sender<Event>,
    /// What is shown, by its source.
    shown: BTreeMap<String, String>,
}

impl Faults {
    /// Tells of a change only: what goes well round after round is no reason to draw.
    async fn tell(&mut self, source: &str, result: HostResult<()>) {
        let text = result.err().map(|error| error.to_string());
        if self.shown.get(source) == text.as_ref() {
            return;
        }
        match &text {
            Some(text) => drop(self.shown.insert(source.to_owned(), text.clone())),
            None => drop(self.shown.remove(source)),
        }
        // A dashboard that is left does not hear it.
        let _ = self.out.send(Event::Fault { source: source.to_owned(), text }).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::error::HostError;

    /// Only a change is told of: a fault once, and its end once.
    #[tokio::test]
    async fn what_goes_well_is_not_told_of() {
        let (out, mut told) = mpsc::channel(8);
        let mut faults = Faults { out, shown: BTreeMap::new() };
        let failed = || Err(HostError::NoProject("shop".to_owned()));
        for result in [Ok(()), failed(), failed(), Ok(()), Ok(())] {
            faults.tell("care", result).await;
        }
        drop(faults);
        let mut texts = Vec::new();
        while let Some(Event::Fault { source, text }) = told.recv().await {
            assert_eq!(source, "care");
            texts.push(text.is_some());
        }
        assert_eq!(texts, [true, false]);
    }
}
