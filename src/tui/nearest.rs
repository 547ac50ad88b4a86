//! The nearest known word to one that is unknown, for messages about configuration files.

/// The word of `known` that takes the fewest edits from `word`; none where that is more than half of
/// it.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = word.chars().count().div_ceil(2);
    known
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A question that ends a message: ` Did you mean mark?`, or nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(word, known).map(|found| format!(" Did you mean {found}?")).unwrap_or_default()
}

/// Insertions, removals and replacements between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replace = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let known = || ["mark", "mark-all", "down"].into_iter();
        assert_eq!(nearest("markk", known()), Some("mark"));
        assert_eq!(nearest("donw", known()), Some("down"));
        assert_eq!(nearest("xyzzyx", known()), None);
        assert_eq!(did_you_mean("xyzzyx", known()), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
