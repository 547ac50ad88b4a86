//! What launches left where their targets run (`spec/agents.md` U1): a keeper that was killed could not end
//! it, so whoever closes or launches its session next does.

use crate::domain::ids::SessionId;
use crate::domain::session::Session;

use super::Host;
use super::context::Context;
use super::ports::{Closed, PortResult, Ports, StartRequest, Started};

impl<P: Ports> Host<P> {
    /// Ends the runtime of a session with its whole process tree (X3). Where it has no keeper, its agent may
    /// go on elsewhere, unless it was seen to end.
    pub(super) async fn close_runtime(&self, ctx: &Context, id: &SessionId) -> PortResult<Closed> {
        let closed = self.ports.close(ctx, id).await?;
        if !closed.was_running
            && let Ok(Some(session)) = self.ports.session(id).await
            && may_go_on(&session)
        {
            let generation = session.condition.lifecycle.generation;
            self.ports.end_elsewhere(&session.launch.target, id, generation).await;
        }
        Ok(closed)
    }

    /// Starts a runtime, once what the launch before left elsewhere is ended.
    pub(super) async fn start_runtime(
        &self,
        ctx: &Context,
        request: &StartRequest,
    ) -> PortResult<Started> {
        if let (Some(target), Some(former @ 1..)) =
            (&request.plan.elsewhere, request.generation.checked_sub(1))
        {
            self.ports.end_elsewhere(target, &request.id, former).await;
        }
        self.ports.start(ctx, request).await
    }
}

/// Whether the last launch of a session was never seen to end.
fn may_go_on(session: &Session) -> bool {
    let runtime = &session.runtime;
    session.condition.lifecycle.generation > 0
        && runtime.exit_code.is_none()
        && runtime.signal.is_none()
}
