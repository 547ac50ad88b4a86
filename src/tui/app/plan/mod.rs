//! The dialog of a delete, a restore or a purge: its plan in groups, what the operator drops from it,
//! and its buttons (`spec/console.md`, Bulk deletion).

mod family;
mod group;
mod remark;
mod request;

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem, Skipped};
use crate::host::report::{DeleteRequest, RestoreTarget};

use self::family::{family, find, is_above, natural, top};
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
    Ready(Plan),
    /// It could not be computed.
    Failed(Failure),
}

/// One line of the dialog's list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// A session of the plan, and whether it will go.
    Item(&'a PlanItem, bool),
    /// A session that was skipped when the plan was made.
    Skipped(&'a Skipped),
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
    pub dropped: BTreeSet<SessionId>,
    /// What is listed.
    pub group: Group,
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
        match &self.planning {
            Planning::Ready(plan) => Some(plan),
            _ => None,
        }
    }

    /// Whether the plan is still awaited.
    pub fn is_looking(&self) -> bool {
        matches!(self.planning, Planning::Looking(..))
    }

    /// Whether a session of the plan will go: neither it nor a descendant was dropped, and what
    /// pulled it in goes too. A session never goes without its descendants (D1), one of the trash never
    /// without its tree (R1, R5).
    pub fn keeps(&self, item: &PlanItem) -> bool {
        let Some(plan) = self.plan() else {
            return false;
        };
        if self.request.is_whole_trees() {
            return !self.dropped.contains(top(plan, item));
        }
        let asked_for = item.pulled_in_by.is_none();
        let puller = item.pulled_in_by.as_ref().and_then(|id| find(plan, id));
        let goes = |id: &SessionId| {
            !self.dropped.contains(id)
                && !self.dropped.iter().any(|dropped| is_above(plan, id, dropped))
        };
        goes(&item.row.id) && (asked_for || puller.is_some_and(|above| goes(&above.row.id)))
    }

    /// The sessions that will go.
    pub fn kept(&self) -> Vec<&PlanItem> {
        let items = self.plan().map_or(&[][..], |plan| &plan.items);
        items.iter().filter(|item| self.keeps(item)).collect()
    }

    /// How many are left alone: skipped by the plan, or taken out.
    pub fn left_alone(&self) -> usize {
        let Some(plan) = self.plan() else { return 0 };
        plan.items.len() + plan.skipped.len() - self.kept().len()
    }

    /// Takes the selected session out of the plan, or puts it back with all that belongs to it.
    pub fn toggle(&mut self) {
        let Some(Row::Item(item, keeps)) = self.rows().get(self.index).copied() else {
            return;
        };
        let id = item.row.id.clone();
        if self.request.is_whole_trees() {
            let top = self.plan().map_or(&id, |plan| top(plan, item)).clone();
            if !self.dropped.remove(&top) {
                self.dropped.insert(top);
            }
        } else if keeps {
            self.dropped.insert(id);
        } else if let Planning::Ready(plan) = &self.planning {
            self.dropped.retain(|dropped| {
                *dropped != id && !is_above(plan, &id, dropped) && !is_above(plan, dropped, &id)
            });
        }
    }

    /// The lines of the group that is listed.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let Some(plan) = self.plan() else {
            return Vec::new();
        };
        let items = plan.items.iter().map(|item| Row::Item(item, self.keeps(item)));
        let skipped = plan.skipped.iter().map(Row::Skipped);
        let mut rows: Vec<Row<'_>> = items.chain(skipped).filter(|row| self.lists(row)).collect();
        rows.sort_by_cached_key(|row| match row {
            Row::Item(item, _) => family(plan, item),
            Row::Skipped(skipped) => (u8::MAX, vec![natural(&skipped.id)]),
        });
        rows
    }

    fn lists(&self, row: &Row<'_>) -> bool {
        match (self.group, row) {
            (Group::All, _) => true,
            (Group::Skipped, Row::Item(_, keeps)) => !keeps,
            (group, Row::Item(item, keeps)) => *keeps && group.holds(item),
            (group, Row::Skipped(_)) => group == Group::Skipped,
        }
    }

    /// How many sessions a group has.
    pub fn size(&self, group: Group) -> usize {
        let Some(plan) = self.plan() else { return 0 };
        match group {
            Group::All => plan.items.len() + plan.skipped.len(),
            Group::Skipped => self.left_alone(),
            group => self.kept().iter().filter(|item| group.holds(item)).count(),
        }
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
    }

    /// Moves the selection.
    pub fn select(&mut self, index: usize, height: usize) {
        let last = self.rows().len().saturating_sub(1);
        self.index = index.min(last);
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

    /// What to do once it is confirmed, and every id the operator saw. Of a delete or a restore the
    /// requested sessions are named, of a purge all: nothing else may go.
    pub fn confirmed(&self) -> (Effect, Vec<SessionId>) {
        let kept = self.kept();
        let seen: Vec<SessionId> = kept.iter().map(|item| item.row.id.clone()).collect();
        let requested =
            kept.iter().filter(|item| item.pulled_in_by.is_none()).map(|item| item.row.id.clone());
        let effect = match &self.request {
            PlanRequest::Delete(request) => {
                let request = DeleteRequest { ids: requested.collect(), ..request.clone() };
                Effect::Delete { request, admitted: seen.clone() }
            }
            PlanRequest::Restore(_) => {
                Effect::Restore { target: RestoreTarget::Ids(requested.collect()), undo: false }
            }
            PlanRequest::Purge(_) => Effect::Purge(seen.clone()),
        };
        (effect, seen)
    }

    /// Takes in the plan, or why there is none. What can be taken back in one key is one key.
    pub fn arrive(&mut self, plan: Result<Plan, Failure>) {
        self.planning = match plan {
            Ok(plan) => Planning::Ready(plan),
            Err(failure) => Planning::Failed(failure),
        };
        if matches!(self.request, PlanRequest::Restore(_)) && !self.kept().is_empty() {
            self.button = Button::Act;
        }
    }

    /// Nothing of it needs a word: all comes back as it was.
    pub fn is_plain(&self) -> bool {
        let whole = |item: &PlanItem| !Group::Detached.holds(item) && !Group::MadeAgain.holds(item);
        self.plan().is_some_and(|plan| plan.skipped.is_empty() && plan.items.iter().all(whole))
    }
}
