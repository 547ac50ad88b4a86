//! Where sessions are shown (P2), and how many in each section (P3). Kept by the transaction that
//! changes them; the rule itself is `domain::rail::shown`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{OptionalExtension, params};

use crate::domain::ids::SessionId;
use crate::domain::rail::{self, Placement, SectionKey, SectionKind, Shown};

use super::Scope;
use super::columns::{Columns, id_list, path_text};
use super::error::Outcome;

/// The columns by which a session is shown, those of its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) id: SessionId,
    pub(super) zone: i64,
    pub(super) sort: i64,
    pub(super) pin: Option<i64>,
}

/// A session as the rule sees it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) id: SessionId,
    pub(super) parent: Option<SessionId>,
    pub(super) section: i64,
    pub(super) pinned_at: Option<i64>,
    pub(super) zone: i64,
    pub(super) sorted_at: i64,
}

/// How a member is shown, under a parent that is shown as `parent` says.
pub(super) fn head_of(
    member: &Member,
    placement: &Placement,
    parent: Option<(&Head, &Placement)>,
) -> Head {
    let parent_shown = parent.map(|(head, placement)| {
        let section = if head.pin.is_some() { SectionKey::pinned() } else { placement.key() };
        (Shown { section, root: head.id.clone() }, placement.key())
    });
    let pinned = member.pinned_at.is_some();
    let above = parent_shown.as_ref().map(|(shown, key)| (shown, key));
    let shown = rail::shown(&member.id, placement, pinned, above);
    match parent {
        Some((head, _)) if shown.root != member.id => head.clone(),
        _ => Head {
            id: member.id.clone(),
            zone: member.zone,
            sort: -member.sorted_at,
            pin: member.pinned_at.map(|at| -at),
        },
    }
}

/// The number of a section, made where it is new.
pub(super) fn section(scope: &Scope<'_>, placement: &Placement) -> Outcome<i64> {
    let path = placement.project_path().map(path_text).transpose()?;
    ensure(scope, &placement.key(), path)
}

/// The number of the pinned section, made where it is new.
pub(super) fn pinned_section(scope: &Scope<'_>) -> Outcome<i64> {
    ensure(scope, &SectionKey::pinned(), None)
}

fn ensure(scope: &Scope<'_>, key: &SectionKey, path: Option<&str>) -> Outcome<i64> {
    if let Some(section) = find_section(scope, key)? {
        return Ok(section);
    }
    scope
        .conn
        .prepare_cached(
            "INSERT INTO sections (workspace, key, kind, path) VALUES (?1, ?2, ?3, ?4)
             RETURNING section",
        )?
        .query_row(params![scope.workspace, key.as_str(), key.kind().as_str(), path], |row| {
            row.get(0)
        })
        .map_err(Into::into)
}

/// The number of a section.
pub(super) fn find_section(scope: &Scope<'_>, key: &SectionKey) -> Outcome<Option<i64>> {
    scope
        .conn
        .prepare_cached("SELECT section FROM sections WHERE workspace = ?1 AND key = ?2")?
        .query_row(params![scope.workspace, key.as_str()], |row| row.get(0))
        .optional()
        .map_err(Into::into)
}

/// The placement that a section's number stands for.
pub(super) fn placement(scope: &Scope<'_>, section: i64) -> Outcome<Placement> {
    scope
        .conn
        .prepare_cached("SELECT kind, path FROM sections WHERE section = ?1")?
        .query_row([section], |row| {
            let mut columns = Columns::of(row);
            let (kind, path) = (columns.word::<SectionKind>()?, columns.path_or_none()?);
            Ok(match (kind, path) {
                (SectionKind::Project, Some(path)) => Placement::in_project(path),
                _ => Placement::conversations(),
            })
        })
        .map_err(Into::into)
}

/// Changes of the totals, gathered and then written in one go.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// Section to sessions shown and sessions that belong to it.
    changes: HashMap<i64, (i64, i64)>,
    /// Sessions shown in the pinned section.
    pinned: i64,
}

impl Totals {
    /// `n` sessions of `section` come (or go, where negative), shown there or under a pin.
    pub(super) fn add(&mut self, section: i64, pinned: bool, n: i64) {
        self.changes.entry(section).or_default().1 += n;
        self.show(section, pinned, n);
    }

    /// `n` sessions that belong to `section` are shown (or no longer shown) there or under a pin.
    fn show(&mut self, section: i64, pinned: bool, n: i64) {
        if pinned {
            self.pinned += n;
        } else {
            self.changes.entry(section).or_default().0 += n;
        }
    }

    /// Writes them.
    pub(super) fn apply(self, scope: &Scope<'_>) -> Outcome<()> {
        let mut changes = self.changes;
        if self.pinned != 0 {
            changes.entry(pinned_section(scope)?).or_default().0 += self.pinned;
        }
        let mut statement = scope.conn.prepare_cached(
            "UPDATE sections SET total = total + ?2, placed = placed + ?3 WHERE section = ?1",
        )?;
        for (section, (shown, placed)) in changes.into_iter().filter(|(_, n)| *n != (0, 0)) {
            statement.execute(params![section, shown, placed])?;
        }
        Ok(())
    }
}

/// The member columns and head columns of a session that is not deleted.
pub(super) fn member(scope: &Scope<'_>, id: &SessionId) -> Outcome<Option<(Member, Head)>> {
    scope
        .conn
        .prepare_cached(
            "SELECT id, parent, section, pinned_at, zone, sorted_at,
                    head, head_zone, head_sort, head_pin
             FROM sessions WHERE workspace = ?1 AND id = ?2 AND deleted_at IS NULL",
        )?
        .query_row(params![scope.workspace, id.as_str()], |row| read(&mut Columns::of(row)))
        .optional()
        .map_err(Into::into)
}

fn read(columns: &mut Columns<'_, '_>) -> rusqlite::Result<(Member, Head)> {
    let member = Member {
        id: columns.word()?,
        parent: columns.word_or_none()?,
        section: columns.get()?,
        pinned_at: columns.get()?,
        zone: columns.get()?,
        sorted_at: columns.get()?,
    };
    let head = Head {
        id: columns.word()?,
        zone: columns.get()?,
        sort: columns.get()?,
        pin: columns.get()?,
    };
    Ok((member, head))
}

/// Shows `tops` and everything below them where they belong now, and corrects the totals.
pub(super) fn reshow(scope: &Scope<'_>, tops: &[SessionId]) -> Outcome<()> {
    let mut heads: HashMap<SessionId, (Head, i64)> = HashMap::new();
    let mut placements: HashMap<i64, Placement> = HashMap::new();
    let mut totals = Totals::default();
    for (member, old) in trees(scope, tops)? {
        if let Some(parent) = member.parent.as_ref().filter(|parent| !heads.contains_key(*parent))
            && let Some((above, head)) = self::member(scope, parent)?
        {
            heads.insert(parent.clone(), (head, above.section));
        }
        let above = member.parent.as_ref().and_then(|parent| heads.get(parent));
        for section in above.map(|(_, section)| *section).into_iter().chain([member.section]) {
            if let Entry::Vacant(entry) = placements.entry(section) {
                entry.insert(placement(scope, section)?);
            }
        }
        let parent = above.and_then(|(head, section)| Some((head, placements.get(section)?)));
        let Some(own) = placements.get(&member.section) else {
            continue;
        };
        let new = head_of(&member, own, parent);
        if new != old {
            totals.show(member.section, old.pin.is_some(), -1);
            totals.show(member.section, new.pin.is_some(), 1);
            set_head(scope, &member.id, &new)?;
        }
        heads.insert(member.id, (new, member.section));
    }
    totals.apply(scope)
}

fn set_head(scope: &Scope<'_>, id: &SessionId, head: &Head) -> Outcome<()> {
    scope
        .conn
        .prepare_cached(
            "UPDATE sessions SET head = ?3, head_zone = ?4, head_sort = ?5, head_pin = ?6
             WHERE workspace = ?1 AND id = ?2",
        )?
        .execute(params![
            scope.workspace,
            id.as_str(),
            head.id.as_str(),
            head.zone,
            head.sort,
            head.pin
        ])?;
    Ok(())
}

/// The sessions in the list `?2` and everything below them, parents before children.
pub(super) const TREES: &str = "WITH RECURSIVE tree (id, depth) AS (
       SELECT value, 0 FROM json_each(?2)
       UNION
       SELECT s.id, depth + 1 FROM tree CROSS JOIN sessions s INDEXED BY sessions_children
         ON s.workspace = ?1 AND s.parent = tree.id AND s.deleted_at IS NULL
     )
     SELECT s.id, s.parent, s.section, s.pinned_at, s.zone, s.sorted_at,
            s.head, s.head_zone, s.head_sort, s.head_pin
     FROM (SELECT id, max(depth) AS depth FROM tree GROUP BY id) t
     CROSS JOIN sessions s INDEXED BY sessions_id
       ON s.workspace = ?1 AND s.id = t.id AND s.deleted_at IS NULL
     ORDER BY t.depth";

/// `tops` and everything below them that is not deleted, parents before children.
fn trees(scope: &Scope<'_>, tops: &[SessionId]) -> Outcome<Vec<(Member, Head)>> {
    let mut statement = scope.conn.prepare_cached(TREES)?;
    let rows = statement
        .query_map(params![scope.workspace, id_list(tops)], |row| read(&mut Columns::of(row)))?;
    rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
}
