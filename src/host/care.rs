//! What a program that stays open does for all sessions: it finishes or undoes what was cut short,
//! applies timed rules as they fall due, notices keepers that go, reads pull requests, and now and then
//! probes everything (`spec/lifecycle.md` A4, A5, F2, V3).

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::domain::session::Session;
use crate::domain::time::Timestamp;

use super::context::Context;
use super::error::HostResult;
use super::ports::Ports;
use super::prs::PullRequests;
use super::{Host, Keepers, OnView};

/// The least time between two looks at what is due.
pub const CALM: Duration = Duration::from_secs(1);
/// What happens within this time of each other is looked at together.
pub const TOGETHER: Duration = Duration::from_millis(100);
/// Time between two probes of everything.
const PROBE_EVERY: Duration = Duration::from_mins(1);

/// The care for sessions, a round after the other. No fault ends it.
pub struct Care<P> {
    host: Host<P>,
    ctx: Context,
    keepers: Keepers<P>,
    prs: PullRequests<P>,
    changes: watch::Receiver<u64>,
    pause: Duration,
    /// Nothing is left of what was cut short before.
    recovered: bool,
    /// When it is recovered or probed next.
    probe_at: Instant,
    /// When a timed rule is due.
    settle_at: Option<Instant>,
    /// When pull requests are read next.
    read_at: Option<Instant>,
}

/// What a round came to.
pub struct Round {
    /// What was attempted, and how it went.
    pub attempts: Vec<(&'static str, HostResult<()>)>,
    /// What runs; none where it cannot be told.
    pub live: Option<Vec<Session>>,
}

impl<P: Ports> Care<P> {
    /// Begins with a recovery, under `ctx`, and a probe of everything. After a change of the store it rests
    /// for `pause`. Pull requests of the projects `on_view` are read more often.
    pub fn new(
        host: Host<P>,
        ctx: Context,
        changes: watch::Receiver<u64>,
        pause: Duration,
        on_view: watch::Receiver<OnView>,
    ) -> Self {
        let keepers = Keepers::new(host.clone());
        let prs = PullRequests::new(host.clone(), ctx.clone(), on_view);
        Self {
            host,
            ctx,
            keepers,
            prs,
            changes,
            pause,
            recovered: false,
            probe_at: Instant::now(),
            settle_at: None,
            read_at: None,
        }
    }

    /// Recovers, probes what is to be probed, settles what is due, and looks at what runs.
    pub async fn round(&mut self) -> Round {
        let mut attempts = Vec::new();
        self.changes.mark_unchanged();
        // Said at once, not only when something is to be written (W3).
        attempts.push(("store", self.host.ports().usable().await.map_err(Into::into)));
        if Instant::now() >= self.probe_at {
            if !self.recovered {
                let recovery = self.host.recover_operations(&self.ctx).await.map(drop);
                self.recovered = recovery.is_ok();
                attempts.push(("recovery", recovery));
            }
            let probed = self.host.reconcile().await.map(drop);
            // What failed is tried again soon: its fault is shown until it went well.
            let well = self.recovered && probed.is_ok();
            attempts.push(("probe", probed));
            self.probe_at = Instant::now() + if well { PROBE_EVERY } else { CALM };
        }
        if self.settle_at.is_some_and(|at| Instant::now() >= at) {
            self.settle_at = None;
            attempts.push(("timed rules", self.host.settle_due().await.map(drop)));
        }
        let live = self.host.ports().live().await;
        let wait = if let Ok(live) = &live {
            self.keepers.follow(live);
            let (read_at, told) = self.prs.follow(live).await;
            self.read_at = read_at;
            attempts.extend(told.map(|told| ("gh", told)));
            next_due(live, self.host.ports().now())
        } else {
            // What runs is asked for again soon.
            self.read_at = None;
            Some(CALM)
        };
        // Changes that keep coming put off nothing that is due already.
        let due = wait.map(|wait| Instant::now() + wait);
        self.settle_at = self.settle_at.into_iter().chain(due).min();
        let (live, looked) = match live {
            Ok(live) => (Some(live), Ok(())),
            Err(error) => (None, Err(error.into())),
        };
        attempts.push(("sessions", looked));
        Round { attempts, live }
    }

    /// Waits until there is something to do; false where nothing will change any more. May be dropped only
    /// where no wait follows.
    pub async fn next(&mut self) -> bool {
        let others = self.settle_at.into_iter().chain(self.read_at);
        let wake = others.fold(self.probe_at, Instant::min);
        tokio::select! {
            () = sleep_until(wake) => true,
            () = self.keepers.one_gone() => {
                // Several that go at once are one round (A6).
                self.probe_at = Instant::now();
                sleep(TOGETHER).await;
                true
            }
            () = self.prs.changed() => true,
            noticed = self.changes.changed() => {
                sleep(self.pause).await;
                noticed.is_ok()
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
