//! Processes that outlived their keeper (`spec/lifecycle.md` V4, `spec/runtime.md` X3): what had a
//! session of its own or ignored the hang-up when a keeper was killed. Known by the variables that
//! every launch gives its agent, never by name.

use std::path::Path;
use std::time::Duration;

use crate::domain::ids::{SessionId, WorkspaceName};
use crate::os::clock;
use crate::os::proctree::{self, Process};
use crate::os::signals::{self, Signal};
use crate::os::variables;

use super::keeper;

/// From TERM to KILL.
const GRACE: Duration = Duration::from_secs(1);
/// When to give up after KILL.
const GIVE_UP: Duration = Duration::from_secs(5);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A process of a launch whose keeper is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// The process.
    pub process: Process,
    /// Its session.
    pub session: SessionId,
    /// Its launch.
    pub generation: u32,
    /// The secret of its launch.
    pub token: String,
}

/// Processes of launches of one workspace that no keeper owns any more. `home` is the value of
/// `CALLBOARD_HOME` that the launches had, `folder` that of the keepers' sockets.
pub fn find(home: Option<&Path>, workspace: &WorkspaceName, folder: &Path) -> Vec<Stray> {
    let home = home.map(|home| home.to_string_lossy().into_owned());
    let mut strays: Vec<Stray> =
        proctree::with_environment(variables::WORKSPACE, workspace.as_str())
            .into_iter()
            .filter(|process| process.pid != std::process::id() && process.is_alive())
            .filter_map(|process| stray(process, home.as_deref()))
            .collect();
    // Keepers are looked for afterwards: each is listed before it starts its agent.
    let keepers = keeper::listed(folder);
    strays.retain(|stray| {
        !keepers.iter().any(|keeper| {
            keeper.workspace == *workspace
                && keeper.session == stray.session
                && keeper.generation == stray.generation
        })
    });
    strays
}

fn stray(process: Process, home: Option<&str>) -> Option<Stray> {
    let names = [variables::HOME, variables::SESSION, variables::GENERATION, variables::TOKEN];
    let [its_home, session, generation, token] = proctree::variables(process, names)?;
    if its_home.as_deref() != home {
        return None;
    }
    Some(Stray {
        session: SessionId::new(session?).ok()?,
        generation: generation?.parse().ok()?,
        token: token?,
        process,
    })
}

/// Ends everything that `look` finds, until it finds nothing: TERM, then KILL. Answers the ids of the
/// processes that are gone.
pub async fn end<F>(look: impl Fn() -> F) -> Vec<u32>
where
    F: Future<Output = Vec<Stray>>,
{
    let begin = clock::monotonic();
    let mut told: Vec<Process> = Vec::new();
    loop {
        let strays = look().await;
        let elapsed = begin.elapsed();
        if strays.is_empty() || elapsed >= GIVE_UP {
            let mut gone = told;
            gone.retain(|process| !process.is_alive());
            let mut pids: Vec<u32> = gone.into_iter().map(|process| process.pid).collect();
            pids.sort_unstable();
            return pids;
        }
        for process in strays.into_iter().map(|stray| stray.process) {
            if elapsed >= GRACE {
                signal(process, Signal::KILL);
            } else if !told.contains(&process) {
                signal(process, Signal::TERM);
                signal(process, Signal::CONT);
            }
            if !told.contains(&process) {
                told.push(process);
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn signal(process: Process, signal: Signal) {
    if let Err(error) = signals::send(process, signal) {
        tracing::warn!(pid = process.pid, %error, "a process cannot be signalled");
    }
}
