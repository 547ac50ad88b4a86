//! Pages of sessions, read from one index each (`spec/store.md` P2, P4, P5; `spec/lifecycle.md` R4).

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use crate::domain::ids::SessionId;
use crate::domain::query::{Filter, Order, Page, PageQuery};
use crate::domain::rail::{SectionKey, SectionKind};

use super::columns::Columns;
use super::error::Outcome;
use super::filter::Narrowing;
use super::{Scope, Store, StoreError, find, projects, sessions, shown};

/// Most sessions that one page holds.
const LIMIT: usize = 100_000;

impl Store {
    /// A page of sessions: flat, each root followed by its descendants. Without a section, project
    /// or ids those of unregistered projects are left out, unless they are pinned.
    ///
    /// # Errors
    /// There is no such project, the cursor belongs to another query, or the database cannot be
    /// read.
    pub async fn page(&self, query: &PageQuery) -> Result<Page, StoreError> {
        let query = query.clone();
        self.read("read a page of sessions", move |scope| page(scope, &query)).await
    }

    /// Ids of every session that a query lets through, whatever its limit and offset, in no order.
    ///
    /// # Errors
    /// There is no such project, or the database cannot be read.
    pub async fn matching(&self, query: &PageQuery) -> Result<Vec<SessionId>, StoreError> {
        let query = query.clone();
        self.read("look for sessions", move |scope| matching(scope, &query)).await
    }
}

fn matching(scope: &Scope<'_>, query: &PageQuery) -> Outcome<Vec<SessionId>> {
    let Some(rows) = Rows::of(scope, query)? else {
        return Ok(Vec::new());
    };
    if let (Order::Found, Some(text)) = (query.order, &query.filter.text) {
        let found = find::all(scope, text, &rows.narrowing)?;
        let mut id = scope.conn.prepare_cached("SELECT id FROM sessions WHERE rid = ?1")?;
        let ids = found.iter().map(|rid| id.query_row([rid], |row| Columns::of(row).word()));
        return ids.collect::<rusqlite::Result<_>>().map_err(Into::into);
    }
    let sql = format!("SELECT s.id {}", rows.narrowing.source());
    let mut statement = scope.conn.prepare_cached(&sql)?;
    let ids = statement
        .query_map(params_from_iter(&rows.narrowing.parameters), |row| Columns::of(row).word())?;
    ids.collect::<rusqlite::Result<_>>().map_err(Into::into)
}

fn page(scope: &Scope<'_>, query: &PageQuery) -> Outcome<Page> {
    let Some(rows) = Rows::of(scope, query)? else {
        return Ok(Page::default());
    };
    if let (Order::Found, Some(text)) = (query.order, &query.filter.text) {
        let query = PageQuery { limit: query.limit.min(LIMIT), ..query.clone() };
        return find::page(scope, &query, text, &rows.narrowing);
    }
    let limit = query.limit.min(LIMIT);
    let total = rows.total(scope)?;
    let offset = match &query.around {
        Some(id) => rows.place_of(scope, id)?.map_or(0, |place| place.saturating_sub(limit / 2)),
        None => query.offset,
    };
    let query = PageQuery { offset, ..query.clone() };
    let mut keys = rows.keys(scope, &query, limit + 1, total)?;
    let more = keys.len() > limit;
    keys.truncate(limit);
    Ok(Page {
        sessions: sessions::by_number(scope, keys.iter().map(|key| key.rid))?,
        total,
        offset,
        next_cursor: keys.last().filter(|_| more).map(|key| rows.cursor(key)),
        snippets: Vec::new(),
    })
}

/// Where the rows of a query are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Trash,
    Pinned,
    /// Shown in a section that is not the pinned one.
    Section(i64),
    /// Belonging to a project, wherever shown.
    Project(i64),
    Workspace,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    After,
    FromStart,
    FromEnd,
}

/// A row's place in the order: its number, and the values of the order's columns.
struct Key {
    rid: i64,
    values: Vec<Value>,
}

/// The rows of a query and their order, as SQL.
#[derive(Debug)]
pub(super) struct Rows {
    place: Place,
    narrowing: Narrowing,
    /// Marks the cursors of this order.
    tag: &'static str,
    /// Columns of the order, all ascending.
    order: &'static [&'static str],
    /// Nothing but the place narrows the rows.
    whole: bool,
}

impl Rows {
    /// None where nothing can match.
    pub(super) fn of(scope: &Scope<'_>, query: &PageQuery) -> Outcome<Option<Self>> {
        let filter = &query.filter;
        let section = match &filter.section {
            Some(key) if key.kind() != SectionKind::Pinned => {
                let Some(section) = shown::find_section(scope, key)? else {
                    return Ok(None);
                };
                Some(section)
            }
            _ => None,
        };
        let project = match &filter.project {
            Some(name) => Some(projects::section_of(scope, name)?),
            None => None,
        };
        let pinned = filter.section == Some(SectionKey::pinned());
        let place = match (section, project) {
            _ if query.deleted => Place::Trash,
            _ if pinned => Place::Pinned,
            (Some(section), _) => Place::Section(section),
            (None, Some(project)) => Place::Project(project),
            (None, None) => Place::Workspace,
        };
        let (tag, order) = order_of(place, query.order);
        let whole = place != Place::Trash
            && !(filter.section.is_some() && filter.project.is_some())
            && Filter { section: None, project: None, ..filter.clone() } == Filter::default();
        let narrowing = narrow(scope, query, place, section, project)?;
        Ok(Some(Self { place, narrowing, tag, order, whole }))
    }

    /// The rows, from FROM on, and the values of its question marks.
    pub(super) fn source(&self) -> (String, &[Value]) {
        (self.narrowing.source(), &self.narrowing.parameters)
    }

    /// The statement that finds the rows of a page.
    fn sql(&self, part: Part) -> String {
        let columns = self.order.join(", ");
        let source = self.narrowing.source();
        let (after, order) = match part {
            Part::After => {
                let places = vec!["?"; self.order.len()].join(", ");
                (format!("AND ({columns}) > ({places})"), columns.clone())
            }
            Part::FromStart => (String::new(), columns.clone()),
            Part::FromEnd => (String::new(), format!("{} DESC", self.order.join(" DESC, "))),
        };
        format!("SELECT s.rid, {columns} {source} {after} ORDER BY {order} LIMIT ? OFFSET ?")
    }

    /// The rows of a page, at most `limit`. An offset is counted from the nearer end (P4).
    fn keys(
        &self,
        scope: &Scope<'_>,
        query: &PageQuery,
        limit: usize,
        total: u64,
    ) -> Outcome<Vec<Key>> {
        let mut parameters = self.narrowing.parameters.clone();
        let rest = (total as usize).saturating_sub(query.offset);
        let (part, limit, offset) = if let Some(cursor) = &query.cursor {
            parameters.extend(self.parse(cursor)?);
            (Part::After, limit, 0)
        } else if rest < query.offset {
            (Part::FromEnd, limit.min(rest), rest.saturating_sub(limit))
        } else {
            (Part::FromStart, limit, query.offset)
        };
        let number = |n: usize| Value::from(i64::try_from(n).unwrap_or(i64::MAX));
        parameters.extend([number(limit), number(offset)]);
        let mut statement = scope.conn.prepare_cached(&self.sql(part))?;
        let rows = statement.query_map(params_from_iter(parameters), |row| {
            let values = (1..=self.order.len()).map(|at| row.get(at));
            Ok(Key { rid: row.get(0)?, values: values.collect::<rusqlite::Result<_>>()? })
        })?;
        let mut keys = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        if part == Part::FromEnd {
            keys.reverse();
        }
        Ok(keys)
    }

    /// How many rows stand before this session; none where it is not among them.
    fn place_of(&self, scope: &Scope<'_>, id: &SessionId) -> Outcome<Option<usize>> {
        let (columns, source) = (self.order.join(", "), self.narrowing.source());
        let mut parameters = self.narrowing.parameters.clone();
        parameters.push(Value::from(id.as_str().to_owned()));
        let key: Option<Vec<Value>> = scope
            .conn
            .prepare_cached(&format!("SELECT {columns} {source} AND s.id = ?"))?
            .query_row(params_from_iter(&parameters), |row| {
                (0..self.order.len()).map(|at| row.get(at)).collect()
            })
            .optional()?;
        let Some(key) = key else {
            return Ok(None);
        };
        parameters.pop();
        parameters.extend(key);
        let places = vec!["?"; self.order.len()].join(", ");
        let before: i64 = scope
            .conn
            .prepare_cached(&format!("SELECT count(*) {source} AND ({columns}) < ({places})"))?
            .query_row(params_from_iter(&parameters), |row| row.get(0))?;
        Ok(Some(before.unsigned_abs() as usize))
    }

    /// How many rows there are in all; kept for whole places (P3), else counted.
    fn total(&self, scope: &Scope<'_>) -> Outcome<u64> {
        let kept = |sql: &str, parameter: &dyn rusqlite::ToSql| {
            scope.conn.prepare_cached(sql)?.query_row([parameter], |row| row.get::<_, i64>(0))
        };
        let total = match self.place {
            Place::Section(section) if self.whole => {
                kept("SELECT total FROM sections WHERE section = ?1", &section)?
            }
            Place::Project(section) if self.whole => {
                kept("SELECT placed FROM sections WHERE section = ?1", &section)?
            }
            Place::Pinned if self.whole => kept(
                "SELECT coalesce(sum(total), 0) FROM sections WHERE workspace = ?1 AND key = 'pinned'",
                &scope.workspace,
            )?,
            Place::Workspace if self.whole => kept(
                "SELECT coalesce(sum(total), 0) FROM sections
                 WHERE workspace = ?1 AND section NOT IN
                   (SELECT section FROM projects WHERE removed_at IS NOT NULL)",
                &scope.workspace,
            )?,
            _ => scope
                .conn
                .prepare_cached(&format!("SELECT count(*) {}", self.narrowing.source()))?
                .query_row(params_from_iter(&self.narrowing.parameters), |row| row.get(0))?,
        };
        Ok(total.unsigned_abs())
    }

    fn cursor(&self, key: &Key) -> String {
        let mut cursor = self.tag.to_owned();
        for value in &key.values {
            cursor.push(':');
            match value {
                Value::Integer(number) => cursor.push_str(&number.to_string()),
                Value::Text(text) => cursor.push_str(text),
                _ => {}
            }
        }
        cursor
    }

    fn parse(&self, cursor: &str) -> Result<Vec<Value>, StoreError> {
        let mut parts = cursor.split(':');
        let known = parts.next() == Some(self.tag);
        let values: Option<Vec<Value>> = self
            .order
            .iter()
            .map(|column| {
                let part = parts.next()?;
                if matches!(*column, "s.id" | "s.head") {
                    return Some(Value::from(part.to_owned()));
                }
                part.parse::<i64>().ok().map(Value::from)
            })
            .collect();
        values
            .filter(|_| known && parts.next().is_none())
            .ok_or_else(|| StoreError::Cursor { cursor: cursor.chars().take(80).collect() })
    }
}

/// The conditions of a query: its place, then its filters.
fn narrow(
    scope: &Scope<'_>,
    query: &PageQuery,
    place: Place,
    section: Option<i64>,
    project: Option<i64>,
) -> Outcome<Narrowing> {
    let filter = &query.filter;
    let mut rows = Narrowing::for_filter(filter, query.deleted);
    let deleted = if query.deleted { "NOT NULL" } else { "NULL" };
    rows.add(format!("s.deleted_at IS {deleted}"));
    // A section's number says its workspace; naming both would invite the wrong index.
    if rows.index.is_some() || !matches!(place, Place::Section(_) | Place::Project(_)) {
        rows.with("s.workspace = ?", scope.workspace.to_owned());
    }
    if let Some(section) = section {
        rows.with("s.section = ?", section);
        rows.add("s.head_pin IS NULL");
    }
    if let Some(project) = project {
        rows.with("s.section = ?", project);
    }
    if filter.section == Some(SectionKey::pinned()) {
        rows.add("s.head_pin IS NOT NULL");
    }
    if place == Place::Workspace
        && filter.ids.is_empty()
        && let hidden = hidden(scope)?
        && !hidden.is_empty()
    {
        rows.add(format!(
            "(s.head_pin IS NOT NULL OR s.section NOT IN ({}))",
            hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        ));
    }
    rows.filter(filter, query.deleted, scope.now);
    if let Some(text) = filter.text.as_ref().filter(|_| query.order != Order::Found) {
        let found = find::all(scope, text, &rows)?;
        rows.text(text, &found);
    }
    Ok(rows)
}

/// The columns that order the rows of a place, and the mark of their cursors.
fn order_of(place: Place, order: Order) -> (&'static str, &'static [&'static str]) {
    match (place, order) {
        (Place::Trash, _) => ("t", &["s.deleted_key", "s.id"]),
        (Place::Pinned, Order::Recent | Order::Found) => {
            ("p", &["s.head_pin", "s.head", "s.own_key", "s.id"])
        }
        (Place::Pinned, Order::Zone) => {
            ("q", &["s.head_zone", "s.head_pin", "s.head", "s.own_key", "s.id"])
        }
        (_, Order::Recent | Order::Found) => ("r", &["s.head_sort", "s.head", "s.own_key", "s.id"]),
        (_, Order::Zone) => ("z", &["s.head_zone", "s.head_sort", "s.head", "s.own_key", "s.id"]),
    }
}

/// Sections of projects that were unregistered.
fn hidden(scope: &Scope<'_>) -> Outcome<Vec<i64>> {
    scope
        .conn
        .prepare_cached(
            "SELECT section FROM projects WHERE workspace = ?1 AND removed_at IS NOT NULL",
        )?
        .query_map([scope.workspace], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()
        .map_err(Into::into)
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
