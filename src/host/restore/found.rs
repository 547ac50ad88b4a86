//! What a restore is about (`spec/lifecycle.md` R2, R3).

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::trash::trees;

use super::super::Host;
use super::super::error::{HostError, HostResult};
use super::super::ports::Ports;
use super::super::report::{RestoreRequest, RestoreTarget};

/// What a request names.
#[derive(Default)]
pub(super) struct Found {
    /// Trees of tombstones, each brought back whole or not at all (R1).
    pub(super) components: Vec<Vec<Session>>,
    /// Terminated sessions to launch again.
    pub(super) ended: Vec<SessionId>,
    /// What cannot be brought back.
    pub(super) refused: Vec<(SessionId, HostError)>,
}

impl<P: Ports> Host<P> {
    pub(super) async fn find(&self, target: &RestoreTarget) -> HostResult<Found> {
        match target {
            RestoreTarget::Ids(ids) => self.find_ids(ids).await,
            RestoreTarget::Batch(batch) => {
                let rows = self.ports.batch(batch).await?;
                if rows.is_empty() {
                    return Err(HostError::NoBatch(batch.clone()));
                }
                self.find_batch(rows).await
            }
            RestoreTarget::Last => match self.ports.last_batch().await? {
                Some(batch) => self.find_batch(self.ports.batch(&batch).await?).await,
                None => Ok(Found::default()),
            },
        }
    }

    /// Whole components by id; terminated sessions are launched instead (R3).
    async fn find_ids(&self, ids: &[SessionId]) -> HostResult<Found> {
        let mut found = Found::default();
        let mut taken: BTreeSet<SessionId> = BTreeSet::new();
        for id in ids.iter().collect::<BTreeSet<_>>() {
            if taken.contains(id) {
                continue;
            }
            match self.ports.session(id).await? {
                None => found.refused.push((id.clone(), HostError::NotFound(id.clone()))),
                Some(session) if session.deletion.is_none() => found.ended.push(id.clone()),
                Some(_) => {
                    let component = self.ports.component(id).await?;
                    taken.extend(component.iter().map(|session| session.id.clone()));
                    self.take(&mut found, component).await?;
                }
            }
        }
        Ok(found)
    }

    /// Exactly the rows of a batch, by the trees that they form (R3).
    async fn find_batch(&self, rows: Vec<Session>) -> HostResult<Found> {
        let mut found = Found::default();
        for component in trees(rows) {
            self.take(&mut found, component).await?;
        }
        Ok(found)
    }

    /// Takes a component unless the session above it is gone or in the trash (R2, R3).
    async fn take(&self, found: &mut Found, component: Vec<Session>) -> HostResult<()> {
        let inside: BTreeSet<&SessionId> = component.iter().map(|session| &session.id).collect();
        let parents = component.iter().filter_map(|session| session.parent.as_ref());
        let outside: Vec<SessionId> = parents.filter(|id| !inside.contains(id)).cloned().collect();
        let above = self.ports.sessions(&outside).await?;
        let missing =
            outside.iter().find_map(|id| match above.iter().find(|session| session.id == *id) {
                None => Some(format!("its parent {id} is gone")),
                Some(parent) if parent.deletion.is_some() => {
                    Some(format!("its parent {id} is in the trash"))
                }
                Some(_) => None,
            });
        match missing {
            None => found.components.push(component),
            Some(reason) => found.refused.extend(component.into_iter().map(|session| {
                let id = session.id;
                (id.clone(), HostError::Incomplete { id, reason: reason.clone() })
            })),
        }
        Ok(())
    }
}

/// Another folder makes sense for one worktree only.
pub(super) fn check_to(request: &RestoreRequest, found: &Found) -> HostResult<()> {
    let worktrees = found.components.iter().flatten().filter(|one| one.worktree().is_some());
    if request.to.is_none() || (worktrees.count() == 1 && found.ended.is_empty()) {
        return Ok(());
    }
    let message = "another folder can be given for exactly one worktree of the trash".to_owned();
    Err(HostError::Usage { message, hint: None })
}
