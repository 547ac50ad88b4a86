//! A home with a repository that can be put back to how it was, and keepers that are puppets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::adapters::{Real, parts};
use crate::config::Config;
use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::ids::{ProjectName, SessionId, WorkspaceName};
use crate::domain::probe::{Answer, Evidence};
use crate::domain::rail::ProjectSetup;
use crate::domain::session::{Kind, LaunchFacts, Session, Usage};
use crate::host::Host;
use crate::host::context::Context;
use crate::host::ports::{
    Closed, Input, PortError, PortResult, RuntimePort, ScreenText, StartRequest, Started,
    StorePort as _,
};
use crate::host::report::{CreateOutcome, CreateRequest, Place};
use crate::os::paths::Home;
use crate::store::Store;

/// Sessions that have a keeper, and whether it is published: it outlives its creator then (C4).
#[derive(Debug, Clone, Default)]
pub(super) struct Puppets(Arc<Mutex<BTreeMap<SessionId, bool>>>);

impl Puppets {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<SessionId, bool>) -> T) -> T {
        work(&mut self.0.lock().unwrap())
    }
}

impl RuntimePort for Real<Puppets> {
    async fn start(&self, _ctx: &Context, request: &StartRequest) -> PortResult<Started> {
        let created = self.runtime.with(|all| all.insert(request.id.clone(), false)).is_none();
        Ok(Started { created, keeper_pid: 7, pid: 8, started_at: self.store.now() })
    }
    async fn publish_runtime(&self, _ctx: &Context, id: &SessionId, _g: u32) -> PortResult<()> {
        self.runtime.with(|all| all.insert(id.clone(), true));
        Ok(())
    }
    async fn close(&self, _ctx: &Context, id: &SessionId) -> PortResult<Closed> {
        let was_running = self.runtime.with(|all| all.remove(id)).is_some();
        Ok(Closed { was_running, escalated: false, keeper_pid: was_running.then_some(7) })
    }
    async fn end_elsewhere(&self, _target: &str, _id: &SessionId, _generation: u32) {}
    async fn type_into(&self, _ctx: &Context, _to: &Session, _input: &Input) -> PortResult<()> {
        Ok(())
    }
    async fn screen(&self, _ctx: &Context, _id: &SessionId, _n: usize) -> PortResult<ScreenText> {
        Err(PortError { kind: ErrorKind::Failed, message: "no screen".into(), hint: None })
    }
    async fn probe(&self, session: &Session) -> Evidence {
        let there = self.runtime.with(|all| all.contains_key(&session.id));
        let there = if there { Answer::Yes } else { Answer::No };
        Evidence { keeper: there, process: there, kill_requested: None }
    }
    async fn gone(&self, _id: &SessionId) {}
    async fn end_strays(&self) -> PortResult<Vec<u32>> {
        Ok(Vec::new())
    }
    async fn usage(&self, _sessions: &[Session]) -> Vec<(SessionId, Usage)> {
        Vec::new()
    }
    async fn keepers(&self) -> PortResult<Vec<SessionId>> {
        Ok(self.runtime.with(|all| all.keys().cloned().collect()))
    }
}

/// What a path is: nothing for a folder, else its content.
pub(super) type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Everything below a folder, without git's own.
pub(super) fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if name == Path::new(".git") {
                continue;
            }
            let content = path.is_file().then(|| std::fs::read(&path).unwrap());
            if content.is_none() {
                open.push(path);
            }
            found.insert(name, content);
        }
    }
    found
}

pub(super) struct Bench {
    root: tempfile::TempDir,
    pub(super) puppets: Puppets,
    /// How it all was: a copy beside, and who had a keeper.
    kept: BTreeMap<SessionId, bool>,
}

impl Bench {
    /// A repository registered as the project shop.
    pub(super) async fn new() -> Self {
        let bench = Self {
            root: tempfile::tempdir().unwrap(),
            puppets: Puppets::default(),
            kept: BTreeMap::new(),
        };
        let shop = bench.repository();
        std::fs::create_dir_all(&shop).unwrap();
        bench.git(&["init", "--quiet", "--initial-branch=main"]);
        bench.git(&["config", "user.name", "Tester"]);
        bench.git(&["config", "user.email", "tester@example.invalid"]);
        std::fs::write(shop.join(".gitignore"), "*.log\n.env\n").unwrap();
        std::fs::write(shop.join("lib.txt"), "one\n").unwrap();
        std::fs::write(shop.join(".env"), "KEY=1\n").unwrap();
        bench.git(&["add", ".gitignore", "lib.txt"]);
        bench.git(&["commit", "--quiet", "--message", "first"]);
        bench.home().create().unwrap();
        let setup = ProjectSetup { copy: vec![".env".into()], ..ProjectSetup::default() };
        let host = bench.host().await;
        let name = Some(ProjectName::new("shop").unwrap());
        host.ports().add_project(&shop, name, true, setup).await.unwrap();
        bench
    }

    pub(super) fn here(&self) -> PathBuf {
        self.root.path().join("here")
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.here().join("shop")
    }

    pub(super) fn home(&self) -> Home {
        Home::at(&self.here().join("home")).unwrap()
    }

    /// The coordinators as another process would have them.
    pub(super) async fn host(&self) -> Host<Real<Puppets>> {
        let workspace = WorkspaceName::default();
        let (home, config) = (self.home(), Config::default());
        let puppets = self.puppets.clone();
        Host::new(parts(&home, &config, workspace, puppets, Store::open).await.unwrap())
    }

    /// Waits until everything that was let go of is gone, the writer of the store too.
    pub(super) async fn end_of_process(&self) {
        while Arc::strong_count(&self.puppets.0) > 1 {
            tokio::task::yield_now().await;
        }
    }

    pub(super) fn worktree(&self, id: &str) -> PathBuf {
        self.home().worktrees(&WorkspaceName::default()).join("shop").join(id)
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        git(&self.repository(), args)
    }

    /// From now on [`Bench::rewind`] leads back to here.
    pub(super) fn keep(&mut self) {
        self.kept = self.puppets.with(|all| all.clone());
        copy(&self.here(), &self.root.path().join("kept"));
    }

    /// Everything as it was when it was kept.
    pub(super) fn rewind(&self) {
        std::fs::remove_dir_all(self.here()).unwrap();
        copy(&self.root.path().join("kept"), &self.here());
        // The copies are other folders than those that were noted (Z4).
        let notes = self.home().worktrees(&WorkspaceName::default()).join(".made");
        if notes.exists() {
            std::fs::remove_dir_all(notes).unwrap();
        }
        self.puppets.with(|all| all.clone_from(&self.kept));
    }

    /// Makes a session with a worktree, with its keeper.
    pub(super) async fn create(&self, host: &Host<Real<Puppets>>, id: &str, parent: Option<&str>) {
        let made = host.create(&Context::new(), request(id, parent)).await.unwrap();
        assert!(matches!(made, CreateOutcome::Created(_)), "{made:?}");
    }
}

pub(super) fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?} in {}: {error}", folder.display());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(done.success());
}

pub(super) fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

pub(super) fn ids(texts: &[&str]) -> BTreeSet<SessionId> {
    texts.iter().map(|text| id(text)).collect()
}

pub(super) fn request(text: &str, parent: Option<&str>) -> CreateRequest {
    CreateRequest {
        place: Place::Project(ProjectName::new("shop").unwrap()),
        fork: None,
        launch: LaunchFacts {
            agent: "command".into(),
            target: "command".into(),
            args: vec!["sh".into()],
            ..LaunchFacts::default()
        },
        id: Some(id(text)),
        title: None,
        prompt: Some("Round VAT per line.".into()),
        goal: None,
        branch: None,
        base: None,
        in_place: false,
        size: (120, 40),
        kind: Kind::Worker,
        parent: parent.map(id),
        pin: false,
        actor: Actor::Operator,
    }
}
