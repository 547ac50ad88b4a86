//! Pull requests as a port: `gh` is asked, as the operator who is logged in with it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use tokio::process::Command;

use crate::config::OnMerge;
use crate::domain::error::ErrorKind;
use crate::domain::forge::{PullRequest, Repository, Unread};
use crate::domain::ids::SessionId;
use crate::domain::pr::PrFacts;
use crate::domain::text::clean_line;
use crate::domain::time::Timestamp;
use crate::host::context::Context;
use crate::host::ports::{ForgePort, PortError, PortResult, StorePort};
use crate::monitor::prs;
use crate::os::command;

use super::Real;
use super::workspace::within;

/// Bytes of an answer that are read.
const LONGEST: usize = 8 << 20;
/// The forge that everyone's remotes may be of. Of others `gh` must have been told.
const COMMON: &str = "github.com";

impl<R: Send + Sync + 'static> ForgePort for Real<R> {
    async fn remotes(&self, ctx: &Context, folder: &Path) -> PortResult<Vec<Repository>> {
        let urls = within(ctx, "listing the remotes", self.workspace.remotes(folder)).await?;
        let mut found: Vec<Repository> = Vec::new();
        for repository in urls.iter().filter_map(|url| Repository::of_remote(url)) {
            if !found.contains(&repository) {
                found.push(repository);
            }
        }
        Ok(found)
    }

    async fn pushed(&self, folder: &Path, branches: &[String]) -> BTreeMap<String, String> {
        let (workspace, folder) = (self.workspace.clone(), folder.to_owned());
        let branches = branches.to_vec();
        let look = move || workspace.pushed(&folder, &branches);
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    async fn pull_requests(
        &self,
        repository: &Repository,
        branches: &[String],
    ) -> Result<Vec<PullRequest>, Unread> {
        let mut found = Vec::new();
        for some in branches.chunks(prs::BRANCHES) {
            let output = ask(repository, some).await?;
            found.extend(prs::read(&output, repository, self.now())?);
        }
        Ok(found)
    }

    async fn set_pull_requests(&self, id: &SessionId, facts: Vec<PrFacts>) -> PortResult<()> {
        match self.store.set_pr_facts(id, facts).await.map_err(PortError::from) {
            Err(error) if error.kind == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    fn kills_merged(&self) -> bool {
        self.config.on_merge == OnMerge::Kill
    }
}

/// What `gh` answers.
async fn ask(repository: &Repository, branches: &[String]) -> Result<Vec<u8>, Unread> {
    let mut command = gh();
    command.args(prs::question(repository, branches));
    let done = command::run(command, LONGEST).await.map_err(|error| start_error(&error))?;
    // Not every part of an answer may be for this operator; the rest is.
    if done.status.success() || prs::read(&done.stdout, repository, Timestamp(0)).is_ok() {
        return Ok(done.stdout);
    }
    match prs::failure(repository, done.status.code(), &done.stdout, &done.stderr) {
        Unread::LoggedOut(host) if !is_forge(&host) => Err(Unread::NoForge(host)),
        unread => Err(unread),
    }
}

/// Whether a host is a forge of `gh`; what it is not logged in to may be anything.
fn is_forge(host: &str) -> bool {
    host == COMMON || std::env::var("GH_HOST").is_ok_and(|named| named.eq_ignore_ascii_case(host))
}

/// `gh` that asks nothing, shows nothing beside its answer, and looks at no folder of ours.
fn gh() -> Command {
    let mut command = Command::new("gh");
    command.current_dir("/").env("GH_PROMPT_DISABLED", "1").env("GH_NO_UPDATE_NOTIFIER", "1");
    command.env("NO_COLOR", "1");
    for name in ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG"] {
        command.env_remove(name);
    }
    command
}

fn start_error(error: &io::Error) -> Unread {
    match error.kind() {
        io::ErrorKind::NotFound => Unread::Missing,
        _ => Unread::Failed(format!("could not start gh: {error}")),
    }
}

/// What `gh` says of its version; none where there is none.
pub(super) async fn version() -> Option<String> {
    let mut command = gh();
    command.arg("--version");
    let done = command::run(command, 1 << 10).await.ok()?;
    let text = String::from_utf8_lossy(&done.stdout);
    Some(clean_line(text.lines().next().unwrap_or_default()))
}
