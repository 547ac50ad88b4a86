//! Lanes and lock files as a port.

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::Operation;

use super::super::context::Context;
use super::PortResult;

/// Lanes and lifecycle locks (L1 to L4).
pub trait LockPort: Send + Sync + 'static {
    /// Held locks; dropping it frees them in reverse order.
    type Guard: Send;
    /// Takes lane and lock of every session, lanes first, ascending; or the whole workspace where
    /// there are more than 64 (L4).
    fn acquire(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        operation: &Operation,
    ) -> impl Future<Output = PortResult<Self::Guard>> + Send;
    /// Takes the lock of an operation; none where it is still running (V3).
    fn acquire_operation(
        &self,
        id: &OperationId,
    ) -> impl Future<Output = PortResult<Option<Self::Guard>>> + Send;
    /// Takes one of the places for a start (C10).
    fn acquire_start(&self, ctx: &Context) -> impl Future<Output = PortResult<Self::Guard>> + Send;
}
