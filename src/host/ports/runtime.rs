//! Keepers as a port.

use std::path::PathBuf;

use crate::domain::ids::SessionId;
use crate::domain::launch::LaunchPlan;
use crate::domain::probe::Evidence;
use crate::domain::session::{Session, Usage};
use crate::domain::time::Timestamp;

use super::super::context::Context;
use super::PortResult;

/// What is needed to start a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRequest {
    /// The session.
    pub id: SessionId,
    /// Name of the agent's definition.
    pub agent: String,
    /// The launch.
    pub generation: u32,
    /// Program, arguments, environment.
    pub plan: LaunchPlan,
    /// Folder to run in.
    pub folder: PathBuf,
    /// Secret that identifies the agent.
    pub token: String,
    /// Columns and rows.
    pub size: (u16, u16),
}

/// A runtime that is ready and not yet published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Whether this call made it; a retry finds it running (C2).
    pub created: bool,
    /// Keeper's process.
    pub keeper_pid: u32,
    /// Agent's process.
    pub pid: u32,
    /// Start of the agent.
    pub started_at: Timestamp,
}

/// What closing a runtime came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Closed {
    /// There was a runtime.
    pub was_running: bool,
    /// TERM or KILL was needed after the polite way.
    pub escalated: bool,
    /// The process of its keeper, where known.
    pub keeper_pid: Option<u32>,
}

/// What to type into an agent (K5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A text, as one paste, with Enter after it or without; refused while a question is shown.
    Text {
        /// The text.
        text: String,
        /// Whether Enter follows.
        enter: bool,
    },
    /// Keys by name, as in `keymap.toml`.
    Keys(Vec<String>),
    /// Keys that answer the question of this id, and no other (K6).
    Answer {
        /// The question.
        question: String,
        /// The keys.
        keys: Vec<String>,
        /// The option that is selected before the first of them, where they walk from there.
        selected: Option<usize>,
    },
}

/// An agent's screen as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenText {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Visible rows, or with scrollback before them where asked for.
    pub lines: Vec<String>,
    /// Row, column (0-based) and whether it shows.
    pub cursor: (u16, u16, bool),
    /// Title.
    pub title: String,
    /// Alternate screen.
    pub alternate: bool,
    /// Rows of history.
    pub scrollback_lines: usize,
}

/// Keepers and what runs in them.
pub trait RuntimePort: Send + Sync + 'static {
    /// Starts a keeper and waits until it is ready: socket bound, agent started. Not yet published.
    fn start(
        &self,
        ctx: &Context,
        request: &StartRequest,
    ) -> impl Future<Output = PortResult<Started>> + Send;
    /// Tells the keeper that it is published: from then on it outlives its creator (C4).
    fn publish_runtime(
        &self,
        ctx: &Context,
        id: &SessionId,
        generation: u32,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Ends the runtime with its whole process tree (X3); a runtime that is gone is closed.
    fn close(
        &self,
        ctx: &Context,
        id: &SessionId,
    ) -> impl Future<Output = PortResult<Closed>> + Send;
    /// Ends what a launch left where its target runs, if anything (`spec/agents.md` U1): it may be gone, or
    /// out of reach.
    fn end_elsewhere(
        &self,
        target: &str,
        id: &SessionId,
        generation: u32,
    ) -> impl Future<Output = ()> + Send;
    /// Types into the agent.
    fn type_into(
        &self,
        ctx: &Context,
        session: &Session,
        input: &Input,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// The agent's screen with up to `scrollback` rows of history.
    fn screen(
        &self,
        ctx: &Context,
        id: &SessionId,
        scrollback: usize,
    ) -> impl Future<Output = PortResult<ScreenText>> + Send;
    /// Asks whether keeper and process are there.
    fn probe(&self, session: &Session) -> impl Future<Output = Evidence> + Send;
    /// What the process trees of these sessions take; those without a keeper are left out. Between two
    /// looks the share of a processor is that since the earlier one.
    fn usage(&self, sessions: &[Session]) -> impl Future<Output = Vec<(SessionId, Usage)>> + Send;
    /// Returns when the keeper of a session is gone; at once where there is none.
    fn gone(&self, id: &SessionId) -> impl Future<Output = ()> + Send;
    /// Ends what outlived a killed keeper, known by the environment of its launch (V4); answers the
    /// processes that are gone.
    fn end_strays(&self) -> impl Future<Output = PortResult<Vec<u32>>> + Send;
    /// Sessions of this workspace that have a keeper, by its socket.
    fn keepers(&self) -> impl Future<Output = PortResult<Vec<SessionId>>> + Send;
}
