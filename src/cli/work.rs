//! The hidden `work`: goes on with an operation that a dashboard left while it ran
//! (`spec/console.md`, `q`).

use std::time::Duration;

use crate::domain::event::Actor;
use crate::domain::ids::OperationId;
use crate::domain::operation::{Operation, OperationState};
use crate::host::context::LOCK_WAIT;
use crate::host::ports::Ports;

use super::console::Console;
use super::error::{CliError, CommandResult, Ending};

/// Between two looks at whether the dashboard has let go.
const PAUSE: Duration = Duration::from_millis(20);

/// `work`
///
/// # Errors
/// There is no such operation, the dashboard does not let go of it, or it failed again.
pub(crate) async fn run<P: Ports>(console: &Console<P>, id: &OperationId) -> CommandResult {
    let operation = let_go(console, id).await?;
    if matches!(operation.state, OperationState::Running | OperationState::Stuck) {
        console.host.resume(&console.context, id, &Actor::Callboard).await?;
    }
    let operation = console.host.find_operation(id).await?;
    // What was cancelled at a safe point, or undone since it was not far enough, is done again.
    if matches!(operation.state, OperationState::Cancelled | OperationState::Failed) {
        console.host.again(&console.context, &operation).await?;
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
    Ok(console.host.find_operation(id).await?)
}
