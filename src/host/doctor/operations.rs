//! Operations that did not end.

use crate::domain::check::Check;
use crate::domain::operation::OperationState;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::HostResult;
use crate::host::ports::Ports;

use super::{Mending, count};

impl<P: Ports> Host<P> {
    /// Operations that are stuck, and those whose process is gone.
    pub(super) async fn check_operations(&self) -> HostResult<Vec<Check>> {
        let name = "operations";
        let (mut stuck, mut left, mut running) = (Vec::new(), Vec::new(), 0);
        for operation in self.ports.unfinished().await? {
            if operation.state == OperationState::Stuck {
                stuck.push(operation);
            } else if self.ports.acquire_operation(&operation.id).await?.is_some() {
                left.push(operation);
            } else {
                running += 1;
            }
        }
        let mut checks = Vec::new();
        for operation in &left {
            checks.push(Check::bad(
                name,
                format!(
                    "{} {} was cut short at {}",
                    operation.kind,
                    operation.id,
                    operation.step.as_deref().unwrap_or("its begin")
                ),
                "`callboard recover` or `callboard doctor --repair` finishes or undoes it",
            ));
        }
        for operation in &stuck {
            let why = operation.error.as_deref().unwrap_or("for an unknown reason");
            checks.push(Check::bad(
                name,
                format!("{} {} is stuck: {why}", operation.kind, operation.id),
                format!(
                    "choose: `callboard ops resume {0}`, `undo {0}` or `abandon {0}`",
                    operation.id
                ),
            ));
        }
        if checks.is_empty() {
            checks.push(Check::good(name, format!("none was cut short, {running} under way")));
        }
        Ok(checks)
    }

    /// Finishes or undoes what was cut short; what is stuck waits for the operator's choice.
    pub(super) async fn mend_operations(&self, ctx: &Context) -> Vec<Mending> {
        match self.recover_operations(ctx).await {
            Ok(report) => {
                let done = report.resumed.len() + report.undone.len();
                if done == 0 {
                    Vec::new()
                } else {
                    vec![Ok(format!("finished or undid {}", count(done, "operation")))]
                }
            }
            Err(error) => vec![Err(format!("not mended: {error}"))],
        }
    }
}
