//! The dialog of a delete, a restore or a purge: its plan in groups, what the operator drops from it,
//! and its buttons (`spec/console.md`, Bulk deletion).

mod counted;
mod family;
mod group;
mod remark;
mod request;

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem};
use crate::host::report::{DeleteRequest, RestoreTarget};

pub use self::counted::{Counted, Row};
use self::family::{is_above, top};
pub use self::group::Group;
pub use self::request::PlanRequest;
use super::words::skip_kind;
use crate::tui::event::{Effect, Failure};

/// Buttons of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Button {
    /// Changes nothing; the default.
    #[default]
    Cancel,
    /// Does what the dialog says.
    Act,
}

impl Button {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Cancel => Self::Act,
            Self::Act => Self::Cancel,
        }
    }
}

/// How far the plan is.
#[derive(Debug, Clone, PartialEq)]
pub enum Planning {
    /// Being computed: worktrees looked at, of how many.
    Looking(usize, usize),
    /// There.
    Ready(Counted),
    /// It could not be computed.
    Failed(Failure),
}

/// The dialog.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanDialog {
    /// Ticket of the planning that is awaited.
    pub ticket: u64,
    /// What was asked for.
    pub request: PlanRequest,
    /// The plan.
    pub planning: Planning,
    /// Taken out by the operator.
    dropped: BTreeSet<SessionId>,
    /// What is listed.
    group: Group,
    /// The selected line.
    pub index: usize,
    /// The first line on view.
    pub top: usize,
    /// The chosen button.
    pub button: Button,
    /// What changed since the operator looked.
    pub note: Option<String>,
}

impl PlanDialog {
    /// The dialog as it opens: nothing known yet, Cancel chosen.
    pub fn new(ticket: u64, request: PlanRequest) -> Self {
        let total = request.named();
        Self {
            ticket,
            request,
            planning: Planning::Looking(0, total),
            dropped: BTreeSet::new(),
            group: Group::All,
            index: 0,
            top: 0,
            button: Button::Cancel,
            note: None,
        }
    }

    /// The plan, once it is there.
    pub fn plan(&self) -> Option<&Plan> {
        self.counted().map(Counted::plan)
    }

    fn counted(&self) -> Option<&Counted> {
        match &self.planning {
            Planning::Ready(counted) => Some(counted),
            _ => None,
        }
    }

    /// Whether the plan is still awaited.
    pub fn is_looking(&self) -> bool {
        matches!(self.planning, Planning::Looking(..))
    }

    /// The sessions that will go.
    pub fn kept(&self) -> impl Iterator<Item = &PlanItem> {
        self.counted().into_iter().flat_map(Counted::kept)
    }

    /// How many they are.
    pub fn going(&self) -> usize {
        self.counted().map_or(0, Counted::going)
    }

    /// How many are left alone: skipped by the plan, or taken out.
    pub fn left_alone(&self) -> usize {
        self.size(Group::Skipped)
    }

    /// Uncommitted files of what goes.
    pub fn lost_files(&self) -> usize {
        self.counted().map_or(0, Counted::lost_files)
    }

    /// Takes the selected session out of the plan, or puts it back with all that belongs to it.
    pub fn toggle(&mut self) {
        let Planning::Ready(counted) = &mut self.planning else { return };
        let Some(Row::Item(item, keeps)) = counted.at(self.index) else { return };
        let (plan, id) = (counted.plan(), item.row.id.clone());
        if self.request.is_whole_trees() {
            let top = top(plan, item).clone();
            if !self.dropped.remove(&top) {
                self.dropped.insert(top);
            }
        } else if keeps {
            self.dropped.insert(id);
        } else {
            self.dropped.retain(|dropped| {
                *dropped != id && !is_above(plan, &id, dropped) && !is_above(plan, dropped, &id)
            });
        }
        counted.choose(&self.request, &self.dropped, self.group);
    }

    /// The lines of the group that is listed.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.counted().into_iter().flat_map(Counted::rows)
    }

    /// How many they are.
    pub fn listed(&self) -> usize {
        self.counted().map_or(0, Counted::listed)
    }

    /// Cells of the longest id among them.
    pub fn widest(&self) -> usize {
        self.counted().map_or(0, Counted::widest)
    }

    /// How many sessions a group has.
    pub fn size(&self, group: Group) -> usize {
        self.counted().and_then(|counted| counted.group(group)).map_or(0, |(size, _)| size)
    }

    /// What a line of the counts says beside its number.
    pub fn remark(&self, group: Group) -> &str {
        self.counted().and_then(|counted| counted.group(group)).map_or("", |(_, remark)| remark)
    }

    /// The group that is listed.
    pub fn group(&self) -> Group {
        self.group
    }

    /// The groups that can be listed: those with a tab that have sessions.
    pub fn tabs(&self) -> Vec<Group> {
        let open = |group: &Group| *group == Group::All || self.size(*group) > 0;
        let groups = Group::of(&self.request).iter().copied();
        groups.filter(|group| group.has_tab()).filter(open).collect()
    }

    /// Lists the next group, or the one before.
    pub fn turn(&mut self, by: isize) {
        let tabs = self.tabs();
        let at = tabs.iter().position(|group| *group == self.group).unwrap_or(0);
        let next = at.saturating_add_signed(by).min(tabs.len().saturating_sub(1));
        self.group = tabs.get(next).copied().unwrap_or(Group::All);
        (self.index, self.top) = (0, 0);
        if let Planning::Ready(counted) = &mut self.planning {
            counted.list(self.group);
        }
    }

    /// Moves the selection.
    pub fn select(&mut self, index: usize, height: usize) {
        self.index = index.min(self.listed().saturating_sub(1));
        let height = height.max(1);
        self.top = self.top.min(self.index).max((self.index + 1).saturating_sub(height));
    }

    /// Everything was skipped because it is pinned: only dropping the pin check helps.
    pub fn all_pinned(&self) -> bool {
        let pinned = |plan: &Plan| {
            plan.items.is_empty()
                && !plan.skipped.is_empty()
                && plan.skipped.iter().all(|skip| skip_kind(&skip.reason) == "pinned")
        };
        self.plan().is_some_and(pinned)
    }

    /// What to do once it is confirmed. Of a delete or a restore the requested sessions are named, of a
    /// purge all: nothing else may go.
    pub fn confirmed(&self) -> Effect {
        let seen = || self.kept().map(|item| item.row.id.clone()).collect();
        let requested = self.kept().filter(|item| item.pulled_in_by.is_none());
        let requested = requested.map(|item| item.row.id.clone());
        match &self.request {
            PlanRequest::Delete(request) => {
                let request = DeleteRequest { ids: requested.collect(), ..request.clone() };
                Effect::Delete { request, admitted: seen() }
            }
            PlanRequest::Restore(_) => {
                Effect::Restore { target: RestoreTarget::Ids(requested.collect()), undo: false }
            }
            PlanRequest::Purge(_) => Effect::Purge(seen()),
        }
    }

    /// Takes in the plan, or why there is none. What can be taken back in one key is one key.
    pub fn arrive(&mut self, plan: Result<Plan, Failure>) {
        self.planning = match plan {
            Ok(plan) => {
                Planning::Ready(Counted::new(plan, &self.request, &self.dropped, self.group))
            }
            Err(failure) => Planning::Failed(failure),
        };
        if matches!(self.request, PlanRequest::Restore(_)) && self.going() > 0 {
            self.button = Button::Act;
        }
    }

    /// Nothing of it needs a word: all comes back as it was.
    pub fn is_plain(&self) -> bool {
        let whole = |item: &PlanItem| !Group::Detached.holds(item) && !Group::MadeAgain.holds(item);
        self.plan().is_some_and(|plan| plan.skipped.is_empty() && plan.items.iter().all(whole))
    }
}

#[cfg(test)]
mod tests;
