//! What goes into the store and comes out of it, where the domain has no value for it.

use std::path::PathBuf;

use crate::domain::condition::Condition;
use crate::domain::ids::SessionId;
use crate::domain::plan::{PlanRow, Skipped};
use crate::domain::pr::PrFacts;
use crate::domain::rail::Placement;
use crate::domain::session::{FolderKind, Kind, LaunchFacts};
use crate::domain::time::Timestamp;

/// The seed row of a create (`spec/lifecycle.md` C3).
#[derive(Debug, Clone, PartialEq)]
pub struct Seed {
    /// Reserved id.
    pub id: SessionId,
    /// Worker or orchestrator.
    pub kind: Kind,
    /// Parent; its existence is checked in the transaction (C9).
    pub parent: Option<SessionId>,
    /// Agent, target, arguments.
    pub launch: LaunchFacts,
    /// Title.
    pub title: String,
    /// First prompt.
    pub prompt: Option<String>,
    /// Where it belongs.
    pub placement: Placement,
    /// What folder it works in.
    pub folder_kind: FolderKind,
    /// The folder; empty for a worktree that is yet to be made.
    pub folder: PathBuf,
    /// Pinned at once.
    pub pinned: bool,
}

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

/// A made-up message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeededMessage {
    /// Its session.
    pub session: SessionId,
    /// As in a message.
    pub source: String,
    /// The text.
    pub text: String,
}

/// A worktree that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its folder.
    pub path: PathBuf,
    /// Its branch.
    pub branch: String,
    /// Commit the branch started from.
    pub base: String,
}

/// What initialise writes (C3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialised {
    /// The launch.
    pub generation: u32,
    /// Keeper's process.
    pub keeper_pid: u32,
    /// Agent's process.
    pub pid: u32,
    /// Start of the agent.
    pub started_at: Timestamp,
    /// Hash of the token that identifies the agent (`spec/store.md` W7).
    pub token_hash: String,
    /// The agent's own id of the conversation, where known.
    pub agent_session_id: Option<String>,
}

/// Rows for a plan (D2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanRows {
    /// Requested sessions that exist, and all their descendants.
    pub rows: Vec<PlanRow>,
    /// The other requested ones.
    pub missing: Vec<Skipped>,
}

/// One tombstone to write (D7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TombstoneRow {
    /// Which session.
    pub id: SessionId,
    /// Its runtime ran when the operation began.
    pub was_live: bool,
    /// Its runtime was closed for this delete: status and age are not tested again (D5).
    pub closed: bool,
    /// Where its worktree will be moved.
    pub trash_path: Option<PathBuf>,
}

/// What the one transaction of a delete answers (D4, D7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tombstoned {
    /// Committed; so many messages went along.
    Done {
        /// Messages that went along.
        messages: u64,
    },
    /// The closure is not the expected one but this, ascending; nothing was changed.
    PlanChanged(Vec<SessionId>),
}

/// One row to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untombstone {
    /// Which session.
    pub id: SessionId,
    /// Its folder, where that changed.
    pub folder: Option<PathBuf>,
}

/// What the transaction of a purge did (R5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgedRows {
    /// Gone, tree by tree.
    pub gone: Vec<SessionId>,
    /// Those whose tree was not as expected; all of it stays.
    pub changed: Vec<SessionId>,
    /// Messages that went along.
    pub messages: u64,
}

/// A session that works in one of the folders that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderUser {
    /// The session, of any workspace.
    pub id: SessionId,
    /// The folder that it works in or below, as it was asked for.
    pub folder: PathBuf,
}
