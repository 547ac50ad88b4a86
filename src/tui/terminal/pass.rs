//! What the operator's terminal is told beside the picture: texts for its clipboard, its title.

use crate::domain::text::{base64, clean_line};

/// The sequence that puts a text on the clipboard of a terminal (OSC 52).
pub(super) fn clipboard(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes())).into_bytes()
}

/// The sequence that gives a terminal its title.
pub(super) fn title(text: &str) -> Vec<u8> {
    format!("\x1b]2;{}\x1b\\", clean_line(text)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_is_encoded() {
        assert_eq!(clipboard("日本 ✓"), b"\x1b]52;c;5pel5pysIOKckw==\x07");
    }

    #[test]
    fn a_title_cannot_end_its_sequence() {
        let bytes = title("? 3 callboard\u{7}\u{1b}]52;c;x");
        assert_eq!(bytes.iter().filter(|byte| **byte < 0x20).count(), 2, "the two of its own");
    }
}
