//! The recorder, and small models of runtimes, worktrees, agents and locks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::domain::agent::AnswerWay;
use crate::domain::error::ErrorKind;
use crate::domain::event::{Event, Message};
use crate::domain::hook::{HookFile, HookPlan};
use crate::domain::ids::{BatchId, OperationId, ProjectName, SessionId, WorkspaceName};
use crate::domain::launch::ForkOf;
use crate::domain::operation::Operation;
use crate::domain::plan::{Advice, Back};
use crate::domain::probe::{Answer, Evidence};
use crate::domain::rail::{Project, ProjectSetup, SavedFilter};
use crate::domain::session::{FolderKind, LaunchFacts, Session, Usage};
use crate::domain::worktree::Difference;
use crate::host::context::Context;
use crate::host::lanes::Lanes;
use crate::host::ports::{
    AgentPort, CallerLimits, Changes, Closed, FolderPort, Freed, Input, LaunchPlan, LaunchedHow,
    Moved, PortError, PortResult, RuntimePort, ScreenText, StartRequest, Started, Staying,
    WorkspacePort, Worktree, WorktreeRequest,
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

impl FolderPort for Recorder {
    async fn changes(
        &self,
        _ctx: &Context,
        _worktree: &Path,
        _base: Option<&str>,
    ) -> PortResult<Changes> {
        Ok(Changes::default())
    }
    async fn difference(
        &self,
        _ctx: &Context,
        _worktree: &Path,
        _base: Option<&str>,
        _patch: bool,
    ) -> PortResult<Difference> {
        Ok(Difference::default())
    }
    async fn staying(
        &self,
        worktrees: &[(SessionId, PathBuf)],
        leaving: &[SessionId],
    ) -> PortResult<Staying> {
        let guest = |s: &&Session| {
            s.deletion.is_none()
                && s.folder_kind != FolderKind::Worktree
                && !leaving.contains(&s.id)
        };
        Ok(self.read(|m| {
            let mut staying = m.staying.clone();
            for (id, path) in worktrees {
                let mut guests = m.sessions.values().filter(guest);
                if let Some(found) = guests.find(|one| one.folder.starts_with(path)) {
                    staying.insert(id.clone(), format!("{} works in it too", found.id));
                }
            }
            staying.retain(|id, _| worktrees.iter().any(|(one, _)| one == id));
            staying
        }))
    }
    async fn folder_size(&self, _ctx: &Context, _folder: &Path) -> PortResult<u64> {
        Ok(0)
    }
}

impl WorkspacePort for Recorder {
    async fn is_repository(&self, path: &Path) -> bool {
        path.join(".git").exists()
    }
    async fn check_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> PortResult<Worktree> {
        self.call("check_worktree", Some(&request.session), Some(ctx))?;
        Ok(worktree(&request.session))
    }
    async fn create_worktree(
        &self,
        ctx: &Context,
        request: &WorktreeRequest,
    ) -> PortResult<Worktree> {
        self.acall("create_worktree", Some(&request.session), Some(ctx)).await?;
        let made = worktree(&request.session);
        self.change(|m| m.folders.insert(made.path.clone()));
        Ok(made)
    }
    async fn prepare(
        &self,
        ctx: &Context,
        _repository: &Path,
        _worktree: &Path,
        _setup: &ProjectSetup,
    ) -> PortResult<()> {
        self.acall("prepare", None, Some(ctx)).await
    }
    async fn unprepare(
        &self,
        ctx: &Context,
        _repository: &Path,
        _worktree: &Path,
        _setup: &ProjectSetup,
    ) -> PortResult<()> {
        self.acall("unprepare", None, Some(ctx)).await
    }
    async fn install_hooks(
        &self,
        ctx: &Context,
        worktree: &Path,
        _hooks: &HookFile,
    ) -> PortResult<Option<String>> {
        self.acall("install_hooks", None, Some(ctx)).await?;
        self.change(|m| m.hooked.insert(worktree.to_owned()));
        Ok(self.read(|m| m.hooks_off.clone()))
    }
    async fn remove_hooks(&self, ctx: &Context, worktree: &Path) -> PortResult<()> {
        self.acall("remove_hooks", None, Some(ctx)).await?;
        self.change(|m| m.hooked.remove(worktree));
        Ok(())
    }
    async fn give_back(&self, ctx: &Context, _repo: &Path, tree: &Worktree) -> PortResult<Freed> {
        self.acall("give_back", None, Some(ctx)).await?;
        let there = self.read(|m| m.folders.contains(&tree.path));
        let only_ignored = there && self.read(|m| m.only_ignored);
        let kept = only_ignored || (there && self.read(|m| m.dirty));
        self.change(|m| !kept && m.folders.remove(&tree.path));
        Ok(Freed { freed: !kept, reason: kept.then(|| "2 files changed".into()), only_ignored })
    }
    async fn reason_to_keep(
        &self,
        ctx: &Context,
        _repository: &Path,
        worktree: &Path,
    ) -> PortResult<Option<String>> {
        self.acall("reason_to_keep", None, Some(ctx)).await?;
        Ok(self.read(|m| {
            let kept = m.folders.contains(worktree) && (m.dirty || m.only_ignored);
            kept.then(|| "2 files changed".to_owned())
        }))
    }
    async fn advice(&self, ctx: &Context, _worktree: &Path) -> PortResult<Advice> {
        self.acall("advice", None, Some(ctx)).await?;
        let dirty_files = Some(if self.read(|m| m.dirty) { 2 } else { 0 });
        Ok(Advice { dirty_files, unpushed_commits: Some(0), ..Advice::default() })
    }
    async fn worktrees(&self) -> PortResult<Vec<(SessionId, PathBuf)>> {
        let name = |path: &PathBuf| {
            let id = path.strip_prefix("/worktrees").ok()?.to_str()?.to_owned();
            Some((SessionId::new(id).ok()?, path.clone()))
        };
        Ok(self.read(|m| m.folders.iter().filter_map(name).collect()))
    }
    fn worktree_path(&self, _project: &ProjectName, id: &SessionId) -> PathBuf {
        PathBuf::from(format!("/worktrees/{id}"))
    }
    fn trash_path(&self, batch: &BatchId, id: &SessionId) -> PathBuf {
        super::fake_store::trash_path(batch, id)
    }
    async fn move_to_trash(
        &self,
        ctx: &Context,
        _repository: &Path,
        from: &Path,
        to: &Path,
    ) -> PortResult<Moved> {
        self.acall(&format!("move_to_trash {}", from.display()), None, Some(ctx)).await?;
        self.change(|m| m.folders.remove(from) && m.folders.insert(to.to_owned()));
        Ok(Moved::default())
    }
    async fn move_back(
        &self,
        ctx: &Context,
        _repository: &Path,
        from: &Path,
        to: &Path,
        _branch: Option<&str>,
    ) -> PortResult<Moved> {
        self.acall(&format!("move_back {}", to.display()), None, Some(ctx)).await?;
        self.change(|m| m.folders.remove(from) && m.folders.insert(to.to_owned()));
        Ok(Moved::default())
    }
    async fn foresee_move_back(
        &self,
        ctx: &Context,
        _repository: &Path,
        from: &Path,
        to: &Path,
        _branch: Option<&str>,
    ) -> PortResult<Back> {
        self.acall(&format!("foresee {}", to.display()), None, Some(ctx)).await?;
        let (in_trash, in_place) =
            self.read(|m| (m.folders.contains(from), m.folders.contains(to)));
        match (in_trash, in_place) {
            (true, true) => Err(PortError {
                kind: ErrorKind::Refused,
                message: "the place is taken".to_owned(),
                hint: None,
            }),
            (false, false) => Ok(Back::MadeAgain("the folder was missing".to_owned())),
            _ => Ok(Back::AsItWas),
        }
    }
    async fn ensure_worktree(
        &self,
        ctx: &Context,
        _repository: &Path,
        path: &Path,
        _branch: Option<&str>,
    ) -> PortResult<Moved> {
        self.acall("ensure_worktree", None, Some(ctx)).await?;
        self.change(|m| m.folders.insert(path.to_owned()));
        Ok(Moved::default())
    }
}

impl AgentPort for Recorder {
    fn check_agent(&self, _launch: &LaunchFacts) -> PortResult<()> {
        self.call("check_agent", None, None)
    }
    fn answer_way(&self, _agent: &str) -> AnswerWay {
        AnswerWay::default()
    }
    fn caller_limits(&self) -> CallerLimits {
        self.read(|m| m.caller_limits.unwrap_or(CallerLimits { everything: false, max_live: 50 }))
    }
    fn can_resume(&self, _agent: &str) -> bool {
        self.read(|m| m.can_resume)
    }
    fn can_fork(&self, _agent: &str) -> bool {
        self.read(|m| m.can_resume)
    }
    fn plan_fork(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        of: &ForkOf,
    ) -> PortResult<LaunchPlan> {
        let plan = self.plan_launch(launch, prompt, false)?;
        let argv = vec!["fork".into(), of.conversation.clone()];
        Ok(LaunchPlan { argv, how: LaunchedHow::Resumed, ..plan })
    }
    fn plan_launch(
        &self,
        launch: &LaunchFacts,
        prompt: Option<&str>,
        resume: bool,
    ) -> PortResult<LaunchPlan> {
        assert!(!resume || prompt.is_none(), "a resumed conversation has had its prompt (B2)");
        let how = match (resume, prompt) {
            (true, _) => LaunchedHow::Resumed,
            (false, Some(_)) => LaunchedHow::PromptAgain,
            (false, None) => LaunchedHow::Fresh,
        };
        Ok(LaunchPlan {
            elsewhere: None,
            argv: vec![launch.agent.clone()],
            env: Vec::new(),
            env_drop: Vec::new(),
            prompt_in_argv: prompt.is_some() && self.read(|m| m.prompt_in_argv),
            agent_session_id: Some("conversation".into()),
            how,
            hooks: self.read(|m| m.hooks_plan.clone()),
            carry: None,
        })
    }
}

/// The worktree of a session.
pub(super) fn worktree(id: &SessionId) -> Worktree {
    Worktree {
        path: PathBuf::from(format!("/worktrees/{id}")),
        branch: format!("callboard/{id}"),
        base: "main".into(),
        new_branch: true,
    }
}
