//! Marked sessions: single ones, a range that is still being drawn, and everything that matches a
//! filter, also what is not loaded (`spec/console.md`, Bulk deletion).

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::plan::Conditions;
use crate::domain::query::Filter;

/// Everything that matches a filter, but for a few.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedFilter {
    /// The filter.
    pub filter: Filter,
    /// How many matched when it was marked.
    pub total: u64,
    /// Taken off one by one.
    pub except: BTreeSet<SessionId>,
}

/// The marks of one list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Marked one by one.
    pub ids: BTreeSet<SessionId>,
    /// Marked by a filter that reaches further than what is loaded.
    pub all: Option<MarkedFilter>,
    /// Where a range began that is still being drawn.
    pub anchor: Option<SessionId>,
    /// The filter that all of `ids` matched when they were marked together: its section, status and
    /// age words hold for them still when they are deleted (`spec/lifecycle.md` D5).
    pub words: Option<Filter>,
}

impl Marks {
    /// How many are marked, the range not counted.
    pub fn count(&self) -> u64 {
        let all = self.all.as_ref().map_or(0, |all| {
            let outside = self.ids.len() as u64;
            outside + all.total.saturating_sub(all.except.len() as u64)
        });
        all.max(self.ids.len() as u64)
    }

    /// Whether nothing is marked and no range was begun.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.all.is_none() && self.anchor.is_none()
    }

    /// Whether a row of the list with this filter is marked.
    pub fn has(&self, id: &SessionId, filter: &Filter) -> bool {
        let by_filter = |all: &MarkedFilter| all.filter == *filter && !all.except.contains(id);
        self.ids.contains(id) || self.all.as_ref().is_some_and(by_filter)
    }

    /// Marks everything that a filter matches, where all of it is known.
    pub fn set_all(&mut self, ids: impl IntoIterator<Item = SessionId>, filter: &Filter) {
        self.anchor = None;
        if self.ids.is_empty() {
            self.words = Some(filter.clone());
        }
        self.words.take_if(|words| words != filter);
        self.ids.extend(ids);
    }

    /// Takes off the marks of those for which `keep` does not hold.
    pub fn retain(&mut self, keep: impl FnMut(&SessionId) -> bool) {
        self.ids.retain(keep);
        if self.ids.is_empty() {
            self.words = None;
        }
    }

    /// A filter mark became ids, once; what comes later stays out.
    pub fn resolve(&mut self, ids: impl IntoIterator<Item = SessionId>) {
        if let Some(MarkedFilter { filter, except, .. }) = self.all.take() {
            self.set_all(ids.into_iter().filter(|id| !except.contains(id)), &filter);
        }
    }

    /// What must still hold for the marked ones when they are deleted.
    pub fn conditions(&self) -> Conditions {
        let words = self.words.clone().filter(|_| !self.ids.is_empty()).unwrap_or_default();
        Conditions {
            section: words.section,
            statuses: words.statuses,
            older_than: words.older_than,
            ..Conditions::default()
        }
    }

    /// Marks a row or takes its mark off.
    pub fn set(&mut self, id: &SessionId, filter: &Filter, marked: bool) {
        if marked && self.words.as_ref().is_some_and(|words| words != filter) {
            self.words = None;
        }
        match &mut self.all {
            Some(all) if all.filter == *filter => {
                if marked {
                    all.except.remove(id);
                } else {
                    all.except.insert(id.clone());
                    self.ids.remove(id);
                }
            }
            _ if marked => {
                self.ids.insert(id.clone());
            }
            _ => {
                self.ids.remove(id);
            }
        }
    }

    /// Takes all marks off.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_mark_counts_what_is_not_loaded_and_leaves_out_single_ones() {
        let id: SessionId = "shop-1".parse().unwrap();
        let filter = Filter::default();
        let all = MarkedFilter { filter: filter.clone(), total: 900, except: BTreeSet::new() };
        let mut marks = Marks { all: Some(all), ..Marks::default() };
        assert!(marks.has(&id, &filter));
        marks.set(&id, &filter, false);
        assert_eq!((marks.count(), marks.has(&id, &filter)), (899, false));
        let other = Filter { dirty: Some(true), ..Filter::default() };
        assert!(!marks.has(&"shop-2".parse().unwrap(), &other));
    }
}
