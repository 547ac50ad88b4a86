//! A frame as a picture: the cells of a buffer as SVG, with the colours of its theme and exact widths.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use callboard::domain::text::width;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// A cell, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
/// Between the edge of the picture and the first cell.
const MARGIN: f64 = 14.0;
/// The terminal's own colours: text and ground.
const TERMINAL: (&str, &str) = ("#d6dae1", "#15181e");
const FONT: &str = "ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// How a run of cells is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Look {
    text: String,
    ground: String,
    bold: bool,
    italic: bool,
    underlined: bool,
}

fn colour(colour: Color, own: &str) -> String {
    match colour {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Reset => own.to_owned(),
        other => panic!("no colour of a theme: {other:?}"),
    }
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let has = |modifier| cell.modifier.contains(modifier);
        let (mut text, mut ground) = (colour(cell.fg, TERMINAL.0), colour(cell.bg, TERMINAL.1));
        if has(Modifier::REVERSED) {
            std::mem::swap(&mut text, &mut ground);
        }
        let (bold, italic) = (has(Modifier::BOLD), has(Modifier::ITALIC));
        Self { text, ground, bold, italic, underlined: has(Modifier::UNDERLINED) }
    }

    fn css(&self) -> String {
        let mut css = format!("fill:{}", self.text);
        for (on, rule) in [
            (self.bold, ";font-weight:700"),
            (self.italic, ";font-style:italic"),
            (self.underlined, ";text-decoration:underline"),
        ] {
            css.push_str(if on { rule } else { "" });
        }
        css
    }
}

/// Which way the lines of a box drawing go: left, right, up, down; 1 is light, 2 is heavy.
fn arms(symbol: &str) -> Option<[u8; 4]> {
    Some(match symbol {
        "─" => [1, 1, 0, 0],
        "━" => [2, 2, 0, 0],
        "│" => [0, 0, 1, 1],
        "┬" => [1, 1, 0, 1],
        "┭" => [2, 1, 0, 1],
        "┮" => [1, 2, 0, 1],
        "┯" => [2, 2, 0, 1],
        "┴" => [1, 1, 1, 0],
        "┼" => [1, 1, 1, 1],
        "├" => [0, 1, 1, 1],
        "┤" => [1, 0, 1, 1],
        "┌" => [0, 1, 0, 1],
        "┐" => [1, 0, 0, 1],
        "└" => [0, 1, 1, 0],
        "┘" => [1, 0, 1, 0],
        "┍" => [0, 2, 0, 1],
        "┑" => [2, 0, 0, 1],
        _ => return None,
    })
}

fn at(col: u16, row: u16) -> (f64, f64) {
    (MARGIN + f64::from(col) * CELL.0, MARGIN + f64::from(row) * CELL.1)
}

/// Cells of one row that look alike.
struct Run<'a> {
    x: u16,
    cells: u16,
    text: String,
    first: &'a Cell,
}

/// The texts of a row: words of one look that stand together, so that each begins at its own cell.
fn runs(buffer: &Buffer, row: u16) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut col = 0;
    while col < buffer.area.width {
        let cell = &buffer[(col, row)];
        let symbol = cell.symbol();
        let cells = width(symbol).max(1) as u16;
        if arms(symbol).is_none() && !["▐", " "].contains(&symbol) {
            let gap = |run: &Run<'_>| col - (run.x + run.cells);
            match runs.last_mut() {
                // One blank between two words of one look is part of them.
                Some(run) if gap(run) < 2 && Look::of(run.first) == Look::of(cell) => {
                    run.text.push_str(&" ".repeat(usize::from(gap(run))));
                    run.text.push_str(symbol);
                    run.cells = col + cells - run.x;
                }
                _ => runs.push(Run { x: col, cells, text: symbol.to_owned(), first: cell }),
            }
        }
        col += cells;
    }
    runs
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The lines of the frame, one path for each colour and weight.
fn lines(buffer: &Buffer) -> BTreeMap<(String, u8), String> {
    let mut paths: BTreeMap<(String, u8), String> = BTreeMap::new();
    for row in 0..buffer.area.height {
        let mut open: Option<(String, u8, f64, f64)> = None;
        let mut close = |open: &mut Option<(String, u8, f64, f64)>, y: f64| {
            if let Some((colour, weight, from, to)) = open.take() {
                let path = paths.entry((colour, weight)).or_default();
                let _ = write!(path, "M{from:.1} {y:.1}H{to:.1}");
            }
        };
        let mut upright: Vec<(String, u8, String)> = Vec::new();
        for col in 0..buffer.area.width {
            let cell = &buffer[(col, row)];
            let (x, y) = at(col, row);
            let (middle, centre) = (y + CELL.1 / 2.0, x + CELL.0 / 2.0);
            let Some([left, right, up, down]) = arms(cell.symbol()) else {
                close(&mut open, middle);
                continue;
            };
            let colour = Look::of(cell).text;
            for (weight, from, to) in [(left, x, centre), (right, centre, x + CELL.0)] {
                match &mut open {
                    _ if weight == 0 => close(&mut open, middle),
                    Some((same, w, _, end)) if *same == colour && *w == weight => *end = to,
                    _ => {
                        close(&mut open, middle);
                        open = Some((colour.clone(), weight, from, to));
                    }
                }
            }
            for (weight, from, to) in [(up, y, middle), (down, middle, y + CELL.1)] {
                if weight > 0 {
                    let line = format!("M{centre:.1} {from:.1}V{to:.1}");
                    upright.push((colour.clone(), weight, line));
                }
            }
        }
        close(&mut open, at(0, row).1 + CELL.1 / 2.0);
        for (colour, weight, line) in upright {
            paths.entry((colour, weight)).or_default().push_str(&line);
        }
    }
    paths
}

/// Filled cells: grounds that are not the terminal's own, and the bars of selected rows.
fn fills(buffer: &Buffer) -> String {
    let mut fills = String::new();
    let mut put = |x: f64, y: f64, cells: f64, colour: &str| {
        let (w, h) = (cells * CELL.0, CELL.1);
        let rect =
            format!(r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h}" fill="{colour}"/>"#);
        fills.push_str(&rect);
        fills.push('\n');
    };
    for row in 0..buffer.area.height {
        let grounds: Vec<String> =
            (0..buffer.area.width).map(|col| Look::of(&buffer[(col, row)]).ground).collect();
        let mut col = 0;
        for same in grounds.chunk_by(|a, b| a == b) {
            if same[0] != TERMINAL.1 {
                let (x, y) = at(col, row);
                put(x, y, f64::from(u16::try_from(same.len()).unwrap()), &same[0]);
            }
            col += same.len() as u16;
        }
        for col in (0..buffer.area.width).filter(|col| buffer[(*col, row)].symbol() == "▐") {
            let (x, y) = at(col, row);
            put(x + CELL.0 / 2.0, y, 0.5, &Look::of(&buffer[(col, row)]).text);
        }
    }
    fills
}

/// The picture of a frame; `title` is what it shows, for those who cannot see it.
pub(crate) fn picture(buffer: &Buffer, title: &str) -> String {
    let (cols, rows) = (f64::from(buffer.area.width), f64::from(buffer.area.height));
    let (w, h) = (cols * CELL.0 + 2.0 * MARGIN, rows * CELL.1 + 2.0 * MARGIN);
    let all: Vec<(u16, Run<'_>)> = (0..buffer.area.height)
        .flat_map(|row| runs(buffer, row).into_iter().map(move |run| (row, run)))
        .collect();
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    for (_, run) in &all {
        let next = classes.len();
        classes.entry(Look::of(run.first).css()).or_insert(next);
    }
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0} {h:.0}" width="{w:.0}" height="{h:.0}" role="img" aria-label="{title}">
<style>text{{font:14px {FONT};white-space:pre}}"#
    );
    for (css, class) in &classes {
        let _ = write!(svg, ".s{class}{{{css}}}");
    }
    let _ = write!(
        svg,
        "</style>\n<rect width=\"{w:.0}\" height=\"{h:.0}\" rx=\"8\" fill=\"{}\"/>\n",
        TERMINAL.1
    );
    svg.push_str(&fills(buffer));
    for ((colour, weight), path) in lines(buffer) {
        let stroke = if weight == 2 { 2.4 } else { 1.0 };
        let _ = writeln!(
            svg,
            r#"<path d="{path}" stroke="{colour}" stroke-width="{stroke}" fill="none"/>"#
        );
    }
    for (row, run) in &all {
        let (x, y) = at(run.x, *row);
        let (y, length) = (y + 13.3, f64::from(run.cells) * CELL.0);
        let (class, text) = (classes[&Look::of(run.first).css()], escaped(&run.text));
        let _ = writeln!(
            svg,
            r#"<text class="s{class}" x="{x:.1}" y="{y:.1}" textLength="{length:.1}" lengthAdjust="spacingAndGlyphs">{text}</text>"#
        );
    }
    svg.push_str("</svg>\n");
    svg
}
