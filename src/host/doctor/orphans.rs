//! What belongs to no session: worktrees, folders in the trash, keepers, processes. It is told and
//! never removed here: work may be in it (`spec/lifecycle.md` R6, V4).

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::domain::check::Check;
use crate::domain::ids::SessionId;
use crate::host::Host;
use crate::host::error::HostResult;
use crate::host::ports::Ports;
use crate::host::ports::doctor::RemainsPort;

/// More worktrees of one repository than this in the trash make its git slow.
const CROWDED: u64 = 500;
/// Names that are told of one kind.
const TOLD: usize = 5;

impl<P: Ports + RemainsPort> Host<P> {
    pub(super) async fn check_orphans(&self) -> HostResult<Vec<Check>> {
        let worktrees = self.orphans().await?;
        let trashed = self.rowless_trash().await?;
        let keepers = self.rowless_keepers().await?;
        let strays = self.ports.strays().await?;
        Ok(vec![
            list(
                "orphans: worktrees",
                &paths(&worktrees),
                "look into them; git worktree remove takes a clean one away",
            ),
            list(
                "orphans: trash",
                &paths(&trashed),
                "look into them, then remove what is not wanted by hand",
            ),
            list("orphans: keepers", &keepers, "`callboard recover` ends them"),
            list(
                "orphans: processes",
                &strays.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "`callboard recover` ends them",
            ),
            self.check_crowd().await?,
        ])
    }

    /// Folders in the trash of sessions that have no row at all.
    async fn rowless_trash(&self) -> HostResult<Vec<PathBuf>> {
        let found = self.ports.in_trash().await?;
        let ids: Vec<SessionId> = found.iter().map(|(id, _)| id.clone()).collect();
        let sessions = self.ports.sessions(&ids).await?;
        let known: BTreeSet<&SessionId> = sessions.iter().map(|session| &session.id).collect();
        let rowless = found.iter().filter(|(id, _)| !known.contains(id));
        Ok(rowless.map(|(_, path)| path.clone()).collect())
    }

    /// Sessions of keepers that have no row, or one in the trash.
    async fn rowless_keepers(&self) -> HostResult<Vec<String>> {
        let keepers = self.ports.keepers_listed().await;
        let sessions = self.ports.sessions(&keepers).await?;
        let present: BTreeSet<&SessionId> =
            sessions.iter().filter(|one| one.deletion.is_none()).map(|one| &one.id).collect();
        Ok(keepers.iter().filter(|id| !present.contains(id)).map(ToString::to_string).collect())
    }

    async fn check_crowd(&self) -> HostResult<Check> {
        let name = "limits: trash";
        Ok(match self.ports.crowded_trash(CROWDED).await? {
            None => {
                Check::good(name, format!("no repository has more than {CROWDED} worktrees in it"))
            }
            Some((project, number)) => Check::bad(
                name,
                format!("{number} worktrees of {project} are in the trash: its git gets slow"),
                "purge the oldest: `callboard purge --older-than 7d`",
            ),
        })
    }
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

fn list(name: &str, found: &[String], hint: &str) -> Check {
    match found {
        [] => Check::good(name, "none"),
        found => {
            let more = if found.len() > TOLD { ", ..." } else { "" };
            let told = found.iter().take(TOLD).cloned().collect::<Vec<_>>().join(", ");
            Check::bad(name, format!("{}: {told}{more}", found.len()), hint)
        }
    }
}
