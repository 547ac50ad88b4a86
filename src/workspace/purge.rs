//! Removing worktrees that lie in the trash for good (`spec/lifecycle.md` R5, `spec/agents.md` Z4).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::{Args, Repository};
use super::ours::{real, strictly_inside};
use super::prepare::blocking;
use super::trash::{find_record, forget};
use super::{Workspace, WorkspaceError, WorkspaceResult};
use crate::domain::ids::SessionId;
use crate::os::fs::remove_tree;

impl Workspace {
    /// Folders where worktrees are made that are there, ascending, with the session that each is
    /// named after.
    ///
    /// # Errors
    /// The folder of the worktrees cannot be read.
    pub async fn worktrees(&self) -> WorkspaceResult<Vec<(SessionId, PathBuf)>> {
        named(self.home.worktrees(&self.name)).await
    }

    /// Folders that lie in the trash for these sessions, ascending.
    ///
    /// # Errors
    /// The trash cannot be read.
    pub async fn trashed(
        &self,
        ids: &BTreeSet<SessionId>,
    ) -> WorkspaceResult<Vec<(SessionId, PathBuf)>> {
        let mut found = self.in_trash().await?;
        found.retain(|(id, _)| ids.contains(id));
        Ok(found)
    }

    /// Folders that lie in the trash, with the session that each is named after, ascending.
    ///
    /// # Errors
    /// The trash cannot be read.
    pub async fn in_trash(&self) -> WorkspaceResult<Vec<(SessionId, PathBuf)>> {
        named(self.home.trash(&self.name)).await
    }

    /// Removes a folder in the trash with its registration; answers the bytes of files that went.
    /// Done already is a success.
    ///
    /// # Errors
    /// The folder is not in our trash, or git or the file system said no. What was begun is continued
    /// by the next call.
    pub async fn remove_trashed(
        &self,
        repository: Option<&Path>,
        path: &Path,
    ) -> WorkspaceResult<u64> {
        strictly_inside(&self.home.trash(&self.name), path)?;
        let place = path.to_owned();
        let bytes = blocking(path, move || {
            remove_tree(&place).map_err(WorkspaceError::io("remove", &place))
        })
        .await?;
        let repository = match repository {
            Some(folder) => self.repository_if_there(folder).await?,
            None => None,
        };
        if let Some(repository) = repository {
            let held = self.git.lock(&repository).await?;
            if let Some(registered) = self.registered(&repository, path).await? {
                // Twice, since it is locked; the folder itself is gone already.
                let args: Args<'_> = &[&"worktree", &"remove", &"--force", &"--force", &registered];
                self.git.change(&held, "unregister the worktree", &repository.folder, args).await?;
            }
        }
        forget(path);
        self.forget_made(path);
        Ok(bytes)
    }

    /// How git names the missing worktree that lay at `path`, if it still knows it.
    async fn registered(
        &self,
        repository: &Repository,
        path: &Path,
    ) -> WorkspaceResult<Option<PathBuf>> {
        // By the record: listing thousands of worktrees for each of them takes too long. A move that
        // was cut short left the old place registered.
        let recorded = find_record(path)?.and_then(|record| record.git_dir);
        if let Some(folder) = recorded.filter(|it| it.starts_with(&repository.common)) {
            let known = std::fs::read(folder.join("gitdir")).ok();
            let known = known.map(|text| folder.join(OsStr::from_bytes(text.trim_ascii_end())));
            let place = known.and_then(|link| link.parent().map(Path::to_owned));
            return Ok(place.filter(|it| it.symlink_metadata().is_err()));
        }
        let place = real(path);
        let listed = self.git.worktrees(repository).await?;
        Ok(listed.into_iter().map(|it| it.path).find(|it| *it == place || it == path))
    }

    /// Whether a branch is one that callboard makes for a session that names none: of the template, or the
    /// first of it with a number at its end that was free.
    pub fn is_own_branch(&self, session: &SessionId, branch: &str) -> bool {
        let template = self.template_branch(session);
        let number = |rest: &str| rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok());
        branch.strip_prefix(&template).is_some_and(|rest| rest.is_empty() || number(rest))
    }

    /// Deletes branches of one repository together; with `merged` only those whose commits the
    /// default branch or the present one holds and that nobody has checked out. The default branch
    /// always stays. Answers those that stay although they were asked for by name, each with the
    /// reason. Done already is a success.
    ///
    /// # Errors
    /// Git said no before anything was deleted.
    pub async fn delete_branches(
        &self,
        repository: &Path,
        branches: &[String],
        merged: bool,
    ) -> WorkspaceResult<BTreeMap<String, WorkspaceError>> {
        let mut stay = BTreeMap::new();
        let Some(repository) = self.repository_if_there(repository).await? else {
            return Ok(stay);
        };
        let held = self.git.lock(&repository).await?;
        let default = self.default_branch(&repository).await?;
        let there = if merged {
            let mut there = BTreeMap::new();
            for base in ["refs/remotes/origin/HEAD", "HEAD"] {
                if let Some(base) = self.git.commit(&repository.folder, base).await? {
                    there.extend(self.users(&repository, branches, Some(&base)).await?);
                }
            }
            there
        } else {
            self.users(&repository, branches, None).await?
        };
        let mut free: Vec<String> = Vec::with_capacity(there.len());
        for (branch, user) in there {
            match user {
                _ if default.as_ref() == Some(&branch) => {
                    stay.insert(branch.clone(), WorkspaceError::DefaultBranch(branch));
                }
                Some(folder) => {
                    stay.insert(branch.clone(), WorkspaceError::BranchInUse { branch, folder });
                }
                None => free.push(branch),
            }
        }
        if merged {
            stay.clear();
        }
        if free.is_empty() {
            return Ok(stay);
        }
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> = vec![&"branch", &"-q", &"-D", &"--"];
        args.extend(free.iter().map(|branch| branch as &(dyn AsRef<OsStr> + Sync)));
        let step = "delete the branches";
        match self.git.change(&held, step, &repository.folder, &args).await {
            // Git goes on after one that it refuses, as a rebase may hold it.
            Err(WorkspaceError::Git { detail, .. }) if !merged => {
                let left = self.users(&repository, &free, None).await?;
                stay.extend(left.into_keys().map(|branch| {
                    let step = format!("delete the branch {branch}");
                    let (path, detail) = (repository.folder.clone(), detail.clone());
                    (branch, WorkspaceError::Git { step, path, detail })
                }));
            }
            Err(error @ WorkspaceError::Git { .. }) => {
                tracing::debug!(%error, "a merged branch stays");
            }
            other => other?,
        }
        Ok(stay)
    }

    /// Those of `branches` that are there, with `base` only those that it holds, and the worktree that
    /// has each checked out.
    async fn users(
        &self,
        repository: &Repository,
        branches: &[String],
        base: Option<&str>,
    ) -> WorkspaceResult<BTreeMap<String, Option<PathBuf>>> {
        let merged = base.map(|base| format!("--merged={base}"));
        let names: Vec<String> =
            branches.iter().map(|branch| format!("refs/heads/{branch}")).collect();
        let format = "--format=%(refname:lstrip=2)%00%(worktreepath)%00";
        let mut args: Vec<&(dyn AsRef<OsStr> + Sync)> = vec![&"for-each-ref", &format];
        args.extend(merged.iter().map(|merged| merged as &(dyn AsRef<OsStr> + Sync)));
        args.extend(names.iter().map(|name| name as &(dyn AsRef<OsStr> + Sync)));
        let output = self.git.read("look who uses the branches", &repository.folder, &args).await?;
        let mut fields = output.split(|byte| *byte == 0);
        let mut found = BTreeMap::new();
        while let (Some(name), Some(user)) = (fields.next(), fields.next()) {
            let name = String::from_utf8_lossy(name.trim_ascii_start()).into_owned();
            let user = (!user.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(user)));
            found.insert(name, user);
        }
        // A pattern also finds what lies below it.
        found.retain(|name, _| branches.contains(name));
        Ok(found)
    }

    /// The branch that the repository's remote or its main folder stands on (Z4).
    async fn default_branch(&self, repository: &Repository) -> WorkspaceResult<Option<String>> {
        let (step, folder) = ("find the default branch", &repository.common);
        for (name, before) in
            [("refs/remotes/origin/HEAD", "refs/remotes/origin/"), ("HEAD", "refs/heads/")]
        {
            let args: Args<'_> = &[&"symbolic-ref", &"--quiet", &name];
            let found = self.git.ask(step, folder, args).await?;
            if let Some(branch) =
                found.and_then(|full| full.strip_prefix(before).map(str::to_owned))
            {
                return Ok(Some(branch));
            }
        }
        Ok(None)
    }
}

/// Folders two levels below `root`, with the session that each is named after, ascending.
async fn named(root: PathBuf) -> WorkspaceResult<Vec<(SessionId, PathBuf)>> {
    let place = root.clone();
    blocking(&place, move || {
        let mut found = Vec::new();
        for parent in entries(&root)? {
            for path in entries(&parent)? {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if let (Ok(id), true) = (SessionId::new(name), path.is_dir()) {
                    found.push((id, path));
                }
            }
        }
        found.sort();
        Ok(found)
    })
    .await
}

/// What is in a folder; nothing where it is not there.
fn entries(folder: &Path) -> WorkspaceResult<Vec<PathBuf>> {
    let read = match std::fs::read_dir(folder) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        other => other.map_err(WorkspaceError::io("read", folder))?,
    };
    let paths = read.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<io::Result<_>>().map_err(WorkspaceError::io("read", folder))
}
