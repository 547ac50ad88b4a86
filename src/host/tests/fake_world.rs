//! The recorder, and small models of runtimes, worktrees, agents and locks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::domain::error::ErrorKind;
use crate::domain::event::{Event, Message};
use crate::domain::hook::HookPlan;
use crate::domain::ids::{OperationId, SessionId, WorkspaceName};
use crate::domain::operation::Operation;
use crate::domain::probe::{Answer, Evidence};
use crate::domain::rail::{Project, SavedFilter};
use crate::domain::session::{Session, Usage};
use crate::host::context::Context;
use crate::host::lanes::Lanes;
use crate::host::ports::{
    CallerLimits, Closed, Input, PortError, PortResult, RuntimePort, ScreenText, StartRequest,
    Started, Staying,
};

use super::NOW;

/// One recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::host) struct Call {
    pub(in crate::host) what: String,
    /// The context had a deadline of its own.
    pub(in crate::host) deadline: bool,
    /// The context was cancelled.
    pub(in crate::host) cancelled: bool,
}

type Hook = Box<dyn FnOnce(&mut Model) + Send>;

/// What the fakes know.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of one fake")]
pub(in crate::host) struct Model {
    pub(in crate::host) sessions: BTreeMap<SessionId, Session>,
    pub(in crate::host) projects: Vec<Project>,
    pub(in crate::host) filters: Vec<SavedFilter>,
    pub(in crate::host) keepers: BTreeSet<SessionId>,
    /// Keepers that outlive their creator (C4).
    pub(in crate::host) published: BTreeSet<SessionId>,
    /// Processes that outlived their keeper.
    pub(in crate::host) strays: Vec<u32>,
    /// Worktrees that are there, in their place or in the trash.
    pub(in crate::host) folders: BTreeSet<PathBuf>,
    pub(in crate::host) operations: Vec<Operation>,
    pub(in crate::host) held: BTreeSet<OperationId>,
    pub(in crate::host) events: Vec<Event>,
    pub(in crate::host) messages: Vec<(SessionId, Message)>,
    pub(in crate::host) counter: u64,
    pub(in crate::host) prompt_in_argv: bool,
    pub(in crate::host) started_with_prompt: Vec<SessionId>,
    pub(in crate::host) can_resume: bool,
    /// How hooks are installed, and why they are off.
    pub(in crate::host) hooks_plan: HookPlan,
    pub(in crate::host) hooks_off: Option<String>,
    /// Worktrees with hooks in them.
    pub(in crate::host) hooked: BTreeSet<PathBuf>,
    pub(in crate::host) caller_limits: Option<CallerLimits>,
    pub(in crate::host) dirty: bool,
    pub(in crate::host) only_ignored: bool,
    /// Worktrees that must stay, and why.
    pub(in crate::host) staying: Staying,
    /// Folders in the trash.
    pub(in crate::host) trashed: Vec<(SessionId, PathBuf)>,
    /// Names of daily work that was claimed.
    pub(in crate::host) claimed: BTreeSet<String>,
    pub(in crate::host) escalates: bool,
    /// Runtimes being closed, now and at most.
    closing: usize,
    pub(in crate::host) most_closing: usize,
    /// The store cannot delete a batch as one.
    pub(in crate::host) without_batches: bool,
    pub(in crate::host) calls: Vec<Call>,
    /// Locks of sessions as they were taken and freed, each with how many calls came before.
    pub(in crate::host) locks: Vec<(String, usize)>,
    /// The highest launch that was started of each session.
    pub(in crate::host) launched: BTreeMap<SessionId, u32>,
    /// The target that agents run at, and the launches that were ended there.
    pub(in crate::host) elsewhere: Option<String>,
    pub(in crate::host) ended_elsewhere: Vec<(String, SessionId, u32)>,
    pub(in crate::host) forge: super::fake_forge::Forge,
    failures: BTreeSet<String>,
    hanging: BTreeSet<String>,
    hooks: BTreeMap<String, Vec<Hook>>,
}

/// All ports, in memory: records every call that has an effect or a context, and fails, hangs or
/// changes the model at named ones. A name is the call, or the call with its session.
#[derive(Clone, Default)]
pub(in crate::host) struct Recorder {
    model: Arc<Mutex<Model>>,
    pub(super) lanes: Lanes,
    pub(in crate::host) workspace: WorkspaceName,
}

impl Recorder {
    pub(in crate::host) fn read<T>(&self, look: impl FnOnce(&Model) -> T) -> T {
        look(&self.model.lock().unwrap())
    }
    pub(in crate::host) fn change<T>(&self, change: impl FnOnce(&mut Model) -> T) -> T {
        change(&mut self.model.lock().unwrap())
    }
    pub(in crate::host) fn session_now(&self, id: &str) -> Option<Session> {
        self.read(|m| m.sessions.get(id).cloned())
    }
    /// From now on this call fails.
    pub(in crate::host) fn fail(&self, what: &str) {
        self.change(|m| m.failures.insert(what.to_owned()));
    }
    /// From now on it works again.
    pub(in crate::host) fn heal(&self, what: &str) {
        self.change(|m| m.failures.remove(what));
    }
    /// From now on this call never returns.
    pub(in crate::host) fn hang(&self, what: &str) {
        self.change(|m| m.hanging.insert(what.to_owned()));
    }
    /// The next time this call comes, the model changes first.
    pub(in crate::host) fn at(&self, what: &str, change: impl FnOnce(&mut Model) + Send + 'static) {
        let hook: Hook = Box::new(change);
        self.change(|m| m.hooks.entry(what.to_owned()).or_default().push(hook));
    }
    /// Fails like a call, without being recorded: for plain reads.
    pub(super) fn look(&self, name: &str) -> PortResult<()> {
        let failed = self.read(|m| m.failures.contains(name));
        let message = format!("{name} fails");
        let error = PortError { kind: ErrorKind::Failed, message, hint: None };
        if failed { Err(error) } else { Ok(()) }
    }
    /// The recorded calls in words.
    pub(in crate::host) fn calls(&self) -> Vec<String> {
        self.read(|m| m.calls.iter().map(|call| call.what.clone()).collect())
    }
    /// The recorded calls that act on the world: without plain reads and the journal.
    pub(in crate::host) fn acts(&self) -> Vec<String> {
        let quiet = [
            "projects",
            "plan_rows",
            "begin",
            "step ",
            "finish ",
            "advice",
            "probe",
            "busy",
            "reason_to_keep",
            "own",
            "lock ",
        ];
        let mut calls = self.calls();
        calls.retain(|call| !quiet.iter().any(|name| call.starts_with(name)));
        calls
    }
    pub(in crate::host) fn forget(&self) {
        self.change(|m| m.calls.clear());
    }
    pub(in crate::host) fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    pub(super) fn call(
        &self,
        name: &str,
        id: Option<&SessionId>,
        ctx: Option<&Context>,
    ) -> PortResult<()> {
        let what = id.map_or_else(|| name.to_owned(), |id| format!("{name} {id}"));
        let mut model = self.model.lock().unwrap();
        model.calls.push(Call {
            what: what.clone(),
            deadline: ctx.is_some_and(|ctx| ctx.deadline.is_some()),
            cancelled: ctx.is_some_and(|ctx| ctx.cancel.is_cancelled()),
        });
        let hooks = [name, &what].map(|key| model.hooks.remove(key).unwrap_or_default());
        for hook in hooks.into_iter().flatten() {
            hook(&mut model);
        }
        if model.failures.contains(name) || model.failures.contains(&what) {
            let message = format!("{what} fails");
            return Err(PortError { kind: ErrorKind::Failed, message, hint: None });
        }
        Ok(())
    }

    /// A call that can hang.
    pub(super) async fn acall(
        &self,
        name: &str,
        id: Option<&SessionId>,
        ctx: Option<&Context>,
    ) -> PortResult<()> {
        self.call(name, id, ctx)?;
        let what = id.map_or_else(|| name.to_owned(), |id| format!("{name} {id}"));
        if self.read(|m| m.hanging.contains(name) || m.hanging.contains(&what)) {
            std::future::pending::<()>().await;
        }
        tokio::task::yield_now().await;
        Ok(())
    }
}

impl RuntimePort for Recorder {
    async fn start(&self, ctx: &Context, request: &StartRequest) -> PortResult<Started> {
        self.acall("start", Some(&request.id), Some(ctx)).await?;
        let created = self.change(|m| {
            let newest = m.launched.entry(request.id.clone()).or_default();
            *newest = request.generation.max(*newest);
            if request.plan.prompt_in_argv {
                m.started_with_prompt.push(request.id.clone());
            }
            m.keepers.insert(request.id.clone())
        });
        Ok(Started { created, keeper_pid: 7, pid: 8, started_at: NOW })
    }
    async fn publish_runtime(&self, ctx: &Context, id: &SessionId, _g: u32) -> PortResult<()> {
        self.acall("publish_runtime", Some(id), Some(ctx)).await?;
        self.change(|m| m.published.insert(id.clone()));
        Ok(())
    }
    async fn close(&self, ctx: &Context, id: &SessionId) -> PortResult<Closed> {
        self.change(|m| {
            m.closing += 1;
            m.most_closing = m.most_closing.max(m.closing);
        });
        let called = self.acall("close", Some(id), Some(ctx)).await;
        self.change(|m| m.closing -= 1);
        called?;
        Ok(self.change(|m| {
            let was_running = m.keepers.remove(id);
            m.published.remove(id);
            Closed {
                was_running,
                escalated: was_running && m.escalates,
                keeper_pid: was_running.then_some(7),
            }
        }))
    }
    async fn end_elsewhere(&self, target: &str, id: &SessionId, generation: u32) {
        self.change(|m| m.ended_elsewhere.push((target.to_owned(), id.clone(), generation)));
    }
    async fn type_into(&self, ctx: &Context, session: &Session, input: &Input) -> PortResult<()> {
        let what = match input {
            Input::Text { text, .. } => format!("type {text} into"),
            Input::Keys(keys) => format!("press {} in", keys.join(" ")),
            Input::Answer { question, keys, .. } => {
                format!("answer {question} {} in", keys.join(" "))
            }
        };
        self.acall(&what, Some(&session.id), Some(ctx)).await
    }
    async fn screen(
        &self,
        _ctx: &Context,
        _id: &SessionId,
        _rows: usize,
    ) -> PortResult<ScreenText> {
        Err(PortError { kind: ErrorKind::Failed, message: "no screen".into(), hint: None })
    }
    async fn probe(&self, session: &Session) -> Evidence {
        let failed = self.call("probe", Some(&session.id), None).is_err();
        let there = match self.read(|m| m.keepers.contains(&session.id)) {
            _ if failed => Answer::Failed,
            true => Answer::Yes,
            false => Answer::No,
        };
        Evidence { keeper: there, process: there, kill_requested: None }
    }
    async fn gone(&self, _id: &SessionId) {}

    async fn end_strays(&self) -> PortResult<Vec<u32>> {
        Ok(self.change(|m| std::mem::take(&mut m.strays)))
    }
    async fn usage(&self, _sessions: &[Session]) -> Vec<(SessionId, Usage)> {
        Vec::new()
    }
    async fn keepers(&self) -> PortResult<Vec<SessionId>> {
        Ok(self.read(|m| m.keepers.iter().cloned().collect()))
    }
}
