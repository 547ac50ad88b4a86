//! The dialog of a delete: its plan in groups, what the operator drops from it, and its buttons
//! (`spec/console.md`, Bulk deletion).

mod family;
mod group;

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem, Skipped};
use crate::host::report::DeleteRequest;

use self::family::{family, find, is_above, natural};
pub use self::group::Group;
use super::words::{count, names, skip_kind};
use crate::tui::event::Failure;

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
    pub request: DeleteRequest,
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
    pub fn new(ticket: u64, request: DeleteRequest) -> Self {
        let total = request.ids.len();
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

    /// Whether a session of the plan will go: neither it nor a descendant was dropped, and what
    /// pulled it in goes too. A session never goes without its descendants (D1).
    pub fn keeps(&self, item: &PlanItem) -> bool {
        let Some(plan) = self.plan() else {
            return false;
        };
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
        if keeps {
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
        Group::TABS.into_iter().filter(open).collect()
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

    /// What a line of the counts says beside its number.
    pub fn remark(&self, group: Group) -> String {
        let kept = self.kept();
        let of = || kept.iter().filter(|item| group.holds(item));
        match group {
            Group::Live => {
                let mut agents: Vec<(&str, usize)> = Vec::new();
                for item in of() {
                    match agents.iter_mut().find(|(name, _)| *name == item.row.agent) {
                        Some((_, n)) => *n += 1,
                        None => agents.push((&item.row.agent, 1)),
                    }
                }
                agents.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
                let agents: Vec<String> =
                    agents.iter().map(|(name, n)| format!("{n} {name}")).collect();
                format!("will be stopped: {}", agents.join(", "))
            }
            Group::Unchecked => "git did not answer; all files are kept in the trash".to_owned(),
            Group::Uncommitted => {
                let files: u32 = of().filter_map(|item| item.advice.dirty_files).sum();
                format!("{}, kept in the trash", count(files as usize, "file"))
            }
            Group::Unpushed => {
                let commits: u32 = of().filter_map(|item| item.advice.unpushed_commits).sum();
                format!("{}, the branches stay", count(commits as usize, "commit"))
            }
            Group::OpenPr => {
                let numbers: Vec<String> =
                    of().filter_map(|item| item.row.open_pr).map(|n| format!("#{n}")).collect();
                let verb = if numbers.len() == 1 { "stays" } else { "stay" };
                format!("{} {verb} open", names(&numbers))
            }
            Group::Children => {
                let by: BTreeSet<&SessionId> =
                    of().filter_map(|item| item.pulled_in_by.as_ref()).collect();
                format!("pulled in by {}", names(&by.into_iter().collect::<Vec<_>>()))
            }
            Group::Pinned => "go too, without the pin check".to_owned(),
            Group::Skipped => self.skip_remark(),
            Group::All | Group::Safe => String::new(),
        }
    }

    fn skip_remark(&self) -> String {
        let Some(plan) = self.plan() else {
            return String::new();
        };
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        let dropped = plan.items.iter().filter(|item| !self.keeps(item)).map(|_| "dropped");
        for kind in plan.skipped.iter().map(|skip| skip_kind(&skip.reason)).chain(dropped) {
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, n)) => *n += 1,
                None => kinds.push((kind, 1)),
            }
        }
        let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        kinds.join(", ")
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

    /// What to ask the coordinator for: the requested sessions that go, and every id the operator saw.
    pub fn confirmed(&self) -> (DeleteRequest, Vec<SessionId>) {
        let kept = self.kept();
        let requested =
            kept.iter().filter(|item| item.pulled_in_by.is_none()).map(|item| item.row.id.clone());
        let request = DeleteRequest { ids: requested.collect(), ..self.request.clone() };
        (request, kept.iter().map(|item| item.row.id.clone()).collect())
    }
}
