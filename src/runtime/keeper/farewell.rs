//! What an agent prints when it ends: the id of its conversation (`spec/agents.md` G2, H3).

use regex::Regex;

use crate::domain::hook::is_conversation;
use crate::domain::text;
use crate::runtime::screen::Screen;

/// Rows that a farewell and what follows it take, up to the last one with text. What is above them may
/// be talk: an agent that is killed takes its leave of nobody.
const ROWS: usize = 10;

/// The id that the agent told, the last one of several. `exit_text` has it as its first group.
pub(super) fn conversation(screen: &Screen, exit_text: &Regex) -> Option<String> {
    let said = last_words(screen);
    let told = exit_text.captures_iter(&said).last()?.get(1)?;
    Some(told.as_str().to_owned()).filter(|id| is_conversation(id))
}

/// The last lines that the terminal holds, those that were too long for a row in one piece.
fn last_words(screen: &Screen) -> String {
    let cols = usize::from(screen.size().cols);
    let scrolled = screen.scrollback(ROWS);
    let first = -(scrolled.len() as i32);
    let rows: Vec<(i32, String)> =
        (first..).zip(scrolled.into_iter().chain(screen.lines())).collect();
    let end = rows.iter().rposition(|(_, text)| !text.is_empty()).map_or(0, |last| last + 1);
    let mut said = String::new();
    for (row, text) in &rows[end.saturating_sub(ROWS)..end] {
        said.push_str(text);
        if screen.wraps(*row) {
            // Blanks at its end are not part of a row's text.
            said.extend(std::iter::repeat_n(' ', cols.saturating_sub(text::width(text))));
        } else {
            said.push('\n');
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::screen::Size;

    fn told(output: &str) -> Option<String> {
        let mut screen = Screen::new(Size { cols: 20, rows: 6 }, 100);
        screen.feed(output.as_bytes());
        conversation(&screen, &Regex::new("tool -r (id_[0-9a-z]+)").unwrap())
    }

    /// H3: only the end counts, on the screen and scrolled out of it; what was said before is no farewell.
    #[test]
    fn an_id_in_what_was_said_before_is_not_taken_h3() {
        assert_eq!(told("tool -r id_1\r\nbye\r\n").unwrap(), "id_1");
        assert_eq!(told("tool -r id_1\r\ntool -r id_2\r\n\r\n\r\n").unwrap(), "id_2");
        assert_eq!(told(&format!("tool -r id_1{}", "\r\nmore".repeat(9))).unwrap(), "id_1");
        assert_eq!(told(&format!("tool -r id_1{}", "\r\nmore".repeat(10))), None);
        assert_eq!(told(&format!("tool -r id_1{}", "\r\n\r\nmore".repeat(5))), None);
        assert_eq!(told(""), None);
    }

    /// G2: rows are one line where the terminal broke it, and only there.
    #[test]
    fn an_id_is_whole_however_its_line_was_broken_g2() {
        assert_eq!(told("to go on: tool -r id_1234567890\r\nbye").unwrap(), "id_1234567890");
        assert_eq!(told("run it again: tool -r id_1").unwrap(), "id_1");
        assert_eq!(
            told("go on with: tool -r id_1\r\nbye").unwrap(),
            "id_1",
            "a blank at the break"
        );
        assert_eq!(told("tool -r id_123456789\r\nbye").unwrap(), "id_123456789", "a full row");
    }
}
