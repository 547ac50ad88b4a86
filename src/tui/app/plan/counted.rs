//! What a plan comes to with what the operator dropped from it. Each frame shows it, so it is counted once
//! whenever the plan or the choice changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem, Skipped};
use crate::domain::text::width;

use super::family::{above, family, find, natural, top};
use super::remark::{lost_files, remark, skip_remark};
use super::{Group, PlanRequest};

/// One line of the dialog's list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// A session of the plan, and whether it will go.
    Item(&'a PlanItem, bool),
    /// A session that was skipped when the plan was made.
    Skipped(&'a Skipped),
}

impl<'a> Row<'a> {
    /// The session.
    pub fn id(self) -> &'a SessionId {
        match self {
            Self::Item(item, _) => &item.row.id,
            Self::Skipped(skipped) => &skipped.id,
        }
    }

    fn is_of(self, group: Group) -> bool {
        match (group, self) {
            (Group::All, _) => true,
            (Group::Skipped, Row::Item(_, keeps)) => !keeps,
            (group, Row::Item(item, keeps)) => keeps && group.holds(item),
            (group, Row::Skipped(_)) => group == Group::Skipped,
        }
    }
}

/// Where in the plan a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Item(usize),
    Skipped(usize),
}

/// A plan with its counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    plan: Plan,
    /// All lines as they are listed.
    order: Vec<Line>,
    /// Of each item, whether it will go.
    kept: Vec<bool>,
    going: usize,
    lost_files: usize,
    /// The groups with their sizes and what is said of them.
    groups: BTreeMap<Group, (usize, String)>,
    /// The lines of the group that is listed.
    listed: Vec<Line>,
    widest: usize,
}

impl Counted {
    /// Counts a new plan.
    pub(super) fn new(
        plan: Plan,
        request: &PlanRequest,
        dropped: &BTreeSet<SessionId>,
        group: Group,
    ) -> Self {
        let mut counted = Self {
            order: in_order(&plan),
            plan,
            kept: Vec::new(),
            going: 0,
            lost_files: 0,
            groups: BTreeMap::new(),
            listed: Vec::new(),
            widest: 0,
        };
        counted.choose(request, dropped, group);
        counted
    }

    /// Counts again what goes without what was dropped.
    pub(super) fn choose(
        &mut self,
        request: &PlanRequest,
        dropped: &BTreeSet<SessionId>,
        group: Group,
    ) {
        self.kept = kept(&self.plan, request, dropped);
        let kept: Vec<&PlanItem> = self.kept().collect();
        let going = kept.len();
        let lost_files = lost_files(&kept);
        let left_alone = self.plan.items.len() + self.plan.skipped.len() - going;
        let counted = |group: Group| match group {
            Group::All => (left_alone + going, String::new()),
            Group::Skipped => (left_alone, skip_remark(&self.plan, self.plan.items.len() - going)),
            group => {
                let of: Vec<&PlanItem> =
                    kept.iter().copied().filter(|item| group.holds(item)).collect();
                (of.len(), remark(request, group, &of))
            }
        };
        let groups = Group::of(request).iter().map(|group| (*group, counted(*group))).collect();
        (self.going, self.lost_files, self.groups) = (going, lost_files, groups);
        self.list(group);
    }

    /// Lists a group.
    pub(super) fn list(&mut self, group: Group) {
        let of_group = |line: &Line| self.row(*line).is_some_and(|row| row.is_of(group));
        self.listed = self.order.iter().copied().filter(of_group).collect();
        self.widest = self.rows().map(|row| width(row.id().as_str())).max().unwrap_or(0);
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The sessions that will go.
    pub fn kept(&self) -> impl Iterator<Item = &PlanItem> {
        let items = self.plan.items.iter().zip(&self.kept);
        items.filter(|(_, keeps)| **keeps).map(|(item, _)| item)
    }

    /// How many they are.
    pub(super) fn going(&self) -> usize {
        self.going
    }

    /// Uncommitted files of what goes.
    pub(super) fn lost_files(&self) -> usize {
        self.lost_files
    }

    /// How many sessions a group has, and what is said of them.
    pub(super) fn group(&self, group: Group) -> Option<(usize, &str)> {
        self.groups.get(&group).map(|(size, remark)| (*size, remark.as_str()))
    }

    /// The lines of the group that is listed.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.listed.iter().filter_map(|line| self.row(*line))
    }

    /// How many they are.
    pub(super) fn listed(&self) -> usize {
        self.listed.len()
    }

    /// Cells of the longest id among them.
    pub(super) fn widest(&self) -> usize {
        self.widest
    }

    /// One of them.
    pub(super) fn at(&self, index: usize) -> Option<Row<'_>> {
        self.row(*self.listed.get(index)?)
    }

    fn row(&self, line: Line) -> Option<Row<'_>> {
        Some(match line {
            Line::Item(at) => Row::Item(self.plan.items.get(at)?, *self.kept.get(at)?),
            Line::Skipped(at) => Row::Skipped(self.plan.skipped.get(at)?),
        })
    }
}

/// Families by zone, children under their parents; what is skipped comes last.
fn in_order(plan: &Plan) -> Vec<Line> {
    let items = plan.items.iter().enumerate();
    let skipped = plan.skipped.iter().enumerate();
    let mut lines: Vec<_> = items
        .map(|(at, item)| (family(plan, item), Line::Item(at)))
        .chain(skipped.map(|(at, skip)| ((u8::MAX, vec![natural(&skip.id)]), Line::Skipped(at))))
        .collect();
    lines.sort_by(|(a, _), (b, _)| a.cmp(b));
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Of each session of the plan, whether it will go: neither it nor a descendant was dropped, and what
/// pulled it in goes too. A session never goes without its descendants (D1), one of the trash never
/// without its tree (R1, R5).
fn kept(plan: &Plan, request: &PlanRequest, dropped: &BTreeSet<SessionId>) -> Vec<bool> {
    if request.is_whole_trees() {
        return plan.items.iter().map(|item| !dropped.contains(top(plan, item))).collect();
    }
    let items = dropped.iter().filter_map(|id| find(plan, id));
    let stay: BTreeSet<&SessionId> =
        items.flat_map(|item| above(plan, item)).map(|item| &item.row.id).chain(dropped).collect();
    let goes = |id: &SessionId| !stay.contains(id);
    let pulled = |by: &SessionId| find(plan, by).is_some() && goes(by);
    let keeps =
        |item: &PlanItem| goes(&item.row.id) && item.pulled_in_by.as_ref().is_none_or(pulled);
    plan.items.iter().map(keeps).collect()
}
