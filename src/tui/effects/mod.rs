//! Carries out what [`update`](super::update) asks for: questions to the store, and the coordinators.
//! Every answer comes back as an [`Event`] through one bounded channel; nothing here waits for the
//! screen, and the screen waits for nothing here.

mod answer;
mod jobs;
mod queries;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::plan::{Conditions, Plan};
use crate::domain::rail::ProjectSetup;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::error::{HostError, HostResult};
use crate::host::ports::{PortError, Ports};
use crate::host::report::{DeleteRequest, Progress, RestoreRequest, RestoreTarget};
use crate::os::paths::Home;

use super::event::{Effect, Event, Failure, Outcome, StopHow};
use jobs::JobTable;
use queries::Queries;

/// Who acts at the dashboard.
const ACTOR: Actor = Actor::Operator;

/// Runs effects on one host.
pub struct Effects<P> {
    host: Host<P>,
    home: Home,
    out: mpsc::Sender<Event>,
    queries: Queries,
    jobs: Arc<Mutex<JobTable>>,
    tracker: TaskTracker,
}

impl<P: Ports> Effects<P> {
    /// A runner whose answers go to `out`.
    pub fn new(host: Host<P>, home: Home, out: mpsc::Sender<Event>) -> Self {
        let queries = Queries::start(&host, &out);
        Self { host, home, out, queries, jobs: Arc::default(), tracker: TaskTracker::new() }
    }

    /// Carries out an effect in the background. Effects that belong to the terminal or to live
    /// screens are not for this runner and do nothing here.
    pub fn run(&self, effect: Effect) {
        match effect {
            Effect::LoadBoard => self.queries.board(),
            Effect::LoadPage { ticket, query } => self.queries.page(ticket, query),
            Effect::LoadOperations => self.queries.operations(),
            Effect::LoadTab { id, tab } => self.queries.tab(id, tab),
            Effect::LoadWork(ids) => self.queries.work(ids),
            Effect::Create(request) => self.answer(async |host| {
                Event::Ended(match host.create(&Context::new(), *request).await {
                    Ok(outcome) => Outcome::Created(outcome),
                    Err(error) => Outcome::NotCreated(error.into()),
                })
            }),
            Effect::AddProject(path) => {
                let what = format!("{} was not added", path.display());
                self.outcome(what, async move |host| {
                    let project = host.add_project(&path, None, ProjectSetup::default()).await?;
                    Ok(Outcome::ProjectAdded(project))
                });
            }
            Effect::Plan { ticket, request } => self.answer(async move |host| {
                let plan = host.plan_delete(&Context::new(), &request).await;
                Event::Planned { ticket, plan: plan.map_err(Failure::from) }
            }),
            Effect::Delete { request, admitted } => self.delete(request, admitted),
            Effect::Restore { target, undo } => self.restore(target, undo),
            Effect::Stop { ids, how } => self.stop(ids, how),
            Effect::Pin { ids, pinned } => {
                let what = format!("{} not {}pinned", named(&ids), if pinned { "" } else { "un" });
                self.outcome(what, async move |host| {
                    host.pin(&ids, pinned, &ACTOR).await?;
                    Ok(Outcome::Quiet)
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
                    host.seen(&ids).await?;
                    Ok(Outcome::Quiet)
                });
            }
            Effect::Answer { id, question, option } => {
                let home = self.home.clone();
                self.answer(async move |host| {
                    Event::Ended(match answer::answer(&host, &home, &id, question, option).await {
                        Ok(()) => Outcome::Quiet,
                        Err(failure) => {
                            Outcome::Failed { what: format!("{id} was not answered"), failure }
                        }
                    })
                });
            }
            Effect::CancelJob(id) => self.jobs().cancel(&id),
            Effect::Watch(_)
            | Effect::Size { .. }
            | Effect::Type { .. }
            | Effect::PasteTo { .. }
            | Effect::Scroll { .. }
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
            Progress::Session { .. } => {}
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
            Event::Ended(
                work.await.unwrap_or_else(|error| Outcome::Failed { what, failure: error.into() }),
            )
        });
    }

    /// A context that [`Effect::CancelJob`] can cancel.
    fn job(&self, verb: Verb, sessions: usize) -> Context {
        Context::cancelled_by(self.jobs().add(verb, sessions))
    }

    fn delete(&self, request: DeleteRequest, admitted: Vec<SessionId>) {
        let ctx = self.job(Verb::Delete, admitted.len());
        self.answer(|host| async move {
            let seen: Mutex<Option<Plan>> = Mutex::new(None);
            let admission = |plan: &Plan| {
                let known = plan.items.iter().all(|item| admitted.contains(&item.row.id));
                if !known {
                    *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan.clone());
                }
                known
            };
            let deleted = host.delete(&ctx, request.clone(), &admission).await;
            let grown = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
            match (deleted, grown) {
                (Ok(report), _) => Event::Ended(Outcome::Deleted(report)),
                (Err(HostError::NotAdmitted), Some(plan)) => Event::PlanGrew { request, plan },
                (Err(error), _) => Event::Ended(Outcome::Failed {
                    what: format!("{} not deleted", counted(admitted.len())),
                    failure: error.into(),
                }),
            }
        });
    }

    fn restore(&self, target: RestoreTarget, undo: bool) {
        let (verb, count, what) = match &target {
            RestoreTarget::Ids(ids) => {
                (Verb::Restore, ids.len(), format!("{} not restored", named(ids)))
            }
            RestoreTarget::Batch(_) | RestoreTarget::Last => {
                (Verb::Restore, 0, "The last delete was not undone".to_owned())
            }
        };
        let ctx = self.job(verb, count);
        self.outcome(what, async move |host| {
            let request = RestoreRequest { target, launch: false, to: None, actor: ACTOR };
            let report = host.restore(&ctx, request).await?;
            Ok(Outcome::Restored { undo, report })
        });
    }

    fn stop(&self, ids: Vec<SessionId>, how: StopHow) {
        let ctx = self.job(Verb::Stop, ids.len());
        let (done, verb) = match how {
            StopHow::Stop => (false, "stopped"),
            StopHow::Done => (true, "marked done"),
        };
        self.outcome(format!("{} not {verb}", named(&ids)), async move |host| {
            Ok(Outcome::Stopped(host.stop(&ctx, &ids, &Conditions::default(), done, &ACTOR).await?))
        });
    }
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
