//! Hyperlinks (OSC 8) of a frame, beside its cells, which cannot carry them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Which cells of a frame belong to which target. Only targets that may be opened are in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    rows: BTreeMap<u16, BTreeMap<u16, Arc<str>>>,
}

impl Links {
    /// The cell in this column and row belongs to a target.
    pub fn put(&mut self, (x, y): (u16, u16), target: &Arc<str>) {
        self.rows.entry(y).or_default().insert(x, Arc::clone(target));
    }

    /// Something else is drawn there.
    pub fn remove(&mut self, (x, y): (u16, u16)) {
        if let Some(row) = self.rows.get_mut(&y) {
            row.remove(&x);
            if row.is_empty() {
                self.rows.remove(&y);
            }
        }
    }

    /// The target of a cell.
    pub fn at(&self, (x, y): (u16, u16)) -> Option<&Arc<str>> {
        self.rows.get(&y)?.get(&x)
    }

    /// Whether a row has the same ones here as there.
    pub fn same_row(&self, other: &Self, y: u16) -> bool {
        self.rows.get(&y) == other.rows.get(&y)
    }
}
