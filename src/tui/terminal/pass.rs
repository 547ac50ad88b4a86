//! What the operator's terminal is told beside the picture: texts for its clipboard, bells, notifications.

use crate::domain::text::clean_line;
use crate::tui::event::Signal;
use crate::tui::notice::tell::Manner;

/// The sequence that puts a text on the clipboard of a terminal (OSC 52).
pub(super) fn clipboard(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes())).into_bytes()
}

/// The sequence that gives a terminal its title.
pub(super) fn title(text: &str) -> Vec<u8> {
    format!("\x1b]2;{}\x1b\\", clean_line(text)).into_bytes()
}

/// The bytes that pass on a bell or a notification.
pub(super) fn signal(signal: &Signal, manner: Manner) -> Vec<u8> {
    match signal {
        Signal::Bell => vec![0x07],
        Signal::Notification(text) => manner.banner(text).into_bytes(),
        Signal::Clipboard(text) => clipboard(text),
    }
}

/// Standard base64, padded.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", "")]
    #[case("f", "Zg==")]
    #[case("fo", "Zm8=")]
    #[case("foo", "Zm9v")]
    #[case("日本 ✓", "5pel5pysIOKckw==")]
    fn texts_are_encoded(#[case] text: &str, #[case] encoded: &str) {
        assert_eq!(base64(text.as_bytes()), encoded);
        assert_eq!(clipboard(text), format!("\x1b]52;c;{encoded}\x07").into_bytes());
    }

    #[test]
    fn a_title_cannot_end_its_sequence() {
        let bytes = title("? 3 callboard\u{7}\u{1b}]52;c;x");
        assert_eq!(bytes.iter().filter(|byte| **byte < 0x20).count(), 2, "the two of its own");
    }
}
