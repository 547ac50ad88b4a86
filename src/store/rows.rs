//! What goes into the store and comes out of it, where the domain has no value for it.

use std::path::PathBuf;

use crate::domain::condition::Condition;
use crate::domain::ids::SessionId;
use crate::domain::pr::PrFacts;
use crate::domain::rail::Placement;
use crate::domain::session::{FolderKind, Kind, LaunchFacts};
use crate::domain::time::Timestamp;

/// A made-up session, as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct SeededSession {
    /// Its id.
    pub id: SessionId,
    /// Worker or orchestrator.
    pub kind: Kind,
    /// Parent; comes before it.
    pub parent: Option<SessionId>,
    /// Agent, target, arguments.
    pub launch: LaunchFacts,
    /// Title.
    pub title: String,
    /// First prompt.
    pub prompt: Option<String>,
    /// Where it belongs.
    pub placement: Placement,
    /// When it was pinned.
    pub pinned_at: Option<Timestamp>,
    /// Lifecycle and activity; what is derived of them is derived again.
    pub condition: Condition,
    /// What folder it works in.
    pub folder_kind: FolderKind,
    /// The folder.
    pub folder: PathBuf,
    /// Branch of its worktree.
    pub branch: Option<String>,
    /// Files with uncommitted changes.
    pub dirty: Option<u32>,
    /// Pull requests.
    pub prs: Vec<PrFacts>,
    /// Creation.
    pub created_at: Timestamp,
}

/// A session that works in one of the folders that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderUser {
    /// The session, of any workspace.
    pub id: SessionId,
    /// The folder that it works in or below, as it was asked for.
    pub folder: PathBuf,
}
