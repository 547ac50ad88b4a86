//! Keepers as a port.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::agents;
use crate::domain::error::ErrorKind;
use crate::domain::hook::HookPlan;
use crate::domain::ids::SessionId;
use crate::domain::probe::Evidence;
use crate::domain::session::{Session, Usage};
use crate::host::context::{CLOSE, Context, KILL_AFTER, TERM_AFTER};
use crate::host::ports::{
    Closed, Input, PortError, PortResult, PurgePort as _, RuntimePort, ScreenText, StartRequest,
    Started,
};
use crate::monitor::probe;
use crate::monitor::usage::Sampler;
use crate::os::proctree::Process;
use crate::os::{clock, random, spawn};
use crate::runtime::client::{self, ClientError, ClientResult, Keeper, Launching};
use crate::runtime::keeper::{self, Listed};
use crate::runtime::strays::{self, Stray};
use crate::runtime::wire::message::{Condition, StopPace};

use super::Real;
use super::doctor::{socket_folder, trim_history};
use super::workspace::ended_error;

/// Keepers, each a process of its own.
#[derive(Debug, Default)]
pub struct Keepers {
    /// Launches that are ready and not yet published: dropping one ends its keeper (C4).
    launches: Mutex<HashMap<(SessionId, u32), Launching>>,
    /// What was seen of process trees.
    sampler: Arc<Mutex<Sampler>>,
}

impl Keepers {
    fn launches(&self) -> MutexGuard<'_, HashMap<(SessionId, u32), Launching>> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_launches(&self, id: &SessionId) -> Vec<Launching> {
        let mut launches = self.launches();
        launches.extract_if(|(launched, _), _| launched == id).map(|(_, launch)| launch).collect()
    }
}

impl RuntimePort for Real {
    async fn start(&self, ctx: &Context, request: &StartRequest) -> PortResult<Started> {
        if let Some(running) = self.running(ctx, request).await {
            return Ok(running);
        }
        if let Some(carry) = request.plan.carry.clone() {
            let folder = request.folder.clone();
            let what = format!("copying the conversation {}", carry.from.display());
            aside(&what, move || agents::bring(&carry, &folder)).await?;
        }
        if let HookPlan::Own(files) = request.plan.hooks.clone() {
            let place = move || files.iter().try_for_each(agents::place);
            aside("writing the files of the hooks", place).await?;
        }
        let spec = self.spec(request)?;
        self.make_room_for_history().await;
        let binary = spawn::own_binary().map_err(|error| PortError {
            kind: ErrorKind::Failed,
            message: format!("finding callboard's own program: {error}"),
            hint: None,
        })?;
        let what = format!("starting {} of {}", request.agent, request.id);
        let launching = within(ctx, &what, client::start(&spec, &binary)).await?;
        let ready = launching.ready();
        self.runtime.launches().insert((request.id.clone(), request.generation), launching);
        Ok(Started {
            created: true,
            keeper_pid: ready.keeper_pid,
            pid: ready.pid,
            started_at: ready.started_at,
        })
    }

    async fn publish_runtime(
        &self,
        ctx: &Context,
        id: &SessionId,
        generation: u32,
    ) -> PortResult<()> {
        let launching = self.runtime.launches().remove(&(id.clone(), generation));
        match launching {
            Some(launching) => within(ctx, &format!("publishing {id}"), launching.publish()).await,
            // A runtime that was found running is published already (C2).
            None => Ok(()),
        }
    }

    async fn close(&self, ctx: &Context, id: &SessionId) -> PortResult<Closed> {
        let abandoned = self.runtime.take_launches(id);
        let was_launching = !abandoned.is_empty();
        for launching in abandoned {
            within(ctx, &format!("ending {id}"), launching.abandon()).await?;
        }
        let keeper_pid = self.keeper_pid(id);
        let ending = async {
            let mut keeper = match self.keeper(id).await {
                Ok(keeper) => keeper,
                Err(ClientError::Gone { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            match keeper.stop(None, pace()).await {
                Ok(stopped) => Ok(Some(stopped)),
                Err(ClientError::Gone { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        };
        match within(ctx, &format!("ending {id}"), ending).await? {
            None => Ok(Closed { was_running: was_launching, escalated: false, keeper_pid }),
            Some(stopped) if stopped.ended => {
                Ok(Closed { was_running: true, escalated: stopped.escalated, keeper_pid })
            }
            Some(_) => Err(PortError {
                kind: ErrorKind::Failed,
                message: format!("the agent of {id} did not end after KILL"),
                hint: Some("end its processes by hand, then try again".to_owned()),
            }),
        }
    }

    async fn end_elsewhere(&self, target: &str, id: &SessionId, generation: u32) {
        self.end_launch(target, id, generation).await;
    }

    async fn type_into(&self, ctx: &Context, session: &Session, input: &Input) -> PortResult<()> {
        let generation = session.condition.lifecycle.generation;
        let (input, condition) = match input {
            Input::Text { text, enter } => {
                let paste = client::Input::Paste { text: text.clone(), submit: *enter };
                (paste, Some(Condition::UnlessQuestion))
            }
            Input::Keys(keys) => (client::Input::Keys(keys.clone()), None),
            Input::Answer { question, keys, selected } => {
                let condition = Condition::IfQuestion(question.clone());
                let answer = client::Input::Answer { keys: keys.clone(), selected: *selected };
                (answer, Some(condition))
            }
        };
        let typing = async {
            let mut keeper = self.keeper(&session.id).await?;
            keeper.send(generation, input, condition).await
        };
        within(ctx, &format!("typing into {}", session.id), typing).await.map(|_| ())
    }

    async fn screen(
        &self,
        ctx: &Context,
        id: &SessionId,
        scrollback: usize,
    ) -> PortResult<ScreenText> {
        let reading = async { self.keeper(id).await?.text(scrollback).await };
        let text = within(ctx, &format!("reading the screen of {id}"), reading).await?;
        Ok(ScreenText {
            cols: text.cols,
            rows: text.rows,
            lines: text.lines,
            cursor: (text.cursor_row, text.cursor_col, text.cursor_visible),
            title: text.title,
            alternate: text.alternate,
            scrollback_lines: text.scrollback_lines,
        })
    }

    async fn probe(&self, session: &Session) -> Evidence {
        probe::evidence(&self.socket(&session.id), session).await
    }

    async fn usage(&self, sessions: &[Session]) -> Vec<(SessionId, Usage)> {
        let (folder, ours) = (self.socket_folder(), self.store.workspace().clone());
        let (sessions, sampler) = (sessions.to_vec(), Arc::clone(&self.runtime.sampler));
        let now = self.store.now();
        let looked = tokio::task::spawn_blocking(move || {
            let listed = keeper::listed(&folder);
            let others: BTreeSet<Process> = listed.iter().map(|it| it.keeper).collect();
            let mut sampler = sampler.lock().unwrap_or_else(PoisonError::into_inner);
            let ids: Vec<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
            sampler.keep(&ids);
            let usage = |session: &Session| {
                let own =
                    listed.iter().find(|it| it.session == session.id && it.workspace == ours)?;
                let at = (clock::monotonic(), now);
                Some((session.id.clone(), sampler.sample(session, own.keeper, &others, at)))
            };
            // On a machine where looking is slow, the last of many are not looked at.
            let began = clock::monotonic();
            let in_time = |_: &&Session| began.elapsed() < LOOKS_FOR;
            sessions.iter().take_while(in_time).filter_map(usage).collect()
        });
        looked.await.unwrap_or_default()
    }

    async fn gone(&self, id: &SessionId) {
        if let Ok(keeper) = self.keeper(id).await
            && let Ok(mut facts) = keeper.subscribe_facts().await
        {
            while facts.next().await.is_some() {}
        }
    }

    async fn end_strays(&self) -> PortResult<Vec<u32>> {
        Ok(strays::end(|| self.find_strays()).await)
    }

    async fn keepers(&self) -> PortResult<Vec<SessionId>> {
        let folder = self.socket_folder();
        keeper::sweep(&folder).await.map_err(|error| PortError {
            kind: ErrorKind::Failed,
            message: format!("clearing {} of dead keepers: {error}", folder.display()),
            hint: Some("check that the folder is yours and can be written".to_owned()),
        })?;
        Ok(self.listed_keepers())
    }
}

fn pace() -> StopPace {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    StopPace {
        term_ms: millis(TERM_AFTER),
        kill_ms: millis(KILL_AFTER),
        give_up_ms: millis(CLOSE).saturating_sub(500),
    }
}

/// Works on files beside the runtime.
async fn aside(
    what: &str,
    work: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> PortResult<()> {
    let failed = |error: &dyn std::fmt::Display| PortError {
        kind: ErrorKind::Failed,
        message: format!("{what}: {error}"),
        hint: None,
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| failed(&error))?
        .map_err(|error| failed(&error))
}

impl Real {
    /// Sessions of this workspace that have a keeper, in order.
    pub(super) fn listed_keepers(&self) -> Vec<SessionId> {
        let ours = |keeper: &Listed| keeper.workspace == *self.store.workspace();
        let listed = keeper::listed(&self.socket_folder());
        let mut found: Vec<_> = listed.into_iter().filter(ours).map(|it| it.session).collect();
        found.sort_unstable();
        found
    }

    /// Where no `CALLBOARD_HOME` tells one installation from another, the secret of the launch does:
    /// only a session of this store has its hash.
    pub(super) async fn find_strays(&self) -> Vec<Stray> {
        let (root, folder) = (self.home.root.clone(), self.socket_folder());
        let workspace = self.store.workspace().clone();
        let found = move || strays::find(root.as_deref(), &workspace, &folder);
        let found = tokio::task::spawn_blocking(found).await.unwrap_or_default();
        let mut ours = Vec::new();
        for stray in found {
            let known = self.store.token_hash(&stray.session).await.ok().flatten();
            if self.home.root.is_some() || known == Some(random::token_hash(&stray.token)) {
                ours.push(stray);
            }
        }
        ours
    }

    pub(super) fn socket(&self, id: &SessionId) -> PathBuf {
        self.home.socket(self.store.workspace(), id)
    }

    pub(super) fn socket_folder(&self) -> PathBuf {
        socket_folder(&self.home, self.store.workspace())
    }

    async fn keeper(&self, id: &SessionId) -> ClientResult<Keeper> {
        Keeper::connect(&self.socket(id)).await
    }

    /// Bounds the terminal history of all sessions together (`spec/store.md` W7). A launch does not fail
    /// where that does.
    async fn make_room_for_history(&self) {
        if !matches!(self.claim("history", TRIM_EVERY).await, Ok(true)) {
            return;
        }
        let (home, config, sockets) =
            (self.home.clone(), self.config.clone(), self.socket_folder());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = trim_history(&home, &config, &sockets) {
                tracing::warn!(%error, "old terminal history could not be dropped");
            }
        });
    }

    fn keeper_pid(&self, id: &SessionId) -> Option<u32> {
        let listed = keeper::listed(&self.socket_folder());
        let of =
            |one: &keeper::Listed| one.session == *id && one.workspace == *self.store.workspace();
        listed.into_iter().find(of).map(|one| one.keeper.pid)
    }

    /// The runtime of this launch, where it runs already (C2).
    async fn running(&self, ctx: &Context, request: &StartRequest) -> Option<Started> {
        let asking = async {
            let mut keeper = self.keeper(&request.id).await?;
            keeper.status().await
        };
        let status = within(ctx, "asking the keeper", asking).await.ok()?;
        let facts = status.facts;
        (facts.generation == request.generation && facts.exit.is_none()).then_some(Started {
            created: false,
            keeper_pid: facts.keeper_pid,
            pid: facts.pid,
            started_at: facts.started_at,
        })
    }
}

/// Process trees are looked at for so long in one go.
const LOOKS_FOR: Duration = Duration::from_millis(500);
/// Least time between two looks at the history of all sessions together.
const TRIM_EVERY: Duration = Duration::from_mins(5);

async fn within<T>(
    ctx: &Context,
    what: &str,
    work: impl Future<Output = ClientResult<T>>,
) -> PortResult<T> {
    match ctx.run(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            let error = PortError::from(error);
            Err(PortError { message: format!("{what}: {}", error.message), ..error })
        }
        Err(ended) => Err(ended_error(what, ended)),
    }
}
