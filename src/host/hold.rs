//! The locks that a coordinator works under, and waiting for them (`spec/lifecycle.md` L1, L5, V3).

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState};
use crate::os::random;

use super::Host;
use super::context::{Context, LOCK_WAIT};
use super::error::HostResult;
use super::ports::Ports;
use super::report::{Progress, waiting_for};

/// Between two looks at an operation that has to come to its end first.
const WAIT_PAUSE: Duration = Duration::from_millis(20);
/// Who waits for longer says so, and again each time.
const SAID_EVERY: Duration = Duration::from_secs(1);

/// Results after which an operation no longer touches the session.
const SETTLED: [&str; 5] = ["moved", "done", "purged", "failed", "skipped"];

impl<P: Ports> Host<P> {
    /// Lanes and locks of `ids`. Whoever finds an unfinished operation on one of them lets go, and
    /// recovers it or waits for it, then starts again (V3). What cannot be recovered keeps nobody from
    /// working. Who has to wait tells for what (L5).
    pub(super) async fn hold(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        operation: &Operation,
    ) -> HostResult<P::Guard> {
        let told = Told { host: self, operation: &operation.id, said: AtomicBool::new(false) };
        tokio::select! {
            biased;
            held = self.locked(ctx, ids, operation) => held,
            never = told.tell(ids) => match never {},
        }
    }

    async fn locked(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        operation: &Operation,
    ) -> HostResult<P::Guard> {
        let ctx = ctx.within(LOCK_WAIT);
        let mut tried = BTreeSet::from([operation.id.clone()]);
        loop {
            let locks = self.ports.acquire(&ctx, ids, operation).await?;
            let Some((other, id)) = self.unfinished_on(ids, &tried).await? else {
                return Ok(locks);
            };
            drop(locks);
            if let Some(own) = self.ports.acquire_operation(&other.id).await? {
                if let Err(error) = self.recover_operation(&ctx, &other.id, own).await {
                    let other = &other.id;
                    tracing::warn!(operation = %other, %error, "an operation could not be recovered");
                }
                tried.insert(other.id);
            } else {
                let pause = WAIT_PAUSE.mul_f64(0.5 + random::jitter());
                let slept = async {
                    tokio::time::sleep(pause).await;
                    Ok(())
                };
                let waited = self.ports.now().since(other.started_at);
                ctx.step(&waiting_for(other.kind, &id, waited), slept).await?;
            }
        }
    }

    /// A running operation that has a step to do on one of `ids`, and on which.
    async fn unfinished_on(
        &self,
        ids: &[SessionId],
        without: &BTreeSet<OperationId>,
    ) -> HostResult<Option<(Operation, SessionId)>> {
        let others = self.ports.unfinished().await?;
        Ok(others
            .into_iter()
            .filter(|other| other.state == OperationState::Running && !without.contains(&other.id))
            .find_map(|other| {
                let id = touches(&other, ids)?;
                Some((other, id))
            }))
    }
}

/// An operation that may wait; where that was told, so is its end when this goes, however it came.
struct Told<'a, P: Ports> {
    host: &'a Host<P>,
    operation: &'a OperationId,
    said: AtomicBool,
}

impl<P: Ports> Told<'_, P> {
    /// Tells now and then which operation is waited for.
    async fn tell(&self, ids: &[SessionId]) -> Infallible {
        let itself = BTreeSet::from([self.operation.clone()]);
        loop {
            tokio::time::sleep(SAID_EVERY).await;
            match self.host.unfinished_on(ids, &itself).await {
                Ok(Some((other, id))) => {
                    self.said.store(true, Ordering::Relaxed);
                    self.host.report(Progress::Waits {
                        operation: self.operation.clone(),
                        id,
                        behind: other.kind,
                        since: other.started_at,
                    });
                }
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "not known what is waited for"),
            }
        }
    }
}

impl<P: Ports> Drop for Told<'_, P> {
    fn drop(&mut self) {
        if self.said.load(Ordering::Relaxed) {
            self.host.report(Progress::Waited { operation: self.operation.clone() });
        }
    }
}

/// The first of `ids` on which an operation still has a step to do.
fn touches(operation: &Operation, ids: &[SessionId]) -> Option<SessionId> {
    let settled = operation.results.iter().filter(|one| SETTLED.contains(&one.state.as_str()));
    let settled: BTreeSet<&SessionId> = settled.map(|one| &one.id).collect();
    let ids: BTreeSet<&SessionId> = ids.iter().collect();
    let mut open = operation.session_ids.iter().filter(|id| !settled.contains(id));
    open.find(|id| ids.contains(id)).cloned()
}
