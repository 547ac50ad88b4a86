//! An agent that has another size than the operator's terminal: drawn from an engine, from the upper
//! left corner, and cropped. Keys go the same way as ever, so the terminal is given the modes that
//! decide how it writes them.

use std::io;
use std::time::{Duration, Instant};

use ratatui::Frame;

use super::filter::Titles;
use super::restore::{Touched, put, undo};
use crate::runtime::screen::{InputModes, MouseEncoding, MouseProtocol, Screen, Size};
use crate::tui::app::screen::ScreenCells;
use crate::tui::links::Links;
use crate::tui::live::picture::picture;
use crate::tui::terminal::Canvas;
use crate::tui::theme::Depth;

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// A frame that a program holds (mode 2026) is shown after this time all the same.
const HELD_AT_MOST: Duration = Duration::from_millis(150);

/// A screen and what is shown of it.
pub(super) struct Drawn {
    pub(super) screen: Screen,
    /// Columns and rows of the terminal that is drawn on.
    pub(super) terminal: (u16, u16),
    canvas: Canvas,
    depth: Depth,
    modes: InputModes,
    title: Option<String>,
    /// Since when there is something to be drawn.
    dirty: Option<Instant>,
    last: Option<Instant>,
}

impl Drawn {
    /// What a snapshot shows.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) fn new(
        terminal: (u16, u16),
        size: Size,
        snapshot: &[u8],
        depth: Depth,
        now: Instant,
    ) -> io::Result<Self> {
        let screen = replayed(size, snapshot);
        let canvas = Canvas::new()?;
        let (modes, dirty) = (InputModes::default(), Some(now));
        Ok(Self { screen, terminal, canvas, depth, modes, title: None, dirty, last: None })
    }

    /// Goes on with what another snapshot shows, without a clear screen in between.
    pub(super) fn renew(&mut self, size: Size, snapshot: &[u8], now: Instant) {
        self.screen = replayed(size, snapshot);
        self.redraw(now);
    }

    /// Sets the program's title again with the next frame.
    pub(super) fn name_again(&mut self, now: Instant) {
        self.title = None;
        self.redraw(now);
    }

    /// Undoes what was, for a clear screen to draw on.
    pub(super) fn begin(touched: &mut Touched, out: &mut Vec<u8>) {
        out.extend_from_slice(&undo(touched));
        out.extend_from_slice(b"\x1b[?1049h\x1b[?1007l\x1b[2J");
        *touched = Touched { alternate: true, ..Touched::default() };
    }

    /// Takes what the program wrote.
    pub(super) fn feed(&mut self, bytes: &[u8], now: Instant) {
        self.screen.feed(bytes);
        // The keeper's engine answers queries.
        self.screen.take_replies();
        self.dirty.get_or_insert(now);
    }

    /// Draws all of it again.
    pub(super) fn redraw(&mut self, now: Instant) {
        self.dirty.get_or_insert(now);
    }

    /// When a frame is due; none while nothing changed.
    pub(super) fn due(&self) -> Option<Instant> {
        let since = self.dirty?;
        let paced = self.last.map_or(since, |last| (last + FRAME).max(since));
        Some(if self.screen.synchronized() { paced.max(since + HELD_AT_MOST) } else { paced })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) fn draw(
        &mut self,
        touched: &mut Touched,
        titles: &Titles,
        now: Instant,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        self.dirty = None;
        self.last = Some(now);
        if self.title.as_deref() != Some(self.screen.title()) {
            let title = self.screen.title().to_owned();
            titles.set(out, title.as_bytes());
            self.title = Some(title);
        }
        let modes = self.screen.modes();
        change_modes(&self.modes, &modes, touched, out);
        self.modes = modes;
        let cells = picture(&self.screen, false, self.depth);
        out.append(&mut self.canvas.draw(|frame, links| draw(frame, links, &cells))?);
        Ok(())
    }
}

/// The screen that a snapshot stands for.
fn replayed(size: Size, snapshot: &[u8]) -> Screen {
    let mut screen = Screen::new(size, 0);
    screen.replay(snapshot);
    screen.take_replies();
    screen
}

/// Has the terminal write keys and mouse as the program wants them.
fn change_modes(was: &InputModes, is: &InputModes, touched: &mut Touched, out: &mut Vec<u8>) {
    let changes: Vec<(u16, bool)> = private_modes(was)
        .into_iter()
        .zip(private_modes(is))
        .filter_map(|(was, is)| (was != is).then_some(is))
        .collect();
    // Off first: one protocol of the mouse takes the place of another.
    for on in [false, true] {
        for (mode, _) in changes.iter().filter(|(_, is)| *is == on) {
            put(out, format_args!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }));
        }
    }
    if was.kitty != is.kitty {
        put(out, format_args!("\x1b[={}u", is.kitty));
    }
    if was.modify_other_keys != is.modify_other_keys {
        touched.other_keys = true;
        put(out, format_args!("\x1b[>4;{}m", is.modify_other_keys));
    }
}

/// The private modes that decide how keys and mouse are written.
fn private_modes(modes: &InputModes) -> [(u16, bool); 10] {
    [
        (1, modes.app_cursor),
        (66, modes.app_keypad),
        (9, modes.mouse == MouseProtocol::X10),
        (1000, modes.mouse == MouseProtocol::Click),
        (1002, modes.mouse == MouseProtocol::Drag),
        (1003, modes.mouse == MouseProtocol::Motion),
        (1005, modes.mouse_encoding == MouseEncoding::Utf8),
        (1006, modes.mouse_encoding == MouseEncoding::Sgr),
        (1004, modes.focus),
        (2004, modes.bracketed_paste),
    ]
}

/// The cells as they are, from the upper left corner; what does not fit is cropped.
fn draw(frame: &mut Frame<'_>, links: &mut Links, cells: &ScreenCells) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    for (y, row) in (area.y..area.bottom()).zip(&cells.rows) {
        for cell in row.iter().filter(|cell| cell.col + cell.width <= area.width) {
            let room = usize::from(cell.width);
            buffer.set_stringn(area.x + cell.col, y, &cell.text, room, cell.style);
            if let Some(link) = &cell.link {
                links.put((area.x + cell.col, y), link);
            }
        }
    }
    if let Some((col, row)) =
        cells.cursor.filter(|(col, row)| *col < area.width && *row < area.height)
    {
        frame.set_cursor_position((area.x + col, area.y + row));
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal as Ratatui;
    use ratatui::backend::TestBackend;

    use super::*;

    /// The terminal writes keys as the program asked for, also where its screen is drawn.
    #[test]
    fn the_terminal_gets_the_modes_of_the_program() {
        let mut program = Screen::new(Size { cols: 10, rows: 2 }, 0);
        let mut terminal = Screen::new(Size { cols: 20, rows: 4 }, 0);
        let mut touched = Touched::default();
        let mut shown = InputModes::default();
        for sets in [
            "\x1b[?1h\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[>5u",
            "\x1b[?1003h\x1b[?1004h\x1b[>4;2m\x1b[<u",
            "\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b[?1004l\x1b[>4m",
        ] {
            program.feed(sets.as_bytes());
            let (modes, mut out) = (program.modes(), Vec::new());
            change_modes(&shown, &modes, &mut touched, &mut out);
            terminal.feed(&out);
            assert_eq!(terminal.modes(), modes, "after {sets:?}");
            shown = modes;
        }
        assert!(touched.other_keys);
    }

    #[test]
    fn what_does_not_fit_is_cropped() {
        let mut cells = ScreenCells::from_lines(6, &["abcdef", "second", "third"]);
        cells.cursor = Some((5, 2));
        let mut terminal = Ratatui::new(TestBackend::new(4, 2)).unwrap();
        cells.rows[0][1].link = Some("https://a.b".into());
        cells.rows[0][4].link = Some("https://a.b".into());
        let mut links = Links::default();
        terminal.draw(|frame| draw(frame, &mut links, &cells)).unwrap();
        terminal.backend().assert_buffer_lines(["abcd", "seco"]);
        assert!(links.at((1, 0)).is_some() && links.at((4, 0)).is_none());
    }
}
