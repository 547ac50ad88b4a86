//! What an agent did to the operator's terminal, and the text that undoes it.

use std::io::Write as _;

/// Private modes that are let through, and what they are without an agent. A mode that is not here
/// is kept from the terminal: what cannot be undone must not be done.
pub(super) const MODES: [(u16, bool); 20] = [
    (1, false),    // application cursor keys
    (5, false),    // reverse video
    (6, false),    // origin
    (7, true),     // autowrap
    (9, false),    // mouse, presses
    (12, false),   // blinking cursor
    (25, true),    // cursor
    (45, false),   // reverse wraparound
    (66, false),   // application keypad
    (1000, false), // mouse, presses and releases
    (1002, false), // mouse, drags
    (1003, false), // mouse, all motion
    (1004, false), // focus
    (1005, false), // mouse as characters
    (1006, false), // mouse as numbers
    (1015, false), // mouse as numbers, urxvt
    (2004, false), // bracketed paste
    (2026, false), // synchronized output
    // Not the same in every terminal without an agent: saved at the entry.
    (1007, false), // the wheel as arrow keys
    (2027, false), // grapheme clusters
];

/// The last so many of [`MODES`] are put back as they were saved.
const SAVED: usize = 2;

/// Modes that show the alternate screen.
pub(super) const ALTERNATE: [u16; 3] = [47, 1047, 1049];
/// Saving and restoring the cursor, which leaves nothing behind.
pub(super) const SAVE_CURSOR: u16 = 1048;
/// Deepest stack of keyboard flags on one screen.
pub(super) const KEYBOARD_DEPTH: u8 = 8;

/// What of the terminal is not as it was. Modes are not counted: they are always undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent things of a terminal")]
pub(super) struct Touched {
    /// The alternate screen is shown.
    pub(super) alternate: bool,
    /// Keyboard flags that were pushed on the primary and on the alternate screen.
    pub(super) keyboards: [u8; 2],
    /// modifyOtherKeys.
    pub(super) other_keys: bool,
    /// Colours of the palette.
    pub(super) palette: bool,
    /// Foreground, background, cursor.
    pub(super) defaults: [bool; 3],
    /// A progress is shown.
    pub(super) progress: bool,
    /// Tab stops.
    pub(super) tabs: bool,
}

/// At the entry: what has a stack or a memory of its own is saved there.
pub(super) fn save() -> Vec<u8> {
    let mut out = b"\x1b[22;0t".to_vec();
    put(&mut out, format_args!("\x1b[?{}s", saved()));
    // The flags of the shell are below this entry.
    out.extend_from_slice(b"\x1b[>0u");
    out
}

/// The counterpart of [`save`], after [`undo`].
pub(super) fn restore() -> &'static [u8] {
    b"\x1b[<1u\x1b[23;0t"
}

fn saved() -> String {
    let numbers = MODES[MODES.len() - SAVED..].iter().map(|(mode, _)| mode.to_string());
    numbers.collect::<Vec<_>>().join(";")
}

/// Undoes everything that an agent set (`spec/runtime.md`, Attach). The cursor is home afterwards.
pub(super) fn undo(touched: &Touched) -> Vec<u8> {
    // First whatever a write that was cut off left open.
    let mut out = b"\x1b\\\x1b[?2026l\x1b]8;;\x1b\\".to_vec();
    if touched.alternate {
        keyboard(&mut out, touched.keyboards[1]);
        out.extend_from_slice(b"\x1b[?1049l");
    }
    keyboard(&mut out, touched.keyboards[0]);
    for (mode, on) in &MODES[..MODES.len() - SAVED] {
        put(&mut out, format_args!("\x1b[?{mode}{}", if *on { 'h' } else { 'l' }));
    }
    put(&mut out, format_args!("\x1b[?{}r", saved()));
    // Insert and newline mode, keypad, charsets, scroll region, protection, cursor shape.
    out.extend_from_slice(
        b"\x1b[4l\x1b[20l\x1b>\x0f\x1b(B\x1b)B\x1b*B\x1b+B\x1b[r\x1b[0\"q\x1b[0 q",
    );
    if touched.other_keys {
        out.extend_from_slice(b"\x1b[>4m");
    }
    // After the one above, which old terminals take for an underline.
    out.extend_from_slice(b"\x1b[0m");
    if touched.tabs {
        out.extend_from_slice(b"\x1b[?5W");
    }
    if touched.palette {
        out.extend_from_slice(b"\x1b]104\x1b\\");
    }
    for (code, set) in [110, 111, 112].into_iter().zip(touched.defaults) {
        if set {
            put(&mut out, format_args!("\x1b]{code}\x1b\\"));
        }
    }
    if touched.progress {
        out.extend_from_slice(b"\x1b]9;4;0\x1b\\");
    }
    out.extend_from_slice(b"\x1b[H");
    out
}

fn keyboard(out: &mut Vec<u8>, pushed: u8) {
    if pushed > 0 {
        put(out, format_args!("\x1b[<{pushed}u"));
    }
    out.extend_from_slice(b"\x1b[=0u");
}

pub(super) fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into memory cannot fail.
    let _ = out.write_fmt(text);
}
