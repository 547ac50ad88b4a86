//! Which keys the bottom line tells where.

use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::overlay::{Overlay, Purpose};

/// Actions with their word on the line.
pub(super) type Entry = (&'static [Action], &'static str);

const LIST: &[Entry] = &[
    (&[Action::Open], "open"),
    (&[Action::Mark], "mark"),
    (&[Action::AnswerYes], "yes"),
    (&[Action::AnswerChoose], "answer"),
    (&[Action::NextWaiting], "next waiting"),
    (&[Action::NewSession], "new"),
    (&[Action::Message], "message"),
    (&[Action::Delete], "delete"),
    (&[Action::Restore], "launch"),
    (&[Action::Stop], "stop"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "command"),
    (&[Action::SaveFilter], "save filter"),
    (&[Action::ClearMarks], "clear"),
    (&[Action::Quit], "quit"),
];
const RAIL: &[Entry] = &[
    (&[Action::Down, Action::Up], "move"),
    (&[Action::NextColumn], "to the list"),
    (&[Action::NextWaiting], "next waiting"),
    (&[Action::NewSession], "new"),
    (&[Action::RenameFilter], "rename"),
    (&[Action::RemoveFilter], "remove"),
    (&[Action::AddProject], "add a project"),
    (&[Action::Palette], "command"),
    (&[Action::Quit], "quit"),
];
const DETAILS: &[Entry] = &[
    (&[Action::Down, Action::Up], "scroll"),
    (&[Action::TextLeft, Action::TextRight], "sideways"),
    (&[Action::Collapse, Action::Expand], "tab"),
    (&[Action::Open], "open"),
    (&[Action::AnswerYes], "yes"),
    (&[Action::AnswerChoose], "answer"),
    (&[Action::Message], "message"),
    (&[Action::CopyMode], "copy"),
    (&[Action::Back], "back to the list"),
];
const COPY: &[Entry] = &[
    (&[Action::SelectCharacters, Action::SelectLines, Action::SelectBlock], "select"),
    (&[Action::CopyText], "copy"),
    (&[Action::SearchOn, Action::SearchBack], "search"),
    (&[Action::NextHit, Action::PreviousHit], "next"),
    (&[Action::OpenLink], "open link"),
    (&[Action::LeaveCopy], "leave"),
];
const TRASH: &[Entry] = &[
    (&[Action::Restore], "restore"),
    (&[Action::Undo], "undo last delete"),
    (&[Action::Mark], "mark"),
    (&[Action::Purge], "purge"),
    (&[Action::Find], "find"),
    (&[Action::Back], "back"),
];
const JOBS: &[Entry] = &[
    (&[Action::Open], "look at results"),
    (&[Action::MarkFailed], "mark the failed ones"),
    (&[Action::Undo], "undo"),
    (&[Action::ResumeJob], "resume"),
    (&[Action::AbandonJob], "abandon"),
    (&[Action::CancelJob], "cancel what is not done"),
    (&[Action::Back], "back"),
];
const WALL: &[Entry] = &[
    (&[Action::Collapse, Action::Down, Action::Up, Action::Expand], "move"),
    (&[Action::Open], "type here"),
    (&[Action::AnswerYes], "yes"),
    (&[Action::AnswerChoose], "answer"),
    (&[Action::Zoom], "full screen"),
    (&[Action::MoreTiles, Action::FewerTiles], "tiles"),
    (&[Action::NextWaiting], "next waiting"),
    (&[Action::Back], "back"),
];
const EMPTY: &[Entry] = &[
    (&[Action::AddThisFolder], "add this folder"),
    (&[Action::AddProject], "add another"),
    (&[Action::NewChat], "chat"),
    (&[Action::Palette], "command"),
    (&[Action::Quit], "quit"),
];
const PLAN: &[Entry] = &[
    (&[Action::NextButton], "next"),
    (&[Action::Down, Action::Up], "move"),
    (&[Action::KeepOrDrop], "keep or drop"),
    (&[Action::PreviousGroup, Action::NextGroup], "group"),
    (&[Action::DropPinCheck], "pinned too"),
];
const BUTTONS: &[Entry] = &[(&[Action::NextButton], "next")];
const CHOOSE: &[Entry] = &[(&[Action::Confirm], "answer"), (&[Action::Down, Action::Up], "move")];
const COPY_WHAT: &[Entry] = &[(&[Action::Confirm], "copy"), (&[Action::Down, Action::Up], "move")];
const LEAVE: &[Entry] = &[(&[Action::Confirm], "do it"), (&[Action::Down, Action::Up], "move")];
const SCROLL: &[Entry] = &[(&[Action::Down, Action::Up], "scroll")];
const FORM: &[Entry] = &[
    (&[Action::Submit], "start"),
    (&[Action::NextField], "next field"),
    (&[Action::PreviousChoice, Action::NextChoice], "change"),
];
const MESSAGE: &[Entry] = &[(&[Action::Submit], "send")];
const PALETTE: &[Entry] = &[
    (&[Action::Confirm], "run"),
    (&[Action::Up, Action::Down], "move"),
    (&[Action::Complete], "complete"),
];
/// What goes on with a find, beside what ends it.
pub(super) const FIND: &[Entry] =
    &[(&[Action::Confirm], "keep"), (&[Action::Everywhere], "everywhere")];
const EVERYWHERE: &[Entry] =
    &[(&[Action::Confirm], "go there"), (&[Action::Up, Action::Down], "move")];
const SAVE_HERE: &[Entry] =
    &[(&[Action::Confirm], "save"), (&[Action::Everywhere], "in all sections")];
const SAVE_EVERYWHERE: &[Entry] =
    &[(&[Action::Confirm], "save"), (&[Action::Everywhere], "only where it is")];
const SEARCH: &[Entry] = &[(&[Action::Confirm], "go there")];
const RENAME: &[Entry] = &[(&[Action::Confirm], "rename")];
const ADD: &[Entry] = &[(&[Action::Confirm], "add")];
const QUICK: &[Entry] = &[(&[Action::Confirm], "start")];

/// What may be on the line now, most useful first.
pub(super) fn entries(app: &App) -> &'static [Entry] {
    match app.overlays.last() {
        Some(Overlay::Plan(_)) => PLAN,
        Some(Overlay::Confirm(_)) => BUTTONS,
        Some(Overlay::Answer(_)) => CHOOSE,
        Some(Overlay::CopyWhat(_)) => COPY_WHAT,
        Some(Overlay::Leave(leave)) => {
            if leave.waiting {
                &[]
            } else {
                LEAVE
            }
        }
        Some(Overlay::Help { .. }) => SCROLL,
        Some(Overlay::NewSession(_)) => FORM,
        Some(Overlay::Message { .. }) => MESSAGE,
        Some(Overlay::Palette(_)) => PALETTE,
        Some(Overlay::Everywhere(_)) => EVERYWHERE,
        Some(Overlay::Line { purpose, .. }) => match purpose {
            Purpose::Find => &[],
            Purpose::Search { .. } => SEARCH,
            Purpose::Rename(_) | Purpose::RenameFilter(_) => RENAME,
            Purpose::AddProject => ADD,
            Purpose::SaveFilter { everywhere: false } => SAVE_HERE,
            Purpose::SaveFilter { everywhere: true } => SAVE_EVERYWHERE,
            Purpose::QuickNew(_) => QUICK,
        },
        None if app.is_copying() => COPY,
        None => match app.view_context() {
            Context::Rail => RAIL,
            Context::Details => DETAILS,
            Context::Trash => TRASH,
            Context::Jobs => JOBS,
            Context::Wall => WALL,
            Context::Empty => EMPTY,
            _ => LIST,
        },
    }
}
