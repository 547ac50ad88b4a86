//! Who is above whom inside a plan.

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem};

/// The item of a session.
pub(super) fn find<'a>(plan: &'a Plan, id: &SessionId) -> Option<&'a PlanItem> {
    let at = plan.items.binary_search_by(|item| item.row.id.cmp(id)).ok()?;
    plan.items.get(at)
}

/// Whether `above` is an ancestor of `below` inside the plan.
pub(super) fn is_above(plan: &Plan, above: &SessionId, below: &SessionId) -> bool {
    let mut at = find(plan, below);
    // A plan is finite and its parents never form a ring (C9); the bound keeps a wrong one harmless.
    for _ in 0..plan.items.len() {
        let Some(parent) = at.and_then(|item| item.row.parent.as_ref()) else {
            return false;
        };
        if parent == above {
            return true;
        }
        at = find(plan, parent);
    }
    false
}

/// The topmost session above an item inside the plan, itself where there is none.
pub(super) fn top<'a>(plan: &'a Plan, item: &'a PlanItem) -> &'a SessionId {
    let mut top = item;
    for _ in 0..plan.items.len() {
        let Some(above) = top.row.parent.as_ref().and_then(|id| find(plan, id)) else {
            break;
        };
        top = above;
    }
    &top.row.id
}

/// Where an item is listed: zone of the topmost session above it in the plan, then the ids from there
/// down, so that children follow their parent.
pub(super) fn family<'a>(plan: &'a Plan, item: &'a PlanItem) -> (u8, Vec<Natural<'a>>) {
    let (mut path, mut top) = (vec![natural(&item.row.id)], item);
    for _ in 0..plan.items.len() {
        let Some(above) = top.row.parent.as_ref().and_then(|id| find(plan, id)) else {
            break;
        };
        path.push(natural(&above.row.id));
        top = above;
    }
    path.reverse();
    (top.zone() as u8, path)
}

/// An id in the order of people: the words, then the number at its end, then the whole of it.
pub(super) type Natural<'a> = (&'a str, Option<u64>, &'a str);

/// `shop-9` before `shop-10`.
pub(super) fn natural(id: &SessionId) -> Natural<'_> {
    let whole = id.as_str();
    let words = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    (words, whole.get(words.len()..).and_then(|digits| digits.parse().ok()), whole)
}
