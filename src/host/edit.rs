//! Small changes: pins, titles, what was seen, projects.

use std::path::Path;

use crate::domain::event::{Actor, Event};
use crate::domain::ids::{CHAT, ProjectName, SessionId};
use crate::domain::rail::{Project, ProjectSetup};
use crate::domain::text;

use super::Host;
use super::caller::Reach;
use super::create::check::canonical;
use super::error::{HostError, HostResult};
use super::ports::Ports;

/// What agents as callers may not do to projects.
const PROJECTS: &str = "change the list of projects";

impl<P: Ports> Host<P> {
    /// Pins or unpins; answers the ids that exist.
    ///
    /// # Errors
    /// One is in the trash; the store cannot be written.
    pub async fn pin(
        &self,
        ids: &[SessionId],
        pinned: bool,
        actor: &Actor,
    ) -> HostResult<Vec<SessionId>> {
        self.allow(actor, "pin", Reach::Sessions(ids)).await?;
        self.none_in_trash(ids).await?;
        let changed = self.ports.pin(ids, pinned).await?;
        self.audit(if pinned { "pin" } else { "unpin" }, &changed, actor, None).await;
        Ok(changed)
    }

    /// Gives a session another title. Moves nothing (`spec/store.md` P2).
    ///
    /// # Errors
    /// The title is empty; no such session, or it is in the trash.
    pub async fn rename(&self, id: &SessionId, title: &str, actor: &Actor) -> HostResult<()> {
        let title = text::clean_line(title);
        if title.is_empty() {
            let message = "a title cannot be empty".to_owned();
            return Err(HostError::Usage { message, hint: None });
        }
        self.allow(actor, "rename", Reach::Sessions(std::slice::from_ref(id))).await?;
        let before = self.ports.session(id).await?;
        let before = before.ok_or_else(|| HostError::NotFound(id.clone()))?.title;
        self.none_in_trash(std::slice::from_ref(id)).await?;
        if !self.ports.rename(id, &title).await? {
            return Err(HostError::NotFound(id.clone()));
        }
        let event = self.event("rename", id, actor, None);
        self.record(&[Event { from: Some(before), to: Some(title), ..event }]).await;
        Ok(())
    }

    /// The operator looked at sessions (T4). What is open at a dashboard is looked at every second, and
    /// is not audited.
    ///
    /// # Errors
    /// An agent may not (K7); one that a command names is in the trash; the store cannot be written.
    pub async fn seen(&self, ids: &[SessionId], actor: &Actor) -> HostResult<()> {
        self.allow(actor, "note as seen", Reach::Sessions(ids)).await?;
        let looks_on = *actor == Actor::Operator;
        if !looks_on {
            self.none_in_trash(ids).await?;
        }
        self.ports.seen(ids).await?;
        if !looks_on {
            self.audit("seen", ids, actor, None).await;
        }
        Ok(())
    }

    async fn none_in_trash(&self, ids: &[SessionId]) -> HostResult<()> {
        let known = self.ports.sessions(ids).await?;
        match known.into_iter().find(|session| session.deletion.is_some()) {
            Some(session) => Err(HostError::IdInTrash(session.id)),
            None => Ok(()),
        }
    }

    /// Registers a folder under its canonical path, git repository or not (`spec/store.md` P6).
    ///
    /// # Errors
    /// It is no folder, or the name is reserved.
    pub async fn add_project(
        &self,
        path: &Path,
        name: Option<ProjectName>,
        setup: ProjectSetup,
        actor: &Actor,
    ) -> HostResult<Project> {
        self.allow(actor, PROJECTS, Reach::Config).await?;
        if name.as_ref().is_some_and(|name| name.as_str() == CHAT) {
            let message = format!("{CHAT} is reserved for sessions outside projects");
            return Err(HostError::Usage { message, hint: Some("choose another --name".into()) });
        }
        let refuse = |why: &dyn std::fmt::Display| HostError::Refused {
            message: format!("cannot register {}: {why}", path.display()),
            hint: None,
        };
        let path = canonical(path).await.map_err(|error| refuse(&error))?;
        let found = tokio::fs::metadata(&path).await.map_err(|error| refuse(&error))?;
        if !found.is_dir() {
            return Err(refuse(&"it is no folder"));
        }
        let git = self.ports.is_repository(&path).await;
        let project = self.ports.add_project(&path, name, git, setup).await?;
        let what = format!("{} at {}", project.name, project.path.display());
        self.audit_setup("project_add", what, actor).await;
        Ok(project)
    }

    /// Unregisters a project; its sessions stay, hidden with their section.
    ///
    /// # Errors
    /// There is no such project.
    pub async fn remove_project(&self, name: &ProjectName, actor: &Actor) -> HostResult<()> {
        self.allow(actor, PROJECTS, Reach::Config).await?;
        self.registered(name).await?;
        self.ports.remove_project(name).await?;
        self.audit_setup("project_remove", name.to_string(), actor).await;
        Ok(())
    }

    /// Moves a project in the rail, to a place from 0.
    ///
    /// # Errors
    /// There is no such project.
    pub async fn move_project(
        &self,
        name: &ProjectName,
        position: u32,
        actor: &Actor,
    ) -> HostResult<()> {
        self.allow(actor, PROJECTS, Reach::Config).await?;
        self.registered(name).await?;
        self.ports.move_project(name, position).await?;
        self.audit_setup("project_move", format!("{name} to place {position}"), actor).await;
        Ok(())
    }

    /// A change that is about no session.
    pub(super) async fn audit_setup(&self, verb: &str, what: String, actor: &Actor) {
        self.record(&[Event {
            at: self.ports.now(),
            session: None,
            actor: actor.to_string(),
            verb: verb.to_owned(),
            from: None,
            to: None,
            cause: Some(what),
            operation: None,
        }])
        .await;
    }

    async fn registered(&self, name: &ProjectName) -> HostResult<()> {
        let projects = self.ports.projects().await?;
        let found = projects.iter().any(|project| project.name == *name);
        if found { Ok(()) } else { Err(HostError::NoProject(name.to_string())) }
    }
}
