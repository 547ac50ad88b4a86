//! One keeper's home, and waiting on conditions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use callboard::domain::agent::{Rules, StopWay, SubmitRule};
use callboard::domain::ids::{SessionId, WorkspaceName};
use callboard::os::proctree::{self, Process};
use callboard::os::signals::{self, Signal};
use callboard::runtime::client::{self, Keeper, Launching};
use callboard::runtime::launch::{AgentEnvironment, LaunchSpec, build_environment};
use callboard::runtime::wire::message::StopPace;

/// The binary under test.
pub(super) const BINARY: &str = env!("CARGO_BIN_EXE_callboard");

/// Longest wait for a condition; reached only when a test fails.
const LIMIT: Duration = Duration::from_secs(20);

/// A stop that does not keep a test waiting.
pub(super) const QUICK: StopPace = StopPace { term_ms: 150, kill_ms: 500, give_up_ms: 5_000 };

pub(super) struct Bench {
    root: tempfile::TempDir,
    pub(super) token: String,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap(), token: callboard::os::random::token() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path("run/shop-1.sock")
    }

    /// A launch of a shell script.
    pub(super) fn script(&self, script: &str) -> LaunchSpec {
        self.spec(&["/bin/sh", "-c", script])
    }

    pub(super) fn spec(&self, argv: &[&str]) -> LaunchSpec {
        let workspace = WorkspaceName::default();
        let session = SessionId::new("shop-1").unwrap();
        let cwd = self.root.path().to_owned();
        let env = build_environment(
            std::env::vars_os(),
            &AgentEnvironment {
                workspace: &workspace,
                home: None,
                session: &session,
                generation: 1,
                token: &self.token,
                cwd: &cwd,
                ssh_agent: None,
                set: &[("PS1".to_owned(), "$ ".to_owned())],
                drop: &[],
            },
        );
        LaunchSpec {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            end: Vec::new(),
            env,
            cwd,
            cols: 80,
            rows: 24,
            workspace,
            session,
            generation: 1,
            token: self.token.clone(),
            database: self.path("data/callboard.db"),
            socket: self.socket(),
            log: self.path("log/keeper.log"),
            history: self.path("history"),
            history_bytes: 1 << 20,
            history_lines: 500,
            rules: Rules::default(),
            stop: StopWay::default(),
            submit: SubmitRule::default(),
            exit_text: String::new(),
            prompted: false,
            linger_ms: 10_000,
        }
    }

    pub(super) async fn start(&self, spec: &LaunchSpec) -> Launching {
        within(client::start(spec, Path::new(BINARY))).await.unwrap()
    }

    /// Starts, publishes and connects.
    pub(super) async fn run(&self, spec: &LaunchSpec) -> (Keeper, Process, Process) {
        let launching = self.start(spec).await;
        let ready = launching.ready();
        let keeper = Process::of(ready.keeper_pid).unwrap();
        // it may have ended already
        let agent = Process::of(ready.pid).unwrap_or(Process { pid: ready.pid, start: 0 });
        within(launching.publish()).await.unwrap();
        (within(Keeper::connect(&spec.socket)).await.unwrap(), keeper, agent)
    }

    /// A number that a script wrote into a file.
    pub(super) async fn pid_in(&self, name: &str) -> Process {
        let path = self.path(name);
        let mut found = None;
        until(async || {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            found = text.strip_suffix('\n').and_then(|pid| Process::of(pid.parse().ok()?));
            found.is_some()
        })
        .await;
        found.unwrap()
    }

    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(self.path("log/keeper.log")).unwrap_or_default()
    }

    /// Asserts that nothing of the test is left.
    pub(super) async fn left_nothing(&self, processes: &[Process]) {
        for process in processes {
            gone(*process).await;
        }
        assert_eq!(proctree::with_environment("CALLBOARD_TOKEN", &self.token), []);
        let run = std::fs::read_dir(self.path("run")).into_iter().flatten();
        let names: Vec<_> = run.map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| name == "claim.lock"), "{names:?}");
        assert!(!self.log().contains(&self.token), "the token is in the log");
    }
}

/// What a failed test leaves is ended by its token.
impl Drop for Bench {
    fn drop(&mut self) {
        for listed in callboard::runtime::keeper::listed(&self.path("run")) {
            let _ = signals::send(listed.keeper, Signal::KILL);
        }
        for process in proctree::with_environment("CALLBOARD_TOKEN", &self.token) {
            let _ = signals::send(process, Signal::KILL);
        }
    }
}

pub(super) async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, work).await.expect("it takes too long")
}

/// Waits until `holds` is true.
pub(super) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within(waiting).await;
}

pub(super) async fn gone(process: Process) {
    until(async || !process.is_alive()).await;
}

/// Waits until a line of the screen holds `text`.
pub(super) async fn shows(keeper: &mut Keeper, text: &str) {
    until(async || {
        let screen = keeper.text(0).await.unwrap();
        screen.lines.iter().any(|line| line.contains(text))
    })
    .await;
}
