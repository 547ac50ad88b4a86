//! The trash: what goes in and comes back, and what a purge sees of it (`spec/lifecycle.md` D7, R1, R5).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use super::ids::SessionId;
use super::plan::SkipReason;
use super::session::Session;
use super::time::Timestamp;

/// One tombstone to write (D7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TombstoneRow {
    /// Which session.
    pub id: SessionId,
    /// Its runtime ran when the operation began.
    pub was_live: bool,
    /// Its runtime was closed for this delete: status and age are not tested again (D5).
    pub closed: bool,
    /// Where its worktree will be moved.
    pub trash_path: Option<PathBuf>,
}

/// What the one transaction of a delete answers (D4, D7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tombstoned {
    /// Committed; so many messages went along.
    Done {
        /// Messages that went along.
        messages: u64,
    },
    /// The closure is not the expected one but this, ascending; nothing was changed.
    PlanChanged(Vec<SessionId>),
}

/// One row to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untombstone {
    /// Which session.
    pub id: SessionId,
    /// Its folder, where that changed.
    pub folder: Option<PathBuf>,
}

/// What the transaction of a purge did (R5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgedRows {
    /// Gone, tree by tree.
    pub gone: Vec<SessionId>,
    /// Those whose tree was not as expected; all of it stays.
    pub changed: Vec<SessionId>,
    /// Messages that went along.
    pub messages: u64,
}

/// A tombstone, as far as choosing what to purge needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Its id.
    pub id: SessionId,
    /// The session that spawned it.
    pub parent: Option<SessionId>,
    /// When it was deleted.
    pub deleted_at: Timestamp,
    /// Whether it was shown in the pinned section.
    pub pinned: bool,
}

/// What belongs to a tree by its id and its parent's.
pub trait Member {
    /// Its id.
    fn id(&self) -> &SessionId;
    /// The session that spawned it.
    fn parent(&self) -> Option<&SessionId>;
}

impl Member for Tombstone {
    fn id(&self) -> &SessionId {
        &self.id
    }
    fn parent(&self) -> Option<&SessionId> {
        self.parent.as_ref()
    }
}

impl Member for Session {
    fn id(&self) -> &SessionId {
        &self.id
    }
    fn parent(&self) -> Option<&SessionId> {
        self.parent.as_ref()
    }
}

/// Rows by the trees that they form: each topmost one with what hangs below it, ascending.
pub fn trees<T: Member>(rows: Vec<T>) -> Vec<Vec<T>> {
    let mut rows: BTreeMap<SessionId, T> =
        rows.into_iter().map(|row| (row.id().clone(), row)).collect();
    let top = |id: &SessionId| {
        let mut top = id;
        while let Some(parent) = rows.get(top).and_then(Member::parent) {
            if !rows.contains_key(parent) {
                break;
            }
            top = parent;
        }
        top.clone()
    };
    let tops: Vec<(SessionId, SessionId)> = rows.keys().map(|id| (top(id), id.clone())).collect();
    let mut trees: BTreeMap<SessionId, Vec<T>> = BTreeMap::new();
    for (top, id) in tops {
        trees.entry(top).or_default().extend(rows.remove(&id));
    }
    trees.into_values().collect()
}

/// What is to be purged. A tree goes whole or stays whole (R5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgeChoice {
    /// Trees with one of these; none means every tree.
    pub ids: Option<BTreeSet<SessionId>>,
    /// Only trees all of which were deleted longer ago than this.
    pub older_than: Option<Duration>,
    /// Only trees without a pinned session.
    pub exclude_pinned: bool,
}

impl PurgeChoice {
    /// Whether a tree was asked for.
    pub fn names(&self, tree: &[Tombstone]) -> bool {
        self.ids.as_ref().is_none_or(|ids| tree.iter().any(|row| ids.contains(&row.id)))
    }

    /// Why a tree stays; none where it goes.
    pub fn refuse(&self, tree: &[Tombstone], now: Timestamp) -> Option<SkipReason> {
        if self.exclude_pinned && tree.iter().any(|row| row.pinned) {
            return Some(SkipReason::Pinned);
        }
        let young = |limit| tree.iter().any(|row| now.since(row.deleted_at) < limit);
        self.older_than.is_some_and(young).then_some(SkipReason::TooYoung)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, parent: Option<&str>, deleted_at: i64) -> Tombstone {
        let id_of = |text| SessionId::new(text).unwrap();
        Tombstone {
            id: id_of(id),
            parent: parent.map(id_of),
            deleted_at: Timestamp(deleted_at),
            pinned: false,
        }
    }

    #[test]
    fn a_tree_is_its_topmost_tombstone_and_all_below_it_r1() {
        let rows = vec![
            row("c", Some("b"), 0),
            row("a", Some("alive"), 0),
            row("b", Some("a"), 0),
            row("z", None, 0),
        ];
        let names: Vec<Vec<String>> = trees(rows)
            .iter()
            .map(|tree| tree.iter().map(|row| row.id.to_string()).collect())
            .collect();
        assert_eq!(names, [vec!["a", "b", "c"], vec!["z"]]);
    }

    #[test]
    fn the_youngest_of_a_tree_decides_its_age_r5() {
        let tree = [row("a", None, 9_000), row("b", Some("a"), 1_000)];
        let choice =
            PurgeChoice { older_than: Some(Duration::from_secs(5)), ..PurgeChoice::default() };
        assert_eq!(choice.refuse(&tree, Timestamp(10_000)), Some(SkipReason::TooYoung));
        assert_eq!(choice.refuse(&tree, Timestamp(14_000)), None);
        assert!(choice.names(&tree));
        let other = PurgeChoice { ids: Some(BTreeSet::new()), ..PurgeChoice::default() };
        assert!(!other.names(&tree));
    }
}
