//! `watch`: the monitor without a screen.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{TestHome, until};

/// A watch that runs, and what it says.
struct Watch {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Watch {
    /// Starts it. Until it watches nobody can say what it misses: sessions that play `script` come until one
    /// is told; answers its id.
    fn new(home: &TestHome, options: &[&str], script: &str) -> (Self, String) {
        let (out, err) = (home.path().join("watched"), home.path().join("said"));
        let mut command = home.command(["watch"].into_iter().chain(options.iter().copied()));
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let watch = Self { child: command.spawn().unwrap(), out, err };
        let id = until("a session to be told", || {
            let id = home.scripted(script);
            home.wait_screen(&id, "ready");
            text(&watch.out).contains(&id).then_some(id)
        });
        (watch, id)
    }

    fn until_out(&self, word: &str) {
        until(&format!("{word:?} to be told"), || text(&self.out).contains(word).then_some(()));
    }

    fn until_err(&self, word: &str) {
        until(&format!("{word:?} to be said"), || text(&self.err).contains(word).then_some(()));
    }

    /// Whole lines that it printed.
    fn lines(&self) -> Vec<Value> {
        let text = text(&self.out);
        let whole = text.lines().filter(|line| line.ends_with('}'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Interrupts it, which is how it ends.
    fn interrupt(mut self) {
        kill("-INT", u64::from(self.child.id()));
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A test that failed half way leaves none behind.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn kill(signal: &str, pid: u64) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

/// `watch` prints what changes, and ends well where nobody reads it any more.
#[test]
fn watching_prints_what_changes() {
    let home = TestHome::new();
    let script = "print ready;ask permission Run it? | Yes | No;wait";
    let (watch, id) = Watch::new(&home, &["--json"], script);
    until("its question", || {
        let asks = |line: &Value| line["id"] == id.as_str() && line["attention"] == "permission";
        watch.lines().iter().any(asks).then_some(())
    });
    home.run(["stop", &id, "--yes"]).ok();
    let last = until("its end", || {
        let ended = |line: &Value| line["id"] == id.as_str() && line["status"] == "killed";
        watch.lines().into_iter().find(ended)
    });
    assert_eq!(last["before"]["status"], "needs_input");
    watch.interrupt();

    let mut closed = home.command(["watch"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(closed.stdout.take());
    let ended = until("the end of the watch", || closed.try_wait().unwrap());
    assert!(ended.success());
    home.finish();
}

/// W3: a fault of the store is said, also while there is nothing to write, and ends no watch: what changes
/// afterwards is told.
#[test]
fn a_fault_of_the_store_ends_no_watch() {
    let home = TestHome::new();
    let goes = home.scripted("print ready;wait");
    let keeper = home.show(&goes)["runtime"]["keeper_pid"].as_u64().unwrap();
    let (watch, _) = Watch::new(&home, &[], "print ready;wait");
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    let version: u32 = store.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    store.pragma_update(None, "user_version", 999).unwrap();
    watch.until_err("warning: store: ");
    kill("-9", keeper);
    // It cannot write down that the keeper is gone.
    watch.until_err("warning: probe: ");
    store.pragma_update(None, "user_version", version).unwrap();
    let id = home.scripted("print ready;wait");
    watch.until_out(&id);
    watch.interrupt();
    home.run(["recover"]).ok();
    home.finish();
}

/// `--notify` starts the configured program for each session that begins to want the operator.
#[test]
fn what_wants_the_operator_is_notified() {
    let home = TestHome::new();
    let told = home.path().join("told");
    let script = format!(
        "notifications.command = [\"sh\", \"-c\", 'echo \"$CALLBOARD_SESSION_ID $CALLBOARD_ATTENTION\" >>{}']\n",
        told.display()
    );
    std::fs::create_dir_all(home.path().join("config")).unwrap();
    std::fs::write(home.path().join("config/config.toml"), script).unwrap();
    let (watch, quiet) = Watch::new(&home, &["--notify"], "print ready;wait");
    let asks = home.scripted("ask permission Run it? | Yes | No;wait");
    let line = format!("{asks} permission\n");
    until("the notification", || text(&told).contains(&line).then_some(()));
    assert!(!text(&told).contains(&quiet), "{}", text(&told));
    watch.interrupt();
    home.finish();
}
