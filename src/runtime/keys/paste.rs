//! Pastes and focus changes as bytes.

use crate::runtime::screen::InputModes;

const PASTE_START: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";

/// The bytes of a paste. Bracketed only where the program asked for it; the end mark and all other
/// control characters but line ends and tabs are taken out, so that a paste cannot end itself and
/// type what follows. Without brackets a line end is what Enter sends.
pub fn encode_paste(text: &str, modes: &InputModes) -> Vec<u8> {
    let text = text.replace(PASTE_END, "").replace("\r\n", "\n").replace('\r', "\n");
    let clean = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    if modes.bracketed_paste {
        let body: String = clean.collect();
        format!("{PASTE_START}{body}{PASTE_END}").into_bytes()
    } else {
        let body: String = clean.map(|c| if c == '\n' { '\r' } else { c }).collect();
        body.into_bytes()
    }
}

/// The bytes of a focus change, where the program asked for them (mode 1004).
pub fn encode_focus(focused: bool, modes: &InputModes) -> Option<Vec<u8>> {
    let report = if focused { b"\x1b[I" } else { b"\x1b[O" };
    modes.focus.then(|| report.to_vec())
}
