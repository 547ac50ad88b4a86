//! What a delete, a restore or a purge will do, computed before it does it (`spec/lifecycle.md` D2
//! to D5, R1, R2, R5).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ids::SessionId;
use super::rail::SectionKey;
use super::status::{Status, Zone};
use super::time::Timestamp;

/// Conditions that travel with a request and are tested again at both fences (D5).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// The section where the session must be shown.
    pub section: Option<SectionKey>,
    /// Pinned sessions are skipped.
    pub exclude_pinned: bool,
    /// One of these statuses, where not empty.
    pub statuses: Vec<Status>,
    /// Last activity longer ago than this.
    pub older_than: Option<Duration>,
}

impl Conditions {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What remains of them for a session whose runtime was closed for its plan: that has changed
    /// its status and its last activity, which it had satisfied before.
    fn once_closed(&self) -> Self {
        Self { statuses: Vec::new(), older_than: None, ..self.clone() }
    }

    /// Why `row` does not satisfy them; none where it does.
    pub fn refuse(&self, row: &PlanRow, now: Timestamp) -> Option<SkipReason> {
        if self.exclude_pinned && row.pinned {
            return Some(SkipReason::Pinned);
        }
        if self.section.as_ref().is_some_and(|section| *section != row.section) {
            return Some(SkipReason::OtherSection);
        }
        if !self.statuses.is_empty() && !self.statuses.contains(&row.status) {
            return Some(SkipReason::OtherStatus);
        }
        let young = |limit: Duration| now.since(row.last_activity_at) < limit;
        self.older_than.is_some_and(young).then_some(SkipReason::TooYoung)
    }
}

/// Why a session of a request is not part of its plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It is pinned.
    Pinned,
    /// A descendant is pinned.
    PinnedDescendant(SessionId),
    /// It is shown in another section now.
    OtherSection,
    /// It has another status now.
    OtherStatus,
    /// It was active too recently.
    TooYoung,
    /// It never existed or was purged.
    NotFound,
    /// It is in the trash already.
    InTrash,
    /// It is not in the trash, so it cannot be purged.
    NotInTrash,
    /// Its tree in the trash changed meanwhile.
    Changed,
    /// Its folder could not be moved into the trash yet.
    NotMoved,
    /// It did not end after KILL.
    DidNotEnd,
    /// The operator dropped it from the plan.
    Dropped,
    /// A descendant did not end, and it cannot go without it.
    DescendantDidNotEnd(SessionId),
    /// It cannot be brought back, in words.
    NotRestorable(String),
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pinned => f.write_str("pinned"),
            Self::PinnedDescendant(id) => write!(f, "pinned_descendant: {id}"),
            Self::OtherSection => f.write_str("other_section"),
            Self::OtherStatus => f.write_str("other_status"),
            Self::TooYoung => f.write_str("too_young"),
            Self::NotFound => f.write_str("not_found"),
            Self::InTrash => f.write_str("in_trash"),
            Self::NotInTrash => f.write_str("not_in_trash"),
            Self::Changed => f.write_str("changed"),
            Self::NotMoved => f.write_str("not_moved"),
            Self::DidNotEnd => f.write_str("did_not_end"),
            Self::Dropped => f.write_str("dropped"),
            Self::DescendantDidNotEnd(id) => write!(f, "descendant_did_not_end: {id}"),
            Self::NotRestorable(why) => f.write_str(why),
        }
    }
}

/// A session that a request named and that its plan leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Which.
    pub id: SessionId,
    /// Why.
    pub reason: SkipReason,
}

/// What the store tells of one session for a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// Its id.
    pub id: SessionId,
    /// The session that spawned it.
    pub parent: Option<SessionId>,
    /// Its title.
    pub title: String,
    /// Its agent.
    pub agent: String,
    /// Its status.
    pub status: Status,
    /// The section where it is shown.
    pub section: SectionKey,
    /// Whether it is shown in the pinned section.
    pub pinned: bool,
    /// Whether its runtime is believed to run.
    pub live: bool,
    /// Last activity, else creation.
    pub last_activity_at: Timestamp,
    /// Number of an open pull request.
    pub open_pr: Option<u64>,
}

/// Rows for a plan (D2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanRows {
    /// Requested sessions that exist, and all their descendants.
    pub rows: Vec<PlanRow>,
    /// The other requested ones.
    pub missing: Vec<Skipped>,
}

/// Advice about one session of a plan; unknown values are none and never a reason to plan again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// Files with uncommitted changes.
    pub dirty_files: Option<u32>,
    /// Commits that no remote has.
    pub unpushed_commits: Option<u32>,
    /// It has a worktree and git gave no answer about it: it may hold anything.
    pub unanswered: bool,
    /// How it would come back; none where that was not asked.
    pub back: Option<Back>,
}

/// How a session would come back (`spec/lifecycle.md` R1, R2, B1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Back {
    /// From the trash as it was.
    AsItWas,
    /// From the trash without its branch, and why.
    Detached(String),
    /// From the trash with a worktree that is made again: what was not committed is gone.
    MadeAgain(String),
    /// It ended and is launched again.
    Launched,
}

impl Back {
    /// What the operator should know.
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::AsItWas | Self::Launched => None,
            Self::Detached(why) | Self::MadeAgain(why) => Some(why),
        }
    }
}

/// One session of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanItem {
    /// What the store knows.
    pub row: PlanRow,
    /// The requested session above it that pulled it in; none where it was requested itself.
    pub pulled_in_by: Option<SessionId>,
    /// What git knows.
    pub advice: Advice,
}

impl PlanItem {
    /// The zone of its status.
    pub fn zone(&self) -> Zone {
        self.row.status.zone()
    }
}

/// What a verb on many sessions will do. Its identity is the ids of its items, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// What it will be done to, ascending by id.
    pub items: Vec<PlanItem>,
    /// What was named and will not be, ascending by id.
    pub skipped: Vec<Skipped>,
}

impl Plan {
    /// The identity of the plan.
    pub fn ids(&self) -> Vec<SessionId> {
        self.items.iter().map(|item| item.row.id.clone()).collect()
    }

    /// Whether nothing would be done.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Computes the plan of a request (D1, D2, D5).
///
/// `rows` holds every requested session that exists and all descendants; `missing` says for the
/// others whether they are in the trash. The runtimes of `closed` were closed for this plan.
pub fn plan(
    requested: &BTreeSet<SessionId>,
    rows: Vec<PlanRow>,
    missing: Vec<Skipped>,
    conditions: &Conditions,
    closed: &BTreeSet<SessionId>,
    now: Timestamp,
) -> Plan {
    let once_closed = conditions.once_closed();
    let rows: BTreeMap<SessionId, PlanRow> =
        rows.into_iter().map(|row| (row.id.clone(), row)).collect();
    let mut children: BTreeMap<&SessionId, Vec<&SessionId>> = BTreeMap::new();
    for row in rows.values() {
        if let Some(parent) = &row.parent {
            children.entry(parent).or_default().push(&row.id);
        }
    }
    let mut skipped = missing;
    let mut taken: BTreeMap<SessionId, Option<SessionId>> = BTreeMap::new();
    for id in requested {
        let Some(row) = rows.get(id) else { continue };
        let closure = closure(id, &children);
        let tested = if closed.contains(id) { &once_closed } else { conditions };
        let refusal = tested.refuse(row, now).or_else(|| {
            let pinned = closure.iter().find(|id| rows.get(*id).is_some_and(|row| row.pinned));
            pinned
                .filter(|_| conditions.exclude_pinned)
                .map(|id| SkipReason::PinnedDescendant(id.clone()))
        });
        if let Some(reason) = refusal {
            skipped.push(Skipped { id: id.clone(), reason });
            continue;
        }
        taken.insert(id.clone(), None);
        for descendant in closure {
            taken.entry(descendant).or_insert_with(|| Some(id.clone()));
        }
    }
    skipped.retain(|skip| !taken.contains_key(&skip.id));
    skipped.sort_by(|a, b| a.id.cmp(&b.id));
    let items = taken
        .into_iter()
        .filter_map(|(id, pulled_in_by)| {
            rows.get(&id).map(|row| PlanItem {
                row: row.clone(),
                pulled_in_by,
                advice: Advice::default(),
            })
        })
        .collect();
    Plan { items, skipped }
}

/// All descendants of `id`, without itself.
fn closure(id: &SessionId, children: &BTreeMap<&SessionId, Vec<&SessionId>>) -> Vec<SessionId> {
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        for child in children.get(next).into_iter().flatten() {
            found.push((*child).clone());
            open.push(child);
        }
    }
    found
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
