//! The nearest known word to one that is unknown, for messages about configuration files.

use crate::domain::words::nearest;

/// A question that ends a message: ` Did you mean mark?`, or nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(word, known).map(|found| format!(" Did you mean {found}?")).unwrap_or_default()
}
