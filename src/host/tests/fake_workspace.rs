//! Small models of folders, worktrees and agents.

use std::path::{Path, PathBuf};

use crate::domain::agent::AnswerWay;
use crate::domain::error::ErrorKind;
use crate::domain::hook::HookFile;
use crate::domain::ids::{BatchId, ProjectName, SessionId};
use crate::domain::launch::ForkOf;
use crate::domain::plan::{Advice, Back};
use crate::domain::rail::ProjectSetup;
use crate::domain::session::{FolderKind, LaunchFacts, Session};
use crate::domain::worktree::{Difference, WayBack};
use crate::host::context::Context;
use crate::host::ports::{
    AgentPort, CallerLimits, Changes, FolderPort, Freed, LaunchPlan, LaunchedHow, Moved, PortError,
    PortResult, Staying, WorkspacePort, Worktree, WorktreeRequest,
};

use super::fake_world::Recorder;

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
        WayBack { from, to, .. }: &WayBack,
    ) -> PortResult<Moved> {
        self.acall(&format!("move_back {}", to.display()), None, Some(ctx)).await?;
        self.change(|m| m.folders.remove(from) && m.folders.insert(to.to_owned()));
        Ok(Moved::default())
    }
    async fn foresee_move_back(
        &self,
        ctx: &Context,
        WayBack { from, to, .. }: &WayBack,
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
            elsewhere: self.read(|m| m.elsewhere.clone()),
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
