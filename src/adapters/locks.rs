//! Lanes and lock files as a port.

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::Operation;
use crate::host::context::Context;
use crate::host::locks::LockGuard;
use crate::host::ports::{LockPort, PortResult};

use super::Real;

impl<R: Send + Sync + 'static> LockPort for Real<R> {
    type Guard = LockGuard;

    async fn acquire(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        operation: &Operation,
    ) -> PortResult<LockGuard> {
        self.locks.acquire(ctx, ids, operation).await
    }

    async fn acquire_operation(&self, id: &OperationId) -> PortResult<Option<LockGuard>> {
        self.locks.acquire_operation(id).await
    }

    async fn acquire_start(&self, ctx: &Context) -> PortResult<LockGuard> {
        self.locks.acquire_start(ctx).await
    }
}
