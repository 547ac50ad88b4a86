//! Which actions act now: one function that bottom line, help and palette read.

use crate::domain::ids::SessionId;
use crate::domain::lifecycle::State;
use crate::domain::operation::{Operation, OperationState};
use crate::domain::session::Session;
use crate::tui::action::{Action, Context};

use super::overlay::{Overlay, Purpose};
use super::plan::PlanDialog;
use super::wall::{FEWEST, Grid, MOST};
use super::{App, View, find, job};

impl App {
    /// Whether an action acts now.
    pub fn is_legal(&self, action: Action) -> bool {
        let contexts = self.contexts();
        self.refusal(action, &contexts).is_none()
    }

    /// Why an action does not act where these contexts do; none where it acts.
    pub fn refusal(&self, action: Action, contexts: &[Context]) -> Option<&'static str> {
        if !action.spec().contexts.iter().any(|context| contexts.contains(context)) {
            return Some("not here");
        }
        match contexts.first() {
            Some(Context::Dialog | Context::Form | Context::Text) => self.refused_above(action),
            _ => self.refused_by_view(action),
        }
    }

    fn refused_by_view(&self, action: Action) -> Option<&'static str> {
        let list = self.current_list();
        let unless = |legal: bool, why| if legal { None } else { Some(why) };
        let selected = |legal: fn(&Session) -> bool, why| match self.selected() {
            None => Some("nothing selected"),
            Some(session) => unless(legal(session), why),
        };
        // Of marked sessions one is enough; what is not loaded may be one.
        let marked_or = |legal: fn(&Session) -> bool, why| {
            let marks = &list.marks;
            if marks.is_empty() || self.view == View::Wall {
                return selected(legal, why);
            }
            let loaded = |id: &SessionId| list.rows().iter().find(|row| row.id == *id);
            let by_id = marks.ids.iter().any(|id| loaded(id).is_none_or(legal));
            let more = marks.all.is_some() && list.total > list.rows().len() as u64;
            let lines = list.lines();
            let drawn = lines.iter().enumerate().filter(|(at, _)| list.in_range(*at));
            let mut shown = drawn
                .map(|(_, line)| &list.rows()[line.row])
                .chain(list.rows().iter().filter(|row| marks.all.is_some() && list.is_marked(row)));
            unless(by_id || more || shown.any(legal), why)
        };
        let any: fn(&Session) -> bool = |_| true;
        match action {
            Action::Open | Action::Zoom if self.view != View::Jobs => {
                selected(Session::is_live, "not running")
            }
            Action::CopyMode => {
                unless(self.in_focus().or(list.selected.as_ref()).is_some(), "nothing selected")
            }
            Action::ScrollBack | Action::ScrollOn => {
                unless(!self.screen_area().is_empty(), "no screen here")
            }
            Action::TakeOffer => unless(self.offer.is_some(), "nothing offered"),
            Action::Details if self.view == View::Trash => Some("not here"),
            Action::Sort if self.view != View::Sessions => Some("not here"),
            Action::MoreTiles => self.no_more_tiles(),
            Action::FewerTiles => unless(self.wall.tiles.len() > FEWEST, "no fewer than 2"),
            Action::Diff => selected(|session| session.worktree().is_some(), "no worktree"),
            Action::OpenEditor | Action::OpenShell => selected(
                |session| session.deletion.is_none() && !session.folder.as_os_str().is_empty(),
                "no folder",
            ),
            Action::CopyPath => {
                selected(|session| !session.folder.as_os_str().is_empty(), "no folder")
            }
            Action::OpenPr => selected(|session| !session.prs.is_empty(), "no pull request"),
            Action::Mark
            | Action::MarkRange
            | Action::Rename
            | Action::Details
            | Action::Fork
            | Action::CopyWhat => selected(any, "nothing selected"),
            Action::MarkAll | Action::Invert => unless(list.total > 0, "nothing here"),
            Action::ClearMarks => {
                let open = !list.marks.is_empty() || !list.find.is_empty();
                unless(open, "nothing marked")
            }
            Action::AnswerYes | Action::AnswerChoose => selected(
                |session| session.is_live() && session.condition.question.is_some(),
                "asks nothing",
            ),
            Action::Message | Action::Stop => marked_or(Session::is_live, "not running"),
            Action::Done => marked_or(
                |session| session.condition.lifecycle.state != State::Done,
                "done already",
            ),
            Action::Pin | Action::Delete | Action::Kill | Action::Restart | Action::Purge => {
                marked_or(any, "nothing selected")
            }
            Action::Restore => marked_or(
                |session| {
                    session.deletion.is_some() || session.condition.lifecycle.state.is_terminal()
                },
                "still running",
            ),
            Action::Undo if self.view == View::Jobs => unless(
                self.jobs.current().is_some_and(job::can_be_undone),
                "neither stuck nor a delete that ended",
            ),
            Action::Undo => unless(self.board.last_batch.is_some(), "nothing to undo"),
            Action::NextWaiting | Action::PreviousWaiting => {
                unless(!self.waiting.is_empty(), "nobody needs you")
            }
            Action::Section(number) => {
                let lines = self.board.sections.len() + self.board.filters.len();
                unless(usize::from(number) <= lines, "no such section")
            }
            Action::SaveFilter => {
                let words = self.list.find.trim();
                // A word that is not understood narrows nothing.
                let narrows = !words.is_empty() && find::parse(words).error.is_none();
                unless(self.view == View::Sessions && narrows, "no filter in force")
            }
            Action::RenameFilter | Action::RemoveFilter => {
                let shown = self.view == View::Sessions && self.current_filter().is_some();
                unless(shown, "no saved filter")
            }
            Action::AddThisFolder => unless(self.setup.repository.is_some(), "no git repository"),
            Action::NewSession | Action::QuickNew => {
                unless(!self.board.projects.is_empty(), "no project yet")
            }
            Action::Open => unless(self.jobs.current().is_some(), "no job"),
            Action::CancelJob => {
                let ours = |operation: &Operation| self.jobs.job(&operation.id).is_some();
                unless(self.jobs.current().is_some_and(ours), "does not run here")
            }
            Action::ResumeJob => {
                let resumable = |operation: &Operation| {
                    let running = operation.state == OperationState::Running;
                    operation.state == OperationState::Stuck
                        || running && self.jobs.job(&operation.id).is_none()
                };
                unless(self.jobs.current().is_some_and(resumable), "not stuck")
            }
            Action::AbandonJob => {
                let stuck = |operation: &Operation| operation.state == OperationState::Stuck;
                unless(self.jobs.current().is_some_and(stuck), "not stuck")
            }
            Action::MarkFailed => {
                let failed = self.jobs.current().map(|operation| self.jobs.not_done(operation));
                unless(failed.is_some_and(|ids| !ids.is_empty()), "nothing failed")
            }
            _ => None,
        }
    }

    fn no_more_tiles(&self) -> Option<&'static str> {
        let (shown, total) = (self.wall.tiles.len(), self.wall_total());
        let room = Grid::of(self.layout().wall, shown + 1).tiles;
        match shown {
            MOST.. => Some("no more than 16"),
            _ if shown == total => Some("all are here"),
            _ if room <= shown => Some("no room for more"),
            _ => None,
        }
    }

    fn refused_above(&self, action: Action) -> Option<&'static str> {
        let plan = match self.overlays.last() {
            Some(Overlay::Plan(dialog)) => Some(dialog),
            _ => None,
        };
        let legal = match action {
            Action::KeepOrDrop | Action::PreviousGroup | Action::NextGroup => {
                plan.is_some_and(|dialog| dialog.plan().is_some_and(|plan| !plan.is_empty()))
            }
            Action::DropPinCheck => {
                plan.is_some_and(|dialog| dialog.request.excludes_pinned() && !dialog.is_looking())
            }
            Action::NextButton | Action::PreviousButton => {
                // There is nothing to press before there is something to delete.
                let ready = |dialog: &PlanDialog| dialog.going() > 0;
                plan.map_or_else(
                    || matches!(self.overlays.last(), Some(Overlay::Confirm(_))),
                    |dialog| ready(dialog),
                )
            }
            // A key that came before the plan confirms nothing.
            Action::Confirm if plan.is_some_and(|dialog| dialog.is_looking()) => false,
            Action::Confirm | Action::Up | Action::Down => {
                !matches!(self.overlays.last(), Some(Overlay::Leave(leave)) if leave.waiting)
            }
            Action::Complete => matches!(self.overlays.last(), Some(Overlay::Palette(_))),
            Action::Everywhere => {
                let line =
                    |purpose| matches!(purpose, &Purpose::Find | &Purpose::SaveFilter { .. });
                matches!(self.overlays.last(), Some(Overlay::Line { purpose, .. }) if line(purpose))
            }
            _ => true,
        };
        if legal { None } else { Some("not here") }
    }
}
