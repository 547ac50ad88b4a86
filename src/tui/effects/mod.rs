//! Carries out what [`update`](super::update) asks for: questions to the store, and the coordinators.
//! Every answer comes back as an [`Event`] through one bounded channel; nothing here waits for the
//! screen, and the screen waits for nothing here.

mod jobs;
mod links;
mod plans;
mod queries;
mod queue;
mod search;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::domain::answer::Answer;
use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::plan::Conditions;
use crate::domain::rail::ProjectSetup;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::{HostError, HostResult};
use crate::host::ports::{PortError, Ports};
use crate::host::report::{Progress, RestoreRequest, RestoreTarget};

use super::event::{Effect, Event, Failure, Outcome, Settled, StopHow};
use jobs::JobTable;
use queries::Queries;

/// Who acts at the dashboard.
const ACTOR: Actor = Actor::Operator;

/// Runs effects on one host.
pub struct Effects<P> {
    host: Host<P>,
    out: mpsc::Sender<Event>,
    queries: Queries,
    jobs: Arc<Mutex<JobTable>>,
    tracker: TaskTracker,
}

impl<P: Ports> Effects<P> {
    /// A runner whose answers go to `out`.
    pub fn new(host: Host<P>, out: mpsc::Sender<Event>) -> Self {
        let queries = Queries::start(&host, &out);
        Self { host, out, queries, jobs: Arc::default(), tracker: TaskTracker::new() }
    }

    /// Carries out an effect in the background. Effects that belong to the terminal or to live
    /// screens are not for this runner and do nothing here.
    pub fn run(&self, effect: Effect) {
        match effect {
            Effect::LoadBoard => self.queries.board(),
            Effect::LoadWaiting => self.queries.waiting(),
            Effect::LoadPage { ticket, query } => self.queries.page(ticket, query),
            Effect::CountFilters(filters) => self.queries.count(filters),
            Effect::SaveFilter(filter) => {
                self.outcome(format!("Filter {} was not saved", filter.name), async move |host| {
                    Ok(Outcome::FilterSaved(host.save_filter(filter, &ACTOR).await?))
                });
            }
            Effect::RenameFilter { from, to } => {
                self.outcome(format!("Filter {from} was not renamed"), async move |host| {
                    Ok(Outcome::FilterSaved(host.rename_filter(&from, &to, &ACTOR).await?))
                });
            }
            Effect::RemoveFilter(name) => {
                self.outcome(format!("Filter {name} was not removed"), async move |host| {
                    host.remove_filter(&name, &ACTOR).await?;
                    Ok(Outcome::Quiet)
                });
            }
            Effect::Search { ticket, filter } => self.queries.search(ticket, filter),
            Effect::LoadCrowded => self.queries.crowded(),
            Effect::LoadTiles(ids) => self.queries.tiles(ids),
            Effect::LoadOperations => self.queries.operations(),
            Effect::LoadTab { id, tab } => self.queries.tab(id, tab),
            Effect::LoadBase(id) => self.queries.base(id),
            Effect::LoadWork(ids) => self.queries.work(ids),
            Effect::Measure(ids) => self.answer(async move |host| {
                // What cannot be read now is read at the next look.
                let sessions = host.ports().sessions(&ids).await.unwrap_or_default();
                Event::Usage(host.ports().usage(&sessions).await)
            }),
            Effect::Create(request) => self.answer(async |host| {
                Event::Ended(match host.create(&Context::new(), *request).await {
                    Ok(outcome) => Outcome::Created(outcome),
                    Err(error) => Outcome::NotCreated(error.into()),
                })
            }),
            Effect::Fork(id) => {
                self.outcome(format!("{id} was not forked"), async move |host| {
                    let forked = host.fork(&Context::new(), &id, None, &ACTOR).await?;
                    Ok(Outcome::Created(forked))
                });
            }
            Effect::AddProject(path) => {
                let what = format!("{} was not added", path.display());
                self.outcome(what, async move |host| {
                    let setup = ProjectSetup::default();
                    let project = host.add_project(&path, None, setup, &ACTOR).await?;
                    Ok(Outcome::ProjectAdded(project))
                });
            }
            Effect::Plan { ticket, request } => self.plan(ticket, request),
            Effect::Delete { request, admitted } => self.delete(request, admitted),
            Effect::Restore { target, undo } => self.restore(target, undo),
            Effect::Stop { ids, how } => self.stop(ids, how),
            Effect::Pin { ids, pinned } => {
                let what = format!("{} not {}pinned", named(&ids), if pinned { "" } else { "un" });
                self.outcome(what.clone(), async move |host| {
                    let done = host.pin(&ids, pinned, &ACTOR).await;
                    Ok(done.map_or_else(
                        |error| Outcome::NotPinned { ids, pinned, what, failure: error.into() },
                        |_| Outcome::Quiet,
                    ))
                });
            }
            Effect::Rename { id, title } => {
                self.outcome(format!("{id} was not renamed"), async move |host| {
                    host.rename(&id, &title, &ACTOR).await?;
                    Ok(Outcome::Quiet)
                });
            }
            Effect::Message { ids, text } => {
                self.outcome("The message was not sent".to_owned(), async move |host| {
                    let sent = host.send(&Context::new(), &ids, &text, true, &ACTOR).await?;
                    Ok(Outcome::Sent(sent))
                });
            }
            Effect::Seen(ids) => {
                self.outcome(format!("{} not noted as seen", named(&ids)), async move |host| {
                    host.seen(&ids, &Actor::Operator).await?;
                    Ok(Outcome::Quiet)
                });
            }
            Effect::Answer { id, question, option } => {
                self.outcome(format!("{id} was not answered"), async move |host| {
                    let answer = option.map_or(Answer::Yes, Answer::Option);
                    host.answer(&Context::new(), &id, Some(&question), answer, &ACTOR).await?;
                    Ok(Outcome::Quiet)
                });
            }
            Effect::Restart(ids) => self.restart(ids),
            Effect::Purge(ids) => self.purge(ids),
            Effect::CancelJob(id) => self.jobs().cancel(&id),
            Effect::ResumeJob(id) => {
                self.outcome(format!("Operation {id} was not resumed"), async move |host| {
                    let whole = host.resume(&Context::new(), &id, &Actor::Operator).await?;
                    let how = if whole { Settled::Resumed } else { Settled::StillStuck };
                    Ok(Outcome::Settled { id, how })
                });
            }
            Effect::UndoJob(id) => {
                self.outcome(format!("Operation {id} was not undone"), async move |host| {
                    host.undo(&Context::new(), &id, &Actor::Operator).await?;
                    Ok(Outcome::Settled { id, how: Settled::Undone })
                });
            }
            Effect::AbandonJob(id) => {
                self.outcome(format!("Operation {id} was not abandoned"), async move |host| {
                    host.abandon(&Context::new(), &id, &Actor::Operator).await?;
                    Ok(Outcome::Settled { id, how: Settled::Abandoned })
                });
            }
            Effect::Watch(_)
            | Effect::OnView(_)
            | Effect::Size { .. }
            | Effect::Type { .. }
            | Effect::PasteTo { .. }
            | Effect::PassThrough { .. }
            | Effect::PointAt { .. }
            | Effect::Read(_)
            | Effect::ReadOlder { .. }
            | Effect::Copy(_)
            | Effect::OpenLink(_)
            | Effect::Ring
            | Effect::Notify(_)
            | Effect::Lend { .. }
            | Effect::Tell(_)
            | Effect::Title(_)
            | Effect::Suspend
            | Effect::Quit { .. } => {}
        }
    }

    /// Notes which job a report belongs to, so that it can be cancelled by its id.
    pub fn note(&self, progress: &Progress) {
        match progress {
            Progress::Began { operation, verb, total } => {
                self.jobs().began(operation, *verb, *total);
            }
            Progress::Ended { operation } => self.jobs().ended(operation),
            Progress::Session { .. } | Progress::Waits { .. } | Progress::Waited { .. } => {}
        }
    }

    /// Waits until everything that was begun has ended.
    pub async fn finish(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, JobTable> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the event that `work` comes to.
    fn answer<F>(&self, work: impl FnOnce(Host<P>) -> F)
    where
        F: Future<Output = Event> + Send + 'static,
    {
        let (out, work) = (self.out.clone(), work(self.host.clone()));
        self.tracker.spawn(async move {
            // A dashboard that is left does not hear the answer.
            let _ = out.send(work.await).await;
        });
    }

    /// Sends how `work` ended; `what` says what was not done.
    fn outcome<F>(&self, what: String, work: impl FnOnce(Host<P>) -> F)
    where
        F: Future<Output = HostResult<Outcome>> + Send + 'static,
    {
        let work = work(self.host.clone());
        self.answer(|_| async move {
            Event::Ended(work.await.unwrap_or_else(|error| not_done(what, error)))
        });
    }

    /// Ends the jobs of this process before what they have not done yet.
    pub fn cancel_all(&self) {
        self.jobs().cancel_all();
    }

    /// Sends what a job comes to. [`Effect::CancelJob`] can cancel the context that `work` gets; `what`
    /// says what was not done.
    fn job<F>(
        &self,
        (verbs, sessions): (&'static [Verb], usize),
        what: String,
        work: impl FnOnce(Host<P>, Context) -> F,
    ) where
        F: Future<Output = HostResult<Event>> + Send + 'static,
    {
        let (key, token) = self.jobs().add(verbs, sessions);
        let jobs = Arc::clone(&self.jobs);
        let work = work(self.host.clone(), Context::cancelled_by(token));
        self.answer(|_| async move {
            let ended = work.await;
            jobs.lock().unwrap_or_else(PoisonError::into_inner).forget(key);
            ended.unwrap_or_else(|error| Event::Ended(not_done(what, error)))
        });
    }

    fn restore(&self, target: RestoreTarget, undo: bool) {
        let (count, what) = match &target {
            RestoreTarget::Ids(ids) => (ids.len(), format!("{} not restored", named(ids))),
            RestoreTarget::Batch(_) | RestoreTarget::Last => {
                (0, "The last delete was not undone".to_owned())
            }
        };
        self.job((RESTORES, count), what, |host, ctx| async move {
            let report = host.restore(&ctx, brought_back(target)).await?;
            Ok(Event::Ended(Outcome::Restored { undo, report }))
        });
    }

    fn stop(&self, ids: Vec<SessionId>, how: StopHow) {
        let (verbs, verb): (&[Verb], _) = match how {
            StopHow::Stop => (&[Verb::Stop], "stopped"),
            StopHow::Done => (&[Verb::Stop], "marked done"),
            StopHow::Kill => (&[Verb::Kill], "killed"),
        };
        let what = format!("{} not {verb}", named(&ids));
        self.job((verbs, ids.len()), what, |host, ctx| async move {
            let always = Conditions::default();
            if how == StopHow::Kill {
                let report = host.kill(&ctx, &ids, &always, &ACTOR).await?;
                return Ok(Event::Ended(Outcome::Killed(report)));
            }
            let done = how == StopHow::Done;
            let report = host.stop(&ctx, &ids, &always, done, &ACTOR).await?;
            Ok(Event::Ended(Outcome::Stopped(report)))
        });
    }

    /// Those that did not end stay as they are: only the others can be launched.
    fn restart(&self, ids: Vec<SessionId>) {
        let what = format!("{} not restarted", named(&ids));
        self.job((&[Verb::Stop, Verb::Launch], ids.len()), what, |host, ctx| async move {
            host.stop(&ctx, &ids, &Conditions::default(), false, &ACTOR).await?;
            let report = host.restore(&ctx, brought_back(RestoreTarget::Ids(ids))).await?;
            Ok(Event::Ended(Outcome::Restored { undo: false, report }))
        });
    }
}

/// Verbs of a restore: back from the trash, or launched again.
const RESTORES: &[Verb] = &[Verb::Restore, Verb::Launch];

fn brought_back(target: RestoreTarget) -> RestoreRequest {
    RestoreRequest { target, launch: false, to: None, actor: ACTOR }
}

/// Why something was not done: it failed, or the operator cancelled it.
fn not_done(what: String, error: HostError) -> Outcome {
    let cancelled = error.kind() == ErrorKind::Interrupted;
    let failure = error.into();
    if cancelled { Outcome::Cancelled { what, failure } } else { Outcome::Failed { what, failure } }
}

/// `shop-3 was`, or how many sessions were.
fn named(ids: &[SessionId]) -> String {
    match ids {
        [id] => format!("{id} was"),
        _ => counted(ids.len()),
    }
}

fn counted(sessions: usize) -> String {
    if sessions == 1 { "1 session was".to_owned() } else { format!("{sessions} sessions were") }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self { message: error.to_string(), hint: error.hint() }
    }
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Self {
        Self { message: error.message, hint: error.hint }
    }
}
