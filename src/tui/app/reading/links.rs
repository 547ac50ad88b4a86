//! Links in a document: those that a program marked (OSC 8), and addresses in its text.

use super::document::{Document, Pos};

/// Kinds of addresses that are opened; no other, since their programs might do anything.
const SCHEMES: [&str; 4] = ["https://", "http://", "file://", "mailto:"];
/// Longest address.
const LONGEST: usize = 4_096;

/// Whether an address may be handed to the system.
pub fn may_open(link: &str) -> bool {
    let lower = link.get(..8.min(link.len())).unwrap_or(link).to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| lower.starts_with(scheme) && link.len() > scheme.len())
        && link.len() <= LONGEST
        && !link.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// The link at a place.
pub(super) fn at(document: &Document, pos: Pos) -> Option<String> {
    let cell = document.cell(pos)?;
    if let Some(link) = cell.link {
        return Some(link.to_owned());
    }
    let (first, last) = document.whole(pos.line);
    let mut text = String::new();
    let mut here = None;
    for line in first..=last {
        for cell in document.cells(line) {
            if line == pos.line && cell.col <= pos.col && pos.col < cell.col + cell.width {
                here = Some(text.len());
            }
            text.push_str(cell.text);
        }
    }
    let here = here?;
    let (start, address) =
        addresses(&text).find(|(at, url)| (*at..at + url.len()).contains(&here))?;
    debug_assert!(start <= here);
    Some(address.to_owned())
}

/// The first link of a line, from a column on, or else before it.
pub(super) fn in_line(document: &Document, pos: Pos) -> Option<String> {
    let places: Vec<u16> = document.cells(pos.line).map(|cell| cell.col).collect();
    let (before, after): (Vec<u16>, Vec<u16>) = places.iter().partition(|col| **col < pos.col);
    after.into_iter().chain(before).find_map(|col| at(document, Pos { col, ..pos }))
}

/// Addresses in a text, with the byte at which each begins.
fn addresses(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(from..)?;
            let (at, scheme) = SCHEMES
                .iter()
                .filter_map(|scheme| rest.find(scheme).map(|at| (at, scheme)))
                .min_by_key(|(at, _)| *at)?;
            let start = from + at;
            let body = &text[start..];
            let end = body.find(ends).unwrap_or(body.len());
            let address = trimmed(&body[..end]);
            from = start + address.len().max(scheme.len());
            if address.len() > scheme.len() {
                return Some((start, address));
            }
        }
    })
}

/// Whether an address cannot go on with this character.
fn ends(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "<>\"'`│┃|\\^{}".contains(c)
}

/// Without the punctuation of the sentence around it; a bracket stays that was opened inside.
fn trimmed(address: &str) -> &str {
    let mut address = address;
    loop {
        let Some(last) = address.chars().next_back() else {
            return address;
        };
        let open = match last {
            ')' => '(',
            ']' => '[',
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' => '\0',
            _ => return address,
        };
        let count = |c: char| address.matches(c).count();
        if open != '\0' && count(open) >= count(last) {
            return address;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::document::tests::document;
    use super::*;

    #[rstest]
    #[case("see https://a.b/c?d=e#f.", 10, Some("https://a.b/c?d=e#f"))]
    #[case("(http://a.b/x_(y))", 3, Some("http://a.b/x_(y)"))]
    #[case("<mailto:me@a.b>", 9, Some("mailto:me@a.b"))]
    #[case("see https://a.b", 1, None)]
    #[case("https:// nothing", 2, None)]
    #[case("javascript:alert(1)", 3, None)]
    #[case("ssh://a.b", 3, None)]
    #[case("at https://lo\\\nng.example/path", 5, Some("https://long.example/path"))]
    fn addresses_are_found(#[case] text: &str, #[case] col: u16, #[case] link: Option<&str>) {
        let document = document(40, text);
        assert_eq!(at(&document, Pos { line: 0, col }).as_deref(), link);
    }

    #[test]
    fn of_a_line_the_next_link_is_taken() {
        let document = document(60, "http://a.b http://c.d\nnone");
        let link = |line, col| in_line(&document, Pos { line, col });
        assert_eq!(link(0, 11).as_deref(), Some("http://c.d"));
        assert_eq!(link(0, 0).as_deref(), Some("http://a.b"));
        assert_eq!(link(1, 0), None);
    }

    #[rstest]
    #[case("https://a", true)]
    #[case("HTTPS://a", true)]
    #[case("file:///etc/motd", true)]
    #[case("https://", false)]
    #[case("javascript:x", false)]
    #[case("vscode://x", false)]
    #[case("http://a b", false)]
    #[case("http://a\u{1b}b", false)]
    fn only_known_kinds_are_opened(#[case] link: &str, #[case] opens: bool) {
        assert_eq!(may_open(link), opens);
    }
}
