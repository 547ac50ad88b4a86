//! What is left of purged sessions once their rows are gone, and how it goes (R5).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::{Operation, StepResult};
use crate::domain::session::Session;

use super::super::Host;
use super::super::context::{CLEAN_UP, Context};
use super::super::error::HostResult;
use super::super::journal::result;
use super::super::parallel;
use super::super::ports::Ports;
use super::super::recover::Recovered;
use super::super::report::{Note, PurgeRequest};

/// How many worktrees are removed at once; git serialises the ones of a repository.
const REMOVING: usize = 4;
/// Results are journalled, and branches removed, in groups of this many.
const GROUP: usize = 256;

/// Files and branch of one session: journalled whole, since no row tells of them any more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Remains {
    /// Its repository.
    repository: Option<PathBuf>,
    /// Its folders in the trash.
    folders: BTreeSet<PathBuf>,
    /// Its branch, where that goes too.
    branch: Option<String>,
    /// The branch was asked for by name, so that it goes unmerged too.
    named: bool,
    /// Why the last try failed.
    error: Option<String>,
}

impl Remains {
    /// What is journalled.
    pub(super) fn result(&self, id: &SessionId, state: &str) -> StepResult {
        // Plain text and paths: nothing that JSON could not hold but a path that is no UTF-8, and
        // such a one is never stored.
        result(id, state, serde_json::to_string(self).ok())
    }

    fn read(result: &StepResult) -> Option<Self> {
        serde_json::from_str(result.detail.as_deref()?).ok()
    }
}

/// A session, what is left of it, and the bytes of its folders that went.
type Ended = (SessionId, Remains, Result<u64, String>);

/// What removing came to.
#[derive(Default)]
pub(super) struct Removed {
    pub(super) bytes: u64,
    pub(super) left: Vec<Note>,
}

impl<P: Ports> Host<P> {
    /// What will be left of sessions when their rows are gone, ascending.
    pub(super) async fn remains(
        &self,
        request: &PurgeRequest,
        sessions: &[Session],
    ) -> HostResult<Vec<(SessionId, Remains)>> {
        let mut folders: BTreeMap<SessionId, BTreeSet<PathBuf>> = BTreeMap::new();
        let ids = sessions.iter().map(|session| session.id.clone()).collect();
        for (id, path) in self.ports.trashed(&ids).await? {
            folders.entry(id).or_default().insert(path);
        }
        Ok(sessions
            .iter()
            .map(|session| {
                let mut folders = folders.remove(&session.id).unwrap_or_default();
                folders.extend(session.deletion.as_ref().and_then(|it| it.trash_path.clone()));
                let branch = session.branch.clone();
                let named = branch.as_ref().is_some_and(|name| request.branches.contains(name));
                let branch =
                    branch.filter(|name| named || self.ports.is_own_branch(&session.id, name));
                let repository = session.placement.project_path().map(PathBuf::from);
                (session.id.clone(), Remains { repository, folders, branch, named, error: None })
            })
            .collect())
    }

    /// Removes the terminal histories of sessions whose locks are held: a new session could have
    /// the same id.
    pub(super) async fn remove_histories(&self, remains: &[(SessionId, Remains)]) -> u64 {
        let mut bytes = 0;
        for (id, _) in remains {
            match self.ports.remove_history(id).await {
                Ok(gone) => bytes += gone,
                Err(error) => tracing::warn!(session = %id, %error, "a history stays"),
            }
        }
        bytes
    }

    /// Removes folders and branches, ascending; a failure skips no other and is journalled.
    pub(super) async fn remove_all(
        &self,
        ctx: &Context,
        operation: &OperationId,
        remains: Vec<(SessionId, Remains)>,
    ) -> Removed {
        let mut all = Removed::default();
        for group in remains.chunks(GROUP) {
            let ended = parallel::ordered(REMOVING, group.to_vec(), |(id, remains)| {
                let (host, ctx) = (self.clone(), ctx.clone());
                async move {
                    let removed = host.remove_folders(&ctx, &remains).await;
                    (id, remains, removed.map_err(|error| error.to_string()))
                }
            });
            let mut ended: Vec<Ended> = ended.await;
            // After the worktrees, which could have them checked out.
            self.remove_branches(ctx, &mut ended).await;
            let mut results = Vec::with_capacity(group.len());
            for (id, remains, removed) in ended {
                match removed {
                    Ok(bytes) => {
                        all.bytes += bytes;
                        results.push(result(&id, "purged", None));
                        self.tell(operation, &id, "purged");
                    }
                    Err(text) => {
                        let remains = Remains { error: Some(text.clone()), ..remains };
                        results.push(remains.result(&id, "failed"));
                        self.tell(operation, &id, "failed");
                        all.left.push(Note { id, text });
                    }
                }
            }
            if let Err(error) = self.step(ctx, operation, "files", &results).await {
                tracing::warn!(%operation, %error, "removed files could not be journalled");
            }
        }
        all
    }

    async fn remove_folders(&self, ctx: &Context, remains: &Remains) -> HostResult<u64> {
        let repository = remains.repository.as_deref();
        let mut bytes = 0;
        for folder in &remains.folders {
            let ctx = ctx.detached(CLEAN_UP);
            let removed = self.ports.remove_trashed(&ctx, repository, folder);
            bytes += ctx.step("removing the worktree", removed).await?;
        }
        Ok(bytes)
    }

    /// Removes the branches of those whose folders are gone, all of a repository at once: one by one
    /// git would be started several times for each.
    async fn remove_branches(&self, ctx: &Context, ended: &mut [Ended]) {
        let mut wanted: BTreeMap<(PathBuf, bool), BTreeMap<String, Vec<usize>>> = BTreeMap::new();
        for (at, (_, remains, removed)) in ended.iter().enumerate() {
            if let (Some(repository), Some(branch), Ok(_)) =
                (&remains.repository, &remains.branch, removed)
            {
                let of_one = wanted.entry((repository.clone(), remains.named)).or_default();
                of_one.entry(branch.clone()).or_default().push(at);
            }
        }
        let deleted = parallel::ordered(REMOVING, wanted, |((repository, named), branches)| {
            let (host, ctx) = (self.clone(), ctx.detached(CLEAN_UP));
            async move {
                let names: Vec<String> = branches.keys().cloned().collect();
                let deleted = host.ports.delete_branches(&ctx, &repository, &names, !named);
                let deleted = ctx.step("deleting the branches", deleted).await;
                (branches, deleted.map_err(|error| error.to_string()))
            }
        });
        for (branches, deleted) in deleted.await {
            for (branch, places) in branches {
                let failed = match &deleted {
                    Ok(stay) => stay.get(&branch).map(ToString::to_string),
                    Err(error) => Some(error.clone()),
                };
                for (at, failed) in places.into_iter().zip(failed.iter().cycle()) {
                    ended[at].2 = Err(failed.clone());
                }
            }
        }
    }

    /// Before its transaction: nothing was purged. After: the files go (V2).
    pub(in crate::host) async fn recover_purge(
        &self,
        ctx: &Context,
        operation: &Operation,
    ) -> HostResult<Recovered> {
        let sessions = self.ports.sessions(&operation.session_ids).await?;
        let present: BTreeSet<&SessionId> = sessions.iter().map(|session| &session.id).collect();
        let committed = |one: &&StepResult| match one.state.as_str() {
            "deleted" | "failed" => true,
            "intended" => !present.contains(&one.id),
            _ => false,
        };
        let gone: Vec<(SessionId, Remains)> = operation
            .results
            .iter()
            .filter(committed)
            .filter_map(|one| Some((one.id.clone(), Remains::read(one)?)))
            .collect();
        if gone.is_empty() {
            let purged = operation.results.iter().any(|one| one.state == "purged");
            return Ok(if purged { Recovered::Finished } else { Recovered::Undone });
        }
        // An id that was purged may belong to a new session by now.
        let (taken, free): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|(id, _)| present.contains(id));
        self.remove_histories(&free).await;
        let free = free.into_iter().chain(
            taken.into_iter().map(|(id, remains)| (id, Remains { branch: None, ..remains })),
        );
        let removed = self.remove_all(ctx, &operation.id, free.collect()).await;
        Ok(if removed.left.is_empty() { Recovered::Finished } else { Recovered::Waits })
    }
}
