//! The parts of the dashboard's state that are no more than their fields.

use std::path::PathBuf;

use super::form::Target;
use crate::config::{Clipboard, Notifications};
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::time::Timestamp;
use crate::tui::glyph::Glyphs;
use crate::tui::keymap::Keymap;
use crate::tui::theme::Theme;

/// What is known before the first event.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The workspace.
    pub workspace: WorkspaceName,
    /// Key map in force.
    pub keymap: Keymap,
    /// Theme in force.
    pub theme: Theme,
    /// Glyphs in force.
    pub glyphs: Glyphs,
    /// The folder the program was started in.
    pub folder: PathBuf,
    /// The operator's own folder, which `~` stands for.
    pub user_home: Option<PathBuf>,
    /// Its repository, where it is in one.
    pub repository: Option<PathBuf>,
    /// The agent or target that the configuration names.
    pub agent: String,
    /// Agents by name, and whether their program was found.
    pub agents: Vec<(String, bool)>,
    /// Targets that are configured.
    pub targets: Vec<Target>,
    /// Days until a deleted session is purged.
    pub purge_days: u32,
    /// What agents may ask of the operator's terminal.
    pub passes: Passes,
    /// How and of what the operator is told.
    pub notifications: Notifications,
    /// Columns and rows of the window.
    pub size: (u16, u16),
    /// The present time.
    pub now: Timestamp,
}

impl Setup {
    /// A folder as it was typed: `~` is the operator's own, and a relative one begins where the
    /// program was started.
    pub fn folder_of(&self, typed: &str) -> PathBuf {
        let rest = typed.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (rest, &self.user_home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => self.folder.join(typed),
        }
    }
}

/// What an agent that is typed to may ask of the operator's terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passes {
    /// Write the clipboard.
    pub clipboard: Clipboard,
    /// Ring the bell.
    pub bell: bool,
    /// Show notifications.
    pub desktop: bool,
}

/// The views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Sections, list, right pane.
    #[default]
    Sessions,
    /// Deleted sessions.
    Trash,
    /// Operations.
    Jobs,
    /// Live screens side by side.
    Wall,
}

/// Which part of a view has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The sections.
    Rail,
    /// The middle pane.
    #[default]
    List,
    /// The right pane.
    Right,
}

/// An agent that gets the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typing {
    /// Its session.
    pub id: SessionId,
}

/// Characters that came in one burst (`spec/console.md`, Keys).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Burst {
    /// When it began.
    pub since: Timestamp,
    /// Characters so far.
    pub count: usize,
    /// It is a paste: nothing of it acts.
    pub swallowed: bool,
}

/// The session whose screen is on view with the focus, and since when (T4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looking {
    /// The session.
    pub id: SessionId,
    /// Since when.
    pub since: Timestamp,
    /// It was reported as seen, for the attention that it has since then.
    pub told: Option<Timestamp>,
}
