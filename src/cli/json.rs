//! The JSON of `spec/cli.md`: every field present, absent is null, lists are never null.

use std::path::Path;

use serde::Serialize;

use crate::domain::activity::{Activity, Question};
use crate::domain::ids::{BatchId, ProjectName, SessionId, WorkspaceName};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::plan::{Plan, PlanItem};
use crate::domain::pr::PrFacts;
use crate::domain::query::Page;
use crate::domain::rail::{SectionKey, SectionKind};
use crate::domain::session::{FolderKind, Kind, RuntimeFacts, Session};
use crate::domain::status::{self, Attention, Status, Zone};
use crate::domain::time::Timestamp;
use crate::host::ports::ScreenText;
use crate::host::report::SkippedRow;

/// A question that is shown.
#[derive(Debug, Serialize)]
struct QuestionJson<'a> {
    id: &'a str,
    kind: &'a str,
    text: &'a str,
    options: &'a [String],
}

impl<'a> From<&'a Question> for QuestionJson<'a> {
    fn from(question: &'a Question) -> Self {
        let Question { id, kind, text, options, .. } = question;
        Self { id, kind, text, options }
    }
}

/// A session.
#[derive(Debug, Serialize)]
pub(crate) struct SessionJson<'a> {
    id: &'a SessionId,
    workspace: &'a WorkspaceName,
    project: Option<&'a ProjectName>,
    kind: Kind,
    parent: Option<&'a SessionId>,
    root: &'a SessionId,
    title: &'a str,
    agent: &'a str,
    target: &'a str,
    agent_session_id: Option<&'a str>,
    section_key: SectionKey,
    section_kind: SectionKind,
    pinned: bool,
    status: Status,
    zone: Zone,
    attention: Option<Attention>,
    why: String,
    state: State,
    activity: Activity,
    activity_since: Timestamp,
    question: Option<QuestionJson<'a>>,
    turn: u32,
    alive: bool,
    generation: u32,
    termination_reason: Option<TerminationReason>,
    error: Option<&'a str>,
    folder: Option<&'a Path>,
    folder_kind: FolderKind,
    worktree: Option<&'a Path>,
    branch: Option<&'a str>,
    base: Option<&'a str>,
    dirty: Option<u32>,
    prompt: Option<&'a str>,
    created_at: Timestamp,
    updated_at: Timestamp,
    sorted_at: Timestamp,
    last_activity_at: Option<Timestamp>,
    seen_at: Option<Timestamp>,
    deleted_at: Option<Timestamp>,
    batch: Option<&'a BatchId>,
    was_live: bool,
    pr: &'a [PrFacts],
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

/// A session of a list; with `--search` also `snippet`: the line that was found.
#[derive(Debug, Serialize)]
struct ListedJson<'a> {
    #[serde(flatten)]
    session: SessionJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<&'a str>,
}

/// `{sessions, total, next_cursor}`
#[derive(Debug, Serialize)]
pub(crate) struct PageJson<'a> {
    sessions: Vec<ListedJson<'a>>,
    total: Option<u64>,
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

/// `{sessions [...], skipped}`
#[derive(Debug, Serialize)]
pub(crate) struct PlanJson<'a> {
    sessions: Vec<PlanItemJson<'a>>,
    skipped: Vec<SkippedRow>,
}

#[derive(Debug, Serialize)]
struct PlanItemJson<'a> {
    id: &'a SessionId,
    live: bool,
    dirty_files: Option<u32>,
    unpushed_commits: Option<u32>,
    open_pr: Option<u64>,
    pinned: bool,
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

/// `wait`: `id, status, activity`.
#[derive(Debug, Serialize)]
pub(crate) struct WaitJson<'a> {
    /// The session that is in one of the states.
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

/// `screen --json`
#[derive(Debug, Serialize)]
pub(crate) struct ScreenJson<'a> {
    cols: u16,
    rows: u16,
    lines: &'a [String],
    cursor: CursorJson,
    title: &'a str,
    alternate: bool,
    scrollback_lines: usize,
}

#[derive(Debug, Serialize)]
struct CursorJson {
    row: u16,
    col: u16,
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

/// An object with one field, as `{"projects": [...]}`.
#[derive(Debug)]
pub(crate) struct Named<'a, T>(pub &'static str, pub &'a [T]);

impl<T: Serialize> Serialize for Named<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.1)])
    }
}
