//! What a question is, and when it is the same (`spec/lifecycle.md` K6).

use crate::domain::activity::Question;
use crate::os::paths::fingerprint;

/// Whether a question is another one without its last options.
pub(super) fn is_half_of(new: &Question, whole: &Question) -> bool {
    let options = new.options.len();
    new.text == whole.text
        && options < whole.options.len()
        && whole.options.starts_with(&new.options)
}

/// A question with its id: a hash of text and options, and of what it is about (K6). Blanks do not count, as the
/// program puts some of them where its terminal is not wide enough.
pub(super) fn question(
    kind: &str,
    text: String,
    options: Vec<String>,
    about: Option<&str>,
) -> Question {
    let parts = [text.as_str()].into_iter().chain(options.iter().map(String::as_str)).chain(about);
    let bytes: Vec<u8> =
        parts.flat_map(|part| part.bytes().filter(|byte| *byte != b' ').chain([0])).collect();
    Question {
        id: format!("{:016x}", fingerprint(&bytes)),
        kind: kind.to_owned(),
        text,
        options,
        selected: None,
        unnumbered: false,
    }
}
