//! The audit of every action (`spec/store.md` W6), and messages (Q2).

use schemars::JsonSchema;
use serde::Serialize;

use super::ids::{OperationId, SessionId, WorkspaceName};
use super::time::Timestamp;

/// Who acted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person at the dashboard.
    Operator,
    /// A command line.
    Command,
    /// An agent calling the command line.
    Session(SessionId),
    /// An agent of another workspace calling the command line.
    Elsewhere {
        /// Its workspace.
        workspace: WorkspaceName,
        /// Its session there.
        session: SessionId,
    },
    /// callboard itself: recovery, probes.
    Callboard,
}

impl std::fmt::Display for Actor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Command => f.write_str("command"),
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Elsewhere { workspace, session } => write!(f, "session:{workspace}/{session}"),
            Self::Callboard => f.write_str("callboard"),
        }
    }
}

/// One entry of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// On which session.
    pub session: Option<SessionId>,
    /// Who: `operator`, `command`, `session:<id>`, `callboard`.
    pub actor: String,
    /// What: `spawn`, `delete`, `status` ...
    pub verb: String,
    /// Status before.
    pub from: Option<String>,
    /// Status after.
    pub to: Option<String>,
    /// Why, in words.
    pub cause: Option<String>,
    /// The operation it was part of.
    pub operation: Option<OperationId>,
}

/// A prompt that was sent, or a report of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Message {
    /// When.
    pub at: Timestamp,
    /// `operator`, `agent`, or `session:<id>`.
    pub source: String,
    /// The text.
    pub text: String,
}
