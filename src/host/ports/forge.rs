//! Pull requests, which a forge has (`spec/lifecycle.md` section 11).

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::forge::{PullRequest, Repository, Unread};
use crate::domain::ids::SessionId;
use crate::domain::pr::PrFacts;
use crate::host::context::Context;

use super::PortResult;

/// Reads pull requests, and keeps what is known of them.
pub trait ForgePort: Send + Sync + 'static {
    /// Repositories that the remotes of a git repository name.
    fn remotes(
        &self,
        ctx: &Context,
        folder: &Path,
    ) -> impl Future<Output = PortResult<Vec<Repository>>> + Send;
    /// The commits of these branches on the remotes of a git repository as far as it knows, by reference:
    /// a push changes them. Asks nobody.
    fn pushed(
        &self,
        folder: &Path,
        branches: &[String],
    ) -> impl Future<Output = BTreeMap<String, String>> + Send;
    /// Pull requests of a repository with one of these head branches. Dropping the future ends what was
    /// started for it.
    fn pull_requests(
        &self,
        repository: &Repository,
        branches: &[String],
    ) -> impl Future<Output = Result<Vec<PullRequest>, Unread>> + Send;
    /// Replaces what is known of a session's pull requests; one that is gone is passed over.
    fn set_pull_requests(
        &self,
        id: &SessionId,
        facts: Vec<PrFacts>,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// Whether a session is killed when its pull request was merged (F3).
    fn kills_merged(&self) -> bool;
}
