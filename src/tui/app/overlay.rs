//! What lies above the views: dialogs, forms, lines of text. Only the topmost gets keys.

use crate::domain::ids::SessionId;
use crate::tui::action::{Action, Context};
use crate::tui::event::Effect;

use super::editor::Editor;
use super::everywhere::Finder;
use super::form::NewForm;
use super::plan::{Button, PlanDialog};

/// One layer above the views.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    /// The plan of a delete.
    Plan(Box<PlanDialog>),
    /// A question with two buttons.
    Confirm(Confirm),
    /// The form for a new session; what was typed is in [`App::draft`](super::App::draft).
    NewSession(Box<NewForm>),
    /// A text for agents.
    Message {
        /// To whom.
        ids: Vec<SessionId>,
        /// The text.
        editor: Editor,
    },
    /// One line of text.
    Line {
        /// What it is for.
        purpose: Purpose,
        /// The text.
        editor: Editor,
    },
    /// The options of a question.
    Answer(AnswerDialog),
    /// What of a session is copied.
    CopyWhat(CopyDialog),
    /// What becomes of jobs when the dashboard is left.
    Leave(LeaveDialog),
    /// Actions by name.
    Palette(Palette),
    /// What is found in all sections, messages and the trash.
    Everywhere(Finder),
    /// The keys of a context.
    Help {
        /// Which.
        context: Context,
        /// First line on view.
        top: usize,
    },
}

/// What a line of text is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Filter of the list, on the bottom line.
    Find,
    /// A text in the terminal that is read.
    Search {
        /// Towards its start.
        backwards: bool,
    },
    /// New title of a session.
    Rename(SessionId),
    /// Path of a project.
    AddProject,
    /// Name under which the filter in force is saved.
    SaveFilter {
        /// It looks in all sections, not only where it is in force.
        everywhere: bool,
    },
    /// New name of a saved filter.
    RenameFilter(String),
    /// Prompt of a session like the last one: agent and place, in words.
    QuickNew(String),
}

/// A question with two buttons, Cancel first.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirm {
    /// Title: `Stop 3 sessions`.
    pub title: String,
    /// What will happen.
    pub lines: Vec<String>,
    /// Word on the button.
    pub act: String,
    /// The chosen button.
    pub button: Button,
    /// What the button does.
    pub effects: Vec<Effect>,
}

/// The options of the question that a session shows (K6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerDialog {
    /// The session.
    pub id: SessionId,
    /// Id of the question that was shown.
    pub question: String,
    /// What is asked.
    pub text: String,
    /// The options.
    pub options: Vec<String>,
    /// The selected one.
    pub index: usize,
}

/// What of a session can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyDialog {
    /// The session.
    pub id: SessionId,
    /// Names and texts.
    pub texts: Vec<(&'static str, String)>,
    /// The selected one.
    pub index: usize,
}

/// What becomes of running jobs when the dashboard is left (`spec/console.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeaveDialog {
    /// The selected way, an index of [`LEAVING`].
    pub index: usize,
    /// It was chosen to wait, or what is not done is being cancelled: left when all have ended.
    pub waiting: bool,
}

/// The ways to leave while jobs run.
pub const LEAVING: [(Leaving, &str); 3] = [
    (Leaving::Wait, "Wait until it has ended, then leave"),
    (Leaving::HandOver, "Leave now, a worker in the background goes on"),
    (Leaving::Cancel, "Cancel what is not done, then leave"),
];

/// A way to leave while jobs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// When all have ended.
    Wait,
    /// A detached process goes on.
    HandOver,
    /// Nothing is begun any more.
    Cancel,
}

/// Actions by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Palette {
    /// What was typed.
    pub editor: Editor,
    /// The selected line.
    pub index: usize,
    /// The first line on view.
    pub top: usize,
    /// Context that the actions belong to: the one that the palette was opened in.
    pub context: Context,
    /// Matches of what was typed, best first, with the matching characters.
    pub matches: Vec<Match>,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The action.
    pub action: Action,
    /// Its title; of a section with the name that it has now.
    pub title: String,
    /// Characters of its title that match, ascending.
    pub matched: Vec<usize>,
}

impl Overlay {
    /// Where its keys are looked up.
    pub fn context(&self) -> Context {
        match self {
            Self::NewSession(_) | Self::Message { .. } => Context::Form,
            Self::Line { .. } | Self::Palette(_) | Self::Everywhere(_) => Context::Text,
            Self::Plan(_)
            | Self::Confirm(_)
            | Self::Answer(_)
            | Self::CopyWhat(_)
            | Self::Leave(_)
            | Self::Help { .. } => Context::Dialog,
        }
    }

    /// Whether everything below it is veiled.
    pub fn veils(&self) -> bool {
        !matches!(self, Self::Line { purpose: Purpose::Find | Purpose::Search { .. }, .. })
    }

    /// The text field in focus.
    pub fn editor(&mut self) -> Option<&mut Editor> {
        match self {
            Self::NewSession(form) => form.editor(),
            Self::Message { editor, .. } | Self::Line { editor, .. } => Some(editor),
            Self::Palette(palette) => Some(&mut palette.editor),
            Self::Everywhere(finder) => Some(&mut finder.editor),
            _ => None,
        }
    }

    /// Whether a text field has the focus.
    pub fn takes_text(&self) -> bool {
        match self {
            Self::NewSession(form) => form.takes_text(),
            Self::Message { .. } | Self::Line { .. } | Self::Palette(_) | Self::Everywhere(_) => {
                true
            }
            _ => false,
        }
    }
}
