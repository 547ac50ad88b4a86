//! Checks that need the rows of sessions.

use crate::domain::check::Check;
use crate::domain::event::{Actor, Event};
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::HostResult;
use crate::host::ports::Ports;
use crate::host::ports::doctor::RemainsPort;

use super::mended;

impl<P: Ports + RemainsPort> Host<P> {
    /// Checks operations and what belongs to no session.
    pub async fn examine(&self, ctx: &Context, repair: bool) -> Vec<Check> {
        let mut checks = mended(
            repair,
            async || told("operations", self.check_operations().await),
            async || self.mend_operations(ctx).await,
        )
        .await;
        checks.extend(told("orphans", self.check_orphans().await));
        checks
    }
}

impl<P: Ports> Host<P> {
    /// Says in the audit what was mended (`spec/store.md` W6).
    pub async fn record_repair(&self, checks: &[Check], actor: &Actor) {
        let mended = checks.iter().filter_map(|check| {
            let done = check.mended.as_ref()?;
            Some(Event {
                at: self.ports.now(),
                session: None,
                actor: actor.to_string(),
                verb: "repair".to_owned(),
                from: None,
                to: None,
                cause: Some(format!("{}: {done}", check.name)),
                operation: None,
            })
        });
        self.record(&mended.collect::<Vec<_>>()).await;
    }
}

fn told(name: &str, checks: HostResult<Vec<Check>>) -> Vec<Check> {
    checks.unwrap_or_else(|error| {
        let hint = error.hint().unwrap_or_else(|| "see the check of the store".to_owned());
        vec![Check::bad(name, format!("not looked at: {error}"), hint)]
    })
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
