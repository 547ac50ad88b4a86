//! Text from outside, made safe; and its width. One function each, used everywhere.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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

/// Standard base64, padded.
pub fn base64(bytes: &[u8]) -> String {
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

/// Width in terminal cells.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Width of one character in terminal cells; none for marks and control characters.
pub fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// What a reader takes for one character, one after the other.
pub fn graphemes(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.graphemes(true)
}

/// The same, each with the byte where it begins.
pub fn grapheme_indices(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    text.grapheme_indices(true)
}

/// Where the grapheme before the byte `at` begins.
pub fn grapheme_before(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

/// Where the grapheme at the byte `at` ends.
pub fn grapheme_after(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len())
}

/// `text` without its first `cells`, and how many cells went: one more where a wide character would
/// have been cut.
pub fn skip(text: &str, cells: usize) -> (&str, usize) {
    let (mut at, mut gone) = (0, 0);
    for grapheme in graphemes(text) {
        if gone >= cells {
            break;
        }
        at += grapheme.len();
        gone += width(grapheme);
    }
    (&text[at..], gone)
}

/// `text` with blanks after it, at least `cells` wide.
pub fn pad(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(width(text))))
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
    for grapheme in graphemes(text) {
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
    for grapheme in graphemes(text) {
        if width(&head) + width(grapheme) > head_room {
            break;
        }
        head.push_str(grapheme);
    }
    let mut tail: Vec<&str> = Vec::new();
    let mut used = width(&head);
    for grapheme in graphemes(text).rev() {
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
    pad(&cut(text, cells, mark), cells)
}

/// `a`, `a and b`, `a, b and 3 more`: at most two by name.
pub fn names<T: std::fmt::Display>(all: &[T]) -> String {
    match all {
        [] => String::new(),
        [one] => one.to_string(),
        [one, two] => format!("{one} and {two}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
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

    #[test]
    fn lists_name_two_at_most() {
        assert_eq!(names(&["a"]), "a");
        assert_eq!(names(&["a", "b"]), "a and b");
        assert_eq!(names(&["a", "b", "c"]), "a, b and 1 more");
    }

    /// K5: control characters but newline and tab go, and the marks of a paste.
    #[test]
    fn control_characters_do_not_survive() {
        assert_eq!(clean_line("a\u{1b}[31mb\nc\u{202e}d "), "a[31mb cd");
        assert_eq!(clean_block("a\n\tb\u{7}\u{9b}c"), "a\n\tbc");
        assert_eq!(clean_block("a\u{1b}[200~b\u{9b}201~c\u{1b}[20\u{1b}[201~1~d"), "abc[201~d");
    }

    #[test]
    fn base64_is_padded() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("Run?", "UnVuPw=="),
            ("日本 ✓", "5pel5pysIOKckw=="),
        ] {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
    }

    #[test]
    fn cutting_drops_blanks_before_the_mark() {
        assert_eq!(cut("Find the flaky check", 16, "…"), "Find the flaky…");
        assert_eq!(cut("日本語", 4, "…"), "日…");
        assert_eq!(cut_middle("/home/me/data/worktrees/shop-9", 20, "…"), "/home/…ktrees/shop-9");
    }

    #[test]
    fn what_goes_and_what_comes_is_measured_in_cells() {
        assert_eq!(skip("日本x", 0), ("日本x", 0));
        assert_eq!(skip("日本x", 2), ("本x", 2));
        assert_eq!(skip("日本x", 3), ("x", 4));
        assert_eq!(skip("e\u{301}x", 1), ("x", 1));
        assert_eq!(skip("ab", 9), ("", 2));
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(pad("日本", 3), "日本");
    }

    #[test]
    fn graphemes_are_whole() {
        let text = "ae\u{301}👩\u{200d}💻";
        assert_eq!(graphemes(text).count(), 3);
        assert_eq!((grapheme_after(text, 1), grapheme_before(text, 4)), (4, 1));
        assert_eq!((grapheme_before(text, 0), grapheme_after(text, text.len())), (0, text.len()));
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
