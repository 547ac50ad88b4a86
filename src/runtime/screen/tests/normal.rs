//! A screen in normal form: everything a snapshot promises to rebuild, as text.
//!
//! Tabs, untouched cells and cells with only a background read as spaces, which is what they show.

use std::collections::HashMap;
use std::fmt::Write as _;

use rio_vt::crosswords::Mode;
use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{Column, Cursor, Line};
use rio_vt::crosswords::square::{Hyperlink, Square};

use crate::runtime::screen::cell::{self, Style};
use crate::runtime::screen::modes::SavedBeside;
use crate::runtime::screen::{Screen, tap};

/// Everything but the history of what a program did.
pub(super) fn normal(screen: &Screen) -> String {
    let core = &screen.engine.core;
    let mut text = Normal::default();
    text.line(format_args!("size {:?} region {:?}", screen.size(), core.region));
    text.line(format_args!("charset {:?} repeats {:?}", core.charset, core.last));
    text.line(format_args!("title {:?} stack {:?}", core.title, core.titles));
    text.line(format_args!("keyboards {:?}", core.keyboards));
    text.line(format_args!("tabs {:?}", core.tabs.0));
    // Of pictures, which are passed on nowhere.
    let pictures = Mode::SIXEL_DISPLAY | Mode::SIXEL_PRIV_PALETTE | Mode::SIXEL_CURSOR_TO_THE_RIGHT;
    text.line(format_args!("modes {:?} urxvt {}", core.term.mode() - pictures, core.urxvt_mouse));
    text.line(format_args!("keys {:?}", core.term.modify_other_keys()));
    text.line(format_args!("style {} {:?}", core.cursor_style(), core.term.cursor_shape));
    text.line(format_args!("seen {:?} {:?}", screen.cursor(), screen.modes()));
    for index in 0..259 {
        if core.term.colors[index].is_some() {
            text.line(format_args!("color {index} {:?}", core.color(index)));
        }
    }
    if let Some(primary) = &core.primary {
        text.line(format_args!("primary"));
        text.grid(primary, core.british[0], core.saved[0]);
        text.line(format_args!("alternate"));
    }
    let shown = core.screen();
    text.grid(&core.term.grid, core.british[shown], core.saved[shown]);
    text.line(format_args!("unfinished {:?}", screen.engine.tap.unfinished()));
    text.out
}

/// Bytes that a screen holds, as far as a program can make it hold more.
pub(super) fn weight(screen: &Screen) -> usize {
    let core = &screen.engine.core;
    let grids: usize = core
        .primary
        .iter()
        .chain([&core.term.grid])
        .map(|grid| grid.total_lines() * grid.columns() * size_of::<Square>() + beside(grid))
        .sum();
    let titles = core.titles.iter().chain([&core.title]).map(String::len).sum::<usize>();
    let keyboards = core.keyboards.iter().map(|keyboard| keyboard.saved.len()).sum::<usize>();
    let notification = core.notification.0.len() + core.notification.1.len();
    let strings = screen.engine.tap.unfinished().len() + core.outbox.len();
    grids + titles + keyboards + notification + strings
}

/// The most that [`weight`] may be, for two screens and so many rows of history.
pub(super) fn heaviest(screen: &Screen, history: usize) -> usize {
    use crate::runtime::screen::{budget::LINK_BYTES, print::MARK_LIMIT};
    let size = screen.size();
    let cells = usize::from(size.cols) * (2 * usize::from(size.rows) + history);
    let marks = 2 * 65_535 * (MARK_LIMIT + 1) * size_of::<char>();
    cells * size_of::<Square>() + marks + LINK_BYTES + 3 * tap::SEQUENCE_LIMIT
}

/// Bytes of marks and links.
fn beside(grid: &Grid<Square>) -> usize {
    let extras = (1..=u16::MAX).filter_map(|id| grid.extras_table.get(id));
    let marks = extras.map(|extras| extras.zerowidth.len() * size_of::<char>()).sum::<usize>();
    marks + crate::runtime::screen::budget::link_bytes(grid)
}

#[derive(Default)]
struct Normal {
    out: String,
    /// Numbers of the links without an identifier, by the one that a counter of the process gave.
    anonymous: HashMap<String, usize>,
}

impl Normal {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{line}");
    }

    fn link(&mut self, link: Option<&Hyperlink>) -> String {
        let Some(link) = link else { return String::new() };
        let id = if link.id().ends_with("_rio") {
            let next = self.anonymous.len();
            format!("#{}", self.anonymous.entry(link.id().to_owned()).or_insert(next))
        } else {
            link.id().to_owned()
        };
        format!("<{id} {}>", link.uri())
    }

    fn grid(&mut self, grid: &Grid<Square>, british: [bool; 4], saved: SavedBeside) {
        let last = Column(grid.columns() - 1);
        for row in -(grid.history_size() as i32)..grid.screen_lines() as i32 {
            let mut text = String::new();
            let mut looks = String::new();
            let mut look = (Style::default(), String::new());
            cell::visit_row(grid, row, &mut |cell| {
                text.push_str(cell.text);
                if cell.width == 2 {
                    text.push('>');
                }
                let square = grid[Line(row)][Column(usize::from(cell.col))];
                let now = (cell.style, self.link(cell::link(grid, square)));
                if now != look {
                    let _ = write!(looks, " {}:{}{}", cell.col, now.0.sgr(), now.1);
                    look = now;
                }
            });
            let edge = grid[Line(row)][last];
            let wraps = match (edge.wrapline(), edge.is_leading_spacer()) {
                (true, true) => '>',
                (true, false) => '\\',
                (false, true) => ')',
                (false, false) => '|',
            };
            self.line(format_args!("{row:4} {text}{wraps}{looks}"));
        }
        self.cursor("cursor", grid, &grid.cursor);
        self.line(format_args!("  british {british:?}"));
        self.cursor("saved", grid, &grid.saved_cursor);
        self.line(format_args!("  {saved:?}"));
    }

    fn cursor(&mut self, name: &str, grid: &Grid<Square>, cursor: &Cursor<Square>) {
        let link = self.link(cell::hyperlink(grid, cursor.template));
        self.line(format_args!(
            "{name} {},{} wrap {} {}{link} {:?}",
            cursor.pos.row.0,
            cursor.pos.col.0,
            cursor.should_wrap,
            Style::from(cursor.pending_style).sgr(),
            cursor.charsets,
        ));
    }
}
