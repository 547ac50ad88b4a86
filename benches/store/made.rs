//! Stores full of made-up sessions: most of them rest, some hundred are live.

use std::path::Path;
use std::time::Duration;

use callboard::domain::activity::{Activity, ActivityFact};
use callboard::domain::condition::Condition;
use callboard::domain::facts::Facts;
use callboard::domain::ids::{ProjectName, SessionId, WorkspaceName};
use callboard::domain::lifecycle::TerminationReason;
use callboard::domain::rail::{Placement, ProjectSetup, SectionKey};
use callboard::domain::session::{FolderKind, Kind, LaunchFacts};
use callboard::domain::time::Timestamp;
use callboard::os::clock::Clock;
use callboard::os::paths::Home;
use callboard::store::Store;
use callboard::store::rows::SeededSession;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Projects of a store.
pub(crate) const PROJECTS: usize = 200;
/// Live sessions of a store.
const LIVE: usize = 300;
/// Every so many sessions one is the child of the one before.
const CHILD_EVERY: usize = 5;

/// A store in a folder of its own, full.
pub(crate) struct Made {
    pub(crate) home: Home,
    pub(crate) store: Store,
    /// The live sessions.
    pub(crate) live: Vec<SessionId>,
    /// The section of the first project.
    pub(crate) section: SectionKey,
    /// How many sessions there are.
    pub(crate) count: usize,
    folder: TempDir,
}

impl Made {
    /// `count` sessions spread over all projects.
    pub(crate) fn spread(runtime: &Runtime, count: usize) -> Self {
        Self::new(runtime, count, PROJECTS)
    }

    /// `count` sessions in one section.
    pub(crate) fn in_one_section(runtime: &Runtime, count: usize) -> Self {
        Self::new(runtime, count, 1)
    }

    fn new(runtime: &Runtime, count: usize, projects: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        let store = open(&home);
        let paths: Vec<_> = (0..projects).map(|at| folder.path().join(format!("p{at}"))).collect();
        let sessions: Vec<_> = (0..count)
            .map(|at| session(at, &paths[at / CHILD_EVERY % projects], store.now()))
            .collect();
        let live = sessions.iter().take(LIVE).map(|session| session.id.clone()).collect();
        runtime.block_on(async {
            for (at, path) in paths.iter().enumerate() {
                let name = ProjectName::new(format!("p{at}")).unwrap();
                let setup = ProjectSetup::default();
                store.add_project(path, Some(name), true, setup).await.unwrap();
            }
            store.seed_sessions(sessions).await.unwrap();
        });
        Self { home, store, live, section: SectionKey::project(&paths[0]), count, folder }
    }

    /// The closed files, to be copied.
    pub(crate) fn close(self) -> Closed {
        let database = self.home.database();
        drop(self.store);
        Closed { database: std::fs::read(database).unwrap(), _folder: self.folder }
    }
}

/// The bytes of a closed store.
pub(crate) struct Closed {
    database: Vec<u8>,
    _folder: TempDir,
}

/// An open copy of a store.
pub(crate) struct Copy {
    pub(crate) store: Store,
    _folder: TempDir,
}

impl Closed {
    pub(crate) fn copy(&self) -> Copy {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        home.create().unwrap();
        std::fs::write(home.database(), &self.database).unwrap();
        Copy { store: open(&home), _folder: folder }
    }
}

pub(crate) fn open(home: &Home) -> Store {
    Store::open(home, WorkspaceName::default(), Clock::System).unwrap()
}

/// What a keeper tells of an active agent.
pub(crate) fn facts(sequence: u64, now: Timestamp) -> Facts {
    Facts {
        generation: 1,
        sequence,
        activity: ActivityFact { value: Activity::Active, since: now, witness: "made up".into() },
        question: None,
        title: None,
        last_sign_at: now,
        keeper_pid: 1,
        pid: 2,
        started_at: now,
        exit: None,
    }
}

fn session(at: usize, project: &Path, now: Timestamp) -> SeededSession {
    let created_at = now.minus(Duration::from_secs(60 * at as u64));
    let id = |at: usize| SessionId::new(format!("made-{at}")).unwrap();
    let started = Condition::new(created_at).launched(1, created_at).published(1, &[], created_at);
    let condition = if at < LIVE {
        started.fold(&facts(1, now), &[], now).unwrap()
    } else {
        started.terminated(TerminationReason::ManuallyKilled, &[], created_at)
    };
    let child = at % CHILD_EVERY == CHILD_EVERY - 1;
    SeededSession {
        id: id(at),
        kind: Kind::Worker,
        parent: child.then(|| id(at - 1)),
        launch: LaunchFacts {
            agent: "claude".into(),
            target: "claude".into(),
            agent_session_id: Some(format!("conversation {at}")),
            ..LaunchFacts::default()
        },
        title: format!("Mend the cart of shop {at} before the sale begins"),
        prompt: Some(format!("Mend the cart of shop {at}. Run the tests before you finish.")),
        placement: Placement::in_project(project.to_owned()),
        pinned_at: None,
        condition,
        folder_kind: FolderKind::Worktree,
        folder: project.join(format!("worktrees/made-{at}")),
        branch: Some(format!("callboard/made-{at}")),
        dirty: None,
        prs: Vec::new(),
        created_at,
    }
}
