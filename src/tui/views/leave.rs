//! What becomes of running jobs when the dashboard is left.

use ratatui::layout::Rect;

use super::dialog::{centred, frame, inside};
use super::pen::Pen;
use super::top::{progress_bar, verb_word};
use crate::tui::app::App;
use crate::tui::app::overlay::{LEAVING, LeaveDialog};
use crate::tui::app::words::count;
use crate::tui::theme::Role;

/// Jobs that are listed, at most.
const JOBS: usize = 4;
/// Cells of a bar.
const BAR: u16 = 12;

fn area(app: &App) -> Rect {
    let shown = app.jobs.notable().take(JOBS).count() as u16;
    centred(app, 60, shown + 8, (4, 0))
}

/// The ways to leave, a line each.
pub(super) fn rows(app: &App) -> Rect {
    let shown = app.jobs.notable().take(JOBS).count() as u16;
    let inner = inside(area(app));
    Rect { y: inner.y + 2 + shown, height: LEAVING.len() as u16, ..inner }
}

/// Draws the dialog: the jobs with their progress, and the ways to leave or what is waited for.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, dialog: LeaveDialog) {
    let jobs: Vec<_> = app.jobs.notable().collect();
    let area = area(app);
    let mut pen = pen.within(area);
    let title = if dialog.waiting { "Leaving" } else { "Leave callboard" };
    let inner = frame(&mut pen, area, title);
    let mut y = inner.y + 1;
    for job in jobs.iter().take(JOBS) {
        let what = format!("{} of {}", verb_word(job.verb), count(job.total, "session"));
        let numbers = format!("{}/{}", job.done(), job.total);
        let right = inner.right();
        let room = inner.width.saturating_sub(BAR + 14);
        pen.text(inner.x, y, room, &what, pen.bold(Role::Text));
        pen.right(right.saturating_sub(BAR + 1), y, 11, &numbers, pen.role(Role::Text));
        let bar = progress_bar(&pen, (job.done(), job.total), usize::from(BAR));
        pen.spans(right.saturating_sub(BAR), y, BAR, &bar);
        y += 1;
    }
    y += 1;
    if dialog.waiting {
        let text = "callboard is left when everything has ended.";
        pen.text(inner.x, y, inner.width, text, pen.role(Role::Muted));
        return;
    }
    for (at, (_, text)) in LEAVING.iter().enumerate() {
        let row = Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1);
        let mut pen = pen.within(row);
        if at == dialog.index {
            pen.select(row, true);
        }
        pen.text(inner.x, y, inner.width, text, pen.role(Role::Text));
        y += 1;
    }
}
