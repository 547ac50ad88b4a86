//! Hooks in a worktree's own settings of its agent (`spec/agents.md` H1): put there before a launch, taken
//! back before the worktree is given back, and no work of anyone's meanwhile.
//!
//! Linked worktrees have no `info/exclude` of their own: git reads the one that all of them share with the
//! operator's checkout. A file that was made for hooks is excluded by a `.gitignore` beside it, which
//! excludes itself, too. One that was there is merged with and stays as visible as it was.

mod json;
mod merge;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::git::Args;
use super::inspect::must_exist;
use super::ours::git_dir;
use super::prepare::{blocking, place_for};
use super::prepared::Prepared;
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::hook::HookFile;
use crate::os::fs::write_atomic;

/// The note of what was put where, in the worktree's git folder.
const NOTE: &str = "callboard-hooks.json";
/// Largest settings that are merged with, in bytes.
const LIMIT: u64 = 1 << 20;

/// What was put into a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Installed {
    /// The file, relative to the worktree; none where hooks are off.
    file: Option<PathBuf>,
    /// What a file that was made holds at least.
    base: String,
    /// The `.gitignore` that was made, relative, and what is in it.
    ignore: Option<(PathBuf, String)>,
    /// Why hooks are off.
    off: Option<String>,
}

/// What stays of a file without hooks.
enum Rest {
    Nothing,
    Text(String),
    /// Hooks cannot be told from the rest.
    Unknown,
}

impl Workspace {
    /// Puts hooks into a worktree, once. Answers why they are off where they cannot be, the first time
    /// that this is so.
    ///
    /// # Errors
    /// The folder is gone or no worktree; git or the file system said no.
    pub async fn install_hooks(
        &self,
        worktree: &Path,
        hooks: &HookFile,
    ) -> WorkspaceResult<Option<String>> {
        must_exist(worktree)?;
        let before = Installed::load(worktree);
        if before.file.as_ref().is_some_and(|file| *file != hooks.path) {
            self.remove_hooks(worktree).await?;
        }
        let ignore = hooks.path.with_file_name(".gitignore");
        let why = match self.not_free(worktree, &hooks.path, &ignore).await? {
            Err(why) => Some(why),
            Ok(ignored) => {
                let (place, hooks) = (worktree.to_owned(), hooks.clone());
                blocking(worktree, move || put(&place, &hooks, ignored)).await?.err()
            }
        };
        let Some(why) = why else { return Ok(None) };
        let told = before.off.as_ref() == Some(&why);
        // What an earlier launch put there must not stay where this one cannot renew it.
        self.remove_hooks(worktree).await?;
        let note = Installed { off: Some(why.clone()), ..Installed::default() };
        note.save(worktree)?;
        Ok(Some(why).filter(|_| !told))
    }

    /// Takes hooks out of a worktree, and what was made for them alone.
    ///
    /// # Errors
    /// The file system said no.
    pub async fn remove_hooks(&self, worktree: &Path) -> WorkspaceResult<()> {
        let place = worktree.to_owned();
        blocking(worktree, move || Installed::load(&place).take_back(&place)).await
    }

    /// Whether the file is ignored already; or why git does not let us have it: it is tracked, or has to be
    /// excluded by a file that is not ours.
    async fn not_free(
        &self,
        worktree: &Path,
        file: &Path,
        ignore: &Path,
    ) -> WorkspaceResult<Result<bool, String>> {
        // Git itself would refuse to look behind a link.
        let mut parts = file.ancestors().filter(|part| !part.as_os_str().is_empty());
        if let Some(link) = parts.find(|part| worktree.join(part).is_symlink()) {
            return Ok(Err(format!("{} is a link", link.display())));
        }
        let literal = |path: &Path| {
            let mut spec = std::ffi::OsString::from(":(top,literal)");
            spec.push(path);
            spec
        };
        let (step, spec) = ("look for tracked settings", literal(file));
        let listed: Args<'_> = &[&"ls-files", &"-z", &"--cached", &"--", &spec];
        if !self.git.read(step, worktree, listed).await?.is_empty() {
            return Ok(Err(format!("git tracks {}", file.display())));
        }
        let listed: Args<'_> = &[&"check-ignore", &"--no-index", &"--", &file];
        let ignored = self.git.ask("look for excluded settings", worktree, listed).await?.is_some();
        if ignored || worktree.join(file).symlink_metadata().is_ok() {
            return Ok(Ok(true));
        }
        let spec = literal(ignore);
        let listed: Args<'_> = &[&"ls-files", &"-z", &"--cached", &"--", &spec];
        let tracked = !self.git.read(step, worktree, listed).await?.is_empty();
        if tracked || worktree.join(ignore).symlink_metadata().is_ok() {
            let why = format!("{} does not exclude {}", ignore.display(), file.display());
            return Ok(Err(why));
        }
        Ok(Ok(false))
    }
}

/// Puts the hooks there; or says why that cannot be.
fn put(worktree: &Path, hooks: &HookFile, ignored: bool) -> WorkspaceResult<Result<(), String>> {
    let HookFile { path, entries } = hooks;
    let full = worktree.join(path);
    let before = match read(&full) {
        Ok(before) => before,
        Err(why) => return Ok(Err(format!("{}: {why}", path.display()))),
    };
    let known = Installed::load(worktree);
    let mut note = Installed { file: Some(path.clone()), off: None, ..known.clone() };
    note.base.clone_from(&entries.base);
    let content = match merge::install(before.as_deref(), entries) {
        Ok(content) => content,
        Err(unfit) => return Ok(Err(format!("{}: {}", path.display(), unfit.words()))),
    };
    let ignore = path.with_file_name(".gitignore");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let lines = format!("# callboard-hooks\n/.gitignore\n/{name}\n");
    if !ignored || read(&worktree.join(&ignore)).ok().flatten().as_ref() == Some(&lines) {
        note.ignore = Some((ignore, lines));
    }
    if before.as_ref() == Some(&content) && note == known {
        return Ok(Ok(()));
    }
    if let Err(why) = place_for(worktree, path) {
        return Ok(Err(why));
    }
    // Noted first: whatever is there after a crash is known as ours.
    note.save(worktree)?;
    if let Some((ignore, lines)) = &note.ignore {
        write(&worktree.join(ignore), lines)?;
    }
    keeping_prepared(worktree, path, || write(&full, &content))?;
    Ok(Ok(()))
}

/// What is in a file of settings; none where there is none.
fn read(path: &Path) -> Result<Option<String>, String> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(found) if !found.is_file() => return Err("it is no plain file".to_owned()),
        Ok(found) if found.len() > LIMIT => return Err("it is too large".to_owned()),
        Ok(_) => {}
    }
    std::fs::read_to_string(path).map(Some).map_err(|error| error.to_string())
}

/// Writes with the mode that the file had.
fn write(path: &Path, content: &str) -> WorkspaceResult<()> {
    let mode = path.metadata().ok().map(|found| found.permissions());
    let written = write_atomic(path, content.as_bytes());
    let written = written.and_then(|()| match mode {
        Some(mode) => std::fs::set_permissions(path, mode),
        None => Ok(()),
    });
    written.map_err(WorkspaceError::io("write", path))
}

/// Changes a file that prepare put there without making it work of anyone's (`spec/lifecycle.md` K3).
fn keeping_prepared(
    worktree: &Path,
    path: &Path,
    change: impl FnOnce() -> WorkspaceResult<()>,
) -> WorkspaceResult<()> {
    let mut prepared = Prepared::load(worktree);
    let held = prepared.holds(worktree, path);
    change()?;
    if held {
        prepared.note(worktree, path);
        prepared.save(worktree)?;
    }
    Ok(())
}

impl Installed {
    /// Reads the note of a worktree; empty where there is none.
    pub(super) fn load(worktree: &Path) -> Self {
        let read = |folder: PathBuf| std::fs::read(folder.join(NOTE)).ok();
        let content = git_dir(worktree).and_then(read);
        content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default()
    }

    fn save(&self, worktree: &Path) -> WorkspaceResult<()> {
        let Some(folder) = git_dir(worktree) else {
            return Err(WorkspaceError::NotOurs(worktree.to_owned()));
        };
        let path = folder.join(NOTE);
        let written = serde_json::to_vec(self).map_err(io::Error::other);
        let written = written.and_then(|content| write_atomic(&path, &content));
        written.map_err(WorkspaceError::io("write", &path))
    }

    /// Whether nothing but hooks of ours is in this path, so that it is no work of anyone's.
    pub(super) fn is_only_ours(&self, worktree: &Path, path: &Path) -> bool {
        let now = || read(&worktree.join(path)).ok().flatten();
        if self.file.as_deref() == Some(path) {
            return now().is_some_and(|now| matches!(self.without(&now), Rest::Nothing));
        }
        self.ignore.as_ref().is_some_and(|(at, lines)| at == path && now().as_ref() == Some(lines))
    }

    fn without(&self, now: &str) -> Rest {
        match merge::remove(now, &self.base) {
            Ok(None) => Rest::Nothing,
            Ok(Some(rest)) => Rest::Text(rest),
            Err(_) => Rest::Unknown,
        }
    }

    fn take_back(self, worktree: &Path) -> WorkspaceResult<()> {
        let Some(folder) = git_dir(worktree) else { return Ok(()) };
        if let Some(path) = &self.file {
            let full = worktree.join(path);
            let now = read(&full).ok().flatten();
            match now.as_deref().map_or(Rest::Unknown, |now| self.without(now)) {
                Rest::Nothing => remove(&full)?,
                Rest::Text(rest) if now.as_ref() != Some(&rest) => {
                    keeping_prepared(worktree, path, || write(&full, &rest))?;
                }
                Rest::Text(_) | Rest::Unknown => {}
            }
        }
        if let Some((ignore, lines)) = &self.ignore {
            let full = worktree.join(ignore);
            if read(&full).ok().flatten().as_ref() == Some(lines) {
                remove(&full)?;
            }
        }
        for folder in self.file.iter().flat_map(|file| file.ancestors().skip(1)) {
            // Fails where something is left in it, as it should.
            if folder.as_os_str().is_empty() || std::fs::remove_dir(worktree.join(folder)).is_err()
            {
                break;
            }
        }
        remove(&folder.join(NOTE))
    }
}

fn remove(path: &Path) -> WorkspaceResult<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WorkspaceError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
