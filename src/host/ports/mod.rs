//! What the coordinators need of the world. `adapters` puts them on the real parts; tests put
//! recording fakes in their place.

mod agents;
pub mod doctor;
mod forge;
mod locks;
mod messages;
mod runtime;
mod store;
mod workspace;

use crate::domain::error::ErrorKind;

pub use crate::domain::launch::{Initialised, LaunchPlan, LaunchedHow, Seed};
pub use crate::domain::plan::PlanRows;
pub use crate::domain::trash::{TombstoneRow, Tombstoned, Untombstone};
pub use crate::domain::worktree::{Freed, Moved, Worktree, WorktreeRequest};
pub use agents::{AgentPort, CallerLimits};
pub use forge::ForgePort;
pub use locks::LockPort;
pub use messages::MessagePort;
pub use runtime::{Closed, Input, RuntimePort, ScreenText, StartRequest, Started};
pub use store::StorePort;
pub use workspace::WorkspacePort;

pub use super::folders::{Changes, FolderPort, Staying};
pub use super::purge::port::{PurgePort, PurgedRows};

/// A port's failure, already in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PortError {
    /// What a caller can do about it.
    pub kind: ErrorKind,
    /// What was attempted, with id or path, and why it failed.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Result of a port call.
pub type PortResult<T> = Result<T, PortError>;

/// Everything that the coordinators need, as one type.
pub trait Ports:
    StorePort
    + MessagePort
    + RuntimePort
    + WorkspacePort
    + AgentPort
    + LockPort
    + PurgePort
    + FolderPort
    + ForgePort
{
}
impl<T> Ports for T where
    T: StorePort
        + MessagePort
        + RuntimePort
        + WorkspacePort
        + AgentPort
        + LockPort
        + PurgePort
        + FolderPort
        + ForgePort
{
}
