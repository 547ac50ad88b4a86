//! Input for a program, encoded by the modes it set (`spec/runtime.md`, Keys).
//!
//! Keys follow xterm's control sequences and the kitty keyboard protocol. Under the kitty flags
//! plain Enter, Tab and Backspace keep their legacy bytes unless the program asked for all keys, so
//! that `reset` can be typed after a crash; F3 is never written as `CSI R`, which is a cursor
//! report. A key of the keypad is the key that it shows.

mod key;
mod mouse;
mod paste;
#[cfg(test)]
mod tests;

pub use self::key::{KeyKind, encode_key};
pub use self::mouse::{MouseButton, MouseEvent, MouseKind, encode_mouse};
pub use self::paste::{encode_focus, encode_paste};
