//! A bound on what cells hold beside their character: combining marks and hyperlinks.
//!
//! The engine has room for 65,535 of them. Once that is full of what is in use it walks the whole
//! history for each new one, and targets of links alone could take 140 MiB.

use rio_vt::crosswords::grid::Grid;
use rio_vt::crosswords::square::{Extras, Square};

use super::core::Core;

/// Most bytes of hyperlinks that are kept, in identifiers and targets.
pub(super) const LINK_BYTES: usize = 4 * 1024 * 1024;
/// Looking for what is no longer in use walks the history: while most of the room is in use, once for so
/// many that found none.
const TURNED_AWAY: usize = 4096;
/// Cells with marks or a link that are many: half of the engine's room.
const MANY: usize = u16::MAX as usize / 2;

/// What is known of the room that is left.
#[derive(Debug, Default)]
pub(super) struct Budget {
    link_bytes: usize,
    /// How many found no room since the last look; 0 where the next one that finds none looks.
    turned_away: usize,
}

impl Core {
    /// Whether a cell may get another mark or link, the latter of so many bytes.
    pub(super) fn has_room(&mut self, link_bytes: usize) -> bool {
        if self.is_full(link_bytes) {
            if self.budget.turned_away.is_multiple_of(TURNED_AWAY) {
                self.reclaim();
            } else {
                self.budget.turned_away += 1;
            }
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

    /// Frees what no cell has any more, also on the primary screen that is hidden.
    fn reclaim(&mut self) {
        self.budget.link_bytes = 0;
        for grid in self.primary.iter_mut().chain([&mut self.term.grid]) {
            grid.reclaim_extras();
            self.budget.link_bytes += link_bytes(grid);
        }
        let is_crowded =
            extras(&self.term.grid).count() > MANY || self.budget.link_bytes > LINK_BYTES / 2;
        self.budget.turned_away = usize::from(is_crowded);
    }
}

/// What a grid holds beside the characters of its cells.
fn extras(grid: &Grid<Square>) -> impl Iterator<Item = &Extras> {
    (1..=u16::MAX).filter_map(|id| grid.extras_table.get(id))
}

/// Bytes of the hyperlinks that a grid holds.
pub(super) fn link_bytes(grid: &Grid<Square>) -> usize {
    let links = extras(grid).filter_map(|extras| extras.hyperlink.as_ref());
    links.map(|link| link.id().len() + link.uri().len()).sum()
}
