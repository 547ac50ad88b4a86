//! Everything the operator can do in the dashboard, as one table: keymap, help, palette, bottom
//! line and README read it.

/// Where a key is pressed; each has a section in `keymap.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// Every view; looked up last, and never while text is typed or a dialog is open.
    Global,
    /// The sections have the focus.
    Rail,
    /// The list of sessions has the focus.
    List,
    /// The right pane has the focus.
    Details,
    /// Keys go to the agent.
    Terminal,
    /// An agent's terminal is read with a cursor.
    Copy,
    /// The trash has the focus.
    Trash,
    /// The jobs have the focus.
    Jobs,
    /// A tile of the wall has the focus.
    Wall,
    /// A dialog is open.
    Dialog,
    /// A form is open.
    Form,
    /// One line of text is typed: find, command, new title.
    Text,
    /// There is no project and no session yet.
    Empty,
}

impl Context {
    /// Every context, in the order of `keymap.toml`.
    pub const ALL: [Self; 13] = [
        Self::Global,
        Self::Rail,
        Self::List,
        Self::Details,
        Self::Terminal,
        Self::Copy,
        Self::Trash,
        Self::Jobs,
        Self::Wall,
        Self::Dialog,
        Self::Form,
        Self::Text,
        Self::Empty,
    ];

    /// Name of its section in `keymap.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Rail => "rail",
            Self::List => "list",
            Self::Details => "details",
            Self::Terminal => "terminal",
            Self::Copy => "copy",
            Self::Trash => "trash",
            Self::Jobs => "jobs",
            Self::Wall => "wall",
            Self::Dialog => "dialog",
            Self::Form => "form",
            Self::Text => "text",
            Self::Empty => "empty",
        }
    }

    /// Whether keys that it does not know are looked up in [`Context::Global`].
    pub fn falls_back(self) -> bool {
        match self {
            Self::Rail
            | Self::List
            | Self::Details
            | Self::Trash
            | Self::Jobs
            | Self::Wall
            | Self::Empty => true,
            Self::Global | Self::Terminal | Self::Copy | Self::Dialog | Self::Form | Self::Text => {
                false
            }
        }
    }

    /// The context of a section's name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|context| context.name() == name)
    }

    /// What the help calls the place.
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "every view",
            Self::Rail => "the sections",
            Self::List => "the list",
            Self::Details => "the right pane",
            Self::Terminal => "typing to an agent",
            Self::Copy => "copy mode",
            Self::Trash => "the trash",
            Self::Jobs => "the jobs",
            Self::Wall => "the wall",
            Self::Dialog => "dialogs",
            Self::Form => "forms",
            Self::Text => "lines of text",
            Self::Empty => "an empty board",
        }
    }
}

/// Heading under which an action is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Moving about.
    Move,
    /// Marking sessions.
    Mark,
    /// Looking at something else.
    Look,
    /// Talking to agents.
    Answer,
    /// Reading and copying what an agent wrote.
    Read,
    /// Changing sessions and projects.
    Change,
    /// Inside dialogs and forms.
    Dialog,
    /// Leaving.
    Leave,
}

impl Group {
    /// Every group, in the order of the help.
    pub const ALL: [Self; 8] = [
        Self::Move,
        Self::Mark,
        Self::Look,
        Self::Answer,
        Self::Read,
        Self::Change,
        Self::Dialog,
        Self::Leave,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Mark => "Mark",
            Self::Look => "Look",
            Self::Read => "Read and copy",
            Self::Answer => "Answer",
            Self::Change => "Change",
            Self::Dialog => "Dialogs and forms",
            Self::Leave => "Leave",
        }
    }
}

/// What is known about one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionSpec {
    /// The action.
    pub action: Action,
    /// Its name in `keymap.toml`.
    pub id: &'static str,
    /// Its name in the palette, a sentence without a stop.
    pub title: &'static str,
    /// A few words for bottom line, help and README; empty where the action before it says it for both.
    pub short: &'static str,
    /// What it does, two lines of the palette at most.
    pub doc: &'static str,
    /// Sections of the keymap in which it can be bound.
    pub contexts: &'static [Context],
    /// Heading in help and README.
    pub group: Group,
    /// Help and README show it on the line of the action before it.
    pub joined: bool,
}

macro_rules! actions {
    ($($group:ident { $($(+$join:tt)? $action:ident $id:literal $short:literal [$($context:ident)+] $title:literal $doc:literal;)+ })+) => {
        /// One thing the operator can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $($(#[doc = $title] $action,)+)+
            /// Go to a section by its number, 1 to 9
            Section(u8),
        }

        /// Every action but [`Action::Section`].
        const SPECS: &[ActionSpec] = &[$($(ActionSpec {
            action: Action::$action,
            id: $id,
            title: $title,
            short: $short,
            doc: $doc,
            contexts: &[$(Context::$context),+],
            group: Group::$group,
            joined: actions!(@joined $($join)?),
        },)+)+];
    };
    (@joined) => { false };
    (@joined $join:tt) => { true };
}

// A leading `+_` puts an action on the line of the one before it.
actions! {
    Move {
        Down "down" "down" [Global Details Copy Dialog Form Text] "Move down" "Selects the next row, or scrolls one line.";
        +_ Up "up" "up" [Global Details Copy Dialog Form Text] "Move up" "Selects the row before, or scrolls one line.";
        Top "top" "first" [Global Details Copy Dialog] "Go to the first row" "Selects the first row, or scrolls to the start.";
        +_ Bottom "bottom" "last" [Global Details Copy Dialog] "Go to the last row" "Selects the last row, or scrolls to the end.";
        HalfDown "half-page-down" "half a page" [Global Details Copy Dialog] "Move down half a page" "Moves down by half of what is shown.";
        +_ HalfUp "half-page-up" "" [Global Details Copy Dialog] "Move up half a page" "Moves up by half of what is shown.";
        PageDown "page-down" "page" [Global Details Copy Dialog] "Move down a page" "Moves down by what is shown.";
        +_ PageUp "page-up" "" [Global Details Copy Dialog] "Move up a page" "Moves up by what is shown.";
        NextColumn "next-column" "next column" [Global Rail] "Go to the next column" "Gives the focus to the column on the right.";
        +_ PreviousColumn "previous-column" "previous column" [Global Rail] "Go to the previous column" "Gives the focus to the column on the left.";
        TextLeft "text-left" "left in a text" [Details] "Scroll a text to the left" "Shows what is left of the pane of a diff, of messages or of events.";
        +_ TextRight "text-right" "right in a text" [Details] "Scroll a text to the right" "Shows what goes on to the right of the pane of a diff, of messages or of events.";
        Collapse "collapse" "collapse" [Global Rail List Details Trash Jobs] "Collapse" "Hides the children of the selected session; with none to hide, goes to the column on the left. In tabs: the tab before.";
        +_ Expand "expand" "expand" [Global Rail List Details Trash Jobs] "Expand" "Shows the children of the selected session; with none to show, goes to the column on the right. In tabs: the next tab.";
        NextWaiting "next-waiting" "next waiting" [Global Terminal] "Go to the next session that needs you" "Selects the next session, anywhere, that wants the operator.";
        +_ PreviousWaiting "previous-waiting" "previous waiting" [Global Terminal] "Go to the previous session that needs you" "Selects the session before, anywhere, that wants the operator.";
    }
    Mark {
        Mark "mark" "mark" [List Trash] "Mark" "Marks the selected session, or takes its mark off, and moves down.";
        MarkRange "mark-range" "mark a range" [List Trash] "Mark a range" "Marks from here to where the selection is moved; the same key ends it.";
        MarkAll "mark-all" "mark all" [List Trash] "Mark all" "Marks everything that matches, also what is not loaded yet.";
        +_ Invert "invert" "invert" [List Trash] "Invert the marks" "Marks what is not marked, and the other way round.";
        ClearMarks "clear" "clear marks" [List Trash] "Clear marks" "Takes all marks off; with none, ends the filter.";
    }
    Look {
        Details "details" "details" [List Trash Rail Wall] "Show details" "Shows why the session has its status, its worktree, process and times.";
        +_ Diff "diff" "diff" [List Details Wall] "Show the diff" "Shows what the session has changed in its worktree, line by line.";
        Find "find" "find" [Global] "Find" "Narrows the list as you type: text, and words such as status: agent: project: age: dirty:";
        Everywhere "find-everywhere" "everywhere" [Global Text] "Find everywhere" "Looks in all sections, in messages and in the trash; Enter goes there.";
        SaveFilter "save-filter" "save the filter" [Global] "Save the filter" "Gives the filter in force a name; it is a line of the sections from then on.";
        +_ RenameFilter "rename-filter" "rename the filter" [Global Rail] "Rename the saved filter" "Gives the saved filter on view another name.";
        +_ RemoveFilter "remove-filter" "remove it" [Global Rail] "Remove the saved filter" "Takes the saved filter on view out of the sections. Its sessions stay.";
        Palette "palette" "command" [Global] "Run a command by name" "Lists every action by name.";
        Trash "trash" "trash" [Global] "Show the trash" "Lists deleted sessions, to restore them.";
        Jobs "jobs" "jobs" [Global] "Show the jobs" "Lists what runs in the background and what has ended.";
        Wall "wall" "wall" [Global] "Show the wall" "Shows the live screens of who waits for you and of the marked sessions, side by side.";
        MoreTiles "more-tiles" "more" [Wall] "Show more tiles" "Puts one more session on the wall, up to 16.";
        +_ FewerTiles "fewer-tiles" "fewer tiles" [Wall] "Show fewer tiles" "Takes the last tile off the wall, down to 2.";
        Sort "sort" "sort" [Global List] "Change the order" "Sorts by zone, or by newest turn.";
        Help "help" "help" [Global Dialog Copy] "Show the keys" "Lists the keys that act here.";
    }
    Read {
        ScrollBack "scroll-back" "scroll back" [Global Terminal] "Scroll the agent's screen back" "Shows what scrolled out of the agent's screen, a page at a time. Typing returns.";
        ScrollOn "scroll-on" "scroll on" [Global Terminal] "Scroll the agent's screen on" "Shows newer rows, a page at a time, down to the live screen.";
        CopyMode "copy-mode" "copy mode" [List Details Trash Wall Terminal] "Read, search and copy" "Gives the agent's screen and history a cursor, to search in it and copy from it.";
        TakeOffer "take-clipboard" "take what an agent copies" [Global Terminal] "Take what an agent copies" "Puts the text on the clipboard that an agent offered last (clipboard = ask).";
        Left "left" "left" [Copy] "Move left" "Moves the cursor one character to the left.";
        +_ Right "right" "right" [Copy] "Move right" "Moves the cursor one character to the right.";
        NextWord "next-word" "next word" [Copy] "Go to the next word" "Moves the cursor to the start of the next word.";
        +_ PreviousWord "previous-word" "previous" [Copy] "Go to the previous word" "Moves the cursor to the start of the word before.";
        +_ WordEnd "word-end" "its end" [Copy] "Go to the end of the word" "Moves the cursor to the end of the word.";
        LineStart "line-start" "start of the line" [Copy] "Go to the start of the line" "Moves the cursor to the first column.";
        +_ LineText "line-text" "its text" [Copy] "Go to the first character of the line" "Moves the cursor to the first character that is not blank.";
        +_ LineEnd "line-end" "its end" [Copy] "Go to the end of the line" "Moves the cursor to the last character.";
        WindowTop "window-top" "first line on view" [Copy] "Go to the first line on view" "Moves the cursor to the top of the pane.";
        +_ WindowMiddle "window-middle" "middle" [Copy] "Go to the line in the middle" "Moves the cursor to the middle of the pane.";
        +_ WindowBottom "window-bottom" "last" [Copy] "Go to the last line on view" "Moves the cursor to the bottom of the pane.";
        SearchOn "search" "search" [Copy] "Search" "Looks for a text from the cursor on, over the whole history; capitals count where it has one.";
        +_ SearchBack "search-back" "backwards" [Copy] "Search backwards" "Looks for a text before the cursor.";
        NextHit "next-match" "next match" [Copy] "Go to the next match" "Goes on to where the text stands next.";
        +_ PreviousHit "previous-match" "previous" [Copy] "Go to the previous match" "Goes back to where the text stood before.";
        SelectCharacters "select" "select" [Copy] "Select characters" "Selects from here to where the cursor is moved; again: ends it.";
        +_ SelectLines "select-lines" "lines" [Copy] "Select lines" "Selects whole lines.";
        +_ SelectBlock "select-block" "a block" [Copy] "Select a block" "Selects the columns between here and the cursor.";
        CopyText "copy" "copy" [Copy] "Copy" "Copies what is selected, else the line, to the clipboard of this terminal.";
        OpenLink "open-link" "open the link" [Copy] "Open the link" "Opens the link at the cursor, or the next one on its line.";
        LeaveCopy "leave-copy" "leave" [Copy] "Leave copy mode" "Ends the selection; without one, leaves copy mode.";
    }
    Answer {
        Open "open" "open and type" [List Rail Details Jobs Wall] "Open the agent and type" "Gives the keys to the agent, in place.";
        Zoom "zoom" "full screen" [List Details Wall] "Open the agent over the whole screen" "Gives the keys and the whole screen to the agent.";
        LeaveAgent "leave" "leave the agent" [Terminal] "Leave the agent" "Takes the keys back from the agent, which goes on.";
        AnswerYes "yes" "yes" [List Details Wall] "Answer yes" "Answers the shown question with its yes, without opening; refused when the question has changed.";
        AnswerChoose "answer" "choose an answer" [List Details Wall] "Choose an answer" "Lists the options of the shown question.";
        Message "message" "message" [List Details Wall] "Send a message" "Types a text into the selected session, or into all marked ones.";
    }
    Change {
        NewSession "new" "new" [Global] "Start a session" "Opens the form for a new session.";
        +_ QuickNew "quick-new" "quick new" [Global] "Start a session like the last one" "Asks for the prompt alone and starts in this section.";
        NewChat "new-chat" "chat" [Global Empty] "Start a chat without a project" "Opens the form for a session outside projects.";
        Rename "rename" "rename" [List] "Rename" "Changes the title of the selected session.";
        +_ Pin "pin" "pin" [List] "Pin or unpin" "Lists the selected or the marked sessions among the pinned ones, or puts them back.";
        Fork "fork" "fork" [List Details] "Fork" "Starts a session that goes on with a copy of the conversation, in a worktree of its own.";
        Stop "stop" "stop" [List Details Wall] "Stop" "Ends the agents of the selected or the marked sessions; worktrees stay. Asks when there are several.";
        Kill "kill" "kill" [List Details] "Kill" "Ends the agents of the selected or the marked sessions and gives back worktrees that are clean. Asks first.";
        Restart "restart" "restart" [List Details] "Restart the agent" "Ends the agent and launches it again, resuming its conversation. The worktree stays.";
        Done "done" "mark done" [List] "Mark done" "Ends the selected or the marked sessions as done.";
        Delete "delete" "delete, plan first" [List] "Delete" "Shows the plan, then moves the selected or the marked sessions to the trash.";
        Undo "undo" "undo the last delete" [Global Trash Jobs] "Undo the last delete" "Brings the last deleted batch back; again: the one before.";
        Restore "restore" "restore" [List Trash] "Restore" "Brings sessions back from the trash; launches terminated ones again, resuming their conversation.";
        Purge "purge" "purge for good" [Trash] "Purge" "Removes the selected or the marked sessions for good, files too. Asks first.";
        OpenEditor "open-editor" "open in the editor" [List Details Wall] "Open the worktree in the editor" "Gives the terminal to EDITOR, in the worktree of the session, until it ends.";
        +_ OpenShell "open-shell" "shell there" [List Details Wall] "Open a shell in the worktree" "Gives the terminal to SHELL, in the worktree of the session, until it ends.";
        OpenPr "open-pr" "open the pull request" [List Details Wall] "Open the pull request" "Opens the pull request of the session that wants most, in the browser.";
        CopyWhat "copy-what" "copy id, path or branch" [List Details Wall] "Copy the id, the path or the branch" "Puts the id, the folder, the branch or the pull request of the session on the clipboard.";
        CopyPath "copy-path" "copy the path" [List Details] "Copy the path" "Puts the folder of the session on the clipboard.";
        AddProject "add-project" "add a project" [Global Empty] "Add a project" "Registers a folder.";
        AddThisFolder "add-this-folder" "add this folder" [Empty] "Add this folder" "Registers the folder that callboard was started in.";
        CancelJob "cancel-job" "cancel what is not done" [Jobs] "Cancel the job" "Stops the selected job before what it has not done yet.";
        ResumeJob "resume-job" "resume" [Jobs] "Resume the job" "Tries a job that is stuck or was interrupted once more: it is finished or undone.";
        AbandonJob "abandon-job" "abandon" [Jobs] "Abandon the job" "Lets a job be that is stuck. What it left behind stays as it is.";
        MarkFailed "mark-failed" "mark the failed ones" [Jobs] "Mark the failed ones" "Marks in the list what the selected job did not do.";
    }
    Dialog {
        Confirm "confirm" "press the button" [Dialog Text] "Press the chosen button" "Does what the chosen button says.";
        Cancel "cancel" "cancel" [Dialog Form Text] "Cancel" "Closes and changes nothing; what was typed into a form is kept.";
        NextButton "next-button" "next button" [Dialog] "Go to the next button" "Moves to the next button.";
        +_ PreviousButton "previous-button" "previous button" [Dialog] "Go to the previous button" "Moves to the button before.";
        KeepOrDrop "keep-or-drop" "keep or drop" [Dialog] "Keep or drop" "Takes the selected session out of the plan, or puts it back.";
        DropPinCheck "drop-pin-check" "delete pinned ones too" [Dialog] "Drop the pin check" "Plans again with the pinned sessions.";
        PreviousGroup "previous-group" "group" [Dialog] "Show the previous group" "Lists the group of the plan before.";
        +_ NextGroup "next-group" "" [Dialog] "Show the next group" "Lists the next group of the plan.";
        Submit "submit" "start" [Form] "Submit the form" "Starts what the form describes.";
        NextField "next-field" "next field" [Form] "Go to the next field" "Moves to the next field.";
        +_ PreviousField "previous-field" "previous field" [Form] "Go to the previous field" "Moves to the field before.";
        PreviousChoice "previous-choice" "change" [Form] "Choose the one before" "Changes a choice field.";
        +_ NextChoice "next-choice" "" [Form] "Choose the next one" "Changes a choice field.";
        Complete "complete" "complete" [Text] "Complete" "Completes what is typed from the selected match.";
    }
    Leave {
        Back "back" "back" [Trash Jobs Details Wall] "Go back" "Goes back to the sessions.";
        Suspend "suspend" "suspend" [Global Copy Dialog Form Text Empty] "Suspend callboard" "Gives the terminal back to the shell; fg returns.";
        Quit "quit" "quit, agents go on" [Global Empty] "Quit" "Leaves the console. Agents go on.";
    }
}

/// The sections by number.
const SECTIONS: [ActionSpec; 9] = [
    section(1, "section-1", "Go to section 1"),
    section(2, "section-2", "Go to section 2"),
    section(3, "section-3", "Go to section 3"),
    section(4, "section-4", "Go to section 4"),
    section(5, "section-5", "Go to section 5"),
    section(6, "section-6", "Go to section 6"),
    section(7, "section-7", "Go to section 7"),
    section(8, "section-8", "Go to section 8"),
    section(9, "section-9", "Go to section 9"),
];

const fn section(number: u8, id: &'static str, title: &'static str) -> ActionSpec {
    ActionSpec {
        action: Action::Section(number),
        id,
        title,
        short: if number == 1 { "section by number" } else { "" },
        doc: "Selects the section with this number.",
        contexts: &[Context::Global],
        group: Group::Move,
        joined: number > 1,
    }
}

impl ActionSpec {
    /// Every action, group by group.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        SPECS.iter().chain(&SECTIONS)
    }
}

impl Action {
    /// What is known about it.
    pub fn spec(self) -> &'static ActionSpec {
        match self {
            Self::Section(number) => &SECTIONS[usize::from(number.clamp(1, 9)) - 1],
            // The macro makes variants and rows together, so the search always finds one.
            _ => ActionSpec::all().find(|spec| spec.action == self).unwrap_or(&SPECS[0]),
        }
    }

    /// Its name in `keymap.toml`.
    pub fn id(self) -> &'static str {
        self.spec().id
    }

    /// The action of a name.
    pub fn from_id(id: &str) -> Option<Self> {
        ActionSpec::all().find(|spec| spec.id == id).map(|spec| spec.action)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_action_has_one_row_and_one_id() {
        let ids: BTreeSet<_> = ActionSpec::all().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), ActionSpec::all().count());
        for spec in ActionSpec::all() {
            assert_eq!(spec.action.spec(), spec);
            assert_eq!(Action::from_id(spec.id), Some(spec.action));
            assert!(spec.joined || !spec.short.is_empty(), "{}", spec.id);
        }
    }

    #[test]
    fn a_context_is_found_by_its_name() {
        for context in Context::ALL {
            assert_eq!(Context::from_name(context.name()), Some(context));
        }
    }
}
