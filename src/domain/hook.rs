//! What an agent reports through `callboard hook` (`spec/agents.md` H2).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::activity::Activity;
use super::time::Timestamp;

/// What marks hooks that callboard wrote, with its version behind it (H1). Also the beginning of a comment in a
/// shell's line, as the mark stands at the end of a command.
pub const HOOK_MARK: &str = "# callboard-hooks";

/// How an agent comes to call our hooks, beside what its arguments say (H1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HookPlan {
    /// By its arguments, or not at all.
    #[default]
    Nothing,
    /// Not in this launch, for this reason.
    Off(String),
    /// By a file of its worktree.
    File(HookFile),
    /// By files of ours, which its environment names.
    Own(Vec<OwnFile>),
}

/// A file of an agent's own settings with hooks in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    /// Relative to the worktree.
    pub path: PathBuf,
    /// What is merged with what is there.
    pub entries: HookEntries,
}

/// A file in a folder of ours that an agent loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFile {
    /// Where it lies.
    pub path: PathBuf,
    /// The whole of it.
    pub content: String,
}

/// Entries in the `hooks` of a JSON file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookEntries {
    /// Events, each with its entry as JSON; the command in it ends with [`HOOK_MARK`].
    pub events: Vec<(String, String)>,
    /// What a new file holds at least, as a JSON object.
    pub base: String,
}

/// One call of the hook command, read by the agent's definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookReport {
    /// Name of the event, as the agent calls it.
    pub event: String,
    /// When the hook was called.
    pub at: Timestamp,
    /// What the agent does from then on; nothing where the event does not tell.
    #[serde(default)]
    pub activity: Option<Activity>,
    /// The tool that the event is about.
    #[serde(default)]
    pub tool: Option<String>,
    /// The event comes before its tool asks: it never ends a question (A2).
    #[serde(default)]
    pub before_tool: bool,
    /// Kind and text of the question that is asked.
    #[serde(default)]
    pub question: Option<(String, String)>,
    /// The agent's own id of the conversation (H3).
    #[serde(default)]
    pub agent_session_id: Option<String>,
    /// What the agent said.
    #[serde(default)]
    pub message: Option<String>,
}

/// Longest id of a conversation, in bytes.
const ID: usize = 256;

/// Whether this can be an agent's own id of a conversation: it becomes an argument of the next launch.
pub fn is_conversation(id: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    !id.is_empty() && id.len() <= ID && !id.starts_with('-') && id.chars().all(legal)
}

impl HookReport {
    /// Nothing but the id of the conversation, as the agent told it when it ended.
    pub fn of_conversation(id: String, at: Timestamp) -> Self {
        Self {
            event: "exit_text".to_owned(),
            at,
            activity: None,
            tool: None,
            before_tool: false,
            question: None,
            agent_session_id: Some(id),
            message: None,
        }
    }

    /// Whether it says that the agent waits for the operator.
    pub fn is_waiting(&self) -> bool {
        self.activity.is_some_and(Activity::is_waiting)
    }

    /// Whether the store has to keep something of it beside the facts.
    pub fn is_kept(&self) -> bool {
        self.agent_session_id.is_some() || self.message.is_some()
    }

    /// Whether `later` leaves this question as it is: it is about another tool, or comes before one
    /// (`spec/lifecycle.md` A2).
    pub fn stays_after(&self, later: &Self) -> bool {
        let other = matches!((&self.tool, &later.tool), (Some(a), Some(b)) if a != b);
        self.is_waiting() && !later.is_waiting() && (later.before_tool || other)
    }
}

/// A report with what shows that it comes from the launch: what is spooled while a keeper cannot take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpooledReport {
    /// The launch.
    pub generation: u32,
    /// Hash of its token.
    pub token_hash: String,
    /// The report.
    pub report: HookReport,
}
