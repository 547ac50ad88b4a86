//! Mouse events as bytes.

use crate::domain::key::{Key, KeyCode, Modifiers};
use crate::runtime::keys::key::{KeyKind, encode_key};
use crate::runtime::screen::{InputModes, MouseEncoding, MouseProtocol};

/// Rows that one notch of the wheel scrolls where it is sent as arrow keys.
const WHEEL_ROWS: usize = 3;
/// Highest coordinate, from 1, that one byte holds.
const LEGACY_LIMIT: u16 = 223;
/// Highest coordinate, from 1, that a two byte character holds.
const UTF8_LIMIT: u16 = 2015;

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// A button went down, or the wheel turned a notch.
    Press,
    /// A button went up.
    Release,
    /// The pointer moved, with the named button held or with none.
    Motion,
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseButton {
    /// No button, for motion.
    None,
    /// The left one.
    Left,
    /// The middle one.
    Middle,
    /// The right one.
    Right,
    /// The wheel, away from the hand.
    WheelUp,
    /// The wheel, toward the hand.
    WheelDown,
    /// The wheel, to the left.
    WheelLeft,
    /// The wheel, to the right.
    WheelRight,
}

impl MouseButton {
    fn code(self) -> u16 {
        match self {
            Self::Left => 0,
            Self::Middle => 1,
            Self::Right => 2,
            Self::None => 3,
            Self::WheelUp => 64,
            Self::WheelDown => 65,
            Self::WheelLeft => 66,
            Self::WheelRight => 67,
        }
    }

    fn is_wheel(self) -> bool {
        self.code() >= 64
    }
}

/// A mouse event in cells of the program's screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MouseEvent {
    /// What happened.
    pub kind: MouseKind,
    /// Which button.
    pub button: MouseButton,
    /// Column, from 0.
    pub col: u16,
    /// Row, from 0.
    pub row: u16,
    /// Modifiers held.
    pub mods: Modifiers,
}

/// The bytes of a mouse event, or `None` where the program did not ask for it or its encoding
/// cannot say it. Without a mouse mode the wheel sends arrow keys in the alternate screen.
pub fn encode_mouse(event: MouseEvent, modes: &InputModes) -> Option<Vec<u8>> {
    if modes.mouse == MouseProtocol::Off {
        return wheel_as_arrows(event, modes);
    }
    if !is_wanted(event, modes.mouse) {
        return None;
    }
    let mut code = event.button.code();
    if event.kind == MouseKind::Motion {
        code += 32;
    }
    if modes.mouse != MouseProtocol::X10 {
        let Modifiers { ctrl, alt, shift, .. } = event.mods;
        code += 4 * u16::from(shift) + 8 * u16::from(alt) + 16 * u16::from(ctrl);
    }
    let released = event.kind == MouseKind::Release;
    let (column, row) = (event.col.saturating_add(1), event.row.saturating_add(1));
    if modes.mouse_encoding == MouseEncoding::Sgr {
        let end = if released { 'm' } else { 'M' };
        return Some(format!("\x1b[<{code};{column};{row}{end}").into_bytes());
    }
    if released {
        // The old forms do not say which button went up.
        code = code - event.button.code() + MouseButton::None.code();
    }
    if modes.mouse_encoding == MouseEncoding::Urxvt {
        return Some(format!("\x1b[{};{column};{row}M", code + 32).into_bytes());
    }
    let values = [code, column, row].map(|value| value.saturating_add(32));
    let mut out = b"\x1b[M".to_vec();
    if modes.mouse_encoding == MouseEncoding::Utf8 {
        if column.max(row) > UTF8_LIMIT {
            return None;
        }
        let text: String = values.iter().filter_map(|&v| char::from_u32(u32::from(v))).collect();
        out.extend_from_slice(text.as_bytes());
    } else {
        if column.max(row) > LEGACY_LIMIT {
            return None;
        }
        out.extend(values.map(|value| value as u8));
    }
    Some(out)
}

fn is_wanted(event: MouseEvent, protocol: MouseProtocol) -> bool {
    let held = event.button != MouseButton::None;
    match (event.kind, protocol) {
        (MouseKind::Press, MouseProtocol::X10) => held && !event.button.is_wheel(),
        (MouseKind::Press, MouseProtocol::Click | MouseProtocol::Drag | MouseProtocol::Motion)
        | (MouseKind::Motion, MouseProtocol::Drag) => held,
        (
            MouseKind::Release,
            MouseProtocol::Click | MouseProtocol::Drag | MouseProtocol::Motion,
        ) => !event.button.is_wheel(),
        (MouseKind::Motion, MouseProtocol::Motion) => true,
        _ => false,
    }
}

fn wheel_as_arrows(event: MouseEvent, modes: &InputModes) -> Option<Vec<u8>> {
    let code = match event.button {
        MouseButton::WheelUp => KeyCode::Up,
        MouseButton::WheelDown => KeyCode::Down,
        _ => return None,
    };
    if !modes.alternate || !modes.alternate_scroll || event.kind != MouseKind::Press {
        return None;
    }
    Some(encode_key(&Key::plain(code), KeyKind::Press, modes).repeat(WHEEL_ROWS))
}
