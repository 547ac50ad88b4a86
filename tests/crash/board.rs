//! A board to crash on, and what has to be true of it after every recovery.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Repository, TestHome, until};

/// What a file is: mode, time of change (0 for folders) and content.
type Entry = (u32, i64, Vec<u8>);
/// Every path below a folder.
pub(crate) type Listing = BTreeMap<PathBuf, Entry>;

pub(crate) struct Board {
    pub(crate) home: TestHome,
    pub(crate) repository: Repository,
    /// The sessions that must be there, live or not, in the trash or not.
    pub(crate) ids: BTreeSet<String>,
    /// Their files as they were made.
    files: BTreeMap<String, Listing>,
}

impl Board {
    /// `count` sessions in worktrees of one repository: every third is a child, every third keeps running
    /// with a tool in the background, every second has uncommitted work of all sorts.
    pub(crate) fn new(count: usize) -> Self {
        let home = TestHome::new();
        let repository = home.project("shop");
        repository.write(".gitignore", "*.log\n");
        repository.write("src/lib.txt", "one\n");
        repository.commit("more");
        let mut board = Self { home, repository, ids: BTreeSet::new(), files: BTreeMap::new() };
        let mut last = None;
        for n in 0..count {
            let parent: Option<String> = last.take().filter(|_| n % 3 == 2);
            let id = match &parent {
                Some(parent) => board.spawn(&["--parent", parent]),
                None => board.spawn(&[]),
            };
            if n % 3 != 0 {
                board.home.run(["stop", &id, "--yes"]).ok();
            }
            if n % 2 == 0 {
                board.make_dirty(&id);
            }
            board.files.insert(id.clone(), listing(&board.worktree(&id)));
            board.ids.insert(id.clone());
            last = Some(id);
        }
        board
    }

    fn spawn(&self, options: &[&str]) -> String {
        let mut args = vec!["spawn", "--project", "shop", "--json"];
        args.extend(options);
        args.extend(["--agent", "command", "--", crate::support::binary(), "scripted", "-e"]);
        args.push("fork 600;print ready;wait");
        self.home.run(args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    fn make_dirty(&self, id: &str) {
        let folder = self.worktree(id);
        fs::write(folder.join("src/lib.txt"), "changed\n").unwrap();
        fs::write(folder.join("new file"), [0_u8, 159, 146, 150]).unwrap();
        fs::write(folder.join("run.log"), id).unwrap();
        fs::set_permissions(folder.join("new file"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.join("link")).unwrap();
    }

    pub(crate) fn worktree(&self, id: &str) -> PathBuf {
        self.home.path().join("data/worktrees/default/shop").join(id)
    }

    pub(crate) fn rows(&self, trash: bool) -> Vec<Value> {
        let mut args = vec!["list", "--json", "--limit", "500"];
        args.extend(trash.then_some("--deleted"));
        self.home.run(args).ok().json()["sessions"].as_array().unwrap().clone()
    }

    /// Keepers of the sessions that run.
    pub(crate) fn keepers(&self) -> Vec<u64> {
        let rows = self.rows(false);
        let live = rows.iter().filter(|row| row["alive"] == true);
        let keeper = |row: &Value| {
            self.home.show(row["id"].as_str().unwrap())["runtime"]["keeper_pid"].as_u64()
        };
        live.filter_map(keeper).collect()
    }

    /// Stops sessions whose keeper was killed: until they are found dead they count as live (A4).
    pub(crate) fn end_dead(&self) {
        let running: BTreeSet<String> =
            agents(self.home.path()).into_iter().map(|(_, id)| id).collect();
        for row in self.rows(false) {
            let id = row["id"].as_str().unwrap();
            if row["alive"] == true && !running.contains(id) {
                self.home.run(["stop", id, "--yes"]).ok();
            }
        }
    }

    /// Removes every session but `ids` for good.
    pub(crate) fn purge_others(&mut self, ids: &[String]) {
        let others: Vec<String> = self.ids.iter().filter(|id| !ids.contains(id)).cloned().collect();
        if others.is_empty() {
            return;
        }
        let names = || others.iter().map(String::as_str).chain(["--yes"]);
        self.home.run(["delete"].into_iter().chain(names())).ok();
        self.home.run(["purge"].into_iter().chain(names())).ok();
        self.ids.retain(|id| ids.contains(id));
        self.check();
    }

    /// Recovers, then checks everything.
    pub(crate) fn recover_and_check(&self) {
        let report = self.home.run(["recover", "--json"]).ok().json();
        assert_eq!(report["stuck"], serde_json::json!([]), "{report}");
        let again = self.home.run(["recover", "--json"]).ok().json();
        for (field, list) in again.as_object().unwrap() {
            assert_eq!(list, &serde_json::json!([]), "{field} of a second recovery: {again}");
        }
        self.check();
    }

    /// Every rule that has to hold while nothing is under way.
    pub(crate) fn check(&self) {
        let (present, trash) = (self.rows(false), self.rows(true));
        let names = |rows: &[Value]| -> Vec<String> {
            rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
        };
        let mut rows = names(&present);
        rows.extend(names(&trash));
        let unique: BTreeSet<String> = rows.iter().cloned().collect();
        assert_eq!(rows.len(), unique.len(), "a row is there twice: {rows:?}");
        assert_eq!(unique, self.ids, "rows were lost or came by themselves");
        for row in &present {
            self.check_present(row);
        }
        for row in &trash {
            self.check_deleted(row);
        }
        self.check_git();
        self.check_processes(&present);
        let operations = self.home.run(["ops", "--json"]).ok().json();
        for operation in operations["operations"].as_array().unwrap() {
            assert!(!operation["ended_at"].is_null(), "has not ended: {operation}");
        }
    }

    fn check_present(&self, row: &Value) {
        let id = row["id"].as_str().unwrap();
        let folder = self.worktree(id);
        assert_eq!(row["folder"].as_str(), folder.to_str(), "{row}");
        self.check_files(id, &folder);
        let branch = Self::git_in(&folder, &["symbolic-ref", "HEAD"]);
        assert_eq!(branch, format!("refs/heads/callboard/{id}"));
        assert_ne!(row["status"], "spawning", "{row}");
    }

    fn check_deleted(&self, row: &Value) {
        let id = row["id"].as_str().unwrap();
        assert!(!self.worktree(id).exists(), "{id} is in the trash, its folder is not");
        let batch = row["batch"].as_str().unwrap();
        let folder = self.home.path().join("data/trash/default").join(batch).join(id);
        self.check_files(id, &folder);
        let branch = format!("refs/heads/callboard/{id}");
        assert_ne!(Self::git_in(&folder, &["rev-parse", "--symbolic-full-name", "HEAD"]), branch);
    }

    fn check_files(&self, id: &str, folder: &Path) {
        if let Some(before) = self.files.get(id) {
            assert!(folder.is_dir(), "{} is gone", folder.display());
            assert_eq!(&listing(folder), before, "files of {id} in {}", folder.display());
        }
    }

    fn check_git(&self) {
        let folder = self.repository.path();
        let branches: BTreeSet<String> =
            Self::git_in(folder, &["branch", "--format=%(refname:short)"])
                .lines()
                .map(str::to_owned)
                .collect();
        let mut wanted: BTreeSet<String> =
            self.ids.iter().map(|id| format!("callboard/{id}")).collect();
        wanted.insert("main".to_owned());
        // What git says of a detached main checkout is no branch.
        assert_eq!(branches, wanted);
        let list = Self::git_in(folder, &["worktree", "list", "--porcelain"]);
        let registered = list.lines().filter(|line| line.starts_with("worktree ")).count();
        assert_eq!(registered, self.ids.len() + 1, "{list}");
        assert!(!list.lines().any(|line| line.starts_with("prunable")), "{list}");
        let made = fs::read_dir(self.home.path().join("data/worktrees/default/shop"));
        for entry in made.into_iter().flatten().flatten() {
            let id = entry.file_name().to_string_lossy().into_owned();
            assert!(self.ids.contains(&id), "worktree {id} has no row");
        }
        Self::git_in(folder, &["fsck", "--connectivity-only"]);
    }

    fn check_processes(&self, present: &[Value]) {
        let alive: BTreeSet<String> = present
            .iter()
            .filter(|row| row["alive"] == true)
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        // A keeper whose creator died ends its tree by itself, a moment later (C4).
        until(&format!("only {alive:?} to run"), || {
            let running: BTreeSet<String> =
                agents(self.home.path()).into_iter().map(|(_, id)| id).collect();
            (running == alive && self.sockets() == alive.len()).then_some(())
        });
    }

    fn sockets(&self) -> usize {
        let entries = fs::read_dir(self.home.path().join("run")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "sock")).count()
    }

    pub(crate) fn git_in(folder: &Path, args: &[&str]) -> String {
        let output =
            std::process::Command::new("git").arg("-C").arg(folder).args(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?} in {}: {error}", folder.display());
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

/// Processes of agents of this home, with the session that their environment names.
pub(crate) fn agents(home: &Path) -> Vec<(u32, String)> {
    let root = format!("CALLBOARD_HOME={}", home.display());
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok())
        .filter_map(|pid| {
            let bytes = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut entries = text.split('\0');
            let id = entries.clone().find_map(|one| one.strip_prefix("CALLBOARD_SESSION_ID="))?;
            entries.any(|one| one == root).then(|| (pid, id.to_owned()))
        })
        .collect()
}

/// Every path below a folder but git's link.
pub(crate) fn listing(folder: &Path) -> Listing {
    use std::os::unix::fs::MetadataExt;
    let mut found = Listing::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if name == Path::new(".git") {
                continue;
            }
            let seen = path.symlink_metadata().unwrap();
            let content = if seen.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if seen.is_file() {
                fs::read(&path).unwrap()
            } else {
                todo.push(path);
                Vec::new()
            };
            let time = if seen.is_dir() { 0 } else { seen.mtime_nsec() };
            found.insert(name, (seen.mode(), time, content));
        }
    }
    found
}
