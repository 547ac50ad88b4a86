//! Who calls: an agent is known by the variables of its environment, or by those that a process above
//! this one was started with (`spec/lifecycle.md` K7).

use std::path::{Path, PathBuf};

use crate::domain::event::Actor;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::os::paths::Home;
use crate::os::proctree::{self, Process};
use crate::os::variables::{HOME, SESSION, WORKSPACE};

/// The session of the calling agent, or a plain command.
pub(super) fn actor(home: &Home, workspace: &WorkspaceName) -> Actor {
    // The variables speak of the installation that they name.
    let here = Home::from_env().is_ok_and(|own| place(&own.data) == place(&home.data));
    let own = std::env::var(SESSION).ok().filter(|_| here);
    let named = own.and_then(|id| id.parse::<SessionId>().ok());
    // What a process above was started with cannot be chosen for one call.
    match above(home).or_else(|| named.map(|id| (id, caller_workspace()))) {
        None => Actor::Command,
        Some((id, of)) if of.as_ref().is_none_or(|of| of == workspace) => Actor::Session(id),
        Some((session, of)) => Actor::Elsewhere { workspace: of.unwrap_or_default(), session },
    }
}

fn caller_workspace() -> Option<WorkspaceName> {
    WorkspaceName::new(std::env::var(WORKSPACE).ok()?).ok()
}

/// The session that the nearest process above was started for, in the same installation.
fn above(home: &Home) -> Option<(SessionId, Option<WorkspaceName>)> {
    let own = Process::own()?;
    let root = home.root.as_deref().map(place);
    proctree::ancestors(own).into_iter().find_map(|process| {
        let [id, of, workspace] = proctree::variables(process, [SESSION, HOME, WORKSPACE])?;
        let (id, of) = (id?.parse().ok()?, of.map(|of| place(Path::new(&of))));
        let workspace = workspace.and_then(|name| WorkspaceName::new(name).ok());
        (of == root).then_some((id, workspace))
    })
}

/// A folder whatever way leads to it.
fn place(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}
