//! Full-text search: how texts become words, and which texts a search finds (`spec/store.md` Q1).
//!
//! The words of a text are what the index holds, so another way of cutting them needs a migration
//! that makes the index anew.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

use super::text::char_width;

mod snippet;

pub use snippet::Snippet;

/// Words that the index is asked for; whether the others are there too is seen in the text.
const ASKED: usize = 32;
/// Bytes of a word that the index keeps.
pub const INDEXED: usize = 32_768;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In lower case, without accents.
    pub text: String,
    /// Where it stands.
    pub at: Range<usize>,
}

/// What a character is to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// One of the characters of a word.
    Letter,
    /// A word by itself: scripts without blanks, emoji and other symbols.
    Whole,
    /// Belongs to the character before it.
    Mark,
    /// As if it were not there: accents, variants, joiners.
    Nothing,
    /// Between words: blanks, punctuation, control characters.
    Gap,
}

fn class(c: char) -> Class {
    match c {
        _ if c.is_ascii_alphanumeric() => Class::Letter,
        _ if c.is_ascii() => Class::Gap,
        '\u{300}'..='\u{36f}'
        | '\u{ad}'
        | '\u{200c}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}' => Class::Nothing,
        '\u{2e80}'..='\u{2fdf}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309d}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Class::Whole,
        _ if c.is_alphanumeric() => Class::Letter,
        _ if c.is_whitespace() || c.is_control() || c == '\u{200b}' => Class::Gap,
        _ if char_width(c) == 0 => Class::Mark,
        '\u{20a0}'..='\u{20cf}'
        | '\u{2100}'..='\u{2fff}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{1f000}'.. => Class::Whole,
        _ => Class::Gap,
    }
}

/// Cuts a text into words.
struct Cutter {
    words: Vec<Word>,
    open: String,
    /// Where the open word stands.
    at: Range<usize>,
    /// Nothing but marks may be added to the open word.
    whole: bool,
}

impl Cutter {
    fn close(&mut self) {
        if !self.open.is_empty() {
            let text = std::mem::take(&mut self.open);
            self.words.push(Word { text, at: self.at.clone() });
        }
        self.whole = false;
    }

    /// Takes in a character, or a part of one, that stands at `at`.
    fn take(&mut self, c: char, at: &Range<usize>) {
        match class(c) {
            Class::Nothing => {
                if !self.open.is_empty() {
                    self.at.end = at.end;
                }
                return;
            }
            Class::Gap => return self.close(),
            Class::Letter if self.whole => self.close(),
            Class::Whole => {
                self.close();
                self.whole = true;
            }
            Class::Letter | Class::Mark => {}
        }
        if self.open.is_empty() {
            self.at = at.clone();
        }
        self.at.end = at.end;
        self.open.push(c);
    }
}

/// The words of a text, in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut cutter = Cutter { words: Vec::new(), open: String::new(), at: 0..0, whole: false };
    for (start, c) in text.char_indices() {
        let at = start..start + c.len_utf8();
        if c.is_ascii() {
            cutter.take(c.to_ascii_lowercase(), &at);
        } else {
            decompose_compatible(c, |part| {
                part.to_lowercase().for_each(|part| cutter.take(part, &at));
            });
        }
    }
    cutter.close();
    cutter.words
}

/// What the index holds of a document: the words of its texts.
pub fn document<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut held = String::new();
    for word in texts.into_iter().flat_map(words) {
        if !held.is_empty() {
            held.push(' ');
        }
        held.push_str(&word.text);
    }
    held
}

/// What is searched for. Every piece between blanks must be found in one document: its words, side
/// by side. The last word of all may be the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    pieces: Vec<Vec<String>>,
}

impl Search {
    /// Reads what was typed. All of it is literal: nothing in it is an operator.
    pub fn parse(text: &str) -> Self {
        let words_of = |piece: &str| words(piece).into_iter().map(|word| word.text).collect();
        let pieces: Vec<Vec<String>> = text.split_whitespace().map(words_of).collect();
        Self { pieces: pieces.into_iter().filter(|words| !words.is_empty()).collect() }
    }

    /// Whether there is no word in it; such a search finds nothing.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The word that may be the beginning of one.
    pub fn beginning(&self) -> Option<&str> {
        self.pieces.last()?.last().map(String::as_str)
    }

    /// Other words to ask the index for, each once.
    pub fn whole_words(&self) -> Vec<&str> {
        let mut words = self.distinct();
        words.truncate(ASKED);
        words
    }

    /// Whether a document that has all the words may still not be found, so that its text has to
    /// be looked at.
    pub fn needs_text(&self) -> bool {
        let long = |word: &String| word.len() > INDEXED;
        self.distinct().len() > ASKED
            || self.pieces.iter().any(|words| words.len() > 1 || words.iter().any(long))
    }

    /// All words but the last, longest first: those are the rarest.
    fn distinct(&self) -> Vec<&str> {
        let all = self.pieces.iter().flatten().map(String::as_str);
        let count = self.pieces.iter().map(Vec::len).sum::<usize>();
        let distinct: BTreeSet<&str> = all.take(count.saturating_sub(1)).collect();
        let mut distinct: Vec<&str> = distinct.into_iter().collect();
        distinct.sort_by_key(|word| std::cmp::Reverse(word.len()));
        distinct
    }

    /// Where pieces stand in one text, even if not all of them do: ascending, apart.
    pub fn hits(&self, text: &str) -> Vec<Range<usize>> {
        let words = words(text);
        let pieces = self.pieces.iter().enumerate();
        let mut hits: Vec<Range<usize>> = pieces
            .flat_map(|(at, piece)| places(piece, at + 1 == self.pieces.len(), &words))
            .collect();
        hits.sort_by_key(|hit| (hit.start, hit.end));
        let mut end = 0;
        hits.retain(|hit| {
            let apart = hit.start >= end;
            end = if apart { hit.end } else { end };
            apart
        });
        hits
    }

    /// Looks for all pieces in the texts of one document; none where one is missing.
    pub fn find(&self, texts: &[&str]) -> Option<Snippet> {
        let texts_words: Vec<Vec<Word>> = texts.iter().map(|text| words(text)).collect();
        let mut hits: Vec<Vec<Range<usize>>> = vec![Vec::new(); texts.len()];
        for (at, piece) in self.pieces.iter().enumerate() {
            let last = at + 1 == self.pieces.len();
            let mut found = false;
            for (hits, words) in hits.iter_mut().zip(&texts_words) {
                let here = places(piece, last, words);
                found |= !here.is_empty();
                hits.extend(here);
            }
            if !found {
                return None;
            }
        }
        let most =
            (0..texts.len()).rev().max_by_key(|text| hits[*text].len().min(self.pieces.len()));
        let most = most.filter(|_| !self.is_empty())?;
        hits[most].sort_by_key(|hit| (hit.start, hit.end));
        Some(Snippet::cut(texts[most], &hits[most]))
    }
}

/// Where the words of a piece stand side by side.
fn places(piece: &[String], last: bool, words: &[Word]) -> Vec<Range<usize>> {
    let matches = |run: &[Word]| {
        run.iter().zip(piece).enumerate().all(|(at, (word, wanted))| {
            if last && at + 1 == piece.len() {
                word.text.starts_with(wanted)
            } else {
                word.text == *wanted
            }
        })
    };
    words
        .windows(piece.len())
        .filter(|run| matches(run))
        .map(|run| run[0].at.start..run[run.len() - 1].at.end)
        .collect()
}

#[cfg(test)]
mod tests;
