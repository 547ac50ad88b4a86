//! The coordinators on recording fakes: which calls happen, in which order, with which context.

mod caller;
mod care;
mod cleanup;
mod crash;
mod create;
mod create_again;
mod delete;
mod elsewhere;
mod ends;
mod failed_create;
mod fake_forge;
mod fake_locks;
mod fake_messages;
mod fake_store;
mod fake_trash;
mod fake_workspace;
mod fake_world;
mod hooks;
mod launch;
mod locks;
mod order;
mod others;
mod prs;
mod purge;
mod reconcile;
mod recover;
mod restore;
mod send;

pub(super) use fake_world::Recorder;

use std::path::PathBuf;

use crate::domain::event::Actor;
use crate::domain::ids::{ProjectName, SessionId};
use crate::domain::rail::{Placement, Project, ProjectSetup, Shown};
use crate::domain::session::{FolderKind, Kind, LaunchFacts, RuntimeFacts, Session};
use crate::domain::{condition::Condition, ids::WorkspaceName, time::Timestamp};

use super::Host;

/// The time at which everything happens.
pub(super) const NOW: Timestamp = Timestamp(1_796_000_000_000);

pub(super) fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

pub(super) fn ids(texts: &[&str]) -> Vec<SessionId> {
    texts.iter().map(|text| id(text)).collect()
}

pub(super) fn shop() -> Project {
    Project {
        name: ProjectName::new("shop").unwrap(),
        path: PathBuf::from("/src/shop"),
        git: true,
        sessions: 0,
        position: 0,
        setup: ProjectSetup::default(),
    }
}

pub(super) fn launch_facts() -> LaunchFacts {
    LaunchFacts { agent: "claude".into(), target: "claude".into(), ..LaunchFacts::default() }
}

/// A published session of the shop that runs.
pub(super) fn running(text: &str, parent: Option<&str>) -> Session {
    let condition = Condition::new(NOW).launched(1, NOW).published(1, &[], NOW);
    Session { condition, ..seeded(text, parent) }
}

/// A session of the shop that never ran.
pub(super) fn seeded(text: &str, parent: Option<&str>) -> Session {
    let placement = Placement::in_project(shop().path);
    Session {
        workspace: WorkspaceName::default(),
        id: id(text),
        project: Some(shop().name),
        kind: Kind::Worker,
        parent: parent.map(id),
        root: id(parent.unwrap_or(text)),
        launch: launch_facts(),
        title: text.to_owned(),
        prompt: None,
        shown: Shown { section: placement.key(), root: id(parent.unwrap_or(text)) },
        placement,
        pinned_at: None,
        condition: Condition::new(NOW),
        folder_kind: FolderKind::Worktree,
        folder: PathBuf::from(format!("/worktrees/{text}")),
        branch: Some(format!("callboard/{text}")),
        base: None,
        dirty: None,
        prs: Vec::new(),
        runtime: RuntimeFacts { keeper_pid: Some(7), ..RuntimeFacts::default() },
        created_at: NOW,
        updated_at: NOW,
        deletion: None,
        error: None,
    }
}

/// A host whose fakes hold the shop and these sessions, with a keeper for each that runs.
pub(super) fn host(sessions: Vec<Session>) -> (Host<Recorder>, Recorder) {
    let recorder = Recorder::default();
    recorder.change(|model| {
        model.projects.push(shop());
        for session in sessions {
            if session.is_live() {
                model.keepers.insert(session.id.clone());
                model.published.insert(session.id.clone());
            }
            let trash = session.deletion.as_ref().and_then(|deletion| deletion.trash_path.clone());
            model.folders.insert(trash.unwrap_or_else(|| session.folder.clone()));
            model.sessions.insert(session.id.clone(), session);
        }
    });
    (Host::new(recorder.clone()), recorder)
}

pub(super) const OPERATOR: Actor = Actor::Operator;
