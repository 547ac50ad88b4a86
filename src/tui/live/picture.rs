//! An engine's screen as the cells that the dashboard draws.

use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};

use crate::runtime::screen::{
    CellRef, Color as EngineColor, MouseProtocol, Screen, Style as EngineStyle, Underline,
};
use crate::tui::app::reading::{Cell, Document, may_open};
use crate::tui::app::screen::{ScreenCell, ScreenCells, Takes};
use crate::tui::theme::{Depth, nearest_256};

/// The picture of a screen for a terminal of this depth; `ended` where nobody runs behind it.
pub(in crate::tui) fn picture(screen: &Screen, ended: bool, depth: Depth) -> ScreenCells {
    let size = screen.size();
    let cursor = screen.cursor();
    let modes = screen.modes();
    let clicks = modes.mouse != MouseProtocol::Off;
    ScreenCells {
        size: (size.cols, size.rows),
        rows: (0..i32::from(size.rows)).map(|row| cells(screen, row, depth)).collect(),
        cursor: (cursor.visible && !ended).then_some((cursor.col, cursor.row)),
        takes: Takes { clicks, wheel: clicks || modes.alternate && modes.alternate_scroll },
        ended,
        silent: false,
        refused: None,
    }
}

/// A screen and what scrolled out of it, to be read.
pub(super) fn document(screen: &Screen, depth: Depth) -> Document {
    let size = screen.size();
    let mut document = Document::new(size.cols, screen.alternate());
    document.screen = screen.scrollback_len();
    let oldest = -i32::try_from(screen.scrollback_len()).unwrap_or(0);
    for row in oldest..i32::from(size.rows) {
        document.begin(screen.wraps(row));
        screen.row(row, &mut |cell: CellRef<'_>| {
            document.push(Cell {
                col: cell.col,
                width: u16::from(cell.width),
                text: if cell.style.hidden { " " } else { cell.text },
                style: style(&cell.style, depth),
                link: cell.link,
            });
        });
        document.end();
    }
    document
}

fn cells(screen: &Screen, row: i32, depth: Depth) -> Vec<ScreenCell> {
    let mut cells = Vec::new();
    let mut last: Option<Arc<str>> = None;
    screen.row(row, &mut |cell: CellRef<'_>| {
        if last.as_deref() != cell.link {
            last = cell.link.filter(|link| may_open(link)).map(Arc::from);
        }
        if cell.text != " " || cell.style != EngineStyle::default() || last.is_some() {
            cells.push(ScreenCell {
                col: cell.col,
                text: if cell.style.hidden { " ".to_owned() } else { cell.text.to_owned() },
                width: u16::from(cell.width),
                style: style(&cell.style, depth),
                link: last.clone(),
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
        let picture = picture(&screen("a \x1b[1;31mb\x1b[0m\x1b[7m \x1b[0m"), false, Depth::Rgb);
        let row: Vec<_> = picture.rows[0].iter().map(|c| (c.col, c.text.as_str())).collect();
        assert_eq!(row, [(0, "a"), (2, "b"), (3, " ")]);
        assert_eq!(picture.rows[0][1].style.fg, Some(Color::Indexed(1)));
        assert!(picture.rows[0][1].style.add_modifier.contains(Modifier::BOLD));
        assert!(picture.rows[1].is_empty());
        assert_eq!(picture.cursor, Some((4, 0)));
    }

    #[test]
    fn a_document_has_history_broken_lines_and_links() {
        let link = "\x1b]8;;https://a.b\x07here\x1b]8;;\x07";
        let screen = screen(&format!("one\r\n0123456789abc\r\n{link} \x1b[41m \x1b[0m"));
        let document = document(&screen, Depth::Rgb);
        assert_eq!((document.len(), document.screen, document.cols), (4, 2, 10));
        let lines: Vec<_> = (0..4).map(|line| document.text(line)).collect();
        assert_eq!(lines, ["one", "0123456789", "abc", "here  "], "a coloured blank stays");
        assert_eq!(document.whole(2), (1, 2));
        assert_eq!(document.cells(3).next().and_then(|cell| cell.link), Some("https://a.b"));
        assert_eq!(document.cells(3).last().map(|cell| (cell.col, cell.link)), Some((5, None)));
    }

    #[test]
    fn what_of_the_mouse_a_program_wants_is_told() {
        let takes = |text| picture(&screen(text), false, Depth::Rgb).takes;
        assert_eq!(takes("x"), Takes::default());
        assert_eq!(takes("\x1b[?1002h"), Takes { clicks: true, wheel: true });
        assert_eq!(takes("\x1b[?1049h\x1b[?1007h"), Takes { clicks: false, wheel: true });
    }

    /// Hyperlinks reach the terminal, but for those that nobody should open.
    #[test]
    fn links_are_kept_where_they_may_be_opened() {
        let targets = ["https://a.b", "file:///a", "mailto:a@b.c", "javascript:alert(1)", "x"];
        for target in targets {
            let screen = screen(&format!("a\x1b]8;;{target}\x07b c\x1b]8;;\x07d"));
            let row = &picture(&screen, false, Depth::Rgb).rows[0];
            let links: String =
                row.iter().map(|cell| if cell.link.is_some() { 'l' } else { '-' }).collect();
            let open = ["https://a.b", "file:///a", "mailto:a@b.c"].contains(&target);
            assert_eq!(links, if open { "-lll-" } else { "----" }, "{target}");
        }
    }

    #[test]
    fn colours_fit_the_terminal() {
        let screen = screen("\x1b[38;2;255;0;0mx");
        assert_eq!(
            picture(&screen, false, Depth::C256).rows[0][0].style.fg,
            Some(Color::Indexed(196))
        );
        let rgb = picture(&screen, false, Depth::Rgb);
        assert_eq!(rgb.rows[0][0].style.fg, Some(Color::Rgb(255, 0, 0)));
    }
}
