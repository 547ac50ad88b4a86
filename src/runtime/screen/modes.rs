//! Modes of the terminal that the outside needs, and state the engine keeps to itself.

use rio_vt::crosswords::pos::CharsetIndex;

/// Which mouse events the program asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MouseProtocol {
    /// None.
    #[default]
    Off,
    /// Presses only, without modifiers (mode 9).
    X10,
    /// Presses and releases (mode 1000).
    Click,
    /// The same and motion while a button is held (mode 1002).
    Drag,
    /// The same and all motion (mode 1003).
    Motion,
}

/// How mouse events are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MouseEncoding {
    /// Three bytes, columns and rows up to 223.
    #[default]
    Legacy,
    /// Characters, up to 2,015 (mode 1005).
    Utf8,
    /// Numbers, without the button that was released (mode 1015).
    Urxvt,
    /// Numbers (mode 1006).
    Sgr,
}

/// What key, mouse, focus and paste encoding depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent modes of a terminal")]
pub struct InputModes {
    /// Arrow keys send `SS3` (mode 1).
    pub app_cursor: bool,
    /// The keypad sends application codes.
    pub app_keypad: bool,
    /// Enter sends CR LF (mode 20).
    pub newline: bool,
    /// Pastes are bracketed (mode 2004).
    pub bracketed_paste: bool,
    /// Focus changes are reported (mode 1004).
    pub focus: bool,
    /// Mouse events asked for.
    pub mouse: MouseProtocol,
    /// How they are written.
    pub mouse_encoding: MouseEncoding,
    /// The wheel sends arrow keys in the alternate screen (mode 1007).
    pub alternate_scroll: bool,
    /// The alternate screen is shown.
    pub alternate: bool,
    /// Flags of the kitty keyboard protocol, 0 to 31.
    pub kitty: u8,
    /// Level of xterm's modifyOtherKeys, 0 to 2.
    pub modify_other_keys: u8,
}

/// Shape of the cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CursorShape {
    /// A block.
    #[default]
    Block,
    /// A line below.
    Underline,
    /// A bar before.
    Bar,
}

/// The cursor as shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Row, from 0.
    pub row: u16,
    /// Column, from 0; the last column while a wrap is pending.
    pub col: u16,
    /// Whether the program shows it (mode 25).
    pub visible: bool,
    /// Shape.
    pub shape: CursorShape,
}

/// Size of a screen in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

impl Size {
    /// Smallest size: the engine needs two columns for a wide character.
    pub const MIN: Self = Self { cols: 2, rows: 1 };
    /// Largest size.
    pub const MAX: Self = Self { cols: 1000, rows: 1000 };

    /// The nearest size that an engine takes.
    pub fn clamped(self) -> Self {
        Self {
            cols: self.cols.clamp(Self::MIN.cols, Self::MAX.cols),
            rows: self.rows.clamp(Self::MIN.rows, Self::MAX.rows),
        }
    }
}

/// Deepest stack of keyboard flags; the oldest entry goes when one more is pushed (kitty protocol).
const KEYBOARD_DEPTH: usize = 16;

/// The keyboard flags of one screen (kitty keyboard protocol).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Keyboard {
    pub(super) current: u8,
    pub(super) saved: Vec<u8>,
}

impl Keyboard {
    pub(super) fn push(&mut self, flags: u8) {
        if self.saved.len() == KEYBOARD_DEPTH {
            self.saved.remove(0);
        }
        self.saved.push(self.current);
        self.current = flags;
    }

    pub(super) fn pop(&mut self, count: u16) {
        for _ in 0..usize::from(count).min(KEYBOARD_DEPTH + 1) {
            self.current = self.saved.pop().unwrap_or(0);
        }
    }
}

/// What DECSC keeps beside the engine's own saved cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SavedBeside {
    /// The charset in use.
    pub(super) charset: CharsetIndex,
    /// Which charsets are the British one.
    pub(super) british: [bool; 4],
    /// Origin mode.
    pub(super) origin: bool,
}

/// Tab stops. The engine's own cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TabStops(pub(super) Vec<bool>);

impl TabStops {
    const INTERVAL: usize = 8;

    pub(super) fn new(columns: usize) -> Self {
        Self((0..columns).map(|column| column % Self::INTERVAL == 0).collect())
    }

    pub(super) fn resize(&mut self, columns: usize) {
        self.0.truncate(columns);
        for column in self.0.len()..columns {
            self.0.push(column % Self::INTERVAL == 0);
        }
    }

    /// The next stop after a column.
    pub(super) fn after(&self, column: usize) -> Option<usize> {
        (column + 1..self.0.len()).find(|&at| self.0[at])
    }

    /// The last stop before a column.
    pub(super) fn before(&self, column: usize) -> Option<usize> {
        (0..column.min(self.0.len())).rev().find(|&at| self.0[at])
    }

    pub(super) fn set(&mut self, column: usize, stop: bool) {
        if let Some(slot) = self.0.get_mut(column) {
            *slot = stop;
        }
    }
}
