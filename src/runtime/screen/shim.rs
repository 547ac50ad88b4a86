//! The engine's handler, wrapped: what the engine does right is passed on, what it does wrong or
//! not at all is done here. Images and custom glyphs are passed on nowhere.
//!
//! The handler trait has no-op defaults, so a method that a new engine version adds does nothing
//! until it is listed here; compare the lists when the pinned version moves.

use rio_vt::ansi::mode::{Mode as AnsiMode, PrivateMode};
use rio_vt::ansi::{
    ClearMode, CursorShape, KeyboardModes, KeyboardModesApplyBehavior, LineClearMode,
    TabulationClearMode,
};
use rio_vt::codepoint_width::codepoint_width;
use rio_vt::config::colors::ColorRgb;
use rio_vt::crosswords::Mode;
use rio_vt::crosswords::attr::Attr;
use rio_vt::crosswords::pos::{CharsetIndex, Column, Line, StandardCharset};
use rio_vt::grapheme_lut::class_of;
use rio_vt::performer::handler::Handler;

use super::core::Core;
use super::event::ScreenEvent;
use super::modes::TabStops;

/// Grapheme class of characters that join nothing.
pub(super) const CLASS_OTHER: u8 = 0;

/// Cell size in pixels that pixel queries are answered with.
const CELL_PIXELS: (u16, u16) = (8, 16);

/// Passes methods on to the engine as they are.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(fn $name(&mut self $(, $argument: $kind)*) {
            self.term.$name($($argument),*);
        })*
    };
}

impl Core {
    fn private_mode_state(&self, number: u16) -> Option<u8> {
        let state = |set: bool| if set { 1 } else { 2 };
        match number {
            47 | 1047 | 1049 => Some(state(self.primary.is_some())),
            1015 => Some(state(self.urxvt_mouse)),
            // DECCOLM is permanently off.
            3 => Some(4),
            _ => None,
        }
    }
}

impl Handler for Core {
    pass_on! {
        set_mode(mode: AnsiMode);
        unset_mode(mode: AnsiMode);
        report_mode(mode: AnsiMode);
        set_cursor_style(style: Option<CursorShape>, blinking: bool);
        set_cursor_shape(shape: CursorShape);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        goto(line: Line, column: Column);
        goto_line(line: Line);
        move_forward(columns: Column);
        move_backward(columns: Column);
        backspace();
        carriage_return();
        newline();
        substitute();
        scroll_up(rows: usize);
        scroll_down(rows: usize);
        insert_blank_lines(count: usize);
        delete_lines(count: usize);
        erase_chars(count: Column);
        clear_line(mode: LineClearMode);
        reverse_index();
        set_color(index: usize, color: ColorRgb);
        reset_color(index: usize);
    }

    fn input(&mut self, c: char) {
        self.last = Some(c);
        self.put(c);
    }

    fn input_ascii_str(&mut self, text: &str) {
        self.last = text.chars().next_back().or(self.last);
        if self.has(Mode::INSERT) || self.is_british() {
            text.chars().for_each(|c| self.put(c));
        } else {
            self.term.input_ascii_str(text);
        }
    }

    fn input_codepoints(&mut self, codepoints: &[u32]) {
        self.last = codepoints.last().and_then(|&c| char::from_u32(c)).or(self.last);
        let character = |c: u32| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
        let joins = |&c: &u32| {
            c > 0xff && (class_of(character(c)) != CLASS_OTHER || codepoint_width(c) == Some(0))
        };
        if self.has(Mode::INSERT) || self.is_british() || codepoints.iter().any(joins) {
            for &c in codepoints {
                self.put(character(c));
            }
        } else {
            self.term.input_codepoints(codepoints);
        }
    }

    fn move_forward_tabs(&mut self, count: u16) {
        self.tab_forward(count);
    }

    fn move_backward_tabs(&mut self, count: u16) {
        self.tab_backward(count);
    }

    fn put_tab(&mut self, count: u16) {
        // The engine would leave a tab character in the cell.
        self.tab_forward(count);
    }

    fn set_tabs(&mut self, _: u16) {
        // DECST8C, the only caller.
        self.tabs = TabStops::new(usize::from(self.size().cols));
    }

    fn save_cursor_position(&mut self) {
        self.save_cursor();
    }

    fn restore_cursor_position(&mut self) {
        self.restore_cursor();
    }

    fn configure_charset(&mut self, index: CharsetIndex, charset: StandardCharset) {
        self.designate(index, charset, false);
    }

    fn linefeed(&mut self) {
        self.term.linefeed();
        if self.has(Mode::LINE_FEED_NEW_LINE) {
            self.term.carriage_return();
        }
    }

    fn move_up(&mut self, rows: usize) {
        self.place(self.rows_up(rows), self.position().1);
    }

    fn move_down(&mut self, rows: usize) {
        self.place(self.rows_down(rows), self.position().1);
    }

    fn move_up_and_cr(&mut self, rows: usize) {
        self.place(self.rows_up(rows), 0);
    }

    fn move_down_and_cr(&mut self, rows: usize) {
        self.place(self.rows_down(rows), 0);
    }

    fn goto_col(&mut self, column: Column) {
        self.place(self.position().0, column.0);
    }

    fn terminal_attribute(&mut self, attribute: Attr) {
        // SGR 21 is a double underline (ECMA-48), not the end of bold.
        self.term.terminal_attribute(match attribute {
            Attr::CancelBold => Attr::DoubleUnderline,
            other => other,
        });
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        let row = self.position().0;
        match mode {
            ClearMode::All => self.clear_all(),
            ClearMode::Above => {
                self.term.clear_screen(ClearMode::Above);
                // The engine forgets the first row when the cursor is on the second.
                self.term.grid.reset_region(..Line(row as i32));
            }
            other => self.term.clear_screen(other),
        }
    }

    fn insert_blank(&mut self, count: usize) {
        self.term.insert_blank(count);
        self.repair_current_row();
    }

    fn delete_chars(&mut self, count: usize) {
        // The engine erases before the cursor where fewer columns are left.
        let left = usize::from(self.size().cols).saturating_sub(self.position().1);
        self.term.delete_chars(count.min(left));
        self.repair_current_row();
    }

    fn decaln(&mut self) {
        self.set_region(0, usize::from(self.size().rows));
        self.place(0, 0);
        self.term.decaln();
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = usize::from(self.size().rows);
        self.set_region(top.saturating_sub(1), bottom.unwrap_or(rows));
    }

    fn reset_state(&mut self) {
        self.reset();
    }

    fn set_horizontal_tabstop(&mut self) {
        self.tabs.set(self.position().1, true);
    }

    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        match mode {
            TabulationClearMode::Current => self.tabs.set(self.position().1, false),
            TabulationClearMode::All => self.tabs.0.fill(false),
        }
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.charset = index;
        self.term.set_active_charset(index);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        match mode.raw() {
            1049 => self.enter_alternate(true),
            47 | 1047 => self.enter_alternate(false),
            1048 => self.save_cursor(),
            1015 => self.urxvt_mouse = true,
            3 | 80 | 1070 | 8452 => {}
            6 => {
                self.term.set_private_mode(mode);
                self.term.goto(Line(0), Column(0));
            }
            _ => self.term.set_private_mode(mode),
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        match mode.raw() {
            47 | 1047 | 1049 => self.leave_alternate(mode.raw() == 1049),
            1048 => self.restore_cursor(),
            1015 => self.urxvt_mouse = false,
            3 | 80 | 1070 | 8452 => {}
            6 => {
                self.term.unset_private_mode(mode);
                self.term.goto(Line(0), Column(0));
            }
            _ => self.term.unset_private_mode(mode),
        }
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        let number = mode.raw();
        match self.private_mode_state(number) {
            Some(state) => self.reply(&format!("\x1b[?{number};{state}$y")),
            None => self.term.report_private_mode(mode),
        }
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        match intermediate {
            // A VT220 with colours and clipboard writes.
            None => self.reply("\x1b[?62;22;52c"),
            Some('>') => self.reply("\x1b[>1;100;0c"),
            _ => {}
        }
    }

    fn report_version(&mut self) {
        self.reply(concat!("\x1bP>|callboard ", env!("CARGO_PKG_VERSION"), "\x1b\\"));
    }

    fn device_status(&mut self, query: usize) {
        match query {
            5 => self.reply("\x1b[0n"),
            6 => self.report_position(""),
            _ => {}
        }
    }

    fn text_area_size_chars(&mut self) {
        let size = self.size();
        self.reply(&format!("\x1b[8;{};{}t", size.rows, size.cols));
    }

    fn text_area_size_pixels(&mut self) {
        let size = self.size();
        let (width, height) = CELL_PIXELS;
        self.reply(&format!("\x1b[4;{};{}t", size.rows * height, size.cols * width));
    }

    fn cells_size_pixels(&mut self) {
        let (width, height) = CELL_PIXELS;
        self.reply(&format!("\x1b[6;{height};{width}t"));
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        let (r, g, b) = self.color(index);
        self.reply(&format!(
            "\x1b]{prefix};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{terminator}"
        ));
    }

    fn report_keyboard_mode(&mut self) {
        let flags = self.keyboard().current;
        self.reply(&format!("\x1b[?{flags}u"));
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        self.keyboard().push(mode.bits());
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        self.keyboard().pop(count);
    }

    fn set_keyboard_mode(&mut self, mode: KeyboardModes, apply: KeyboardModesApplyBehavior) {
        let flags = &mut self.keyboard().current;
        *flags = match apply {
            KeyboardModesApplyBehavior::Replace => mode.bits(),
            KeyboardModesApplyBehavior::Union => *flags | mode.bits(),
            KeyboardModesApplyBehavior::Difference => *flags & !mode.bits(),
        };
    }

    fn push_title(&mut self) {
        self.save_title();
    }

    fn pop_title(&mut self) {
        self.restore_title();
    }

    fn bell(&mut self) {
        self.event(ScreenEvent::Bell);
    }
}
