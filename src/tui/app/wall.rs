//! The wall: tiles of live screens, of the sessions that wait for the operator and of the marked ones
//! (`spec/look.md` section 8). A tile keeps its place while the wall is on view.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::layout::Rect;

use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Attention, Zone};

use super::{App, View};

/// Tiles at most.
pub const MOST: usize = 16;
/// Tiles that the operator can go down to.
pub const FEWEST: usize = 2;
/// Tiles until the operator asks for more or fewer.
const USUAL: usize = 6;
/// Columns and rows of a tile at least, with its rule and the line beside it.
pub const SMALLEST: (u16, u16) = (38, 8);
/// Columns from which three tiles stand side by side.
const THREE_ABREAST: u16 = 3 * SMALLEST.0;

/// What is on the wall.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Who has a place, in order; see [`App::wall_candidates`].
    pub candidates: Vec<SessionId>,
    /// The tiles in their places, as many as are on view.
    pub tiles: Vec<SessionId>,
    /// Where they are.
    pub area: Rect,
    /// Which of them has the focus.
    pub focus: usize,
    /// Tiles that the operator wants at most.
    pub wanted: usize,
    /// What the store says of them.
    pub sessions: BTreeMap<SessionId, Session>,
    /// Tiles that the store was asked for.
    pub asked: Vec<SessionId>,
    /// Tiles whose session was deleted or purged since.
    pub gone: BTreeSet<SessionId>,
}

impl Default for Wall {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            tiles: Vec::new(),
            area: Rect::ZERO,
            focus: 0,
            wanted: USUAL,
            sessions: BTreeMap::new(),
            asked: Vec::new(),
            gone: BTreeSet::new(),
        }
    }
}

/// Places of tiles, row by row; those behind the last tile stay empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// How many tiles it is for.
    pub tiles: usize,
    /// Places side by side.
    pub columns: usize,
    /// The places, each with its rule as first row; one column between two is the line between them.
    pub places: Vec<Rect>,
}

/// Columns and rows for so many tiles.
fn shape(tiles: usize, width: u16) -> (u16, u16) {
    match tiles {
        0 | 1 => (1, 1),
        2 => (2, 1),
        3 if width >= THREE_ABREAST => (3, 1),
        3 => (1, 3),
        4 => (2, 2),
        5 | 6 => (3, 2),
        7..=9 => (3, 3),
        10..=12 => (4, 3),
        _ => (4, 4),
    }
}

impl Grid {
    /// The grid for as many of `wanted` tiles as fit, which is one at least.
    pub fn of(area: Rect, wanted: usize) -> Self {
        let most = wanted.clamp(1, MOST);
        let fitting = (2..=most).rev().find_map(|tiles| Self::exactly(area, tiles));
        fitting.unwrap_or_else(|| Self::divided(area, 1, (1, 1)))
    }

    /// The grid for exactly so many tiles, where they fit. Three that fit in neither a row nor a column
    /// may fit in the grid of four.
    fn exactly(area: Rect, tiles: usize) -> Option<Self> {
        let again = if tiles == 3 { 4 } else { tiles };
        let fits = |shape: &(u16, u16)| {
            shape.0 * SMALLEST.0 <= area.width && shape.1 * SMALLEST.1 <= area.height
        };
        let mut shapes = [shape(tiles, area.width), shape(again, area.width)].into_iter();
        shapes.find(fits).map(|shape| Self::divided(area, tiles, shape))
    }

    fn divided(area: Rect, tiles: usize, (columns, rows): (u16, u16)) -> Self {
        let mut places = Vec::new();
        let (mut y, mut height) = (area.y, area.height);
        for row in 0..rows {
            // The first ones get what is left over.
            let tall = height.div_ceil(rows - row);
            let (mut x, mut width) = (area.x, area.width.saturating_sub(columns - 1));
            for column in 0..columns {
                let wide = width.div_ceil(columns - column);
                places.push(Rect { x, y, width: wide, height: tall });
                (x, width) = (x + wide + 1, width - wide);
            }
            (y, height) = (y + tall, height - tall);
        }
        Self { tiles, columns: usize::from(columns), places }
    }
}

impl App {
    /// Whether tiles are what is on view.
    pub fn shows_wall(&self) -> bool {
        self.view == View::Wall && !self.reads_whole()
    }

    /// The grid of the tiles on view.
    pub fn wall_grid(&self) -> Grid {
        Grid::of(self.layout().wall, self.wall.tiles.len())
    }

    /// The tile with the focus.
    pub fn wall_focus(&self) -> Option<&SessionId> {
        self.wall.tiles.get(self.wall.focus)
    }

    /// What is known of a session, wherever it was read last.
    pub fn known(&self, id: &SessionId) -> Option<&Session> {
        let in_list = || self.list.rows().iter().find(|row| row.id == *id);
        if self.view != View::Wall {
            return in_list();
        }
        let waits = || self.waiting.iter().find(|session| session.id == *id);
        self.wall.sessions.get(id).or_else(waits).or_else(in_list)
    }

    /// Sessions that want the operator: respond, review, merge, finished; the longest waiting first
    /// (T4).
    pub fn waiting_in_order(&self) -> Vec<&Session> {
        let mut waiting: Vec<&Session> = self.waiting.iter().collect();
        waiting.sort_by_key(|session| {
            (rank(session), session.condition.waiting_since(), session.id.clone())
        });
        waiting
    }

    /// Who has a place on the wall, in order: who waits, then the marked ones.
    pub fn wall_candidates(&self) -> Vec<SessionId> {
        let marks = &self.list.marks;
        let waiting = self.waiting_in_order().into_iter().map(|session| &session.id);
        let by_filter = self.list.rows().iter().filter(|row| self.list.is_marked(row));
        let mut known = BTreeSet::new();
        waiting
            .chain(&marks.ids)
            .chain(by_filter.map(|row| &row.id))
            .filter(|id| !self.wall.gone.contains(*id) && known.insert(*id))
            .cloned()
            .collect()
    }

    /// How many have a place on the wall, or could have one.
    pub fn wall_total(&self) -> usize {
        let Wall { candidates, tiles, .. } = &self.wall;
        candidates.len() + tiles.iter().filter(|id| !candidates.contains(id)).count()
    }
}

fn rank(session: &Session) -> u8 {
    match (session.condition.zone(), session.condition.attention) {
        (_, Some(Attention::FinishedUnseen)) => 4,
        (Zone::Respond, _) => 0,
        (Zone::Review, _) => 1,
        (Zone::Merge, _) => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(cols: u16, rows: u16, wanted: usize) -> (usize, usize) {
        let grid = Grid::of(Rect::new(0, 1, cols, rows), wanted);
        (grid.tiles, grid.columns)
    }

    /// `spec/look.md` section 8, Wall: the table of tiles.
    #[test]
    fn the_grid_follows_the_number_of_tiles_and_the_room() {
        for (wanted, columns) in [(1, 1), (2, 2), (3, 3), (4, 2), (5, 3), (6, 3), (9, 3), (12, 4)] {
            assert_eq!(shown(200, 57, wanted), (wanted, columns), "{wanted}");
        }
        assert_eq!(shown(200, 57, 40), (16, 4));
        assert_eq!(shown(113, 37, 3), (3, 1));
        assert_eq!(shown(114, 37, 3), (3, 3));
        assert_eq!(shown(80, 21, 9), (4, 2), "fewer, where they do not fit");
        assert_eq!(shown(80, 21, 3), (3, 2));
        assert_eq!(shown(20, 3, 9), (1, 1));
    }

    proptest! {
        /// No tile overlaps another, all are inside, and none is smaller than a tile may be.
        #[test]
        fn tiles_are_apart_inside_and_large_enough(
            x in 0_u16..5, y in 0_u16..5, cols in 1_u16..400, rows in 1_u16..120, wanted in 0_usize..30,
        ) {
            let area = Rect::new(x, y, cols, rows);
            let grid = Grid::of(area, wanted);
            prop_assert!(grid.tiles >= 1 && grid.tiles <= wanted.max(1) && grid.tiles <= MOST);
            prop_assert!(grid.places.len() >= grid.tiles);
            for (at, place) in grid.places.iter().enumerate() {
                prop_assert_eq!(area.intersection(*place), *place);
                let large = place.width + 1 >= SMALLEST.0 && place.height >= SMALLEST.1;
                prop_assert!(grid.tiles == 1 || large, "{place:?}");
                for other in &grid.places[at + 1..] {
                    // The line between two counts as taken.
                    let lined = Rect { width: place.width + 1, ..*place };
                    prop_assert!(!lined.intersects(*other), "{place:?} {other:?}");
                }
            }
            let right = grid.places.iter().map(|place| place.right()).max();
            let bottom = grid.places.iter().map(|place| place.bottom()).max();
            prop_assert_eq!((right, bottom), (Some(area.right()), Some(area.bottom())));
        }
    }
}
