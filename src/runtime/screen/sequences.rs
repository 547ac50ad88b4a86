//! Control sequences that the engine does not know, or would do at any cost.

use rio_vt::config::colors::NamedColor;
use rio_vt::crosswords::Mode;
use rio_vt::crosswords::pos::{CharsetIndex, StandardCharset};
use rio_vt::performer::handler::Handler;

use super::core::Core;

impl Core {
    /// Handles a sequence, given without its escape. False where it is the engine's.
    pub(super) fn sequence(&mut self, sequence: &[u8]) -> bool {
        match sequence {
            b"[!p" => self.soft_reset(),
            [b'[', parameters @ .., b'b'] if is_numbers(parameters) => {
                self.repeat(number(parameters.split(|&b| matches!(b, b';' | b':')).next()));
            }
            [set @ b'('..=b'+', b'A'] => {
                let sets = [CharsetIndex::G0, CharsetIndex::G1, CharsetIndex::G2, CharsetIndex::G3];
                let index = sets[usize::from(set - b'(')];
                self.designate(index, StandardCharset::Ascii, true);
            }
            [b'[', b'>', parameters @ .., b'm'] => self.modify_keys(parameters),
            b"[>4n" => self.term.set_modify_other_keys(0),
            b"[?4m" => {
                let level = self.term.modify_other_keys().unwrap_or(0);
                self.reply(&format!("\x1b[>4;{level}m"));
            }
            b"[?6n" => self.report_position("?"),
            b"[?996n" => {
                let scheme = if self.is_dark() { 1 } else { 2 };
                self.reply(&format!("\x1b[?997;{scheme}n"));
            }
            _ => return false,
        }
        true
    }

    /// CPR, and with `?` DECXCPR: rows count from the top of the region in origin mode.
    pub(super) fn report_position(&self, prefix: &str) {
        let (row, column) = self.position();
        let origin = if self.has(Mode::ORIGIN) { self.region.0 } else { 0 };
        let row = row.saturating_sub(origin) + 1;
        self.reply(&format!("\x1b[{prefix}{row};{}R", column + 1));
    }

    /// XTMODKEYS. Of xterm's resources only 4 is known; without any all go back to the default.
    fn modify_keys(&mut self, parameters: &[u8]) {
        let mut numbers = parameters.split(|&b| b == b';');
        let resource = number(numbers.next());
        let level = number(numbers.next());
        if is_numbers(parameters) && level <= 2 && (resource == 4 || parameters.is_empty()) {
            self.term.set_modify_other_keys(level as u8);
        }
    }

    /// Whether the background is a dark one, by its luma.
    fn is_dark(&self) -> bool {
        let (r, g, b) = self.color(NamedColor::Background as usize);
        u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114 < 128_000
    }
}

fn is_numbers(parameters: &[u8]) -> bool {
    parameters.iter().all(|b| matches!(b, b'0'..=b'9' | b';' | b':'))
}

/// A parameter; 0 where it is left out.
fn number(digits: Option<&[u8]>) -> usize {
    let digit = |n: usize, d: &u8| n.saturating_mul(10).saturating_add(usize::from(d - b'0'));
    digits.unwrap_or_default().iter().filter(|b| b.is_ascii_digit()).fold(0, digit)
}
