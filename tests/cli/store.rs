//! The store under real trouble (`spec/store.md` W2, W3, W4, W7): several processes at once, a disk that
//! is full or read-only, a folder of someone else.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Answer, TestHome};

fn old_store(version: u32) -> PathBuf {
    let name = format!("tests/fixtures/store/v{version}.db");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn database(home: &TestHome) -> PathBuf {
    home.path().join("data/callboard.db")
}

/// W2: real processes that find an old store at the same time take turns: all succeed, and there is
/// one copy of how it was.
#[test]
fn processes_that_meet_an_old_store_at_once_migrate_it_once() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.path().join("data")).unwrap();
    std::fs::copy(old_store(1), database(&home)).unwrap();
    let start = || {
        let mut command = home.command(["list", "--json", "--all"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<_> = std::iter::repeat_with(start).take(6).collect();
    for child in all {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(list["total"].as_u64().unwrap() > 3, "{list}");
    }
    let copies = std::fs::read_dir(home.path().join("data/backups")).unwrap();
    assert_eq!(copies.count(), 1);
    // They name no keeper that runs.
    let doctor = home.run(["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    let store: Vec<&Value> = checks.iter().filter(|check| check["name"] == "store").collect();
    assert!(!store.is_empty() && store.iter().all(|check| check["ok"] == true), "{doctor}");
}

/// W2: a newer store is refused by every verb with a clear text and the same exit code, and stays.
#[test]
fn a_newer_store_is_refused_and_left_untouched() {
    let home = TestHome::new();
    home.run(["list"]).ok();
    let newer = "PRAGMA user_version = 999";
    rusqlite::Connection::open(database(&home)).unwrap().execute_batch(newer).unwrap();
    let before = std::fs::read(database(&home)).unwrap();
    for line in ["list", "sections", "clear --yes", "spawn --chat --agent command -- true"] {
        let error = home.run(line.split(' ')).code(4);
        assert!(error.stderr.contains("999") && error.stderr.contains("newer"), "{}", error.stderr);
    }
    assert!(std::fs::read(database(&home)).unwrap() == before, "changed");
}

/// Verbs that change something, on a session, and how to see that nothing changed.
const CHANGING: [&str; 9] = [
    "project add . --name other",
    "project remove shop",
    "spawn --project shop --id new-1 --agent command -- true",
    "rename shop-1 Another",
    "pin shop-1",
    "delete shop-2 --yes",
    "clear --yes",
    "restore shop-2",
    "purge --all --yes",
];

/// What is known of everything, but for what the verbs that read note by the way.
fn known(home: &TestHome) -> Vec<Value> {
    let json = |line: &str| home.run(line.split(' ')).ok().json();
    let mut all =
        vec![json("list --all --json"), json("project list --json"), json("sections --json")];
    all.push(json("list --deleted --json"));
    for session in all[0]["sessions"].as_array_mut().unwrap() {
        session["runtime"] = Value::Null;
    }
    all
}

/// Every changing verb fails with the reason and exit code 1, and nothing changes; every reading one
/// works.
fn assert_refused(home: &TestHome, reasons: &[&str]) {
    let before = known(home);
    for line in CHANGING {
        let answer = home.run(line.split(' '));
        let said = answer.stderr.to_lowercase();
        let answer = answer.code(1);
        assert!(reasons.iter().any(|reason| said.contains(reason)), "{line}: {}", answer.stderr);
        assert!(said.contains("hint: "), "{line}: {}", answer.stderr);
    }
    assert_eq!(known(home), before);
    for line in ["show shop-1", "events", "messages shop-1", "ops", "config", "agents list"] {
        home.run(line.split(' ')).ok();
    }
}

/// A home with two ended sessions in a project.
fn filled(home: &TestHome) {
    home.project("shop");
    for id in ["shop-1", "shop-2", "shop-3"] {
        home.run(["spawn", "--project", "shop", "--id", id, "--agent", "command", "--", "cat"])
            .ok();
    }
    home.run(["stop", "--all", "--yes"]).ok();
    home.run(["delete", "shop-3", "--yes"]).ok();
}

/// A file system that is mounted over a folder until it is dropped.
struct Mounted(PathBuf);

impl Mounted {
    /// None where this user may not mount; said, so that nobody believes that it was tested.
    #[expect(clippy::print_stderr, reason = "a test that tests nothing says so")]
    fn new(folder: &Path, args: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let done = Command::new("mount").args(args).arg(folder).output();
        if done.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder.to_owned()));
        }
        eprintln!("SKIPPED: this user cannot mount {args:?}");
        None
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A test that failed half way may have files open below it.
        let _said = Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}

/// W4: on a disk that is really full.
#[test]
fn on_a_full_disk_verbs_fail_whole_and_say_why() {
    let home = TestHome::new();
    let data = home.path().join("data");
    let Some(_mounted) = Mounted::new(&data, &["-t", "tmpfs", "-o", "size=2m,mode=700", "none"])
    else {
        return;
    };
    filled(&home);
    // What is in the log goes into the file first, so that there is no room at all afterwards. While it is
    // open there is the memory that users of the store share, which takes room too.
    let open = rusqlite::Connection::open(database(&home)).unwrap();
    open.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let filler = data.join("filler");
    let fill = || {
        use std::io::Write;
        let mut file = std::fs::File::create(&filler).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        while file.write_all(&[0]).is_ok() {}
    };
    fill();
    let before = known(&home);
    for line in CHANGING {
        let answer = home.run(line.split(' '));
        let said = answer.stderr.to_lowercase();
        assert_ne!(answer.code, 0, "{line}: {}{}", answer.stdout, answer.stderr);
        let why = ["no room", "no space left", "unable to open", "disk i/o", "full"];
        assert!(why.iter().any(|why| said.contains(why)), "{line}: {said}");
    }
    assert_eq!(known(&home), before);
    drop(open);
    fill();
    let answer = home.run(["list"]).code(1);
    assert!(answer.stderr.contains("no room left"), "{}", answer.stderr);
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(known(&home), before);
    let answer = home.run(["doctor", "--json"]);
    for check in answer.json()["checks"].as_array().unwrap() {
        let name = check["name"].as_str().unwrap();
        assert!(check["ok"] == true || name == "folders: free space", "{check}");
    }
    home.run(["rename", "shop-1", "room again"]).ok();
    assert_eq!(home.show("shop-1")["title"], "room again");
    home.run(["clear", "--yes"]).ok();
    home.finish();
}

/// W4: a home that is mounted read-only, or, for those who may not mount, one without the right to
/// write.
#[test]
fn a_read_only_home_can_be_read_and_refuses_changes() {
    let home = TestHome::new();
    filled(&home);
    let root = home.path().to_owned();
    let text = root.to_str().unwrap().to_owned();
    let mounted = Mounted::new(&root, &["--bind", &text]).filter(|_| {
        let done = Command::new("mount").args(["-o", "remount,ro,bind"]).arg(&root).status();
        done.is_ok_and(|status| status.success())
    });
    let folders = ["data", "state", "run", "state/locks"];
    let set = |mode| {
        for folder in folders {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(root.join(folder), mode).unwrap();
        }
    };
    if mounted.is_none() {
        set(0o500);
    }
    assert_refused(&home, &["read-only", "readonly", "cannot be written", "permission denied"]);
    let answer = home.run(["doctor", "--json"]).code(1);
    let checks = answer.json();
    let bad: Vec<_> =
        checks["checks"].as_array().unwrap().iter().filter(|it| it["ok"] == false).collect();
    assert_eq!(bad[0]["name"], "folders: writable", "{bad:?}");
    if mounted.is_none() {
        set(0o700);
    }
    drop(mounted);
    home.run(["rename", "shop-1", "again"]).ok();
    home.finish();
}

/// W4: a home of someone else is neither changed nor filled with files that are not theirs.
#[test]
fn a_home_of_someone_else_is_refused() {
    let home = TestHome::new();
    filled(&home);
    let data = home.path().join("data");
    if std::os::unix::fs::chown(&data, Some(12_345), None).is_err() {
        eprintln!("SKIPPED: this user cannot give a folder away");
        return;
    }
    for line in CHANGING {
        let answer = home.run(line.split(' ')).code(1);
        assert!(answer.stderr.contains("belongs to user 12345"), "{line}: {}", answer.stderr);
    }
    let answer = home.run(["doctor", "--json"]).code(1);
    assert!(answer.stdout.contains("belongs to user 12345"), "{}", answer.stdout);
    std::os::unix::fs::chown(&data, Some(rustix::process::getuid().as_raw()), None).unwrap();
    home.run(["list"]).ok();
    home.finish();
}

/// Files and folders of a home whose mode lets others in; worktrees are what their agents make them.
fn open_to_others(home: &TestHome) -> Vec<(PathBuf, u32)> {
    let mut open: Vec<PathBuf> =
        ["data", "state", "run"].iter().map(|name| home.path().join(name)).collect();
    let mut wide = Vec::new();
    while let Some(path) = open.pop() {
        let found = path.symlink_metadata().unwrap();
        if found.permissions().mode() & 0o077 != 0 {
            wide.push((path.clone(), found.permissions().mode()));
        }
        let ours = !path.ends_with("worktrees") && !path.ends_with("trash");
        if found.is_dir() && ours {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    wide
}

/// Runs a command with another umask.
fn with_umask(home: &TestHome, mask: &str, line: &str) -> Answer {
    let binary = crate::support::binary();
    let script = format!("umask {mask}; exec {binary} {line}");
    let mut command = home.command([]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(home.path()).stdin(Stdio::null());
    command = shell;
    Answer::of(&mut command, &line.split(' ').collect::<Vec<_>>())
}

/// W7: whatever the umask, nobody else gets at a folder, the database, its log, a lock, a socket, a
/// keeper's log or a history; folders that were open are closed at the next start.
#[test]
fn nobody_else_gets_at_a_home_whatever_the_umask() {
    for mask in ["000", "022", "077"] {
        let home = TestHome::new();
        home.project("shop");
        with_umask(&home, mask, "spawn --project shop --id shop-1 --agent command -- cat").ok();
        with_umask(&home, mask, "spawn --chat --id chat-1 --agent command -- cat").ok();
        with_umask(&home, mask, "send chat-1 hello").ok();
        with_umask(&home, mask, "delete shop-1 --yes").ok();
        assert_eq!(open_to_others(&home), [], "umask {mask}");
        for (name, mode) in [("data", 0o755), ("run", 0o777), ("data/callboard.db", 0o644)] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(home.path().join(name), mode).unwrap();
        }
        with_umask(&home, mask, "list").ok();
        assert_eq!(open_to_others(&home), [], "umask {mask}");
        home.finish();
    }
}

/// W7: a launch's secret is in its agent's environment and nowhere in the home.
#[test]
fn no_file_of_a_home_holds_a_secret_of_a_launch() {
    let home = TestHome::new();
    let id = "chat-1".to_owned();
    home.run(["spawn", "--chat", "--id", &id, "--agent", "command", "--", "cat"]).ok();
    let pid = home.show(&id)["runtime"]["pid"].as_u64().unwrap();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let token = environment
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(b"CALLBOARD_TOKEN="))
        .unwrap()
        .to_vec();
    assert!(token.len() >= 16);
    home.run(["send", &id, "hello"]).ok();
    let mut open = vec![home.path().to_owned()];
    let mut read = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(token.len()).any(|part| part == token);
            assert!(!found, "the secret is in {}", path.display());
            read += 1;
        }
    }
    assert!(read > 5);
    home.finish();
}
