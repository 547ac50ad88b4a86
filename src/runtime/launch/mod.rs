//! What a keeper has to know to run one launch of a session (`spec/runtime.md` X1).

mod environment;
mod program;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use self::environment::{AgentEnvironment, build as build_environment};
pub use self::program::{StartError, StartErrorKind, find as find_program};
use crate::domain::agent::{Rules, StopWay, SubmitRule};
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::time::Timestamp;

/// Longest launch spec that a keeper reads, in bytes: a prompt of 1 MiB, escaped, and room.
pub const SPEC_LIMIT: usize = 8 << 20;

/// One launch, complete: the keeper itself runs with a cleared environment.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchSpec {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// The whole environment of the agent, see [`build_environment`].
    pub env: Vec<(String, String)>,
    /// Folder to run in.
    pub cwd: PathBuf,
    /// Columns of the terminal.
    pub cols: u16,
    /// Rows of the terminal.
    pub rows: u16,
    /// Workspace of the session.
    pub workspace: WorkspaceName,
    /// The session.
    pub session: SessionId,
    /// The launch.
    pub generation: u32,
    /// The secret in the agent's environment. Never logged.
    pub token: String,
    /// The database that facts go to.
    pub database: PathBuf,
    /// Where to listen.
    pub socket: PathBuf,
    /// The keeper's log.
    pub log: PathBuf,
    /// Folder of the raw output.
    pub history: PathBuf,
    /// Most bytes of raw output to keep on disk.
    #[serde(default = "default_history_bytes")]
    pub history_bytes: u64,
    /// Most rows of history in the terminal engine.
    #[serde(default = "default_history_lines")]
    pub history_lines: usize,
    /// Detection rules.
    #[serde(default)]
    pub rules: Rules,
    /// How the agent is asked to end.
    #[serde(default)]
    pub stop: StopWay,
    /// Program and arguments that end the agent where it runs elsewhere; empty where the end of the program
    /// here does (`spec/agents.md` U1).
    #[serde(default)]
    pub end: Vec<String>,
    /// How a text is submitted.
    #[serde(default)]
    pub submit: SubmitRule,
    /// What the agent prints at its end, with its id of the conversation as the first group; empty where it
    /// prints none.
    #[serde(default)]
    pub exit_text: String,
    /// Whether the arguments hold a prompt before which the agent looks at rest.
    #[serde(default)]
    pub prompted: bool,
    /// How long the keeper stays after the agent ended by itself, in milliseconds (X4).
    #[serde(default = "default_linger_ms")]
    pub linger_ms: u64,
}

fn default_history_bytes() -> u64 {
    16 << 20
}

fn default_history_lines() -> usize {
    2_000
}

fn default_linger_ms() -> u64 {
    10_000
}

/// Without the token and the environment, which hold secrets.
impl std::fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LaunchSpec")
            .field("workspace", &self.workspace)
            .field("session", &self.session)
            .field("generation", &self.generation)
            .field("program", &self.argv.first())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// What a keeper says on its launch pipe, one JSON object a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchNote {
    /// Socket bound, agent started (X2).
    Ready(Ready),
    /// It could not be started; the keeper exits.
    Failed(StartError),
    /// The keeper took note that it is published (C4).
    Published,
}

/// A keeper that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// The keeper's process.
    pub keeper_pid: u32,
    /// The agent's process.
    pub pid: u32,
    /// When the agent was started.
    pub started_at: Timestamp,
}

/// The line on the launch pipe that publishes (C4).
pub const PUBLISH: &str = "publish";
