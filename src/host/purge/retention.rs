//! Purging by age, unasked (R5).

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::event::Actor;
use crate::domain::operation::{OperationState, Verb};
use crate::domain::trash::PurgeChoice;

use super::super::Host;
use super::super::context::Context;
use super::super::error::HostResult;
use super::super::ports::Ports;
use super::super::report::{PurgeReport, PurgeRequest};

/// How often the trash is looked through.
const EVERY: Duration = Duration::from_hours(24);
/// The name under which the last look is kept.
const NAME: &str = "retention";

impl<P: Ports> Host<P> {
    /// Purges what was deleted longer than `keep` ago: at most once a day over all processes, and
    /// not while something is being deleted or brought back. None where it is not the time.
    ///
    /// # Errors
    /// As [`Host::purge`].
    pub async fn purge_expired(
        &self,
        ctx: &Context,
        keep: Duration,
    ) -> HostResult<Option<PurgeReport>> {
        let busy = |verb: Verb| matches!(verb, Verb::Delete | Verb::Restore | Verb::Purge);
        let unfinished = self.ports.unfinished().await?;
        let under_way =
            unfinished.iter().any(|one| one.state == OperationState::Running && busy(one.kind));
        if under_way || !self.ports.claim(NAME, EVERY).await? {
            return Ok(None);
        }
        let choice = PurgeChoice { older_than: Some(keep), ..PurgeChoice::default() };
        let request = PurgeRequest { choice, branches: BTreeSet::new(), actor: Actor::Callboard };
        self.purge(ctx, &request, &|_| true).await.map(Some)
    }
}
