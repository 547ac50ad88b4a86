//! What a document does not hold: lines that scrolled out before its first one.

use std::sync::Arc;

use super::{Document, Move, Reading, search};

/// Lines before the first one of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older {
    /// There are none, or they are not kept.
    Nothing,
    /// Some, which can be asked for.
    There,
    /// They were asked for; whether a search that found nothing waits for them.
    Asked(bool),
}

impl Reading {
    /// Whether older lines are worth asking for: the first one is on view.
    pub fn wants_older(&self) -> bool {
        self.older == Older::There && self.top == 0
    }

    /// The older lines are there: nothing moves under the eyes. None where there are none.
    pub fn grow(&mut self, document: Option<Arc<Document>>) {
        self.older = Older::Nothing;
        let Some(document) = document else {
            return;
        };
        let by = document.len().saturating_sub(self.document.len());
        self.document = document;
        self.top += by;
        self.home += by;
        let anchor = self.selection.as_mut().map(|selection| &mut selection.anchor);
        let before = self.before_search.as_mut().map(|(pos, top)| {
            *top += by;
            pos
        });
        for pos in self.cursor.as_mut().into_iter().chain(anchor).chain(before) {
            pos.line += by;
        }
        if let Some(search) = &mut self.search {
            search.hits = search::hits(&self.document, &search.text);
        }
        if self.first {
            self.go(Move::First);
        }
    }

    /// Whether the text that is looked for stands somewhere.
    pub fn has_hits(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.hits.is_empty())
    }
}
