//! Questions to the store and to git, each kind asked one at a time and answered in order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;

use super::queue::Queue;
use super::search;
use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::operation::OperationState;
use crate::domain::query::{Filter, PageQuery};
use crate::domain::session::Session;
use crate::domain::text::clean_block;
use crate::domain::worktree::Base;
use crate::host::Host;
use crate::host::context::{ADVICE, Context};
use crate::host::ports::{PortError, PortResult, Ports};
use crate::monitor::notice::waiting_query;
use crate::tui::app::words::sentence;
use crate::tui::event::{Board, Event, Tab, TabContent, WorkFacts};

/// More trashed worktrees than this in one repository slow its git down (`spec/lifecycle.md` R5).
const CROWDED: u64 = 500;
/// Operations that the jobs view shows.
const OPERATIONS: usize = 100;
/// Entries of the audit that a tab shows.
const AUDIT: usize = 500;

/// A question that failed is asked again after this time, where no newer one takes its place.
const AGAIN: Duration = Duration::from_secs(1);
/// After so many folders about which git did not answer, the others are not asked about.
const HANGS: usize = 2;
/// After saved filters were counted, nothing is counted for so many times what it took: a filter may have
/// to look at every session, and the store changes all the time.
const RESTS: u32 = 19;
/// For so long a count of uncommitted files is good enough for the filter that asks by them.
const COUNTED_FOR: Duration = Duration::from_secs(10);

/// A question.
#[derive(Debug, Clone, PartialEq)]
enum Query {
    Board,
    Waiting,
    Crowded,
    Operations,
    Tiles(Vec<SessionId>),
    Page { ticket: u64, query: Box<PageQuery> },
    Tab { id: SessionId, tab: Tab },
    Base(SessionId),
    Work(Vec<SessionId>),
    Search { ticket: u64, filter: Box<Filter> },
    Filters(Vec<(String, Filter)>),
}

impl Query {
    /// Whether a newer question makes this one pointless.
    fn is_outdated_by(&self, newer: &Self) -> bool {
        match (self, newer) {
            (Self::Page { query: old, .. }, Self::Page { query: new, .. }) => {
                (old.deleted, old.limit, old.offset) == (new.deleted, new.limit, new.offset)
                    && old.filter.ids.is_empty() == new.filter.ids.is_empty()
            }
            (Self::Tab { tab: old, .. }, Self::Tab { tab: new, .. }) => old == new,
            _ => std::mem::discriminant(self) == std::mem::discriminant(newer),
        }
    }
}

/// What a question came to.
enum Answer {
    /// This is to be told.
    Event(Box<Event>),
    /// There is nothing more to tell.
    Nothing,
    /// It is to be asked again.
    Later,
}

/// The queues; dropping them stops the workers.
pub(super) struct Queries {
    overview: Arc<Queue<Query>>,
    pages: Arc<Queue<Query>>,
    tabs: Arc<Queue<Query>>,
    work: Arc<Queue<Query>>,
    searches: Arc<Queue<Query>>,
    counts: Arc<Queue<Query>>,
    _workers: [AbortOnDropHandle<()>; 6],
}

impl Queries {
    /// Starts one worker for each queue: a slow git keeps no list waiting.
    pub(super) fn start<P: Ports>(host: &Host<P>, out: &mpsc::Sender<Event>) -> Self {
        let queues: [Arc<Queue<Query>>; 6] = std::array::from_fn(|_| Queue::new());
        let workers = queues.clone().map(|queue| {
            let worker = Worker {
                host: host.clone(),
                out: out.clone(),
                faults: BTreeSet::new(),
                counted: None,
            };
            AbortOnDropHandle::new(tokio::spawn(worker.run(queue)))
        });
        let [overview, pages, tabs, work, searches, counts] = queues;
        Self { overview, pages, tabs, work, searches, counts, _workers: workers }
    }

    pub(super) fn board(&self) {
        self.overview.put(Query::Board, Query::is_outdated_by);
    }

    /// Asks who wants the operator. They may be many to read.
    pub(super) fn waiting(&self) {
        self.overview.put(Query::Waiting, Query::is_outdated_by);
    }

    pub(super) fn crowded(&self) {
        self.overview.put(Query::Crowded, Query::is_outdated_by);
    }

    pub(super) fn operations(&self) {
        self.overview.put(Query::Operations, Query::is_outdated_by);
    }

    pub(super) fn tiles(&self, ids: Vec<SessionId>) {
        self.overview.put(Query::Tiles(ids), Query::is_outdated_by);
    }

    pub(super) fn page(&self, ticket: u64, query: PageQuery) {
        let query = Box::new(query);
        self.pages.put(Query::Page { ticket, query }, Query::is_outdated_by);
    }

    pub(super) fn tab(&self, id: SessionId, tab: Tab) {
        self.tabs.put(Query::Tab { id, tab }, Query::is_outdated_by);
    }

    pub(super) fn base(&self, id: SessionId) {
        self.tabs.put(Query::Base(id), Query::is_outdated_by);
    }

    pub(super) fn search(&self, ticket: u64, filter: Filter) {
        let filter = Box::new(filter);
        self.searches.put(Query::Search { ticket, filter }, Query::is_outdated_by);
    }

    pub(super) fn count(&self, filters: Vec<(String, Filter)>) {
        self.counts.put(Query::Filters(filters), Query::is_outdated_by);
    }

    pub(super) fn work(&self, ids: Vec<SessionId>) {
        self.work.put(Query::Work(ids), Query::is_outdated_by);
    }
}

struct Worker<P> {
    host: Host<P>,
    out: mpsc::Sender<Event>,
    /// Parts whose faults the operator was told of.
    faults: BTreeSet<&'static str>,
    /// The filter by uncommitted files that was asked last, and when they were counted for it.
    counted: Option<(Filter, Instant)>,
}

impl<P: Ports> Worker<P> {
    async fn run(mut self, queue: Arc<Queue<Query>>) {
        loop {
            let query = queue.take().await;
            let began = Instant::now();
            let asked = self.ask(&query).await;
            let paced = matches!(query, Query::Filters(_)).then(|| began.elapsed() * RESTS);
            let (told, again) = match asked {
                Ok(Answer::Event(event)) => (self.answered(Some(*event)).await, false),
                Ok(Answer::Nothing) => (self.answered(None).await, false),
                Ok(Answer::Later) => (self.answered(None).await, true),
                Err(error) => (self.fault("store", Some(error.message)).await, true),
            };
            if told.is_err() {
                return;
            }
            if again {
                sleep(AGAIN).await;
                queue.put_back(query, Query::is_outdated_by);
            }
            if let Some(rest) = paced {
                sleep(rest).await;
            }
        }
    }

    /// Uncommitted files are counted anew before a filter asks by them, at most once in a while.
    async fn count_if_asked(&mut self, query: &PageQuery) {
        let recent = |(filter, at): &(Filter, Instant)| {
            *filter == query.filter && at.elapsed() < COUNTED_FOR
        };
        if query.filter.dirty.is_none() || self.counted.as_ref().is_some_and(recent) {
            return;
        }
        let ctx = Context::new();
        let counted = self.host.count_uncommitted(&ctx, &query.filter, query.deleted);
        if let Err(error) = counted.await {
            tracing::warn!(%error, "uncommitted files are not counted");
        }
        self.counted = Some((query.filter.clone(), Instant::now()));
    }

    async fn ask(&mut self, query: &Query) -> PortResult<Answer> {
        if let Query::Page { query, .. } = query {
            self.count_if_asked(query).await;
        }
        let ports = self.host.ports();
        Ok(Answer::Event(Box::new(match query {
            Query::Board => Event::Board(Box::new(self.board().await?)),
            Query::Waiting => Event::Waiting(ports.page(&waiting_query()).await?.sessions),
            Query::Crowded => Event::Crowded(ports.crowded_trash(CROWDED).await?),
            Query::Operations => Event::Operations(ports.operations(OPERATIONS).await?),
            Query::Tiles(ids) => {
                Event::Tiles { asked: ids.clone(), sessions: ports.sessions(ids).await? }
            }
            Query::Page { ticket, query } => {
                let page = search::page(ports, query).await?;
                let offset = if query.around.is_some() { page.offset } else { query.offset };
                Event::Page { ticket: *ticket, offset, page }
            }
            Query::Filters(filters) => Event::FilterCounts(search::counts(ports, filters).await?),
            Query::Search { ticket, filter } => {
                let found = Box::new(search::everywhere(ports, filter).await?);
                Event::Found { ticket: *ticket, found }
            }
            Query::Tab { id, tab } => match self.tab(id, *tab).await? {
                Some(content) => Event::Tab { id: id.clone(), content },
                None => return Ok(Answer::Nothing),
            },
            Query::Base(id) => Event::Base(id.clone(), self.base(id).await?),
            Query::Work(ids) => return self.work(ids).await,
        })))
    }

    /// Tells the answer; a fault of the store that was shown is over.
    async fn answered(&mut self, answer: Option<Event>) -> Result<(), Gone> {
        self.fault("store", None).await?;
        match answer {
            Some(event) => self.out.send(event).await.map_err(|_| Gone),
            None => Ok(()),
        }
    }

    /// Shows a fault of one part where faults are shown, while the old answers stay on the screen; or takes
    /// it away once it is over.
    async fn fault(&mut self, source: &'static str, text: Option<String>) -> Result<(), Gone> {
        let was = if text.is_some() {
            self.faults.insert(source);
            true
        } else {
            self.faults.remove(source)
        };
        if !was {
            return Ok(());
        }
        let fault = Event::Fault { source: source.to_owned(), text };
        self.out.send(fault).await.map_err(|_| Gone)
    }

    async fn board(&self) -> PortResult<Board> {
        let ports = self.host.ports();
        let unfinished = ports.unfinished().await?;
        let stuck = unfinished.iter().filter(|op| op.state == OperationState::Stuck);
        Ok(Board {
            sections: ports.sections().await?,
            projects: ports.projects().await?,
            filters: ports.filters().await?,
            trash: ports.trash_count().await?,
            last_batch: ports.last_batch().await?,
            live: ports.live_count().await?,
            stuck: stuck.count() as u64,
        })
    }

    async fn tab(&self, id: &SessionId, tab: Tab) -> PortResult<Option<TabContent>> {
        let ports = self.host.ports();
        Ok(match tab {
            Tab::Messages => Some(TabContent::Messages(ports.messages(id, usize::MAX).await?)),
            Tab::Events => Some(TabContent::Events(ports.events(Some(id), AUDIT).await?)),
            Tab::Diff => Some(TabContent::Diff(self.diff(id).await?)),
            // Drawn from what is known already.
            Tab::Screen | Tab::Details => None,
        })
    }

    /// How far the worktree is behind its base; nothing where git has no answer, which others tell of.
    async fn base(&self, id: &SessionId) -> PortResult<Option<Base>> {
        let session = self.host.ports().session(id).await?;
        let Some(worktree) = session.as_ref().and_then(Session::worktree) else {
            return Ok(None);
        };
        let ctx = Context::new().within(ADVICE);
        Ok(self.host.ports().base(&ctx, worktree).await.unwrap_or_default())
    }

    /// The changes of a worktree, line by line. One that cannot be read says why in their place.
    async fn diff(&self, id: &SessionId) -> PortResult<Vec<String>> {
        let Some(session) = self.host.ports().session(id).await? else {
            return Ok(Vec::new());
        };
        let Some(worktree) = session.worktree() else {
            return Ok(vec![format!("{id} has no worktree of its own.")]);
        };
        let ctx = Context::new().within(ADVICE);
        let (ports, base) = (self.host.ports(), session.base.as_deref());
        Ok(match ports.difference(&ctx, worktree, base, true).await {
            Ok(found) => lines(&String::from_utf8_lossy(&found.patch)),
            Err(error) => vec![sentence(&error.message)],
        })
    }

    /// Looks at the folders one by one and tells each result at once. What a folder keeps from being counted
    /// stays unknown; where git itself is out, that is told, and what was counted before stays.
    async fn work(&mut self, ids: &[SessionId]) -> PortResult<Answer> {
        let (mut counted, mut first, mut hung) = (false, None, 0);
        for session in self.host.ports().sessions(ids).await? {
            match self.facts(&session).await {
                Ok(facts) => {
                    counted |= facts != WorkFacts::default();
                    if self.out.send(Event::Work(vec![(session.id, facts)])).await.is_err() {
                        return Ok(Answer::Nothing);
                    }
                }
                Err(error) => {
                    hung += usize::from(error.kind == ErrorKind::TimedOut);
                    first.get_or_insert(git_fault(error));
                }
            }
            if !counted && hung == HANGS {
                break;
            }
        }
        let again = first.is_some() && !counted;
        // Nobody listens any more where it cannot be told.
        let _ = self.fault("git", first).await;
        Ok(if again { Answer::Later } else { Answer::Nothing })
    }

    /// What is in the folder of a session.
    ///
    /// # Errors
    /// Git cannot be started, fails, or does not answer.
    async fn facts(&self, session: &Session) -> PortResult<WorkFacts> {
        let ports = self.host.ports();
        let ctx = Context::new().within(ADVICE);
        if let Some(deletion) = &session.deletion {
            let Some(path) = &deletion.trash_path else {
                return Ok(WorkFacts { size: Some(0), ..WorkFacts::default() });
            };
            let (size, advice) =
                tokio::join!(ports.folder_size(&ctx, path), ports.advice(&ctx, path));
            let dirty = known(advice)?.dirty_files;
            return Ok(WorkFacts { size: size.ok(), dirty, ..WorkFacts::default() });
        }
        let Some(worktree) = session.worktree() else {
            return Ok(WorkFacts::default());
        };
        let (changes, advice) = tokio::join!(
            ports.changes(&ctx, worktree, session.base.as_deref()),
            ports.advice(&ctx, worktree)
        );
        let (changes, advice) = (known(changes)?, known(advice)?);
        Ok(WorkFacts {
            added: changes.added,
            removed: changes.removed,
            files: changes.files,
            dirty: advice.dirty_files,
            unpushed: advice.unpushed_commits,
            ..WorkFacts::default()
        })
    }
}

/// What an answer of git says; nothing where it is the folder that has nothing to tell.
fn known<T: Default>(answer: PortResult<T>) -> PortResult<T> {
    match answer {
        Err(error) if !matches!(error.kind, ErrorKind::Failed | ErrorKind::TimedOut) => {
            Ok(T::default())
        }
        answer => answer,
    }
}

/// How a fault of git is called.
fn git_fault(error: PortError) -> String {
    match error.kind {
        ErrorKind::TimedOut => "git does not answer".to_owned(),
        _ => error.message,
    }
}

/// Lines of a difference that a tab shows.
const DIFF_LINES: usize = 20_000;

/// A text from outside as clean lines.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .take(DIFF_LINES)
        .map(|line| clean_block(&line.replace('\t', "    ")))
        .collect();
    if text.lines().nth(DIFF_LINES).is_some() {
        lines.push(format!("The rest is not shown: more than {DIFF_LINES} lines."));
    }
    lines
}

/// Nobody listens any more.
struct Gone;
