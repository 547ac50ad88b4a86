//! Lanes in memory, and a log of who holds what.

use std::collections::BTreeSet;

use crate::domain::error::ErrorKind;
use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::Operation;
use crate::host::context::Context;
use crate::host::lanes::LaneGuard;
use crate::host::ports::{LockPort, PortError, PortResult};

use super::fake_world::Recorder;

/// What is held.
enum Held {
    Sessions(String),
    Operation(OperationId),
    Start,
}

/// Held lanes, an operation's lock, or a place for a start.
pub(in crate::host) struct FakeGuard {
    recorder: Recorder,
    held: Held,
    _lanes: Vec<LaneGuard>,
}

impl FakeGuard {
    fn log(&self, what: &str) {
        let of = match &self.held {
            Held::Sessions(ids) => ids.as_str(),
            Held::Operation(_) => return,
            Held::Start => "a start",
        };
        self.recorder.change(|m| m.locks.push((format!("{what} {of}"), m.calls.len())));
    }
}

impl Drop for FakeGuard {
    fn drop(&mut self) {
        self.log("free");
        if let Held::Operation(id) = &self.held {
            self.recorder.change(|m| m.held.remove(id));
        }
    }
}

impl Recorder {
    fn guard(&self, held: Held, lanes: Vec<LaneGuard>) -> FakeGuard {
        let guard = FakeGuard { recorder: self.clone(), held, _lanes: lanes };
        guard.log("take");
        guard
    }
}

impl LockPort for Recorder {
    type Guard = FakeGuard;

    async fn acquire(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        _operation: &Operation,
    ) -> PortResult<FakeGuard> {
        let ids: BTreeSet<&SessionId> = ids.iter().collect();
        let names = ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(" ");
        let take = async {
            let mut lanes = Vec::new();
            for id in ids {
                lanes.push(self.lanes.enter(id.as_str()).await);
            }
            lanes
        };
        let lanes = ctx.run(take).await.map_err(|ended| PortError {
            kind: ErrorKind::Interrupted,
            message: ended.to_string(),
            hint: None,
        })?;
        self.call(&format!("lock {names}"), None, None)?;
        Ok(self.guard(Held::Sessions(names), lanes))
    }
    async fn acquire_operation(&self, id: &OperationId) -> PortResult<Option<FakeGuard>> {
        let free = self.change(|m| m.held.insert(id.clone()));
        self.call(if free { "own" } else { "busy" }, None, None)?;
        Ok(free.then(|| self.guard(Held::Operation(id.clone()), Vec::new())))
    }
    async fn acquire_start(&self, ctx: &Context) -> PortResult<FakeGuard> {
        self.acall("acquire_start", None, Some(ctx)).await?;
        Ok(self.guard(Held::Start, Vec::new()))
    }
}
