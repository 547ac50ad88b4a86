//! What callers ask for and what the coordinators answer. The serialised fields are a contract
//! (`spec/cli.md`, JSON).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::ids::{BatchId, ProjectName, SessionId};
use crate::domain::launch::ForkOf;
use crate::domain::operation::Verb;
use crate::domain::plan::{Conditions, Skipped};
use crate::domain::session::{Kind, LaunchFacts, Session};
use crate::domain::time::Timestamp;
use crate::domain::trash::PurgeChoice;

use super::ports::LaunchedHow;

/// A session to create.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRequest {
    /// Where it belongs.
    pub place: Place,
    /// The conversation that it goes on with; a new one where none is given.
    pub fork: Option<ForkOf>,
    /// Agent, target, arguments.
    pub launch: LaunchFacts,
    /// Id chosen by the caller.
    pub id: Option<SessionId>,
    /// Title; taken from the prompt where none is given.
    pub title: Option<String>,
    /// First prompt.
    pub prompt: Option<String>,
    /// A first message sent after publish.
    pub goal: Option<String>,
    /// Branch; the template's where none is given.
    pub branch: Option<String>,
    /// What the branch starts from.
    pub base: Option<String>,
    /// Works in the project folder itself.
    pub in_place: bool,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Worker or orchestrator.
    pub kind: Kind,
    /// The session that spawns it.
    pub parent: Option<SessionId>,
    /// Pinned at once.
    pub pin: bool,
    /// Who asks.
    pub actor: Actor,
}

/// Where a new session belongs (P6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In this project.
    Project(ProjectName),
    /// In the project whose registered path holds this folder, else in conversations; a child goes
    /// where its parent is (C9).
    Folder(PathBuf),
    /// Outside projects, working in this folder.
    Chat(PathBuf),
}

/// How a create ended (C6). A create that left nothing behind is an error instead.
#[derive(Debug, Clone, PartialEq)]
pub enum CreateOutcome {
    /// Live, or reused (C2).
    Created(Box<Session>),
    /// Live, but the prompt may not have arrived; nothing was deleted.
    CreatedWithError {
        /// The session.
        session: Box<Session>,
        /// What failed.
        error: String,
    },
    /// The row is kept as terminated with the error, to be restored.
    Parked {
        /// The session.
        session: Box<Session>,
        /// What failed.
        error: String,
    },
}

/// Sessions to delete.
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteRequest {
    /// Which. Empty deletes nothing.
    pub ids: BTreeSet<SessionId>,
    /// Conditions that must hold at both fences (D5).
    pub conditions: Conditions,
    /// Runtimes without a row are closed too: named without conditions, or clear (D7, D12).
    pub with_rowless: bool,
    /// Sessions whose runtimes were closed for the same wish before it had to stop and ask, or was
    /// left: they count as live when it began, and their status and age are not tested again.
    pub closed: BTreeSet<SessionId>,
    /// Who asks.
    pub actor: Actor,
}

/// A remark about one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    /// Which.
    pub id: SessionId,
    /// What.
    pub text: String,
}

/// A session that was left alone, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedRow {
    /// Which.
    pub id: SessionId,
    /// Why.
    pub reason: String,
}

impl From<&Skipped> for SkippedRow {
    fn from(skipped: &Skipped) -> Self {
        Self { id: skipped.id.clone(), reason: skipped.reason.to_string() }
    }
}

/// What a delete came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default, JsonSchema)]
pub struct DeleteReport {
    /// Remarks: left attached, and the like.
    pub notes: Vec<Note>,
    /// The batch; none where nothing was deleted.
    pub batch: Option<BatchId>,
    /// Requested ids after trimming.
    pub requested: Vec<SessionId>,
    /// Tombstoned.
    pub removed_session_ids: Vec<SessionId>,
    /// Messages that went along.
    pub removed_messages: u64,
    /// Runtimes that were closed.
    pub runtime_closed_ids: Vec<SessionId>,
    /// Worktrees that could not be moved yet; retried at the next start.
    pub cleanup_failed_ids: Vec<SessionId>,
    /// Left alone.
    pub skipped: Vec<SkippedRow>,
    /// Runtimes that needed TERM or KILL.
    pub escalated_ids: Vec<SessionId>,
    /// How often the plan was made.
    pub attempts: u32,
}

/// What to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreTarget {
    /// Sessions by id: from the trash with their components, or terminated ones launched again.
    Ids(Vec<SessionId>),
    /// Exactly the rows of a batch.
    Batch(BatchId),
    /// The operator's last batch (D11).
    Last,
}

/// A restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreRequest {
    /// What.
    pub target: RestoreTarget,
    /// Launch those from the trash too.
    pub launch: bool,
    /// Another folder for the worktree of the one session named.
    pub to: Option<PathBuf>,
    /// Who asks.
    pub actor: Actor,
}

/// What a restore came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default, JsonSchema)]
pub struct RestoreReport {
    /// Brought back from the trash.
    pub restored_session_ids: Vec<SessionId>,
    /// Launched.
    pub launched_ids: Vec<SessionId>,
    /// Brought back; they ran when they were deleted.
    pub was_live_ids: Vec<SessionId>,
    /// Remarks: detached, resumed ...
    pub notes: Vec<Note>,
    /// Not brought back, with the reason.
    pub not_restored: Vec<SkippedRow>,
    /// How launched sessions came back (B3).
    #[serde(skip)]
    pub how: Vec<(SessionId, LaunchedHow)>,
}

/// What stop, kill or cleanup did to one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StopResult {
    /// Which.
    pub id: SessionId,
    /// Its runtime ended now.
    pub stopped: bool,
    /// Its worktree was given back.
    pub freed: bool,
    /// Why not.
    pub reason: Option<String>,
    /// TERM or KILL was needed.
    pub escalated: bool,
    /// What went wrong, where something did; `reason` says it in words.
    #[serde(skip)]
    pub trouble: Option<ErrorKind>,
}

/// What a stop came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default, JsonSchema)]
pub struct StopReport {
    /// One for each session.
    pub results: Vec<StopResult>,
}

/// Sessions to remove from the trash for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeRequest {
    /// Which.
    pub choice: PurgeChoice,
    /// Branches that go too, merged or not.
    pub branches: BTreeSet<String>,
    /// Who asks.
    pub actor: Actor,
}

/// What a purge came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default, JsonSchema)]
pub struct PurgeReport {
    /// Gone for good.
    pub purged_session_ids: Vec<SessionId>,
    /// Messages that went along.
    pub removed_messages: u64,
    /// Bytes of removed files.
    pub freed_bytes: u64,
    /// Left alone.
    pub skipped: Vec<SkippedRow>,
    /// Sessions whose files could not be removed yet; tried again at the next start.
    #[serde(skip)]
    pub files_left: Vec<Note>,
}

/// What sending to one session came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SendResult {
    /// Which.
    pub id: SessionId,
    /// The text arrived.
    pub sent: bool,
    /// Why not; of one that arrived, what went wrong afterwards.
    pub reason: Option<String>,
}

/// What recovery did (V3, V4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default, JsonSchema)]
pub struct RecoverReport {
    /// Operations that were finished.
    pub resumed: Vec<String>,
    /// Operations that were undone.
    pub undone: Vec<String>,
    /// Operations that wait for a choice.
    pub stuck: Vec<String>,
    /// Sessions whose keeper was found running.
    pub adopted: Vec<SessionId>,
    /// Processes that were ended.
    pub ended_processes: Vec<u32>,
    /// Worktrees under our root without a row.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "Vec<String>")]
    pub orphans: Vec<PathBuf>,
}

/// State of a session that waits for a place to start (C10).
pub const QUEUED: &str = "queued";

/// What a coordinator reports while it runs (D14).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// An operation began, with so many sessions.
    Began {
        /// The operation.
        operation: BatchId,
        /// What it does.
        verb: Verb,
        /// How many sessions.
        total: usize,
    },
    /// One session of it moved on: `queued`, `waiting`, `closing`, `escalated`, `deleted`, `moved`, `skipped`,
    /// `failed`, or a step of create.
    Session {
        /// The operation.
        operation: BatchId,
        /// Which.
        id: SessionId,
        /// How far.
        state: &'static str,
    },
    /// It ended.
    Ended {
        /// The operation.
        operation: BatchId,
    },
    /// An operation cannot begin before another one has ended its step on a session (L5). Told each
    /// second.
    Waits {
        /// The operation that waits.
        operation: BatchId,
        /// The session.
        id: SessionId,
        /// What the other one does.
        behind: Verb,
        /// When that began.
        since: Timestamp,
    },
    /// It waits no more: it has what it waited for, or gave up.
    Waited {
        /// The operation.
        operation: BatchId,
    },
}

/// What is waited for, in words: `waiting for delete of shop-4, 3 s` (L5).
pub fn waiting_for(verb: Verb, id: &SessionId, since: Duration) -> String {
    format!("waiting for {verb} of {id}, {} s", since.as_secs())
}

/// Paths as far as JSON can hold them: what is not UTF-8 must not keep back the rest of a report.
fn lossy<S: serde::Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}
