//! Worktrees by the `git` program (`spec/agents.md` Z1 to Z6): the only git.
//!
//! Repositories are read in parallel and changed one at a time. Every call ends its git when the
//! caller drops the future, so deadlines are the caller's.

mod changes;
mod create;
mod diff;
mod error;
mod foresee;
mod git;
mod give_back;
mod hooks;
mod inspect;
mod list;
mod made;
mod ours;
mod prepare;
mod prepared;
mod purge;
mod registered;
mod remotes;
mod status;
mod trash;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use error::WorkspaceError;

use crate::config::Config;
use crate::domain::ids::{BatchId, ProjectName, SessionId, WorkspaceName};
use crate::domain::worktree::{Freed, Moved, Worktree, WorktreeRequest};
use crate::os::paths::Home;
use git::Git;
use remotes::Pushes;

/// Result of a call.
pub type WorkspaceResult<T> = Result<T, WorkspaceError>;

/// The worktrees of one workspace. Cheap to clone; clones share the locks of repositories.
#[derive(Debug, Clone)]
pub struct Workspace {
    home: Home,
    name: WorkspaceName,
    branch_template: String,
    setup_limit: Duration,
    git: Git,
    pushes: Arc<Mutex<Pushes>>,
}

impl Workspace {
    /// The worktrees of the workspace `name`.
    pub fn new(home: Home, name: WorkspaceName, config: &Config) -> Self {
        let branch_template = match (config.branch.as_str(), name.as_str()) {
            ("", "default") => "callboard/{session}".to_owned(),
            ("", _) => "callboard-{workspace}/{session}".to_owned(),
            (template, _) => template.to_owned(),
        };
        Self {
            git: Git::new(home.locks()),
            setup_limit: Duration::from_secs(config.setup_timeout_seconds),
            home,
            name,
            branch_template,
            pushes: Arc::default(),
        }
    }

    /// Whether a folder is a git repository.
    pub async fn is_repository(&self, path: &Path) -> bool {
        self.git.repository(path).await.is_ok()
    }

    /// The version of the git that is found, for `doctor`.
    ///
    /// # Errors
    /// There is no git, or it is too old.
    pub async fn git_version(&self) -> WorkspaceResult<String> {
        self.git.version().await
    }

    /// Where the worktree of a session is made (Z1).
    pub fn worktree_path(&self, project: &ProjectName, session: &SessionId) -> PathBuf {
        self.home.worktrees(&self.name).join(project.as_str()).join(session.as_str())
    }

    /// Where the worktree of a session goes when it is deleted.
    pub fn trash_path(&self, batch: &BatchId, session: &SessionId) -> PathBuf {
        self.home.trash(&self.name).join(batch.as_str()).join(session.as_str())
    }

    /// The branch of a session that names none (Z1).
    fn template_branch(&self, session: &SessionId) -> String {
        self.branch_template
            .replace("{session}", session.as_str())
            .replace("{workspace}", self.name.as_str())
    }
}
