//! Reads the pull requests of sessions that run, beside everything else (`spec/lifecycle.md` section 11):
//! a slow or missing `gh` keeps nothing waiting.

mod schedule;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::forge::{self, PullRequest, Repository, Unread};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Conditions;
use crate::domain::pr::PrFacts;
use crate::domain::session::Session;
use crate::domain::time::Timestamp;

use super::Host;
use super::context::{Context, Ended as Cut};
use super::error::HostResult;
use super::ports::{PortError, Ports};
use schedule::{Ended, OTHERS, Schedule};

/// How long the repositories of one project may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Folders of projects whose sessions are on view.
pub type OnView = BTreeSet<PathBuf>;

/// The pull requests that are read, and when. Dropped, nothing is read any more.
pub(super) struct PullRequests<P> {
    host: Host<P>,
    ctx: Context,
    on_view: watch::Receiver<OnView>,
    schedule: Schedule,
    reads: JoinSet<(PathBuf, Result<bool, Unread>)>,
    /// Commits of branches on remotes, by project, as seen last.
    pushed: BTreeMap<PathBuf, BTreeMap<String, String>>,
    /// What keeps a project from being read.
    faults: BTreeMap<PathBuf, Unread>,
    /// The one that was said last.
    said: Option<Unread>,
}

impl<P: Ports> PullRequests<P> {
    /// Reads none yet.
    pub(super) fn new(host: Host<P>, ctx: Context, on_view: watch::Receiver<OnView>) -> Self {
        Self {
            host,
            ctx,
            on_view,
            schedule: Schedule::default(),
            reads: JoinSet::new(),
            pushed: BTreeMap::new(),
            faults: BTreeMap::new(),
            said: None,
        }
    }

    /// Begins the reads that are due, for exactly these sessions. Answers when there is more to do, and how
    /// reading goes where that changed.
    pub(super) async fn follow(&mut self, live: &[Session]) -> (Option<Instant>, Option<Told>) {
        let mut places: BTreeMap<&Path, Vec<&Session>> = BTreeMap::new();
        for session in live.iter().filter(|session| session.branch.is_some()) {
            if let Some(folder) = session.placement.project_path() {
                places.entry(folder).or_default().push(session);
            }
        }
        {
            let on_view = self.on_view.borrow_and_update();
            let shown = places.keys().map(|folder| (*folder, on_view.contains(*folder)));
            self.schedule.follow(shown);
        }
        self.faults.retain(|folder, _| places.contains_key(folder.as_path()));
        self.pushed.retain(|folder, _| places.contains_key(folder.as_path()));
        for (folder, sessions) in &places {
            if self.schedule.is_somewhere(folder) && self.was_pushed(folder, sessions).await {
                self.schedule.pushed(folder);
            }
        }
        let now = Instant::now();
        for folder in self.schedule.begin(now) {
            let sessions = places.get(folder.as_path()).into_iter().flatten();
            let sessions: Vec<Session> = sessions.map(|session| (*session).clone()).collect();
            let (host, ctx) = (self.host.clone(), self.ctx.clone());
            self.reads.spawn(async move {
                let read = host.read_pull_requests(&ctx, &folder, &sessions).await;
                (folder, read)
            });
        }
        (self.schedule.next(now), self.told(live))
    }

    /// Returns when a read ended, or other sessions are on view; else never. May be dropped.
    pub(super) async fn changed(&mut self) {
        let on_view = async {
            if self.on_view.changed().await.is_err() {
                // Nobody shows any.
                std::future::pending::<()>().await;
            }
        };
        let ended = tokio::select! {
            ended = self.reads.join_next(), if !self.reads.is_empty() => ended,
            () = on_view => return,
        };
        let Some(Ok((folder, read))) = ended else {
            return;
        };
        let how = match &read {
            Ok(true) => Ended::Well,
            Ok(false) => Ended::Nowhere,
            Err(Unread::Failed(_) | Unread::NoForge(_) | Unread::NoRemotes(_)) => Ended::Badly,
            Err(Unread::Missing | Unread::LoggedOut(_)) => Ended::Closed,
            Err(Unread::Limited) => Ended::Limited,
        };
        self.schedule.ended(&folder, Instant::now(), how);
        match read {
            Ok(_) => self.faults.remove(&folder),
            Err(Unread::NoRemotes(error)) => {
                tracing::warn!(folder = %folder.display(), %error, "the remotes cannot be read");
                self.faults.remove(&folder)
            }
            Err(unread) => self.faults.insert(folder, unread),
        };
    }

    /// Whether a branch of these sessions was pushed since the last look.
    async fn was_pushed(&mut self, folder: &Path, sessions: &[&Session]) -> bool {
        let seen = self.host.ports().pushed(folder, &branches(sessions.iter().copied())).await;
        let Some(known) = self.pushed.get_mut(folder) else {
            self.pushed.insert(folder.to_owned(), seen);
            return false;
        };
        let pushed = seen.iter().any(|(name, commit)| known.get(name) != Some(commit));
        known.extend(seen);
        pushed
    }

    /// How reading goes, where that is not said yet: the most general fault, and from when the facts are.
    fn told(&mut self, live: &[Session]) -> Option<Told> {
        let fault = self.faults.values().min();
        if fault == self.said.as_ref() {
            return None;
        }
        self.said = fault.cloned();
        let Some(fault) = &self.said else {
            return Some(Ok(()));
        };
        let stale = live.iter().flat_map(|session| &session.prs).filter(|pr| pr.stale);
        let message = match stale.map(|pr| pr.read_at).min() {
            Some(at) => format!("{fault}; PR states are from {}", minute(at)),
            None => format!("{fault}; PR states are not known"),
        };
        Some(Err(PortError { kind: ErrorKind::Failed, message, hint: fault.hint() }.into()))
    }
}

/// How an attempt went.
type Told = HostResult<()>;

/// A time to the minute: `09:12 UTC`.
fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(11..16).map_or_else(|| text.clone(), |time| format!("{time} UTC"))
}

/// Each head branch once.
fn branches<'a>(sessions: impl Iterator<Item = &'a Session>) -> Vec<String> {
    let branches: BTreeSet<&String> = sessions.filter_map(|one| one.branch.as_ref()).collect();
    branches.into_iter().cloned().collect()
}

impl<P: Ports> Host<P> {
    /// Reads the pull requests of the sessions of one project, keeps what is known of them (T2), and does
    /// what follows a merge (F3). False where its remotes name no repository of a forge.
    async fn read_pull_requests(
        &self,
        ctx: &Context,
        folder: &Path,
        sessions: &[Session],
    ) -> Result<bool, Unread> {
        let limited = ctx.within(PATIENCE);
        let remotes = self.ports.remotes(&limited, folder).await;
        let remotes = remotes.map_err(|error| Unread::NoRemotes(error.message))?;
        if remotes.is_empty() {
            return Ok(false);
        }
        let branches = branches(sessions.iter());
        let mut read: Vec<(Repository, Result<Vec<PullRequest>, Unread>)> = Vec::new();
        for repository in &remotes {
            let before = read.iter().find_map(|(_, prs)| prs.as_ref().err());
            let prs = match before.filter(|unread| unread.is_general()) {
                Some(unread) => Err(unread.clone()),
                None => self.ask(&limited, repository, &branches).await,
            };
            read.push((repository.clone(), prs));
        }
        for session in sessions {
            self.note(ctx, session, &remotes, &read).await.map_err(failed)?;
        }
        let no_forge = |(_, prs): &(_, Result<_, Unread>)| matches!(prs, Err(Unread::NoForge(_)));
        if read.iter().all(no_forge) {
            return Ok(false);
        }
        // The most general fault speaks for all.
        match read.into_iter().filter_map(|(_, prs)| prs.err()).min() {
            None | Some(Unread::NoForge(_)) => Ok(true),
            Some(unread) => Err(unread),
        }
    }

    async fn ask(
        &self,
        ctx: &Context,
        repository: &Repository,
        branches: &[String],
    ) -> Result<Vec<PullRequest>, Unread> {
        let asked = ctx.run(self.ports.pull_requests(repository, branches)).await;
        asked.unwrap_or_else(|ended| {
            Err(Unread::Failed(match ended {
                Cut::Cancelled => format!("reading {repository} was cancelled"),
                Cut::TimedOut => format!("gh did not answer within {} s", PATIENCE.as_secs()),
            }))
        })
    }

    /// Keeps what was read of one session, where that is anything new, and ends it where that follows.
    async fn note(
        &self,
        ctx: &Context,
        session: &Session,
        remotes: &[Repository],
        read: &[(Repository, Result<Vec<PullRequest>, Unread>)],
    ) -> Result<(), PortError> {
        let Some(branch) = &session.branch else {
            return Ok(());
        };
        let own = |pr: &&PullRequest| pr.belongs(branch, remotes, session.created_at);
        let reads: Vec<_> = read
            .iter()
            .map(|(repository, prs)| {
                let prs = prs.as_ref().ok().map(|prs| prs.iter().filter(own).collect());
                (repository.clone(), prs)
            })
            .collect();
        let known = forge::known(&session.prs, &reads);
        if is_news(&session.prs, &known) {
            self.ports.set_pull_requests(&session.id, known.clone()).await?;
        }
        let started = session.runtime.started_at.unwrap_or(session.created_at);
        let merged = self.ports.kills_merged() && forge::merged_since(started, &reads, &known);
        // Who launched it again while the forge was read has a reason.
        let now = if merged { self.ports.session(&session.id).await? } else { None };
        let runs_on =
            |now: Session| now.is_live() && now.runtime.started_at == session.runtime.started_at;
        if now.is_some_and(runs_on) {
            let (ids, always) = ([session.id.clone()], Conditions::default());
            let reason = TerminationReason::PrMerged;
            let killed = self.kill_as(ctx, &ids, &always, reason, &Actor::Callboard).await;
            // It is tried again after the next read.
            if let Err(error) = killed {
                tracing::warn!(session = %session.id, %error, "a merged session was not killed");
            }
        }
        Ok(())
    }
}

/// Whether facts are to be kept: others than before, or as before and not kept for a while.
fn is_news(before: &[PrFacts], known: &[PrFacts]) -> bool {
    let same = |(old, new): (&PrFacts, &PrFacts)| {
        let recent = new.read_at.since(old.read_at) < OTHERS;
        recent && PrFacts { read_at: old.read_at, ..new.clone() } == *old
    };
    before.len() != known.len() || !before.iter().zip(known).all(same)
}

fn failed(error: PortError) -> Unread {
    Unread::Failed(error.message)
}
