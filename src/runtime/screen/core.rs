//! The terminal state: the engine's grid and modes plus everything it does not have or does not
//! show: the alternate screen, keyboard stacks, titles, tab stops, scroll region, events.

use std::sync::{Arc, Mutex, PoisonError};

use rio_vt::ansi::CursorShape as EngineShape;
use rio_vt::ansi::mode::{NamedMode, NamedPrivateMode};

use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{CharsetIndex, Line, StandardCharset};
use rio_vt::crosswords::square::Square;
use rio_vt::crosswords::style::Style as EngineStyle;
use rio_vt::crosswords::{Crosswords, CrosswordsSize, Mode};
use rio_vt::event::{EventListener, RioEvent, WindowId};
use rio_vt::performer::handler::Handler;

use super::budget::Budget;
use super::cell;
use super::event::ScreenEvent;
use super::modes::{
    InputModes, Keyboard, MouseEncoding, MouseProtocol, SavedBeside, Size, TabStops,
};
use super::palette::Rgb;
use super::repair::{plain_blanks, repair_row};
use super::text::{clean, truncate};

/// Most bytes of replies kept until somebody takes them.
const REPLY_LIMIT: usize = 64 * 1024;
/// Most events kept of one feed.
const EVENT_LIMIT: usize = 1024;
/// Longest title, in bytes.
const TITLE_LIMIT: usize = 1024;
/// Deepest title stack.
const TITLE_DEPTH: usize = 16;

/// Replies for the PTY. The engine writes its own into it through its listener.
#[derive(Debug, Clone, Default)]
pub(super) struct Outbox(Arc<Mutex<Vec<u8>>>);

impl Outbox {
    pub(super) fn push(&self, reply: &str) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.len() + reply.len() <= REPLY_LIMIT {
            bytes.extend_from_slice(reply.as_bytes());
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl EventListener for Outbox {
    fn send_event(&self, event: RioEvent, _: WindowId) {
        if let RioEvent::PtyWrite(_, reply) = event {
            self.push(&reply);
        }
    }
}

/// The whole terminal state behind the parser.
pub(super) struct Core {
    pub(super) term: Crosswords<Outbox>,
    pub(super) outbox: Outbox,
    pub(super) events: Vec<ScreenEvent>,
    /// The primary screen while the alternate one is shown (then `term.grid`).
    pub(super) primary: Option<Grid<Square>>,
    /// Keyboard flags of the primary and the alternate screen.
    pub(super) keyboards: [Keyboard; 2],
    /// Scroll region: first row and the row after the last one.
    pub(super) region: (usize, usize),
    pub(super) tabs: TabStops,
    pub(super) charset: CharsetIndex,
    /// Which of the four charsets of the primary and the alternate screen are the British one.
    pub(super) british: [[bool; 4]; 2],
    /// What is saved with the cursors of the primary and the alternate screen.
    pub(super) saved: [SavedBeside; 2],
    /// Mode 1015.
    pub(super) urxvt_mouse: bool,
    pub(super) title: String,
    pub(super) titles: Vec<String>,
    /// What REP repeats.
    pub(super) last: Option<char>,
    /// Answers to queries of the default colours: foreground and background.
    pub(super) defaults: (Rgb, Rgb),
    /// Parts of an OSC 99 notification that is not complete yet.
    pub(super) notification: (String, String),
    pub(super) budget: Budget,
    /// A snapshot is replayed: its private sequences are ours.
    pub(super) replays: bool,
}

impl Core {
    pub(super) fn new(size: Size, history: usize, defaults: (Rgb, Rgb)) -> Self {
        let outbox = Outbox::default();
        let term = Crosswords::new(
            dimensions(size),
            EngineShape::Block,
            outbox.clone(),
            WindowId::from(0),
            0,
            history,
        );
        Self {
            term,
            outbox,
            events: Vec::new(),
            primary: None,
            keyboards: [Keyboard::default(), Keyboard::default()],
            region: (0, usize::from(size.rows)),
            tabs: TabStops::new(usize::from(size.cols)),
            charset: CharsetIndex::G0,
            british: [[false; 4]; 2],
            saved: [SavedBeside::default(); 2],
            urxvt_mouse: false,
            title: String::new(),
            titles: Vec::new(),
            last: None,
            defaults,
            notification: (String::new(), String::new()),
            budget: Budget::default(),
            replays: false,
        }
    }

    pub(super) fn event(&mut self, event: ScreenEvent) {
        if self.events.len() < EVENT_LIMIT {
            self.events.push(event);
        }
    }

    pub(super) fn reply(&self, reply: &str) {
        self.outbox.push(reply);
    }

    pub(super) fn size(&self) -> Size {
        Size { cols: self.term.columns() as u16, rows: self.term.screen_lines() as u16 }
    }

    pub(super) fn has(&self, mode: Mode) -> bool {
        self.term.mode().contains(mode)
    }

    pub(super) fn resize(&mut self, size: Size) {
        let old = self.size();
        if old == size {
            return;
        }
        // The engine's resize reflows the grid it holds, so it must hold the primary one; the
        // alternate screen is cut or grown without reflow.
        plain_blanks(&mut self.term.grid);
        if let Some(primary) = &mut self.primary {
            plain_blanks(primary);
        }
        let alternate =
            self.primary.take().map(|primary| std::mem::replace(&mut self.term.grid, primary));
        self.term.resize(dimensions(size));
        if let Some(mut grid) = alternate {
            grid.resize(false, usize::from(size.rows), usize::from(size.cols));
            self.primary = Some(std::mem::replace(&mut self.term.grid, grid));
        }
        for grid in self.primary.iter_mut().chain([&mut self.term.grid]) {
            for row in (0..usize::from(size.rows)).map(Line::from) {
                repair_row(grid, row);
            }
            // A wrap can only be pending in the last column.
            let last = grid.last_column();
            for cursor in [&mut grid.cursor, &mut grid.saved_cursor] {
                cursor.should_wrap &= cursor.pos.col == last;
            }
        }
        self.region = (0, usize::from(size.rows));
        if old.cols != size.cols {
            self.tabs.resize(usize::from(size.cols));
        }
    }

    /// Shows the alternate screen, empty, with the cursor where it was (modes 47, 1047, 1049).
    pub(super) fn enter_alternate(&mut self, save_cursor: bool) {
        if self.primary.is_some() {
            return;
        }
        let size = self.size();
        let mut grid = Grid::new(usize::from(size.rows), usize::from(size.cols), 0);
        let cursor = &self.term.grid.cursor;
        grid.cursor.pos = cursor.pos;
        grid.cursor.charsets = cursor.charsets;
        grid.cursor.should_wrap = cursor.should_wrap;
        grid.set_template_style(cursor.pending_style);
        // Links live in a table of their grid.
        let link = cell::hyperlink(&self.term.grid, cursor.template).cloned();
        grid.sync_template_style();
        grid.reset_region(..);
        if save_cursor {
            self.save_cursor();
        }
        self.british[1] = self.british[0];
        self.saved[1] = SavedBeside::default();
        self.primary = Some(std::mem::replace(&mut self.term.grid, grid));
        self.term.set_hyperlink(link);
        self.term.mark_fully_damaged();
    }

    /// Shows the primary screen again, with the cursor that it had; mode 1049 also restores what is
    /// saved beside it.
    pub(super) fn leave_alternate(&mut self, restore_cursor: bool) {
        if let Some(primary) = self.primary.take() {
            self.term.grid = primary;
            if restore_cursor {
                self.restore_beside();
            }
            // The next program in the alternate screen starts afresh.
            self.keyboards[1] = Keyboard::default();
            self.term.mark_fully_damaged();
        }
    }

    /// 0 for the primary screen, 1 for the alternate one.
    pub(super) fn screen(&self) -> usize {
        usize::from(self.primary.is_some())
    }

    pub(super) fn keyboard(&mut self) -> &mut Keyboard {
        let screen = self.screen();
        &mut self.keyboards[screen]
    }

    /// Sets the scroll region to the rows from `top` to before `bottom`, at least two.
    pub(super) fn set_region(&mut self, top: usize, bottom: usize) {
        let bottom = bottom.min(usize::from(self.size().rows));
        if top + 1 < bottom {
            self.region = (top, bottom);
            self.term.set_scrolling_region(top + 1, Some(bottom));
        }
    }

    pub(super) fn set_title_text(&mut self, title: &str) {
        let title = truncate(clean(title).trim(), TITLE_LIMIT);
        if title != self.title {
            self.title.clone_from(&title);
            self.event(ScreenEvent::Title(title));
        }
    }

    pub(super) fn save_title(&mut self) {
        if self.titles.len() == TITLE_DEPTH {
            self.titles.remove(0);
        }
        self.titles.push(self.title.clone());
    }

    pub(super) fn restore_title(&mut self) {
        if let Some(title) = self.titles.pop() {
            self.set_title_text(&title);
        }
    }

    /// Full reset (RIS).
    pub(super) fn reset(&mut self) {
        self.leave_alternate(false);
        self.term.reset_state();
        self.term.colors = rio_vt::config::colors::term::TermColors::default();
        self.term.blinking_cursor = false;
        let size = self.size();
        self.region = (0, usize::from(size.rows));
        self.tabs = TabStops::new(usize::from(size.cols));
        self.charset = CharsetIndex::G0;
        self.british = [[false; 4]; 2];
        self.saved = [SavedBeside::default(); 2];
        self.urxvt_mouse = false;
        self.keyboards = [Keyboard::default(), Keyboard::default()];
        self.titles.clear();
        self.set_title_text("");
    }

    /// Soft reset (DECSTR): modes, region, pen, charsets and saved cursor; no cell and no move.
    pub(super) fn soft_reset(&mut self) {
        let (row, column) = self.position();
        self.term.unset_mode(NamedMode::Insert.into());
        self.term.unset_private_mode(NamedPrivateMode::Origin.into());
        self.term.unset_private_mode(NamedPrivateMode::CursorKeys.into());
        self.term.set_private_mode(NamedPrivateMode::ShowCursor.into());
        self.term.set_private_mode(NamedPrivateMode::LineWrap.into());
        self.term.unset_keypad_application_mode();
        self.term.grid.set_template_style(EngineStyle::default());
        for set in [CharsetIndex::G0, CharsetIndex::G1, CharsetIndex::G2, CharsetIndex::G3] {
            self.configure_charset(set, StandardCharset::Ascii);
        }
        self.charset = CharsetIndex::G0;
        self.term.set_active_charset(CharsetIndex::G0);
        self.set_region(0, usize::from(self.size().rows));
        self.place(0, 0);
        self.save_cursor();
        self.place(row, column);
    }

    pub(super) fn input_modes(&self) -> InputModes {
        let alternate = self.primary.is_some();
        InputModes {
            app_cursor: self.has(Mode::APP_CURSOR),
            app_keypad: self.has(Mode::APP_KEYPAD),
            newline: self.has(Mode::LINE_FEED_NEW_LINE),
            bracketed_paste: self.has(Mode::BRACKETED_PASTE),
            focus: self.has(Mode::FOCUS_IN_OUT),
            mouse: self.mouse(),
            mouse_encoding: if self.has(Mode::SGR_MOUSE) {
                MouseEncoding::Sgr
            } else if self.urxvt_mouse {
                MouseEncoding::Urxvt
            } else if self.has(Mode::UTF8_MOUSE) {
                MouseEncoding::Utf8
            } else {
                MouseEncoding::Legacy
            },
            alternate_scroll: self.has(Mode::ALTERNATE_SCROLL),
            alternate,
            kitty: self.keyboards[usize::from(alternate)].current,
            modify_other_keys: self.term.modify_other_keys().unwrap_or(0),
        }
    }

    fn mouse(&self) -> MouseProtocol {
        [
            (Mode::MOUSE_MOTION, MouseProtocol::Motion),
            (Mode::MOUSE_DRAG, MouseProtocol::Drag),
            (Mode::MOUSE_REPORT_CLICK, MouseProtocol::Click),
            (Mode::MOUSE_REPORT_X10, MouseProtocol::X10),
        ]
        .into_iter()
        .find(|(mode, _)| self.has(*mode))
        .map_or(MouseProtocol::Off, |(_, protocol)| protocol)
    }
}

fn dimensions(size: Size) -> CrosswordsSize {
    CrosswordsSize::new(usize::from(size.cols), usize::from(size.rows))
}
