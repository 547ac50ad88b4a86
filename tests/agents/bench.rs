//! One program with a home of its own, below that of a callboard of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use callboard::domain::ids::{SessionId, WorkspaceName};
use callboard::domain::time::Timestamp;
use callboard::os::paths::Home;
use callboard::runtime::client::Keeper;
use serde_json::Value;

use crate::model::Model;
use crate::programs::Program;
use crate::support::{Answer, TestHome};

/// How long a real program may take for anything, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_mins(2);
/// The same for `wait`.
const TIMEOUT: &str = "120s";
/// Pause between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A program that can be driven.
pub(crate) struct Bench {
    pub(crate) home: TestHome,
    pub(crate) model: Model,
    pub(crate) program: &'static Program,
    /// The folder that it works in: a project, in its own folder.
    pub(crate) folder: PathBuf,
    path: String,
}

impl Bench {
    /// The bench; none, which is told, where the program or Python is not installed.
    pub(crate) fn of(program: &'static Program, trusted: bool) -> Option<Self> {
        let folder = std::env::var("CALLBOARD_TEST_AGENTS").unwrap_or_default();
        let programs = Path::new(&folder).join("node_modules/.bin");
        let found = !folder.is_empty() && programs.join(program.name).is_file();
        let model = if found { Model::start() } else { None };
        let Some(model) = model else {
            let missing = if found { "python3" } else { program.name };
            eprintln!("SKIPPED: {missing} is not installed (see scripts/agents.sh)");
            return None;
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", programs.display());
        let home = TestHome::new();
        let folder = home.project("shop").path().to_owned();
        let bench = Self { home, model, program, folder, path };
        let trusted = trusted.then_some(bench.folder.as_path());
        (program.set_up)(&bench.own_home(), &bench.model, trusted);
        Some(bench)
    }

    /// The home that the program finds.
    fn own_home(&self) -> PathBuf {
        self.home.folder("own")
    }

    /// Runs a command, with nothing of the developer's environment.
    #[track_caller]
    pub(crate) fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Answer {
        let args: Vec<&str> = args.into_iter().collect();
        Answer::of(&mut self.command(&args), &args)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args.iter().copied());
        command
            .env_clear()
            .env("CALLBOARD_HOME", self.home.path())
            .env("PATH", &self.path)
            .env("HOME", self.own_home())
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .envs((self.program.variables)(&self.model));
        command
    }

    /// Starts the program with a first prompt, on a screen of this size; answers the session's id.
    #[track_caller]
    pub(crate) fn spawn(&self, prompt: &str, size: &str) -> String {
        let agent = ["--agent", self.program.name, "--size", size, "--prompt", prompt, "--"];
        let mut args = vec!["spawn", "--json", "--project", "shop", "--in-place"];
        args.extend(agent);
        args.extend(self.program.args);
        self.run(args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    /// Gives its terminal another size, as a console does that shows it.
    pub(crate) fn resize(&self, id: &str, cols: u16, rows: u16) {
        let session = SessionId::new(id).unwrap();
        let workspace = WorkspaceName::default();
        let socket = Home::at(self.home.path()).unwrap().socket(&workspace, &session);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut keeper = Keeper::connect(&socket).await.unwrap();
            keeper.resize(cols, rows).await.unwrap();
        });
        self.home.wait_size(id, cols, rows);
    }

    /// What `show` says.
    pub(crate) fn show(&self, id: &str) -> Value {
        self.run(["show", id, "--json"]).ok().json()
    }

    /// Submits a text; answers the number of the turn before.
    #[track_caller]
    pub(crate) fn send(&self, id: &str, text: &str) -> u64 {
        let turn = self.show(id)["turn"].as_u64().unwrap();
        self.run(["send", id, text]).ok();
        turn
    }

    /// Answers what is shown.
    #[track_caller]
    pub(crate) fn answer(&self, id: &str, answer: &str) {
        self.run(["send", id, "--answer", answer]).ok();
    }

    /// Waits for one of the states, as a script would.
    #[track_caller]
    pub(crate) fn wait(&self, id: &str, goals: &str) -> Value {
        let waited = self.run(["wait", id, "--for", goals, "--timeout", TIMEOUT]);
        assert!(waited.code == 0, "{id} was never {goals}: {}", self.looks(id));
        self.show(id)
    }

    /// Waits until `show` is as it should be; answers it.
    #[track_caller]
    pub(crate) fn until(&self, id: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        #[expect(clippy::disallowed_methods, reason = "a test waits in real time")]
        let start = Instant::now();
        loop {
            let shown = self.show(id);
            if holds(&shown) {
                return shown;
            }
            let late = start.elapsed() > PATIENCE;
            assert!(!late, "waited too long for {what}: {}", self.looks(id));
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Waits until the session does this.
    #[track_caller]
    pub(crate) fn activity(&self, id: &str, activity: &str) -> Value {
        self.until(id, activity, |shown| shown["activity"] == activity)
    }

    /// Waits until a question of this kind can be answered.
    #[track_caller]
    pub(crate) fn asked(&self, id: &str, activity: &str, kind: &str) -> Value {
        let readable = |question: &Value| {
            question["kind"] == kind
                && question["options"].as_array().is_some_and(|it| it.len() > 1)
        };
        self.until(id, &format!("a {kind}"), |shown| {
            shown["activity"] == activity && readable(&shown["question"])
        })
    }

    /// Waits until the screen shows a text; answers when it was seen there.
    #[track_caller]
    pub(crate) fn shows(&self, id: &str, text: &str) -> SystemTime {
        self.seen(id, text, true)
    }

    /// Waits until it does not.
    #[track_caller]
    pub(crate) fn hides(&self, id: &str, text: &str) -> SystemTime {
        self.seen(id, text, false)
    }

    #[track_caller]
    fn seen(&self, id: &str, text: &str, shown: bool) -> SystemTime {
        self.until(id, &format!("{text:?} on its screen: {shown}"), |_| {
            self.run(["screen", id]).stdout.contains(text) == shown
        });
        #[expect(clippy::disallowed_methods, reason = "a test of when something is seen")]
        SystemTime::now()
    }

    /// G6: the session does this, and was known to a second after `from`.
    #[track_caller]
    pub(crate) fn in_time(&self, id: &str, activity: &str, from: SystemTime) {
        let shown = self.activity(id, activity);
        let since: Timestamp = shown["activity_since"].as_str().unwrap().parse().unwrap();
        let from = from.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() as i64;
        let late = since.0 - from;
        eprintln!("{id} is {activity} {late} ms after it could be known");
        assert!(late <= 1_000, "{late} ms: {}", self.looks(id));
    }

    /// Whether the program made this file.
    pub(crate) fn made(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// The settings that the program has for all folders.
    pub(crate) fn settings(&self) -> Vec<(PathBuf, String)> {
        let folders = [self.own_home(), self.own_home().join(self.program.settings)];
        let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
        let paths = entries.map(|entry| entry.unwrap().path());
        let is = |path: &PathBuf| {
            path.extension().is_some_and(|it| it == "json" || it == "jsonc" || it == "toml")
        };
        paths
            .filter(is)
            .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
            .collect()
    }

    /// Everything to know of a session, for a message.
    fn looks(&self, id: &str) -> String {
        let answers = [
            self.run(["show", id]).stdout,
            self.run(["agents", "explain", id]).stdout,
            self.run(["screen", id]).stdout,
            self.run(["events", id]).stdout,
        ];
        let lines = answers.iter().flat_map(|answer| answer.lines());
        lines.filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Ends it; nothing may be left.
    pub(crate) fn finish(self) {
        self.home.finish();
    }
}
