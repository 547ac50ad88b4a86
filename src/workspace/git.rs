//! Running git: C locale, no prompts, nothing inherited from another git, bounded output; and the
//! lock that lets one change at a time into a repository (`spec/agents.md` Z1, Z5).

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::{OnceCell, OwnedMutexGuard};

use super::list::{Listed, held_branch, parse_list};
use super::{WorkspaceError, WorkspaceResult};
use crate::domain::text::clean_line;
use crate::os::command::{self, Finished};
use crate::os::lock::{self, FileLock, Sharing};
use crate::os::paths::{fingerprint, private_dir};
use crate::os::random;

/// The oldest git that knows everything we ask of it (`worktree list -z`).
pub(super) const OLDEST: &str = "2.36";

/// Bytes of output kept; a listing beyond it is refused rather than cut.
const OUTPUT_LIMIT: usize = 64 << 20;

/// How long the lock file of another git is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Arguments of a call: words and paths mixed.
pub(super) type Args<'a> = &'a [&'a (dyn AsRef<OsStr> + Sync)];

/// The git program.
#[derive(Debug, Clone)]
pub(super) struct Git {
    locks: PathBuf,
    version: Arc<OnceCell<String>>,
    lanes: Arc<Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>>,
}

/// A repository: the folder it was named by, and the git folder that all its worktrees share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    pub folder: PathBuf,
    pub common: PathBuf,
}

/// The right to change a repository, in this process and against others.
#[derive(Debug)]
pub(super) struct RepositoryLock {
    file: FileLock,
    _lane: OwnedMutexGuard<()>,
}

impl Git {
    pub(super) fn new(locks: PathBuf) -> Self {
        Self { locks, version: Arc::default(), lanes: Arc::default() }
    }

    /// The version, asked for once.
    pub(super) async fn version(&self) -> WorkspaceResult<String> {
        let asked = self.version.get_or_try_init(|| async {
            let mut command = bare_command();
            command.arg("--version");
            let done = command::run(command, 1 << 10).await.map_err(start_error)?;
            let text = String::from_utf8_lossy(&done.stdout);
            let found = text.split_whitespace().nth(2).unwrap_or("of unknown version").to_owned();
            if number(&found) < number(OLDEST) {
                return Err(WorkspaceError::GitTooOld { found });
            }
            Ok(found)
        });
        asked.await.cloned()
    }

    /// Reads; every exit code but 0 is a failure. The output is raw, for `-z` listings.
    pub(super) async fn read(
        &self,
        step: &str,
        folder: &Path,
        args: Args<'_>,
    ) -> WorkspaceResult<Vec<u8>> {
        let done = self.run(folder, None, args).await?;
        whole(step, folder, done)
    }

    /// Reads with another index in the place of the worktree's own, which is all that this may write to.
    pub(super) async fn read_by_index(
        &self,
        step: &str,
        folder: &Path,
        index: &Path,
        input: Option<std::fs::File>,
        args: Args<'_>,
    ) -> WorkspaceResult<Vec<u8>> {
        self.version().await?;
        let mut command = reading_command(folder);
        command.env("GIT_INDEX_FILE", index).args(args);
        let input = input.map_or_else(Stdio::null, Stdio::from);
        let done = command::run_with_input(command, input, OUTPUT_LIMIT).await;
        let done = done.map_err(start_error)?;
        whole(step, folder, done)
    }

    /// Asks for one line; exit code 1 means that there is none.
    pub(super) async fn ask(
        &self,
        step: &str,
        folder: &Path,
        args: Args<'_>,
    ) -> WorkspaceResult<Option<String>> {
        let done = self.run(folder, None, args).await?;
        if done.status.code() == Some(1) {
            return Ok(None);
        }
        let done = succeeded(step, folder, done)?;
        let line = String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_owned();
        Ok(Some(line).filter(|line| !line.is_empty()))
    }

    /// Changes something; lock files of other programs are waited for a while. The caller holds the
    /// repository's lock.
    pub(super) async fn change(
        &self,
        held: &RepositoryLock,
        step: &str,
        folder: &Path,
        args: Args<'_>,
    ) -> WorkspaceResult<()> {
        let (mut waited, mut pause) = (Duration::ZERO, Duration::from_millis(20));
        loop {
            let done = self.run(folder, Some(held), args).await?;
            let foreign_lock = !done.status.success()
                && String::from_utf8_lossy(&done.stderr).contains(".lock': File exists");
            if !foreign_lock || waited >= PATIENCE {
                return succeeded(step, folder, done).map(|_| ());
            }
            let wait = pause.mul_f64(0.5 + random::jitter() / 2.0);
            tokio::time::sleep(wait).await;
            waited += wait;
            pause = (pause * 2).min(Duration::from_millis(400));
        }
    }

    /// The repository that a folder is in.
    pub(super) async fn repository(&self, folder: &Path) -> WorkspaceResult<Repository> {
        if !folder.is_dir() {
            return Err(WorkspaceError::NoFolder(folder.to_owned()));
        }
        let args: Args<'_> = &[&"rev-parse", &"--path-format=absolute", &"--git-common-dir"];
        let done = self.run(folder, None, args).await?;
        let done = succeeded("find the repository", folder, done)?;
        let line = done.stdout.strip_suffix(b"\n").unwrap_or(&done.stdout);
        let common = PathBuf::from(OsStr::from_bytes(line));
        let common = common.canonicalize().map_err(WorkspaceError::io("find", &common))?;
        Ok(Repository { folder: folder.to_owned(), common })
    }

    /// Waits for the right to change a repository: in order within this process, then against
    /// other processes.
    pub(super) async fn lock(&self, repository: &Repository) -> WorkspaceResult<RepositoryLock> {
        let lane = {
            let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
            lanes.entry(repository.common.clone()).or_default().clone()
        };
        let lane = lane.lock_owned().await;
        private_dir(&self.locks).map_err(WorkspaceError::io("make", &self.locks))?;
        let name = fingerprint(repository.common.as_os_str().as_bytes());
        let path = self.locks.join(format!("repository-{name:016x}.lock"));
        let file = lock::lock(&path, Sharing::Exclusive)
            .await
            .map_err(WorkspaceError::io("lock", &path))?;
        Ok(RepositoryLock { file, _lane: lane })
    }

    /// Every worktree that a repository has registered; missing ones too.
    pub(super) async fn worktrees(&self, repository: &Repository) -> WorkspaceResult<Vec<Listed>> {
        let args: Args<'_> = &[&"worktree", &"list", &"--porcelain", &"-z"];
        let output = self.read("list the worktrees", &repository.folder, args).await?;
        let mut listed = parse_list(&output);
        for worktree in listed.iter_mut().filter(|worktree| worktree.branch.is_none()) {
            worktree.branch = held_branch(&worktree.path);
        }
        Ok(listed)
    }

    /// The commit that a branch, tag or commit names.
    pub(super) async fn commit(
        &self,
        folder: &Path,
        name: &str,
    ) -> WorkspaceResult<Option<String>> {
        let revision = format!("{name}^{{commit}}");
        let args: Args<'_> =
            &[&"rev-parse", &"--verify", &"--quiet", &"--end-of-options", &revision];
        // A name that is no revision at all is answered with 128.
        let done = self.run(folder, None, args).await?;
        let line = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        Ok(Some(line).filter(|line| done.status.success() && !line.is_empty()))
    }

    /// The commit of a branch.
    pub(super) async fn branch(
        &self,
        folder: &Path,
        name: &str,
    ) -> WorkspaceResult<Option<String>> {
        self.commit(folder, &format!("refs/heads/{name}")).await
    }

    /// A git that changes something holds the repository's lock up with us: were we killed, nobody
    /// else touches the repository before it has ended.
    async fn run(
        &self,
        folder: &Path,
        held: Option<&RepositoryLock>,
        args: Args<'_>,
    ) -> WorkspaceResult<Finished> {
        self.version().await?;
        let (mut command, input) = match held {
            None => (reading_command(folder), Stdio::null()),
            Some(held) => {
                let mut command = bare_command();
                in_folder(&mut command, folder);
                (command, held.file.shared().map_err(start_error)?)
            }
        };
        command.args(args);
        command::run_with_input(command, input, OUTPUT_LIMIT).await.map_err(start_error)
    }
}

/// Git without what an outer git left in the environment, in the C locale, asking nobody.
fn bare_command() -> Command {
    let mut command = Command::new("git");
    drop_git_variables(&mut command);
    command.env("LC_ALL", "C").env_remove("LANGUAGE").env("GIT_TERMINAL_PROMPT", "0");
    command
}

/// A git that takes no lock for what it only tidies.
fn reading_command(folder: &Path) -> Command {
    let mut command = bare_command();
    command.arg("--no-optional-locks");
    in_folder(&mut command, folder);
    command
}

fn in_folder(command: &mut Command, folder: &Path) {
    command.args(["-c", "core.fsmonitor=false", "-c", "color.ui=false", "-C"]).arg(folder);
}

/// What an outer git set for its hooks would lead an inner one astray.
pub(super) fn drop_git_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
}

fn start_error(source: io::Error) -> WorkspaceError {
    if source.kind() == io::ErrorKind::NotFound {
        return WorkspaceError::GitMissing;
    }
    WorkspaceError::Io { step: "start", path: PathBuf::from("git"), source }
}

/// The whole output of a git that succeeded.
fn whole(step: &str, folder: &Path, done: Finished) -> WorkspaceResult<Vec<u8>> {
    if done.cut {
        let (step, path) = (step.to_owned(), folder.to_owned());
        let detail = "the answer is too long".to_owned();
        return Err(WorkspaceError::Git { step, path, detail });
    }
    succeeded(step, folder, done).map(|done| done.stdout)
}

fn succeeded(step: &str, folder: &Path, done: Finished) -> WorkspaceResult<Finished> {
    if done.status.success() {
        return Ok(done);
    }
    if String::from_utf8_lossy(&done.stderr).contains("not a git repository") {
        return Err(WorkspaceError::NotARepository(folder.to_owned()));
    }
    let mut detail = complaints(&done.stderr);
    if detail.is_empty() {
        detail = format!("git ended with {}", done.status);
    }
    Err(WorkspaceError::Git { step: step.to_owned(), path: folder.to_owned(), detail })
}

/// What git says went wrong, without its progress and its advice.
fn complaints(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let marked = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let lines = text.lines().filter(marked).collect::<Vec<_>>().join("\n");
    last_lines(if lines.is_empty() { output } else { lines.as_bytes() }, 4)
}

/// The last lines of a program's output as one clean line.
pub(super) fn last_lines(output: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<String> =
        text.lines().rev().map(clean_line).filter(|line| !line.is_empty()).take(count).collect();
    lines.reverse();
    lines.join("; ")
}

/// Major and minor number of a version.
fn number(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(number("2.47.3") > number(OLDEST));
        assert!(number("2.9.1") < number(OLDEST));
        assert!(number("2.39.5 (Apple Git-154)") > number(OLDEST));
    }

    #[test]
    fn error_output_is_cleaned() {
        assert_eq!(last_lines(b"a\nb\x1b[31m\n\nfatal: c\n", 2), "b[31m; fatal: c");
    }
}
