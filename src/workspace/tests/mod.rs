//! Worktrees of real repositories in temporary folders.

mod create;
mod give_back;
mod hooks;
mod prepare;
mod purge;
mod safety;
mod together;
mod trash;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::domain::worktree::WayBack;

/// A home and a repository with one commit on `main`.
struct Bench {
    folder: tempfile::TempDir,
    workspace: Workspace,
}

impl Bench {
    fn new() -> Self {
        Self::with(&Config::default(), "default")
    }

    fn with(config: &Config, workspace: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(&folder.path().join("home")).unwrap();
        home.create().unwrap();
        let workspace = Workspace::new(home, WorkspaceName::new(workspace).unwrap(), config);
        let bench = Self { folder, workspace };
        init(&bench.repository());
        bench
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    fn request(&self, session: &str) -> WorktreeRequest {
        WorktreeRequest {
            session: SessionId::new(session).unwrap(),
            project: ProjectName::new("shop").unwrap(),
            repository: self.repository(),
            branch: None,
            free_branch: None,
            base: None,
        }
    }

    async fn make(&self, session: &str) -> Worktree {
        self.workspace.create_worktree(&self.request(session)).await.unwrap()
    }

    fn trash(&self, session: &str) -> PathBuf {
        let batch = BatchId::new("batch-1").unwrap();
        self.workspace.trash_path(&batch, &SessionId::new(session).unwrap())
    }

    async fn give_back(&self, worktree: &Worktree) -> Freed {
        self.workspace.give_back(&self.repository(), worktree).await.unwrap()
    }

    fn branches(&self) -> String {
        git(&self.repository(), ["branch", "--format=%(refname:short)"])
    }
}

/// A repository with one commit on `main`.
fn init(repository: &Path) {
    fs::create_dir_all(repository).unwrap();
    git(repository, ["init", "-q", "-b", "main"]);
    git(repository, ["config", "user.name", "Ada"]);
    git(repository, ["config", "user.email", "ada@example.org"]);
    git(repository, ["config", "commit.gpgsign", "false"]);
    write(&repository.join("a.txt"), "one\n");
    write(&repository.join("sub/b.txt"), "two\n");
    write(&repository.join(".gitignore"), "*.log\n/target/\n.env\n/cache\n");
    commit(repository, "first");
}

/// Runs git, which must succeed.
fn git<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> String {
    let (ok, output) = try_git(folder, args);
    assert!(ok, "{output}");
    output
}

fn try_git<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> (bool, String) {
    let mut command = Command::new("git");
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"))
    {
        command.env_remove(name);
    }
    command.args(["-c", "protocol.file.allow=always"]).arg("-C").arg(folder).args(args);
    let done = command.env("LC_ALL", "C").env("GIT_EDITOR", "true").output().unwrap();
    let text =
        if done.status.success() { done.stdout } else { [done.stdout, done.stderr].concat() };
    (done.status.success(), String::from_utf8_lossy(&text).trim_end().to_owned())
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn commit(folder: &Path, message: &str) {
    git(folder, ["add", "-A"]);
    git(folder, ["commit", "-q", "-m", message]);
}

/// Every path below a folder with type, mode, time and content.
fn listing(folder: &Path) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let seen = path.symlink_metadata().unwrap();
            let content = if seen.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if seen.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            let time = if seen.is_dir() { 0 } else { seen.mtime_nsec() };
            if seen.is_dir() {
                todo.push(path.clone());
            }
            found.insert(
                path.strip_prefix(folder).unwrap().to_owned(),
                (seen.mode(), time, content),
            );
        }
    }
    found
}

/// The way of a worktree out of the trash.
fn way(repository: &Path, from: &Path, to: &Path, branch: Option<&str>) -> WayBack {
    WayBack {
        repository: repository.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        branch: branch.map(str::to_owned),
    }
}
