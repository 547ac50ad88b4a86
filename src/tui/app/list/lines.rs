//! The lines of a list: which of its sessions are shown, and how deep.

use crate::domain::ids::{BatchId, SessionId};
use crate::domain::session::Session;

use super::List;

/// Children shown of one session until it is expanded (`spec/store.md` P2).
const CHILDREN: usize = 20;

/// One line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Place of its session in [`List::rows`].
    pub row: usize,
    /// Sessions above it in its family that are on view.
    pub depth: usize,
    /// Descendants that are not shown.
    pub hidden: usize,
}

impl List {
    /// The lines: descendants of folded sessions are left out, and all but the first 20.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Makes the lines anew, once what they come from has changed.
    pub(super) fn fold(&mut self) {
        self.lines = self.folded();
    }

    fn folded(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::with_capacity(self.rows.len());
        // Ancestors of the row before: place of their line (none where hidden), and children so far.
        let mut above: Vec<(&SessionId, Option<usize>, usize)> = Vec::new();
        let mut headless = self.begins_in_a_family();
        for (row, session) in self.rows.iter().enumerate() {
            let parent = session.parent.as_ref().filter(|_| session.shown.root != session.id);
            while above.last().is_some_and(|(id, ..)| Some(*id) != parent) {
                above.pop();
            }
            let hidden_by = match above.last_mut() {
                None => {
                    headless &= parent.is_some();
                    headless.then_some(())
                }
                Some((id, line, children)) => {
                    *children += 1;
                    // A component of the trash is one row (`spec/look.md` section 8, Trash).
                    let folded = self.folded.contains(*id)
                        || (self.query.deleted && !self.unfolded.contains(*id))
                        || (*children > CHILDREN && !self.unfolded.contains(*id));
                    (folded || line.is_none()).then_some(())
                }
            };
            if hidden_by.is_some() {
                let shown = above.iter().rev().find_map(|(_, line, _)| *line);
                if let Some(line) = shown {
                    lines[line].hidden += 1;
                }
                above.push((&session.id, None, 0));
            } else {
                let depth = if parent.is_some() { above.len().max(1) } else { 0 };
                lines.push(Line { row, depth, hidden: 0 });
                above.push((&session.id, Some(lines.len() - 1), 0));
            }
        }
        lines
    }

    /// Whether the window begins among descendants whose head is before it. Without that one they
    /// are not shown: it may have more than are shown of it.
    fn begins_in_a_family(&self) -> bool {
        let whole = !self.query.deleted && !self.is_filtered();
        let heads = |row: &Session| row.shown.root == row.id;
        self.offset > 0 && whole && self.rows.iter().any(heads)
    }

    /// Hides the descendants of the selected session; false where there are none to hide.
    pub fn collapse(&mut self) -> bool {
        let Some(id) = self.selected.clone() else {
            return false;
        };
        let child = |row: &Session| row.parent.as_ref() == Some(&id) && row.shown.root != row.id;
        let hidden = self.lines.get(self.index).is_some_and(|line| line.hidden > 0);
        if self.folded.contains(&id) || hidden || !self.rows.iter().any(child) {
            return false;
        }
        self.unfolded.remove(&id);
        self.folded.insert(id);
        self.fold();
        true
    }

    /// Shows the descendants of the selected session; false where none is hidden.
    pub fn expand(&mut self) -> bool {
        let hidden = self.lines.get(self.index).is_some_and(|line| line.hidden > 0);
        if let Some(id) = self.selected.clone().filter(|_| hidden) {
            self.folded.remove(&id);
            self.unfolded.insert(id);
            self.fold();
        }
        hidden
    }

    /// Shows a session that is hidden below others.
    pub(super) fn unfold_to(&mut self, id: &SessionId) {
        if self.line_of(id).is_some() {
            return;
        }
        let parent_of = |id: &SessionId| self.rows.iter().find(|row| row.id == *id)?.parent.clone();
        let above: Vec<_> = std::iter::successors(parent_of(id), parent_of).collect();
        for id in above {
            self.folded.remove(&id);
            self.unfolded.insert(id);
        }
        self.fold();
    }

    /// Batches of the window in the trash: first line of each, with its size in the window.
    pub fn batches(&self) -> Vec<(usize, BatchId, usize)> {
        let mut found: Vec<(usize, BatchId, usize)> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let Some(deletion) = &self.rows[line.row].deletion else {
                continue;
            };
            let size = 1 + line.hidden;
            match found.last_mut() {
                Some((_, batch, sessions)) if *batch == deletion.batch => *sessions += size,
                _ => found.push((at, deletion.batch.clone(), size)),
            }
        }
        found
    }
}
