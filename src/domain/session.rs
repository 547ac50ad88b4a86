//! The record of a session (`spec/lifecycle.md` S1).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::ids::{BatchId, ProjectName, SessionId, WorkspaceName};
use super::pr::PrFacts;
use super::rail::{Placement, Shown};
use super::time::Timestamp;
use super::words::words;

words! {
    /// What a session is for.
    Kind {
        /// Does one task.
        Worker = "worker",
        /// Spawns workers through the command line.
        Orchestrator = "orchestrator",
    }
}

words! {
    /// What folder a session works in.
    FolderKind {
        /// A git worktree made for it.
        Worktree = "worktree",
        /// The project folder itself.
        InPlace = "in_place",
        /// A conversation, in the folder spawn was called from; never moved or removed.
        None = "none",
    }
}

/// The live side of a session as last observed. An observation, never the truth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeFacts {
    /// Process id of the keeper.
    pub keeper_pid: Option<u32>,
    /// Process id of the agent.
    pub pid: Option<u32>,
    /// Exit code of the agent.
    pub exit_code: Option<i32>,
    /// Signal that ended the agent.
    pub signal: Option<i32>,
    /// Start of the agent.
    pub started_at: Option<Timestamp>,
    /// CPU of its process tree, percent of one core.
    pub cpu_percent: Option<f32>,
    /// Memory of its process tree, bytes.
    pub rss_bytes: Option<u64>,
}

/// What the process tree of a session takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// CPU, percent of one core; none where there is no time to compare with.
    pub cpu_percent: Option<f32>,
    /// Memory, bytes.
    pub rss_bytes: u64,
}

/// A deleted session's place in the trash (D9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// When.
    pub at: Timestamp,
    /// Which batch it belongs to.
    pub batch: BatchId,
    /// Its runtime ran when it was deleted.
    pub was_live: bool,
    /// Where its worktree was moved.
    pub trash_path: Option<PathBuf>,
}

/// How an agent is launched and resumed; kept so that a restore launches the same.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LaunchFacts {
    /// Name of the agent's definition.
    pub agent: String,
    /// Name of the target; the agent's own name unless chosen.
    pub target: String,
    /// Extra arguments; the whole argv for `command`.
    pub args: Vec<String>,
    /// Model, where chosen.
    pub model: Option<String>,
    /// Permission mode, where chosen.
    pub permission_mode: Option<String>,
    /// The agent's own id of the conversation.
    pub agent_session_id: Option<String>,
}

/// One durable conversation with one agent. Its row is the truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its workspace.
    pub workspace: WorkspaceName,
    /// Its id.
    pub id: SessionId,
    /// Name of the project that its placement names, where it is registered.
    pub project: Option<ProjectName>,
    /// Worker or orchestrator.
    pub kind: Kind,
    /// The session that spawned it.
    pub parent: Option<SessionId>,
    /// The topmost session above it; itself where it has no parent.
    pub root: SessionId,
    /// Agent, target and arguments.
    pub launch: LaunchFacts,
    /// One line, free text.
    pub title: String,
    /// First prompt.
    pub prompt: Option<String>,
    /// Where it belongs.
    pub placement: Placement,
    /// Where it is shown.
    pub shown: Shown<SessionId>,
    /// When it was pinned.
    pub pinned_at: Option<Timestamp>,
    /// Lifecycle, activity, status.
    pub condition: Condition,
    /// What folder it works in.
    pub folder_kind: FolderKind,
    /// The folder it works in; empty until it is known.
    pub folder: PathBuf,
    /// Branch of its worktree.
    pub branch: Option<String>,
    /// Commit the branch started from.
    pub base: Option<String>,
    /// Files with uncommitted changes, as last counted.
    pub dirty: Option<u32>,
    /// Pull requests.
    pub prs: Vec<PrFacts>,
    /// The live side.
    pub runtime: RuntimeFacts,
    /// Creation.
    pub created_at: Timestamp,
    /// Last change of the row.
    pub updated_at: Timestamp,
    /// Set for a tombstone.
    pub deletion: Option<Deletion>,
    /// Error of the last failed operation on it.
    pub error: Option<String>,
}

impl Session {
    /// Path of the worktree, only where the session has one of its own.
    pub fn worktree(&self) -> Option<&Path> {
        (self.folder_kind == FolderKind::Worktree && !self.folder.as_os_str().is_empty())
            .then_some(self.folder.as_path())
    }

    /// Whether it is published and runs.
    pub fn is_live(&self) -> bool {
        self.condition.lifecycle.is_live()
    }
}
