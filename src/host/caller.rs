//! What agents may do that call the command line (`spec/lifecycle.md` K7): a guard rail, not a security
//! boundary.

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::query::{Filter, PageQuery};

use super::Host;
use super::error::{HostError, HostResult};
use super::ports::{CallerLimits, Ports};

/// Levels below a root that agents may fill.
const DEPTH: usize = 3;
/// Children that one session may have by agents.
const CHILDREN: u64 = 50;
/// Parents that are followed at most: no tree is deeper.
const HIGHEST: usize = 1_000;

/// Which sessions a verb reaches (K7).
#[derive(Debug, Clone, Copy)]
pub enum Reach<'a> {
    /// These.
    Sessions(&'a [SessionId]),
    /// More than an agent may reach without configuration.
    Config,
}

impl<P: Ports> Host<P> {
    /// Lets everyone pass but an agent that asks for more than its own tree (K7).
    ///
    /// # Errors
    /// Refused; or a session cannot be read.
    pub async fn allow(&self, actor: &Actor, what: &str, reach: Reach<'_>) -> HostResult<()> {
        if self.ports.caller_limits().everything {
            return Ok(());
        }
        match (actor, reach) {
            (Actor::Session(_), Reach::Config) => Err(refused(format!("agents may not {what}"))),
            (Actor::Session(caller), Reach::Sessions(ids)) => {
                for id in ids {
                    if self.ports.session(id).await?.is_some() && !self.owns(caller, id).await? {
                        let message = format!(
                            "agents may {what} below themselves only: {id} is not below {caller}"
                        );
                        return Err(refused(message));
                    }
                }
                Ok(())
            }
            (Actor::Elsewhere { workspace, .. }, _) => Err(refused(format!(
                "agents may {what} in their own workspace only: the caller is of {workspace}"
            ))),
            (Actor::Operator | Actor::Command | Actor::Callboard, _) => Ok(()),
        }
    }

    /// Lets an agent spawn below itself within its limits: depth, children, live sessions (K7, C9).
    ///
    /// # Errors
    /// Refused; or a session cannot be read.
    pub(super) async fn allow_spawn(
        &self,
        actor: &Actor,
        parent: Option<&SessionId>,
        id: Option<&SessionId>,
    ) -> HostResult<()> {
        let CallerLimits { everything, max_live } = self.ports.caller_limits();
        if everything || !matches!(actor, Actor::Session(_) | Actor::Elsewhere { .. }) {
            return Ok(());
        }
        let Some(parent) = parent else {
            return Err(refused("agents may spawn below themselves only".to_owned()));
        };
        self.allow(actor, "spawn", Reach::Sessions(std::slice::from_ref(parent))).await?;
        // A retry of what is there already adds nothing (C2).
        if let Some(id) = id
            && self.ports.session(id).await?.is_some()
        {
            return Ok(());
        }
        if self.above(parent).await?.len() + 1 > DEPTH {
            return Err(refused(format!(
                "{parent} is {DEPTH} levels below its root: agents may spawn no deeper"
            )));
        }
        let filter = Filter { parent: Some(parent.clone()), ..Filter::default() };
        let query = PageQuery { filter, limit: 1, ..PageQuery::default() };
        let children = self.ports.page(&query).await?.total;
        if children >= CHILDREN {
            return Err(refused(format!(
                "{parent} has {children} children: agents may add no more"
            )));
        }
        let live = self.ports.live().await?;
        let spawned = live.iter().filter(|session| session.parent.is_some()).count();
        if spawned >= max_live {
            return Err(refused(format!(
                "{spawned} sessions run that agents spawned: they may bring about no more"
            )));
        }
        Ok(())
    }

    async fn owns(&self, caller: &SessionId, id: &SessionId) -> HostResult<bool> {
        Ok(id == caller || self.above(id).await?.contains(caller))
    }

    /// The sessions above one, the nearest first.
    async fn above(&self, id: &SessionId) -> HostResult<Vec<SessionId>> {
        let mut above = Vec::new();
        let mut at = id.clone();
        while above.len() < HIGHEST
            && let Some(parent) = self.ports.session(&at).await?.and_then(|found| found.parent)
        {
            above.push(parent.clone());
            at = parent;
        }
        Ok(above)
    }
}

fn refused(message: String) -> HostError {
    HostError::Refused {
        message,
        hint: Some("the operator can allow it: agents_may_everything in config.toml".to_owned()),
    }
}
