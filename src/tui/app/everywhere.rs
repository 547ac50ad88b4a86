//! Finding in all sections, in messages and in the trash (`spec/store.md` Q1): what is looked for, and
//! what was found. The store is asked when the operator pauses; an answer to an older text is dropped.

use std::time::Duration;

use crate::domain::ids::SessionId;
use crate::domain::query::Filter;
use crate::domain::search::Snippet;
use crate::domain::session::Session;
use crate::domain::time::Timestamp;
use crate::tui::event::Found;

use super::editor::Editor;
use super::{LOADING_AFTER, find};

/// The store is asked when nothing was typed for so long.
const PAUSE: Duration = Duration::from_millis(80);
/// Texts are found in so many sessions at most; beyond, there are just more (Q1).
const COUNTED: u64 = 50;

/// The line that is typed, and the selected place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finder {
    /// What was typed.
    pub editor: Editor,
    /// The selected one.
    pub index: usize,
    /// The first one on view.
    pub top: usize,
}

/// One place where it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The session, in its section or in the trash.
    pub session: Session,
    /// Where it was found in its texts; empty where it was found by its id or by other words.
    pub snippet: Snippet,
}

/// A message that was found, and is shown among the others of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The session.
    pub id: SessionId,
    /// What was looked for.
    pub text: String,
    /// It was brought on view.
    pub shown: bool,
}

/// What is looked for, and what was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Everywhere {
    /// What is looked for, as typed; empty for nothing.
    pub text: String,
    /// The request that is awaited.
    pub ticket: Option<u64>,
    /// What was found; of an older text until the answer comes.
    pub hits: Vec<Hit>,
    /// It was found in so many sessions, and maybe more.
    pub total: u64,
    /// The text that the hits belong to.
    pub answered: Option<String>,
    /// When the text was changed.
    typed_at: Timestamp,
    /// When it is asked for.
    due: Option<Timestamp>,
}

impl Everywhere {
    /// From now on this is looked for.
    pub fn want(&mut self, text: &str, now: Timestamp) {
        if self.text == text {
            return;
        }
        if text.trim().is_empty() {
            *self = Self::default();
            return;
        }
        text.clone_into(&mut self.text);
        (self.ticket, self.typed_at, self.due) = (None, now, Some(now.plus(PAUSE)));
    }

    /// What is to be asked for now under this ticket, if anything.
    pub fn ask(&mut self, ticket: u64, now: Timestamp) -> Option<Filter> {
        self.due.take_if(|due| *due <= now)?;
        self.ticket = Some(ticket);
        Some(find::parse(&self.text).filter)
    }

    /// Takes in what was found, where it is still asked for.
    pub fn arrive(&mut self, ticket: u64, found: Found) -> bool {
        if self.ticket.take_if(|awaited| *awaited == ticket).is_none() {
            return false;
        }
        let Found { sessions, trash } = found;
        self.total = sessions.total + trash.total;
        self.hits = [sessions, trash]
            .into_iter()
            .flat_map(|page| {
                let snippets =
                    page.snippets.into_iter().chain(std::iter::repeat(Snippet::default()));
                page.sessions.into_iter().zip(snippets)
            })
            .map(|(session, snippet)| Hit { session, snippet })
            .collect();
        self.answered = Some(self.text.clone());
        true
    }

    /// When there is something to ask, or to say that it takes a while.
    pub fn wake(&self, now: Timestamp) -> Option<Timestamp> {
        let slow = self.typed_at.plus(LOADING_AFTER);
        self.due.or(Some(slow).filter(|at| self.ticket.is_some() && *at > now))
    }

    /// Whether the answer is awaited for so long that it is said.
    pub fn is_slow(&self, now: Timestamp) -> bool {
        self.ticket.is_some() && now >= self.typed_at.plus(LOADING_AFTER)
    }

    /// Whether the hits are those of what is typed.
    pub fn is_answered(&self) -> bool {
        self.answered.as_ref() == Some(&self.text)
    }

    /// In how many sessions it was found: `12`, or `50+`.
    pub fn count(&self) -> String {
        if self.total > COUNTED { format!("{COUNTED}+") } else { self.total.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_000_000);

    #[test]
    fn the_store_is_asked_once_the_typing_pauses() {
        let mut everywhere = Everywhere::default();
        everywhere.want("car", START);
        assert_eq!(everywhere.ask(1, START), None);
        let later = START.plus(Duration::from_millis(50));
        everywhere.want("cart", later);
        assert_eq!(everywhere.ask(1, START.plus(PAUSE)), None, "typed again since");
        assert_eq!(everywhere.wake(later), Some(later.plus(PAUSE)));
        let filter = everywhere.ask(1, later.plus(PAUSE)).unwrap();
        assert_eq!(filter.text.as_deref(), Some("cart"));
        assert_eq!(everywhere.ask(2, later.plus(PAUSE)), None, "once");
    }

    #[test]
    fn a_late_answer_is_dropped_and_the_old_hits_stay_until_the_new_come() {
        let mut everywhere = Everywhere::default();
        everywhere.want("a", START);
        everywhere.ask(1, START.plus(PAUSE)).unwrap();
        everywhere.want("ab", START.plus(PAUSE));
        let found = |total| {
            let mut found = Found::default();
            found.sessions.total = total;
            found
        };
        assert!(!everywhere.arrive(1, found(7)));
        everywhere.ask(2, START.plus(PAUSE * 2)).unwrap();
        assert!(everywhere.arrive(2, found(51)));
        assert_eq!((everywhere.count().as_str(), everywhere.is_answered()), ("50+", true));
        everywhere.want("abc", START.plus(PAUSE * 3));
        assert_eq!((everywhere.total, everywhere.is_answered()), (51, false));
        everywhere.want(" ", START.plus(PAUSE * 4));
        assert_eq!(everywhere, Everywhere::default());
    }
}
