//! The JSON of `spec/cli.md`: every field present, absent is null, lists are never null.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::activity::{Activity, Question};
use crate::domain::event::{Event, Message};
use crate::domain::ids::{BatchId, ProjectName, SessionId, WorkspaceName};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::operation::Operation;
use crate::domain::plan::{Plan, PlanItem};
use crate::domain::pr::PrFacts;
use crate::domain::query::Page;
use crate::domain::rail::{Project, Section, SectionKey, SectionKind};
use crate::domain::session::{FolderKind, Kind, RuntimeFacts, Session};
use crate::domain::status::{self, Attention, Status, Zone};
use crate::domain::time::Timestamp;
use crate::host::ports::ScreenText;
use crate::host::report::{SendResult, SkippedRow};

/// A question that is shown.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Question")]
struct QuestionJson<'a> {
    /// Hash of text and options; an answer names it.
    id: &'a str,
    /// permission, question, trust ...
    kind: &'a str,
    /// What is asked.
    text: &'a str,
    /// What can be answered.
    options: &'a [String],
}

impl<'a> From<&'a Question> for QuestionJson<'a> {
    fn from(question: &'a Question) -> Self {
        let Question { id, kind, text, options, .. } = question;
        Self { id, kind, text, options }
    }
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
pub(crate) struct SessionJson<'a> {
    /// Unique in its workspace.
    id: &'a SessionId,
    /// Scope of ids.
    workspace: &'a WorkspaceName,
    /// Name of its project, where it is registered.
    project: Option<&'a ProjectName>,
    /// What it is for.
    kind: Kind,
    /// The session that spawned it.
    parent: Option<&'a SessionId>,
    /// The topmost session above it; itself where it has no parent.
    root: &'a SessionId,
    /// One line, free text.
    title: &'a str,
    /// Name of the agent definition.
    agent: &'a str,
    /// How it is launched; the agent's own name unless chosen.
    target: &'a str,
    /// The agent's own id of the conversation.
    agent_session_id: Option<&'a str>,
    /// Section of the stored placement.
    section_key: SectionKey,
    /// Kind of that section.
    section_kind: SectionKind,
    /// Shown in the pinned section.
    pinned: bool,
    /// Derived from the facts.
    status: Status,
    /// What the status asks of the operator.
    zone: Zone,
    /// Why it wants the operator.
    attention: Option<Attention>,
    /// How the status was derived.
    why: String,
    /// State of its lifecycle.
    state: State,
    /// What the agent does now.
    activity: Activity,
    /// Since when.
    activity_since: Timestamp,
    /// The question that is shown.
    question: Option<QuestionJson<'a>>,
    /// Prompts sent and work begun so far.
    turn: u32,
    /// Published and not ended.
    alive: bool,
    /// Number of its launch.
    generation: u32,
    /// Why it ended.
    termination_reason: Option<TerminationReason>,
    /// Error of the last failed operation on it.
    error: Option<&'a str>,
    /// The folder it works in.
    folder: Option<&'a Path>,
    /// What folder that is.
    folder_kind: FolderKind,
    /// That folder where it is a worktree of its own.
    worktree: Option<&'a Path>,
    /// Branch of its worktree.
    branch: Option<&'a str>,
    /// Commit that the branch started from.
    base: Option<&'a str>,
    /// Uncommitted files, as last counted.
    dirty: Option<u32>,
    /// First prompt.
    prompt: Option<&'a str>,
    /// Creation.
    created_at: Timestamp,
    /// Last change of the row.
    updated_at: Timestamp,
    /// What pages are sorted by: start of the latest turn.
    sorted_at: Timestamp,
    /// Last sign of the agent; `--older-than` counts from here.
    last_activity_at: Option<Timestamp>,
    /// When the operator last looked at it.
    seen_at: Option<Timestamp>,
    /// When it was deleted.
    deleted_at: Option<Timestamp>,
    /// The batch it was deleted with.
    batch: Option<&'a BatchId>,
    /// It ran when it was deleted.
    was_live: bool,
    /// Its pull requests.
    pr: &'a [PrFacts],
    /// The live side as last observed.
    runtime: &'a RuntimeFacts,
}

impl<'a> From<&'a Session> for SessionJson<'a> {
    fn from(session: &'a Session) -> Self {
        let condition = &session.condition;
        let lifecycle = &condition.lifecycle;
        let deletion = session.deletion.as_ref();
        Self {
            id: &session.id,
            workspace: &session.workspace,
            project: session.project.as_ref(),
            kind: session.kind,
            parent: session.parent.as_ref(),
            root: &session.root,
            title: &session.title,
            agent: &session.launch.agent,
            target: &session.launch.target,
            agent_session_id: session.launch.agent_session_id.as_deref(),
            section_key: session.placement.key(),
            section_kind: session.placement.kind(),
            pinned: session.pinned_at.is_some(),
            status: condition.status,
            zone: condition.zone(),
            attention: condition.attention,
            why: why(session),
            state: lifecycle.state,
            activity: condition.activity.value,
            activity_since: condition.activity.since,
            question: condition.question.as_ref().map(QuestionJson::from),
            turn: condition.turn,
            alive: lifecycle.is_live(),
            generation: lifecycle.generation,
            termination_reason: lifecycle.reason,
            error: session.error.as_deref(),
            folder: Some(session.folder.as_path()).filter(|path| !path.as_os_str().is_empty()),
            folder_kind: session.folder_kind,
            worktree: session.worktree(),
            branch: session.branch.as_deref(),
            base: session.base.as_deref(),
            dirty: session.dirty,
            prompt: session.prompt.as_deref(),
            created_at: session.created_at,
            updated_at: session.updated_at,
            sorted_at: condition.sorted_at,
            last_activity_at: condition.last_activity_at,
            seen_at: condition.seen_at,
            deleted_at: deletion.map(|deletion| deletion.at),
            batch: deletion.map(|deletion| &deletion.batch),
            was_live: deletion.is_some_and(|deletion| deletion.was_live),
            pr: &session.prs,
            runtime: &session.runtime,
        }
    }
}

/// The derivation of a session's status in words.
pub(crate) fn why(session: &Session) -> String {
    let condition = &session.condition;
    let derived = status::derive(&condition.lifecycle, &condition.activity, &session.prs);
    let activity = condition.activity.value;
    let mut why = format!("rule {}: {}", derived.rule, derived.because);
    if !derived.because.starts_with("activity ") {
        why.push_str("; activity ");
        why.push_str(activity.as_str());
    }
    if !condition.activity.witness.is_empty() {
        why.push_str(", seen by ");
        why.push_str(&condition.activity.witness);
    }
    why
}

/// A session of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Listed")]
struct ListedJson<'a> {
    #[serde(flatten)]
    session: SessionJson<'a>,
    /// The line that was found; only with `--search`.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<&'a str>,
}

/// A page of sessions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "List")]
pub(crate) struct PageJson<'a> {
    /// In their order, each root followed by its descendants.
    sessions: Vec<ListedJson<'a>>,
    /// How many there are on all pages; null beyond 50 matches of a search.
    total: Option<u64>,
    /// Where the next page begins; null on the last.
    next_cursor: Option<&'a str>,
}

/// Matches of a search are counted up to here (`spec/store.md` Q1).
pub(crate) const SEARCH_COUNTED: u64 = 50;

impl<'a> PageJson<'a> {
    /// A page; beyond 50 matches of a search the total is not known.
    pub(crate) fn new(page: &'a Page, searched: bool) -> Self {
        let snippets = page.snippets.iter().map(|snippet| Some(snippet.text.as_str()));
        let listed = page.sessions.iter().zip(snippets.chain(std::iter::repeat(None)));
        Self {
            sessions: listed
                .map(|(session, snippet)| ListedJson { session: session.into(), snippet })
                .collect(),
            total: Some(page.total).filter(|total| !searched || *total <= SEARCH_COUNTED),
            next_cursor: page.next_cursor.as_deref(),
        }
    }
}

/// What would be done (`--dry-run`).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
pub(crate) struct PlanJson<'a> {
    /// What it would be done to.
    sessions: Vec<PlanItemJson<'a>>,
    /// What would be left alone, and why.
    skipped: Vec<SkippedRow>,
}

/// A session of a plan; what could not be found out in time is null.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlannedSession")]
struct PlanItemJson<'a> {
    /// Which.
    id: &'a SessionId,
    /// Its agent runs.
    live: bool,
    /// Uncommitted files of its worktree.
    dirty_files: Option<u32>,
    /// Commits that are on no remote.
    unpushed_commits: Option<u32>,
    /// Number of an open pull request.
    open_pr: Option<u64>,
    /// Pinned by the operator.
    pinned: bool,
    /// The requested session whose descendant it is; null where it was requested itself.
    pulled_in_by: Option<&'a SessionId>,
}

impl<'a> From<&'a PlanItem> for PlanItemJson<'a> {
    fn from(item: &'a PlanItem) -> Self {
        Self {
            id: &item.row.id,
            live: item.row.live,
            dirty_files: item.advice.dirty_files,
            unpushed_commits: item.advice.unpushed_commits,
            open_pr: item.row.open_pr,
            pinned: item.row.pinned,
            pulled_in_by: item.pulled_in_by.as_ref(),
        }
    }
}

impl<'a> From<&'a Plan> for PlanJson<'a> {
    fn from(plan: &'a Plan) -> Self {
        Self {
            sessions: plan.items.iter().map(PlanItemJson::from).collect(),
            skipped: plan.skipped.iter().map(SkippedRow::from).collect(),
        }
    }
}

/// The session that is in one of the states waited for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Awaited")]
pub(crate) struct WaitJson<'a> {
    /// Which.
    pub(crate) id: &'a SessionId,
    /// Its status.
    pub(crate) status: Status,
    /// Its activity.
    pub(crate) activity: Activity,
}

impl<'a> From<&'a Session> for WaitJson<'a> {
    fn from(session: &'a Session) -> Self {
        let condition = &session.condition;
        Self { id: &session.id, status: condition.status, activity: condition.activity.value }
    }
}

/// What an agent's screen shows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Screen")]
pub(crate) struct ScreenJson<'a> {
    /// Columns.
    cols: u16,
    /// Rows.
    rows: u16,
    /// Rows of history that were asked for, then the screen.
    lines: &'a [String],
    /// Where the cursor is.
    cursor: CursorJson,
    /// Title that the program gave.
    title: &'a str,
    /// The alternate screen is shown.
    alternate: bool,
    /// Rows of history there are.
    scrollback_lines: usize,
}

/// Place of the cursor, from 0.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cursor")]
struct CursorJson {
    /// Row of the screen.
    row: u16,
    /// Column.
    col: u16,
    /// Whether it is shown.
    visible: bool,
}

impl<'a> From<&'a ScreenText> for ScreenJson<'a> {
    fn from(screen: &'a ScreenText) -> Self {
        let (row, col, visible) = screen.cursor;
        Self {
            cols: screen.cols,
            rows: screen.rows,
            lines: &screen.lines,
            cursor: CursorJson { row, col, visible },
            title: &screen.title,
            alternate: screen.alternate,
            scrollback_lines: screen.scrollback_lines,
        }
    }
}

/// Objects with one list.
macro_rules! lists {
    ($($(#[$doc:meta])* $type:ident { $field:ident: [$item:ty] })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Serialize, JsonSchema)]
        pub(crate) struct $type<'a> {
            /// The list; empty where there is none.
            pub(crate) $field: &'a [$item],
        }
    )+};
}

lists! {
    /// Registered folders in the order of the rail.
    Projects { projects: [Project] }
    /// The sections of the rail in order.
    Sections { sections: [Section] }
    /// What was sent to a session and what its agent reported, oldest first.
    Messages { messages: [Message] }
    /// What was done, newest first.
    Events { events: [Event] }
    /// Operations, newest first.
    Operations { operations: [Operation] }
    /// What sending came to, one for each session.
    Sent { results: [SendResult] }
    /// Sessions that were changed.
    Ids { ids: [SessionId] }
}
