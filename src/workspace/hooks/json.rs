//! Where the parts of a JSON text stand, comments and trailing commas allowed: enough to put text into it
//! and to take it out again with all else kept as it is.

use std::ops::Range;

/// Deepest nesting that is read.
const DEPTH: usize = 64;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Scalar,
}

/// A member of an object, or an element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Empty in an array.
    pub(super) name: String,
    /// From its name, or its value where it has none, to the end of its value.
    pub(super) span: Range<usize>,
    pub(super) value: Node,
    /// The end of the comma behind it.
    pub(super) comma: Option<usize>,
}

impl Node {
    /// The members of an object.
    pub(super) fn members(&self) -> Option<&[Item]> {
        match &self.kind {
            Kind::Object(items) => Some(items),
            _ => None,
        }
    }

    /// The elements of an array.
    pub(super) fn elements(&self) -> Option<&[Item]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads a whole text; none where it is no JSON, or names a member twice.
pub(super) fn parse(text: &str) -> Option<Node> {
    let mut reader = Reader { text, at: 0 };
    reader.trivia()?;
    let root = reader.value(0)?;
    reader.trivia()?;
    (reader.at == text.len()).then_some(root)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Blanks and comments.
    fn trivia(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            if let Some(comment) = rest.strip_prefix("//") {
                self.at += 2 + comment.find('\n').unwrap_or(comment.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.at += 2 + comment.find("*/")? + 2;
            } else if self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            } else {
                return Some(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        let begin = self.at;
        let kind = match self.next()? {
            _ if depth > DEPTH => return None,
            b'{' => Kind::Object(self.items(depth, b'}', true)?),
            b'[' => Kind::Array(self.items(depth, b']', false)?),
            b'"' => {
                self.string()?;
                Kind::Scalar
            }
            _ => {
                let ends = |c: char| ",]}/".contains(c) || c.is_ascii_whitespace();
                let rest = self.rest();
                self.at += rest.find(ends).unwrap_or(rest.len());
                Kind::Scalar
            }
        };
        let span = begin..self.at;
        if kind == Kind::Scalar {
            serde_json::from_str::<serde_json::Value>(self.text.get(span.clone())?).ok()?;
        }
        Some(Node { span, kind })
    }

    /// To the end of a text in quotes.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.next()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn items(&mut self, depth: usize, close: u8, named: bool) -> Option<Vec<Item>> {
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.trivia()?;
            if self.next()? == close {
                self.at += 1;
                return Some(items);
            }
            if items.last().is_some_and(|item| item.comma.is_none()) {
                return None;
            }
            let begin = self.at;
            let name = if named { self.name()? } else { String::new() };
            if named && items.iter().any(|item| item.name == name) {
                return None;
            }
            let value = self.value(depth + 1)?;
            let span = begin..self.at;
            self.trivia()?;
            let comma = (self.next()? == b',').then(|| {
                self.at += 1;
                self.at
            });
            items.push(Item { name, span, value, comma });
        }
    }

    fn name(&mut self) -> Option<String> {
        let begin = self.at;
        if self.next()? != b'"' {
            return None;
        }
        self.string()?;
        let name = serde_json::from_str(self.text.get(begin..self.at)?).ok()?;
        self.trivia()?;
        if self.next()? != b':' {
            return None;
        }
        self.at += 1;
        self.trivia()?;
        Some(name)
    }
}
