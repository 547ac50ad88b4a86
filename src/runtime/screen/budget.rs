//! A bound on what cells hold beside their character: combining marks and hyperlinks.
//!
//! The engine has room for 65,535 of them. Once that is full of what is in use it walks the whole
//! history for each new one, and targets of links alone could take 140 MiB.

use rio_vt::crosswords::grid::Grid;
use rio_vt::crosswords::square::Square;

use super::core::Core;

/// Most bytes of hyperlinks that are kept, in identifiers and targets.
pub(super) const LINK_BYTES: usize = 4 * 1024 * 1024;
/// Looking for what is no longer in use walks the history: once for so many that found no room.
const TURNED_AWAY: usize = 4096;

/// What is known of the room that is left.
#[derive(Debug, Default)]
pub(super) struct Budget {
    link_bytes: usize,
    turned_away: usize,
}

impl Core {
    /// Whether a cell may get another mark or link, the latter of so many bytes.
    pub(super) fn has_room(&mut self, link_bytes: usize) -> bool {
        if self.is_full(link_bytes) {
            if self.budget.turned_away.is_multiple_of(TURNED_AWAY) {
                self.reclaim();
            }
            self.budget.turned_away += 1;
            if self.is_full(link_bytes) {
                return false;
            }
        }
        self.budget.link_bytes += link_bytes;
        true
    }

    fn is_full(&self, link_bytes: usize) -> bool {
        self.term.grid.extras_table.under_pressure()
            || self.budget.link_bytes + link_bytes > LINK_BYTES
    }

    fn reclaim(&mut self) {
        self.term.grid.reclaim_extras();
        let grids = self.primary.iter().chain([&self.term.grid]);
        self.budget.link_bytes = grids.map(link_bytes).sum();
    }
}

/// Bytes of the hyperlinks that a grid holds.
pub(super) fn link_bytes(grid: &Grid<Square>) -> usize {
    (1..=u16::MAX)
        .filter_map(|id| grid.extras_table.get(id)?.hyperlink.as_ref())
        .map(|link| link.id().len() + link.uri().len())
        .sum()
}
