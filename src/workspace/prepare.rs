//! Making a fresh worktree ready: copies of ignored files, links, commands (`spec/agents.md` Z2).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use tokio::process::Command;

use super::git::{drop_git_variables, last_lines};
use super::inspect::must_exist;
use super::prepared::Prepared;
use super::status::{EntryKind, Files};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::rail::ProjectSetup;
use crate::os::command;

/// Bytes of a set-up command's output that are kept.
const OUTPUT_LIMIT: usize = 1 << 20;

/// Lines of a failed command's output that are shown.
const SHOWN_LINES: usize = 12;

impl Workspace {
    /// Copies ignored files of the repository's own checkout, makes links to it, and runs the
    /// set-up commands, each as a line of the operator's shell. What was put there is noted also
    /// when it fails.
    ///
    /// # Errors
    /// A path leaves its folder or is missing, a command fails or takes too long: with its output.
    pub async fn prepare(
        &self,
        repository: &Path,
        worktree: &Path,
        setup: &ProjectSetup,
    ) -> WorkspaceResult<()> {
        must_exist(worktree)?;
        if *setup == ProjectSetup::default() {
            return Ok(());
        }
        let copies = self.files_to_copy(repository, &setup.copy).await?;
        let (from, to, links) = (repository.to_owned(), worktree.to_owned(), setup.link.clone());
        blocking(worktree, move || {
            let mut prepared = Prepared::load(&to);
            let put = put_files(&from, &to, &copies, &links, &mut prepared);
            prepared.save(&to)?;
            put
        })
        .await?;
        if setup.commands.is_empty() {
            return Ok(());
        }
        let ran = self.run_commands(worktree, &setup.commands).await;
        let entries = self.status(worktree, Files::Every).await?.entries;
        let place = worktree.to_owned();
        blocking(worktree, move || {
            let mut prepared = Prepared::load(&place);
            for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Ignored) {
                prepared.note(&place, &entry.path);
            }
            prepared.save(&place)
        })
        .await?;
        ran
    }

    /// Takes back what [`Workspace::prepare`] put there and nobody changed.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub async fn unprepare(&self, worktree: &Path) -> WorkspaceResult<()> {
        let place = worktree.to_owned();
        blocking(worktree, move || Prepared::load(&place).remove(&place)).await
    }

    /// Ignored files of the repository's checkout that match one of the globs, relative to it.
    async fn files_to_copy(
        &self,
        repository: &Path,
        globs: &[String],
    ) -> WorkspaceResult<Vec<PathBuf>> {
        if globs.is_empty() {
            return Ok(Vec::new());
        }
        let patterns: Vec<String> = globs.iter().map(|glob| format!(":(glob){glob}")).collect();
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> =
            vec![&"ls-files", &"-z", &"--others", &"--ignored", &"--exclude-standard", &"--"];
        args.extend(patterns.iter().map(|pattern| pattern as &(dyn AsRef<OsStr> + Sync)));
        let output = self.git.read("list the files to copy", repository, &args).await?;
        let names = output.split(|byte| *byte == 0);
        // A folder in the listing is a repository of its own and is not copied.
        let files = names.filter(|name| !name.is_empty() && !name.ends_with(b"/"));
        Ok(files.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
    }

    async fn run_commands(&self, worktree: &Path, lines: &[String]) -> WorkspaceResult<()> {
        let all = async {
            for line in lines {
                run_command(worktree, line).await?;
            }
            Ok(())
        };
        tokio::time::timeout(self.setup_limit, all).await.unwrap_or_else(|_| {
            let seconds = self.setup_limit.as_secs();
            let what = format!("the commands took longer than {seconds} s");
            Err(WorkspaceError::SetUp { path: worktree.to_owned(), what })
        })
    }
}

/// Work on many files, off the threads that must not wait.
pub(super) async fn blocking<T: Send + 'static>(
    worktree: &Path,
    work: impl FnOnce() -> WorkspaceResult<T> + Send + 'static,
) -> WorkspaceResult<T> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(WorkspaceError::io("work on", worktree)(error.into())))
}

async fn run_command(worktree: &Path, line: &str) -> WorkspaceResult<()> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(line).current_dir(worktree);
    drop_git_variables(&mut shell);
    let done = command::run(shell, OUTPUT_LIMIT)
        .await
        .map_err(WorkspaceError::io("start a shell in", worktree))?;
    if done.status.success() {
        return Ok(());
    }
    let output = [last_lines(&done.stdout, SHOWN_LINES), last_lines(&done.stderr, SHOWN_LINES)];
    let output =
        output.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("; ");
    let what = format!("`{line}` ended with {}: {output}", done.status);
    Err(WorkspaceError::SetUp { path: worktree.to_owned(), what })
}

fn put_files(
    repository: &Path,
    worktree: &Path,
    copies: &[PathBuf],
    links: &[PathBuf],
    prepared: &mut Prepared,
) -> WorkspaceResult<()> {
    let refuse = |what: String| WorkspaceError::SetUp { path: worktree.to_owned(), what };
    for path in copies {
        let to = place_for(worktree, path).map_err(refuse)?;
        let from = repository.join(path);
        if to.symlink_metadata().is_ok() {
            continue;
        }
        copy(&from, &to).map_err(WorkspaceError::io("copy", &from))?;
        prepared.note(worktree, path);
    }
    for path in links {
        let to = place_for(worktree, path).map_err(refuse)?;
        let from = repository.join(path);
        if std::fs::read_link(&to).is_ok_and(|target| target == from) {
            continue;
        }
        if from.symlink_metadata().is_err() {
            return Err(refuse(format!("{} to link is not there", from.display())));
        }
        std::os::unix::fs::symlink(&from, &to).map_err(WorkspaceError::io("make the link", &to))?;
        prepared.note(worktree, path);
    }
    Ok(())
}

/// The place of a relative path in the worktree, its folder made; refused where it would be outside.
pub(super) fn place_for(worktree: &Path, path: &Path) -> Result<PathBuf, String> {
    let plain =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain || path.file_name().is_none() {
        return Err(format!("{} is no path inside the project", path.display()));
    }
    let place = worktree.join(path);
    let folder = place.parent().unwrap_or(worktree);
    if super::ours::real(folder) != super::ours::real(worktree)
        && super::ours::strictly_inside(worktree, folder).is_err()
    {
        return Err(format!("{} leaves the worktree by a link", path.display()));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(place)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.symlink_metadata()?.is_symlink() {
        return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    }
    std::fs::copy(from, to).map(|_| ())
}
