//! The screen as escape text that rebuilds it (`spec/runtime.md`, Snapshot).
//!
//! Order: a soft start, title and tab stops, the primary screen with its history, cursors and
//! keyboard flags, then the alternate screen where it is shown, then region, pen and modes, and last
//! the bytes of the sequence that has not ended yet. What no standard sequence sets (exact pending
//! wraps, the character that REP repeats) goes into a private OSC that other terminals ignore.

use std::io::Write as _;

use rio_vt::ansi::mode::{NamedMode, NamedPrivateMode};
use rio_vt::config::colors::ColorRgb;
use rio_vt::crosswords::Mode;
use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{CharsetIndex, Column, Cursor, Line, StandardCharset};
use rio_vt::crosswords::square::Square;

use super::cell::{self, DEFAULT_COLORS, Style};
use super::core::Core;
use super::engine::Engine;
use super::modes::{Keyboard, SavedBeside, TabStops};
use super::paint::Painter;
use super::strings::PRIVATE_OSC;

/// Brings a terminal to a known start without clearing what it keeps.
const START: &[u8] = b"\x18\x0f\x1b[?1049l\x1b[!p\x1b[20l\x1b]8;;\x1b\\\x1b[H\x1b[J";

/// Modes that are on at the start; the others are off.
const DEFAULT_ON: Mode = Mode::SHOW_CURSOR
    .union(Mode::LINE_WRAP)
    .union(Mode::ALTERNATE_SCROLL)
    .union(Mode::URGENCY_HINTS)
    .union(Mode::GRAPHEME_CLUSTER);

/// Private modes with a bit of the engine, except the alternate screen; origin comes last as it
/// moves the cursor.
const MODES: [(Mode, NamedPrivateMode); 15] = [
    (Mode::APP_CURSOR, NamedPrivateMode::CursorKeys),
    (Mode::LINE_WRAP, NamedPrivateMode::LineWrap),
    (Mode::MOUSE_REPORT_X10, NamedPrivateMode::ReportX10MouseClicks),
    (Mode::SHOW_CURSOR, NamedPrivateMode::ShowCursor),
    (Mode::MOUSE_REPORT_CLICK, NamedPrivateMode::ReportMouseClicks),
    (Mode::MOUSE_DRAG, NamedPrivateMode::ReportCellMouseMotion),
    (Mode::MOUSE_MOTION, NamedPrivateMode::ReportAllMouseMotion),
    (Mode::FOCUS_IN_OUT, NamedPrivateMode::ReportFocusInOut),
    (Mode::UTF8_MOUSE, NamedPrivateMode::Utf8Mouse),
    (Mode::SGR_MOUSE, NamedPrivateMode::SgrMouse),
    (Mode::ALTERNATE_SCROLL, NamedPrivateMode::AlternateScroll),
    (Mode::URGENCY_HINTS, NamedPrivateMode::UrgencyHints),
    (Mode::BRACKETED_PASTE, NamedPrivateMode::BracketedPaste),
    (Mode::SYNC_UPDATE, NamedPrivateMode::SyncUpdate),
    (Mode::ORIGIN, NamedPrivateMode::Origin),
];

const CHARSETS: [(CharsetIndex, u8); 4] = [
    (CharsetIndex::G0, b'('),
    (CharsetIndex::G1, b')'),
    (CharsetIndex::G2, b'*'),
    (CharsetIndex::G3, b'+'),
];

/// Writes the snapshot with up to `history` newest history rows.
pub(super) fn write(engine: &Engine, history: usize) -> Vec<u8> {
    let core = &engine.core;
    let mut painter = Painter::new(START.to_vec());
    titles(&mut painter.out, core);
    colors(&mut painter.out, core);
    tab_stops(&mut painter.out, &core.tabs, core.term.columns());
    let primary = core.primary.as_ref().unwrap_or(&core.term.grid);
    painter.paint(primary, history);
    cursors(&mut painter, primary, core, 0);
    keyboard(&mut painter.out, &core.keyboards[0]);
    if core.primary.is_some() {
        // Mode 1049 saves the cursor: where another one is saved, 47 leaves it alone.
        let beside = SavedBeside { british: core.british[0], ..SavedBeside::default() };
        let same = core.saved[0] == beside
            && primary.cursor.pos == primary.saved_cursor.pos
            && primary.cursor.should_wrap == primary.saved_cursor.should_wrap
            && primary.cursor.charsets == primary.saved_cursor.charsets
            && primary.cursor.pending_style == primary.saved_cursor.pending_style
            && cell::hyperlink(primary, primary.cursor.template)
                == cell::hyperlink(primary, primary.saved_cursor.template);
        painter.out.extend_from_slice(if same { b"\x1b[?1049h" } else { b"\x1b[?47h" });
        painter.out.extend_from_slice(b"\x1b(B\x1b)B\x1b*B\x1b+B");
        painter.plain();
        painter.out.extend_from_slice(b"\x1b[H\x1b[J");
        painter.paint(&core.term.grid, 0);
        cursors(&mut painter, &core.term.grid, core, 1);
        keyboard(&mut painter.out, &core.keyboards[1]);
    }
    let mut out = painter.finish();
    finish(&mut out, core);
    out.extend_from_slice(engine.tap.unfinished());
    out
}

/// Region, cursor, pen and modes: from here on nothing is printed.
fn finish(out: &mut Vec<u8>, core: &Core) {
    let rows = core.term.screen_lines();
    if core.region != (0, rows) {
        let (top, bottom) = core.region;
        put(out, format_args!("\x1b[{};{bottom}r", top + 1));
    }
    modes(out, core);
    let cursor = &core.term.grid.cursor;
    let (row, column) = core.position();
    // Relative to the region in origin mode; the private form below is exact in any case.
    let origin = if core.has(Mode::ORIGIN) { core.region.0 } else { 0 };
    if row >= origin && !cursor.should_wrap {
        put(out, format_args!("\x1b[{};{}H", row - origin + 1, column + 1));
    }
    let last = core.last.map(|last| format!("{:x}", u32::from(last))).unwrap_or_default();
    let wrap = u8::from(cursor.should_wrap);
    put(out, format_args!("\x1b]{PRIVATE_OSC};c={row},{column},{wrap};l={last}\x1b\\"));
    if core.charset == CharsetIndex::G1 {
        out.push(0x0e);
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into memory cannot fail.
    let _ = out.write_fmt(text);
}

fn titles(out: &mut Vec<u8>, core: &Core) {
    for title in &core.titles {
        put(out, format_args!("\x1b]2;{title}\x1b\\\x1b[22;0t"));
    }
    if !core.title.is_empty() || !core.titles.is_empty() {
        put(out, format_args!("\x1b]2;{}\x1b\\", core.title));
    }
}

fn colors(out: &mut Vec<u8>, core: &Core) {
    let indexed = (0..256).map(|index| (index, format!("4;{index}")));
    let defaults = DEFAULT_COLORS.iter().map(|(index, code)| (*index, (*code).to_owned()));
    for (index, code) in indexed.chain(defaults) {
        if let Some(color) = core.term.colors[index] {
            let ColorRgb { r, g, b } = ColorRgb::from_color_arr(color);
            put(out, format_args!("\x1b]{code};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\"));
        }
    }
}

fn tab_stops(out: &mut Vec<u8>, tabs: &TabStops, columns: usize) {
    if *tabs == TabStops::new(columns) {
        return;
    }
    out.extend_from_slice(b"\x1b[3g");
    for (column, _) in tabs.0.iter().enumerate().filter(|(_, stop)| **stop) {
        put(out, format_args!("\x1b[{}G\x1bH", column + 1));
    }
    out.extend_from_slice(b"\x1b[H");
}

fn keyboard(out: &mut Vec<u8>, keyboard: &Keyboard) {
    let mut flags = keyboard.saved.iter().copied().chain([keyboard.current]);
    if let Some(first) = flags.next().filter(|first| *first != 0) {
        put(out, format_args!("\x1b[={first};1u"));
    }
    for next in flags {
        put(out, format_args!("\x1b[>{next}u"));
    }
}

/// The saved cursor of a painted screen, then the cursor itself with pen and charsets.
fn cursors(painter: &mut Painter, grid: &Grid<Square>, core: &Core, screen: usize) {
    let saved = core.saved[screen];
    if saved.origin {
        // The region is still the whole screen.
        painter.out.extend_from_slice(b"\x1b[?6h");
    }
    cursor(painter, grid, &grid.saved_cursor, saved.british);
    if saved.charset == CharsetIndex::G1 {
        painter.out.push(0x0e);
    }
    painter.out.extend_from_slice(b"\x1b7\x0f\x1b[?6l\x1b(B\x1b)B\x1b*B\x1b+B");
    cursor(painter, grid, &grid.cursor, core.british[screen]);
}

fn cursor(painter: &mut Painter, grid: &Grid<Square>, cursor: &Cursor<Square>, british: [bool; 4]) {
    let (row, column) = (cursor.pos.row.0.max(0), cursor.pos.col.0);
    put(&mut painter.out, format_args!("\x1b[{};{}H", row + 1, column + 1));
    if cursor.should_wrap {
        reprint_last(painter, grid, row);
    }
    painter.set_style(Style::from(cursor.pending_style));
    painter.set_link(cell::hyperlink(grid, cursor.template));
    for (set, intermediate) in CHARSETS {
        if cursor.charsets[set] == StandardCharset::SpecialCharacterAndLineDrawing {
            painter.out.extend_from_slice(&[0x1b, intermediate, b'0']);
        } else if british[set as usize] {
            painter.out.extend_from_slice(&[0x1b, intermediate, b'A']);
        }
    }
    let mut state = format!("c={row},{column},{}", u8::from(cursor.should_wrap));
    let (last_row, last_column) = (grid.screen_lines() as i32 - 1, grid.columns() - 1);
    if grid[Line(last_row)][Column(last_column)].wrapline() {
        state.push_str(";w=1");
    }
    put(&mut painter.out, format_args!("\x1b]{PRIVATE_OSC};{state}\x1b\\"));
}

/// Prints the last cell of a row where it stands: any terminal then has the wrap pending.
fn reprint_last(painter: &mut Painter, grid: &Grid<Square>, row: i32) {
    let last = grid.columns() - 1;
    let cell = grid[Line(row)][Column(last)];
    let plain = !cell.wrapline() && !cell.is_spacer() && !cell.is_leading_spacer();
    if plain && cell::marks(grid, cell).is_empty() && !cell::is_erased(grid, cell) {
        painter.print_cell(grid, cell);
    }
}

fn modes(out: &mut Vec<u8>, core: &Core) {
    for (bit, mode) in MODES {
        if core.has(bit) != DEFAULT_ON.contains(bit) {
            let letter = if core.has(bit) { 'h' } else { 'l' };
            put(out, format_args!("\x1b[?{}{letter}", mode as u16));
        }
    }
    if core.urxvt_mouse {
        out.extend_from_slice(b"\x1b[?1015h");
    }
    // Painting changes mode 2027, so it is always said.
    let letter = if core.has(Mode::GRAPHEME_CLUSTER) { 'h' } else { 'l' };
    put(out, format_args!("\x1b[?2027{letter}"));
    for (bit, mode) in
        [(Mode::INSERT, NamedMode::Insert), (Mode::LINE_FEED_NEW_LINE, NamedMode::LineFeedNewLine)]
    {
        if core.has(bit) {
            put(out, format_args!("\x1b[{}h", mode as u16));
        }
    }
    if core.has(Mode::APP_KEYPAD) {
        out.extend_from_slice(b"\x1b=");
    }
    if let Some(level) = core.term.modify_other_keys() {
        put(out, format_args!("\x1b[>4;{level}m"));
    }
    if core.cursor_style() != 2 {
        put(out, format_args!("\x1b[{} q", core.cursor_style()));
    }
}
