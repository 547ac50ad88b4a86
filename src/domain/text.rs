//! Text from outside, made safe; and its width. One function each, used everywhere.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Removes control characters (newline and tab become one space) and surrounding blanks, for one line.
pub fn clean_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
        .filter(|c| !is_unsafe(*c))
        .collect();
    spaced.trim().to_owned()
}

/// The marks around a paste, also with their first two characters as one.
const PASTE_MARKS: [&str; 4] = ["\u{1b}[200~", "\u{1b}[201~", "\u{9b}200~", "\u{9b}201~"];

/// Removes the marks of a paste, and control characters other than newline and tab
/// (`spec/lifecycle.md` K5).
pub fn clean_block(text: &str) -> String {
    let text = PASTE_MARKS.iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""));
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !is_unsafe(*c)).collect()
}

/// Control characters, and the marks that turn the direction of what follows.
fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Width in terminal cells.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Cuts `text` to `cells`, by whole graphemes, with `mark` at the end where something was cut
/// (`spec/look.md` section 5).
pub fn cut(text: &str, cells: usize, mark: &str) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let room = cells.saturating_sub(width(mark));
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let next = used + width(grapheme);
        if next > room {
            break;
        }
        used = next;
        kept.push_str(grapheme);
    }
    kept.truncate(kept.trim_end().len());
    if cells >= width(mark) {
        kept.push_str(mark);
    }
    kept
}

/// Cuts in the middle, for paths: `~/…/worktrees/shop-9`.
pub fn cut_middle(text: &str, cells: usize, mark: &str) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let room = cells.saturating_sub(width(mark));
    let head_room = room / 3;
    let mut head = String::new();
    for grapheme in text.graphemes(true) {
        if width(&head) + width(grapheme) > head_room {
            break;
        }
        head.push_str(grapheme);
    }
    let mut tail: Vec<&str> = Vec::new();
    let mut used = width(&head);
    for grapheme in text.graphemes(true).rev() {
        if used + width(grapheme) > room {
            break;
        }
        used += width(grapheme);
        tail.push(grapheme);
    }
    let tail: String = tail.into_iter().rev().collect();
    if cells >= width(mark) { format!("{head}{mark}{tail}") } else { head }
}

/// `text` cut or padded with blanks to exactly `cells`.
pub fn fit(text: &str, cells: usize, mark: &str) -> String {
    let mut text = cut(text, cells, mark);
    let missing = cells.saturating_sub(width(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// The first words of a prompt, as the title of a session that was given none.
pub fn title_from(prompt: &str) -> String {
    let line = prompt.lines().map(clean_line).find(|line| !line.is_empty()).unwrap_or_default();
    let sentence = line.split_inclusive(['.', '?', '!', ';']).next().unwrap_or("");
    let sentence = if width(sentence) >= 8 { sentence } else { &line };
    cut(sentence.trim_end_matches(['.', ';', ' ']), 60, "…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// K5: control characters but newline and tab go, and the marks of a paste.
    #[test]
    fn control_characters_do_not_survive() {
        assert_eq!(clean_line("a\u{1b}[31mb\nc\u{202e}d "), "a[31mb cd");
        assert_eq!(clean_block("a\n\tb\u{7}\u{9b}c"), "a\n\tbc");
        assert_eq!(clean_block("a\u{1b}[200~b\u{9b}201~c\u{1b}[20\u{1b}[201~1~d"), "abc[201~d");
    }

    #[test]
    fn cutting_drops_blanks_before_the_mark() {
        assert_eq!(cut("Find the flaky check", 16, "…"), "Find the flaky…");
        assert_eq!(cut("日本語", 4, "…"), "日…");
        assert_eq!(cut_middle("/home/me/data/worktrees/shop-9", 20, "…"), "/home/…ktrees/shop-9");
    }

    #[test]
    fn a_title_is_the_first_sentence() {
        assert_eq!(title_from("\n Round VAT per line. Then test."), "Round VAT per line");
        assert_eq!(title_from(""), "");
    }

    proptest! {
        #[test]
        fn fit_gives_exactly_the_cells(text in "[ -~日é🙂]{0,40}", cells in 1usize..50) {
            prop_assert_eq!(width(&fit(&text, cells, "…")), cells);
            prop_assert!(width(&cut_middle(&text, cells, "…")) <= cells.max(width(&text).min(cells)));
        }
    }
}
