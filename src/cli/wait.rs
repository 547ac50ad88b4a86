//! `wait`, and the waiting after `send`.

use std::time::Duration;

use crate::domain::activity::Activity;
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::time::Timestamp;
use crate::host::ports::Ports;
use crate::os::clock;

use super::args::{Goal, WaitArgs};
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::json::WaitJson;
use super::select;

/// Live sessions are probed so often while one waits for them: the end of a keeper that was killed
/// changes nothing in the store.
const PROBE_EVERY: Duration = Duration::from_secs(2);
/// An agent that is still idle so long after its prompt has answered already: a change is seen within
/// a second (`spec/agents.md` G6), but one that is over sooner may be missed.
const SETTLED: Duration = Duration::from_millis(1_500);
/// How often that is looked at.
const SETTLING: Duration = Duration::from_millis(250);

/// A session that one waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Awaited {
    id: SessionId,
    /// States while the turn is not beyond this one do not count.
    after_turn: Option<u32>,
    /// States that began before this time do not count either, unless they last.
    after: Option<Timestamp>,
}

impl Awaited {
    /// Only states that follow a write from now on count.
    pub(crate) fn from_now_on(session: &Session) -> Self {
        let after_turn = Some(session.condition.turn);
        Self { id: session.id.clone(), after_turn, after: None }
    }

    /// Only states that follow an answer at `now` count; an answer begins no turn.
    pub(crate) fn from_answer(session: &Session, now: Timestamp) -> Self {
        Self { id: session.id.clone(), after_turn: None, after: Some(now) }
    }

    /// Whether the state of `session` counts: it belongs to a turn beyond the named one, and began
    /// with that turn or later. A prompt that was sent starts a turn while the agent is still idle
    /// from the one before.
    fn counts(&self, session: &Session, now: Timestamp) -> bool {
        let condition = &session.condition;
        let follows = self
            .after
            .is_none_or(|after| condition.activity.since >= after || now.since(after) >= SETTLED);
        follows
            && self.after_turn.is_none_or(|turn| {
                let fresh = condition.activity.since >= condition.sorted_at;
                let settled = now.since(condition.sorted_at) >= SETTLED;
                condition.turn > turn && (fresh || settled)
            })
    }
}

/// `wait`
///
/// # Errors
/// Not found, ended first, or timed out.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: WaitArgs) -> CommandResult {
    let awaited: Vec<Awaited> = select::ids(&args.ids)?
        .into_iter()
        .map(|id| Awaited { id, after_turn: args.after_turn, after: None })
        .collect();
    let session = until(console, &awaited, &args.goals, args.timeout).await?;
    console.out.answer(&WaitJson::from(&session), |wait| {
        format!("{}: {}, activity {}", wait.id, wait.status, wait.activity)
    })?;
    Ok(Ending::Done)
}

/// Waits until one of the sessions is in one of the states; answers that one.
///
/// # Errors
/// Not found, ended first, interrupted, or timed out.
pub(crate) async fn until<P: Ports>(
    console: &Console<P>,
    awaited: &[Awaited],
    goals: &[Goal],
    timeout: Option<Duration>,
) -> Result<Session, CliError> {
    let context = match timeout {
        Some(timeout) => console.context.within(timeout),
        None => console.context.clone(),
    };
    context.run(watch(console, awaited, goals)).await?
}

async fn watch<P: Ports>(
    console: &Console<P>,
    awaited: &[Awaited],
    goals: &[Goal],
) -> Result<Session, CliError> {
    let ids: Vec<SessionId> = awaited.iter().map(|one| one.id.clone()).collect();
    let mut changes = console.changes.clone();
    let mut sessions = console.sessions(&ids).await?;
    let mut probed = None;
    let armed = awaited.iter().any(|one| one.after_turn.is_some() || one.after.is_some());
    let pause = if armed { SETTLING } else { PROBE_EVERY };
    loop {
        if probed.is_none_or(|at| clock::monotonic() >= at + PROBE_EVERY) {
            console.host.settle_due().await?;
            console.reconcile(&sessions).await?;
            sessions = console.sessions(&ids).await?;
            probed = Some(clock::monotonic());
        }
        if let Some(verdict) = verdict(awaited, &sessions, goals, console.host.ports().now()) {
            return verdict;
        }
        // No notice in time, or none any more: one looks all the same.
        let _due = tokio::time::timeout(pause, changes.changed()).await;
        sessions = console.sessions(&ids).await?;
    }
}

/// The end of a wait, where there is one yet.
fn verdict(
    awaited: &[Awaited],
    sessions: &[Session],
    goals: &[Goal],
    now: Timestamp,
) -> Option<Result<Session, CliError>> {
    let reached = awaited
        .iter()
        .zip(sessions)
        .find(|(one, session)| goals.iter().any(|goal| reached(one, session, *goal, now)));
    if let Some((_, session)) = reached {
        return Some(Ok(session.clone()));
    }
    let over = |session: &&Session| {
        session.deletion.is_some() || session.condition.lifecycle.state.is_terminal()
    };
    sessions.iter().find(over).map(|session| {
        let status = match session.deletion {
            Some(_) => "deleted".to_owned(),
            None => session.condition.status.to_string(),
        };
        Err(CliError::EndedFirst { id: session.id.clone(), status })
    })
}

fn reached(one: &Awaited, session: &Session, goal: Goal, now: Timestamp) -> bool {
    let condition = &session.condition;
    if session.deletion.is_some() {
        return false;
    }
    match goal {
        // The end comes after every turn.
        Goal::Exit => condition.lifecycle.state.is_terminal(),
        Goal::Status(status) if condition.lifecycle.state.is_terminal() => {
            condition.status == status
        }
        Goal::Status(status) => condition.status == status && one.counts(session, now),
        Goal::Idle => condition.activity.value == Activity::Idle && one.counts(session, now),
        Goal::Attention => condition.attention.is_some() && one.counts(session, now),
    }
}
