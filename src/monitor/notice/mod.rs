//! What the operator is told outside of the picture: which sessions began to want something, and when that is
//! said (`spec/console.md`, Behaviour). Pure; [`tell`] says how.

mod reason;
pub mod tell;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::config::Notifications;
use crate::domain::ids::SessionId;
use crate::domain::query::{Filter, PageQuery};
use crate::domain::session::Session;
use crate::domain::status::Attention;
use crate::domain::text::{clean_line, cut, names};
use crate::domain::time::Timestamp;

pub use self::reason::reason;

/// Most sessions that are listed as waiting: more than anyone answers.
const WAITING: usize = 1_000;
/// Cells that a notice may take.
const CELLS: usize = 200;

/// Asks the store who wants the operator (T4).
pub fn waiting_query() -> PageQuery {
    let filter = Filter { attention: true, ..Filter::default() };
    PageQuery { filter, limit: WAITING, ..PageQuery::default() }
}

/// One thing to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The sessions that want something, in the order in which they began to.
    pub ids: Vec<SessionId>,
    /// What each of them wants.
    pub reasons: Vec<Attention>,
    /// One line without control characters.
    pub text: String,
}

impl Notice {
    fn of(sessions: &[&Session], now: Timestamp) -> Self {
        let ids: Vec<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
        let text = match sessions {
            [one] => {
                let what = reason(one, now).unwrap_or_else(|| "needs you".to_owned());
                format!("{} {what} ∙ {}", one.id, one.title)
            }
            more => format!("{} sessions need you: {}", more.len(), names(&ids)),
        };
        let reasons = sessions.iter().filter_map(|session| session.condition.attention).collect();
        Self { ids, reasons, text: cut(&clean_line(&text), CELLS, "…") }
    }
}

/// Who waits, and who of them has not been told of yet.
#[derive(Debug, Clone, Default)]
pub struct Notices {
    /// Since when each waits; none before the first look, which tells nothing.
    known: Option<BTreeMap<SessionId, Timestamp>>,
    /// To be told of as soon as the limit allows, oldest first.
    held: Vec<SessionId>,
    limit: Limit,
}

impl Notices {
    /// Takes in who waits now: who waits since another time than before is new.
    pub fn arrive(&mut self, waiting: &[Session], how: &Notifications) {
        let since =
            |session: &Session| Some((session.id.clone(), session.condition.waiting_since()?));
        let now: BTreeMap<SessionId, Timestamp> = waiting.iter().filter_map(since).collect();
        if let Some(known) = self.known.as_ref().filter(|_| how.is_on()) {
            let wanted = |session: &Session| {
                session.condition.attention.is_some_and(|reason| how.reasons.contains(&reason))
            };
            let mut new: Vec<_> = waiting
                .iter()
                .filter(|session| wanted(session))
                .filter_map(since)
                .filter(|(id, since)| known.get(id) != Some(since) && !self.held.contains(id))
                .collect();
            new.sort_by(|(a, a_since), (b, b_since)| (a_since, a).cmp(&(b_since, b)));
            self.held.extend(new.into_iter().map(|(id, _)| id));
        }
        self.held.retain(|id| now.contains_key(id));
        self.known = Some(now);
    }

    /// What is to be said now; nothing of a session that is on view.
    pub fn take(
        &mut self,
        waiting: &[Session],
        on_view: Option<&SessionId>,
        how: &Notifications,
        now: Timestamp,
    ) -> Option<Notice> {
        self.held.retain(|id| Some(id) != on_view);
        if self.held.is_empty() || !self.limit.spend(how.limit, now) {
            return None;
        }
        let held = std::mem::take(&mut self.held);
        let find = |id: &SessionId| waiting.iter().find(|session| session.id == *id);
        let sessions: Vec<&Session> = held.iter().filter_map(find).collect();
        (!sessions.is_empty()).then(|| Notice::of(&sessions, now))
    }

    /// When there will be something to say that the limit holds back.
    pub fn wake(&self, how: &Notifications) -> Option<Timestamp> {
        (!self.held.is_empty()).then(|| self.limit.next(how.limit))
    }
}

/// A token bucket: so many at once, and so many in a minute after that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Limit {
    /// When the bucket is full again.
    full_at: Timestamp,
}

impl Limit {
    /// Time in which one token comes back.
    fn each(a_minute: NonZeroU32) -> Duration {
        Duration::from_mins(1) / a_minute.get()
    }

    /// When there is a token.
    fn next(self, a_minute: NonZeroU32) -> Timestamp {
        self.full_at.minus(Self::each(a_minute) * (a_minute.get() - 1))
    }

    /// Takes a token; false where there is none.
    fn spend(&mut self, a_minute: NonZeroU32, now: Timestamp) -> bool {
        // A clock that was set back must not silence it for long.
        self.full_at = self.full_at.min(now.plus(Duration::from_mins(1)));
        let there = self.next(a_minute) <= now;
        if there {
            self.full_at = self.full_at.max(now).plus(Self::each(a_minute));
        }
        there
    }
}
