//! Where a terminal is read: in the pane in which its screen was seen, or in one of its own.

use ratatui::layout::Rect;

use super::{Document, Reading};
use crate::domain::ids::SessionId;
use crate::tui::app::layout::inset;
use crate::tui::app::{App, View};
use crate::tui::event::Tab;

impl App {
    /// Whether a terminal is read with a cursor.
    pub fn is_copying(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.cursor.is_some())
    }

    /// The agent that gets the keys, where they do nothing else and change nothing that is drawn.
    pub fn only_types(&self) -> Option<&SessionId> {
        let typing = self.typing.as_ref()?;
        let alone = self.overlays.is_empty() && self.reading.is_none();
        alone.then_some(&typing.id)
    }

    /// Whether a terminal is read in a pane of its own.
    pub fn reads_whole(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.whole)
    }

    /// The area in which an agent's screen is drawn; empty where none is.
    pub fn screen_area(&self) -> Rect {
        let layout = self.layout();
        let alone = self.typing.is_some() || self.reads_whole();
        if layout.right.width > 0
            && (alone || self.view == View::Sessions && self.tab == Tab::Screen)
        {
            inset(layout.right)
        } else if layout.peek.height > 0 && self.view == View::Sessions {
            inset(layout.peek)
        } else {
            Rect::default()
        }
    }

    /// The terminal that is read, where it is the one that is on view.
    pub fn reading_of(&self, id: &SessionId) -> Option<&Reading> {
        self.reading.as_ref().filter(|reading| reading.id == *id)
    }

    /// The first line on view of a document where nothing is scrolled back: as the live screen is
    /// drawn, so that nothing jumps when it begins to be read.
    pub fn home(&self, document: &Document) -> usize {
        let height = usize::from(self.screen_area().height);
        let used = document.used();
        if self.typing.is_some() {
            let rows = document.len() - document.screen.min(document.len());
            document.screen + rows.saturating_sub(height)
        } else if self.reads_whole() {
            used.saturating_sub(height)
        } else {
            document.screen + used.saturating_sub(document.screen + height)
        }
    }

    /// Fits what is read into its pane.
    pub fn fit_reading(&mut self) {
        let area = self.screen_area();
        let home = self.reading.as_ref().map(|reading| self.home(&reading.document));
        if let (Some(reading), Some(home)) = (&mut self.reading, home) {
            reading.resize((area.width, area.height), home);
        }
    }
}
