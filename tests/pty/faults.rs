//! A fault in one place shows there and nowhere else (`spec/console.md`, Behaviour): other rows and keys go on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

use crate::driver::Terminal;
use crate::support::{TestHome, binary};

/// A session in a worktree with one new file, and a chat.
fn sessions(home: &TestHome) {
    home.project("shop");
    let id = home.spawn(["--project", "shop"], "print painted by the worker;wait");
    home.wait_screen(&id, "painted");
    let folder = home.show(&id)["worktree"].as_str().map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| panic!("{}", home.show(&id)));
    fs::write(folder.join("new"), "one\ntwo\n").unwrap();
    let id = home.scripted("print painted by the chat;wait");
    home.wait_screen(&id, "painted");
}

/// A dashboard that finds programs in one folder only.
fn with_path(home: &TestHome, path: &Path) -> Terminal {
    let path = path.to_str().unwrap();
    Terminal::start_program(Path::new(binary()), home.path(), home.path(), &[("PATH", path)])
}

/// Keys and other rows go on.
fn goes_on(console: &Terminal) {
    console.press("?");
    console.see("Keys for the");
    console.press("Esc");
    console.see_no("Keys for the");
}

/// The real git, in place of what is called so in `folder`.
fn bring_git(folder: &Path) {
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|one| one.join("git")).find(|git| git.exists());
    let beside = folder.join("git.new");
    std::os::unix::fs::symlink(git.unwrap(), &beside).unwrap();
    fs::rename(beside, folder.join("git")).unwrap();
}

#[test]
fn a_git_that_is_missing_is_told_until_it_is_there() {
    let home = TestHome::new();
    sessions(&home);
    let programs = home.folder("programs");
    let mut console = with_path(&home, &programs);
    console.see_row(&["shop-1", "working"]);
    console.see("git is not found");
    goes_on(&console);
    console.see("painted by the worker");
    bring_git(&programs);
    console.see_no("git is not found");
    console.see("1 dirty");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn a_git_that_hangs_is_told_until_it_answers() {
    let home = TestHome::new();
    sessions(&home);
    let programs = home.folder("programs");
    let git = programs.join("git");
    fs::write(&git, "#!/bin/sh\nexec /bin/sleep 1000\n").unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let mut console = with_path(&home, &programs);
    console.see_row(&["shop-1", "working"]);
    console.see("painted by the worker");
    goes_on(&console);
    console.see("git does not answer");
    goes_on(&console);
    bring_git(&programs);
    console.see_no("git does not answer");
    console.see("1 dirty");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// A process that is stopped while this lives.
struct Stopped(Pid);

impl Stopped {
    fn new(pid: &serde_json::Value) -> Self {
        let pid = Pid::from_raw(i32::try_from(pid.as_i64().unwrap()).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

#[test]
fn a_keeper_that_does_not_answer_is_told_in_its_pane_until_it_does() {
    let home = TestHome::new();
    for _ in 0..2 {
        let id = home.scripted("print painted;forever;prompt;end");
        home.wait_screen(&id, "painted");
        home.wait(&id, "idle");
    }
    let stopped = Stopped::new(&home.show("chat-1")["runtime"]["keeper_pid"]);
    let mut console = Terminal::start(home.path(), home.path(), &["--select", "chat-1"], 120, 40);
    console.see_row(&["▐", "chat-1"]);
    console.see("Its keeper does not answer.");
    goes_on(&console);
    console.press("Z");
    console.see("The keeper of session chat-1 does not answer");
    console.press("Esc");
    // Esc and a key that come together are one key.
    console.see_no("The keeper of session chat-1");
    console.see("Its keeper does not answer.");
    // The list knows it by now, and has it first.
    console.see_row(&["chat-1", "detecting"]);
    console.press("j");
    console.see_row(&["▐", "chat-2"]);
    console.see("painted");
    console.see_no("Its keeper does not answer.");
    console.press("k");
    console.see_row(&["▐", "chat-1"]);
    console.see("Its keeper does not answer.");
    drop(stopped);
    console.see_no("Its keeper does not answer.");
    console.see("painted");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// The same for one that was drawn before it was stopped, also while it is typed to.
#[test]
fn a_keeper_that_stops_to_answer_is_told_in_its_pane_until_it_goes_on() {
    let home = TestHome::new();
    let id = home.scripted("print painted;forever;prompt;end");
    home.wait_screen(&id, "painted");
    home.wait(&id, "idle");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["▐", "chat-1"]);
    console.see("painted");
    let keeper = home.show("chat-1")["runtime"]["keeper_pid"].clone();
    let stopped = Stopped::new(&keeper);
    console.see("Its keeper does not answer. This is the last");
    console.see("painted");
    goes_on(&console);
    drop(stopped);
    console.see_no("Its keeper does not answer.");
    console.press("Enter");
    console.see("typing to chat-1");
    let stopped = Stopped::new(&keeper);
    console.see("Its keeper does not answer. This is the last screen known.");
    drop(stopped);
    console.see_no("Its keeper does not answer.");
    console.press("C-]");
    console.see_no("typing to chat-1");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn a_store_that_is_held_is_told_and_written_again_when_it_is_free() {
    let home = TestHome::new();
    let id = home.scripted("print painted;wait");
    home.wait_screen(&id, "painted");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "working"]);
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    console.press("p");
    goes_on(&console);
    console.see("painted");
    console.see("was not pinned");
    store.execute_batch("COMMIT").unwrap();
    console.press("Esc");
    console.see_no("was not pinned");
    console.press("p");
    console.see_row(&["Pinned", "1"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
