//! What the dialog shows is what its rules say, whatever was pressed.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::domain::event::Actor;
use crate::domain::plan::{Advice, PlanRow, SkipReason, Skipped};
use crate::domain::rail::SectionKey;
use crate::domain::status::Status;
use crate::domain::time::Timestamp;

fn id(n: usize) -> SessionId {
    format!("shop-{n}").parse().unwrap()
}

/// A session whose parent is one before it, or none.
fn item(n: usize, parent: Option<usize>, bits: u8) -> PlanItem {
    let row = PlanRow {
        id: id(n),
        parent: parent.map(id),
        title: String::new(),
        agent: if bits & 1 == 0 { "claude" } else { "codex" }.to_owned(),
        status: if bits & 2 == 0 { Status::Idle } else { Status::NeedsInput },
        section: SectionKey::conversations(),
        pinned: bits & 4 != 0,
        live: bits & 8 != 0,
        last_activity_at: Timestamp(0),
        open_pr: (bits & 16 != 0).then_some(7),
    };
    let dirty_files = Some(u32::from(bits & 32 != 0) * 3);
    let advice = Advice { dirty_files, unanswered: bits & 64 != 0, ..Advice::default() };
    PlanItem { row, pulled_in_by: parent.filter(|_| bits & 128 != 0).map(id), advice }
}

fn plans() -> impl Strategy<Value = Plan> {
    let items =
        prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<u8>()), 1..24);
    (items, 0..4_usize).prop_map(|(items, skipped)| {
        let item = |(n, (parent, root, bits)): (usize, (prop::sample::Index, bool, u8))| {
            item(n, (n > 0 && !root).then(|| parent.index(n.max(1))), bits)
        };
        let mut items: Vec<PlanItem> = items.into_iter().enumerate().map(item).collect();
        items.sort_by(|a, b| a.row.id.cmp(&b.row.id));
        let skip = |n| Skipped { id: id(90 + n), reason: SkipReason::Pinned };
        Plan { items, skipped: (0..skipped).map(skip).collect() }
    })
}

fn requests() -> impl Strategy<Value = PlanRequest> {
    let delete = DeleteRequest {
        ids: BTreeSet::new(),
        conditions: crate::domain::plan::Conditions::default(),
        with_rowless: false,
        closed: BTreeSet::new(),
        actor: Actor::Operator,
    };
    prop_oneof![
        Just(PlanRequest::Delete(delete)),
        Just(PlanRequest::Restore(Vec::new())),
        Just(PlanRequest::Purge(Vec::new())),
    ]
}

/// D1, R1, R5, said as the rules say it, item by item.
fn goes(dialog: &PlanDialog, plan: &Plan, item: &PlanItem) -> bool {
    let under =
        |above: &SessionId, below: &SessionId| above == below || is_above(plan, above, below);
    let free = |id: &SessionId| !dialog.dropped.iter().any(|dropped| under(id, dropped));
    if dialog.request.is_whole_trees() {
        return !dialog.dropped.contains(top(plan, item));
    }
    free(&item.row.id) && item.pulled_in_by.as_ref().is_none_or(free)
}

/// What is listed, in order: the ids, and of sessions of the plan whether they go.
fn listed(dialog: &PlanDialog, plan: &Plan) -> Vec<(SessionId, Option<bool>)> {
    let mut lines: Vec<_> =
        plan.items.iter().map(|item| (item, goes(dialog, plan, item))).collect();
    lines.retain(|(item, goes)| match dialog.group {
        Group::All => true,
        Group::Skipped => !goes,
        group => *goes && group.holds(item),
    });
    lines.sort_by_key(|(item, _)| family::family(plan, item));
    let skipped = plan.skipped.iter().map(|skip| (skip.id.clone(), None));
    let skipped = skipped.filter(|_| matches!(dialog.group, Group::All | Group::Skipped));
    lines.into_iter().map(|(item, goes)| (item.row.id.clone(), Some(goes))).chain(skipped).collect()
}

proptest! {
    /// Bulk 2: counts and lines follow every choice, though they are counted only when one is made.
    #[test]
    fn what_was_counted_is_what_is(
        plan in plans(),
        request in requests(),
        keys in prop::collection::vec((0..4_u8, 0..24_usize), 0..24),
    ) {
        let mut dialog = PlanDialog::new(1, request);
        dialog.arrive(Ok(plan.clone()));
        for (key, index) in keys {
            match key {
                0 => dialog.select(index, 5),
                1 => dialog.turn(1),
                2 => dialog.turn(-1),
                _ => dialog.toggle(),
            }
            let kept: Vec<_> = plan.items.iter().filter(|item| goes(&dialog, &plan, item)).collect();
            prop_assert_eq!(dialog.kept().collect::<Vec<_>>(), kept.clone());
            prop_assert_eq!(dialog.going(), kept.len());
            let rows: Vec<_> = dialog
                .rows()
                .map(|row| match row {
                    Row::Item(item, goes) => (item.row.id.clone(), Some(goes)),
                    Row::Skipped(skipped) => (skipped.id.clone(), None),
                })
                .collect();
            prop_assert_eq!(dialog.listed(), rows.len());
            prop_assert_eq!(rows, listed(&dialog, &plan));
            for group in Group::of(&dialog.request) {
                let size = match group {
                    Group::All => plan.items.len() + plan.skipped.len(),
                    Group::Skipped => plan.items.len() + plan.skipped.len() - kept.len(),
                    group => kept.iter().filter(|item| group.holds(item)).count(),
                };
                prop_assert_eq!(dialog.size(*group), size);
            }
            let lost: u32 = kept.iter().filter_map(|item| item.advice.dirty_files).sum();
            prop_assert_eq!(dialog.lost_files(), lost as usize);
        }
    }
}
