//! Whether a session's keeper and process are still there (`spec/lifecycle.md` A4).

use std::path::Path;
use std::time::Duration;

use crate::domain::probe::{Answer, Evidence};
use crate::domain::session::Session;
use crate::os::proctree::{self, Process};
use crate::os::variables;
use crate::runtime::client::{ClientError, Keeper};

/// A keeper that does not answer within this time could not be asked.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the keeper at `socket` about a session, and the system about its process.
///
/// The keeper of another launch is not the session's. An agent that exited while its keeper lives
/// is told by the keeper's facts, not by the probe.
pub async fn evidence(socket: &Path, session: &Session) -> Evidence {
    let keeper = keeper(socket, session.condition.lifecycle.generation).await;
    let process = match (keeper, session.runtime.pid) {
        (Answer::Yes, _) => Answer::Yes,
        (_, Some(pid)) => process(pid, session),
        (_, None) => Answer::No,
    };
    Evidence { keeper, process, kill_requested: None }
}

async fn keeper(socket: &Path, generation: u32) -> Answer {
    match tokio::time::timeout(PATIENCE, Keeper::connect(socket)).await {
        Ok(Ok(keeper)) if keeper.generation() == generation => Answer::Yes,
        Ok(Ok(_) | Err(ClientError::Gone { .. })) => Answer::No,
        Ok(Err(_)) | Err(_) => Answer::Failed,
    }
}

/// Whether the process that was started as the agent runs. A number that was given to another
/// process since does not carry the session's name in its environment.
fn process(pid: u32, session: &Session) -> Answer {
    let process = Process::of(pid).filter(|process| process.is_alive());
    let named = process.and_then(|process| proctree::variable(process, variables::SESSION));
    if named.as_deref() == Some(session.id.as_str()) { Answer::Yes } else { Answer::No }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
