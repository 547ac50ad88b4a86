//! A screen in normal form: everything a snapshot promises to rebuild, as text.
//!
//! Tabs, untouched cells and cells with only a background read as spaces, which is what they show.

use std::fmt::Write as _;

use rio_vt::crosswords::Mode;
use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{Column, Cursor, Line};
use rio_vt::crosswords::square::Square;

use crate::runtime::screen::Screen;
use crate::runtime::screen::cell::{self, Style};

pub(super) fn normal(screen: &Screen) -> String {
    let core = &screen.engine.core;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "size {:?} region {:?} charset {:?}",
        screen.size(),
        core.region,
        core.charset
    );
    let _ = writeln!(out, "title {:?} stack {:?} last {:?}", core.title, core.titles, core.last);
    let _ = writeln!(out, "keyboards {:?}", core.keyboards);
    let tabs: Vec<usize> = (0..core.tabs.0.len()).filter(|&c| core.tabs.0[c]).collect();
    let _ = writeln!(out, "tabs {tabs:?}");
    let sixel = Mode::SIXEL_DISPLAY | Mode::SIXEL_PRIV_PALETTE | Mode::SIXEL_CURSOR_TO_THE_RIGHT;
    let _ = writeln!(
        out,
        "modes {:?} keys {:?}",
        core.term.mode() - sixel,
        core.term.modify_other_keys()
    );
    let _ = writeln!(out, "style {} {:?}", core.cursor_style(), core.term.cursor_shape);
    for index in 0..259 {
        if core.term.colors[index].is_some() {
            let _ = writeln!(out, "color {index} {:?}", core.color(index));
        }
    }
    if let Some(primary) = &core.primary {
        let _ = writeln!(out, "primary");
        grid(&mut out, primary);
        let _ = writeln!(out, "alternate");
    }
    grid(&mut out, &core.term.grid);
    let _ = writeln!(out, "unfinished {:?}", screen.engine.tap.unfinished());
    out
}

fn grid(out: &mut String, grid: &Grid<Square>) {
    cursor(out, "cursor", grid, &grid.cursor);
    cursor(out, "saved", grid, &grid.saved_cursor);
    let last = Column(grid.columns() - 1);
    for row in -(grid.history_size() as i32)..grid.screen_lines() as i32 {
        let mut text = String::new();
        let mut looks = String::new();
        let mut look = (Style::default(), None);
        cell::visit_row(grid, row, &mut |cell| {
            text.push_str(cell.text);
            if cell.width == 2 {
                text.push('>');
            }
            let now = (cell.style, cell.link.map(str::to_owned));
            if now != look {
                let _ = write!(looks, " {}:{}{:?}", cell.col, now.0.sgr(), now.1);
                look = now;
            }
        });
        let wraps = if grid[Line(row)][last].wrapline() { '\\' } else { '|' };
        let _ = writeln!(out, "{row:4} {text}{wraps}{looks}");
    }
}

fn cursor(out: &mut String, name: &str, grid: &Grid<Square>, cursor: &Cursor<Square>) {
    let link = cell::hyperlink(grid, cursor.template).map(|link| {
        // Links without an identifier get one from a counter of the process.
        (Some(link.id()).filter(|id| !id.ends_with("_rio")), link.uri())
    });
    let _ = writeln!(
        out,
        "{name} {},{} wrap {} {} {link:?} {:?}",
        cursor.pos.row.0,
        cursor.pos.col.0,
        cursor.should_wrap,
        Style::from(cursor.pending_style).sgr(),
        cursor.charsets,
    );
}
