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
    let col = document.cell(pos)?.col;
    links(document, pos.line).into_iter().find(|(at, _)| *at == col).map(|(_, link)| link)
}

/// The first link of a line, from a column on, or else before it.
pub(super) fn in_line(document: &Document, pos: Pos) -> Option<String> {
    let mut links = links(document, pos.line);
    let after = links.iter().position(|(col, _)| *col >= pos.col).unwrap_or(0);
    (!links.is_empty()).then(|| links.swap_remove(after).1)
}

/// The cells of a line that have a link, by their columns.
fn links(document: &Document, line: usize) -> Vec<(u16, String)> {
    let (first, last) = document.whole(line);
    let mut text = String::new();
    let mut begins = 0;
    for row in first..=last {
        if row == line {
            begins = text.len();
        }
        text.push_str(document.text(row));
    }
    let mut addresses = addresses(&text).peekable();
    let mut here = begins;
    let mut links = Vec::new();
    for cell in document.cells(line) {
        while addresses.next_if(|(at, address)| at + address.len() <= here).is_some() {}
        let address = addresses.peek().filter(|(at, _)| *at <= here).map(|(_, address)| *address);
        if let Some(link) = cell.link.or(address) {
            links.push((cell.col, link.to_owned()));
        }
        here += cell.text.len();
    }
    links
}

/// Addresses in a text, with the byte at which each begins.
fn addresses(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let find = |scheme: &str, from: usize| text[from..].find(scheme).map(|at| from + at);
    // The next place of each scheme: who looks for it anew reads the text once only, in all.
    let mut next = SCHEMES.map(|scheme| find(scheme, 0));
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            for (place, scheme) in next.iter_mut().zip(SCHEMES) {
                if place.is_some_and(|at| at < from) {
                    *place = find(scheme, from);
                }
            }
            let places = next.iter().zip(SCHEMES).filter_map(|(at, scheme)| Some(((*at)?, scheme)));
            let (start, scheme) = places.min_by_key(|(at, _)| *at)?;
            let body = &text[start..];
            let length = body.find(ends).unwrap_or(body.len());
            if length > LONGEST {
                from = start + length;
                continue;
            }
            let address = trimmed(&body[..length]);
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
    let count = |c: char| address.matches(c).count();
    // Brackets that are closed and were not opened.
    let mut round = count(')').saturating_sub(count('('));
    let mut square = count(']').saturating_sub(count('['));
    address.trim_end_matches(|last| {
        let surplus = match last {
            ')' => &mut round,
            ']' => &mut square,
            _ => return ".,;:!?*_".contains(last),
        };
        let closes_more = *surplus > 0;
        *surplus = surplus.saturating_sub(1);
        closes_more
    })
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

    #[test]
    fn many_addresses_and_brackets_are_read_once() {
        let rows = "http://a ".repeat(8_000)
            + &"http://b".repeat(LONGEST)
            + " http://c"
            + &")".repeat(4_000);
        let document = document(
            u16::MAX,
            &rows
                .chars()
                .collect::<Vec<_>>()
                .chunks(1_000)
                .map(|row| row.iter().collect::<String>())
                .collect::<Vec<_>>()
                .join("\\\n"),
        );
        let last = document.len() - 1;
        assert_eq!(in_line(&document, Pos { line: 0, col: 3 }).as_deref(), Some("http://a"));
        assert_eq!(in_line(&document, Pos { line: last, col: 0 }), None, "brackets alone");
        assert_eq!(addresses(&rows).last().map(|(_, address)| address), Some("http://c"));
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
