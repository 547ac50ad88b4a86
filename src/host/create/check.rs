//! What has to be right before a create has any effect (`spec/lifecycle.md` C1).

use std::path::{Path, PathBuf};

use crate::domain::ids::{ProjectName, SessionId};
use crate::domain::rail::{Placement, Project};
use crate::domain::session::{FolderKind, Session};
use crate::domain::text;

use super::super::Host;
use super::super::context::Context;
use super::super::error::{HostError, HostResult};
use super::super::ports::{LaunchPlan, Ports, Seed, WorktreeRequest};
use super::super::report::{CreateRequest, Place};

/// Longest prompt, in bytes.
const PROMPT_LIMIT: usize = 1024 * 1024;

/// A checked request with everything that follows from it.
pub(super) struct Draft {
    pub(super) request: CreateRequest,
    pub(super) placement: Placement,
    pub(super) project: Option<Project>,
    pub(super) folder_kind: FolderKind,
    /// Where it works; empty for a worktree.
    pub(super) folder: PathBuf,
    pub(super) plan: LaunchPlan,
}

impl Draft {
    pub(super) fn project_name(&self) -> Option<&ProjectName> {
        self.project.as_ref().map(|project| &project.name)
    }

    /// The worktree to make; none where it works in a folder that is there.
    pub(super) fn worktree(&self, id: &SessionId) -> Option<WorktreeRequest> {
        let project = self.project.as_ref().filter(|_| self.folder_kind == FolderKind::Worktree)?;
        Some(WorktreeRequest {
            session: id.clone(),
            project: project.name.clone(),
            repository: project.path.clone(),
            branch: self.request.branch.clone(),
            free_branch: None,
            base: self.request.base.clone(),
        })
    }

    pub(super) fn seed(&self, id: &SessionId) -> Seed {
        let request = &self.request;
        let title = request.title.as_deref().map(text::clean_line).unwrap_or_default();
        let from_prompt = || text::title_from(request.prompt.as_deref().unwrap_or_default());
        let title = Some(title).filter(|title| !title.is_empty()).unwrap_or_else(from_prompt);
        Seed {
            id: id.clone(),
            kind: request.kind,
            parent: request.parent.clone(),
            launch: request.launch.clone(),
            title: if title.is_empty() { id.to_string() } else { title },
            prompt: request.prompt.clone(),
            placement: self.placement.clone(),
            folder_kind: self.folder_kind,
            folder: self.folder.clone(),
            pinned: request.pin,
        }
    }

    /// What a session that has the wanted id means: the live one to reuse (C2), or a refusal (C1, S3).
    pub(super) fn judge(&self, existing: Session) -> HostResult<Session> {
        let id = existing.id.clone();
        let (is, wanted) = (&existing.launch, &self.request.launch);
        // Other arguments are another launch: for `command` they are all that it is.
        let same = (&is.agent, &is.target, &is.args)
            == (&wanted.agent, &wanted.target, &wanted.args)
            && existing.prompt == self.request.prompt;
        if existing.deletion.is_some() {
            Err(HostError::IdInTrash(id))
        } else if existing.placement != self.placement {
            Err(HostError::RailPlacementConflict(id))
        } else if existing.is_live() && same {
            Ok(existing)
        } else {
            Err(HostError::IdInUse(id))
        }
    }
}

impl<P: Ports> Host<P> {
    /// Checks a request. Reads only.
    pub(super) async fn check_create(
        &self,
        ctx: &Context,
        request: CreateRequest,
    ) -> HostResult<Draft> {
        let (parent, id) = (request.parent.as_ref(), request.id.as_ref());
        self.allow_spawn(&request.actor, parent, id).await?;
        check_text("prompt", request.prompt.as_deref())?;
        check_text("goal", request.goal.as_deref())?;
        self.ports.check_agent(&request.launch)?;
        let (launch, prompt) = (&request.launch, request.prompt.as_deref());
        let plan = match &request.fork {
            Some(of) => self.ports.plan_fork(launch, prompt, of)?,
            None => self.ports.plan_launch(launch, prompt, false)?,
        };
        let (placement, project, folder) = self.resolve_place(&request).await?;
        let folder_kind = folder_kind(&request, project.as_ref())?;
        let folder = match folder_kind {
            FolderKind::Worktree => PathBuf::new(),
            FolderKind::InPlace | FolderKind::None => checked_folder(&folder).await?,
        };
        let draft = Draft { request, placement, project, folder_kind, folder, plan };
        // The number is taken only after all checks, so that a refused request takes none.
        let stand_in = || SessionId::numbered(draft.project_name(), 0);
        let id = draft.request.id.clone().unwrap_or_else(stand_in);
        if let Some(existing) = self.ports.session(&id).await?.filter(is_settled) {
            draft.judge(existing)?;
        } else if let Some(worktree) = draft.worktree(&id) {
            self.ports.check_worktree(ctx, &worktree).await?;
        }
        Ok(draft)
    }

    /// Placement, project and folder (C1, C9, P6).
    async fn resolve_place(
        &self,
        request: &CreateRequest,
    ) -> HostResult<(Placement, Option<Project>, PathBuf)> {
        let unavailable = |reason: String| HostError::RailPlacementUnavailable(reason);
        let parent = match &request.parent {
            Some(id) => {
                let found = self.ports.session(id).await.map_err(|e| unavailable(e.message))?;
                let found = found.filter(|parent| parent.deletion.is_none());
                Some(found.ok_or_else(|| HostError::NoParent(id.clone()))?)
            }
            None => None,
        };
        let projects = self.ports.projects().await.map_err(|e| unavailable(e.message))?;
        let in_project = |project: Project| {
            let folder = project.path.clone();
            (Placement::in_project(folder.clone()), Some(project), folder)
        };
        let conversations = |folder: &Path| (Placement::conversations(), None, folder.to_owned());
        match (&request.place, parent) {
            (Place::Project(name), _) => {
                let found = projects.into_iter().find(|project| project.name == *name);
                found.map(in_project).ok_or_else(|| HostError::NoProject(name.to_string()))
            }
            (Place::Chat(folder), _) => Ok(conversations(folder)),
            (Place::Folder(folder), Some(parent)) => match parent.placement.project_path() {
                None => Ok(conversations(folder)),
                Some(path) => {
                    let found = projects.into_iter().find(|project| project.path == path);
                    found.map(in_project).ok_or_else(|| {
                        unavailable(format!("no project is registered at {}", path.display()))
                    })
                }
            },
            (Place::Folder(folder), None) => {
                let folder = canonical(folder).await.unwrap_or_else(|_| folder.clone());
                let holds = |project: &Project| folder.starts_with(&project.path);
                let depth = |project: &Project| project.path.as_os_str().len();
                let found = projects.into_iter().filter(holds).max_by_key(depth);
                Ok(found.map_or_else(|| conversations(&folder), in_project))
            }
        }
    }
}

/// Whether a row's state says anything yet: while another call creates it, only the lock decides.
fn is_settled(session: &Session) -> bool {
    let lifecycle = &session.condition.lifecycle;
    session.deletion.is_some() || lifecycle.published > 0 || lifecycle.state.is_terminal()
}

/// Refuses a text that no agent can be given.
pub(in crate::host) fn check_text(what: &str, text: Option<&str>) -> HostResult<()> {
    let Some(text) = text else { return Ok(()) };
    let message = if text.len() > PROMPT_LIMIT {
        format!("the {what} has {} bytes; the limit is {PROMPT_LIMIT}", text.len())
    } else if text.contains('\0') {
        format!("the {what} holds a NUL character")
    } else {
        return Ok(());
    };
    Err(HostError::Usage { message, hint: None })
}

fn folder_kind(request: &CreateRequest, project: Option<&Project>) -> HostResult<FolderKind> {
    let kind = match project {
        None if request.in_place => {
            let message = "a session outside projects always works in its folder".to_owned();
            let hint = Some("name a project, or leave out --in-place".to_owned());
            return Err(HostError::Usage { message, hint });
        }
        None => FolderKind::None,
        Some(_) if request.in_place => FolderKind::InPlace,
        Some(project) if !project.git => {
            let message = format!("the folder of project {} is no git repository", project.name);
            let hint = Some("work in the folder itself with --in-place".to_owned());
            return Err(HostError::Refused { message, hint });
        }
        Some(_) => FolderKind::Worktree,
    };
    let names_git = request.branch.is_some() || request.base.is_some();
    if names_git && kind != FolderKind::Worktree {
        let message = "branch and base are for sessions with a worktree of their own".to_owned();
        return Err(HostError::Usage { message, hint: None });
    }
    Ok(kind)
}

async fn checked_folder(folder: &Path) -> HostResult<PathBuf> {
    let refuse = |why: String| HostError::Refused {
        message: format!("cannot work in {}: {why}", folder.display()),
        hint: None,
    };
    let path = canonical(folder).await.map_err(|error| refuse(error.to_string()))?;
    let found = tokio::fs::metadata(&path).await.map_err(|error| refuse(error.to_string()))?;
    if found.is_dir() { Ok(path) } else { Err(refuse("it is no folder".to_owned())) }
}

/// The path with all links resolved.
pub(in crate::host) async fn canonical(folder: &Path) -> std::io::Result<PathBuf> {
    tokio::fs::canonicalize(folder).await
}
