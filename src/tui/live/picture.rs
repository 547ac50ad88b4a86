//! An engine's screen as the cells that the dashboard draws.

use ratatui::style::{Color, Modifier, Style};

use crate::runtime::screen::{
    CellRef, Color as EngineColor, Screen, Style as EngineStyle, Underline,
};
use crate::tui::app::screen::{ScreenCell, ScreenCells};
use crate::tui::theme::{Depth, nearest_256};

/// The picture of a screen, `scrolled` rows back in its history, for a terminal of this depth.
pub(in crate::tui) fn picture(screen: &Screen, scrolled: usize, depth: Depth) -> ScreenCells {
    let size = screen.size();
    let used = used(screen);
    let scrolled = scrolled.min(screen.scrollback_len() + used);
    // What is blank below the last used row is not scrolled through.
    let blank = if scrolled > 0 { usize::from(size.rows) - used } else { 0 };
    let back = i32::try_from(scrolled + blank).unwrap_or(0);
    let oldest = -i32::try_from(screen.scrollback_len()).unwrap_or(0);
    let row = |row: i32| if row < oldest { Vec::new() } else { cells(screen, row, depth) };
    let rows = (0..i32::from(size.rows)).map(|at| row(at - back)).collect();
    let cursor = screen.cursor();
    ScreenCells {
        size: (size.cols, size.rows),
        rows,
        cursor: (cursor.visible && scrolled == 0).then_some((cursor.col, cursor.row)),
        scrolled,
    }
}

/// Rows above what is on view when `view` rows of the screen are: its history, and what of the screen
/// itself has no room.
pub(super) fn beyond(screen: &Screen, view: u16) -> usize {
    (screen.scrollback_len() + used(screen)).saturating_sub(usize::from(view))
}

/// Rows of the screen down to the last one that is not blank.
fn used(screen: &Screen) -> usize {
    let is_used = |row: &u16| !cells(screen, i32::from(*row), Depth::Rgb).is_empty();
    (0..screen.size().rows).rev().find(is_used).map_or(0, |last| usize::from(last) + 1)
}

fn cells(screen: &Screen, row: i32, depth: Depth) -> Vec<ScreenCell> {
    let mut cells = Vec::new();
    screen.row(row, &mut |cell: CellRef<'_>| {
        if cell.text != " " || cell.style != EngineStyle::default() {
            cells.push(ScreenCell {
                col: cell.col,
                text: if cell.style.hidden { " ".to_owned() } else { cell.text.to_owned() },
                width: u16::from(cell.width),
                style: style(&cell.style, depth),
            });
        }
    });
    cells
}

/// The program's own look, as far as the terminal can show it.
fn style(style: &EngineStyle, depth: Depth) -> Style {
    let flags = [
        (style.bold, Modifier::BOLD),
        (style.dim, Modifier::DIM),
        (style.italic, Modifier::ITALIC),
        (style.inverse, Modifier::REVERSED),
        (style.strike, Modifier::CROSSED_OUT),
        (style.underline != Underline::None, Modifier::UNDERLINED),
    ];
    let set = flags.iter().filter(|(on, _)| *on).map(|(_, modifier)| *modifier);
    Style::new()
        .fg(color(style.fg, depth))
        .bg(color(style.bg, depth))
        .underline_color(color(style.underline_color, depth))
        .add_modifier(set.collect())
}

fn color(color: EngineColor, depth: Depth) -> Color {
    match color {
        EngineColor::Default => Color::Reset,
        EngineColor::Indexed(index) => Color::Indexed(index),
        EngineColor::Rgb(r, g, b) if depth == Depth::Rgb => Color::Rgb(r, g, b),
        EngineColor::Rgb(r, g, b) => Color::Indexed(nearest_256(r, g, b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::screen::Size;

    fn screen(text: &str) -> Screen {
        let mut screen = Screen::new(Size { cols: 10, rows: 2 }, 100);
        screen.feed(text.as_bytes());
        screen
    }

    #[test]
    fn only_what_is_not_blank_is_kept() {
        let picture = picture(&screen("a \x1b[1;31mb\x1b[0m\x1b[7m \x1b[0m"), 0, Depth::Rgb);
        let row: Vec<_> = picture.rows[0].iter().map(|c| (c.col, c.text.as_str())).collect();
        assert_eq!(row, [(0, "a"), (2, "b"), (3, " ")]);
        assert_eq!(picture.rows[0][1].style.fg, Some(Color::Indexed(1)));
        assert!(picture.rows[0][1].style.add_modifier.contains(Modifier::BOLD));
        assert!(picture.rows[1].is_empty());
        assert_eq!(picture.cursor, Some((4, 0)));
    }

    #[test]
    fn a_scrolled_picture_shows_history_and_no_cursor() {
        let screen = screen("one\r\ntwo\r\nthree\r\nfour");
        let picture = picture(&screen, 1, Depth::Rgb);
        assert_eq!(picture.rows[0][0].text, "t");
        assert_eq!(picture.rows[0].len(), 3);
        assert_eq!((picture.cursor, picture.scrolled), (None, 1));
        assert_eq!((beyond(&screen, 2), beyond(&screen, 1), beyond(&screen, 9)), (2, 3, 0));
    }

    #[test]
    fn colours_fit_the_terminal() {
        let screen = screen("\x1b[38;2;255;0;0mx");
        assert_eq!(picture(&screen, 0, Depth::C256).rows[0][0].style.fg, Some(Color::Indexed(196)));
        let rgb = picture(&screen, 0, Depth::Rgb);
        assert_eq!(rgb.rows[0][0].style.fg, Some(Color::Rgb(255, 0, 0)));
    }
}
