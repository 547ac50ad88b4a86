//! The store on real files.

mod changes;
mod connections;
mod filters;
mod found;
mod full;
mod journal;
mod launch;
mod lifecycle;
mod old;
mod page;
pub(super) mod plans;
mod purge;
mod rail;
mod record;
mod saved;
mod search;
mod totals;
mod trash;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::domain::activity::{Activity, ActivityFact};
use crate::domain::facts::{ExitFacts, Facts};
use crate::domain::ids::{ProjectName, SessionId, WorkspaceName};
use crate::domain::pr::{Ci, Mergeability, PrFacts, PrState, Review};
use crate::domain::query::{Filter, Order, Page, PageQuery};
use crate::domain::rail::{Placement, ProjectSetup, SectionKey};
use crate::domain::session::{FolderKind, Kind, LaunchFacts, Session};
use crate::domain::time::Timestamp;
use crate::os::clock::Clock;
use crate::os::paths::Home;

use super::facts::FactsWriter;
use super::{Outcome, Scope, Store};
use crate::domain::launch::{Initialised, Seed};

/// A store in a folder of its own with a clock that moves only when told.
pub(super) struct Fixture {
    pub(super) home: Home,
    pub(super) clock: Clock,
    pub(super) store: Store,
    folder: TempDir,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        let clock = Clock::fixed(Timestamp(1_000_000_000_000));
        let store = Store::open(&home, WorkspaceName::default(), clock.clone()).unwrap();
        Self { home, clock, store, folder }
    }

    /// Closes the store; the folder goes with what is answered.
    pub(super) fn close(self) -> (Home, TempDir) {
        (self.home, self.folder)
    }

    /// Another handle with connections of its own, as another process has.
    pub(super) fn second(&self) -> Store {
        Store::open(&self.home, WorkspaceName::default(), self.clock.clone()).unwrap()
    }

    pub(super) fn tick(&self) -> Timestamp {
        self.clock.advance(Duration::from_secs(1));
        self.clock.now()
    }

    pub(super) fn writer(&self, session: &str) -> FactsWriter {
        FactsWriter::open(&self.home.database(), &WorkspaceName::default(), &id(session)).unwrap()
    }

    /// Runs a query beside the public calls.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Scope<'_>) -> Outcome<T> + Send + 'static,
    ) -> T {
        self.store.read("look", work).await.unwrap()
    }

    pub(super) async fn project(&self, name: &str) {
        let (path, name) = (path(name), ProjectName::new(name).unwrap());
        self.store.add_project(&path, Some(name), true, ProjectSetup::default()).await.unwrap();
    }

    /// A seed row in the project that its id begins with, or under a parent.
    pub(super) async fn seed(&self, session: &str, parent: Option<&str>) -> Session {
        self.tick();
        self.store.insert_seed(&seed(session, parent)).await.unwrap()
    }

    /// A published session whose agent is active.
    pub(super) async fn live(&self, session: &str, parent: Option<&str>) -> Session {
        self.seed(session, parent).await;
        self.launch(session, 1).await;
        self.observe(session, 1, 1, Activity::Active);
        self.get(session).await
    }

    pub(super) async fn launch(&self, session: &str, generation: u32) {
        let launch = Initialised {
            generation,
            keeper_pid: 10,
            pid: 11,
            started_at: self.clock.now(),
            token_hash: "hash".into(),
            agent_session_id: Some("conversation".into()),
        };
        self.store.initialise(&id(session), &launch).await.unwrap();
        self.store.publish(&id(session), generation).await.unwrap();
    }

    pub(super) fn observe(&self, session: &str, generation: u32, sequence: u64, value: Activity) {
        let now = self.tick();
        self.writer(session).write(&facts(generation, sequence, value, now), now).unwrap();
    }

    pub(super) async fn get(&self, session: &str) -> Session {
        self.store.session(&id(session)).await.unwrap().unwrap()
    }

    /// Ids of a section's page in one order.
    pub(super) async fn listed(&self, key: &SectionKey, order: Order) -> Vec<String> {
        let filter = Filter { section: Some(key.clone()), ..Filter::default() };
        let query = PageQuery { filter, order, ..PageQuery::default() };
        ids(&self.store.page(&query).await.unwrap())
    }
}

pub(super) fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

pub(super) fn name(text: &str) -> ProjectName {
    ProjectName::new(text).unwrap()
}

pub(super) fn path(project: &str) -> PathBuf {
    Path::new("/src").join(project)
}

pub(super) fn section(project: &str) -> SectionKey {
    SectionKey::project(&path(project))
}

pub(super) fn ids(page: &Page) -> Vec<String> {
    page.sessions.iter().map(|session| session.id.to_string()).collect()
}

pub(super) fn seed(session: &str, parent: Option<&str>) -> Seed {
    let project = session.split('-').next().unwrap();
    let placement = match project {
        "chat" => Placement::conversations(),
        project => Placement::in_project(path(project)),
    };
    Seed {
        id: id(session),
        kind: Kind::Worker,
        parent: parent.map(id),
        launch: LaunchFacts {
            agent: "claude".into(),
            target: "fast".into(),
            ..LaunchFacts::default()
        },
        title: format!("Title of {session}"),
        prompt: Some(format!("Do {session}")),
        placement,
        folder_kind: FolderKind::Worktree,
        folder: PathBuf::new(),
        pinned: false,
    }
}

pub(super) fn facts(generation: u32, sequence: u64, value: Activity, at: Timestamp) -> Facts {
    Facts {
        generation,
        sequence,
        activity: ActivityFact { value, since: at, witness: "title".into() },
        question: None,
        title: Some("Program".into()),
        last_sign_at: at,
        keeper_pid: 10,
        pid: 11,
        started_at: at,
        exit: None,
    }
}

pub(super) fn exit(at: Timestamp) -> ExitFacts {
    ExitFacts { code: Some(3), signal: None, at, output: String::new() }
}

pub(super) fn failing_pr(number: u64) -> PrFacts {
    PrFacts {
        url: format!("https://example.org/{number}"),
        number,
        state: PrState::Open,
        draft: false,
        ci: Ci::Failing,
        review: Review::Required,
        mergeability: Mergeability::Blocked,
        unresolved: 2,
        stale: false,
        read_at: Timestamp(5),
    }
}
