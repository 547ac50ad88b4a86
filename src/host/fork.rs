//! A new session that goes on with the conversation of another (`spec/agents.md` G2).

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::launch::{DEFAULT_SIZE, ForkOf};
use crate::domain::session::{FolderKind, LaunchFacts};

use super::Host;
use super::caller::Reach;
use super::context::Context;
use super::error::{HostError, HostResult};
use super::ports::Ports;
use super::report::{CreateOutcome, CreateRequest, Place};

impl<P: Ports> Host<P> {
    /// Creates a session from the conversation of another: in a worktree of its own that starts from the
    /// other's branch, where that has one. A root, unless an agent asks for it.
    ///
    /// # Errors
    /// Unknown, in the trash, the agent cannot fork, its own id of the conversation is not known; or as
    /// [`Host::create`].
    pub async fn fork(
        &self,
        ctx: &Context,
        id: &SessionId,
        prompt: Option<String>,
        actor: &Actor,
    ) -> HostResult<CreateOutcome> {
        self.allow(actor, "fork", Reach::Sessions(std::slice::from_ref(id))).await?;
        let session = self.ports.session(id).await?;
        let session = session.ok_or_else(|| HostError::NotFound(id.clone()))?;
        if session.deletion.is_some() {
            return Err(HostError::IdInTrash(id.clone()));
        }
        let refuse = |message: String, hint: Option<&str>| {
            Err(HostError::Refused { message, hint: hint.map(str::to_owned) })
        };
        if !self.ports.can_fork(&session.launch.agent) {
            let message = format!("agent {} cannot fork a conversation", session.launch.agent);
            return refuse(message, None);
        }
        let Some(conversation) = session.launch.agent_session_id.clone() else {
            let message = format!("the agent's own id of the conversation of {id} is not known");
            return refuse(message, Some("it is known once the agent has told it"));
        };
        let place = match &session.project {
            Some(project) => Place::Project(project.clone()),
            None if session.placement.project_path().is_some() => {
                let message = format!("the project of session {id} is not registered");
                return refuse(message, Some("callboard project add brings it back"));
            }
            None => Place::Chat(session.folder.clone()),
        };
        let own_worktree = session.folder_kind == FolderKind::Worktree;
        let request = CreateRequest {
            place,
            fork: Some(ForkOf { conversation, folder: session.folder.clone() }),
            launch: LaunchFacts { agent_session_id: None, ..session.launch.clone() },
            id: None,
            title: prompt.is_none().then(|| format!("{} (fork)", session.title)),
            prompt,
            goal: None,
            branch: None,
            base: session.branch.clone().filter(|_| own_worktree),
            in_place: session.folder_kind == FolderKind::InPlace,
            size: DEFAULT_SIZE,
            kind: session.kind,
            parent: match actor {
                Actor::Session(caller) => Some(caller.clone()),
                _ => None,
            },
            pin: false,
            actor: actor.clone(),
        };
        let outcome = self.create(ctx, request).await?;
        self.audit("fork", std::slice::from_ref(id), actor, None).await;
        Ok(outcome)
    }
}
