//! Launching a terminated session again (`spec/lifecycle.md` section 8).

use std::path::Path;

use crate::domain::error::ErrorKind;
use crate::domain::event::{Actor, Event};
use crate::domain::hook::HookPlan;
use crate::domain::ids::SessionId;
use crate::domain::launch::DEFAULT_SIZE;
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::session::{FolderKind, Kind, Session};
use crate::domain::time::Timestamp;
use crate::os::random;

use super::Host;
use super::caller::Reach;
use super::context::{CLEAN_UP, CLOSE, Context, PUBLISH, START};
use super::create::planned::Planned;
use super::create::source;
use super::error::{HostError, HostResult};
use super::hooks::Hooked;
use super::ports::{
    Initialised, Input, LaunchPlan, LaunchedHow, Ports, StartRequest, Started, Worktree,
    WorktreeRequest,
};

impl<P: Ports> Host<P> {
    /// Launches a terminated session in its next generation. Its row changes only once the runtime
    /// runs; a failure leaves it terminal and its worktree untouched (B2).
    ///
    /// # Errors
    /// Unknown, in the trash, running, nothing to resume from (B1); or a step failed.
    pub async fn launch(
        &self,
        ctx: &Context,
        id: &SessionId,
        actor: &Actor,
    ) -> HostResult<(Session, LaunchedHow)> {
        self.allow(actor, "restore", Reach::Sessions(std::slice::from_ref(id))).await?;
        self.launchable(id).await?;
        let operation = self.operation(Verb::Launch, vec![id.clone()]);
        let _own = self.own(&operation).await?;
        let _told = self.ending(&operation);
        let place = self.place_to_start(ctx, &operation, id).await?;
        self.tell(&operation.id, id, "waiting");
        let _locks = self.hold(ctx, std::slice::from_ref(id), &operation).await?;
        let (session, plan) = self.launchable(id).await?;
        self.begin(ctx, &operation).await?;
        let (how, in_argv, began) = (plan.how, plan.prompt_in_argv, self.ports.now());
        let launched = self.relaunch(ctx, &operation, &session, plan, actor).await;
        drop(place);
        match launched {
            Ok(now) => {
                self.record(&[Event {
                    at: self.ports.now(),
                    session: Some(id.clone()),
                    actor: actor.to_string(),
                    verb: "launch".to_owned(),
                    from: Some(session.condition.status.to_string()),
                    to: Some(now.condition.status.to_string()),
                    cause: None,
                    operation: Some(operation.id.clone()),
                }])
                .await;
                let now = match how {
                    LaunchedHow::PromptAgain => {
                        self.prompt_again(ctx, now, in_argv, began, actor).await
                    }
                    LaunchedHow::Resumed | LaunchedHow::Fresh => now,
                };
                self.finish(ctx, operation, OperationState::Done, None).await;
                Ok((now, how))
            }
            Err(cause) => {
                let text = cause.to_string();
                let event = self.event("launch", id, actor, Some(&operation.id));
                self.record(&[Event { cause: Some(text.clone()), ..event }]).await;
                if cause.kind() != ErrorKind::Interrupted
                    && let Err(error) = self.set_error(ctx, id, Some(&text)).await
                {
                    tracing::warn!(session = %id, %error, "an error could not be stored");
                }
                self.finish(ctx, operation, OperationState::Failed, Some(text)).await;
                Err(cause)
            }
        }
    }

    /// Whether and how it can be launched (B1). Reads only.
    async fn launchable(&self, id: &SessionId) -> HostResult<(Session, LaunchPlan)> {
        let session = self.ports.session(id).await?;
        let session = session.ok_or_else(|| HostError::NotFound(id.clone()))?;
        let lifecycle = &session.condition.lifecycle;
        if session.deletion.is_some() {
            return Err(HostError::IdInTrash(id.clone()));
        }
        if !lifecycle.state.is_terminal() {
            return Err(HostError::not_restorable(&session));
        }
        let launch = &session.launch;
        let can_resume = self.ports.can_resume(&launch.agent);
        let parked = lifecycle.reason == Some(TerminationReason::ErrorInProcess);
        let nothing = launch.agent_session_id.is_none() && session.prompt.is_none();
        if nothing && session.kind == Kind::Worker && can_resume && !parked {
            return Err(HostError::NothingToResume(id.clone()));
        }
        self.ports.check_agent(launch)?;
        let resume = can_resume && launch.agent_session_id.is_some();
        // A conversation that is resumed has had it (B2).
        let prompt = session.prompt.as_deref().filter(|_| !resume);
        let plan = self.ports.plan_launch(launch, prompt, resume)?;
        Ok((session, plan))
    }

    /// All fallible work first: worktree, runtime; then the row (B2).
    async fn relaunch(
        &self,
        ctx: &Context,
        operation: &Operation,
        session: &Session,
        plan: LaunchPlan,
        actor: &Actor,
    ) -> HostResult<Session> {
        let id = &session.id;
        ctx.check(&format!("launching session {id}"))?;
        let generation = self.ports.next_generation(id).await?;
        let again = self.worktree_again(ctx, operation, session).await?;
        let folder = again.as_ref().map_or(&session.folder, |worktree| &worktree.path).clone();
        let worktree = (session.folder_kind == FolderKind::Worktree).then_some(folder.as_path());
        let hooked = Hooked { operation, id, actor, worktree };
        if let Err(error) = self.install_hooks(ctx, &plan.hooks, &hooked).await {
            self.give_back_again(ctx, session, again.as_ref()).await;
            return Err(error);
        }
        let hooked = worktree.filter(|_| matches!(plan.hooks, HookPlan::File(_)));
        let request = StartRequest {
            id: id.clone(),
            agent: session.launch.agent.clone(),
            generation,
            plan,
            folder: folder.clone(),
            token: random::token(),
            size: DEFAULT_SIZE,
        };
        let limited = ctx.within(START);
        let started = self.start_runtime(&limited, &request);
        let started = match ctx.whole().step("starting the runtime", started).await {
            Ok(started) => started,
            Err(error) => {
                if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::TimedOut) {
                    self.close_failed(ctx, id).await;
                }
                self.unhook(ctx, id, hooked).await;
                self.give_back_again(ctx, session, again.as_ref()).await;
                return Err(error);
            }
        };
        let committed = self.commit_launch(ctx, session, &request, &started, again.as_ref()).await;
        if committed.is_err() {
            self.close_failed(ctx, id).await;
            self.stay_ended(ctx, session).await;
            self.unhook(ctx, id, hooked).await;
            self.give_back_again(ctx, session, again.as_ref()).await;
        }
        committed
    }

    /// The worktree of a failed launch has no hooks.
    async fn unhook(&self, ctx: &Context, id: &SessionId, worktree: Option<&Path>) {
        if let Some(worktree) = worktree
            && let Err(error) = self.remove_hooks(ctx, worktree).await
        {
            tracing::warn!(session = %id, %error, "hooks were left behind");
        }
    }

    /// Publishes the runtime, then the row.
    async fn commit_launch(
        &self,
        ctx: &Context,
        session: &Session,
        request: &StartRequest,
        started: &Started,
        again: Option<&Worktree>,
    ) -> HostResult<Session> {
        let (id, generation) = (&session.id, request.generation);
        ctx.check(&format!("launching session {id}"))?;
        let ctx = ctx.detached(PUBLISH);
        let told = self.ports.publish_runtime(&ctx, id, generation);
        ctx.step("publishing the runtime", told).await?;
        let initialised = Initialised {
            generation,
            keeper_pid: started.keeper_pid,
            pid: started.pid,
            started_at: started.started_at,
            token_hash: random::token_hash(&request.token),
            agent_session_id: request.plan.agent_session_id.clone(),
        };
        let written = self.ports.publish_launch(id, &initialised, again);
        ctx.step("publishing the row", written).await
    }

    /// Makes sure of the folder, never cut short halfway. Answers the worktree that had to be made
    /// because the row names none.
    async fn worktree_again(
        &self,
        ctx: &Context,
        operation: &Operation,
        session: &Session,
    ) -> HostResult<Option<Worktree>> {
        if session.folder_kind != FolderKind::Worktree {
            return Ok(None);
        }
        let ctx = ctx.whole();
        let repository = session.placement.project_path();
        let (Some(repository), Some(project)) = (repository, &session.project) else {
            let message = format!("the project of session {} is not registered", session.id);
            let hint = Some("register its folder again with: callboard project add".to_owned());
            return Err(HostError::Refused { message, hint });
        };
        if let Some(path) = session.worktree() {
            let branch = session.branch.as_deref();
            let ensured = self.ports.ensure_worktree(&ctx, repository, path, branch);
            ctx.step("making sure of the worktree", ensured).await?;
            return Ok(None);
        }
        let request = WorktreeRequest {
            session: session.id.clone(),
            project: project.clone(),
            repository: repository.to_owned(),
            branch: session.branch.clone(),
            free_branch: None,
            base: session.base.clone(),
        };
        let planned = self.ports.check_worktree(&ctx, &request).await?;
        let request = request.as_planned(&planned);
        let planned = [Planned::result(&session.id, repository, &planned)];
        self.step(&ctx, &operation.id, "worktree", &planned).await?;
        let made = self.ports.create_worktree(&ctx, &request);
        Ok(Some(ctx.step("making the worktree", made).await?))
    }

    /// Gives back the worktree that this launch made, unless it holds work by now.
    async fn give_back_again(&self, ctx: &Context, session: &Session, again: Option<&Worktree>) {
        let (Some(worktree), Some(repository)) = (again, session.placement.project_path()) else {
            return;
        };
        let given = async {
            let limited = ctx.detached(CLEAN_UP);
            let given = self.ports.give_back(&limited, repository, worktree);
            let freed = limited.step("giving back the worktree", given).await?;
            if freed.freed {
                return self.clear(ctx, &session.id).await;
            }
            self.name_kept(ctx, &session.id, worktree, &freed).await
        };
        if let Err(error) = given.await {
            tracing::warn!(session = %session.id, %error, "a worktree was left behind");
        }
    }

    async fn set_error(
        &self,
        ctx: &Context,
        id: &SessionId,
        error: Option<&str>,
    ) -> HostResult<()> {
        ctx.write("storing the error", self.ports.set_error(id, error)).await
    }

    async fn close_failed(&self, ctx: &Context, id: &SessionId) {
        let ctx = ctx.detached(CLOSE);
        let closed = ctx.step("closing the runtime", self.close_runtime(&ctx, id)).await;
        if let Err(error) = closed {
            tracing::warn!(session = %id, %error, "the runtime of a failed launch did not end");
        }
    }

    /// The row of a failed launch ends as it was before.
    pub(super) async fn stay_ended(&self, ctx: &Context, session: &Session) {
        let lifecycle = &session.condition.lifecycle;
        let reason = match lifecycle.state {
            State::Done => None,
            _ => Some(lifecycle.reason.unwrap_or(TerminationReason::RuntimeLost)),
        };
        let ended = ctx.write("ending the row", self.ports.end(&session.id, reason));
        if let Err(error) = ended.await {
            tracing::warn!(session = %session.id, %error, "the end of a launch could not be written");
        }
    }

    /// Gives the first prompt once more, typed unless it went along. A failure leaves the session
    /// running, with the error on it.
    async fn prompt_again(
        &self,
        ctx: &Context,
        session: Session,
        in_argv: bool,
        began: Timestamp,
        actor: &Actor,
    ) -> Session {
        let Some(text) = session.prompt.clone() else {
            return session;
        };
        let given = async {
            if !in_argv {
                let ctx = ctx.detached(START);
                let input = Input::Text { text: text.clone(), enter: true };
                let typed = self.ports.type_into(&ctx, &session, &input);
                ctx.step("typing the prompt", typed).await?;
            }
            let source = source(actor);
            let prompted = self.ports.prompted(&session.id, &text, &source, began);
            ctx.write("recording the prompt", prompted).await
        };
        let given: HostResult<()> = given.await;
        let Err(error) = given else { return session };
        let text = format!("the prompt may not have arrived: {error}");
        if let Err(error) = self.set_error(ctx, &session.id, Some(&text)).await {
            tracing::warn!(session = %session.id, %error, "an error could not be stored");
        }
        Session { error: Some(text), ..session }
    }
}
