//! The hidden `work`: goes on with an operation that a dashboard left while it ran
//! (`spec/console.md`, `q`).

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::event::Actor;
use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::plan::{Conditions, Plan};
use crate::domain::trash::PurgeChoice;
use crate::host::context::LOCK_WAIT;
use crate::host::error::HostError;
use crate::host::ports::Ports;
use crate::host::report::{DeleteRequest, PurgeRequest, RestoreRequest, RestoreTarget};
use crate::os::spawn;

use super::console::Console;
use super::error::{CliError, CommandResult, Ending};

/// Between two looks at whether the dashboard has let go.
const PAUSE: Duration = Duration::from_millis(20);

/// `work`
///
/// # Errors
/// There is no such operation, the dashboard does not let go of it, or it failed again.
pub(crate) async fn run<P: Ports>(console: &Console<P>, id: &OperationId) -> CommandResult {
    // Who calls it from a shell leads a process group already, and then stays in it.
    if let Err(error) = spawn::detach() {
        tracing::debug!(%error, "not a session of its own");
    }
    let operation = let_go(console, id).await?;
    if matches!(operation.state, OperationState::Running | OperationState::Stuck) {
        console.host.resume(&console.context, id, &Actor::Callboard).await?;
    }
    let operation = find(console, id).await?;
    // What was cancelled at a safe point, or undone since it was not far enough, is done again.
    if matches!(operation.state, OperationState::Cancelled | OperationState::Failed) {
        again(console, &operation).await?;
    }
    Ok(Ending::Done)
}

/// Waits until nobody runs the operation any more.
async fn let_go<P: Ports>(console: &Console<P>, id: &OperationId) -> Result<Operation, CliError> {
    let free = async {
        while console.host.ports().acquire_operation(id).await?.is_none() {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    };
    let what = format!("waiting for operation {id}");
    console.context.within(LOCK_WAIT).step(&what, free).await?;
    find(console, id).await
}

async fn find<P: Ports>(console: &Console<P>, id: &OperationId) -> Result<Operation, CliError> {
    let operations = console.host.ports().operations(usize::MAX).await?;
    let found = operations.into_iter().find(|operation| operation.id == *id);
    found.ok_or_else(|| HostError::NoOperation(id.clone()).into())
}

/// Does to the same sessions, and to no others, what the operation was to do. Pinned ones are left
/// alone: that the operator wanted them too is not on record.
async fn again<P: Ports>(console: &Console<P>, operation: &Operation) -> Result<(), CliError> {
    let (host, ctx) = (&console.host, &console.context);
    let ids: BTreeSet<SessionId> = operation.session_ids.iter().cloned().collect();
    let admission = |plan: &Plan| plan.items.iter().all(|item| ids.contains(&item.row.id));
    let (actor, always) = (Actor::Operator, Conditions::default());
    match operation.kind {
        Verb::Delete => {
            let conditions = Conditions { exclude_pinned: true, ..Conditions::default() };
            let request =
                DeleteRequest { ids: ids.clone(), conditions, with_rowless: false, actor };
            host.delete(ctx, request, &admission).await?;
        }
        Verb::Restore | Verb::Launch => {
            let target = RestoreTarget::Ids(operation.session_ids.clone());
            host.restore(ctx, RestoreRequest { target, launch: false, to: None, actor }).await?;
        }
        Verb::Stop => {
            host.stop(ctx, &operation.session_ids, &always, false, &actor).await?;
        }
        Verb::Kill => {
            host.kill(ctx, &operation.session_ids, &always, &actor).await?;
        }
        Verb::Purge => {
            let choice = PurgeChoice { ids: Some(ids.clone()), ..PurgeChoice::default() };
            let request = PurgeRequest { choice, branches: BTreeSet::new(), actor };
            host.purge(ctx, &request, &admission).await?;
        }
        // Where it stopped is where it belongs: it was undone, or may have been done.
        Verb::Create | Verb::Cleanup | Verb::Send => {}
    }
    Ok(())
}
