//! Which sessions are asked for: selectors of the command line and pages of the dashboard alike.

use std::time::Duration;

use super::ids::{BatchId, ProjectName, SessionId};
use super::rail::SectionKey;
use super::search::Snippet;
use super::session::Session;
use super::status::{Attention, Status, Zone};
use super::time::Timestamp;

/// Filters; an unset one lets everything through. They apply before limit and count (P5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only these ids, where not empty.
    pub ids: Vec<SessionId>,
    /// Section where it is shown.
    pub section: Option<SectionKey>,
    /// Project by name, pinned ones included.
    pub project: Option<ProjectName>,
    /// Agent.
    pub agents: Vec<String>,
    /// One of these statuses.
    pub statuses: Vec<Status>,
    /// One of these zones.
    pub zones: Vec<Zone>,
    /// Words of title, prompt, branch or a message, all of them in one of these (Q1); in the orders
    /// of the rail also text in id or title.
    pub text: Option<String>,
    /// Last activity (deletion, in the trash) longer ago than this.
    pub older_than: Option<Duration>,
    /// Last activity (deletion, in the trash) at most this long ago.
    pub younger_than: Option<Duration>,
    /// With or without uncommitted files, as last counted.
    pub dirty: Option<bool>,
    /// With or without a pull request.
    pub pr: Option<bool>,
    /// Children of this session.
    pub parent: Option<SessionId>,
    /// Without those shown in the pinned section.
    pub exclude_pinned: bool,
    /// Only those that want the operator.
    pub attention: bool,
    /// Of one batch of the trash.
    pub batch: Option<BatchId>,
}

/// Order of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Newest turn of the root first (P2); newest deletion first in the trash (R4).
    #[default]
    Recent,
    /// By zone of the root (T3), inside a zone as [`Order::Recent`].
    Zone,
    /// What [`Filter::text`] is found in: newest first (Q1). Without a text as [`Order::Recent`].
    Found,
}

/// One page of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageQuery {
    /// What to look for.
    pub filter: Filter,
    /// Tombstones instead of sessions.
    pub deleted: bool,
    /// The order.
    pub order: Order,
    /// At most so many sessions.
    pub limit: usize,
    /// Where the page before ended; wins over `offset`.
    pub cursor: Option<String>,
    /// Sessions to leave out first.
    pub offset: usize,
    /// The page that has this session in its middle, in the orders of the rail; wins over `offset`.
    /// Where it is not among them, the first page.
    pub around: Option<SessionId>,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            deleted: false,
            order: Order::Recent,
            limit: 100,
            cursor: None,
            offset: 0,
            around: None,
        }
    }
}

/// What the first page of a section tells of a session: enough for a line of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// Its id.
    pub id: SessionId,
    /// The session under which it is shown; itself where it heads its own rows.
    pub root: SessionId,
    /// One line, free text.
    pub title: String,
    /// Name of its agent.
    pub agent: String,
    /// Status.
    pub status: Status,
    /// Reason to look at it.
    pub attention: Option<Attention>,
    /// Start of the latest turn.
    pub sorted_at: Timestamp,
}

/// The answer to a [`PageQuery`]: flat, each root followed by its descendants.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// How many match in all; in [`Order::Found`] counted up to 51.
    pub total: u64,
    /// Sessions before its first, where [`PageQuery::around`] was asked for.
    pub offset: usize,
    /// Where the next page starts; none at the end.
    pub next_cursor: Option<String>,
    /// In [`Order::Found`], for each session why it was found.
    pub snippets: Vec<Snippet>,
}
