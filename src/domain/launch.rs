//! What goes into a launch and what it leaves (`spec/lifecycle.md` sections 5 and 8).

use std::path::PathBuf;

use super::hook::HookPlan;
use super::ids::SessionId;
use super::rail::Placement;
use super::session::{FolderKind, Kind, LaunchFacts};
use super::time::Timestamp;

/// Columns and rows of a terminal until a console types into it (`spec/cli.md`, spawn).
pub const DEFAULT_SIZE: (u16, u16) = (120, 40);

/// The seed row of a create (C3).
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

/// How to launch an agent, worked out by its definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Variables to set.
    pub env: Vec<(String, String)>,
    /// Variables to drop from the operator's environment.
    pub env_drop: Vec<String>,
    /// Whether the prompt is in the arguments; else it is typed after publish.
    pub prompt_in_argv: bool,
    /// The agent's own id of the conversation, where it is set by us.
    pub agent_session_id: Option<String>,
    /// How it comes back (B3).
    pub how: LaunchedHow,
    /// How it comes to call our hooks, beside its arguments (`spec/agents.md` H1).
    pub hooks: HookPlan,
    /// The target that has it run elsewhere (`spec/agents.md` U1): nothing of this machine can be meant by
    /// its arguments.
    pub elsewhere: Option<String>,
    /// The file of a conversation that has to be where the agent looks for it.
    pub carry: Option<Carry>,
}

/// A conversation's file that a fork needs beside its own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carry {
    /// Where it is.
    pub from: PathBuf,
    /// Where it has to be, with `{folder}` for the folder of the launch.
    pub to: String,
}

/// The conversation that a new session goes on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkOf {
    /// The agent's own id of it.
    pub conversation: String,
    /// The folder in which it was held.
    pub folder: PathBuf,
}

/// How a session was launched (B3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchedHow {
    /// Its conversation was resumed.
    Resumed,
    /// Its prompt was given again.
    PromptAgain,
    /// Without conversation or prompt.
    Fresh,
}

impl LaunchedHow {
    /// The words for it, behind the id of the session.
    pub fn words(self) -> &'static str {
        match self {
            Self::Resumed => "resumed its conversation",
            Self::PromptAgain => "was given its prompt again",
            Self::Fresh => "started fresh",
        }
    }
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
