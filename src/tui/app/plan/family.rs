//! Who is above whom inside a plan.

use std::iter;

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem};

/// The item of a session.
pub(super) fn find<'a>(plan: &'a Plan, id: &SessionId) -> Option<&'a PlanItem> {
    let at = plan.items.binary_search_by(|item| item.row.id.cmp(id)).ok()?;
    plan.items.get(at)
}

/// The items above an item inside the plan, its parent first.
pub(super) fn above<'a>(
    plan: &'a Plan,
    item: &'a PlanItem,
) -> impl Iterator<Item = &'a PlanItem> + use<'a> {
    let parent = |item: &&'a PlanItem| item.row.parent.as_ref().and_then(|id| find(plan, id));
    // A plan is finite and its parents never form a ring (C9); the bound keeps a wrong one harmless.
    iter::successors(parent(&item), parent).take(plan.items.len())
}

/// Whether a session is an ancestor of `below` inside the plan.
pub(super) fn is_above(plan: &Plan, id: &SessionId, below: &SessionId) -> bool {
    find(plan, below).is_some_and(|item| above(plan, item).any(|item| item.row.id == *id))
}

/// The topmost session above an item inside the plan, itself where there is none.
pub(super) fn top<'a>(plan: &'a Plan, item: &'a PlanItem) -> &'a SessionId {
    &above(plan, item).last().unwrap_or(item).row.id
}

/// Where an item is listed: zone of the topmost session above it in the plan, then the ids from there
/// down, so that children follow their parent.
pub(super) fn family<'a>(plan: &'a Plan, item: &'a PlanItem) -> (u8, Vec<Natural<'a>>) {
    let line: Vec<&PlanItem> = iter::once(item).chain(above(plan, item)).collect();
    let top = line.last().map_or(item.zone(), |top| top.zone());
    (top as u8, line.into_iter().rev().map(|item| natural(&item.row.id)).collect())
}

/// An id in the order of people: the words, then the number at its end, then the whole of it.
pub(super) type Natural<'a> = (&'a str, Option<u64>, &'a str);

/// `shop-9` before `shop-10`.
pub(super) fn natural(id: &SessionId) -> Natural<'_> {
    let whole = id.as_str();
    let words = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    (words, whole.get(words.len()..).and_then(|digits| digits.parse().ok()), whole)
}
