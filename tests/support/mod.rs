//! Shared by the tests that run the real binary: a home of their own, commands with their answers,
//! waiting on conditions, and a look for what was left behind.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod gh;
mod leftovers;
mod repository;
pub(crate) mod schema;
pub(crate) mod transcript;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) use repository::Repository;

/// How long a test waits for a condition before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Pause between two looks at a condition that nothing announces.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The binary under test.
pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_callboard")
}

/// A home of its own. When it goes, its agents are stopped and nothing may be left behind.
pub(crate) struct TestHome {
    folder: tempfile::TempDir,
    workspace: String,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), workspace: "default".to_owned() }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A folder beside the home's own ones, made if it is missing.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path().join("work").join(name);
        std::fs::create_dir_all(&path).unwrap();
        path.canonicalize().unwrap()
    }

    /// A git repository in a folder of this name, registered as a project.
    pub(crate) fn project(&self, name: &str) -> Repository {
        let repository = Repository::new(&self.folder(name));
        self.run(["project", "add", &repository.path().to_string_lossy(), "--name", name]).ok();
        repository
    }

    /// A command, ready to be changed and run.
    pub(crate) fn command<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(binary());
        command
            .args(args)
            .env_remove("CALLBOARD_SESSION_ID")
            .env_remove("CALLBOARD_GENERATION")
            .env_remove("CALLBOARD_TOKEN")
            .env("CALLBOARD_HOME", self.path())
            .env("CALLBOARD_WORKSPACE", &self.workspace)
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    #[track_caller]
    pub(crate) fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Answer {
        let args: Vec<&str> = args.into_iter().collect();
        Answer::of(&mut self.command(args.iter().copied()), &args)
    }

    /// Runs a command with a text on its standard input.
    #[track_caller]
    pub(crate) fn run_with<'a>(
        &self,
        input: &str,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Answer {
        self.run_bytes(input.as_bytes(), args)
    }

    /// Runs a command with `input` on its standard input.
    #[track_caller]
    pub(crate) fn run_bytes<'a>(
        &self,
        input: &[u8],
        args: impl IntoIterator<Item = &'a str>,
    ) -> Answer {
        let args: Vec<&str> = args.into_iter().collect();
        let mut child = self
            .command(args.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that fails before it reads is one that failed.
        let _unread = child.stdin.take().unwrap().write_all(input);
        Answer::new(&child.wait_with_output().unwrap(), &args)
    }

    /// Starts an agent that plays `script` outside projects; answers its id.
    pub(crate) fn scripted(&self, script: &str) -> String {
        self.spawn(["--chat"], script)
    }

    /// Starts an agent that plays `script` with more options of `spawn`; answers its id.
    pub(crate) fn spawn<const N: usize>(&self, options: [&str; N], script: &str) -> String {
        let mut args = vec!["spawn", "--json"];
        args.extend(options);
        args.extend(["--agent", "command", "--", binary(), "scripted", "-e", script]);
        self.run(args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    /// What `show` says of a session.
    pub(crate) fn show(&self, id: &str) -> Value {
        self.run(["show", id, "--json"]).ok().json()
    }

    /// Waits until the session is in one of the states.
    pub(crate) fn wait(&self, id: &str, goals: &str) -> Value {
        self.run(["wait", id, "--for", goals, "--timeout", "20s", "--json"]).ok().json()
    }

    /// Waits until the screen of a session shows a text; answers the screen.
    pub(crate) fn wait_screen(&self, id: &str, text: &str) -> String {
        until(&format!("{id} to show {text:?}"), || {
            let screen = self.run(["screen", id]).stdout;
            screen.contains(text).then_some(screen)
        })
    }

    /// Waits until the terminal of a session has this size.
    pub(crate) fn wait_size(&self, id: &str, cols: u16, rows: u16) {
        until(&format!("{id} to have {cols} columns and {rows} rows"), || {
            let screen = self.run(["screen", id, "--json"]).ok().json();
            (screen["cols"] == cols && screen["rows"] == rows).then_some(())
        });
    }

    /// Stops every session, then looks for what was left behind.
    ///
    /// # Panics
    /// A process or socket of this home is left.
    pub(crate) fn finish(self) {
        self.stop_all();
        leftovers::assert_none(self.path());
    }

    fn stop_all(&self) {
        for workspace in self.workspaces() {
            self.command(["stop", "--all", "--yes", "--quiet", "--workspace", &workspace])
                .output()
                .unwrap();
        }
    }

    fn workspaces(&self) -> Vec<String> {
        let mut names = vec![self.workspace.clone()];
        let entries = std::fs::read_dir(self.path().join("data/worktrees")).into_iter().flatten();
        names.extend(
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()),
        );
        names.sort();
        names.dedup();
        names
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        // A test that failed half way must not leave agents behind either.
        if std::thread::panicking() {
            self.stop_all();
            leftovers::end(self.path());
        }
    }
}

/// How a command ended and what it said.
pub(crate) struct Answer {
    /// The words of the command.
    pub(crate) line: String,
    /// Exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Answer {
    /// Runs a command to its end; `args` are its words.
    #[track_caller]
    pub(crate) fn of(command: &mut Command, args: &[&str]) -> Self {
        Self::new(&command.output().unwrap(), args)
    }

    /// What is printed as JSON is held against the schema.
    #[track_caller]
    fn new(output: &Output, args: &[&str]) -> Self {
        let answer = Self {
            line: args.join(" "),
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        schema::check_output(args, &answer.stdout, &answer.stderr);
        answer
    }

    /// The command must have ended with this exit code.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "callboard {}\n{}{}", self.line, self.stdout, self.stderr);
        self
    }

    /// The command must have been a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.code(0)
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("callboard {}: {error}: {}", self.line, self.stdout))
    }

    /// The object `error` on standard error.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stderr)
            .unwrap_or_else(|error| panic!("callboard {}: {error}: {}", self.line, self.stderr));
        value["error"].clone()
    }
}

/// The texts of a JSON list.
#[track_caller]
pub(crate) fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect()
}

/// Looks until `condition` answers something.
///
/// # Panics
/// It never does.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    #[expect(clippy::disallowed_methods, reason = "a test waits in real time")]
    let start = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::sleep(LOOK_EVERY);
    }
}
