//! The terminals that are compared: a bare PTY, tmux, and callboard attached and in the dashboard.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::agent::READY;
use super::outer::Outer;

/// The program under test.
pub(crate) const CALLBOARD: &str = env!("CARGO_BIN_EXE_callboard");

/// A folder with callboard's home and tmux's socket; everything in it is ended when it is dropped.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) own: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let own = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        Self { folder: tempfile::tempdir().unwrap(), own }
    }

    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    fn tmux_socket(&self) -> PathBuf {
        self.home().join("tmux")
    }

    /// Runs callboard; answers what it prints.
    pub(crate) fn callboard(&self, args: &[&str]) -> String {
        let mut command = Command::new(CALLBOARD);
        command.args(args).env("CALLBOARD_HOME", self.home()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "callboard {args:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs tmux with a server of its own.
    pub(crate) fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.tmux_socket()).args(["-f", "/dev/null"]).args(args);
        let output = command.env_remove("TMUX").stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A session with the agent of this bench; answers its id.
    pub(crate) fn spawn(&self, agent: &[&str]) -> String {
        self.spawn_command(&[&[self.own.as_str()], agent].concat())
    }

    /// A session with any command; answers its id.
    pub(crate) fn spawn_command(&self, command: &[&str]) -> String {
        let mut args = vec!["spawn", "--chat", "--agent", "command", "--json", "--"];
        args.extend(command);
        let answer: serde_json::Value = serde_json::from_str(&self.callboard(&args)).unwrap();
        answer["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn bare(&self, agent: &[&str]) -> Outer {
        let mut argv = vec![self.own.as_str()];
        argv.extend(agent);
        ready(Outer::start("the bare PTY", self.home(), &argv))
    }

    pub(crate) fn in_tmux(&self, agent: &[&str]) -> Outer {
        let socket = self.tmux_socket();
        let command = [&[self.own.as_str()], agent].concat().join(" ");
        let argv =
            ["tmux", "-S", &socket.to_string_lossy(), "-f", "/dev/null", "new-session", &command];
        ready(Outer::start("tmux", self.home(), &argv))
    }

    pub(crate) fn attached(&self, id: &str) -> Outer {
        ready(Outer::start("callboard attach", self.home(), &[CALLBOARD, "attach", id]))
    }

    /// The dashboard, typing into its only session.
    pub(crate) fn dashboard(&self) -> Outer {
        let mut outer = Outer::start("the dashboard", self.home(), &[CALLBOARD]);
        outer.see("chat-1");
        outer.settle();
        outer.write(b"\r");
        outer.settle();
        outer
    }
}

fn ready(mut outer: Outer) -> Outer {
    outer.see(READY);
    outer.settle();
    outer
}

impl Drop for Place {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
        let mut command = Command::new(CALLBOARD);
        command.args(["clear", "--yes", "--quiet"]).env("CALLBOARD_HOME", self.home());
        let _ended = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    }
}
