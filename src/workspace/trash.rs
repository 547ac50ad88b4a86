//! Moving worktrees aside whole and back (`spec/lifecycle.md` D9, R1, R2).
//!
//! There: lock, rename, register, detach. Back: rename, register, attach, unlock. Every step may
//! find itself done already, so that a move that was cut short is continued by calling it again:
//! where the folder is tells how far it came. The lock comes first, since an unlocked worktree that
//! is not where git thinks loses its index at the next prune.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::git::{Args, Repository, RepositoryLock};
use super::list::holder;
use super::ours::{git_dir, strictly_inside, unfinished};
use super::registered::{LOCK_REASON, lock_worktree, registered, unlock_worktree};
use super::{Moved, Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::worktree::WayBack;
use crate::os::fs::{rename_noreplace, write_atomic};
use crate::os::paths::private_dir;

/// Longer than a prune of someone else takes from looking for the lock to looking for the folder: one
/// that saw no lock must have seen the folder too before it goes, or it takes the index away.
const PRUNE_LOOKS: Duration = Duration::from_millis(25);

/// What is said where there is no repository any more.
pub(super) const ALONE: &str = "its repository is gone: only the folder is moved";

/// What becomes of the branch of a worktree that comes back.
pub(super) enum Attach {
    /// Nothing: it had none, or has it.
    Nothing,
    /// It is checked out again: its full name.
    To(String),
    /// It is left alone, and why.
    Detached(String),
}

/// What is needed to bring a worktree back as it was; lies beside it in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// Its git folder; none where it was no registered worktree.
    pub(super) git_dir: Option<PathBuf>,
    /// The operator had locked it, so that it stays locked.
    was_locked: bool,
    /// The branch that it had checked out and gives free.
    branch: Option<String>,
    /// The commit of that branch.
    commit: Option<String>,
}

impl Record {
    /// A way back that was cut short before the branch was attached left its record: only that one
    /// still knows the branch.
    fn or_branch_of(self, earlier: Option<Self>) -> Self {
        match earlier {
            Some(Self { branch, commit, .. }) if self.branch.is_none() => {
                Self { branch, commit, ..self }
            }
            _ => self,
        }
    }
}

impl Workspace {
    /// Moves a worktree into the trash whole and releases its branch. Done already is a success; a
    /// folder that is gone is said so.
    ///
    /// # Errors
    /// The folder is not ours, something is in the way, or git or the file system said no. What was
    /// begun is continued by the next call.
    pub async fn move_to_trash(
        &self,
        repository: &Path,
        from: &Path,
        to: &Path,
    ) -> WorkspaceResult<Moved> {
        strictly_inside(&self.home.trash(&self.name), to)?;
        let found = self.repository_if_there(repository).await?;
        self.check_movable(found.as_ref(), from)?;
        let Some(repository) = found else {
            let moved = move_alone(from, to)?;
            self.forget_made(from);
            return Ok(moved);
        };
        let mut held = self.git.lock(&repository).await?;
        if exists(from) {
            if exists(to) {
                return Err(WorkspaceError::Occupied(to.to_owned()));
            }
            if registered(&repository, from)?.is_some() && lock_worktree(from)? {
                // The other moves of the repository go on meanwhile.
                drop(held);
                tokio::time::sleep(PRUNE_LOOKS).await;
                held = self.git.lock(&repository).await?;
            }
            let record = self.record(&repository, from).await?.or_branch_of(find_record(to)?);
            write_record(to, &record)?;
            if let Err(error) = rename(from, to) {
                unlock_worktree(from)?;
                forget(to);
                return Err(error);
            }
            self.forget_made(from);
        } else if !exists(to) {
            return Ok(note("its folder was gone"));
        }
        let record = read_record(to)?;
        if record.git_dir.is_none() {
            return Ok(note("it was no registered worktree"));
        }
        self.register(&held, &repository, to).await?;
        self.detach(&held, to, &record).await
    }

    /// Refuses what is not ours to move: a folder under our root that callboard did not make, and one
    /// elsewhere, where `restore --to` puts folders, that is no linked worktree of the repository.
    fn check_movable(&self, repository: Option<&Repository>, from: &Path) -> WorkspaceResult<()> {
        let Err(elsewhere) = strictly_inside(&self.home.worktrees(&self.name), from) else {
            return self.check_ours(from);
        };
        let linked = |repository| !exists(from) || is_linked(repository, from);
        if repository.is_some_and(linked) { Ok(()) } else { Err(elsewhere) }
    }

    /// Moves a worktree back, attaches its branch where that is still right, and unlocks it. Done
    /// already is a success. A missing trash folder makes the worktree again from `branch`.
    ///
    /// # Errors
    /// The place is taken, the branch to make it again from is gone, or git or the file system said
    /// no. What was begun is continued by the next call.
    pub async fn move_back(
        &self,
        WayBack { repository, from, to, branch }: &WayBack,
    ) -> WorkspaceResult<Moved> {
        strictly_inside(&self.home.trash(&self.name), from)?;
        let Some(repository) = self.repository_if_there(repository).await? else {
            let moved = move_alone(from, to)?;
            self.note_made(to)?;
            forget(from);
            return Ok(moved);
        };
        let (in_trash, in_place) = (exists(from), exists(to));
        if in_trash && in_place {
            return Err(WorkspaceError::Occupied(to.clone()));
        }
        if !in_trash && !in_place {
            let made = self.ensure_worktree(&repository.folder, to, branch.as_deref()).await?;
            forget(from);
            return Ok(made);
        }
        let held = self.git.lock(&repository).await?;
        let Some(record) = find_record(from)? else {
            // Nothing is left to do for a move that ended, or for a folder moved without git.
            if in_place {
                return Ok(Moved::default());
            }
            let moved = move_alone(from, to)?;
            self.note_made(to)?;
            return Ok(moved);
        };
        if in_trash {
            rename(from, to)?;
        }
        self.note_made(to)?;
        let Some(folder) = &record.git_dir else {
            forget(from);
            return Ok(Moved::default());
        };
        // By name alone: a relative link is wrong until it is registered.
        if git_dir(to).is_some_and(|found| found.file_name() != folder.file_name()) {
            return Err(WorkspaceError::Occupied(to.clone()));
        }
        self.register(&held, &repository, to).await?;
        let moved = self.attach(&held, &repository, to, &record).await?;
        if !record.was_locked {
            unlock_worktree(to)?;
        }
        forget(from);
        Ok(moved)
    }

    pub(super) async fn repository_if_there(
        &self,
        folder: &Path,
    ) -> WorkspaceResult<Option<Repository>> {
        match self.git.repository(folder).await {
            Ok(repository) => Ok(Some(repository)),
            Err(WorkspaceError::NoFolder(_) | WorkspaceError::NotARepository(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What a worktree is before it is moved.
    async fn record(&self, repository: &Repository, path: &Path) -> WorkspaceResult<Record> {
        let Some(folder) = registered(repository, path)? else {
            return Ok(Record::default());
        };
        let reason = std::fs::read_to_string(folder.join("locked")).ok();
        let was_locked = reason.is_some_and(|reason| reason.trim() != LOCK_REASON);
        let attached: Args<'_> = &[&"symbolic-ref", &"--quiet", &"HEAD"];
        let branch = self.git.ask("read the branch", path, attached).await?;
        let branch = branch.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned));
        let commit = self.git.commit(path, "HEAD").await?;
        Ok(Record { git_dir: Some(folder), was_locked, branch, commit })
    }

    /// Frees the branch: HEAD names the commit itself. Neither index nor files are touched.
    async fn detach(
        &self,
        held: &RepositoryLock,
        path: &Path,
        record: &Record,
    ) -> WorkspaceResult<Moved> {
        if let Some(what) = record.git_dir.as_deref().and_then(unfinished) {
            return Ok(note(&format!("{what} is under way: its branch stays in use")));
        }
        match (&record.branch, &record.commit) {
            (Some(branch), None) => {
                Ok(note(&format!("branch {branch} has no commit yet and stays in use")))
            }
            (Some(_), Some(_)) => {
                let message = "moved to callboard's trash";
                let args: Args<'_> =
                    &[&"update-ref", &"-m", &message, &"--no-deref", &"HEAD", &"HEAD"];
                self.git.change(held, "release the branch", path, args).await?;
                Ok(Moved::default())
            }
            (None, _) => Ok(Moved::default()),
        }
    }

    /// Checks the branch out again as it was, only if it still points there and nobody has it: git
    /// itself would let two worktrees have one branch here.
    async fn attach(
        &self,
        held: &RepositoryLock,
        repository: &Repository,
        path: &Path,
        record: &Record,
    ) -> WorkspaceResult<Moved> {
        let full = match self.way_to_attach(repository, path, record).await? {
            Attach::Nothing => return Ok(Moved::default()),
            Attach::Detached(why) => return Ok(note(&why)),
            Attach::To(full) => full,
        };
        let message = "brought back from callboard's trash";
        let args: Args<'_> = &[&"symbolic-ref", &"-m", &message, &"HEAD", &full];
        self.git.change(held, "attach the branch", path, args).await?;
        Ok(Moved::default())
    }

    /// What attaching would come to.
    pub(super) async fn way_to_attach(
        &self,
        repository: &Repository,
        path: &Path,
        record: &Record,
    ) -> WorkspaceResult<Attach> {
        let (Some(branch), Some(commit)) = (&record.branch, &record.commit) else {
            return Ok(Attach::Nothing);
        };
        let attached: Args<'_> = &[&"symbolic-ref", &"--quiet", &"HEAD"];
        if self.git.ask("read the branch", path, attached).await?.is_some() {
            return Ok(Attach::Nothing);
        }
        if record.git_dir.as_deref().is_some_and(|folder| unfinished(folder).is_some()) {
            return Ok(Attach::Nothing);
        }
        let full = format!("refs/heads/{branch}");
        let format = "--format=%(refname) %(objectname) %(worktreepath)";
        let found: Args<'_> = &[&"for-each-ref", &format, &full];
        let found = self.git.ask("look for the branch", path, found).await?.unwrap_or_default();
        // Branches below one of that name are found too.
        let own = found.lines().find_map(|line| line.strip_prefix(&full)?.strip_prefix(' '));
        let Some((now, user)) = own.and_then(|rest| rest.split_once(' ')) else {
            return Ok(Attach::Detached(format!("left detached: branch {branch} is gone")));
        };
        let user = Some(PathBuf::from(user)).filter(|user| !user.as_os_str().is_empty());
        if let Some(user) = user.or_else(|| holder(repository, branch)) {
            let user = user.display();
            let why = format!("left detached: branch {branch} is in use in {user}");
            return Ok(Attach::Detached(why));
        }
        if now != commit {
            return Ok(Attach::Detached(format!("left detached: branch {branch} has moved on")));
        }
        Ok(Attach::To(full))
    }
}

fn note(text: &str) -> Moved {
    Moved { note: Some(text.to_owned()) }
}

/// A worktree of this repository that is no link to one: ours too, where a restore put it into
/// another place than it was made in.
fn is_linked(repository: &Repository, folder: &Path) -> bool {
    let linked = folder.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let of_repository = |found: &PathBuf| found.starts_with(repository.common.join("worktrees"));
    !linked && git_dir(folder).as_ref().is_some_and(of_repository)
}

pub(super) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn rename(from: &Path, to: &Path) -> WorkspaceResult<()> {
    let parent = to.parent().unwrap_or(to);
    private_dir_if_new(parent)?;
    match rename_noreplace(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(WorkspaceError::Occupied(to.to_owned()))
        }
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            Err(WorkspaceError::OtherDisk { from: from.to_owned(), to: to.to_owned() })
        }
        other => other.map_err(WorkspaceError::io("move", from)),
    }
}

/// A place that the operator chose keeps its mode.
fn private_dir_if_new(folder: &Path) -> WorkspaceResult<()> {
    if folder.is_dir() {
        return Ok(());
    }
    private_dir(folder).map_err(WorkspaceError::io("make", folder))
}

/// The move where there is no repository any more.
fn move_alone(from: &Path, to: &Path) -> WorkspaceResult<Moved> {
    if exists(from) {
        rename(from, to)?;
    } else if !exists(to) {
        return Err(WorkspaceError::NoFolder(from.to_owned()));
    }
    Ok(note(ALONE))
}

fn record_path(in_trash: &Path) -> PathBuf {
    let mut name = in_trash.file_name().unwrap_or_default().to_owned();
    name.push(".json");
    in_trash.with_file_name(name)
}

fn write_record(in_trash: &Path, record: &Record) -> WorkspaceResult<()> {
    let path = record_path(in_trash);
    private_dir_if_new(path.parent().unwrap_or(&path))?;
    serde_json::to_vec_pretty(record)
        .map_err(io::Error::other)
        .and_then(|content| write_atomic(&path, &content))
        .map_err(WorkspaceError::io("write", &path))
}

pub(super) fn find_record(in_trash: &Path) -> WorkspaceResult<Option<Record>> {
    let path = record_path(in_trash);
    match std::fs::read(&path) {
        Ok(content) => {
            let parsed = serde_json::from_slice(&content).map_err(io::Error::other);
            parsed.map(Some).map_err(WorkspaceError::io("read", &path))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(WorkspaceError::io("read", &path)(error)),
    }
}

fn read_record(in_trash: &Path) -> WorkspaceResult<Record> {
    Ok(find_record(in_trash)?.unwrap_or_default())
}

/// Removes the record, and the batch's folder with the last one.
pub(super) fn forget(in_trash: &Path) {
    let path = record_path(in_trash);
    if let Err(error) = std::fs::remove_file(&path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, path = %path.display(), "a record stays in the trash");
    }
    if let Some(batch) = path.parent() {
        // Fails where other worktrees are in it, as it should.
        let _ = std::fs::remove_dir(batch);
    }
}
