//! Create (`spec/lifecycle.md` section 5).

pub(super) mod check;
pub(super) mod planned;
mod undo;

use std::path::Path;

use crate::domain::event::{Actor, Event};
use crate::domain::hook::HookPlan;
use crate::domain::ids::SessionId;
use crate::domain::operation::{Operation, OperationState, Verb};
use crate::domain::session::Session;
use crate::os::random;

use super::Host;
use super::context::{Context, PUBLISH, START};
use super::error::{HostError, HostResult};
use super::hooks::Hooked;
use super::ports::{Initialised, Input, Ports, StartRequest, Started, Worktree};
use super::report::{CreateOutcome, CreateRequest};
use check::Draft;
use planned::Planned;

impl<P: Ports> Host<P> {
    /// Creates a session, or reuses the live one that an earlier call with the same id made (C2).
    ///
    /// # Errors
    /// Refused before any effect (C1), or failed with everything that it made taken back (C6, C7).
    pub async fn create(&self, ctx: &Context, request: CreateRequest) -> HostResult<CreateOutcome> {
        let draft = self.check_create(ctx, request).await?;
        ctx.check("creating a session")?;
        let id = match &draft.request.id {
            Some(id) => id.clone(),
            None => self.ports.reserve_id(draft.project_name()).await?,
        };
        let operation = self.operation(Verb::Create, vec![id.clone()]);
        let _own = self.own(&operation).await?;
        let _told = self.ending(&operation);
        let place = self.place_to_start(ctx, &operation, &id).await?;
        self.tell(&operation.id, &id, "waiting");
        let _locks = self.hold(ctx, std::slice::from_ref(&id), &operation).await?;
        let found = self.ports.session(&id).await?.map(|found| draft.judge(found)).transpose()?;
        let mut creation =
            Creation { host: self, ctx, draft: &draft, id, operation, made: Made::default() };
        self.begin(ctx, &creation.operation).await?;
        let built = creation.build(found.as_ref()).await;
        drop(place);
        match built {
            Ok(session) => Ok(creation.deliver(session, found.is_some()).await),
            Err((stage, cause)) => creation.undo(stage, cause).await,
        }
    }
}

/// The generation of a first launch.
const FIRST: u32 = 1;

/// One create under way.
struct Creation<'a, P: Ports> {
    host: &'a Host<P>,
    ctx: &'a Context,
    draft: &'a Draft,
    id: SessionId,
    operation: Operation,
    made: Made,
}

/// What this call made and would have to take back (C2).
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing to take back")]
struct Made {
    row: bool,
    worktree: Option<Worktree>,
    /// The row names the worktree.
    named: bool,
    prepared: bool,
    hooks: bool,
    runtime: bool,
}

/// Where a create failed; it decides what remains (C7).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Seed row, worktree, preparation.
    Ground,
    /// Start of the runtime.
    Start,
    /// Initialise and publish.
    Commit,
}

impl<P: Ports> Creation<'_, P> {
    /// Everything up to publish (C3).
    async fn build(&mut self, found: Option<&Session>) -> Result<Session, (Stage, HostError)> {
        if let Some(session) = found {
            return self.reuse(session).await;
        }
        self.ground().await.map_err(|cause| (Stage::Ground, cause))?;
        let request = self.start_request(FIRST, self.folder());
        let started = self.start(&request).await.map_err(|cause| (Stage::Start, cause))?;
        self.made.runtime = started.created;
        let commit = async {
            // The last look at the caller's cancellation: what follows is detached (C5).
            self.check()?;
            self.initialise(&request, &started).await?;
            self.publish(FIRST).await
        };
        commit.await.map_err(|cause| (Stage::Commit, cause))
    }

    /// A retry: nothing is prepared again, and the start finds the runtime that runs (C2).
    async fn reuse(&mut self, session: &Session) -> Result<Session, (Stage, HostError)> {
        let gone = || HostError::Refused {
            message: format!("the runtime of session {} is gone", self.id),
            hint: Some(format!("once it shows as ended: callboard restore {}", self.id)),
        };
        if self.host.ports.probe(session).await.reads_dead() {
            return Err((Stage::Ground, gone()));
        }
        let generation = session.condition.lifecycle.generation;
        let request = self.start_request(generation, &session.folder);
        let started = self.start(&request).await.map_err(|cause| (Stage::Start, cause))?;
        self.made.runtime = started.created;
        if started.created {
            return Err((Stage::Commit, gone()));
        }
        self.publish(generation).await.map_err(|cause| (Stage::Commit, cause))
    }

    fn start_request(&self, generation: u32, folder: &Path) -> StartRequest {
        StartRequest {
            id: self.id.clone(),
            agent: self.draft.request.launch.agent.clone(),
            generation,
            plan: self.draft.plan.clone(),
            folder: folder.to_owned(),
            token: random::token(),
            size: self.draft.request.size,
        }
    }

    /// Seed row, worktree, preparation.
    async fn ground(&mut self) -> HostResult<()> {
        self.enter("seed").await?;
        let (ctx, ports) = (self.ctx, &self.host.ports);
        let seed = self.draft.seed(&self.id);
        ctx.write("writing the seed row", ports.insert_seed(&seed)).await?;
        self.made.row = true;
        let Some(request) = self.draft.worktree(&self.id) else {
            return self.hooks(None).await;
        };
        let planned = ports.check_worktree(ctx, &request).await?;
        let request = request.as_planned(&planned);
        let planned = [Planned::result(&self.id, &request.repository, &planned)];
        self.host.step(ctx, &self.operation.id, "worktree", &planned).await?;
        self.host.tell(&self.operation.id, &self.id, "worktree");
        self.check()?;
        // Never cut short: half a worktree could not be given back.
        let whole = ctx.whole();
        let worktree = ports.create_worktree(&whole, &request);
        let worktree = whole.step("making the worktree", worktree).await?;
        self.made.worktree = Some(worktree.clone());
        ctx.write("recording the worktree", ports.set_worktree(&self.id, &worktree)).await?;
        self.made.named = true;
        self.enter("prepare").await?;
        self.check()?;
        self.made.prepared = true;
        if let Some(project) = &self.draft.project {
            let (repository, setup) = (&project.path, &project.setup);
            let prepared = ports.prepare(ctx, repository, &worktree.path, setup);
            ctx.whole().step("setting the worktree up", prepared).await?;
        }
        self.check()?;
        self.made.hooks = matches!(self.draft.plan.hooks, HookPlan::File(_));
        self.hooks(Some(&worktree.path)).await
    }

    async fn hooks(&self, worktree: Option<&Path>) -> HostResult<()> {
        let actor = &self.draft.request.actor;
        let launch = Hooked { operation: &self.operation, id: &self.id, actor, worktree };
        self.host.install_hooks(self.ctx, &self.draft.plan.hooks, &launch).await
    }

    async fn start(&self, request: &StartRequest) -> HostResult<Started> {
        self.enter("start").await?;
        self.check()?;
        let limited = self.ctx.within(START);
        let started = self.host.start_runtime(&limited, request);
        self.ctx.whole().step("starting the runtime", started).await
    }

    async fn initialise(&self, request: &StartRequest, started: &Started) -> HostResult<()> {
        let initialised = Initialised {
            generation: request.generation,
            keeper_pid: started.keeper_pid,
            pid: started.pid,
            started_at: started.started_at,
            token_hash: random::token_hash(&request.token),
            agent_session_id: request.plan.agent_session_id.clone(),
        };
        self.enter("initialise").await?;
        let ctx = self.ctx.detached(PUBLISH);
        let written = self.host.ports.initialise(&self.id, &initialised);
        ctx.step("initialising the row", written).await
    }

    /// First the keeper, then the row, which is the commit point (C4).
    async fn publish(&self, generation: u32) -> HostResult<Session> {
        let ports = &self.host.ports;
        self.enter("publish").await?;
        let ctx = self.ctx.detached(PUBLISH);
        let told = ports.publish_runtime(&ctx, &self.id, generation);
        ctx.step("publishing the runtime", told).await?;
        ctx.step("publishing the row", ports.publish(&self.id, generation)).await
    }

    /// After publish: prompt and goal. A failure deletes nothing (C6).
    async fn deliver(self, session: Session, reused: bool) -> CreateOutcome {
        let request = &self.draft.request;
        let went_along = self.draft.plan.prompt_in_argv;
        let mut delivered = Ok(());
        for (text, in_argv) in [(&request.prompt, went_along), (&request.goal, false)] {
            if let (Some(text), Ok(())) = (text, &delivered) {
                delivered = self.give(&session, text, in_argv, reused).await;
            }
        }
        let error = delivered.err().map(|error| error.to_string());
        if let Some(error) = &error {
            let text = format!("the prompt may not have arrived: {error}");
            if let Err(error) = self.set_error(&text).await {
                tracing::warn!(session = %self.id, %error, "an error could not be stored");
            }
        }
        let now = self.host.ports.session(&self.id).await.ok().flatten().unwrap_or(session);
        self.record(&now, error.as_deref()).await;
        let state = if error.is_some() { OperationState::Partly } else { OperationState::Done };
        self.host.finish(self.ctx, self.operation, state, error.clone()).await;
        match error {
            None => CreateOutcome::Created(Box::new(now)),
            Some(error) => CreateOutcome::CreatedWithError { session: Box::new(now), error },
        }
    }

    /// Gives one text to the agent, unless an earlier call did (C2).
    async fn give(
        &self,
        session: &Session,
        text: &str,
        in_argv: bool,
        reused: bool,
    ) -> HostResult<()> {
        let ports = &self.host.ports;
        if reused
            && ports
                .messages(&self.id, usize::MAX)
                .await?
                .iter()
                .any(|message| message.text == text)
        {
            return Ok(());
        }
        let began = if in_argv { session.created_at } else { ports.now() };
        if !in_argv {
            self.enter("prompt").await?;
            let ctx = self.ctx.detached(START);
            let input = Input::Text { text: text.to_owned(), enter: true };
            ctx.step("typing the prompt", ports.type_into(&ctx, session, &input)).await?;
        }
        let source = source(&self.draft.request.actor);
        let prompted = ports.prompted(&self.id, text, &source, began);
        self.ctx.write("recording the prompt", prompted).await
    }

    /// Journals a step before it acts (V1), and tells whoever listens.
    async fn enter(&self, step: &'static str) -> HostResult<()> {
        self.host.step(self.ctx, &self.operation.id, step, &[]).await?;
        self.host.tell(&self.operation.id, &self.id, step);
        Ok(())
    }

    /// Looks at the caller's cancellation (C5).
    fn check(&self) -> HostResult<()> {
        self.ctx.check(&format!("creating session {}", self.id))
    }

    async fn set_error(&self, text: &str) -> HostResult<()> {
        let stored = self.host.ports.set_error(&self.id, Some(text));
        self.ctx.write("storing the error", stored).await
    }

    async fn record(&self, session: &Session, cause: Option<&str>) {
        let event = Event {
            at: self.host.ports.now(),
            session: Some(self.id.clone()),
            actor: self.draft.request.actor.to_string(),
            verb: "spawn".to_owned(),
            from: None,
            to: Some(session.condition.status.to_string()),
            cause: cause.map(str::to_owned),
            operation: Some(self.operation.id.clone()),
        };
        self.host.record(&[event]).await;
    }

    /// Where the agent runs.
    fn folder(&self) -> &Path {
        self.made.worktree.as_ref().map_or(&self.draft.folder, |worktree| &worktree.path)
    }
}

/// Source of a message (`domain::event::Message`).
pub(super) fn source(actor: &Actor) -> String {
    match actor {
        Actor::Session(id) => format!("session:{id}"),
        Actor::Elsewhere { .. } => actor.to_string(),
        Actor::Operator | Actor::Command | Actor::Callboard => "operator".to_owned(),
    }
}
