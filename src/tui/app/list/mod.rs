//! A window of sessions out of a section or the trash, with the selection held by id.

mod lines;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::domain::ids::SessionId;
use crate::domain::query::{Page, PageQuery};
use crate::domain::session::Session;
use crate::domain::time::Timestamp;

pub use self::lines::Line;
use super::marks::Marks;

/// Sessions asked for at once.
pub const WINDOW: usize = 200;
/// The window moves on when the selection is this near to its end.
const MARGIN: usize = 30;
/// Most sessions of a window: one that shows few of many is made larger until then.
const WIDEST: usize = 100_000;
/// Rows keep their order this long after a key or the last change of order (`spec/look.md` 7).
pub const CALM: Duration = Duration::from_secs(1);

/// What is to be selected when a page arrives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Wanted {
    /// What is selected now, else what takes its place.
    #[default]
    Same,
    /// This session.
    Id(SessionId),
    /// The first row.
    First,
    /// The last row.
    Last,
}

/// A window of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// What the window shows.
    pub query: PageQuery,
    /// The request that is awaited.
    pub ticket: Option<u64>,
    /// Sessions before the window.
    pub offset: usize,
    /// The sessions of the window, each root followed by its descendants.
    rows: Vec<Session>,
    /// Their lines, as they are folded.
    lines: Vec<Line>,
    /// Sessions that match in all.
    pub total: u64,
    /// What is shown is an answer, be it to the query before.
    pub loaded: bool,
    /// Since when the first page is awaited.
    pub asked_at: Timestamp,
    /// The selected session.
    pub selected: Option<SessionId>,
    /// The selected line.
    pub index: usize,
    /// The first line on view.
    pub top: usize,
    /// The text that filters it, as typed; empty for none.
    pub find: String,
    /// The marks.
    pub marks: Marks,
    /// Cells of the longest id so far; never shrinks while the query is the same.
    pub id_cells: u16,
    /// A session that no longer matches and stays until the selection moves.
    pub leaving: Option<SessionId>,
    /// No page arrived since the query was changed.
    fresh: bool,
    /// The window was made larger or smaller, and its page is awaited.
    resized: bool,
    wanted: Wanted,
    folded: BTreeSet<SessionId>,
    unfolded: BTreeSet<SessionId>,
    parked: Option<(usize, Page)>,
    reordered_at: Timestamp,
}

impl List {
    /// Begins to show something else, and answers the page to ask for. Until it comes, another order or
    /// filter of the same section shows what was there.
    pub fn begin(
        &mut self,
        query: PageQuery,
        ticket: u64,
        wanted: Wanted,
        now: Timestamp,
    ) -> PageQuery {
        let around = match &wanted {
            Wanted::Id(id) => Some(id.clone()),
            _ => None,
        };
        self.start(query, ticket, wanted, now);
        PageQuery { around, ..self.query.clone() }
    }

    fn start(&mut self, query: PageQuery, ticket: u64, wanted: Wanted, now: Timestamp) {
        if self.loaded && query.filter.section == self.query.filter.section {
            self.query = PageQuery { limit: WINDOW, ..query };
            (self.ticket, self.asked_at) = (Some(ticket), now);
            if let Wanted::Id(id) = &wanted {
                self.selected = Some(id.clone());
            }
            (self.wanted, self.fresh, self.parked) = (wanted, true, None);
            self.fold();
            return;
        }
        let (marks, find) = (std::mem::take(&mut self.marks), std::mem::take(&mut self.find));
        let selected = match &wanted {
            Wanted::Same => self.selected.take(),
            Wanted::Id(id) => Some(id.clone()),
            _ => None,
        };
        *self = Self {
            query: PageQuery { limit: WINDOW, ..query },
            ticket: Some(ticket),
            asked_at: now,
            selected,
            wanted,
            fresh: true,
            find,
            marks,
            ..Self::default()
        };
    }

    /// Asks for the window again, or for another part of the list.
    pub fn again(&mut self, ticket: u64, offset: usize, wanted: Wanted) -> PageQuery {
        let limit = if offset == self.offset { self.query.limit } else { WINDOW };
        if wanted != Wanted::Same {
            self.wanted = wanted;
        }
        self.resize(ticket, offset, limit)
    }

    /// Asks for a window of another place and size, with what is selected now.
    pub fn resize(&mut self, ticket: u64, offset: usize, limit: usize) -> PageQuery {
        self.ticket = Some(ticket);
        self.resized |= self.query.limit != limit;
        self.query.limit = limit;
        PageQuery { offset, cursor: None, ..self.query.clone() }
    }

    /// Takes in a page. While the operator is at the keys, rows get new values and keep their order.
    pub fn arrive(&mut self, ticket: u64, offset: usize, page: Page, now: Timestamp, calm: bool) {
        if self.ticket != Some(ticket) {
            return;
        }
        self.ticket = None;
        let settled = now.since(self.reordered_at) >= CALM && calm;
        let resized = std::mem::take(&mut self.resized);
        let same_window =
            !self.fresh && !resized && offset == self.offset && self.wanted == Wanted::Same;
        if !same_window || settled || same_order(&self.rows, &page.sessions) {
            self.take(offset, page, now);
            return;
        }
        let fresh: BTreeMap<&SessionId, &Session> =
            page.sessions.iter().map(|session| (&session.id, session)).collect();
        for row in &mut self.rows {
            if let Some(session) = fresh.get(&row.id) {
                row.clone_from(session);
            }
        }
        self.fold();
        self.parked = Some((offset, page));
    }

    /// Offset and size of the window that has the selection well inside it; none where it is good as
    /// it is. Where descendants that are not shown fill the window, it has to be larger.
    pub fn shift(&self) -> Option<(usize, usize)> {
        if self.ticket.is_some() {
            return None;
        }
        let row = self.lines.get(self.index)?.row;
        let more_after = self.offset + self.rows.len() < self.total as usize;
        let near_end = more_after && row + MARGIN >= self.rows.len();
        let near_start = self.offset > 0 && row < MARGIN;
        let offset = (self.offset + row).saturating_sub(WINDOW / 2);
        if (near_end || near_start) && offset != self.offset {
            return Some((offset, WINDOW));
        }
        let few_after = more_after && self.index + MARGIN >= self.lines.len() && !near_end;
        let few_before = self.offset > 0 && self.index < MARGIN && !near_start;
        let before = if few_before { self.offset.min(self.query.limit) } else { 0 };
        let limit = self.query.limit.saturating_mul(2).min(WIDEST);
        let larger = (few_after || few_before) && limit > self.query.limit;
        larger.then_some((self.offset - before, limit))
    }

    /// When a page that waits for calm can be shown.
    pub fn wake(&self, last_key: Timestamp) -> Option<Timestamp> {
        self.parked.as_ref().map(|_| self.reordered_at.max(last_key).plus(CALM))
    }

    /// Shows the page that waited for calm.
    pub fn settle(&mut self, last_key: Timestamp, now: Timestamp) {
        if self.wake(last_key).is_some_and(|at| at <= now)
            && let Some((offset, page)) = self.parked.take()
        {
            self.take(offset, page, now);
        }
    }

    fn take(&mut self, offset: usize, page: Page, now: Timestamp) {
        let on_screen = self.index.saturating_sub(self.top);
        if !same_order(&self.rows, &page.sessions) {
            self.reordered_at = now;
        }
        let old = std::mem::replace(&mut self.rows, page.sessions);
        self.offset = offset;
        self.total = page.total;
        self.parked = None;
        let longest = self.rows.iter().map(|row| row.id.as_str().len()).max().unwrap_or(0);
        self.id_cells = self.id_cells.max(longest.clamp(6, 14) as u16);
        self.keep_leaving(&old);
        self.fold();
        self.loaded = true;
        let first = std::mem::replace(&mut self.fresh, false);
        if let Wanted::Id(id) = self.wanted.clone() {
            self.unfold_to(&id);
        }
        match std::mem::take(&mut self.wanted) {
            Wanted::First => self.index = 0,
            Wanted::Last => self.index = self.lines.len().saturating_sub(1),
            Wanted::Same | Wanted::Id(_) => {
                let found = self.selected.as_ref().and_then(|id| self.line_of(id));
                self.index = found.unwrap_or(if first { 0 } else { self.index });
            }
        }
        self.select(self.index);
        self.top = if first { 0 } else { self.index.saturating_sub(on_screen) };
    }

    /// A selected session that left the filter stays where it was.
    fn keep_leaving(&mut self, old: &[Session]) {
        self.leaving = None;
        if !self.is_filtered() || self.fresh || self.wanted != Wanted::Same {
            return;
        }
        let Some(id) = self.selected.clone() else {
            return;
        };
        if self.rows.iter().any(|row| row.id == id) {
            return;
        }
        if let Some(at) = old.iter().position(|row| row.id == id) {
            self.rows.insert(at.min(self.rows.len()), old[at].clone());
            self.leaving = Some(id);
        }
    }

    /// Takes sessions away that are no longer of this list, also the one that would stay as leaving.
    pub fn drop_rows(&mut self, gone: &[SessionId]) {
        let kept = self.rows.len();
        self.rows.retain(|row| !gone.contains(&row.id));
        if self.rows.len() < kept {
            self.fold();
            self.leaving.take_if(|id| gone.contains(id));
            if self.selected.as_ref().is_some_and(|id| gone.contains(id)) {
                self.select(self.index);
            } else {
                self.follow();
            }
        }
    }

    /// Whether what is shown answers the question of now.
    pub fn is_answered(&self) -> bool {
        self.loaded && !self.fresh
    }

    /// Whether a filter beyond the section is in force.
    pub fn is_filtered(&self) -> bool {
        let filter = &self.query.filter;
        filter.text.is_some()
            || filter.project.is_some()
            || !filter.agents.is_empty()
            || !filter.statuses.is_empty()
            || !filter.zones.is_empty()
            || filter.older_than.is_some()
            || filter.younger_than.is_some()
            || filter.dirty.is_some()
            || filter.pr.is_some()
    }

    /// The session of a line.
    pub fn at(&self, line: usize) -> Option<&Session> {
        self.lines.get(line).and_then(|line| self.rows.get(line.row))
    }

    /// The line of a session that is in the window.
    fn line_of(&self, id: &SessionId) -> Option<usize> {
        self.lines.iter().position(|line| self.rows[line.row].id == *id)
    }

    /// The sessions of the window, each root followed by its descendants.
    pub fn rows(&self) -> &[Session] {
        &self.rows
    }

    /// Changes the sessions of the window.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Vec<Session>) -> T) -> T {
        let changed = change(&mut self.rows);
        self.fold();
        changed
    }

    /// The selected session.
    pub fn current(&self) -> Option<&Session> {
        let id = self.selected.as_ref()?;
        self.rows.iter().find(|row| row.id == *id)
    }

    /// Selects a line, clamped.
    pub fn select(&mut self, line: usize) {
        self.index = line.min(self.lines.len().saturating_sub(1));
        let before = self.selected.take();
        self.selected = self.at(self.index).map(|row| row.id.clone());
        if before != self.selected
            && let Some(id) = self.leaving.take()
        {
            self.change(|rows| rows.retain(|row| row.id != id));
            self.follow();
        }
    }

    /// Selects a session that is in the window; false where it is not.
    pub fn select_id(&mut self, id: &SessionId) -> bool {
        let found = self.line_of(id);
        if let Some(line) = found {
            self.select(line);
        }
        found.is_some()
    }

    /// Finds the line of the selected session again after lines came or went above it.
    fn follow(&mut self) {
        let found = self.selected.as_ref().and_then(|id| self.line_of(id));
        let last = self.lines.len().saturating_sub(1);
        self.index = found.unwrap_or_else(|| self.index.min(last));
    }

    /// Place of the selected session among all that match, from 1; 0 where none is selected.
    pub fn place(&self) -> usize {
        self.lines.get(self.index).map_or(0, |line| self.offset + line.row + 1)
    }

    /// Whether a line lies in the range that is being drawn.
    pub fn in_range(&self, line: usize) -> bool {
        self.range().is_some_and(|(from, to)| (from..=to).contains(&line))
    }

    /// First and last line of the range that is being drawn.
    pub fn range(&self) -> Option<(usize, usize)> {
        let anchor = self.marks.anchor.as_ref()?;
        let found = self.line_of(anchor)?;
        Some((found.min(self.index), found.max(self.index)))
    }

    /// Marks the range that is being drawn.
    pub fn end_range(&mut self) {
        let Some((from, to)) = self.range() else {
            return;
        };
        for line in &self.lines[from..=to] {
            let id = self.rows[line.row].id.clone();
            self.marks.set(&id, &self.query.filter, true);
        }
        self.marks.anchor = None;
    }

    /// Whether a row is marked.
    pub fn is_marked(&self, session: &Session) -> bool {
        self.marks.has(&session.id, &self.query.filter)
    }

    /// Keeps a line of `total` on view of `height` lines: the one that the selection is drawn on.
    pub fn scroll_into(&mut self, height: usize, line: usize, total: usize) {
        let height = height.max(1);
        self.top = self.top.min(line).max((line + 1).saturating_sub(height));
        self.top = self.top.min(total.saturating_sub(height));
    }
}

fn same_order(a: &[Session], b: &[Session]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.id == b.id)
}
