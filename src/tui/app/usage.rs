//! When it is looked at what a process tree takes.

use std::time::Duration;

use super::{App, View};
use crate::domain::ids::SessionId;
use crate::tui::event::Tab;

/// A process tree on view is looked at again after this time.
pub const MEASURED_AFTER: Duration = Duration::from_secs(5);

impl App {
    /// The session whose process tree is looked at: only while what it takes can be seen.
    pub fn measurable(&self) -> Option<&SessionId> {
        let shown = self.window_focused
            && self.view == View::Sessions
            && self.tab == Tab::Details
            && self.typing.is_none()
            && self.layout().right.width > 0;
        let session = self.selected().filter(|_| shown)?;
        session.is_live().then_some(&session.id)
    }
}
